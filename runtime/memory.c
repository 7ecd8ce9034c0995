/* SPDX-License-Identifier: MIT */
/*
 * Allocation, and mappings. A block is logged after it was got and before it is given back, so that
 * no address is in use twice.
 *
 * realloc is an allocation, a copy that is logged, and a release; or nothing at all, if the block
 * is large enough and not too large.
 */
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <unistd.h>

#include "runtime/append.h"
#include "runtime/callback.h"
#include "runtime/hooks.h"
#include "runtime/libc/libc.h"
#include "runtime/maps.h"
#include "runtime/pthread/locks.h"
#include "runtime/libc/ranges.h"
#include "runtime/real.h"
#include "runtime/replay/replay.h"
#include "runtime/run.h"
#include "runtime/pthread/threads.h"
#include "runtime/sys.h"

/* A block belongs to who asks for it, also within a call of which a model speaks. */
#undef NORN_PC
#define NORN_PC __builtin_return_address(0)

/* A program that brings its own allocator has it. */
#define WEAK __attribute__((weak))

/* What is no step waits for no turn: a library may hold a lock of its own meanwhile. */
static struct norn_step begin_heap(enum log_kind kind, const void *p, const void *pc, uint32_t site)
{
	struct norn_step step = {.index = PLAN_NONE};
	if (norn_replays() && (site || kind == LOG_FREE))
		norn_step_wait(&step, &(struct norn_what){.kind = kind,
							  .loose = !site,
							  .only_stops = !site,
							  .object = p,
							  .pc = pc});
	return step;
}

/* A thread that is over still runs destructors: what it allocates is not known to be in use. */
static bool enter_heap(struct norn_self *me)
{
	bool busy = me->busy;
	if (norn_enter(me))
		return true;
	if (!busy && norn_run.shared)
		norn_run.shared->unlogged = 1;
	return false;
}

/* `site`: whether it is a step, norn_step_site. */
static void log_heap(enum log_kind kind, const void *p, size_t size, const void *pc, uint32_t site)
{
	struct norn_self *me = &norn_self;
	struct norn_step step = begin_heap(kind, p, pc, site);
	if (!enter_heap(me))
		return;
	struct norn_shard *shard = &norn_shards[LOG_HEAP];
	norn_hold(me, shard);
	norn_put4(me, kind, site, norn_version(shard), (uintptr_t)p, (uintptr_t)pc, size);
	norn_release(me, shard);
	norn_leave(me);
	norn_end_step(&step, true);
}

/*
 * The release of a block holds the shards of all its lines at once, so that it has a place among
 * the accesses to each of them. All who hold several take the lower ones first, and the heap's is
 * the last.
 */

static void put_free(struct norn_self *me, const void *p, size_t size, const void *pc,
		     uint32_t site)
{
	uint16_t shards[LOG_SHARDS];
	struct norn_shard *heap = &norn_shards[LOG_HEAP];
	uint32_t count = log_lines((uintptr_t)p, size, shards), words = 4 + (count + 1) / 2;
	for (uint32_t i = 0; i < count; i++)
		norn_lock_shard(&norn_shards[shards[i]]);
	norn_lock_shard(heap);
	norn_note_marks(me);
	bool logs = norn_make_room(me, words);
	uint64_t *at = me->at;
	uint32_t *versions = (uint32_t *)(at + 4);
	for (uint32_t i = 0; logs && i < count; i++)
		versions[i] = norn_version(&norn_shards[shards[i]]);
	if (logs) {
		at[1] = (uintptr_t)p;
		at[2] = (uintptr_t)pc;
		at[3] = size | (uint64_t)count << 48;
		norn_commit(me, at, LOG_WORD(LOG_FREE, site, norn_version(heap)), words);
	}
	for (uint32_t i = 0; i < count; i++)
		norn_unlock_shard(&norn_shards[shards[i]],
				  norn_version(&norn_shards[shards[i]]) + 2);
	norn_unlock_shard(heap, norn_version(heap) + 2);
}

#define SIZE_KEPT 1024
#define SIZE_MOST (UINT64_C(1) << 47) /* of a block that is none, the size is anything */

