/* SPDX-License-Identifier: MIT */
/*
 * Accesses that are not of 1, 2, 4 or 8 bytes within a line: those that cross one, which are one
 * access at one moment, and ranges, which are one access for each line or part of it.
 */
#include "runtime/libc/ranges.h"

#include <string.h>

#include "runtime/access.h"
#include "runtime/append.h"
#include "runtime/hooks.h"
#include "runtime/pthread/locks.h"
#include "runtime/replay/replay.h"
#include "runtime/shard.h"

static size_t to_line_end(const void *p, size_t n)
{
	size_t rest = LOG_LINE - ((uintptr_t)p & (LOG_LINE - 1));
	return n < rest ? n : rest;
}

static uint64_t put_bytes(struct norn_self *me, enum log_kind kind, uint32_t site, uint32_t version,
			  const void *p, const void *bytes, size_t n, unsigned flags)
{
	uint64_t position = norn_position(me);
	uint64_t *at = me->at;
	unsigned words = (unsigned)((n + 7) / 8);
	at[1 + words] = 0;
	memcpy(at + 2, bytes, n);
	at[1] = LOG_ACCESS((uintptr_t)p, n, flags);
	norn_commit(me, at, LOG_WORD(kind, site, version), 2 + words);
	return position;
}

static void put_depends(struct norn_self *me, const uint64_t depends[3])
{
	norn_put_depends(me, depends[0], depends[1], depends[2]);
}

uint64_t norn_read_across(struct norn_self *me, uint64_t *value, const void *p, unsigned size,
			  uint32_t site, const uint64_t depends[3])
{
	size_t here = to_line_end(p, size);
	const char *next_line = (const char *)p + here;
	struct norn_shard *shard = norn_shard_of(p), *next_shard = norn_shard_of(next_line);
	uint32_t first, second;
	do {
		norn_note_marks(me);
		first = norn_read_begin(shard);
		second = norn_read_begin(next_shard);
		memcpy(value, p, size);
	} while (!norn_marks_noted(me) || !norn_read_valid(shard, first) ||
		 !norn_read_valid(next_shard, second));
	NORN_COMPILER_BARRIER();
	put_depends(me, depends);
	const char *bytes = (const char *)value;
	uint64_t position = put_bytes(me, LOG_READ, site, first, p, bytes, here, LOG_PART);
	put_bytes(me, LOG_READ, site, second, next_line, bytes + here, size - here, LOG_LOOSE);
	return position;
}

void norn_write_across(struct norn_self *me, void *p, const uint64_t *value, unsigned size,
		       uint32_t site, const uint64_t depends[3])
{
	size_t here = to_line_end(p, size);
	const char *next_line = (const char *)p + here;
	struct norn_shard *shard = norn_shard_of(p), *next_shard = norn_shard_of(next_line);
	norn_hold_two(me, shard, next_shard);
	memcpy(p, value, size);
	NORN_COMPILER_BARRIER();
	put_depends(me, depends);
	const char *bytes = (const char *)value;
	put_bytes(me, LOG_WRITE, site, norn_version(shard), p, bytes, here, LOG_PART);
	put_bytes(me, LOG_WRITE, site, norn_version(next_shard), next_line, bytes + here,
		  size - here, LOG_LOOSE);
	norn_release_two(me);
}

/* Within one line. The version of what was copied. */
static uint32_t copy_out(struct norn_self *me, void *mine, const void *p, size_t n)
{
	struct norn_shard *shard = norn_shard_of(p);
	uint32_t version;
	do {
		norn_note_marks(me);
		version = norn_read_begin(shard);
		memcpy(mine, p, n);
	} while (!norn_marks_noted(me) || !norn_read_valid(shard, version));
	NORN_COMPILER_BARRIER();
	return version;
}

/* What a library function has seen (struct norn_seen) */

static void note_seen(struct norn_self *me, uint64_t position)
{
	if (me->seen.gathers && me->seen.n < NORN_SEEN)
		me->seen.at[me->seen.n++] = position;
}

/* One value for the first three of them, or as many as there are. Not busy. */
static void join_seen(struct norn_self *me)
{
	struct norn_seen *seen = &me->seen;
	unsigned n = seen->n < 3 ? seen->n : 3;
	uint64_t *at = seen->at;
	uint64_t value =
		__norn_value(norn_library_value(), at[0], n > 1 ? at[1] : 0, n > 2 ? at[2] : 0);
	memmove(at + 1, at + n, (seen->n - n) * sizeof *at);
	at[0] = value;
	seen->n = (uint8_t)(seen->n - n + 1);
}

