/* SPDX-License-Identifier: MIT */
#include "runtime/exit.h"

#include <errno.h>
#include <linux/futex.h>
#include <limits.h>
#include <sys/single_threaded.h>
#include <time.h>

#include "runtime/append.h"
#include "runtime/callback.h"
#include "runtime/hooks.h"
#include "runtime/host.h"
#include "runtime/libc/libc.h"
#include "runtime/libc/ranges.h"
#include "runtime/real.h"
#include "runtime/replay/replay.h"
#include "runtime/run.h"
#include "runtime/sys.h"
#include "runtime/start.h"
#include "runtime/tasks.h"

static struct {
	uint32_t by;   /* the thread that ends the program, by the kernel's number; 0: none yet */
	uint32_t over; /* a futex: it has waited */
} ending;

#define FIRST_NAP UINT64_C(50000)
#define LONGEST_NAP UINT64_C(20000000)
#define SECOND_COMES_LATER UINT64_C(999999999)

static void nap(uint64_t ns)
{
	struct timespec time = {0, (long)ns};
	NORN_SYS(nanosleep, &time, 0, 0, 0, 0, 0);
}

/* In the replay of a deadlock its threads block in the end, and norn replay has to see that. */
static bool is_watched(void)
{
	return norn_replays() && norn_plan->end == PLAN_ALL && norn_plan->stops;
}

/* Nobody is left, or nobody of them can ever go on: two looks, and nobody moved between them. */
static bool is_at_rest(struct norn_tasks *last)
{
	struct norn_tasks now;
	norn_tasks_look(&now);
	bool rests = now.all_wait && last->known && last->all_wait && now.others == last->others &&
		     now.digest == last->digest && !is_watched();
	*last = now;
	return rests || !now.known || !now.others;
}

static bool is_stopped(void)
{
	return __atomic_load_n(&norn_run.shared->stop, __ATOMIC_RELAXED);
}

static void wait_for_threads(void)
{
	uint64_t start = norn_now(), limit = is_watched() ? UINT64_MAX : norn_run.shared->exit_wait;
	struct norn_tasks last = {0};
	for (uint64_t ns = FIRST_NAP; limit && !is_stopped() && !is_at_rest(&last); ns *= 2) {
		uint64_t spent = norn_now() - start;
		if (spent >= limit)
			return;
		ns = ns < LONGEST_NAP ? ns : LONGEST_NAP;
		nap(ns < limit - spent ? ns : limit - spent);
	}
}

/* Who comes second would not have come so far: the first one has ended the program by then, unless
 * one of its handlers waits for this thread. */
