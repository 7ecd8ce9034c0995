/* SPDX-License-Identifier: MIT */
/* What the program tells the kernel of its memory. */
#include "runtime/libc/libc.h"
#include "runtime/libc/ranges.h"
#include "runtime/libc/replaced.h"
#include "runtime/maps.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

/* Pages that the kernel may take back at any time are taken back at once: a program has to be right
 * with that. What is shared or in a file stays what it is, unless it is removed. */
static bool makes_zeros(const void *p, size_t n, int advice)
{
	switch (advice) {
	case MADV_DONTNEED:
	case MADV_FREE: return !norn_maps_has(p, n);
	case MADV_REMOVE: return true;
	default: return false;
	}
}

int __norn_madvise(void *p, size_t n, int advice)
{
	size_t page = (size_t)getpagesize();
	if (!makes_zeros(p, n, advice))
		return madvise(p, n, advice);
	if (advice == MADV_FREE)
		advice = MADV_DONTNEED;
	return norn_clear(NORN_CALLER, p, (n + page - 1) & ~(page - 1), madvise, advice);
}

/* A thread learns of that by a fault, in its handler. */
int __norn_mprotect(void *p, size_t n, int protection)
{
	norn_announce_signal(SIGSEGV);
	if (!(protection & PROT_READ))
		norn_memory_hides();
	return mprotect(p, n, protection);
}