/* Room for what two glances see. */
static void make_room_for_seen(struct norn_self *me)
{
	while (NORN_UNLIKELY(me->seen.n > NORN_SEEN - 2))
		join_seen(me);
}

uint64_t __norn_seen(void)
{
	struct norn_self *me = &norn_self;
	if (!me->seen.n)
		return 0;
	do
		join_seen(me);
	while (me->seen.n > 1);
	return me->seen.at[0];
}

void norn_gather(void)
{
	norn_self.seen.gathers = true;
	norn_self.seen.n = 0;
}

void __norn_printed(uint64_t position)
{
	norn_self.seen.printed = position;
}

uint64_t norn_printed(void)
{
	uint64_t printed = norn_self.seen.printed;
	norn_self.seen.printed = 0;
	return printed;
}

/* `flags`: LOG_LOOSE, but for the first piece of a range. */
static uint64_t read_piece(struct norn_self *me, void *mine, const void *p, size_t n, uint32_t site,
			   unsigned flags)
{
	uint32_t version = copy_out(me, mine, p, n);
	return put_bytes(me, LOG_READ, site, version, p, mine, n, flags);
}

static void write_piece(struct norn_self *me, void *p, const void *mine, size_t n, uint32_t site,
			uint64_t depends, unsigned flags)
{
	struct norn_shard *shard = norn_shard_of(p);
	norn_hold(me, shard);
	memcpy(p, mine, n);
	NORN_COMPILER_BARRIER();
	norn_put_depend(me, 0, depends);
	put_bytes(me, LOG_WRITE, site, norn_version(shard), p, mine, n, flags);
	norn_release(me, shard);
}

static void read_range(void *mine, const void *p, size_t n, uint32_t site, const void *pc,
		       unsigned flags)
{
	struct norn_self *me = &norn_self;
	char *to = mine;
	struct norn_step step = {.index = PLAN_NONE};
	for (const char *from = p; n;) {
		norn_next_piece(&step, LOG_READ, from, n, site, pc, from != p);
		if (!site)
			make_room_for_seen(me);
		if (!norn_enter(me)) {
			memcpy(to, from, n);
			return;
		}
		size_t piece = to_line_end(from, n);
		uint64_t position =
			read_piece(me, to, from, piece, site, flags | (from == p ? 0 : LOG_LOOSE));
		if (!site)
			note_seen(me, position);
		norn_leave(me);
		to += piece;
		from += piece;
		n -= piece;
	}
	norn_end_step(&step, true);
}

void __norn_read_range(void *mine, const void *p, size_t n, uint32_t site)
{
	read_range(mine, p, n, site, NORN_CALLER, 0);
}

uint64_t norn_read_line(const void *p, uint32_t site)
{
	struct norn_self *me = &norn_self;
	char mine[LOG_LINE];
	struct norn_step step = {.index = PLAN_NONE};
	norn_next_piece(&step, LOG_READ, p, sizeof mine, site, NORN_CALLER, false);
	if (!norn_enter(me))
		return 0;
	uint64_t position = read_piece(me, mine, p, sizeof mine, site, 0);
	norn_leave(me);
	norn_end_step(&step, true);
	return position;
}

static void write_range(void *p, const void *mine, size_t n, uint32_t site, const void *pc,
			uint64_t depends, unsigned flags)
{
	struct norn_self *me = &norn_self;
	const char *from = mine;
	struct norn_step step = {.index = PLAN_NONE};
	for (char *to = p; n;) {
		norn_next_piece(&step, LOG_WRITE, to, n, site, pc, to != p);
		if (!norn_enter(me)) {
			memcpy(to, from, n);
			return;
		}
		size_t piece = to_line_end(to, n);
		write_piece(me, to, from, piece, site, depends, flags | (to == p ? 0 : LOG_LOOSE));
		norn_leave(me);
		to += piece;
		from += piece;
		n -= piece;
	}
	norn_end_step(&step, true);
}

void __norn_write_range(void *p, const void *mine, size_t n, uint32_t site)
{
	write_range(p, mine, n, site, NORN_CALLER, 0, 0);
}

/*
 * A copy is two steps, its first read and its first write: either may be the access that a bug is
 * about. They are taken in the first piece; the others belong to the second.
 */
