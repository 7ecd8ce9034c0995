/* SPDX-License-Identifier: MIT */
/*
 * The hooks of accesses and branches (hooks.h). All of them are busy, then make room, then perform
 * the access, and log it last: see self.h for why in this order.
 */
#include "runtime/hooks.h"

#include <string.h>

#include "runtime/access.h"
#include "runtime/append.h"
#include "runtime/replay/replay.h"
#include "runtime/shard.h"
#include "runtime/spin.h"

__thread struct norn_self norn_self;
__thread struct norn_slots __norn_slots;

NORN_INLINE uint64_t get(const volatile void *p, unsigned size)
{
	switch (size) {
	case 1: return *(const volatile uint8_t *)p;
	case 2: return *(const volatile uint16_t *)p;
	case 4: return *(const volatile uint32_t *)p;
	default: return *(const volatile uint64_t *)p;
	}
}

NORN_INLINE void set(volatile void *p, uint64_t value, unsigned size)
{
	switch (size) {
	case 1: *(volatile uint8_t *)p = (uint8_t)value; break;
	case 2: *(volatile uint16_t *)p = (uint16_t)value; break;
	case 4: *(volatile uint32_t *)p = (uint32_t)value; break;
	default: *(volatile uint64_t *)p = value;
	}
}

NORN_INLINE void set_atomically(volatile void *p, uint64_t value, unsigned size)
{
	switch (size) {
	case 1: __atomic_store_n((volatile uint8_t *)p, value, __ATOMIC_SEQ_CST); break;
	case 2: __atomic_store_n((volatile uint16_t *)p, value, __ATOMIC_SEQ_CST); break;
	case 4: __atomic_store_n((volatile uint32_t *)p, value, __ATOMIC_SEQ_CST); break;
	default: __atomic_store_n((volatile uint64_t *)p, value, __ATOMIC_SEQ_CST);
	}
}

/* True, and *expected as it was, if it was there and `desired` is now; else *expected is what was
 * there. */
