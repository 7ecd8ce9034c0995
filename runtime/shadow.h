/* SPDX-License-Identifier: MIT */
/*
 * What the log says of synchronisation objects: who holds which lock, how far a semaphore and a
 * barrier are. A call that fails is logged only if the log agrees (doc/recording.md).
 *
 * Entries hang on the shard of the object's address, and whoever holds the shard may look at them
 * and change them. A lock that nobody holds has no entry; one that is held shared has one for each
 * holder.
 */
#ifndef RUNTIME_SHADOW_H
#define RUNTIME_SHADOW_H

#include "runtime/shard.h"

enum norn_shadow_kind {
	NORN_HELD,
	NORN_HELD_SHARED,
	NORN_SEMAPHORE,
	NORN_BARRIER,
	NORN_COUNTER, /* of NORN_HAPPENS_BEFORE */
};

struct norn_shadow {
	uintptr_t object;
	uint32_t next; /* its index, 0: none */
	uint32_t kind;
	union {
		struct {
			uint32_t thread, depth;
			const void *pc; /* where it was taken */
		} held;
		int64_t count; /* semaphore, counter */
		struct {
			uint32_t parties, entered, inside;
			uint32_t round; /* a futex */
		} barrier;
	};
};

/* Nothing is known. */
NORN_HIDDEN void norn_shadow_begin(void);

/* Null if there is none. `thread` counts for locks that are held. */
NORN_HIDDEN struct norn_shadow *norn_shadow_find(struct norn_shard *shard, const void *object,
						 enum norn_shadow_kind kind, uint32_t thread);
/* Null if there is no memory left: then the recording has been stopped. */
NORN_HIDDEN struct norn_shadow *norn_shadow_add(struct norn_shard *shard, const void *object,
						enum norn_shadow_kind kind);
/* All entries of the object. */
NORN_HIDDEN void norn_shadow_drop(struct norn_shard *shard, const void *object);

/* Locks. Whether another thread holds it; shared or not, or only if not shared. */
NORN_HIDDEN bool norn_shadow_other_holds(struct norn_shard *shard, const void *lock,
					 uint32_t thread, bool shared_too);
/* The thread's depth in it, 0 if it does not hold it in this way. */
NORN_HIDDEN uint32_t norn_shadow_depth(struct norn_shard *shard, const void *lock, uint32_t thread,
				       enum norn_shadow_kind kind);
NORN_HIDDEN void norn_shadow_take(struct norn_shard *shard, const void *lock, uint32_t thread,
				  enum norn_shadow_kind kind, const void *pc);
/* False: the thread does not hold it in this way. */
NORN_HIDDEN bool norn_shadow_give(struct norn_shard *shard, const void *lock, uint32_t thread,
				  enum norn_shadow_kind kind);

/*
 * The same for what is usual, without a call: nothing else is known of objects of that shard, and
 * the entry is one of the first. False: it is not so, and nothing has happened.
 */
#define NORN_SHADOW_FIRST 4096u
extern NORN_HIDDEN struct norn_shadow norn_shadow_first[NORN_SHADOW_FIRST];

NORN_INLINE bool norn_shadow_take_alone(struct norn_shard *shard, const void *lock, uint32_t thread,
					enum norn_shadow_kind kind, const void *pc)
{
	uint32_t index = shard->unused;
	if (shard->shadow || !index || index >= NORN_SHADOW_FIRST)
		return false;
	struct norn_shadow *entry = &norn_shadow_first[index];
	shard->unused = entry->next;
	shard->shadow = index;
	entry->object = (uintptr_t)lock;
	entry->next = 0;
	entry->kind = kind;
	entry->held.thread = thread;
	entry->held.depth = 1;
	entry->held.pc = pc;
	return true;
}

NORN_INLINE bool norn_shadow_give_alone(struct norn_shard *shard, const void *lock, uint32_t thread)
{
	uint32_t index = shard->shadow;
	if (!index || index >= NORN_SHADOW_FIRST)
		return false;
	struct norn_shadow *entry = &norn_shadow_first[index];
	if (entry->object != (uintptr_t)lock || entry->kind != NORN_HELD ||
	    entry->held.thread != thread || entry->held.depth != 1)
		return false;
	shard->shadow = entry->next;
	entry->next = shard->unused;
	shard->unused = index;
	return true;
}

/* All entries, while no thread is inside a hook. */
NORN_HIDDEN void norn_shadow_each(void (*act)(void *context, struct norn_shadow *entry),
				  void *context);

#endif
