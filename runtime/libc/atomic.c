/* SPDX-License-Identifier: MIT */
/*
 * Atomic accesses that are calls of libatomic: of more than 8 bytes, of odd sizes, at addresses
 * that are not aligned. The log has no event that wide: they keep their recorded order, object by
 * object, and all that was read before decides what they do. They are done here, so that nobody
 * needs libatomic for us; those that it does without a lock in the same way, for the sake of
 * code without hooks.
 */
#include "runtime/hooks.h"
#include "runtime/libc/libc.h"
#include "runtime/libc/replaced.h"

#include <sched.h>
#include <string.h>

#define LOCKS 64
static uint32_t locks[LOCKS];

static void lock(const void *p)
{
	uint32_t *l = &locks[log_shard((uintptr_t)p) % LOCKS];
	while (__atomic_exchange_n(l, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

static void unlock(const void *p)
{
	__atomic_store_n(&locks[log_shard((uintptr_t)p) % LOCKS], 0, __ATOMIC_RELEASE);
}

static bool exchange_16(void *p, norn_u128 *expected, norn_u128 desired)
{
	uint64_t low = (uint64_t)*expected, high = (uint64_t)(*expected >> 64);
	bool done;
	__asm__ volatile("lock cmpxchg16b %1"
			 : "=@ccz"(done), "+m"(*(norn_u128 *)p), "+a"(low), "+d"(high)
			 : "b"((uint64_t)desired), "c"((uint64_t)(desired >> 64))
			 : "memory");
	*expected = (norn_u128)high << 64 | low;
	return done;
}

#define NATIVE_SIZES(row) row(1, uint8_t) row(2, uint16_t) row(4, uint32_t) row(8, uint64_t)

/* 0: with a lock. */
static size_t native_size(size_t n, const void *p)
{
	bool power = n == 1 || n == 2 || n == 4 || n == 8 || n == 16;
	return power && !((uintptr_t)p % n) ? n : 0;
}

static void load(size_t n, const void *p, void *to)
{
	norn_u128 wide = 0;
	switch (native_size(n, p)) {
#define ROW(size, type)                                                          \
	case size: {                                                             \
		type value = __atomic_load_n((const type *)p, __ATOMIC_SEQ_CST); \
		memcpy(to, &value, size);                                        \
		return;                                                          \
	}
		NATIVE_SIZES(ROW)
#undef ROW
	case 16:
		exchange_16((void *)p, &wide, 0);
		memcpy(to, &wide, n);
		return;
	default:
		lock(p);
		memcpy(to, p, n);
		unlock(p);
	}
}

/* As __atomic_compare_exchange: if it fails, `expected` is what was there. */
static bool exchange(size_t n, void *p, void *expected, const void *desired)
{
	switch (native_size(n, p)) {
#define ROW(size, type)                                                                      \
	case size: {                                                                         \
		type old, fresh;                                                             \
		memcpy(&old, expected, size);                                                \
		memcpy(&fresh, desired, size);                                               \
		bool done = __atomic_compare_exchange_n((type *)p, &old, fresh, false,       \
							__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
		memcpy(expected, &old, size);                                                \
		return done;                                                                 \
	}
		NATIVE_SIZES(ROW)
#undef ROW
	case 16: {
		norn_u128 old, fresh;
		memcpy(&old, expected, 16);
		memcpy(&fresh, desired, 16);
		bool done = exchange_16(p, &old, fresh);
		memcpy(expected, &old, 16);
		return done;
	}
	default: break;
	}
	lock(p);
	bool done = !memcmp(p, expected, n);
	if (done)
		memcpy(p, desired, n);
	else
		memcpy(expected, p, n);
	unlock(p);
	return done;
}

/* `old`, if it is not NULL, becomes what was there. */
static void replace(size_t n, void *p, const void *fresh, void *old)
{
	unsigned char seen[16];
	if (native_size(n, p)) {
		load(n, p, seen);
		while (!exchange(n, p, seen, fresh))
			;
		if (old)
			memcpy(old, seen, n);
		return;
	}
	lock(p);
	if (old)
		memcpy(old, p, n);
	memcpy(p, fresh, n);
	unlock(p);
}

/* An access, with memory of our own beside the object; what is not needed is NULL. */
struct wide {
	enum { LOAD, REPLACE, EXCHANGE } what;
	bool done; /* of EXCHANGE */
	size_t n;
	void *p, *old; /* old: for EXCHANGE what is expected, too */
	const void *fresh;
};

static void act(void *context)
{
	struct wide *w = context;
	switch (w->what) {
	case LOAD: load(w->n, w->p, w->old); break;
	case REPLACE: replace(w->n, w->p, w->fresh, w->old); break;
	case EXCHANGE: w->done = exchange(w->n, w->p, w->old, w->fresh); break;
	}
}

static void perform(const void *pc, struct wide *w)
{
	if (w->what != LOAD)
		norn_decided(pc);
	norn_in_order(w->p, w->what != LOAD, act, w);
}

/* Memory of the program, to be looked at in a copy of ours. */
static const void *copy_in(const void *pc, struct norn_scratch *s, const void *from, size_t n)
{
	norn_scratch_init(s);
	if (!norn_scratch_grow(s, n))
		return from;
	norn_get(pc, s->data, from, n);
	return s->data;
}

void __norn___atomic_load(size_t n, const void *p, void *to, int order)
{
	struct norn_inlet in;
	struct wide w = {LOAD, false, n, (void *)p, norn_inlet_begin(&in, to, n), NULL};
	(void)order;
	perform(NORN_CALLER, &w);
	norn_inlet_end(NORN_CALLER, &in, n);
}

void __norn___atomic_store(size_t n, void *p, void *from, int order)
{
	struct norn_scratch s;
	struct wide w = {REPLACE, false, n, p, NULL, copy_in(NORN_CALLER, &s, from, n)};
	(void)order;
	perform(NORN_CALLER, &w);
	norn_scratch_release(&s);
}

void __norn___atomic_exchange(size_t n, void *p, void *from, void *to, int order)
{
	struct norn_scratch s;
	struct norn_inlet in;
	struct wide w = {REPLACE, false, n, p, NULL, copy_in(NORN_CALLER, &s, from, n)};
	(void)order;
	w.old = norn_inlet_begin(&in, to, n);
	perform(NORN_CALLER, &w);
	norn_inlet_end(NORN_CALLER, &in, n);
	norn_scratch_release(&s);
}

bool __norn___atomic_compare_exchange(size_t n, void *p, void *expected, void *desired, int success,
				      int failure)
{
	struct norn_scratch s;
	struct norn_inlet in;
	struct wide w = {EXCHANGE, false, n, p, NULL, copy_in(NORN_CALLER, &s, desired, n)};
	(void)success;
	(void)failure;
	w.old = norn_inlet_begin(&in, expected, n);
	norn_get(NORN_CALLER, w.old, expected, n);
	perform(NORN_CALLER, &w);
	norn_inlet_end(NORN_CALLER, &in, w.done ? 0 : n);
	norn_scratch_release(&s);
	return w.done;
}

/* The same of 16 bytes, by value. */

norn_u128 __norn___atomic_load_16(const void *p, int order)
{
	norn_u128 value;
	struct wide w = {LOAD, false, 16, (void *)p, &value, NULL};
	(void)order;
	perform(NORN_CALLER, &w);
	return value;
}

void __norn___atomic_store_16(void *p, norn_u128 value, int order)
{
	struct wide w = {REPLACE, false, 16, p, NULL, &value};
	(void)order;
	perform(NORN_CALLER, &w);
}

norn_u128 __norn___atomic_exchange_16(void *p, norn_u128 value, int order)
{
	norn_u128 old;
	struct wide w = {REPLACE, false, 16, p, &old, &value};
	(void)order;
	perform(NORN_CALLER, &w);
	return old;
}

static bool exchange_by_value(const void *pc, void *p, norn_u128 *expected, norn_u128 desired)
{
	struct wide w = {EXCHANGE, false, 16, p, expected, &desired};
	perform(pc, &w);
	return w.done;
}

bool __norn___atomic_compare_exchange_16(void *p, void *expected, norn_u128 desired, int success,
					 int failure)
{
	norn_u128 mine;
	(void)success;
	(void)failure;
	norn_get(NORN_CALLER, &mine, expected, 16);
	bool done = exchange_by_value(NORN_CALLER, p, &mine, desired);
	if (!done)
		norn_put(NORN_CALLER, expected, &mine, 16);
	return done;
}

#define FETCH(name, fresh)                                                           \
	norn_u128 __norn___atomic_fetch_##name##_16(void *p, norn_u128 b, int order) \
	{                                                                            \
		norn_u128 a = __norn___atomic_load_16(p, order);                     \
		while (!exchange_by_value(NORN_CALLER, p, &a, fresh))                \
			;                                                            \
		return a;                                                            \
	}
FETCH(add, a + b)
FETCH(sub, a - b)
FETCH(and, a &b)
FETCH(or, a | b)
FETCH(xor, a ^ b)
FETCH(nand, ~(a &b))
