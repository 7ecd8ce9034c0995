/* SPDX-License-Identifier: MIT */
/*
 * norn.h. What happens before and after is a counter for each object, which no program sees: before
 * counts it up, after reads it, and a branch depends on what it read. They have sites of their own,
 * so that the merge takes them for the atomic accesses that they are.
 *
 * What is handed on may depend on all that the thread has read, and is another thing if others come
 * first. So a count is no sum that any other could make up for: it depends on every earlier read,
 * its own among them, and who has read it saw all counts before it, in their recorded order.
 */
#define __NORN__
#include "runtime/norn.h"

#include <string.h>

#include "runtime/hooks.h"
#include "runtime/host.h"
#include "runtime/libc/libc.h"
#include "runtime/modules.h"
#include "runtime/pthread/locks.h"
#include "runtime/replay/replay.h"
#include "runtime/run.h"
#include "runtime/sites.h"
#include "runtime/unseen.h"

#define SEQ_CST 6
#define TEXT "\0norn_happens_before\0norn_happens_after\0happens-before"

/* The same again for what the runtime does on its own, which is no step of the program. */
enum {
	COUNT_UP,
	LOOK,
	DEPEND,
	LOOSE,
	ALL = 2 * LOOSE,
	VALUE,
	GUARD,
	GOES_ON,
	TAKE,
	WAITED,
	TOLD,
	SITES
};
enum { BEFORE = 1, AFTER = 21, NAME = 40 };

#define SITES_OF(first, f)                                          \
	[(first) + COUNT_UP] = {.kind = SITE_RMW,                   \
				.order = SEQ_CST,                   \
				.size = 8,                          \
				.flags = (f),                       \
				.function = BEFORE,                 \
				.name = NAME},                      \
		   [(first) + LOOK] = {.kind = SITE_READ,           \
				       .order = SEQ_CST,            \
				       .size = 8,                   \
				       .flags = (f) | SITE_EXACT,   \
				       .function = AFTER,           \
				       .name = NAME},               \
		   [(first) + DEPEND] = {.kind = SITE_BRANCH,       \
					 .flags = (f) | SITE_EXACT, \
					 .values = 1,               \
					 .function = AFTER,         \
					 .name = NAME}

static const struct {
	struct site_table head;
	struct site sites[SITES];
	char text[sizeof TEXT];
} table = {
	.head = {.magic = SITE_MAGIC, .version = SITE_VERSION, .sites = SITES, .text = sizeof TEXT},
	.sites = {SITES_OF(0, 0), SITES_OF(LOOSE, SITE_LOOSE),
		  [WAITED] = {.kind = SITE_BRANCH,
			      .flags = SITE_LOOSE | SITE_EXACT | SITE_PLACE,
			      .values = 1,
			      .function = AFTER,
			      .name = NAME},
		  [TOLD] = {.kind = SITE_RMW,
			    .order = SEQ_CST,
			    .size = 8,
			    .flags = SITE_LOOSE | SITE_EXACT,
			    .function = AFTER,
			    .name = NAME},
		  [ALL] = {.kind = SITE_BRANCH, .flags = SITE_LOOSE},
		  [VALUE] = {.kind = SITE_VALUE, .flags = SITE_EXACT, .values = 3},
		  [GUARD] = {.kind = SITE_CALL, .flags = SITE_LOOSE | SITE_EXACT, .values = 1},
		  [GOES_ON] = {.kind = SITE_BRANCH, .flags = SITE_LOOSE | SITE_EXACT},
		  [TAKE] = {.kind = SITE_RMW,
			    .order = SEQ_CST,
			    .size = 8,
			    .flags = SITE_LOOSE | SITE_EXACT,
			    .function = BEFORE,
			    .name = NAME}},
	.text = TEXT,
};

static uint32_t base;

void norn_register_annotations(void)
{
	norn_register(&table, &base);
}

/* In a host, when something else is there that has hooks. */
__attribute__((constructor(101))) static void register_at_start(void)
{
	if (!norn_is_preloaded)
		norn_register_annotations();
}

