/* SPDX-License-Identifier: MIT */
#include "runtime/pthread/threads.h"

#include <errno.h>
#include <limits.h>
#include <link.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "runtime/append.h"
#include "runtime/blocked.h"
#include "runtime/callback.h"
#include "runtime/late.h"
#include "runtime/libc/libc.h"
#include "runtime/pthread/locks.h"
#include "runtime/pthread/misuse.h"
#include "runtime/host.h"
#include "runtime/inputs.h"
#include "runtime/modules.h"
#include "runtime/process.h"
#include "runtime/libc/ranges.h"
#include "runtime/real.h"
#include "runtime/replay/placed.h"
#include "runtime/replay/replay.h"
#include "runtime/replay/schedule.h"
#include "runtime/pthread/robust.h"
#include "runtime/crash.h"
#include "runtime/run.h"
#include "runtime/pthread/sync.h"
#include "runtime/sys.h"
#include "runtime/unseen.h"

extern void *__libc_stack_end;

static pthread_key_t end_key;

/* Which number a pthread_t has, or had last: they are used again, so none is ever removed. */
#define NAMES 65536u
static struct name {
	pthread_t thread;
	uint32_t number;	/* + 1 */
	struct norn_self *self; /* null: it has ended, or not begun */
	bool cancelled;		/* before it began */
} names[NAMES];
static struct norn_spin names_lock;

static struct name *name_slot(pthread_t thread)
{
	uint32_t hash = (uint32_t)((uint64_t)thread * UINT64_C(0x9e3779b97f4a7c15) >> 48);
	for (uint32_t i = 0; i < NAMES; i++) {
		uint32_t at = (hash + i) % NAMES;
		if (!names[at].number || names[at].thread == thread) {
			names[at].thread = thread;
			return &names[at];
		}
	}
	return &names[hash % NAMES];
}

/* Its next hook or wrapper has to notice: without room it does not go the quick way. */
static void cancel(struct norn_self *self)
{
	__atomic_store_n(&self->cancelled, true, __ATOMIC_SEQ_CST);
	__atomic_store_n(&self->limit, NULL, __ATOMIC_SEQ_CST);
}

/* By who makes it, and by itself when its log has begun: whoever is first. */
static void name_thread(pthread_t thread, uint32_t number, struct norn_self *self)
{
	norn_spin_lock(&names_lock);
	struct name *name = name_slot(thread);
	if (name->number != number + 1) {
		name->self = NULL;
		name->cancelled = false;
	}
	if (self) {
		name->self = self;
		if (name->cancelled)
			cancel(self);
	}
	name->number = number + 1;
	norn_spin_unlock(&names_lock);
}

static void forget_self(pthread_t thread)
{
	norn_spin_lock(&names_lock);
	name_slot(thread)->self = NULL;
	norn_spin_unlock(&names_lock);
}

uint32_t norn_thread_number(pthread_t thread)
{
	norn_spin_lock(&names_lock);
	uint32_t number = name_slot(thread)->number;
	norn_spin_unlock(&names_lock);
	return number;
}

/* All but faults, whose handlers run anyway. What a handler does in a thread that is not in the log
 * yet, or not any more, would be lost. */
static uint64_t block_signals(void)
{
	uint64_t all = ~NORN_FAULTS, old = 0;
	NORN_SYS(rt_sigprocmask, SIG_SETMASK, &all, &old, sizeof all, 0, 0);
	return old;
}

static void restore_signals(uint64_t mask)
{
	NORN_SYS(rt_sigprocmask, SIG_SETMASK, &mask, 0, sizeof mask, 0, 0);
}