/* Its size, if it is in the log now; else 0. */
static size_t log_free(void *p, const void *pc, uint32_t site)
{
	struct norn_self *me = &norn_self;
	struct norn_step step = begin_heap(LOG_FREE, p, pc, site);
	if (!norn_enter(me))
		return 0;
	size_t size = malloc_usable_size(p);
	put_free(me, p, size < SIZE_MOST ? size : SIZE_MOST, pc, site);
	norn_leave(me);
	norn_end_step(&step, true);
	return me->mode == NORN_LOGS ? size : 0;
}

/*
 * Small blocks are given back a little later than the program says: malloc would use them again at
 * once, and who still uses them could not be told from who uses the new block. What is freed while
 * it is here is freed for the second time, and libc is to see that.
 */

static void free_later(struct norn_self *me, void *p)
{
	for (uint32_t i = 0; i < NORN_FREED; i++)
		if (NORN_UNLIKELY(me->freed[i] == p)) {
			me->freed[i] = NULL;
			NORN_REAL(free)(p);
			NORN_REAL(free)(p);
			return;
		}
	uint32_t at = me->next_freed++ % NORN_FREED;
	void *oldest = me->freed[at];
	me->freed[at] = p;
	NORN_REAL(free)(oldest);
}

void norn_free_now(struct norn_self *me)
{
	for (uint32_t i = 0; i < NORN_FREED; i++) {
		void *p = me->freed[i];
		me->freed[i] = NULL;
		NORN_REAL(free)(p);
	}
}

/*
 * Large blocks are unmapped at once. Who still uses them is to crash, as without us: nothing is
 * mapped there for a while, least of all by us. A limit on memory has no room for that.
 */
#define MAPPED_FROM (128u << 10)
#define PAGE_BITS 12
#define COUNT_BITS 28 /* of pages; the rest is the number of the first one */
#define EMPTY_KEPT 16
static uint64_t empty[EMPTY_KEPT], next_empty;

static void keep_empty(uintptr_t from, size_t pages)
{
	uint64_t at = __atomic_fetch_add(&next_empty, 1, __ATOMIC_RELAXED) % EMPTY_KEPT;
	uint64_t oldest = __atomic_exchange_n(
		&empty[at], (uint64_t)from >> PAGE_BITS << COUNT_BITS | pages, __ATOMIC_SEQ_CST);
	if (oldest)
		NORN_SYS(munmap, oldest >> COUNT_BITS << PAGE_BITS,
			 (oldest & ((UINT64_C(1) << COUNT_BITS) - 1)) << PAGE_BITS, 0, 0, 0, 0);
}

static bool has_limit(void)
{
	struct rlimit limit;
	return NORN_SYS(getrlimit, RLIMIT_AS, &limit, 0, 0, 0, 0) != 0 ||
	       limit.rlim_cur != RLIM_INFINITY;
}