struct copy {
	char *to;
	const char *from;
	size_t n; /* that are left */
	uint32_t read_site, write_site;
	const void *pc;
	unsigned loose; /* of the next piece */
	struct norn_step step;
};

/* The piece that begins at `at`. Not busy between the two: the write waits for its own turn. */
static bool copy_piece(struct norn_self *me, struct copy *c, size_t at, size_t n)
{
	char mine[LOG_LINE];
	norn_next_piece(&c->step, LOG_READ, c->from, c->n, c->read_site, c->pc, c->loose);
	if (!norn_enter(me))
		return false;
	uint64_t read = read_piece(me, mine, c->from + at, n, c->read_site, c->loose);
	if (norn_replays()) {
		norn_leave(me);
		norn_next_piece(&c->step, LOG_WRITE, c->to, c->n, c->write_site, c->pc, c->loose);
		if (!norn_enter(me))
			return false;
	}
	write_piece(me, c->to + at, mine, n, c->write_site, read,
		    c->loose | (c->write_site ? 0 : LOG_FROM));
	c->loose = LOG_LOOSE;
	norn_leave(me);
	return true;
}

/* How much of the last n bytes before p is in one line. */
static size_t to_line_begin(const char *p, size_t n)
{
	size_t rest = ((uintptr_t)p - 1) % LOG_LINE + 1;
	return n < rest ? n : rest;
}

/* Where the target begins inside the source, from the end, like memmove. */
static bool copy_backwards(struct norn_self *me, struct copy *c)
{
	for (size_t piece; c->n; c->n -= piece) {
		piece = to_line_begin(c->to + c->n, to_line_begin(c->from + c->n, c->n));
		if (!copy_piece(me, c, c->n - piece, piece))
			return false;
	}
	return true;
}

static bool copy_forwards(struct norn_self *me, struct copy *c)
{
	while (c->n) {
		size_t piece = to_line_end(c->to, to_line_end(c->from, c->n));
		if (!copy_piece(me, c, 0, piece))
			return false;
		c->to += piece;
		c->from += piece;
		c->n -= piece;
	}
	return true;
}

void __norn_copy(void *to, const void *from, size_t n, uint32_t read_site, uint32_t write_site)
{
	struct copy c = {.to = to,
			 .from = from,
			 .n = n,
			 .read_site = read_site,
			 .write_site = write_site,
			 .pc = NORN_CALLER,
			 .step = {.index = PLAN_NONE}};
	bool inside = c.to > c.from && c.to < c.from + n;
	if (inside ? copy_backwards(&norn_self, &c) : copy_forwards(&norn_self, &c))
		norn_end_step(&c.step, true);
	else
		memmove(c.to, c.from, c.n);
}

void __norn_passed(void *argument, uint64_t from, size_t n, uint32_t read_site, uint32_t write_site,
		   uint32_t fixed_site)
{
	if (from == NORN_UNKNOWN_COPY)
		norn_filled(NORN_CALLER, argument, n);
	else if (from)
		__norn_copy(argument, (const void *)from, n, read_site, write_site);
	else
		__norn_write_range(argument, argument, n, fixed_site);
}

void __norn_fill(void *to, int byte, size_t n, uint32_t site)
{
	char pattern[LOG_LINE];
	memset(pattern, byte, sizeof pattern);
	struct norn_self *me = &norn_self;
	struct norn_step step = {.index = PLAN_NONE};
	for (char *p = to; n;) {
		norn_next_piece(&step, LOG_WRITE, p, n, site, NORN_CALLER, p != to);
		if (!norn_enter(me)) {
			memset(p, byte, n);
			return;
		}
		size_t piece = to_line_end(p, n);
		write_piece(me, p, pattern, piece, site, 0, p == to ? 0 : LOG_LOOSE);
		norn_leave(me);
		p += piece;
		n -= piece;
	}
	norn_end_step(&step, true);
}

bool norn_ranges_on(void)
{
	struct norn_self *me = &norn_self;
	if (!norn_enter(me))
		return false;
	norn_leave(me);
	return true;
}

static void put_pc(struct norn_self *me, const void *pc)
{
	if (me->pc == (uintptr_t)pc)
		return;
	me->pc = (uintptr_t)pc;
	norn_put2(me, LOG_PC, 0, (uintptr_t)pc);
}

static void log_pc(struct norn_self *me, const void *pc)
{
	if (!norn_enter(me))
		return;
	put_pc(me, pc);
	norn_leave(me);
}