int64_t *norn_hidden(const void *object)
{
	struct norn_self *me = &norn_self;
	if (!norn_enter(me))
		return NULL;
	struct norn_shard *shard = norn_shard_of(object);
	norn_hold(me, shard);
	struct norn_shadow *entry = norn_shadow_find(shard, object, NORN_COUNTER, 0);
	bool fresh = !entry;
	if (fresh)
		entry = norn_shadow_add(shard, object, NORN_COUNTER);
	norn_release_unchanged(me, shard);
	if (fresh && entry) {
		struct norn_shard *heap = &norn_shards[LOG_HEAP];
		norn_hold(me, heap);
		norn_put4(me, LOG_MAP, 0, norn_version(heap), (uintptr_t)&entry->count, 0,
			  sizeof entry->count);
		norn_release(me, heap);
	}
	norn_leave(me);
	return entry ? &entry->count : NULL;
}

bool norn_has_hidden(const void *object)
{
	struct norn_self *me = &norn_self;
	if (!norn_enter(me))
		return false;
	struct norn_shard *shard = norn_shard_of(object);
	norn_hold(me, shard);
	bool has = norn_shadow_find(shard, object, NORN_COUNTER, 0) != NULL;
	norn_release_unchanged(me, shard);
	norn_leave(me);
	return has;
}

void norn_forget(const void *object)
{
	struct norn_self *me = &norn_self;
	if (!norn_enter(me))
		return;
	struct norn_shard *shard = norn_shard_of(object);
	norn_hold(me, shard);
	norn_shadow_drop(shard, object);
	norn_release_unchanged(me, shard);
	norn_leave(me);
}

static void before(const void *object, uint32_t first)
{
	int64_t *counter = norn_hidden(object);
	if (counter)
		__norn_rmw8(counter, 1, NORN_ADD, first + COUNT_UP, 0, 0);
}

static void after(const void *object, uint32_t look, uint32_t depend)
{
	int64_t *counter = norn_hidden(object);
	if (!counter)
		return;
	struct norn_read seen = __norn_load8(counter, look, 0, 0);
	__norn_branch_from(depend, seen.position, 0, 0);
}

void norn_happens_before(const void *object)
{
	before(object, base);
}

void norn_happens_after(const void *object)
{
	after(object, base + LOOK, base + DEPEND);
}

void norn_comes_before(const void *object)
{
	before(object, base + LOOSE);
}

void norn_comes_after(const void *object)
{
	after(object, base + LOOSE + LOOK, base + LOOSE + DEPEND);
}

void norn_waited_for(const void *object)
{
	after(object, base + LOOSE + LOOK, base + WAITED);
}

void norn_tell_word(uint64_t *word, uint64_t value, bool looks)
{
	struct norn_read before = __norn_rmw8(word, value, NORN_XCHG, base + TOLD, 0, 0);
	if (looks)
		__norn_branch_from(base + LOOSE + DEPEND, before.position, 0, 0);
}

uint64_t norn_add_to_word(uint64_t *word, uint64_t n)
{
	struct norn_read before = __norn_rmw8(word, n, NORN_ADD, base + TOLD, 0, 0);
	__norn_branch_from(base + LOOSE + DEPEND, before.position, 0, 0);
	return before.value;
}

uint64_t norn_look_at_word(uint64_t *word)
{
	struct norn_read seen = __norn_load8(word, base + LOOSE + LOOK, 0, 0);
	__norn_branch_from(base + LOOSE + DEPEND, seen.position, 0, 0);
	return seen.value;
}

void norn_depend_on_all(void)
{
	__norn_branch(base + ALL);
}

/* Of a value that library functions compute (ranges.c). */
uint32_t norn_library_value(void)
{
	return base + VALUE;
}

uint32_t norn_library_guard(void)
{
	return base + GUARD;
}

void norn_goes_on(void)
{
	__norn_branch(base + GOES_ON);
}

void norn_takes(const void *object)
{
	int64_t *counter = norn_hidden(object);
	if (!counter)
		return;
	struct norn_read seen = __norn_rmw8(counter, 1, NORN_ADD, base + TAKE, 0, 0);
	__norn_branch_from(base + LOOSE + DEPEND, seen.position, 0, 0);
}

