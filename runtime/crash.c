/* SPDX-License-Identifier: MIT */
#include "runtime/crash.h"

#include <ucontext.h>
#include <unwind.h>

#include "runtime/append.h"
#include "runtime/modules.h"
#include "runtime/real.h"
#include "runtime/replay/replay.h"
#include "runtime/run.h"
#include "runtime/sys.h"

static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
#define CRASHES (sizeof crashes / sizeof *crashes)
#define FRAMES 24

/* Frames */

struct frames {
	bool inside; /* the program's: behind the signal's own */
	uint32_t count;
	uintptr_t at[FRAMES];
};

static _Unwind_Reason_Code note_frame(struct _Unwind_Context *context, void *argument)
{
	struct frames *frames = argument;
	int before = 0;
	uintptr_t pc = _Unwind_GetIPInfo(context, &before);
	if (before) /* the instruction itself, and not where a call returns to */
		pc++;
	frames->inside |= before;
	if (frames->inside && norn_step_site((const void *)pc) && frames->count < FRAMES)
		frames->at[frames->count++] = pc;
	return _URC_NO_REASON;
}

static void find_frames(struct frames *frames, const ucontext_t *context)
{
	uintptr_t pc = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
	struct norn_self *me = &norn_self;
	uintptr_t busy = me->busy;
	Dl_info info;
	me->busy = busy ? busy : 1; /* libgcc's own calls are not the program's */
	_Unwind_Backtrace(note_frame, frames);
	/* A jump to nowhere: the call has left its return address. */
	if (!frames->count && !dladdr((const void *)pc, &info)) {
		uintptr_t from = *(const uintptr_t *)context->uc_mcontext.gregs[REG_RSP];
		if (norn_step_site((const void *)from))
			frames->at[frames->count++] = from;
	}
	me->busy = busy;
}

/* The log */

/* The thread may be inside a hook. What that has not committed is lost, and is no event. */
static void put_crash(struct norn_self *me, int signal, const siginfo_t *info,
		      const struct frames *frames)
{
	unsigned words = 3 + frames->count;
	if (!me->busy && me->at >= me->room) {
		me->busy = 1;
		norn_prepare(me);
	}
	const uint64_t *end = me->room + NORN_ROOM;
	if (me->mode != NORN_LOGS || me->at + words > end)
		return;
	uint64_t *at = me->at;
	at[1] = (uint32_t)signal | (uint64_t)frames->count << 32;
	at[2] = info->si_code > 0 && signal != SIGABRT ? (uintptr_t)info->si_addr : 0;
	for (uint32_t i = 0; i < frames->count; i++)
		at[3 + i] = frames->at[i];
	if (at + words < end)
		at[words] = 0;
	norn_commit(me, at, LOG_WORD(LOG_CRASH, 0, 0), words);
}

static bool is_its_own(const siginfo_t *info)
{
	return info->si_code > 0 || info->si_pid == (pid_t)NORN_SYS(getpid, 0, 0, 0, 0, 0, 0);
}

/* norn record has found that nobody moves any more, and asks where they are before it ends all. */
static bool is_asked(int signal, const siginfo_t *info)
{
	return signal == SIGABRT && !is_its_own(info) && norn_run.shared &&
	       __atomic_load_n(&norn_run.shared->why, __ATOMIC_SEQ_CST) == LOG_HANG;
}

static void tell_frames(struct norn_self *me, siginfo_t *info, void *context)
{
	struct frames frames = {0};
	if (me->mode == NORN_LOGS && me->waits) {
		find_frames(&frames, context);
		put_crash(me, 0, info, &frames);
	}
	__atomic_add_fetch(&norn_run.shared->told, 1, __ATOMIC_SEQ_CST);
	for (;;)
		NORN_SYS(pause, 0, 0, 0, 0, 0, 0);
}

static void on_crash(int signal, siginfo_t *info, void *context)
{
	struct norn_self *me = &norn_self;
	if (is_asked(signal, info))
		tell_frames(me, info, context);
	struct sigaction standard = {.sa_handler = SIG_DFL};
	NORN_REAL(sigaction)(signal, &standard, NULL);
	if (norn_run.shared)
		norn_run.shared->signal = (uint32_t)signal;
	if (is_its_own(info) && me->mode == NORN_LOGS) {
		struct frames frames = {0};
		find_frames(&frames, context);
		put_crash(me, signal, info, &frames);
	}
	/* A fault comes again when this returns. */
	if (info->si_code <= 0)
		NORN_SYS(tgkill, NORN_SYS(getpid, 0, 0, 0, 0, 0, 0),
			 NORN_SYS(gettid, 0, 0, 0, 0, 0, 0), signal, 0, 0, 0);
}

bool norn_crash_action(int signal, struct sigaction *action)
{
	if (norn_run.state != NORN_RECORDS || norn_replays())
		return false;
	for (size_t i = 0; i < CRASHES; i++) {
		if (crashes[i] != signal)
			continue;
		*action = (struct sigaction){.sa_sigaction = on_crash,
					     .sa_flags = SA_SIGINFO | SA_ONSTACK};
		return true;
	}
	return false;
}

bool norn_is_crash_action(const struct sigaction *action)
{
	return action->sa_sigaction == on_crash;
}

void norn_crash_set(int signal, bool ours)
{
	if (signal == SIGABRT && norn_run.shared)
		norn_run.shared->can_tell = ours;
}

void norn_crash_begin(void)
{
	struct sigaction ours, old;
	for (size_t i = 0; i < CRASHES; i++)
		if (NORN_REAL(sigaction)(crashes[i], NULL, &old) == 0 &&
		    old.sa_handler == SIG_DFL && norn_crash_action(crashes[i], &ours))
			norn_crash_set(crashes[i], !NORN_REAL(sigaction)(crashes[i], &ours, NULL));
}
