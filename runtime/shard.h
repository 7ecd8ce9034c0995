/* SPDX-License-Identifier: MIT */
/*
 * Versions of shards (log.h): even when free, odd while somebody holds it.
 *
 * A version has a cache line of its own with one neighbour at most: packed more densely, threads
 * that write different data would fight for versions.
 */
#ifndef RUNTIME_SHARD_H
#define RUNTIME_SHARD_H

#include "runtime/log.h"
#include "runtime/self.h"
#include "runtime/unseen.h"

struct norn_shard {
	uint32_t version;
	uint32_t shadow; /* objects whose addresses are of this shard: see shadow.h */
	uint32_t unused; /* likewise: places that can be used again */
} __attribute__((aligned(32)));

extern NORN_HIDDEN struct norn_shard norn_shards[LOG_SHARDS + 1];

/* Waits, on and on more patiently. */
NORN_HIDDEN void norn_wait(uint32_t *spins);

NORN_INLINE struct norn_shard *norn_shard_of(const volatile void *p)
{
	return &norn_shards[log_shard((uintptr_t)p)];
}

/* To be called while busy. The version that the event gets is norn_version(), after the access. */
NORN_INLINE bool norn_try_shard(struct norn_shard *shard)
{
	uint32_t version = __atomic_load_n(&shard->version, __ATOMIC_RELAXED);
	return NORN_LIKELY(!(version & 1) &&
			   __atomic_compare_exchange_n(&shard->version, &version, version + 1,
						       false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
}

NORN_INLINE void norn_lock_shard(struct norn_shard *shard)
{
	for (uint32_t spins = 0; !norn_try_shard(shard);)
		norn_wait(&spins);
}

NORN_INLINE void norn_hold(struct norn_self *me, struct norn_shard *shard)
{
	norn_lock_shard(shard);
	NORN_COMPILER_BARRIER();
	me->busy = (uintptr_t)shard;
	NORN_COMPILER_BARRIER();
	norn_note_marks(me);
}

/* Of a shard that this thread holds. */
NORN_INLINE uint32_t norn_version(struct norn_shard *shard)
{
	NORN_COMPILER_BARRIER();
	return __atomic_load_n(&shard->version, __ATOMIC_RELAXED) - 1;
}

NORN_INLINE void norn_unlock_shard(struct norn_shard *shard, uint32_t version)
{
	__atomic_store_n(&shard->version, version, __ATOMIC_RELEASE);
}

/* An event has happened. */
NORN_INLINE void norn_release(struct norn_self *me, struct norn_shard *shard)
{
	norn_unlock_shard(shard, norn_version(shard) + 2);
	NORN_COMPILER_BARRIER();
	me->busy = 1;
}

/* None has: as if the shard had never been held. */
NORN_INLINE void norn_release_unchanged(struct norn_self *me, struct norn_shard *shard)
{
	norn_unlock_shard(shard, norn_version(shard));
	NORN_COMPILER_BARRIER();
	me->busy = 1;
}

/* Two shards, which may be one. */
NORN_INLINE void norn_hold_two(struct norn_self *me, struct norn_shard *one,
			       struct norn_shard *other)
{
	norn_hold(me, one < other ? one : other);
	if (one == other)
		return;
	norn_lock_shard(one < other ? other : one);
	NORN_COMPILER_BARRIER();
	me->second = (uintptr_t)(one < other ? other : one);
	NORN_COMPILER_BARRIER();
	norn_note_marks(me);
}

NORN_INLINE void norn_release_two(struct norn_self *me)
{
	struct norn_shard *second = (struct norn_shard *)me->second;
	me->second = 0;
	if (second)
		norn_unlock_shard(second, norn_version(second) + 2);
	norn_release(me, (struct norn_shard *)me->busy);
}

/* For readers: a version at which nobody holds the shard, and whether it still is that version. */
NORN_INLINE uint32_t norn_read_begin(struct norn_shard *shard)
{
	uint32_t version = __atomic_load_n(&shard->version, __ATOMIC_ACQUIRE);
	for (uint32_t spins = 0; NORN_UNLIKELY(version & 1);) {
		norn_wait(&spins);
		version = __atomic_load_n(&shard->version, __ATOMIC_ACQUIRE);
	}
	return version;
}

NORN_INLINE bool norn_read_valid(struct norn_shard *shard, uint32_t version)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return NORN_LIKELY(__atomic_load_n(&shard->version, __ATOMIC_RELAXED) == version);
}

#endif
