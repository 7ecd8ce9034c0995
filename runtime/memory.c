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
#include <unistd.h>

#include "runtime/append.h"
#include "runtime/hooks.h"
#include "runtime/locks.h"
#include "runtime/ranges.h"
#include "runtime/real.h"
#include "runtime/replay.h"

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

/* `site`: whether it is a step, norn_step_site. */
static void log_heap(enum log_kind kind, const void *p, size_t size, const void *pc, uint32_t site)
{
	struct norn_self *me = &norn_self;
	struct norn_step step = begin_heap(kind, p, pc, site);
	if (!norn_enter(me))
		return;
	struct norn_shard *shard = &norn_shards[LOG_HEAP];
	norn_hold(me, shard);
	if (kind == LOG_FREE)
		norn_put3(me, kind, site, norn_version(shard), (uintptr_t)p, (uintptr_t)pc);
	else
		norn_put4(me, kind, site, norn_version(shard), (uintptr_t)p, (uintptr_t)pc, size);
	norn_release(me, shard);
	norn_leave(me);
	norn_end_step(&step, true);
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

/* All that can be used, since a later realloc copies that much: it does not know what was asked
 * for. */
static void *got(void *p, const void *pc, uint32_t site)
{
	if (p && !norn_self.busy)
		log_heap(LOG_ALLOC, p, malloc_usable_size(p), pc, site);
	return p;
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
	if (NORN_LIKELY(!caller) || (uintptr_t)pc - (uintptr_t)_Znwm >= NEW_LENGTH)
		return pc;
	norn_self.new_pc = NULL;
	return caller;
}

WEAK void *NORN_WRAPPER(malloc)(size_t size)
{
	if (IS_TOO_EARLY())
		return early(size);
	return allocated(NORN_REAL(malloc)(size), who_allocates(NORN_PC));
}

WEAK void *NORN_WRAPPER(calloc)(size_t count, size_t size)
{
	if (IS_TOO_EARLY())
		return size && count > SIZE_MAX / size ? NULL : early(count * size);
	return allocated(NORN_REAL(calloc)(count, size), NORN_PC);
}

static void release(void *p, const void *pc, uint32_t site)
{
	if (!p || is_early(p))
		return;
	log_heap(LOG_FREE, p, 0, pc, site);
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
	if (!norn_ranges_on())
		return NORN_REAL(realloc)(p, size);
	if (size == 0) {
		release(p, pc, norn_step_site(pc));
		return NULL;
	}
	size_t usable = malloc_usable_size(p);
	return fits(usable, size) ? p : moved(p, usable, size, pc);
}

WEAK void *NORN_WRAPPER(realloc)(void *p, size_t size)
{
	return resize(p, size, NORN_PC);
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
	*p = got;
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

static void *map(void *at, size_t size, int protection, int flags, int fd, off_t offset,
		 const void *pc)
{
	if (flags & MAP_FIXED)
		log_heap(LOG_UNMAP, at, in_pages(size), pc, 0);
	void *p = NORN_REAL(mmap)(at, size, protection, flags, fd, offset);
	if (p != MAP_FAILED)
		log_heap(LOG_MAP, p, in_pages(size), pc, 0);
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
	if (size && (uintptr_t)p % (size_t)getpagesize() == 0)
		log_heap(LOG_UNMAP, p, in_pages(size), NORN_PC, 0);
	return NORN_REAL(munmap)(p, size);
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
	void *result = NORN_REAL(mremap)(p, old, size, flags, to);
	if (result != MAP_FAILED)
		log_heap(LOG_MAP, result, in_pages(size), NORN_PC, 0);
	else if (old)
		log_heap(LOG_MAP, p, in_pages(old), NORN_PC, 0);
	return result;
}