void norn_get(const void *pc, void *mine, const void *p, size_t n)
{
	log_pc(&norn_self, pc);
	read_range(mine, p, n, 0, NORN_CALLER, 0);
}

void norn_decide_by(const void *pc, void *mine, const void *p, size_t n)
{
	log_pc(&norn_self, pc);
	read_range(mine, p, n, 0, NORN_CALLER, LOG_STEPS);
}

void norn_put(const void *pc, void *p, const void *mine, size_t n)
{
	log_pc(&norn_self, pc);
	write_range(p, mine, n, 0, NORN_CALLER, 0, 0);
}

void norn_pass_on(const void *pc, void *p, const void *mine, size_t n)
{
	const struct norn_seen *seen = &norn_self.seen;
	uint64_t read = seen->n ? seen->at[seen->n - 1] : 0;
	log_pc(&norn_self, pc);
	write_range(p, mine, n, 0, NORN_CALLER, read, read ? LOG_FROM : 0);
}

uint64_t norn_get_position(const void *pc, void *mine, const void *p, size_t n)
{
	norn_gather();
	norn_get(pc, mine, p, n);
	return norn_self.seen.n == 1 ? norn_self.seen.at[0] : __norn_seen();
}

void norn_put_from(const void *pc, void *p, const void *mine, size_t n, uint64_t position)
{
	bool any = position == NORN_ANY_READ;
	log_pc(&norn_self, pc);
	write_range(p, mine, n, 0, NORN_CALLER, any ? 0 : position, any ? 0 : LOG_FROM);
}

void norn_lay(const void *pc, void *p, const void *mine, size_t n)
{
	norn_put_from(pc, p, mine, n, 0);
}

void norn_pass(const void *pc, void *p, const void *mine, size_t n)
{
	log_pc(&norn_self, pc);
	write_range(p, mine, n, 0, NORN_CALLER, __norn_seen(), LOG_FROM);
}

void norn_pass_printed(const void *pc, void *p, const void *mine, size_t n, uint64_t printed)
{
	uint64_t seen = __norn_seen();
	uint64_t both = !printed ? seen : __norn_value(norn_library_value(), printed, seen, 0);
	log_pc(&norn_self, pc);
	write_range(p, mine, n, 0, NORN_CALLER, both, LOG_FROM);
}

void norn_copied(const void *pc, void *to, const void *from, size_t n)
{
	log_pc(&norn_self, pc);
	__norn_copy(to, from, n, 0, 0);
}

static void log_filled(const void *pc, void *p, size_t n, unsigned flags)
{
	struct norn_self *me = &norn_self;
	log_pc(me, pc);
	struct norn_step step = {.index = PLAN_NONE};
	if (norn_replays())
		norn_step_wait(&step, &(struct norn_what){.kind = LOG_WRITE,
							  .access = true,
							  .performed = true,
							  .object = p,
							  .size = n,
							  .pc = pc});
	for (char *at = p; n && norn_enter(me);) {
		size_t piece = to_line_end(at, n);
		struct norn_shard *shard = norn_shard_of(at);
		char mine[LOG_LINE];
		norn_hold(me, shard);
		memcpy(mine, at, piece);
		NORN_COMPILER_BARRIER();
		put_bytes(me, LOG_WRITE, 0, norn_version(shard), at, mine, piece,
			  LOG_LOOSE | flags);
		norn_release(me, shard);
		norn_leave(me);
		at += piece;
		n -= piece;
	}
	norn_end_step(&step, true);
}

void norn_filled(const void *pc, void *p, size_t n)
{
	log_filled(pc, p, n, 0);
}

void norn_laid(const void *pc, void *p, size_t n)
{
	log_filled(pc, p, n, LOG_FROM);
}

/* Nothing is looked at: what was given back to the kernel has no memory until somebody asks. */
int norn_clear(const void *pc, void *p, size_t n, int (*act)(void *, size_t, int), int advice)
{
	static const char zeros[LOG_LINE];
	struct norn_self *me = &norn_self;
	struct norn_step step = {.index = PLAN_NONE};
	log_pc(me, pc);
	norn_next_piece(&step, LOG_WRITE, p, n, 0, pc, false);
	int r = act(p, n, advice);
	unsigned loose = 0;
	for (char *at = p; !r && n && norn_enter(me); loose = LOG_LOOSE) {
		size_t piece = to_line_end(at, n);
		struct norn_shard *shard = norn_shard_of(at);
		norn_hold(me, shard);
		put_bytes(me, LOG_WRITE, 0, norn_version(shard), at, zeros, piece,
			  loose | LOG_FROM);
		norn_release(me, shard);
		norn_leave(me);
		at += piece;
		n -= piece;
	}
	norn_end_step(&step, true);
	return r;
}

