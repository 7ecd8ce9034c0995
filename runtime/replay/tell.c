/* SPDX-License-Identifier: MIT */
#include <execinfo.h>
#include <malloc.h>
#include <sys/uio.h>

#include "runtime/host.h"
#include "runtime/modules.h"
#include "runtime/replay/parts.h"
#include "runtime/replay/schedule.h"
#include "runtime/sites.h"

static struct {
	struct replay_thread nobody; /* for threads that the plan does not know */
	uint32_t diverging;
} told;

struct replay_thread *norn_replay_of(const struct norn_self *me)
{
	return me->number < norn_plan->threads ? &norn_replay.of[me->number] : &told.nobody;
}

uint64_t norn_place_of(const struct norn_what *what)
{
	const struct site *site = what->access ? norn_find_site(what->site) : NULL;
	return site ? (uint64_t)site->line << 32 | site->column : 0;
}

/* By the kernel: the address may be no good. */
static bool peek(uint64_t *value, const void *p, uint64_t size)
{
	struct iovec to = {value, size < sizeof *value ? size : sizeof *value};
	struct iovec from = {(void *)p, to.iov_len};
	return NORN_SYS(process_vm_readv, NORN_SYS(getpid, 0, 0, 0, 0, 0, 0), &to, 1, &from, 1,
			0) == (long)to.iov_len;
}

/* malloc keeps it before the block, which may be gone already: then it is as good as a byte. */
static uint64_t size_of_block(const void *block)
{
	uint64_t head;
	return peek(&head, (const char *)block - sizeof head, sizeof head)
		       ? malloc_usable_size((void *)block)
		       : 1;
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

static void tell_memory(struct replay_thread *t, const struct norn_what *what)
{
	bool memory = what->access || what->kind == LOG_FREE || what->kind == LOG_STACK_END;
	t->address = memory ? (uintptr_t)what->object : 0;
	t->object = memory ? 0 : (uintptr_t)what->object;
	t->size = what->kind == LOG_FREE ? size_of_block(what->object) : what->size;
	t->value = 0;
	t->performed = what->performed;
	if (what->access)
		peek(&t->value, what->object, what->size);
}

void norn_tell(struct norn_self *me, enum replay_where where, const struct norn_what *what,
	       bool fully)
{
	struct replay_thread *t = norn_replay_of(me);
	t->kind = what->kind;
	t->step = me->step + 1;
	if (fully) {
		t->place = norn_place_of(what);
		tell_memory(t, what);
		take_stack(t, what->pc);
	}
	norn_store(&t->where, where);
}

void norn_hold_for_ever(void)
{
	uint32_t *phase = &norn_replay.state->phase;
	for (;;)
		norn_sleep_on(phase, norn_load(phase), NORN_ANYBODY);
}

void norn_diverge(struct norn_self *me, const struct norn_what *what, uint32_t expected)
{
	norn_tell(me, REPLAY_HELD, what, true);
	if (!__atomic_exchange_n(&told.diverging, 1, __ATOMIC_SEQ_CST)) {
		norn_replay.state->diverged = me->number;
		norn_replay.state->expected = expected;
		norn_set_phase(REPLAY_FOLLOWS, REPLAY_DIVERGED);
	}
	norn_hold_for_ever();
}

/* Blocked */

void norn_set_blocked(enum log_kind kind, const void *object, const void *pc)
{
	struct norn_self *me = &norn_self;
	const struct norn_what what = {.kind = kind, .object = object, .pc = pc};
	if (!norn_enter(me))
		return;
	if (!norn_is_preloaded) /* of a host most of what is between is not planned, so it may come
				 */
		norn_pass_loose(me, &what);
	norn_tell(me, REPLAY_BLOCKED, &what, true);
	norn_leave(me);
}

void norn_set_running(void)
{
	struct norn_self *me = &norn_self;
	if (me->mode == NORN_LOGS || me->mode == NORN_STOPPED)
		norn_store(&norn_replay_of(me)->where, REPLAY_RUNS);
}

void norn_set_ended(struct norn_self *me)
{
	norn_store(&norn_replay_of(me)->where, REPLAY_ENDED);
	norn_turn_end(me);
}
