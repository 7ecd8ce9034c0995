#include "runtime/shadow.h"

#include <errno.h>
#include <sys/mman.h>

#include "runtime/run.h"
#include "runtime/sys.h"

/* Memory is only used as far as entries are. */
#define ENTRIES_MOST (1u << 22)

static struct norn_shadow *entries;
static uint32_t used;

bool norn_shadow_begin(void)
{
	long map = NORN_SYS(mmap, 0, ENTRIES_MOST * sizeof *entries, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map < 0 && map > -4096)
		return false;
	entries = (struct norn_shadow *)map;
	used = 0;
	return true;
}

static bool is_held(const struct norn_shadow *entry)
{
	return entry->kind == NORN_HELD || entry->kind == NORN_HELD_SHARED;
}

struct norn_shadow *norn_shadow_find(struct norn_shard *shard, const void *object,
				     enum norn_shadow_kind kind, uint32_t thread)
{
	for (uint32_t i = shard->shadow; i; i = entries[i - 1].next) {
		struct norn_shadow *entry = &entries[i - 1];
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
	if (index) {
		shard->unused = entries[index - 1].next;
	} else {
		index = __atomic_load_n(&used, __ATOMIC_RELAXED) < ENTRIES_MOST
				? __atomic_add_fetch(&used, 1, __ATOMIC_RELAXED)
				: ENTRIES_MOST + 1;
		if (index > ENTRIES_MOST) {
			norn_fail("too many synchronisation objects", -ENOMEM);
			return NULL;
		}
	}
	struct norn_shadow *entry = &entries[index - 1];
	*entry = (struct norn_shadow){
		.object = (uintptr_t)object, .kind = kind, .next = shard->shadow};
	shard->shadow = index;
	return entry;
}

static void remove_at(struct norn_shard *shard, uint32_t *link)
{
	uint32_t index = *link;
	*link = entries[index - 1].next;
	entries[index - 1].next = shard->unused;
	shard->unused = index;
}

void norn_shadow_drop(struct norn_shard *shard, const void *object)
{
	for (uint32_t *link = &shard->shadow; *link;) {
		if (entries[*link - 1].object == (uintptr_t)object)
			remove_at(shard, link);
		else
			link = &entries[*link - 1].next;
	}
}

bool norn_shadow_other_holds(struct norn_shard *shard, const void *lock, uint32_t thread,
			     bool shared_too)
{
	for (uint32_t i = shard->shadow; i; i = entries[i - 1].next) {
		struct norn_shadow *entry = &entries[i - 1];
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
		      enum norn_shadow_kind kind)
{
	struct norn_shadow *entry = norn_shadow_find(shard, lock, kind, thread);
	if (!entry)
		entry = norn_shadow_add(shard, lock, kind);
	if (!entry)
		return;
	entry->held.thread = thread;
	entry->held.depth++;
}

void norn_shadow_give(struct norn_shard *shard, const void *lock, uint32_t thread,
		      enum norn_shadow_kind kind)
{
	for (uint32_t *link = &shard->shadow; *link; link = &entries[*link - 1].next) {
		struct norn_shadow *entry = &entries[*link - 1];
		if (entry->object != (uintptr_t)lock || entry->kind != kind ||
		    entry->held.thread != thread)
			continue;
		if (--entry->held.depth == 0)
			remove_at(shard, link);
		return;
	}
}
