/* SPDX-License-Identifier: MIT */
#include "runtime/unseen.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/append.h"
#include "runtime/hooks.h"
#include "runtime/libc/libc.h"
#include "runtime/pthread/locks.h"
#include "runtime/modules.h"
#include "runtime/replay/replay.h"
#include "runtime/run.h"
#include "runtime/sys.h"

struct norn_marks norn_marks;

/* Functions with hooks: a set of addresses, which only grows. Lookups take no lock. */

#define SLOTS_FIRST 1024

struct set {
	uint64_t mask, used;
	const void *slots[];
};

static struct set *known, *hooked; /* hooked: those that take slots */
static struct set *found;	   /* in libc, by dlsym */
static struct norn_spin known_lock;

static const void **slot_of(struct set *set, const void *function)
{
	uint64_t i = (uintptr_t)function * UINT64_C(0x9e3779b97f4a7c15) >> 32;
	const void *there;
	while ((there = __atomic_load_n(&set->slots[i & set->mask], __ATOMIC_RELAXED)) &&
	       there != function)
		i++;
	return &set->slots[i & set->mask];
}

static bool is_in(struct set **of, const void *function)
{
	struct set *set = __atomic_load_n(of, __ATOMIC_ACQUIRE);
	return set && *slot_of(set, function);
}

/* The runtime's code has a section of its own (Makefile): where that begins and ends. */
extern NORN_HIDDEN const char __start_norn_text[], __stop_norn_text[];

/* What thrd_create starts, which calls what the program gave it, and functions of libc that the
 * runtime has in their place, called by pointer. */
bool norn_is_own_code(const void *function)
{
	return (const char *)function >= __start_norn_text &&
	       (const char *)function < __stop_norn_text;
}

static bool is_known(const void *function)
{
	return norn_is_own_code(function) || is_in(&known, function);
}

uint32_t __norn_takes(const void *function)
{
	return norn_self.mode == NORN_PLAIN || is_in(&hooked, function);
}

/* With room for twice as many; the old one stays, since others may look at it. */
static struct set *grown(struct set *old)
{
	uint64_t slots = old ? 2 * (old->mask + 1) : SLOTS_FIRST;
	long map = NORN_SYS(mmap, 0, sizeof *old + slots * sizeof *old->slots,
			    PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map < 0 && map > -4096)
		return NULL;
	struct set *set = (struct set *)map;
	set->mask = slots - 1;
	set->used = old ? old->used : 0;
	for (uint64_t i = 0; old && i <= old->mask; i++)
		if (old->slots[i])
			*slot_of(set, old->slots[i]) = old->slots[i];
	return set;
}

/* What is not in the set for want of memory counts as code without hooks. */
static void add(struct set **to, const void *function)
{
	if (!*to || 2 * (*to)->used > (*to)->mask) {
		struct set *larger = grown(*to);
		if (larger)
			__atomic_store_n(to, larger, __ATOMIC_RELEASE);
	}
	if (!*to || (*to)->used == (*to)->mask)
		return;
	const void **slot = slot_of(*to, function);
	(*to)->used += !*slot;
	__atomic_store_n(slot, function, __ATOMIC_RELEASE);
}

void __norn_functions(const void *const *functions, uint64_t n, uint64_t with_hooks)
{
	struct norn_self *me = &norn_self;
	if (!norn_enter(me))
		return;
	norn_spin_lock(&known_lock);
	for (uint64_t i = 0; i < n; i++) {
		if (functions[i])
			add(&known, functions[i]);
		if (functions[i] && i < with_hooks)
			add(&hooked, functions[i]);
	}
	norn_spin_unlock(&known_lock);
	norn_leave(me);
}

void norn_found_in_libc(const void *function)
{
	struct norn_self *me = &norn_self;
	if (is_known(function) || !norn_enter(me))
		return;
	norn_spin_lock(&known_lock);
	add(&found, function);
	norn_spin_unlock(&known_lock);
	norn_leave(me);
}

/* Marks */