static void log_begin(struct norn_self *me, void *stack, size_t size)
{
	struct norn_shard *shard = &norn_shards[LOG_HEAP];
	struct norn_step step = {.index = PLAN_NONE};
	norn_thread_begins();
	norn_crash_thread(me);
	norn_blocks_begin(me);
	norn_prepare(me);
	if (norn_replays()) {
		norn_replay_thread(me);
		norn_follow(me, &step, &(struct norn_what){.kind = LOG_BEGIN});
	}
	norn_hold(me, shard);
	norn_put4(me, LOG_BEGIN, 0, norn_version(shard), (uintptr_t)stack, size,
		  (uintptr_t)__builtin_thread_pointer());
	norn_release(me, shard);
	norn_late_begun(me, stack, size);
	norn_end_step(&step, true);
}

static void stack_of_thread(void **stack, size_t *size)
{
	pthread_attr_t attributes;
	*stack = NULL;
	*size = 0;
	if (pthread_getattr_np(pthread_self(), &attributes) != 0)
		return;
	pthread_attr_getstack(&attributes, stack, size);
	pthread_attr_destroy(&attributes);
}

static int lowest_tls(struct dl_phdr_info *info, size_t size, void *lowest)
{
	(void)size;
	uintptr_t *low = lowest;
	if (info->dlpi_tls_data && (uintptr_t)info->dlpi_tls_data < *low)
		*low = (uintptr_t)info->dlpi_tls_data;
	return 0;
}

/* The first thread has its thread-local memory elsewhere: a mapping of its own, to the log. */
static void log_tls_of_main(struct norn_self *me)
{
	uintptr_t end = (uintptr_t)pthread_self(), low = end;
	dl_iterate_phdr(lowest_tls, &low);
	/* What was allocated later, for a module that was loaded, lies anywhere. */
	if (low == end || end - low > (1u << 20))
		return;
	struct norn_shard *shard = &norn_shards[LOG_HEAP];
	me->late.tls = (void *)low;
	me->late.tls_size = end - low;
	norn_hold(me, shard);
	norn_put4(me, LOG_MAP, 0, norn_version(shard), low, 0, end - low);
	norn_release(me, shard);
}

static void begin_main(struct norn_self *me)
{
	struct rlimit limit;
	uintptr_t top = ((uintptr_t)__libc_stack_end | 0xfff) + 1;
	size_t size = 8u << 20;
	if (NORN_SYS(getrlimit, RLIMIT_STACK, &limit, 0, 0, 0, 0) == 0 &&
	    limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < top)
		size = limit.rlim_cur;
	me->number = 0;
	log_begin(me, (void *)(top - size), size);
	log_tls_of_main(me);
}

static uint32_t new_number(const struct norn_step *step)
{
	return norn_replays() ? norn_replay_number(step)
			      : __atomic_fetch_add(&norn_run.shared->threads, 1, __ATOMIC_RELAXED);
}

void norn_attach(struct norn_self *me)
{
	/* So that everything called from here finds the thread not recorded. */
	me->mode = NORN_PLAIN;
	if (!norn_records()) {
		if (norn_host_waits() && !norn_has_hooks_alone)
			me->mode = NORN_UNKNOWN;
		return;
	}
	if (NORN_SYS(getpid, 0, 0, 0, 0, 0, 0) == NORN_SYS(gettid, 0, 0, 0, 0, 0, 0)) {
		begin_main(me);
	} else {
		void *stack;
		size_t size;
		stack_of_thread(&stack, &size);
		me->number = new_number(&(struct norn_step){.index = PLAN_NONE});
		log_begin(me, stack, size);
		me->unforked = me->cancelled = true; /* so that norn_prepare has it notice */
	}
	name_thread(pthread_self(), me->number, me);
	pthread_setspecific(end_key, me);
	norn_host_thread(me);
}

/*
 * In a schedule, each thread sets a word when it ends. So the log knows what those have seen who
 * ask whether it has, and do not wait for ever.
 */
#define ENDS 65536u
static uint64_t ends[ENDS];

static void tell_end(struct norn_self *me)
{
	if (!norn_turn_scheduled())
		norn_announce_thread_end();
	else if (me->number < ENDS)
		norn_tell_word(&ends[me->number], 1, false);
}

