/* SPDX-License-Identifier: MIT */
/*
 * Handlers of signals in replay. A signal comes when it likes; its handler runs where it ran when
 * the program was recorded: between the same two steps of the same thread. One that comes too early
 * is kept until then, or until the plan is at its end; a thread that is there before its signal
 * waits for it. What was sent to the process goes to the thread that the plan names. What another
 * process had sent the thread sends to itself, if nobody is there who would (plan.h: sockets).
 */
#include <sys/types.h>
#include <time.h>

#include "runtime/libc/libc.h"
#include "runtime/replay/parts.h"

static bool knows(const struct norn_self *me)
{
	return me->mode == NORN_LOGS && me->number < norn_plan->threads;
}

/* The next planned one of a thread, or NULL. */
static const struct plan_handler *next_of(uint32_t thread)
{
	uint32_t index = norn_replay.threads[thread].handler;
	if (index == PLAN_NONE)
		return NULL;
	index += norn_load(&norn_replay.of[thread].handlers);
	const struct plan_handler *next = &norn_replay.handlers[index];
	return index < norn_plan->handlers && next->thread == thread ? next : NULL;
}

static bool is_due(const struct norn_self *me)
{
	const struct plan_handler *next = next_of(me->number);
	return next && next->step == me->step;
}

static bool follows(void)
{
	return norn_load(&norn_replay.state->phase) < REPLAY_GOES;
}

bool norn_handler_begins(struct norn_self *me, int signal)
{
	if (!norn_replays() || !knows(me) || !follows())
		return true;
	if (!is_due(me) || next_of(me->number)->signal != (uint32_t)signal)
		return false;
	norn_store(&norn_replay_of(me)->handlers, norn_replay_of(me)->handlers + 1);
	return true;
}

static void send(pid_t thread, int signal, const siginfo_t *info)
{
	NORN_SYS(rt_tgsigqueueinfo, NORN_SYS(getpid, 0, 0, 0, 0, 0, 0), thread, signal, info, 0, 0);
}

static bool is_planned(uint32_t thread, int signal)
{
	const struct plan_handler *next = next_of(thread);
	while (next && next < norn_replay.handlers + norn_plan->handlers &&
	       next->thread == thread && next->signal != (uint32_t)signal)
		next++;
	return next && next < norn_replay.handlers + norn_plan->handlers && next->thread == thread;
}

/* A signal for the whole process, which another thread took. */
static bool send_elsewhere(struct norn_self *me, int signal, const siginfo_t *info)
{
	if (info->si_code == SI_TKILL || is_planned(me->number, signal))
		return false;
	for (uint32_t i = 0; i < norn_plan->threads; i++) {
		uint32_t where = norn_load(&norn_replay.of[i].where);
		if (norn_replay.of[i].tid && where != REPLAY_ENDED && is_planned(i, signal)) {
			send((pid_t)norn_replay.of[i].tid, signal, info);
			return true;
		}
	}
	return false;
}

void norn_keep_signal(struct norn_self *me, int signal, const siginfo_t *info)
{
	if (send_elsewhere(me, signal, info))
		return;
	/* one of each kind is kept, as the kernel does with most */
	me->kept |= UINT64_C(1) << (signal - 1);
}

/* Those whose time has come. What was sent with them is lost. */
void norn_send_kept(struct norn_self *me)
{
	uint64_t now = me->kept;
	if (follows())
		now &= is_due(me) ? UINT64_C(1) << (next_of(me->number)->signal - 1) : 0;
	me->kept &= ~now;
	for (int signal = 1; now; signal++, now >>= 1)
		if (now & 1)
			send((pid_t)NORN_SYS(gettid, 0, 0, 0, 0, 0, 0), signal,
			     &(siginfo_t){.si_signo = signal, .si_code = SI_TKILL});
}

bool norn_pause_ends(const void *pc)
{
	struct norn_self *me = &norn_self;
	if (!norn_replays() || !norn_enter(me))
		return false;
	bool ends = knows(me) && follows() && me->next != PLAN_NONE;
	if (ends)
		norn_await_handlers(me, pc);
	norn_leave(me);
	return ends;
}

void norn_await_handlers(struct norn_self *me, const void *pc)
{
	static const struct timespec pause = {.tv_nsec = 500000};
	while (knows(me) && follows() && is_due(me)) {
		const struct norn_what what = {
			.kind = LOG_HANDLER,
			.object = (const void *)(uintptr_t)next_of(me->number)->signal,
			.pc = pc};
		norn_tell(me, REPLAY_WAITS, &what, true);
		if (norn_plan->sockets && next_of(me->number)->outside)
			me->kept |= UINT64_C(1) << (next_of(me->number)->signal - 1);
		if (me->kept)
			norn_send_kept(me);
		norn_leave(me);
		if (is_due(me))
			NORN_SYS(nanosleep, &pause, 0, 0, 0, 0, 0);
		me->busy = 1;
		NORN_COMPILER_BARRIER();
		norn_store(&norn_replay_of(me)->where, REPLAY_RUNS);
	}
}