static void let_first_end(void)
{
	while (!__atomic_load_n(&ending.over, __ATOMIC_SEQ_CST))
		NORN_SYS(futex, &ending.over, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
	nap(SECOND_COMES_LATER);
}

static bool is_recorded_process(void)
{
	return norn_run.state == NORN_RECORDS && !norn_self.busy &&
	       norn_run.shared->pid == (uint32_t)NORN_SYS(getpid, 0, 0, 0, 0, 0, 0);
}

static void before_exit(void)
{
	uint32_t nobody = 0, self = (uint32_t)NORN_SYS(gettid, 0, 0, 0, 0, 0, 0);
	if (!is_recorded_process())
		return;
	if (__atomic_compare_exchange_n(&ending.by, &nobody, self, false, __ATOMIC_SEQ_CST,
					__ATOMIC_SEQ_CST)) {
		int saved = errno;
		norn_run.shared->exited = norn_self.number + 1;
		norn_log_time(&norn_self);
		if (!norn_replays() || !norn_replay_exit(false))
			wait_for_threads();
		norn_prints_end();
		norn_host_list_modules();
		__norn_process_looks(); /* which handlers there are */
		errno = saved;
		__atomic_store_n(&ending.over, 1, __ATOMIC_SEQ_CST);
		NORN_SYS(futex, &ending.over, FUTEX_WAKE_PRIVATE, INT_MAX, 0, 0, 0);
	} else if (nobody != self) {
		let_first_end();
	}
}

_Noreturn void NORN_WRAPPER(exit)(int status)
{
	before_exit();
	NORN_REAL(exit)(status);
	__builtin_unreachable();
}

/* Nobody is waited for; only in replay. */
void norn_before_sudden_end(void)
{
	if (!is_recorded_process())
		return;
	norn_run.shared->exited = norn_self.number + 1;
	if (!norn_replays())
		return;
	int saved = errno;
	norn_replay_exit(false);
	if (is_watched())
		wait_for_threads();
	errno = saved;
}

_Noreturn void NORN_WRAPPER(_exit)(int status)
{
	norn_before_sudden_end();
	NORN_REAL(_exit)(status);
	__builtin_unreachable();
}

_Noreturn void NORN_WRAPPER(_Exit)(int status)
{
	norn_before_sudden_end();
	NORN_REAL(_exit)(status);
	__builtin_unreachable();
}

_Noreturn void NORN_WRAPPER(quick_exit)(int status)
{
	norn_before_sudden_end();
	__norn_process_looks();
	NORN_REAL(quick_exit)(status);
	__builtin_unreachable();
}

/* Return from main: libc's own call of exit is not seen. */

static int (*main_of_program)(int, char **, char **);

/*
 * Whichever thread is the first to use a stream runs initialisers of libstdc++ that run once, and a
 * trace has these where they ran: all that this thread did before would stay before what other
 * threads do behind their first stream. So they run before there are threads. With one thread alone
 * libstdc++ would not note that they have run.
 */
void *_ZNSt6locale7classicEv(void) __attribute__((weak));

static void prepare_locale(void)
{
	if (!_ZNSt6locale7classicEv)
		return;
	char alone = __libc_single_threaded;
	__libc_single_threaded = 0;
	_ZNSt6locale7classicEv();
	__libc_single_threaded = alone;
}

/*
 * A hunt wants to know what the exit status depends on, as it does of a branch. Else it is only
 * something that leaves the program.
 */
static int call_main(int count, char **arguments, char **environment)
{
	static const char *const types[] = {NORN_INT, NORN_INT "a" NORN_INT NORN_GETS_POINTER,
					    NORN_INT
					    "a" NORN_INT NORN_GETS_POINTER NORN_GETS_POINTER};
	const unsigned n = sizeof types / sizeof *types;
	uint64_t keys[sizeof types / sizeof *types], from = NORN_ANY_READ;
	for (unsigned i = 0; i < n; i++)
		keys[i] = norn_callback((const void *)main_of_program, types[i]);
	int status = main_of_program(count, arguments, environment);
	for (unsigned i = 0; i < n && from == NORN_ANY_READ; i++)
		from = norn_called_back(keys[i]);
	norn_decided_by((const void *)main_of_program, from);
	return status;
}

static int run_main(int count, char **arguments, char **environment)
{
	prepare_locale();
	int status = norn_records() && norn_replays() && norn_plan->schedule
			     ? call_main(count, arguments, environment)
			     : main_of_program(count, arguments, environment);
	before_exit();
	return status;
}

/* In a static program there is no thread-local memory yet when it comes here. */
int NORN_WRAPPER(__libc_start_main)(int (*main)(int, char **, char **), int count, char **arguments,
				    void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
				    void *stack_end)
{
	main_of_program = main;
	return NORN_REAL(__libc_start_main)(run_main, count, arguments, init, fini, rtld_fini,
					    stack_end);
}

/* The last of the program's own code at its end, also if a library ends it (err, error). */
__attribute__((destructor(101))) static void at_last(void)
{
	before_exit();
	if (is_recorded_process() && norn_replays())
		norn_replay_exit(false);
}

void norn_exit_in_child(void)
{
	ending.by = ending.over = 0;
}