/* Destructors run in rounds, in any order: the last round is the end, as far as can be known. */
static void end_of_thread(void *self)
{
	struct norn_self *me = self;
	if (++me->ends < PTHREAD_DESTRUCTOR_ITERATIONS) {
		pthread_setspecific(end_key, me);
		return;
	}
	/* Neither returned nor called pthread_exit. */
	if (!me->returned)
		norn_log_result(PTHREAD_CANCELED, NORN_ANY_READ);
	norn_robust_end();
	tell_end(me);
	if (!norn_enter(me))
		return;
	block_signals();
	forget_self(pthread_self());
	struct norn_step step = {.index = PLAN_NONE};
	if (norn_replays())
		norn_follow(me, &step, &(struct norn_what){.kind = LOG_END});
	norn_is_leaving();
	struct norn_shard *shard = &norn_shards[LOG_HEAP];
	norn_hold(me, shard);
	norn_put1(me, LOG_END, 0, norn_version(shard));
	norn_release(me, shard);
	norn_put2(me, LOG_TIME, 0, norn_now());
	norn_end_step(&step, true);
	if (norn_replays())
		norn_set_ended(me);
	norn_blocks_end(me);
	norn_free_now(me);
	norn_crash_thread_ends(me);
	norn_thread_ends();
	norn_leave(me);
}

void norn_threads_begin(void)
{
	pthread_key_create(&end_key, end_of_thread);
	norn_run.shared->threads = 1;
	norn_process_begin();
}

static bool others; /* there may be threads that nobody forks */

bool norn_alone(void)
{
	return norn_run.state != NORN_RECORDS ||
	       (!__atomic_load_n(&others, __ATOMIC_RELAXED) &&
		__atomic_load_n(&norn_run.shared->threads, __ATOMIC_RELAXED) == 1);
}

void norn_is_not_alone(void)
{
	__atomic_store_n(&others, true, __ATOMIC_RELAXED);
}

void norn_threads_in_child(struct norn_self *me)
{
	names_lock.taken = 0;
	me->ends = 0;
	me->pc = 0;
	norn_marks.count = 0;
	norn_run.shared->threads = 1;
}

struct start {
	void *(*function)(void *);
	void *argument;
	uint32_t number;
	uint32_t may_begin; /* a futex */
	uint64_t mask;	    /* of signals; until its log has begun, all are blocked */
	bool modelled;	    /* it is made in a call of which a model speaks */
	bool unseen;	    /* by code without hooks */
};

/* What the attributes say, or else the mask of the thread that makes it. */
static uint64_t mask_of_new(const pthread_attr_t *attributes, uint64_t own)
{
	sigset_t set;
	if (attributes && pthread_attr_getsigmask_np(attributes, &set) == 0)
		memcpy(&own, &set, sizeof own);
	return own;
}

/* glibc stores the number of a thread before that runs. So does the log: it comes into being at
 * once, and begins when the store and the fork are there. */
static void wait_to_begin(struct start *start)
{
	while (!__atomic_load_n(&start->may_begin, __ATOMIC_ACQUIRE))
		NORN_SYS(futex, &start->may_begin, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, 0, 0, 0);
}

static void let_begin(struct start *start)
{
	__atomic_store_n(&start->may_begin, 1, __ATOMIC_RELEASE);
	NORN_SYS(futex, &start->may_begin, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, 0, 0, 0);
}

static void *start_thread(void *argument)
{
	struct norn_self *me = &norn_self;
	me->busy = 1;
	NORN_COMPILER_BARRIER();
	wait_to_begin(argument);
	struct start start = *(struct start *)argument;
	NORN_REAL(free)(argument);
	void *stack;
	size_t size;
	me->mode = NORN_PLAIN;
	stack_of_thread(&stack, &size);
	if (norn_run.state == NORN_RECORDS) {
		me->number = start.number;
		pthread_setspecific(end_key, me);
		log_begin(me, stack, size);
		name_thread(pthread_self(), start.number, me);
	}
	restore_signals(start.mask);
	norn_leave(me);
	norn_thread_unseen((const void *)start.function, start.modelled, start.unseen);
	/* what the argument depends on stays, by a branch before the fork */
	uint64_t key = norn_callback((const void *)start.function, NORN_POINTER NORN_GETS_POINTER);
	void *result = start.function(start.argument);
	norn_log_result(result, norn_called_back(key));
	return result;
}

