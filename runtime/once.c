/*
 * pthread_once: the real one runs a function of ours, which runs the program's between
 * LOG_ONCE_BEGIN and LOG_ONCE_END. If that is left by an exception or a cancellation, the control
 * is as new.
 */
#include "runtime/locks.h"
#include "runtime/real.h"
#include "runtime/sync.h"

struct running {
	void *control;
	const void *pc;
	bool ended;
};

static void leave_function(struct running *running)
{
	if (running->ended)
		norn_log_object(LOG_ONCE_END, running->control, running->pc);
	else
		norn_log_init(running->control, running->pc);
}

static void run_once(void)
{
	struct norn_self *me = &norn_self;
	struct norn_once *once = me->once;
	__attribute__((cleanup(leave_function))) struct running running = {once->control, once->pc,
									   false};
	once->ran = true;
	norn_log_object(LOG_ONCE_BEGIN, running.control, running.pc);
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
	__attribute__((cleanup(restore))) struct norn_once once = {control, function, pc, me->once,
								   false};
	me->once = &once;
	/* Others may be at it, for long. */
	if (*(volatile int *)control != 2)
		norn_log_time(me);
	int result = NORN_REAL(pthread_once)(control, run_once);
	if (result == 0 && !once.ran)
		norn_log_object(LOG_ONCE_PASS, control, pc);
	return result;
}

int NORN_WRAPPER(pthread_once)(pthread_once_t *control, void (*function)(void))
{
	return norn_once(control, function, NORN_PC);
}