NORN_INLINE bool exchange(volatile void *p, uint64_t *expected, uint64_t desired, unsigned size)
{
#define EXCHANGE(type)                                                                          \
	{                                                                                       \
		type old = (type)*expected;                                                     \
		bool done =                                                                     \
			__atomic_compare_exchange_n((volatile type *)p, &old, (type)desired,    \
						    false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
		*expected = old;                                                                \
		return done;                                                                    \
	}
	switch (size) {
	case 1: EXCHANGE(uint8_t)
	case 2: EXCHANGE(uint16_t)
	case 4: EXCHANGE(uint32_t)
	default: EXCHANGE(uint64_t)
	}
#undef EXCHANGE
}

static int64_t sign_extend(uint64_t value, unsigned size)
{
	unsigned shift = 64 - 8 * size;
	return (int64_t)(value << shift) >> shift;
}

static uint64_t add_floats(uint64_t old, uint64_t operand, unsigned size, bool subtract)
{
	if (size == 4) {
		float a, b;
		memcpy(&a, &old, 4);
		memcpy(&b, &operand, 4);
		a = subtract ? a - b : a + b;
		old = 0;
		memcpy(&old, &a, 4);
		return old;
	}
	double a, b;
	memcpy(&a, &old, 8);
	memcpy(&b, &operand, 8);
	a = subtract ? a - b : a + b;
	memcpy(&old, &a, 8);
	return old;
}

static uint64_t rmw_result(uint64_t old, uint64_t operand, enum norn_op op, unsigned size)
{
	int64_t a = sign_extend(old, size), b = sign_extend(operand, size);
	uint64_t ua = old, ub = operand;
	switch (op) {
	case NORN_XCHG: return operand;
	case NORN_ADD: return old + operand;
	case NORN_SUB: return old - operand;
	case NORN_AND: return old & operand;
	case NORN_NAND: return ~(old & operand);
	case NORN_OR: return old | operand;
	case NORN_XOR: return old ^ operand;
	case NORN_MAX: return a > b ? old : operand;
	case NORN_MIN: return a < b ? old : operand;
	case NORN_UMAX: return ua > ub ? old : operand;
	case NORN_UMIN: return ua < ub ? old : operand;
	case NORN_FADD: return add_floats(old, operand, size, false);
	case NORN_FSUB: return add_floats(old, operand, size, true);
	}
	return old;
}

NORN_INLINE uint64_t cut(uint64_t value, unsigned size)
{
	return size == 8 ? value : value & ((UINT64_C(1) << (8 * size)) - 1);
}

NORN_INLINE bool straddles(const volatile void *p, unsigned size)
{
	return size > 1 && ((uintptr_t)p & (LOG_LINE - 1)) > LOG_LINE - size;
}

/* Of addresses alone: positions that an access was made by are fixed from then on (self.h). */
NORN_INLINE uint64_t *fixed_slot(struct norn_self *me, uint64_t position)
{
	return &me->fixed[(position ^ position >> 6) % NORN_FIXED];
}

NORN_INLINE bool is_fixed(struct norn_self *me, uint64_t position)
{
	return !position || *fixed_slot(me, position) == position;
}

NORN_INLINE void fix(struct norn_self *me, uint64_t position)
{
	if (position)
		*fixed_slot(me, position) = position;
}

/* How something is read or written, beside its size. */
#define ATOMIC 16u
#define BY_ADDRESS 32u /* all dependences are of its address, which is fixed by it */

/* What a record has to say: how far behind it stands what it came from, 0: nothing. */
struct sources {
	uint64_t a, b, c;
};

NORN_INLINE uint64_t distance(struct norn_self *me, unsigned how, uint64_t position)
{
	bool told = how & BY_ADDRESS ? is_fixed(me, position) : !position;
	return told ? 0 : norn_position(me) - position;
}

NORN_INLINE struct sources sources_of(struct norn_self *me, unsigned how, uint64_t a, uint64_t b,
				      uint64_t c)
{
	return (struct sources){distance(me, how, a), distance(me, how, b), distance(me, how, c)};
}

/* Otherwise the quick way has no room for them. */
NORN_INLINE bool are_near(struct sources s)
{
	return NORN_LIKELY((s.a | s.b | s.c) <= LOG_NEAR);
}

NORN_INLINE void put_near(struct norn_self *me, unsigned how, struct sources s, uint64_t a,
			  uint64_t b, uint64_t c)
{
	if (!(s.a | s.b | s.c))
		return;
	if (how & BY_ADDRESS) {
		fix(me, a);
		fix(me, b);
		fix(me, c);
	}
	norn_commit(me, me->at, LOG_NEAR_WORD(s.a, s.b, s.c), 1);
}

static void put_sources(struct norn_self *me, unsigned how, uint64_t a, uint64_t b, uint64_t c)
{
	struct sources s = sources_of(me, how, a, b, c);
	if (are_near(s)) {
		put_near(me, how, s, a, b, c);
		return;
	}
	norn_put_far(me, s.a ? a : 0, s.b ? b : 0, s.c ? c : 0);
	if (how & BY_ADDRESS) {
		fix(me, a);
		fix(me, b);
		fix(me, c);
	}
}

/*
 * Reads and writes are most of what hooks do. The quick way is for what is usual: the thread is
 * recorded, there is room, the access is within a line, nobody holds the shard, no signal came,
 * there is no new mark. All else goes the long way, from the start, by a jump, so that the quick
 * one has no registers to save.
 */
#define LONG_WAY __attribute__((noinline, cold)) static

LONG_WAY struct norn_read read_slowly(const void *p, unsigned size_and_how, uint32_t site,
				      uint64_t a, uint64_t b, uint64_t c)
{
	struct norn_self *me = &norn_self;
	unsigned size = size_and_how & 15, how = size_and_how & ~15u;
	uint64_t value = 0, position;
	if (!norn_enter_step(me, LOG_READ, site, p, size))
		return (struct norn_read){get(p, size), 0};
	if (straddles(p, size)) {
		position = norn_read_across(me, &value, p, size, site, (uint64_t[3]){a, b, c});
		norn_leave(me);
		return (struct norn_read){value, position};
	}
	struct norn_shard *shard = norn_shard_of(p);
	uint32_t version;
	do {
		norn_note_marks(me);
		version = norn_read_begin(shard);
		value = get(p, size);
	} while (!norn_marks_noted(me) || !norn_read_valid(shard, version));
	NORN_COMPILER_BARRIER();
	put_sources(me, how, a, b, c);
	position = norn_position(me);
	norn_put3(me, LOG_READ, site, version, LOG_ACCESS((uintptr_t)p, size, 0), value);
	norn_leave(me);
	return (struct norn_read){value, position};
}

LONG_WAY struct norn_read deliver_after_read(struct norn_self *me, uint64_t value,
					     uint64_t position)
{
	norn_deliver(me);
	return (struct norn_read){value, position};
}

/* Busy, with room for the access; else neither has anything happened. */
NORN_INLINE bool enter_quickly(struct norn_self *me, const volatile void *p, unsigned size)
{
	if (NORN_UNLIKELY(me->busy))
		return false;
	me->busy = 1;
	NORN_COMPILER_BARRIER();
	if (NORN_LIKELY(me->at < me->limit && !straddles(p, size)))
		return true;
	NORN_COMPILER_BARRIER();
	me->busy = 0;
	return false;
}

/* Whether nothing has to be said of what it came from: of most accesses in loops. */
NORN_INLINE bool says_nothing(struct norn_self *me, unsigned how, uint64_t a, uint64_t b,
			      uint64_t c)
{
	if (how & BY_ADDRESS)
		return is_fixed(me, a) && is_fixed(me, b) && is_fixed(me, c);
	return !(a | b | c);
}

/* says: it may have to say what it came from. */
NORN_INLINE struct norn_read read_quickly(const void *p, unsigned size, unsigned how, uint32_t site,
					  uint64_t a, uint64_t b, uint64_t c, bool says)
{
	struct norn_self *me = &norn_self;
	struct sources sources = {0, 0, 0};
	if (NORN_UNLIKELY(!enter_quickly(me, p, size)))
		return read_slowly(p, size | how, site, a, b, c);
	struct norn_shard *shard = norn_shard_of(p);
	uint32_t version = __atomic_load_n(&shard->version, __ATOMIC_ACQUIRE);
	uint64_t value = get(p, size);
	if (says)
		sources = sources_of(me, how, a, b, c);
	if (NORN_UNLIKELY(version & 1) || !norn_marks_known(me) ||
	    !norn_read_valid(shard, version) || !are_near(sources)) {
		me->busy = 0;
		return read_slowly(p, size | how, site, a, b, c);
	}
	NORN_COMPILER_BARRIER();
	uint64_t position, access = LOG_ACCESS((uintptr_t)p, size, 0);
	if (!says && how & ATOMIC && norn_may_spin(me, access, value) &&
	    norn_spin(me, LOG_WORD(LOG_READ, site, version))) {
		position = me->round;
	} else {
		put_near(me, how, sources, a, b, c);
		position = norn_position(me);
		norn_put3(me, LOG_READ, site, version, access, value);
		if (how & ATOMIC)
			me->round = position;
	}
	NORN_COMPILER_BARRIER();
	me->busy = 0;
	NORN_COMPILER_BARRIER();
	if (NORN_UNLIKELY(me->pending))
		return deliver_after_read(me, value, position);
	return (struct norn_read){value, position};
}

#define READ_TELLING(size)                                                                      \
	static __attribute__((noinline)) struct norn_read read_telling##size(                   \
		const void *p, unsigned how, uint32_t site, uint64_t a, uint64_t b, uint64_t c) \
	{                                                                                       \
		return read_quickly(p, size, how, site, a, b, c, true);                         \
	}
