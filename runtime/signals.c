/* SPDX-License-Identifier: MIT */
/*
 * Handlers of signals run through a function of ours. While a thread is busy (self.h) it puts them
 * off: the thread goes on with all signals blocked, and when it is done with the hook it sends the
 * signal to itself again and unblocks them. Faults cannot be put off. The hook's access is to
 * blame: the shard is given back, as if nothing had happened, so that the handler may do anything,
 * also never return; if it does return, the shard is taken again for the access to be repeated.
 */
#include <errno.h>
#include <signal.h>
#include <ucontext.h>

#include "runtime/append.h"
#include "runtime/crash.h"
#include "runtime/hooks.h"
#include "runtime/libc/libc.h"
#include "runtime/process.h"
#include "runtime/real.h"
#include "runtime/replay/replay.h"
#include "runtime/run.h"
#include "runtime/shard.h"
#include "runtime/sys.h"
#include "runtime/there.h"
#include "runtime/unseen.h"

#define SIGNALS 65
typedef void handler(int, siginfo_t *, void *);

static struct {
	struct norn_spin lock;
	struct {
		handler *function; /* on x86-64 one of a single argument can be called with three */
		int flags;
	} of[SIGNALS];
} handlers;

static bool is_fault(int signal, const siginfo_t *info)
{
	return (NORN_FAULTS & NORN_SIGNAL(signal)) && info->si_code > 0;
}

static void put_off(struct norn_self *me, int signal, const siginfo_t *info, ucontext_t *context)
{
	/* The kernel's set of signals is one word; only that much of it is there. */
	uint64_t *mask = (uint64_t *)&context->uc_sigmask;
	me->info = *info;
	me->mask = *mask;
	*mask = ~NORN_FAULTS;
	me->pending = signal;
}

void norn_deliver(struct norn_self *me)
{
	if (me->hook.taken)
		norn_step_over(me, &me->hook, true);
	if (me->pending == NORN_STEP)
		me->pending = 0;
	if (me->resumes)
		norn_resume(me);
	if (!me->pending)
		return;
	siginfo_t info = me->info;
	uint64_t mask = me->mask;
	int signal = me->pending;
	me->pending = 0;
	NORN_SYS(rt_tgsigqueueinfo, NORN_SYS(getpid, 0, 0, 0, 0, 0, 0),
		 NORN_SYS(gettid, 0, 0, 0, 0, 0, 0), signal, &info, 0, 0);
	NORN_SYS(rt_sigprocmask, SIG_SETMASK, &mask, 0, sizeof mask, 0, 0);
}

/* Whether another process has sent it, or somebody at the terminal. If this process has made
 * others, they may have, and do so again. */
static bool is_from_outside(int signal, const siginfo_t *info)
{
	bool typed = info->si_code == SI_KERNEL &&
		     (signal == SIGINT || signal == SIGQUIT || signal == SIGHUP);
	bool sent = info->si_code == SI_USER || info->si_code == SI_QUEUE;
	return typed || (sent && info->si_pid != getpid() && !norn_has_children());
}

static void log_handler(int signal, const siginfo_t *info)
{
	struct norn_self *me = &norn_self;
	if (!norn_enter(me))
		return;
	norn_put2(me, LOG_HANDLER, 0,
		  (uint64_t)signal | (is_from_outside(signal, info) ? LOG_OUTSIDE : 0));
	norn_leave(me);
}

static void run_handler(int signal, siginfo_t *info, void *context)
{
	handler *function = __atomic_load_n(&handlers.of[signal].function, __ATOMIC_ACQUIRE);
	if (handlers.of[signal].flags & SA_RESETHAND) {
		struct sigaction standard = {.sa_handler = SIG_DFL};
		norn_crash_action(signal, &standard);
		NORN_REAL(sigaction)(signal, &standard, NULL);
	}
	if (!is_fault(signal, info))
		log_handler(signal, info);
	norn_noticed_signal(
		signal); /* of a fault, too: another thread may have protected the place */
	/* what is on its way between two functions is for these */
	struct norn_slots slots = __norn_slots;
	struct norn_seen seen = norn_self.seen;
	norn_self.seen.has_list = false;
	norn_self.seen.printed = 0;
	__norn_slots.callee = 0;
	NORN_COMPILER_BARRIER();
	function(signal, info, context);
	NORN_COMPILER_BARRIER();
	__norn_slots = slots;
	norn_self.seen = seen;
}

static void give_back(uintptr_t held)
{
	struct norn_shard *shard = (struct norn_shard *)held;
	norn_unlock_shard(shard, norn_version(shard));
}

