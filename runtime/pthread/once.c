/* SPDX-License-Identifier: MIT */
/*
 * pthread_once: the real one runs a function of ours, which runs the program's between
 * LOG_ONCE_BEGIN and LOG_ONCE_END. If that is left by an exception or a cancellation, the control
 * is as new.
 */
#include "runtime/blocked.h"
#include "runtime/pthread/locks.h"
#include "runtime/real.h"
#include "runtime/replay/replay.h"
#include "runtime/replay/schedule.h"
#include "runtime/pthread/sync.h"

struct running {
	struct norn_once *once;
	void *control;
	const void *pc;
	bool ended;
};

static void leave_function(struct running *running)
{
	if (!running->ended) {
		norn_log_init(running->control, running->pc);
		return;
	}
	running->once->over = true;
	running->once->step = norn_begin_step(LOG_ONCE_END, running->control, running->pc);
	norn_log_object(LOG_ONCE_END, running->control, running->pc);
}

static void run_once(void)
{
	struct norn_self *me = &norn_self;
	struct norn_once *once = me->once;
	__attribute__((cleanup(leave_function))) struct running running = {once, once->control,
									   once->pc, false};
	once->ran = true;
	norn_runs(true);
	norn_log_object(LOG_ONCE_BEGIN, running.control, running.pc);
	norn_end_step(&once->step, true);
	once->function();
	running.ended = true;
}

static void restore(struct norn_once *once)
{
	norn_self.once = once->outer;
}

int norn_once(pthread_once_t *control, void (*function)(void), const void *pc)
{
	struct norn_self *me = &norn_self;
	__attribute__((cleanup(restore))) struct norn_once once = {
		.control = control, .function = function, .pc = pc, .outer = me->once};
	once.step = norn_begin_step(LOG_ONCE_BEGIN, control, pc);
	me->once = &once;
	/* glibc's: 1 while somebody runs it */
	while (*(volatile int *)control & 1 && norn_turn_awaits(LOG_ONCE_PASS, control, pc))
		;
	/* Others may be at it, for long. */
	if (*(volatile int *)control != 2) {
		norn_log_time(me);
		if (*(volatile int *)control)
			norn_blocks(LOG_ONCE_PASS, control, pc, NORN_FOR_EVER);
	}
	int result = NORN_REAL(pthread_once)(control, run_once);
	norn_runs(result == 0);
	if (result == 0 && !once.ran)
		norn_log_object(LOG_ONCE_PASS, control, pc);
	/* Only now may others pass, and the real control say so. */
	norn_end_step(&once.step, result == 0);
	return result;
}

int NORN_WRAPPER(pthread_once)(pthread_once_t *control, void (*function)(void))
{
	return norn_once(control, function, NORN_PC);
}