READ_TELLING(1)
READ_TELLING(2)
READ_TELLING(4)
READ_TELLING(8)

#define READ(p, size, how, site, a, b, c)                           \
	(NORN_LIKELY(says_nothing(&norn_self, how, a, b, c))        \
		 ? read_quickly(p, size, how, site, a, b, c, false) \
		 : read_telling##size(p, how, site, a, b, c))

NORN_INLINE void write_to(void *p, uint64_t value, unsigned size, bool atomic)
{
	if (atomic)
		set_atomically(p, value, size);
	else
		set(p, value, size);
}

/* With its shard held, and behind its sources. */
NORN_INLINE void put_write(struct norn_self *me, struct norn_shard *shard, const void *p,
			   uint64_t value, unsigned size, uint32_t site)
{
	norn_put3(me, LOG_WRITE, site, norn_version(shard), LOG_ACCESS((uintptr_t)p, size, 0),
		  cut(value, size));
	norn_release(me, shard);
}

LONG_WAY void write_slowly(void *p, uint64_t value, unsigned size_and_how, uint32_t site,
			   uint64_t a, uint64_t b, uint64_t c)
{
	struct norn_self *me = &norn_self;
	unsigned size = size_and_how & 15, how = size_and_how & ~15u;
	if (!norn_enter_step(me, LOG_WRITE, site, p, size)) {
		write_to(p, value, size, how & ATOMIC);
		return;
	}
	if (straddles(p, size)) {
		norn_write_across(me, p, &value, size, site, (uint64_t[3]){a, b, c});
	} else {
		struct norn_shard *shard = norn_shard_of(p);
		norn_hold(me, shard);
		write_to(p, value, size, how & ATOMIC);
		NORN_COMPILER_BARRIER();
		put_sources(me, how, a, b, c);
		put_write(me, shard, p, value, size, site);
	}
	norn_leave(me);
}

LONG_WAY void deliver_after_write(void)
{
	norn_deliver(&norn_self);
}

NORN_INLINE void write_hook(void *p, uint64_t value, unsigned size, unsigned how, uint32_t site,
			    uint64_t a, uint64_t b, uint64_t c)
{
	struct norn_self *me = &norn_self;
	if (NORN_UNLIKELY(!enter_quickly(me, p, size))) {
		write_slowly(p, value, size | how, site, a, b, c);
		return;
	}
	struct norn_shard *shard = norn_shard_of(p);
	struct sources sources = sources_of(me, how, a, b, c);
	if (NORN_UNLIKELY(!are_near(sources)) || NORN_UNLIKELY(!norn_try_shard(shard))) {
		me->busy = 0;
		write_slowly(p, value, size | how, site, a, b, c);
		return;
	}
	NORN_COMPILER_BARRIER();
	me->busy = (uintptr_t)shard;
	NORN_COMPILER_BARRIER();
	if (NORN_UNLIKELY(!norn_marks_known(me))) {
		norn_release_unchanged(me, shard);
		me->busy = 0;
		write_slowly(p, value, size | how, site, a, b, c);
		return;
	}
	write_to(p, value, size, how & ATOMIC);
	NORN_COMPILER_BARRIER();
	put_near(me, how, sources, a, b, c);
	put_write(me, shard, p, value, size, site);
	NORN_COMPILER_BARRIER();
	me->busy = 0;
	NORN_COMPILER_BARRIER();
	if (NORN_UNLIKELY(me->pending))
		deliver_after_write();
}

NORN_INLINE uint64_t rmw(void *p, uint64_t operand, enum norn_op op, unsigned size, uint64_t *fresh)
{
	uint64_t old = get(p, size);
	do
		*fresh = cut(rmw_result(old, operand, op, size), size);
	while (!exchange(p, &old, *fresh, size));
	return old;
}

/* Atomics that straddle a line lose their second shard: clang makes library calls of such. */
NORN_INLINE struct norn_read rmw_hook(void *p, uint64_t operand, enum norn_op op, unsigned size,
				      uint32_t site, uint64_t a, uint64_t b)
{
	struct norn_self *me = &norn_self;
	struct norn_read result = {0, 0};
	uint64_t fresh;
	if (NORN_UNLIKELY(!norn_enter_step(me, LOG_RMW, site, p, size))) {
		result.value = rmw(p, operand, op, size, &fresh);
		return result;
	}
	struct norn_shard *shard = norn_shard_of(p);
	norn_hold(me, shard);
	result.value = rmw(p, operand, op, size, &fresh);
	norn_note_marks(me);
	norn_put_depends(me, a, b, 0);
	result.position = norn_position(me);
	norn_put4(me, LOG_RMW, site, norn_version(shard), LOG_ACCESS((uintptr_t)p, size, 0),
		  result.value, fresh);
	norn_release(me, shard);
	norn_leave(me);
	return result;
}

NORN_INLINE struct norn_read swap_hook(void *p, uint64_t expected, uint64_t desired, unsigned size,
				       uint32_t site, uint64_t a, uint64_t b)
{
	struct norn_self *me = &norn_self;
	struct norn_read result = {cut(expected, size), 0};
	if (NORN_UNLIKELY(!norn_enter_step(me, LOG_RMW, site, p, size))) {
		exchange(p, &result.value, desired, size);
		return result;
	}
	struct norn_shard *shard = norn_shard_of(p);
	uint64_t access = LOG_ACCESS((uintptr_t)p, size, 0);
	norn_hold(me, shard);
	bool done = exchange(p, &result.value, desired, size);
	norn_note_marks(me);
	norn_put_depends(me, a, b, 0);
	result.position = norn_position(me);
	if (done) {
		norn_put4(me, LOG_RMW, site, norn_version(shard), access, result.value,
			  cut(desired, size));
		norn_release(me, shard);
	} else {
		norn_put3(me, LOG_READ, site, norn_version(shard), access, result.value);
		norn_release_unchanged(me, shard);
	}
	norn_leave(me);
	return result;
}

#define SIZED(size)                                                                              \
	struct norn_read __norn_read##size(const void *p, uint32_t site)                         \
	{                                                                                        \
		return READ(p, size, BY_ADDRESS, site, 0, 0, 0);                                 \
	}                                                                                        \
	struct norn_read __norn_read##size##_at(const void *p, uint32_t site, uint64_t a,        \
						uint64_t b, uint64_t c)                          \
	{                                                                                        \
		return READ(p, size, BY_ADDRESS, site, a, b, c);                                 \
	}                                                                                        \
	struct norn_read __norn_read##size##_look(const void *p, uint32_t site, uint64_t a,      \
						  uint64_t b, uint64_t c)                        \
	{                                                                                        \
		return READ(p, size, 0, site, a, b, c);                                          \
	}                                                                                        \
	void __norn_write##size(void *p, uint64_t value, uint32_t site)                          \
	{                                                                                        \
		write_hook(p, value, size, BY_ADDRESS, site, 0, 0, 0);                           \
	}                                                                                        \
	void __norn_write##size##_from(void *p, uint64_t value, uint32_t site, uint64_t a,       \
				       uint64_t b, uint64_t c)                                   \
	{                                                                                        \
		write_hook(p, value, size, 0, site, a, b, c);                                    \
	}                                                                                        \
	void __norn_write##size##_at(void *p, uint64_t value, uint32_t site, uint64_t a,         \
				     uint64_t b, uint64_t c)                                     \
	{                                                                                        \
		write_hook(p, value, size, BY_ADDRESS, site, a, b, c);                           \
	}                                                                                        \
	/* An aligned plain load of the processor is atomic, and ordered by the shard's version. \
	 */                                                                                      \
	struct norn_read __norn_load##size(const void *p, uint32_t site, uint64_t a, uint64_t b) \
	{                                                                                        \
		return READ(p, size, ATOMIC | BY_ADDRESS, site, a, b, 0);                        \
	}                                                                                        \
	void __norn_store##size(void *p, uint64_t value, uint32_t site, uint64_t a, uint64_t b,  \
				uint64_t c)                                                      \
	{                                                                                        \
		write_hook(p, value, size, ATOMIC, site, a, b, c);                               \
	}                                                                                        \
	struct norn_read __norn_rmw##size(void *p, uint64_t operand, uint32_t op, uint32_t site, \
					  uint64_t a, uint64_t b)                                \
	{                                                                                        \
		return rmw_hook(p, operand, (enum norn_op)op, size, site, a, b);                 \
	}                                                                                        \
	struct norn_read __norn_swap##size(void *p, uint64_t expected, uint64_t desired,         \
					   uint32_t site, uint64_t a, uint64_t b)                \
	{                                                                                        \
		return swap_hook(p, expected, desired, size, site, a, b);                        \
	}