/* What runs from here on. */
static void put_mark(struct norn_self *me, uint32_t runs, const void *pc, uint32_t site)
{
	enum log_kind kind = runs == NORN_HOOKED ? LOG_SEEN : LOG_UNSEEN;
	uint64_t *at = me->at;
	uint32_t number = __atomic_add_fetch(&norn_marks.count, 1, __ATOMIC_SEQ_CST);
	at[1] = (uintptr_t)pc;
	site |= runs & LOG_MODEL_FLAGS;
	norn_commit(me, at, LOG_WORD(kind, site, number), 2);
	norn_run.shared->marks = 1;
	me->noted = number;
	me->unseen = (uint8_t)runs;
	me->marks = me->unseen ? NORN_UNSEEN : number;
}

void norn_log_marks(struct norn_self *me)
{
	if (!me->unseen) {
		me->marks = me->noted = norn_marks_now();
		norn_put1(me, LOG_MARKS, 0, me->noted);
		return;
	}
	me->resumes = me->unseen;
	put_mark(me, NORN_HOOKED, NULL, 0);
	if (!me->pending)
		me->pending = NORN_STEP;
}

/*
 * In replay, what the call changes is to be changed when the plan says so; not in the middle of a
 * step, a lock that the call takes, which is over only when such code goes on.
 */
static void await_change(const void *pc)
{
	struct norn_self *me = &norn_self;
	if (norn_replays() && (!me->in_turn || me->call.taken))
		norn_step_wait(&me->call,
			       &(struct norn_what){.kind = LOG_UNSEEN, .loose = true, .pc = pc});
}

/* callee: or NULL. */
static void mark_callee(struct norn_self *me, uint32_t runs, const void *pc, const void *callee)
{
	if (!norn_enter(me))
		return;
	if (callee) {
		uint64_t *at = me->at;
		at[1] = (uintptr_t)callee;
		norn_commit(me, at, LOG_WORD(LOG_CALLEE, runs & LOG_MODEL_FLAGS, 0), 2);
	}
	put_mark(me, runs, pc, 0);
	norn_leave(me);
	if (runs != NORN_HOOKED)
		await_change(pc);
}

static void mark(struct norn_self *me, uint32_t runs, const void *pc)
{
	mark_callee(me, runs, pc, NULL);
}

void norn_resume(struct norn_self *me)
{
	uint32_t runs = me->resumes;
	me->resumes = NORN_HOOKED;
	mark(me, runs, NULL);
}

/* std::thread's does nothing but call what has hooks, if its maker has. */
static bool is_of_libstdcxx(const void *function)
{
#ifdef NORN_STATIC
	return (void)function, false;
#else
	Dl_info info;
	return dladdr(function, &info) && info.dli_fname && strstr(info.dli_fname, "/libstdc++.so");
#endif
}

/* No function of any module: it may be any code. */
#define NO_FUNCTION 1u

void norn_begins_unseen(struct norn_self *me)
{
	norn_put2(me, LOG_CALLEE, 0, NO_FUNCTION);
	put_mark(me, NORN_RUNS, NULL, 0);
}

void norn_thread_unseen(const void *function, bool modelled, bool unseen)
{
	if (norn_self.mode != NORN_PLAIN && !is_known(function) &&
	    (unseen || !is_of_libstdcxx(function)))
		mark_callee(&norn_self, NORN_RUNS | (modelled ? LOG_MODEL_RUNS : 0), NULL,
			    function);
}

/* What __norn_call returns: CALL_KNOWN, or CALL_UNSEEN and more: what ran before, and does again.
 */
enum call { CALL_KNOWN, CALL_UNSEEN };
#define CALL_FROM(runs) (CALL_UNSEEN + (uint32_t)(runs))
#define CALLED_FROM(call) ((call & ~CALL_ORDERS) - CALL_UNSEEN)

/* A function that dlsym has found in libc: no hook around the call says how it orders threads. */
#define CALL_ORDERS 0x80000000u

#define GIVEN_MOST 20 /* of more it is not said which: there is room for some 60 words */

