/*
 * Which memory there is: one thread writes data, then maps memory or changes what may be done with it; the other looks
 * whether it is there, in ways that do not touch it, and then reads the data. That is right. The twin is touched on both
 * sides of it, and races.
 *
 * expect: race @before @behind
 * output: varies
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "ways.h"

#define PAGE 4096

static char *place;
static int ends[2];

static void behind(void)
{
	twin = 1; /* @behind */
}

static void before(void)
{
	twin = 2; /* @before */
}

/* Nothing is there, and nobody takes it but by its address. */
static void find_place(void)
{
	static uintptr_t next = 0x10000000000;
	place = (char *)next;
	next += 16 * PAGE;
}

static void hide(void)
{
	place = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pipe(ends))
		abort();
}

static void make(int how)
{
	if (mmap(place, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | how, -1, 0) != place)
		abort();
}

static int is_taken(void)
{
	char *p = mmap(place, PAGE, PROT_READ,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (p == MAP_FAILED)
		return 1;
	munmap(p, PAGE);
	return 0;
}

static int is_resident(void)
{
	unsigned char resident;
	return !mincore(place, PAGE, &resident);
}

WAY(synced, find_place(), make(MAP_FIXED_NOREPLACE), POLL(msync(place, PAGE, MS_ASYNC)))
WAY(resident, find_place(), make(MAP_FIXED), POLL(!is_resident()))
WAY(advised, find_place(), make(0), POLL(madvise(place, PAGE, MADV_NORMAL)))
WAY(advised_by_posix, find_place(), make(0), POLL(posix_madvise(place, PAGE, POSIX_MADV_NORMAL)))
WAY(gone, find_place(); make(0), munmap(place, PAGE), POLL(!msync(place, PAGE, MS_ASYNC)))
WAY(locked, find_place(), make(0), POLL(mlock(place, PAGE)))
WAY(taken, find_place(), make(MAP_FIXED_NOREPLACE), POLL(!is_taken()))
WAY(probed, hide(), mprotect(place, PAGE, PROT_READ), POLL(write(ends[1], place, 1) != 1))

int main(void)
{
	RUN(synced);
	RUN(resident);
	RUN(advised);
	RUN(advised_by_posix);
	RUN(gone);
	RUN(locked);
	RUN(taken);
	RUN(probed);
	return seen == 0;
}