/* Where the result of a thread is kept for the log: any address that nothing else has. */
static int64_t *result_of(uint32_t number)
{
	return norn_hidden((void *)((uintptr_t)number + 1));
}

void norn_log_result(void *value, uint64_t position)
{
	struct norn_self *me = &norn_self;
	if (!norn_ranges_on() || me->returned)
		return;
	int64_t *result = result_of(me->number);
	if (result)
		norn_put_from(NULL, result, &value, sizeof value, position);
	me->returned = true;
}

/* Who joins it reads that. Other ways to end (of code that calls glibc from inside) are not known.
 */
static void see_result(uint32_t number, const void *value, const void *pc)
{
	int64_t mine, *result = norn_ranges_on() ? result_of(number) : NULL;
	if (result && *result == (intptr_t)value)
		norn_self.joined = norn_get_position(pc, &mine, result, sizeof mine);
}

/* The thread is there, and waits. Its number. */
static uint32_t fork_thread(struct start *start, pthread_t made, uint32_t role, const void *pc)
{
	struct norn_self *me = &norn_self;
	struct norn_step step = norn_begin_step(LOG_FORK, NULL, pc);
	uint32_t number = new_number(&step);
	start->number = number;
	if (norn_enter(me)) {
		name_thread(made, number, NULL);
		norn_put3(me, LOG_FORK, norn_step_site(pc), role, number, (uintptr_t)pc);
		norn_put2(me, LOG_TIME, 0, norn_now());
		norn_leave(me);
	}
	norn_turn_expect();
	let_begin(start);
	norn_turn_await_new();
	norn_end_step(&step, true);
	return number;
}

/* handle: where the program wants to have it, or NULL. number: + 1, 0 if it is not recorded. */
static int make_thread(struct norn_thread *thread, pthread_t *handle,
		       const pthread_attr_t *attributes, void *(*function)(void *), void *argument,
		       const void *pc)
{
	struct norn_self *me = &norn_self;
	thread->number = 0;
	if (!norn_enter(me)) {
		norn_note_child_threads();
		return NORN_REAL(pthread_create)(handle ? handle : &thread->handle, attributes,
						 function, argument);
	}
	struct start *start = NORN_REAL(malloc)(sizeof *start);
	if (!start) {
		norn_leave(me);
		return EAGAIN;
	}
	uint64_t mask = block_signals();
	*start = (struct start){.function = function,
				.argument = argument,
				.mask = mask_of_new(attributes, mask),
				.modelled = me->via,
				.unseen = me->unseen};
	/* Busy all the time: what is allocated for the new thread is not the program's. */
	pthread_attr_t placed;
	if (norn_place_stack(me, attributes, &placed))
		attributes = &placed;
	int result = NORN_REAL(pthread_create)(&thread->handle, attributes, start_thread, start);
	if (result != 0)
		NORN_REAL(free)(start);
	norn_leave(me);
	if (result == 0) {
		if (handle)
			norn_lay(pc, handle, &thread->handle, sizeof thread->handle);
		thread->number = fork_thread(start, thread->handle, thread->role, pc) + 1;
	}
	restore_signals(mask);
	return result;
}

int norn_thread_create(pthread_t *thread, const pthread_attr_t *attributes,
		       void *(*function)(void *), void *argument, const void *pc)
{
	struct norn_thread made = {.role = 0};
	return make_thread(&made, thread, attributes, function, argument, pc);
}

int norn_thread_fork(struct norn_thread *thread, uint32_t role, void *(*function)(void *),
		     void *argument, const void *pc)
{
	thread->over = 0;
	thread->role = role;
	return make_thread(thread, NULL, NULL, function, argument, pc);
}