static void free_large(void *p, size_t size)
{
	uintptr_t from = (uintptr_t)p >> PAGE_BITS << PAGE_BITS;
	size_t pages = ((uintptr_t)p + size - from + (1 << PAGE_BITS) - 1) >> PAGE_BITS;
	NORN_REAL(free)(p);
	if (pages >> COUNT_BITS || has_limit())
		return;
	uintptr_t at = (uintptr_t)NORN_SYS(
		mmap, from, pages << PAGE_BITS, PROT_NONE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	if (at == from)
		keep_empty(from, pages);
	else if ((intptr_t)at > 0) /* a kernel that does not know the flag */
		NORN_SYS(munmap, at, pages << PAGE_BITS, 0, 0, 0, 0);
}

#ifdef NORN_STATIC
static void *early(size_t size)
{
	return (void)size, NULL;
}
static bool is_early(const void *p)
{
	return (void)p, false;
}
static size_t early_size(const void *p)
{
	return (void)p, 0;
}
#define IS_TOO_EARLY() false
#else
/* While the real functions are looked up, dlsym may allocate. */
static char early_memory[64 << 10] __attribute__((aligned(16)));
static size_t early_used;
#define IS_TOO_EARLY() NORN_UNLIKELY(norn_self.finding)

static void *early(size_t size)
{
	size_t whole = (size + 31) & ~(size_t)15;
	size_t at = __atomic_fetch_add(&early_used, whole, __ATOMIC_RELAXED);
	if (whole < size || at + whole > sizeof early_memory)
		return NULL;
	*(size_t *)(early_memory + at) = size;
	return early_memory + at + 16;
}

static bool is_early(const void *p)
{
	return NORN_UNLIKELY((const char *)p >= early_memory &&
			     (const char *)p < early_memory + sizeof early_memory);
}

static size_t early_size(const void *p)
{
	return ((const size_t *)p)[-2];
}
#endif

/*
 * Blocks that were allocated inside a hook, above all for a new thread: they are not the program's,
 * and not in the log. Nor is it to be there when they are given back: else that would be the second
 * time that a block is, as far as the log knows.
 */
#define BUCKETS 512
#define BUCKET 8
static uintptr_t hidden_blocks[BUCKETS][BUCKET] __attribute__((aligned(64)));

static uintptr_t *bucket_of(const void *p)
{
	return hidden_blocks[((uintptr_t)p * UINT64_C(0x9e3779b97f4a7c15) >> 32) % BUCKETS];
}

static void hide_block(const void *p)
{
	uintptr_t *bucket = bucket_of(p);
	for (int i = 0; i < BUCKET; i++) {
		uintptr_t nothing = 0;
		if (__atomic_compare_exchange_n(&bucket[i], &nothing, (uintptr_t)p, false,
						__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			return;
	}
	if (norn_run.shared)
		norn_run.shared->unlogged = 1;
}

/* Whether it was one of these; then it is no more. */
static bool was_hidden(const void *p)
{
	uintptr_t *bucket = bucket_of(p);
	for (int i = 0; i < BUCKET; i++)
		if (__atomic_load_n(&bucket[i], __ATOMIC_RELAXED) == (uintptr_t)p) {
			__atomic_store_n(&bucket[i], 0, __ATOMIC_SEQ_CST);
			return true;
		}
	return false;
}

/* All that can be used, since a later realloc copies that much: it does not know what was asked
 * for. */
static void *got_with(void *p, const void *pc, uint32_t site, uint64_t zeroed)
{
	if (p && norn_self.busy)
		hide_block(p);
	else if (p)
		log_heap(LOG_ALLOC, p, malloc_usable_size(p) | zeroed, pc, site);
	return p;
}

static void *got(void *p, const void *pc, uint32_t site)
{
	return got_with(p, pc, site, 0);
}

static void *allocated(void *p, const void *pc)
{
	return got(p, pc, norn_step_site(pc));
}

/* Of libstdc++, or the program's own. */
void *_Znwm(size_t size) WEAK;
#define NEW_LENGTH 512 /* bytes of code, at most */

void __norn_new(void)
{
	norn_self.new_pc = NORN_PC;
}

/* What operator new allocates is its caller's, if that has told. */
static const void *who_allocates(const void *pc)
{
	const void *caller = norn_self.new_pc;
	if (NORN_UNLIKELY(norn_self.asks))
		return norn_self.asks;
	if (NORN_LIKELY(!caller) || (uintptr_t)pc - (uintptr_t)_Znwm >= NEW_LENGTH)
		return pc;
	norn_self.new_pc = NULL;
	return caller;
}

/* Whoever calls it by its name knows what it depends on without being told. */
static void *given(void *p, const void *function, const char *types, unsigned arguments,
		   uint64_t *hash)
{
	norn_gives_nothing(function, types, arguments, hash);
	return p;
}

WEAK void *NORN_WRAPPER(malloc)(size_t size)
{
	static uint64_t hash;
	if (IS_TOO_EARLY())
		return early(size);
	return given(allocated(NORN_REAL(malloc)(size), who_allocates(NORN_PC)), malloc,
		     NORN_POINTER NORN_GETS_LONG, 1, &hash);
}

void *norn_malloc(size_t size, const void *pc)
{
	norn_self.asks = pc;
	NORN_COMPILER_BARRIER(); /* compilers think that malloc reads nothing */
	void *p = malloc(size);
	NORN_COMPILER_BARRIER();
	norn_self.asks = NULL;
	return p;
}

WEAK void *NORN_WRAPPER(calloc)(size_t count, size_t size)
{
	static uint64_t hash;
	if (IS_TOO_EARLY())
		return size && count > SIZE_MAX / size ? NULL : early(count * size);
	return given(got_with(NORN_REAL(calloc)(count, size), NORN_PC, norn_step_site(NORN_PC),
			      LOG_ZEROED),
		     calloc, NORN_POINTER NORN_GETS_LONG NORN_GETS_LONG, 2, &hash);
}

static void release(void *p, const void *pc, uint32_t site)
{
	if (!p || is_early(p))
		return;
	size_t size = was_hidden(p) ? 0 : log_free(p, pc, site);
	if (size && size <= SIZE_KEPT)
		free_later(&norn_self, p);
	else if (size >= MAPPED_FROM && size < SIZE_MOST)
		free_large(p, size);
	else
		NORN_REAL(free)(p);
}

WEAK void NORN_WRAPPER(free)(void *p)
{
	release(p, NORN_PC, norn_step_site(NORN_PC));
}

/* No steps: another run may have a block with a little more room, which need not move. */
static void *moved(void *p, size_t old, size_t size, const void *pc)
{
	void *fresh = got(NORN_REAL(malloc)(size), pc, 0);
	if (!fresh)
		return NULL;
	norn_copied(pc, fresh, p, old < size ? old : size);
	release(p, pc, 0);
	return fresh;
}

/* A block that is more than half empty is given back. */
static bool fits(size_t usable, size_t size)
{
	return size <= usable && size >= usable / 2;
}

static void *resize(void *p, size_t size, const void *pc)
{
	if (IS_TOO_EARLY())
		return p ? NULL : early(size);
	if (!p)
		return allocated(NORN_REAL(malloc)(size), pc);
	if (is_early(p))
		return moved(p, early_size(p), size, pc);
	if (!norn_ranges_on()) {
		was_hidden(p);
		void *to = NORN_REAL(realloc)(p, size);
		if (to)
			hide_block(to);
		return to;
	}
	if (size == 0) {
		release(p, pc, norn_step_site(pc));
		return NULL;
	}
	size_t usable = malloc_usable_size(p);
	return fits(usable, size) ? p : moved(p, usable, size, pc);
}

WEAK void *NORN_WRAPPER(realloc)(void *p, size_t size)
{
	static uint64_t hash;
	return given(resize(p, size, NORN_PC), realloc,
		     NORN_POINTER NORN_GETS_POINTER NORN_GETS_LONG, 2, &hash);
}

WEAK void *NORN_WRAPPER(reallocarray)(void *p, size_t count, size_t size)
{
	if (size && count > SIZE_MAX / size) {
		errno = ENOMEM;
		return NULL;
	}
	return resize(p, count * size, NORN_PC);
}

static void *aligned(size_t alignment, size_t size, const void *pc)
{
	return allocated(NORN_REAL(memalign)(alignment, size), pc);
}

WEAK void *NORN_WRAPPER(memalign)(size_t alignment, size_t size)
{
	return aligned(alignment, size, NORN_PC);
}

WEAK void *NORN_WRAPPER(aligned_alloc)(size_t alignment, size_t size)
{
	return aligned(alignment, size, NORN_PC);
}

WEAK int NORN_WRAPPER(posix_memalign)(void **p, size_t alignment, size_t size)
{
	if (alignment % sizeof(void *) || alignment == 0 || (alignment & (alignment - 1)))
		return EINVAL;
	int saved = errno;
	void *got = aligned(alignment, size, NORN_PC);
	errno = saved;
	if (!got)
		return ENOMEM;
	norn_put(NORN_PC, p, &got, sizeof got);
	return 0;
}

WEAK void *NORN_WRAPPER(valloc)(size_t size)
{
	return aligned((size_t)getpagesize(), size, NORN_PC);
}

WEAK void *NORN_WRAPPER(pvalloc)(size_t size)
{
	size_t page = (size_t)getpagesize();
	return aligned(page, (size + page - 1) & ~(page - 1), NORN_PC);
}

static size_t in_pages(size_t size)
{
	size_t page = (size_t)getpagesize();
	return (size + page - 1) & ~(page - 1);
}

/* Other processes cannot write there. */
static uint64_t is_zero(int flags)
{
	return flags & MAP_ANONYMOUS && flags & MAP_PRIVATE ? LOG_ZEROED : 0;
}

static void *map(void *at, size_t size, int protection, int flags, int fd, off_t offset,
		 const void *pc)
{
	if (flags & MAP_FIXED) {
		log_heap(LOG_UNMAP, at, in_pages(size), pc, 0);
		norn_maps_remove(at, in_pages(size));
	}
	if (protection == PROT_NONE || (at && !(flags & MAP_FIXED)))
		norn_memory_hides();
	/* Whether there is room at that place depends on the others. */
	void (*tells)(void) =
		at && !(flags & MAP_FIXED) ? __norn_memory_looks : norn_memory_changes;
	tells();
	void *p = NORN_REAL(mmap)(at, size, protection, flags, fd, offset);
	tells();
	if (!(flags & MAP_ANONYMOUS))
		norn_maps_file(fd);
	if (p == MAP_FAILED)
		return p;
	norn_maps_add(p, in_pages(size), flags, flags & MAP_ANONYMOUS ? -1 : fd, offset);
	log_heap(LOG_MAP, p, in_pages(size) | is_zero(flags), pc, 0);
	return p;
}

void *NORN_WRAPPER(mmap)(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	return map(at, size, protection, flags, fd, offset, NORN_PC);
}

void *NORN_WRAPPER(mmap64)(void *at, size_t size, int protection, int flags, int fd, off64_t offset)
{
	return map(at, size, protection, flags, fd, offset, NORN_PC);
}

int NORN_WRAPPER(munmap)(void *p, size_t size)
{
	/* What fails for its arguments changes nothing. */
	if (size && (uintptr_t)p % (size_t)getpagesize() == 0) {
		log_heap(LOG_UNMAP, p, in_pages(size), NORN_PC, 0);
		norn_maps_remove(p, in_pages(size));
	}
	norn_memory_changes();
	int r = NORN_REAL(munmap)(p, size);
	norn_memory_changes();
	return r;
}

/* The bytes go to other addresses without an event: reads there show them. */
void *NORN_WRAPPER(mremap)(void *p, size_t old, size_t size, int flags, ...)
{
	va_list arguments;
	va_start(arguments, flags);
	void *to = flags & MREMAP_FIXED ? va_arg(arguments, void *) : NULL;
	va_end(arguments);
	if (old)
		log_heap(LOG_UNMAP, p, in_pages(old), NORN_PC, 0);
	if (flags & MREMAP_FIXED)
		log_heap(LOG_UNMAP, to, in_pages(size), NORN_PC, 0);
	void (*tells)(void) = flags == MREMAP_MAYMOVE ? norn_memory_changes : __norn_memory_looks;
	tells();
	void *result = NORN_REAL(mremap)(p, old, size, flags, to);
	tells();
	if (result != MAP_FAILED) {
		log_heap(LOG_MAP, result, in_pages(size), NORN_PC, 0);
		norn_maps_move(p, in_pages(old), result, in_pages(size));
	} else if (old) {
		log_heap(LOG_MAP, p, in_pages(old), NORN_PC, 0);
	}
	return result;
}

static size_t segment_size(int segment)
{
	struct shmid_ds is;
	int error = errno;
	size_t size = shmctl(segment, IPC_STAT, &is) ? 0 : is.shm_segsz;
	errno = error;
	return size;
}

/* What is there is known by its address alone: it may be shared with other processes. */
WEAK void *NORN_WRAPPER(shmat)(int segment, const void *at, int flags)
{
	void *p = NORN_REAL(shmat)(segment, at, flags);
	size_t size = p == (void *)-1 ? 0 : segment_size(segment);
	if (size && flags & SHM_REMAP)
		norn_maps_remove(p, in_pages(size));
	if (size)
		norn_maps_add_segment(p, in_pages(size), segment);
	return p;
}

WEAK int NORN_WRAPPER(shmdt)(const void *p)
{
	size_t size = norn_maps_size(p);
	if (size)
		norn_maps_remove(p, size);
	return NORN_REAL(shmdt)(p);
}