static void count_by(struct norn_channel *channel, uint32_t site)
{
	uint64_t *counter = &channel->counters[norn_self.number % (LOG_LINE / 8)];
	if (!norn_alone() && norn_ranges_on())
		__norn_rmw8(counter, 1, NORN_ADD, site, 0, 0);
}

void norn_channel_count(struct norn_channel *channel)
{
	count_by(channel, base + LOOSE + COUNT_UP);
}

bool norn_channel_is_used(const struct norn_channel *channel)
{
	for (size_t i = 0; i < LOG_LINE / 8; i++)
		if (__atomic_load_n(&channel->counters[i], __ATOMIC_SEQ_CST))
			return true;
	return false;
}

void norn_channel_look(const struct norn_channel *channel)
{
	if (norn_alone())
		return;
	uint64_t position = norn_read_line(channel, base + LOOSE + LOOK);
	__norn_branch_from(base + LOOSE + DEPEND, position, 0, 0);
}

/* What it has taken nothing of what the thread has read decides, only what there was: so its count
 * depends on that alone. */
void norn_channel_take(struct norn_channel *channel)
{
	count_by(channel, base + TAKE);
	norn_channel_look(channel);
}

static char assembly;

void __norn_assembly_begin(void)
{
	norn_happens_before(&assembly);
}

void __norn_assembly_end(void)
{
	norn_happens_after(&assembly);
}

void __norn_wide_begin(const void *p)
{
	norn_happens_before(p);
}

void __norn_wide_end(const void *p)
{
	norn_happens_after(p);
}

void norn_in_order(const void *object, bool changes, void (*act)(void *), void *context)
{
	struct norn_self *me = &norn_self;
	int64_t *counter = norn_hidden(object);
	uint32_t site = base + (changes ? COUNT_UP : LOOK);
	if (!counter ||
	    !norn_enter_step(me, changes ? LOG_RMW : LOG_READ, site, counter, sizeof *counter)) {
		act(context);
		return;
	}
	struct norn_shard *shard = norn_shard_of(counter);
	uint64_t access = LOG_ACCESS((uintptr_t)counter, sizeof *counter, 0);
	norn_hold(me, shard);
	uint64_t given = (uintptr_t)object;
	uint32_t call = norn_inline_begin(me, NORN_PC, &given, 1);
	act(context);
	norn_inline_end(me, NORN_PC, call);
	NORN_COMPILER_BARRIER();
	uint64_t position = norn_position(me), old = (uint64_t)*counter;
	if (changes) {
		*counter = (int64_t)old + 1;
		norn_put4(me, LOG_RMW, site, norn_version(shard), access, old, old + 1);
		norn_release(me, shard);
	} else {
		norn_put3(me, LOG_READ, site, norn_version(shard), access, old);
		norn_release_unchanged(me, shard);
	}
	norn_leave(me);
	__norn_branch_from(base + DEPEND, position, 0, 0);
}

void norn_locked(const void *lock)
{
	struct norn_step step = norn_begin_step(LOG_ACQUIRE, lock, NORN_PC);
	norn_log_acquire(lock, NORN_PC, false, false, 0);
	norn_end_step(&step, true);
}

void norn_unlocking(const void *lock)
{
	struct norn_step step = norn_begin_step(LOG_RELEASE, lock, NORN_PC);
	bool logged = norn_log_release(lock, NORN_PC, true);
	norn_end_step(&step, logged);
}

void norn_benign(const void *p, unsigned long size)
{
	struct norn_self *me = &norn_self;
	if (!norn_enter(me))
		return;
	norn_put3(me, LOG_BENIGN, 0, 0, (uintptr_t)p, size);
	norn_leave(me);
}

void norn_recording_start(void)
{
	struct norn_self *me = &norn_self;
	if (!norn_records())
		return;
	norn_run.shared->wanted = 1;
	if (norn_enter(me)) /* it notices */
		norn_leave(me);
}

void norn_recording_stop(void)
{
	if (norn_records() && !norn_replays())
		norn_stop(LOG_ASKED);
}
