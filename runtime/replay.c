#include "runtime/replay.h"

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "runtime/modules.h"
#include "runtime/run.h"
#include "runtime/sites.h"
#include "runtime/sys.h"

const struct plan *norn_plan;

static struct {
	const struct plan_thread *threads;
	const struct plan_step *steps;
	uint32_t first_stop; /* steps from here on are stops */
	struct replay_state *state;
	struct replay_thread *of;
	struct replay_thread nobody; /* for threads that the plan does not know */
	uint32_t arrived;	     /* threads at their stops */
	uint32_t diverging;
} replay;

/* Words that norn replay looks at, too */

static uint32_t load(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

static void store(uint32_t *word, uint32_t value)
{
	__atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

static void sleep_on(uint32_t *word, uint32_t value, uint32_t bits)
{
	NORN_SYS(futex, word, FUTEX_WAIT_BITSET, value, 0, 0, bits);
}

static void wake(uint32_t *word, uint32_t bits)
{
	NORN_SYS(futex, word, FUTEX_WAKE_BITSET, INT_MAX, 0, 0, bits);
}

#define ANYBODY FUTEX_BITSET_MATCH_ANY

static uint32_t bit_of(uint32_t thread)
{
	return 1u << thread % 32;
}

static void set_phase(enum replay_phase from, enum replay_phase to)
{
	uint32_t now = from;
	if (__atomic_compare_exchange_n(&replay.state->phase, &now, (uint32_t)to, false,
					__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		wake(&replay.state->phase, ANYBODY);
}

static __attribute__((noreturn)) void hold_for_ever(void)
{
	for (;;)
		sleep_on(&replay.state->phase, load(&replay.state->phase), ANYBODY);
}

/* What norn replay is told of a thread */

static struct replay_thread *mine(const struct norn_self *me)
{
	return me->number < norn_plan->threads ? &replay.of[me->number] : &replay.nobody;
}

static uint64_t place_of(const struct norn_what *what)
{
	const struct site *site = what->access ? norn_find_site(what->site) : NULL;
	return site ? (uint64_t)site->line << 32 | site->column : 0;
}

/* By the kernel: the address may be no good. */
static uint64_t value_at(const void *p, uint64_t size)
{
	uint64_t value = 0;
	struct iovec to = {&value, size < sizeof value ? size : sizeof value};
	struct iovec from = {(void *)p, to.iov_len};
	NORN_SYS(process_vm_readv, NORN_SYS(getpid, 0, 0, 0, 0, 0, 0), &to, 1, &from, 1, 0);
	return value;
}

/* From the program's frame on: the one that the hook or wrapper returns to. */
static void take_stack(struct replay_thread *t, const void *pc)
{
	void *frames[REPLAY_STACK + 8];
	int n = backtrace(frames, REPLAY_STACK + 8), from = 0;
	for (int i = 0; i < n && !from; i++)
		if (frames[i] == pc)
			from = i;
	t->depth = 0;
	for (int i = from; i < n && t->depth < REPLAY_STACK; i++)
		t->stack[t->depth++] = (uintptr_t)frames[i];
}

static void tell(struct norn_self *me, enum replay_where where, const struct norn_what *what,
		 bool fully)
{
	struct replay_thread *t = mine(me);
	t->kind = what->kind;
	t->step = me->step + 1;
	if (fully) {
		t->place = place_of(what);
		t->address = what->access ? (uintptr_t)what->object : 0;
		t->object = what->access ? 0 : (uintptr_t)what->object;
		t->size = what->size;
		t->value = what->access ? value_at(what->object, what->size) : 0;
		take_stack(t, what->pc);
	}
	store(&t->where, where);
}

static __attribute__((noreturn)) void diverge(struct norn_self *me, const struct norn_what *what,
					      uint32_t expected)
{
	tell(me, REPLAY_HELD, what, true);
	if (!__atomic_exchange_n(&replay.diverging, 1, __ATOMIC_SEQ_CST)) {
		replay.state->diverged = me->number;
		replay.state->expected = expected;
		set_phase(REPLAY_FOLLOWS, REPLAY_DIVERGED);
	}
	hold_for_ever();
}

/* Turns */

#define SPINS 100

static void wait_for_turn(struct norn_self *me, uint32_t turn)
{
	uint32_t now;
	for (uint32_t spins = 0; (now = load(&replay.state->turn)) != turn; spins++) {
		if (load(&replay.state->phase) == REPLAY_DIVERGED)
			hold_for_ever();
		if (spins < SPINS)
			__builtin_ia32_pause();
		else
			sleep_on(&replay.state->turn, now, bit_of(me->number));
	}
	if (load(&replay.state->phase) == REPLAY_DIVERGED)
		hold_for_ever();
}

static void wait_for_go(void)
{
	while (norn_plan->hold && !load(&replay.state->go))
		sleep_on(&replay.state->go, 0, ANYBODY);
}

/* Called after either has changed: one of the callers sees both. */
static void look_whether_all_stand(void)
{
	if (load(&replay.state->turn) == replay.first_stop &&
	    load(&replay.arrived) == norn_plan->stops)
		set_phase(REPLAY_FOLLOWS, REPLAY_STANDS);
}

static void end_plan(void)
{
	look_whether_all_stand();
	if (norn_plan->stops == 0) {
		wait_for_go();
		set_phase(REPLAY_STANDS, REPLAY_GOES);
	}
}

static void give_on(struct norn_self *me, uint32_t index)
{
	uint32_t turn = load(&replay.state->turn) + 1;
	me->next = replay.steps[index].next;
	store(&replay.state->turn, turn);
	if (turn == replay.first_stop)
		end_plan();
	else if (turn == norn_plan->steps)
		set_phase(REPLAY_STANDS, REPLAY_GOES);
	else if (turn > replay.first_stop)
		wake(&replay.state->turn, ANYBODY);
	else if (replay.steps[turn].thread != me->number)
		wake(&replay.state->turn, bit_of(replay.steps[turn].thread));
}

static void wait_for_goes(void)
{
	uint32_t phase;
	while ((phase = load(&replay.state->phase)) != REPLAY_GOES)
		sleep_on(&replay.state->phase, phase, ANYBODY);
}

/* At its stop, until the step may be taken. Whether it still has a turn to give on. */
static bool stand(struct norn_self *me, const struct norn_what *what, uint32_t index)
{
	uint32_t rank = index - replay.first_stop;
	tell(me, REPLAY_AT_STOP, what, true);
	__atomic_add_fetch(&replay.arrived, 1, __ATOMIC_SEQ_CST);
	look_whether_all_stand();
	while (load(&replay.state->phase) == REPLAY_FOLLOWS)
		sleep_on(&replay.state->phase, REPLAY_FOLLOWS, ANYBODY);
	if (load(&replay.state->phase) == REPLAY_DIVERGED)
		hold_for_ever();
	wait_for_go();
	if (norn_plan->end == PLAN_ALL) {
		set_phase(REPLAY_STANDS, REPLAY_GOES);
		return false;
	}
	if (norn_plan->end == PLAN_BA)
		rank = norn_plan->stops - 1 - rank;
	wait_for_turn(me, replay.first_stop + rank);
	return true;
}

/* What fits what */

static bool is_a_step(const struct norn_what *what)
{
	if (what->kind == LOG_BEGIN || what->kind == LOG_END)
		return true;
	if (!what->access)
		return norn_step_site(what->pc);
	const struct site *site = norn_find_site(what->site);
	return what->site && !(site && site->flags & SITE_LOOSE);
}

static bool kind_fits(const struct norn_what *what, uint8_t planned)
{
	if (planned == what->kind)
		return true;
	switch (planned) {
	case LOG_READ: return what->kind == LOG_RMW; /* a compare-and-swap that failed */
	case LOG_TRY_FAIL: return what->tries;
	case LOG_TRY_FAIL_SHARED: return what->tries && what->kind == LOG_ACQUIRE_SHARED;
	case LOG_SEM_FAIL: return what->tries && what->kind == LOG_SEM_WAIT;
	case LOG_RELEASE_SHARED: return what->kind == LOG_RELEASE;
	case LOG_ONCE_PASS: return what->kind == LOG_ONCE_BEGIN;
	/* A mutex that others give back is a semaphore in the trace. */
	case LOG_SEM_WAIT: return what->kind == LOG_ACQUIRE;
	case LOG_SEM_POST: return what->kind == LOG_RELEASE;
	default: return false;
	}
}

static bool fits(const struct norn_what *what, const struct plan_step *planned)
{
	uint64_t place = planned->place ? place_of(what) : 0;
	return kind_fits(what, planned->kind) && (!place || place == planned->place);
}

/* Following the plan */

static void take(struct norn_self *me, struct norn_step *step, const struct norn_what *what,
		 uint32_t index)
{
	step->taken = true;
	step->kind = replay.steps[index].kind;
	step->index = index;
	if (index >= replay.first_stop) {
		if (!stand(me, what, index)) {
			step->index = PLAN_NONE;
			step->kind = LOG_NOTHING;
		}
	} else {
		tell(me, REPLAY_WAITS, what, false);
		wait_for_turn(me, index);
	}
	store(&mine(me)->where, REPLAY_RUNS);
}

/* Whether it is a record that belongs to the last step that was taken. */
static bool is_loose_now(const struct norn_self *me, uint32_t index)
{
	return index != PLAN_NONE && replay.steps[index].loose &&
	       replay.steps[index].step <= me->step;
}

/* Planned records that belong to a step that was taken, and that did not come: they are over. */
static void pass_loose(struct norn_self *me, const struct norn_what *what, uint32_t up_to)
{
	while (me->next != up_to && is_loose_now(me, me->next)) {
		if (me->next >= replay.first_stop)
			diverge(me, what, me->next);
		tell(me, REPLAY_WAITS, what, false);
		wait_for_turn(me, me->next);
		give_on(me, me->next);
	}
}

static void follow_loose(struct norn_self *me, struct norn_step *step, const struct norn_what *what)
{
	uint32_t i = me->next;
	while (is_loose_now(me, i) && !kind_fits(what, replay.steps[i].kind))
		i = replay.steps[i].next;
	if (!is_loose_now(me, i))
		return;
	pass_loose(me, what, i);
	take(me, step, what, i);
}

void norn_follow(struct norn_self *me, struct norn_step *step, const struct norn_what *what)
{
	*step = (struct norn_step){.index = PLAN_NONE};
	uint32_t phase = load(&replay.state->phase);
	if (phase == REPLAY_DIVERGED)
		hold_for_ever();
	bool counts = is_a_step(what);
	if (phase == REPLAY_GOES) {
		step->taken = step->counts = counts;
		return;
	}
	if (!counts) {
		follow_loose(me, step, what);
		return;
	}
	pass_loose(me, what, PLAN_NONE);
	step->taken = step->counts = true;
	if (me->next == PLAN_NONE) {
		tell(me, REPLAY_HELD, what, false);
		wait_for_goes();
		store(&mine(me)->where, REPLAY_RUNS);
		return;
	}
	const struct plan_step *planned = &replay.steps[me->next];
	bool later = planned->loose || planned->step > me->step + 1;
	if (later ? what->kind == LOG_END : !fits(what, planned))
		diverge(me, what, me->next);
	if (!later)
		take(me, step, what, me->next);
}

void norn_step_wait(struct norn_step *step, const struct norn_what *what)
{
	struct norn_self *me = &norn_self;
	if (!norn_enter(me))
		return;
	norn_follow(me, step, what);
	norn_leave(me);
}

void norn_step_over(struct norn_self *me, struct norn_step *step, bool happened)
{
	uintptr_t busy = me->busy;
	struct norn_step over = *step;
	me->busy = busy ? busy : 1;
	NORN_COMPILER_BARRIER();
	step->taken = false;
	if (me->pending == NORN_STEP)
		me->pending = 0;
	if (happened) {
		if (over.counts)
			me->step++;
		__atomic_add_fetch(&replay.state->moves, 1, __ATOMIC_RELAXED);
		if (over.index != PLAN_NONE)
			give_on(me, over.index);
	}
	NORN_COMPILER_BARRIER();
	me->busy = busy;
	if (!busy)
		norn_leave(me);
}

bool norn_prepare_step(struct norn_self *me, enum log_kind kind, uint32_t site,
		       const volatile void *p, unsigned size, const void *pc)
{
	if (!norn_prepare(me))
		return false;
	if (!norn_replays())
		return true;
	norn_follow(me, &me->hook,
		    &(struct norn_what){.kind = kind,
					.access = true,
					.site = site,
					.object = (const void *)p,
					.size = size,
					.pc = pc});
	if (me->hook.taken && !me->pending)
		me->pending = NORN_STEP;
	return true;
}

/* Blocked */

void norn_set_blocked(enum log_kind kind, const void *object, const void *pc)
{
	struct norn_self *me = &norn_self;
	if (!norn_enter(me))
		return;
	tell(me, REPLAY_BLOCKED, &(struct norn_what){.kind = kind, .object = object, .pc = pc},
	     true);
	norn_leave(me);
}

void norn_set_running(void)
{
	struct norn_self *me = &norn_self;
	if (me->mode == NORN_LOGS || me->mode == NORN_STOPPED)
		store(&mine(me)->where, REPLAY_RUNS);
}

void norn_set_ended(struct norn_self *me)
{
	store(&mine(me)->where, REPLAY_ENDED);
}

/* Threads */

static bool is_planned_number(uint32_t number)
{
	for (uint32_t i = 0; i < norn_plan->steps; i++)
		if (replay.steps[i].kind == LOG_FORK && replay.steps[i].other == number)
			return true;
	return false;
}

uint32_t norn_replay_number(const struct norn_step *step)
{
	uint32_t *threads = &norn_run.shared->threads, number, most;
	if (step->index != PLAN_NONE) {
		number = replay.steps[step->index].other;
		for (most = load(threads); most <= number;)
			if (__atomic_compare_exchange_n(threads, &most, number + 1, false,
							__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
				break;
		return number;
	}
	do
		number = __atomic_fetch_add(threads, 1, __ATOMIC_SEQ_CST);
	while (is_planned_number(number));
	return number;
}

void norn_replay_thread(struct norn_self *me)
{
	if (!norn_replays())
		return;
	me->step = 0;
	me->hook.taken = false;
	me->next = me->number < norn_plan->threads ? replay.threads[me->number].first : PLAN_NONE;
	struct replay_thread *t = mine(me);
	t->tid = (uint32_t)NORN_SYS(gettid, 0, 0, 0, 0, 0, 0);
	for (uint32_t most = load(&replay.state->threads); most <= me->number;)
		if (__atomic_compare_exchange_n(&replay.state->threads, &most, me->number + 1,
						false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			break;
}

bool norn_replay_waker(const struct norn_step *wait, uint32_t *waker)
{
	uint32_t next = wait->index == PLAN_NONE ? PLAN_NONE : replay.steps[wait->index].next;
	if (next == PLAN_NONE || next >= replay.first_stop || replay.steps[next].kind != LOG_WOKEN)
		return false;
	*waker = replay.steps[next].other;
	return true;
}

/* Begin */

static void *map_file(const char *name, int protection, uint64_t *size)
{
	char path[NORN_PATH_MAX];
	norn_path(path, name, -1);
	long fd = norn_sys_open(path, protection & PROT_WRITE ? O_RDWR : O_RDONLY);
	if (fd < 0)
		return NULL;
	long end = NORN_SYS(lseek, fd, 0, SEEK_END, 0, 0, 0);
	long map = end <= 0 ? -1 : NORN_SYS(mmap, 0, end, protection, MAP_SHARED, fd, 0);
	norn_sys_close(fd);
	*size = (uint64_t)end;
	return map < 0 && map > -4096 ? NULL : (void *)map;
}

/* Whether the numbers in it are within bounds. */
static bool is_sound(const struct plan *plan, uint64_t size, uint64_t state_size)
{
	if (size < sizeof *plan || plan->magic != PLAN_MAGIC || plan->version != PLAN_VERSION ||
	    plan->stops > plan->steps || plan->end > PLAN_ALL ||
	    size < sizeof *plan + plan->threads * sizeof(struct plan_thread) +
			    plan->steps * sizeof(struct plan_step) ||
	    state_size < sizeof(struct replay_state) + plan->threads * sizeof(struct replay_thread))
		return false;
	const struct plan_thread *threads = (const struct plan_thread *)(plan + 1);
	const struct plan_step *steps = (const struct plan_step *)(threads + plan->threads);
	for (uint32_t i = 0; i < plan->threads; i++)
		if (threads[i].first != PLAN_NONE && threads[i].first >= plan->steps)
			return false;
	for (uint32_t i = 0; i < plan->steps; i++)
		if (steps[i].thread >= plan->threads ||
		    (steps[i].next != PLAN_NONE &&
		     (steps[i].next <= i || steps[i].next >= plan->steps)))
			return false;
	return true;
}

bool norn_replay_begin(void)
{
	if (norn_run.shared->mode != LOG_REPLAY)
		return true;
	uint64_t size, state_size;
	const struct plan *plan = map_file("plan", PROT_READ, &size);
	struct replay_state *state = map_file("state", PROT_READ | PROT_WRITE, &state_size);
	if (!plan || !state || !is_sound(plan, size, state_size)) {
		norn_fail("the plan of the replay is missing or damaged", -EINVAL);
		return false;
	}
	replay.threads = (const struct plan_thread *)(plan + 1);
	replay.steps = (const struct plan_step *)(replay.threads + plan->threads);
	replay.first_stop = plan->steps - plan->stops;
	replay.state = state;
	replay.of = (struct replay_thread *)(state + 1);
	/* The first call loads a library. */
	void *frame;
	backtrace(&frame, 1);
	norn_plan = plan;
	if (plan->steps == plan->stops)
		end_plan();
	return true;
}

void norn_replay_in_child(void)
{
	norn_plan = NULL;
}