static void put_given(struct norn_self *me, const uint64_t *given, uint32_t n)
{
	if (n > GIVEN_MOST)
		norn_put2(me, LOG_GIVEN, 0, LOG_GIVEN_ANY);
	for (uint32_t i = 0; i < n && n <= GIVEN_MOST; i++)
		norn_put2(me, LOG_GIVEN, 0, given[i]);
}

uint32_t norn_inline_begin(struct norn_self *me, const void *pc, const uint64_t *given, uint32_t n)
{
	uint32_t call = CALL_FROM(me->unseen);
	uint64_t *at = me->at;
	at[1] = (uintptr_t)pc;
	norn_commit(me, at, LOG_WORD(LOG_CALLEE, LOG_INLINE, 0), 2);
	put_given(me, given, n);
	put_mark(me, NORN_RUNS, pc, 0);
	return call;
}

void norn_inline_end(struct norn_self *me, const void *pc, uint32_t call)
{
	if (call != CALL_KNOWN)
		put_mark(me, CALLED_FROM(call), pc, LOG_RETURNS);
}

uint32_t norn_anything_begins(const void *pc)
{
	struct norn_self *me = &norn_self;
	uint64_t any = LOG_GIVEN_ANY;
	if (!norn_enter(me))
		return CALL_KNOWN;
	uint32_t call = norn_inline_begin(me, pc, &any, 1);
	norn_leave(me);
	return call;
}

void norn_anything_ends(const void *pc, uint32_t call)
{
	struct norn_self *me = &norn_self;
	int error = errno;
	if (call != CALL_KNOWN && norn_enter(me)) {
		norn_inline_end(me, pc, call);
		norn_leave(me);
	}
	errno = error;
}

uint32_t __norn_inline(const uint64_t *given, uint32_t n)
{
	struct norn_self *me = &norn_self;
	const void *pc = __builtin_return_address(0);
	if (me->mode == NORN_PLAIN || !norn_enter(me))
		return CALL_KNOWN;
	uint32_t call = norn_inline_begin(me, pc, given, n);
	norn_leave(me);
	await_change(pc);
	return call;
}

void __norn_inline_end(uint32_t call)
{
	struct norn_self *me = &norn_self;
	if (call == CALL_KNOWN || !norn_enter(me))
		return;
	norn_inline_end(me, __builtin_return_address(0), call);
	norn_leave(me);
}

static uint32_t call_unseen(const void *pc, const void *function, const uint64_t *given, uint32_t n)
{
	struct norn_self *me = &norn_self;
	struct norn_step step = norn_begin_step(LOG_UNSEEN, NULL, pc);
	if (!norn_enter(me))
		return CALL_KNOWN;
	uint32_t call = CALL_FROM(me->unseen);
	norn_put2(me, LOG_CALLEE, 0, (uintptr_t)function);
	put_given(me, given, n);
	put_mark(me, NORN_RUNS, pc, norn_step_site(pc));
	norn_leave(me);
	if (step.index != PLAN_NONE) {
		me->call = step; /* its effect is there when the thread comes to its next step */
		return call;
	}
	norn_end_step(&step, true);
	await_change(pc);
	return call;
}

uint32_t norn_call_from(const void *pc, const void *function, const uint64_t *given, uint32_t n)
{
	struct norn_self *me = &norn_self;
	me->via = NULL;
	if (me->mode == NORN_PLAIN || is_known(function))
		return CALL_KNOWN;
	if (NORN_LIKELY(!is_in(&found, function)))
		return call_unseen(pc, function, given, n);
	norn_orders_all();
	uint32_t call = call_unseen(pc, function, given, n);
	return call == CALL_KNOWN ? call : call | CALL_ORDERS;
}

uint32_t __norn_call(const void *function, const uint64_t *given, uint32_t n)
{
	return norn_call_from(__builtin_return_address(0), function, given, n);
}