SIZED(1)
SIZED(2)
SIZED(4)
SIZED(8)

/*
 * Values and branches: a record that has its first dependence in itself, or two that are close, or
 * three that are very close. What does not fit stands before it. The position is the record's.
 */
static uint64_t put_value(struct norn_self *me, enum log_kind kind, uint32_t site, uint64_t a,
			  uint64_t b, uint64_t c)
{
	uint64_t here = norn_position(me), x = a ? here - a : 0, y = b ? here - b : 0, high = x;
	bool fits = x < LOG_PAIR;
	if (c) {
		fits = (x | y | (here - c)) <= LOG_CLOSEST;
		high = LOG_TRIPLE_OF(x, y, here - c);
	} else if (b) {
		fits = (x | y) <= LOG_CLOSE;
		high = LOG_PAIR | x | y << 16;
	}
	if (!fits) {
		bool far = here - a >= LOG_PAIR - 3; /* NORN_HERE is, too */
		norn_put_depends(me, far ? a : 0, b, c);
		here = norn_position(me);
		high = far || !a ? 0 : here - a;
	}
	norn_put1(me, kind, site, (uint32_t)high);
	return here;
}

/* Behind the quick way, which is busy still: so it has no registers to save. */
static __attribute__((noinline)) uint64_t value_far(enum log_kind kind, uint32_t site, uint64_t a,
						    uint64_t b, uint64_t c)
{
	struct norn_self *me = &norn_self;
	uint64_t position = put_value(me, kind, site, a, b, c);
	norn_leave(me);
	return position;
}