static void run_in_hook(struct norn_self *me, int signal, siginfo_t *info, void *context)
{
	uintptr_t first = me->busy, second = me->second;
	bool looks = me->looks;
	struct norn_step step = me->hook;
	me->hook.taken = false;
	if (me->pending == NORN_STEP)
		me->pending = 0;
	if (second)
		give_back(second);
	if (first > 1)
		give_back(first);
	me->second = 0;
	me->busy = 0;
	NORN_COMPILER_BARRIER();
	run_handler(signal, info, context);
	NORN_COMPILER_BARRIER();
	me->busy = 1;
	NORN_COMPILER_BARRIER();
	if (me->at >= me->room)
		norn_prepare(me);
	if (first > 1)
		norn_hold(me, (struct norn_shard *)first);
	if (second)
		norn_lock_shard((struct norn_shard *)second);
	me->second = second;
	me->looks = looks;
	me->hook = step;
	if ((step.taken || me->resumes) && !me->pending)
		me->pending = NORN_STEP;
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
	struct norn_self *me = &norn_self;
	if (is_fault(signal, info) && norn_touch_fails(context))
		return;
	if (!me->busy) {
		/* It came between the end of a hook and that of its step. */
		if (me->hook.taken)
			norn_step_over(me, &me->hook, true);
		if (is_fault(signal, info) || norn_handler_begins(me, signal))
			run_handler(signal, info, context);
		else
			norn_keep_signal(me, signal, info);
	} else if (is_fault(signal, info)) {
		run_in_hook(me, signal, info, context);
	} else {
		put_off(me, signal, info, context);
	}
}

static bool is_function(const struct sigaction *action)
{
	return action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN;
}

static int set_action(int signal, const struct sigaction *action, struct sigaction *old)
{
	handler *function = handlers.of[signal].function;
	int flags = handlers.of[signal].flags;
	struct sigaction ours;
	if (action && is_function(action)) {
		ours = *action;
		ours.sa_sigaction = on_signal;
		ours.sa_flags = (action->sa_flags | SA_SIGINFO) & ~(int)SA_RESETHAND;
		handlers.of[signal].flags = action->sa_flags;
		__atomic_store_n(&handlers.of[signal].function, action->sa_sigaction,
				 __ATOMIC_RELEASE);
		action = &ours;
	} else if (action && action->sa_handler == SIG_DFL && norn_crash_action(signal, &ours)) {
		action = &ours;
	}
	int result = NORN_REAL(sigaction)(signal, action, old);
	if (result == 0 && action)
		norn_crash_set(signal, norn_is_crash_action(action));
	if (result == 0 && old && old->sa_sigaction == on_signal) {
		old->sa_sigaction = function;
		old->sa_flags &= ~SA_SIGINFO;
		old->sa_flags |= flags & (int)(SA_SIGINFO | SA_RESETHAND);
	}
	if (result == 0 && old && norn_is_crash_action(old))
		*old = (struct sigaction){.sa_handler = SIG_DFL};
	return result;
}

static int exchange(int signal, const struct sigaction *action, struct sigaction *old)
{
	struct norn_self *me = &norn_self;
	if (action && is_function(action)) /* it cannot run before it is there */
		norn_announce_signal(signal);
	if (signal <= 0 || signal >= SIGNALS || !norn_enter(me))
		return NORN_REAL(sigaction)(signal, action, old);
	norn_spin_lock(&handlers.lock);
	int result = set_action(signal, action, old);
	norn_spin_unlock(&handlers.lock);
	norn_leave(me);
	return result;
}

int NORN_WRAPPER(sigaction)(int signal, const struct sigaction *action, struct sigaction *old)
{
	struct sigaction was;
	int result = exchange(signal, action, &was);
	if (result == 0 && old)
		norn_put(NORN_CALLER, old, &was, sizeof was);
	return result;
}

static sighandler_t set_handler(int signal, sighandler_t function, int flags)
{
	struct sigaction action = {.sa_handler = function, .sa_flags = flags}, old;
	if (function == SIG_ERR) {
		errno = EINVAL;
		return SIG_ERR;
	}
	sigemptyset(&action.sa_mask);
	if (!(flags & (int)SA_RESETHAND) && signal > 0 && signal < SIGNALS)
		sigaddset(&action.sa_mask, signal);
	return exchange(signal, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

sighandler_t NORN_WRAPPER(signal)(int signal, sighandler_t function)
{
	return set_handler(signal, function, SA_RESTART);
}

sighandler_t NORN_WRAPPER(bsd_signal)(int signal, sighandler_t function);
sighandler_t NORN_WRAPPER(bsd_signal)(int signal, sighandler_t function)
{
	return set_handler(signal, function, SA_RESTART);
}

sighandler_t NORN_WRAPPER(sysv_signal)(int signal, sighandler_t function)
{
	return set_handler(signal, function, (int)(SA_RESETHAND | SA_NODEFER));
}

sighandler_t NORN_WRAPPER(__sysv_signal)(int signal, sighandler_t function)
{
	return set_handler(signal, function, (int)(SA_RESETHAND | SA_NODEFER));
}