/* The first that comes joins it; whoever comes meanwhile or later waits for that. */
enum { RUNS, IS_JOINED, IS_OVER };

static void await_end(struct norn_thread *thread)
{
	uint32_t was = RUNS;
	if (__atomic_compare_exchange_n(&thread->over, &was, IS_JOINED, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE)) {
		NORN_REAL(pthread_join)(thread->handle, NULL);
		__atomic_store_n(&thread->over, IS_OVER, __ATOMIC_RELEASE);
		NORN_SYS(futex, &thread->over, FUTEX_WAKE_PRIVATE, INT_MAX, 0, 0, 0);
		return;
	}
	while (__atomic_load_n(&thread->over, __ATOMIC_ACQUIRE) != IS_OVER)
		NORN_SYS(futex, &thread->over, FUTEX_WAIT_PRIVATE, IS_JOINED, 0, 0, 0);
}

/* A thread that has ended in a schedule is not waited for any more: it is gone in no time. */
static void join_blocks(uint32_t number, const void *pc)
{
	if (!number || !norn_turn_join(number - 1, false, pc))
		norn_blocks(LOG_JOIN, (const void *)(uintptr_t)number, pc, NORN_FOR_EVER);
}

void norn_thread_await(struct norn_thread *thread, const void *pc)
{
	struct norn_self *me = &norn_self;
	struct norn_step step = norn_begin_step(LOG_JOIN, NULL, pc);
	norn_log_time(me);
	join_blocks(thread->number, pc);
	await_end(thread);
	norn_runs(thread->number);
	if (thread->number && norn_enter(me)) {
		norn_put3(me, LOG_JOIN, norn_step_site(pc), 0, thread->number - 1, (uintptr_t)pc);
		norn_leave(me);
	}
	norn_end_step(&step, thread->number != 0);
}

/* Numbers are known soon: the thread itself sees to that, too. Threads that others made have none.
 */
#define TRIES 2000

static uint32_t wait_for_number(pthread_t thread)
{
	struct norn_self *me = &norn_self;
	uint32_t number = 0;
	for (uint32_t tries = 0; tries < TRIES && norn_enter(me); norn_wait(&tries)) {
		number = norn_thread_number(thread);
		norn_leave(me);
		if (number)
			break;
	}
	return number;
}

static int joined(int result, uint32_t number, void *value, bool wanted, const void *pc,
		  struct norn_step *step)
{
	struct norn_self *me = &norn_self;
	me->joined = NORN_ANY_READ;
	norn_runs(result == 0 && number);
	if (result != 0) {
		norn_end_step(step, false);
		return result;
	}
	if (number && norn_enter(me)) {
		norn_put3(me, LOG_JOIN, norn_step_site(pc) | step->tries, 0, number - 1,
			  (uintptr_t)pc);
		norn_leave(me);
	}
	norn_end_step(step, number != 0);
	if (number && norn_replays())
		norn_misuse_joined(number - 1);
	if (number && wanted)
		see_result(number - 1, value, pc);
	return 0;
}

static int give(int result, void **to, void *value, const void *pc)
{
	if (result == 0 && to)
		norn_put_from(pc, to, &value, sizeof value, norn_self.joined);
	return result;
}

int norn_thread_join(pthread_t thread, void **value, bool wanted, const void *pc)
{
	uint32_t number = wait_for_number(thread);
	struct norn_step step = norn_begin_step(LOG_JOIN, NULL, pc);
	norn_log_time(&norn_self);
	NORN_UNBLOCKS;
	join_blocks(number, pc);
	int result = NORN_REAL(pthread_join)(thread, value);
	return joined(result, number, *value, wanted, pc, &step);
}