/* A branch is a step, what a value came from is none. */
LONG_WAY uint64_t value_slowly(enum log_kind kind, uint32_t site, uint64_t a, uint64_t b,
			       uint64_t c)
{
	struct norn_self *me = &norn_self;
	if (kind == LOG_BRANCH ? !norn_enter_step(me, kind, site, NULL, 0) : !norn_enter(me))
		return 0;
	return value_far(kind, site, a, b, c);
}

LONG_WAY uint64_t deliver_after_value(uint64_t position)
{
	norn_deliver(&norn_self);
	return position;
}

NORN_INLINE uint64_t leave_value(struct norn_self *me, uint64_t position)
{
	NORN_COMPILER_BARRIER();
	me->busy = 0;
	NORN_COMPILER_BARRIER();
	return NORN_LIKELY(!me->pending) ? position : deliver_after_value(position);
}

static __attribute__((noinline)) uint64_t value_of_three(enum log_kind kind, uint32_t site,
							 uint64_t a, uint64_t b, uint64_t c)
{
	struct norn_self *me = &norn_self;
	if (NORN_UNLIKELY(!enter_quickly(me, NULL, 1)))
		return value_slowly(kind, site, a, b, c);
	uint64_t position = norn_position(me);
	uint64_t x = a ? position - a : 0, y = b ? position - b : 0, z = position - c;
	if (NORN_UNLIKELY((x | y | z) > LOG_CLOSEST))
		return value_far(kind, site, a, b, c);
	norn_put1(me, kind, site, LOG_TRIPLE_OF(x, y, z));
	return leave_value(me, position);
}

