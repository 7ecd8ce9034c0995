/* SPDX-License-Identifier: MIT */
#include "runtime/crash.h"

#include <sys/mman.h>
#include <ucontext.h>
#include <unwind.h>

#include "runtime/append.h"
#include "runtime/libc/ranges.h"
#include "runtime/modules.h"
#include "runtime/real.h"
#include "runtime/replay/replay.h"
#include "runtime/run.h"
#include "runtime/sys.h"
#include "runtime/there.h"

static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
#define CRASHES (sizeof crashes / sizeof *crashes)
#define FRAMES 24

/*
 * A stack of their own for handlers, of each thread, so that one that has overflown can tell. The
 * program does not see it: there is none until it sets one, and when it takes that away ours is
 * there again.
 */
#define STACK (64u << 10)

static bool records(void)
{
	return norn_run.state == NORN_RECORDS && (!norn_replays() || norn_plan->schedule);
}

static void set_stack(const struct norn_self *me)
{
	stack_t ours = {.ss_sp = me->stack, .ss_size = STACK};
	if (me->stack)
		NORN_SYS(sigaltstack, &ours, 0, 0, 0, 0, 0);
}

void norn_crash_thread(struct norn_self *me)
{
	stack_t old;
	if (!records() || NORN_SYS(sigaltstack, 0, &old, 0, 0, 0, 0) != 0 ||
	    !(old.ss_flags & SS_DISABLE))
		return;
	long at = NORN_SYS(mmap, 0, STACK, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	me->stack = at > 0 ? (void *)at : NULL;
	set_stack(me);
}

void norn_crash_thread_ends(struct norn_self *me)
{
	static const stack_t none = {.ss_flags = SS_DISABLE};
	stack_t old;
	if (!me->stack)
		return;
	void *stack = me->stack;
	me->stack = NULL;
	if (NORN_SYS(sigaltstack, 0, &old, 0, 0, 0, 0) == 0 && old.ss_sp == stack)
		NORN_SYS(sigaltstack, &none, 0, 0, 0, 0, 0);
	NORN_SYS(munmap, stack, STACK, 0, 0, 0, 0);
}

int NORN_WRAPPER(sigaltstack)(const stack_t *stack, stack_t *old)
{
	struct norn_self *me = &norn_self;
	stack_t was;
	int result = NORN_REAL(sigaltstack)(stack, &was);
	if (result != 0)
		return result;
	if (me->stack && was.ss_sp == me->stack)
		was = (stack_t){.ss_flags = SS_DISABLE};
	if (stack && stack->ss_flags & SS_DISABLE)
		set_stack(me);
	if (old)
		norn_put(NORN_CALLER, old, &was, sizeof was);
	return 0;
}

/* Frames */

struct frames {
	bool inside; /* the program's: behind the signal's own */
	bool behind; /* the signal comes behind the instruction */
	uint32_t count;
	uintptr_t at[FRAMES];
};

static _Unwind_Reason_Code note_frame(struct _Unwind_Context *context, void *argument)
{
	struct frames *frames = argument;
	int before = 0;
	uintptr_t pc = _Unwind_GetIPInfo(context, &before);
	if (before && !frames->behind) /* not where a call returns to, but the instruction itself */
		pc++;
	frames->inside |= before;
	if (frames->inside && norn_step_site((const void *)pc))
		frames->at[frames->count++] = pc;
	return frames->count < FRAMES ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static void follow_stack(struct frames *frames, const ucontext_t *context, uintptr_t fault)
{
	uintptr_t pc = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
	_Unwind_Backtrace(note_frame, frames);
	/* A jump to nowhere: the call has left its return address. */
	if (!frames->count && fault == pc) {
		uintptr_t from = *(const uintptr_t *)context->uc_mcontext.gregs[REG_RSP];
		if (norn_step_site((const void *)from))
			frames->at[frames->count++] = from;
	}
}

/* A stack that is damaged: as far as it can be followed. */
static void find_frames(struct frames *frames, const siginfo_t *info, const ucontext_t *context)
{
	struct norn_self *me = &norn_self;
	uintptr_t busy = me->busy;
	void *escape[5];
	frames->behind = info->si_signo == SIGTRAP;
	me->busy = busy ? busy : 1; /* libgcc's own calls are not the program's */
	if (__builtin_setjmp(escape) == 0) {
		me->escape = escape;
		follow_stack(frames, context, info->si_code > 0 ? (uintptr_t)info->si_addr : 1);
	}
	me->escape = NULL;
	me->busy = busy;
}

/* The log */

/* The thread may be inside a hook. What that has not committed is lost, and is no event. */
static bool put_crash(struct norn_self *me, int signal, const siginfo_t *info,
		      const struct frames *frames)
{
	unsigned words = 3 + frames->count;
	if (!me->busy && me->at >= me->room) {
		me->busy = 1;
		norn_prepare(me);
	}
	const uint64_t *end = me->room + NORN_ROOM;
	if (me->mode != NORN_LOGS || me->at + words > end)
		return false;
	uint64_t *at = me->at;
	at[1] = (uint32_t)signal | (uint64_t)frames->count << 32;
	at[2] = info->si_code > 0 && signal != SIGABRT ? (uintptr_t)info->si_addr : 0;
	for (uint32_t i = 0; i < frames->count; i++)
		at[3 + i] = frames->at[i];
	if (at + words < end)
		at[words] = 0;
	norn_commit(me, at, LOG_WORD(LOG_CRASH, 0, 0), words);
	return true;
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
		find_frames(&frames, info, context);
		put_crash(me, 0, info, &frames);
	}
	__atomic_add_fetch(&norn_run.shared->told, 1, __ATOMIC_SEQ_CST);
	for (;;)
		NORN_SYS(pause, 0, 0, 0, 0, 0, 0);
}

static void on_crash(int signal, siginfo_t *info, void *context)
{
	struct norn_self *me = &norn_self;
	struct sigaction standard = {.sa_handler = SIG_DFL};
	if (info->si_code > 0 && norn_touch_fails(context))
		return;
	if (me->escape && info->si_code > 0)
		__builtin_longjmp(me->escape, 1);
	if (is_asked(signal, info))
		tell_frames(me, info, context);
	bool told = !is_its_own(info), inside = me->busy;
	if (!told && me->mode == NORN_LOGS) {
		struct frames frames = {0};
		find_frames(&frames, info, context);
		told = put_crash(me, signal, info, &frames);
		/* In a schedule the others go on first, as far as they can: a crash cuts them off,
		 * and where it does is nothing to be looked for. */
		me->busy = inside;
		if (norn_replays() && !inside)
			norn_replay_exit(true);
	}
	if (told && norn_run.shared)
		norn_run.shared->signal = (uint32_t)signal;
	NORN_REAL(sigaction)(signal, &standard, NULL);
	/* A fault comes again when this returns; what a debugger or a filter waits for does not. */
	if (info->si_code <= 0 || signal == SIGTRAP || signal == SIGSYS)
		NORN_SYS(tgkill, NORN_SYS(getpid, 0, 0, 0, 0, 0, 0),
			 NORN_SYS(gettid, 0, 0, 0, 0, 0, 0), signal, 0, 0, 0);
}

bool norn_crash_action(int signal, struct sigaction *action)
{
	if (!records())
		return false;
	for (size_t i = 0; i < CRASHES; i++) {
		if (crashes[i] != signal)
			continue;
		*action = (struct sigaction){.sa_sigaction = on_crash,
					     .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
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