static int join_somehow(pthread_t thread, void **to, clockid_t clock, const struct timespec *until,
			bool tries, const void *pc)
{
	void *value = NULL;
	uint32_t number = wait_for_number(thread);
	if (!tries)
		norn_log_time(&norn_self);
	bool told = number && number <= ENDS && norn_turn_scheduled();
	if (told) {
		if (!tries)
			norn_turn_join(number - 1, true, pc);
		if (!norn_look_at_word(&ends[number - 1]))
			return tries ? EBUSY : ETIMEDOUT;
		norn_turn_join(number - 1, false, pc); /* it is about to end */
	}
	struct norn_step step = norn_begin_try(LOG_JOIN, NULL, pc);
	struct timespec ours;
	until = norn_real_until(clock, until, &ours, pc);
	int result = told || norn_step_succeeds(&step) ? NORN_REAL(pthread_join)(thread, &value)
		     : tries ? NORN_REAL(pthread_tryjoin_np)(thread, &value)
		     : clock == CLOCK_REALTIME
			     ? NORN_REAL(pthread_timedjoin_np)(thread, &value, until)
			     : NORN_REAL(pthread_clockjoin_np)(thread, &value, clock, until);
	return give(joined(result, number, value, to != NULL, pc, &step), to, value, pc);
}

int NORN_WRAPPER(pthread_create)(pthread_t *thread, const pthread_attr_t *attributes,
				 void *(*function)(void *), void *argument)
{
	return norn_thread_create(thread, attributes, function, argument, NORN_PC);
}

int NORN_WRAPPER(pthread_join)(pthread_t thread, void **to)
{
	void *value = NULL;
	int result = norn_thread_join(thread, &value, to != NULL, NORN_PC);
	return give(result, to, value, NORN_PC);
}

int NORN_WRAPPER(pthread_tryjoin_np)(pthread_t thread, void **to)
{
	return join_somehow(thread, to, CLOCK_REALTIME, NULL, true, NORN_PC);
}

int NORN_WRAPPER(pthread_timedjoin_np)(pthread_t thread, void **to, const struct timespec *until)
{
	return join_somehow(thread, to, CLOCK_REALTIME, until, false, NORN_PC);
}

int NORN_WRAPPER(pthread_clockjoin_np)(pthread_t thread, void **to, clockid_t clock,
				       const struct timespec *until)
{
	return join_somehow(thread, to, clock, until, false, NORN_PC);
}

_Noreturn void NORN_WRAPPER(pthread_exit)(void *value)
{
	norn_log_result(value, NORN_ANY_READ);
	NORN_REAL(pthread_exit)(value);
	__builtin_unreachable();
}

/*
 * What was done before pthread_cancel comes before all that the other thread does from then on;
 * when it acts upon it is not known.
 */
#define CHANNELS 256
static char cancel_channel[CHANNELS];

static void tell_cancelled(pthread_t thread)
{
	struct norn_self *me = &norn_self;
	uint32_t number = wait_for_number(thread);
	if (!number)
		return;
	norn_comes_before(&cancel_channel[(number - 1) % CHANNELS]);
	if (!norn_enter(me))
		return;
	norn_spin_lock(&names_lock);
	struct name *name = name_slot(thread);
	if (name->self) {
		cancel(name->self);
		norn_turn_nudge(name->self);
	} else {
		name->cancelled = true;
	}
	norn_spin_unlock(&names_lock);
	norn_leave(me);
}

void norn_notice_cancel(struct norn_self *me)
{
	__atomic_store_n(&me->cancelled, false, __ATOMIC_SEQ_CST);
	if (me->mode == NORN_LOGS)
		norn_set_limit(me);
	me->busy = 0;
	NORN_COMPILER_BARRIER();
	norn_comes_after(&cancel_channel[me->number % CHANNELS]);
	if (me->unforked)
		norn_noticed_notification();
	me->unforked = false;
	NORN_COMPILER_BARRIER();
	me->busy = 1;
	NORN_COMPILER_BARRIER();
	norn_prepare(me);
}

int NORN_WRAPPER(pthread_cancel)(pthread_t thread)
{
	tell_cancelled(thread);
	return NORN_REAL(pthread_cancel)(thread);
}