/* No step: what it hands over was a step just before, and has to be there for others to go on. */
uint32_t __norn_call_modelled(const void *function, const void *pc, uint32_t flags)
{
	struct norn_self *me = &norn_self;
	if (me->mode == NORN_PLAIN || is_known(function))
		return CALL_KNOWN;
	uint32_t call = CALL_FROM(me->unseen);
	me->via = NULL;
	mark_callee(me, NORN_RUNS | LOG_MODEL_RUNS | flags, pc, function);
	return call;
}

static void come_back(uint32_t runs, const void *pc)
{
	struct norn_self *me = &norn_self;
	struct norn_step step = norn_begin_step(LOG_SEEN, NULL, pc);
	if (!norn_enter(me))
		return;
	put_mark(me, runs, pc, norn_step_site(pc));
	norn_leave(me);
	norn_end_step(&step, true);
}

void norn_called_from(const void *pc, uint32_t call)
{
	if (call == CALL_KNOWN)
		return;
	come_back(CALLED_FROM(call), pc);
	if (call & CALL_ORDERS)
		norn_orders_all();
}

void norn_run_unseen(const void *pc, void (*function)(void *), void *object)
{
	uint64_t given = (uintptr_t)object;
	norn_depend_on_all();
	uint32_t call = norn_call_from(pc, (const void *)function, &given, 1);
	function(object);
	norn_called_from(pc, call);
}

void __norn_called(uint32_t call)
{
	norn_called_from(__builtin_return_address(0), call);
}

void __norn_called_modelled(uint32_t call, const void *pc)
{
	struct norn_self *me = &norn_self;
	if (call == CALL_KNOWN || !norn_enter(me))
		return;
	put_mark(me, CALLED_FROM(call), pc, LOG_MODEL_RETURNS);
	norn_leave(me);
	if (CALLED_FROM(call) != NORN_HOOKED)
		await_change(pc);
}

uint32_t __norn_state(void)
{
	return norn_self.unseen;
}

void __norn_restore(uint32_t state)
{
	norn_self.via = NULL;
	if (NORN_UNLIKELY(norn_self.unseen != state))
		come_back(state, __builtin_return_address(0));
}

void __norn_returned_again(uint32_t state)
{
	norn_self.via = NULL;
	if (NORN_LIKELY(norn_self.unseen == state))
		return;
	come_back(state, __builtin_return_address(0));
	norn_depend_on_all();
}

/* What it was called with may have been handed over, by a call of which a model speaks; and whoever
 * gets it next comes behind this. */
static void for_each_handed(const void *const *handed, void (*act)(const void *))
{
	for (int i = 0; i < 4; i++) {
		bool again = false;
		for (int j = 0; j < i; j++)
			again |= handed[j] == handed[i];
		if (!again && norn_has_hidden(norn_item(handed[i])))
			act(norn_item(handed[i]));
	}
}

uint32_t __norn_entered(const void *a, const void *b, const void *c, const void *d)
{
	struct norn_self *me = &norn_self;
	if (NORN_LIKELY(!me->unseen))
		return 0;
	uint32_t entered = me->unseen;
	mark(me, NORN_HOOKED, __builtin_return_address(0));
	for_each_handed((const void *const[]){a, b, c, d}, norn_comes_after);
	return entered;
}

void __norn_gives(uint32_t entered, uint64_t result)
{
	struct norn_self *me = &norn_self;
	if (NORN_LIKELY(!entered) || !norn_enter(me))
		return;
	put_given(me, &result, 1);
	norn_leave(me);
}

void __norn_leaves_others(uint32_t entered, const void *a, const void *b, const void *c,
			  const void *d)
{
	if (NORN_LIKELY(!entered))
		return;
	norn_depend_on_all();
	__norn_leaves(entered, a, b, c, d);
}

void __norn_leaves(uint32_t entered, const void *a, const void *b, const void *c, const void *d)
{
	if (NORN_LIKELY(!entered))
		return;
	for_each_handed((const void *const[]){a, b, c, d}, norn_comes_before);
	mark(&norn_self, entered, __builtin_return_address(0));
}
