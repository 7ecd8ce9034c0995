/*
 * What files, pipes and terminals keep, seen by another descriptor or name: one thread writes data, then changes that; the
 * other asks until it is so, and then reads the data. That is right. The twin is touched on both sides of it, and races.
 *
 * expect: race @before @behind
 * output: varies
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "ways.h"

static int ends[2], descriptor;
static char name[] = "norn-kept-XXXXXX", other[40];

static void behind(void)
{
	twin = 1; /* @behind */
}

static void before(void)
{
	twin = 2; /* @before */
}

static void make_file(void)
{
	strcpy(name + sizeof name - 7, "XXXXXX");
	descriptor = mkstemp(name);
	snprintf(other, sizeof other, "%s.other", name);
}

static void open_terminal(void)
{
	ends[0] = posix_openpt(O_RDWR | O_NOCTTY);
	if (ends[0] < 0 || grantpt(ends[0]) || unlockpt(ends[0]))
		exit(0); /* there are none here */
	ends[1] = open(ptsname(ends[0]), O_RDWR | O_NOCTTY);
	if (ends[1] < 0)
		exit(0);
}

static struct stat facts(void)
{
	struct stat s;
	if (fstat(descriptor, &s))
		abort();
	return s;
}

static void set_time(void)
{
	futimens(descriptor, (struct timespec[2]){{5, 0}, {5, 0}});
}

static int line_comes(void)
{
	char byte;
	return read(ends[1], &byte, 1) == 1;
}

static void start_child(void)
{
	if (!vfork())
		_exit(0);
}

WAY(time, make_file(), set_time(), POLL(facts().st_mtim.tv_sec != 5))
WAY(linked, , link(name, other), POLL(facts().st_nlink != 2))
WAY(mode, , chmod(name, 0400), POLL((facts().st_mode & 0777) != 0400))
WAY(removed, unlink(other), unlink(name), POLL(facts().st_nlink))
WAY(room, pipe(ends), fcntl(ends[0], F_SETPIPE_SZ, 8192), POLL(fcntl(ends[1], F_GETPIPE_SZ) != 8192))
WAY(seals, descriptor = memfd_create("sealed", MFD_ALLOW_SEALING), fcntl(descriptor, F_ADD_SEALS, F_SEAL_GROW), POLL(!fcntl(descriptor, F_GET_SEALS)))
WAY(terminal, open_terminal(), write(ends[0], "\n", 1), POLL(!line_comes()))
WAY(child, , start_child(), POLL(wait(NULL) < 0))

int main(void)
{
	RUN(time);
	RUN(linked);
	RUN(mode);
	RUN(removed);
	RUN(room);
	RUN(seals);
	RUN(child);
	RUN(terminal);
	return seen == 0;
}