void norn_decided(const void *pc)
{
	struct norn_self *me = &norn_self;
	if (!norn_enter(me))
		return;
	put_pc(me, pc);
	norn_put1(me, LOG_BRANCH, 0, 0);
	norn_leave(me);
}

void __norn_passes(const void *function, const void *from, size_t n)
{
	char mine[LOG_LINE];
	if (__norn_takes(function))
		return;
	norn_gather();
	for (size_t done = 0, size; done < n; done += size) {
		size = n - done < sizeof mine ? n - done : sizeof mine;
		norn_get(NORN_CALLER, mine, (const char *)from + done, size);
	}
	norn_decided_by(NORN_CALLER, __norn_seen());
}

/* As the ABI of x86-64 has it. */
struct list {
	uint32_t integers, doubles; /* in `registers`: where the next one is */
	char *memory, *registers;
};

#define INTEGERS_END 48
#define DOUBLES_END 176

/* Where the next argument is. */
static char *next_argument(struct list *l, uint64_t kind)
{
	char *at;
	if (kind == NORN_KIND_DOUBLE && l->doubles < DOUBLES_END) {
		at = l->registers + l->doubles;
		l->doubles += 16;
	} else if (kind != NORN_KIND_DOUBLE && l->integers < INTEGERS_END) {
		at = l->registers + l->integers;
		l->integers += 8;
	} else {
		at = l->memory;
		l->memory += 8;
	}
	return at;
}

/* What is not known is fixed from here on. */
void __norn_arguments(void *list, const uint64_t *kept, uint32_t seen)
{
	struct list l;
	memcpy(&l, list, sizeof l);
	if (seen)
		norn_lay(NORN_CALLER, list, &l, sizeof l);
	if (kept[0] == NORN_UNKNOWN_KINDS)
		norn_decided(NORN_CALLER);
	else
		for (uint64_t kinds = *kept++; kinds; kinds >>= NORN_KIND_BITS, kept++) {
			uint64_t kind = kinds & ((1u << NORN_KIND_BITS) - 1);
			char *at = next_argument(&l, kind);
			norn_put_from(NORN_CALLER, at, at, kind == NORN_KIND_INT ? 4 : 8, *kept);
		}
}

void __norn_list(uint64_t position)
{
	norn_self.seen.list = position;
	norn_self.seen.has_list = true;
}

uint64_t norn_list(void)
{
	struct norn_seen *seen = &norn_self.seen;
	uint64_t list = seen->has_list ? seen->list : NORN_ANY_READ;
	seen->has_list = false;
	return list;
}

void norn_decided_by(const void *pc, uint64_t position)
{
	if (position == NORN_ANY_READ)
		norn_decided(pc);
	else if (position)
		__norn_branch_from(norn_library_guard(), position, 0, 0);
}

/* There is room for what two glances see: a block that began between would be younger than they. */
void norn_look_begin(const void *pc, const void *p, const void *also, size_t n)
{
	struct norn_self *me = &norn_self;
	if (norn_replays())
		norn_step_wait(&me->look, &(struct norn_what){.kind = LOG_READ,
							      .access = true,
							      .object = p,
							      .also = also,
							      .size = n,
							      .pc = pc});
	make_room_for_seen(me);
	me->looks = norn_enter(me);
}

void norn_look_end(void)
{
	struct norn_self *me = &norn_self;
	if (!me->looks)
		return;
	me->looks = false;
	norn_leave(me);
	norn_end_step(&me->look, true);
}

uint32_t norn_glance(void *mine, const void *p, size_t n)
{
	if (norn_self.looks)
		return copy_out(&norn_self, mine, p, n);
	memcpy(mine, p, n);
	return 0;
}

void norn_saw(const void *pc, const void *p, const void *mine, size_t n, uint32_t version,
	      bool steps)
{
	struct norn_self *me = &norn_self;
	if (!n || !me->looks)
		return;
	put_pc(me, pc);
	note_seen(me, put_bytes(me, LOG_READ, 0, version, p, mine, n, steps ? LOG_STEPS : 0));
}

void norn_long_call(void)
{
	norn_log_time(&norn_self);
}
