/* SPDX-License-Identifier: MIT */
/*
 * Whether memory is there that the kernel is to read or write: if not, a call fails with EFAULT,
 * and does so only if nobody touches it first. So it is tried here, a byte of each page, by
 * instructions that are known to the handlers of faults (signals.c, crash.c): behind one that fails
 * the thread goes on with another result.
 *
 * In a process that is not recorded nobody handles faults, and nothing has to be known: then all is
 * as libc does it.
 */
#include "runtime/hooks.h"
#include "runtime/libc/libc.h"
#include "runtime/there.h"

#include <string.h>
#include <unistd.h>

bool norn_touch_to_read(const void *p);
bool norn_touch_to_write(const void *p);
extern const char norn_read_touch[], norn_write_touch[], norn_touch_failed[];

__asm__(".pushsection norn_text, \"ax\", @progbits\n"
	"norn_touch_to_read:\n"
	"norn_read_touch:\n"
	"	movb (%rdi), %al\n"
	"	movl $1, %eax\n"
	"	ret\n"
	"norn_touch_to_write:\n"
	"norn_write_touch:\n"
	"	lock orb $0, (%rdi)\n"
	"	movl $1, %eax\n"
	"	ret\n"
	"norn_touch_failed:\n"
	"	xorl %eax, %eax\n"
	"	ret\n"
	".hidden norn_touch_to_read\n"
	".hidden norn_touch_to_write\n"
	".popsection\n");

bool norn_touch_fails(ucontext_t *context)
{
	greg_t *pc = &context->uc_mcontext.gregs[REG_RIP];
	if (*pc != (greg_t)norn_read_touch && *pc != (greg_t)norn_write_touch)
		return false;
	*pc = (greg_t)norn_touch_failed;
	return true;
}

/* A program that looks whether there is memory has the kernel read it: from when some was made that
 * cannot be read, or was asked for at a place, all that the kernel reads tells of it. */
static bool hides;

/* Likewise, all calls that need memory, once one had none. */
static bool failed;

void norn_memory_hides(void)
{
	__atomic_store_n(&hides, true, __ATOMIC_RELAXED);
}

#define LOWEST 4096
#define HIGHEST ((uintptr_t)1 << 47)
#define TOUCHED_MOST ((size_t)1 << 20) /* of memory to write: more is seldom filled at once */

static bool can_be(const void *memory, size_t n, bool touch(const void *))
{
	uintptr_t p = (uintptr_t)memory, page = (uintptr_t)getpagesize();
	if (!n)
		return true;
	if (!norn_ranges_on())
		return false;
	bool there = p >= LOWEST && p < HIGHEST && n <= HIGHEST - p && touch(memory);
	for (uintptr_t at = (p | (page - 1)) + 1; there && at < p + n; at += page)
		there = touch((const void *)at);
	if (!there)
		__atomic_store_n(&failed, true, __ATOMIC_RELAXED);
	if (__atomic_load_n(&failed, __ATOMIC_RELAXED))
		norn_memory_noticed();
	return there;
}

void norn_memory_is_read(void)
{
	if (__atomic_load_n(&hides, __ATOMIC_RELAXED))
		__norn_memory_looks();
}

bool norn_can_read(const void *p, size_t n)
{
	return can_be(p, n, norn_touch_to_read);
}

bool norn_can_write(void *p, size_t n)
{
	return can_be(p, norn_least(n, TOUCHED_MOST), norn_touch_to_write);
}

/* Page by page, up to the end of the string. */
bool norn_can_read_string(const char *s)
{
	uintptr_t page = (uintptr_t)getpagesize();
	for (;;) {
		size_t rest = page - (uintptr_t)s % page;
		if (!norn_can_read(s, 1))
			return false;
		if (memchr(s, 0, rest))
			return true;
		s += rest;
	}
}

bool norn_see_name(const void *pc, const char *path)
{
	bool there = norn_can_read_string(path);
	if (there)
		norn_string(pc, path);
	return there;
}

bool norn_fetch(const void *pc, void *mine, const void *p, size_t n)
{
	bool there = norn_can_read(p, n);
	if (there)
		norn_get(pc, mine, p, n);
	return there;
}
