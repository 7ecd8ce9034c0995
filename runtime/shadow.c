/* SPDX-License-Identifier: MIT */
#include "runtime/shadow.h"

#include <errno.h>
#include <sys/mman.h>

#include "runtime/run.h"
#include "runtime/sys.h"

/* In pages, which are mapped one by one: the address space of the program may be limited. The
 * first is enough for most programs. Entry 0 is none. */
#define PAGE_ENTRIES NORN_SHADOW_FIRST
#define PAGES 1024u
#define ENTRIES_MOST (PAGES * PAGE_ENTRIES - 1)

struct norn_shadow norn_shadow_first[PAGE_ENTRIES];
static struct norn_shadow *pages[PAGES];
static uint32_t used;

void norn_shadow_begin(void)
{
	used = 0;
}

static struct norn_shadow *entry_at(uint32_t index)
{
	return NORN_LIKELY(index < PAGE_ENTRIES)
		       ? &norn_shadow_first[index]
		       : &pages[index / PAGE_ENTRIES][index % PAGE_ENTRIES];
}

/* Several threads may come here with entries of one page. */
static bool map_page(uint32_t index)
{
	struct norn_shadow **page = &pages[index / PAGE_ENTRIES], *none = NULL;
	if (index < PAGE_ENTRIES || __atomic_load_n(page, __ATOMIC_ACQUIRE))
		return true;
	long map = NORN_SYS(mmap, 0, PAGE_ENTRIES * sizeof **page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map < 0 && map > -4096) {
		norn_fail("no memory for what is known of locks", -1, map);
		return false;
	}
	if (!__atomic_compare_exchange_n(page, &none, (struct norn_shadow *)map, false,
					 __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		NORN_SYS(munmap, map, PAGE_ENTRIES * sizeof **page, 0, 0, 0, 0);
	return true;
}

/* 0: there is none left. */
static uint32_t new_entry(void)
{
	uint32_t index = __atomic_load_n(&used, __ATOMIC_RELAXED) < ENTRIES_MOST
				 ? __atomic_add_fetch(&used, 1, __ATOMIC_RELAXED)
				 : ENTRIES_MOST + 1;
	if (index > ENTRIES_MOST) {
		norn_fail("too many synchronisation objects", -1, 0);
		return 0;
	}
	return map_page(index) ? index : 0;
}

static bool is_held(const struct norn_shadow *entry)
{
	return entry->kind == NORN_HELD || entry->kind == NORN_HELD_SHARED;
}

struct norn_shadow *norn_shadow_find(struct norn_shard *shard, const void *object,
				     enum norn_shadow_kind kind, uint32_t thread)
{
	for (uint32_t i = shard->shadow; i; i = entry_at(i)->next) {
		struct norn_shadow *entry = entry_at(i);
		if (entry->object == (uintptr_t)object && entry->kind == kind &&
		    (!is_held(entry) || entry->held.thread == thread))
			return entry;
	}
	return NULL;
}

struct norn_shadow *norn_shadow_add(struct norn_shard *shard, const void *object,
				    enum norn_shadow_kind kind)
{
	uint32_t index = shard->unused;
	if (index)
		shard->unused = entry_at(index)->next;
	else
		index = new_entry();
	if (!index)
		return NULL;
	struct norn_shadow *entry = entry_at(index);
	*entry = (struct norn_shadow){
		.object = (uintptr_t)object, .kind = kind, .next = shard->shadow};
	shard->shadow = index;
	return entry;
}

/* The log has accesses to counters, by their addresses: none is used again for something else. So
 * that there is room left, they are kept from some number on; whoever comes to that object later
 * comes behind all that was counted there. */
#define DROPPED_BEFORE (ENTRIES_MOST / 2)

static bool may_drop(const struct norn_shadow *entry)
{
	return entry->kind != NORN_COUNTER ||
	       __atomic_load_n(&used, __ATOMIC_RELAXED) < DROPPED_BEFORE;
}

static void remove_at(struct norn_shard *shard, uint32_t *link)
{
	uint32_t index = *link;
	*link = entry_at(index)->next;
	if (entry_at(index)->kind == NORN_COUNTER)
		return;
	entry_at(index)->next = shard->unused;
	shard->unused = index;
}

void norn_shadow_drop(struct norn_shard *shard, const void *object)
{
	for (uint32_t *link = &shard->shadow; *link;) {
		if (entry_at(*link)->object == (uintptr_t)object && may_drop(entry_at(*link)))
			remove_at(shard, link);
		else
			link = &entry_at(*link)->next;
	}
}

bool norn_shadow_other_holds(struct norn_shard *shard, const void *lock, uint32_t thread,
			     bool shared_too)
{
	for (uint32_t i = shard->shadow; i; i = entry_at(i)->next) {
		struct norn_shadow *entry = entry_at(i);
		if (entry->object == (uintptr_t)lock && is_held(entry) &&
		    entry->held.thread != thread && (shared_too || entry->kind == NORN_HELD))
			return true;
	}
	return false;
}

uint32_t norn_shadow_depth(struct norn_shard *shard, const void *lock, uint32_t thread,
			   enum norn_shadow_kind kind)
{
	struct norn_shadow *entry = norn_shadow_find(shard, lock, kind, thread);
	return entry ? entry->held.depth : 0;
}

void norn_shadow_take(struct norn_shard *shard, const void *lock, uint32_t thread,
		      enum norn_shadow_kind kind, const void *pc)
{
	struct norn_shadow *entry = norn_shadow_find(shard, lock, kind, thread);
	if (!entry)
		entry = norn_shadow_add(shard, lock, kind);
	if (!entry)
		return;
	entry->held.thread = thread;
	if (!entry->held.depth++)
		entry->held.pc = pc;
}

bool norn_shadow_give(struct norn_shard *shard, const void *lock, uint32_t thread,
		      enum norn_shadow_kind kind)
{
	for (uint32_t *link = &shard->shadow; *link; link = &entry_at(*link)->next) {
		struct norn_shadow *entry = entry_at(*link);
		if (entry->object != (uintptr_t)lock || entry->kind != kind ||
		    entry->held.thread != thread)
			continue;
		if (--entry->held.depth == 0)
			remove_at(shard, link);
		return true;
	}
	return false;
}

void norn_shadow_each(void (*act)(void *context, struct norn_shadow *entry), void *context)
{
	for (uint32_t s = 0; s <= LOG_SHARDS; s++)
		for (uint32_t i = norn_shards[s].shadow; i; i = entry_at(i)->next)
			act(context, entry_at(i));
}