/* The quick way is for one dependence, for two that are close, and for one and a value that is
 * there only now: the condition of most loops. */
NORN_INLINE uint64_t value_hook(enum log_kind kind, uint32_t site, uint64_t a, uint64_t b,
				uint64_t c)
{
	struct norn_self *me = &norn_self;
	if (c)
		return value_of_three(kind, site, a, b, c);
	if (NORN_UNLIKELY(!enter_quickly(me, NULL, 1)))
		return value_slowly(kind, site, a, b, c);
	uint64_t position = norn_position(me), high = a ? position - a : 0;
	if (b & NORN_HERE && high < LOG_PAIR - 3) {
		norn_commit(me, me->at, LOG_WORD(LOG_DEPEND, 1 | LOG_HERE, (uint32_t)b), 1);
		position++;
		high += a != 0;
	} else if (b) {
		if (NORN_UNLIKELY((high | (position - b)) > LOG_CLOSE))
			return value_far(kind, site, a, b, c);
		high |= LOG_PAIR | (position - b) << 16;
	} else if (NORN_UNLIKELY(high >= LOG_PAIR)) {
		return value_far(kind, site, a, b, c);
	}
	norn_put1(me, kind, site, (uint32_t)high);
	return leave_value(me, position);
}

void __norn_branch_from(uint32_t site, uint64_t a, uint64_t b, uint64_t c)
{
	value_hook(LOG_BRANCH, site, a, b, c);
}

uint64_t __norn_branch_arm(uint32_t site, uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t position = value_hook(LOG_BRANCH, site, a, b, c);
	return a | b | c ? position : 0;
}

/* What an address came from is said once, and was perhaps said in the arm. */
void __norn_rejoin(uint64_t branch)
{
	struct norn_self *me = &norn_self;
	if (!branch)
		return;
	if (!norn_enter(me))
		return;
	memset(me->fixed, 0, sizeof(me->fixed));
	norn_put1(me, LOG_REJOIN, 0, (uint32_t)(norn_position(me) - branch));
	norn_leave(me);
}

uint64_t __norn_either(uint64_t branch, uint64_t value, uint64_t other)
{
	struct norn_self *me = &norn_self;
	if (!branch || !norn_enter(me))
		return value;
	norn_put_depend(me, 0, value);
	norn_put_depend(me, 1, other);
	uint64_t position = norn_position(me);
	norn_put1(me, LOG_EITHER, 0, (uint32_t)(position - branch));
	norn_leave(me);
	return position;
}

void __norn_guard(uint32_t takes, uint32_t site, uint64_t a, uint64_t b, uint64_t c)
{
	if (!takes)
		__norn_branch_from(site, a, b, c);
}

void __norn_branch(uint32_t site)
{
	__norn_branch_from(site, 0, 0, 0);
}

uint64_t __norn_value_opaque(uint32_t site)
{
	return value_slowly(LOG_VALUE, site, 0, 0, 0);
}

uint64_t __norn_value(uint32_t site, uint64_t a, uint64_t b, uint64_t c)
{
	return a | b | c ? value_hook(LOG_VALUE, site, a, b, c) : 0;
}

uint64_t __norn_fixed(uint64_t value)
{
	struct norn_self *me = &norn_self;
	if (!norn_enter(me))
		return 0;
	uint64_t position = norn_position(me);
	norn_put2(me, LOG_FIXED, 0, value);
	norn_leave(me);
	return position;
}

/* The life of a local is no step, but others may have to wait for its end. */
static void log_local(enum log_kind kind, void *p, size_t n, uint32_t site, const void *pc)
{
	struct norn_self *me = &norn_self;
	struct norn_step step = {.index = PLAN_NONE};
	if (norn_replays())
		norn_step_wait(
			&step,
			&(struct norn_what){
				.kind = kind, .loose = true, .object = p, .size = n, .pc = pc});
	if (NORN_LIKELY(norn_enter(me))) {
		if (kind == LOG_STACK) /* what ran before did not change it */
			norn_note_marks(me);
		norn_put3(me, kind, site, 0, (uintptr_t)p, n);
		norn_leave(me);
	}
	norn_end_step(&step, true);
}

void __norn_stack(void *p, size_t n, uint32_t site)
{
	log_local(LOG_STACK, p, n, site, __builtin_return_address(0));
}

void __norn_stack_end(void *p, size_t n, uint32_t site)
{
	log_local(LOG_STACK_END, p, n, site, __builtin_return_address(0));
}
