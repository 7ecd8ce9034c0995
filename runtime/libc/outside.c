/* SPDX-License-Identifier: MIT */
/*
 * Where the bytes of a descriptor come from. Outside are devices (terminals, /dev/urandom), what
 * the kernel tells in /proc, and standard input, if it is neither a file nor saved. Regular files
 * are expected to be as they were. Pipes and sockets are left to the program, which makes them
 * itself: who is given bytes without reading them lets the other side block when it is full.
 */
#include "runtime/inputs.h"

#include <ctype.h>
#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

static struct {
	dev_t device;
	ino_t number;
	enum log_stdin is;
	bool known;
} standard_input;

/* Those with which the program was started: somebody sits there. */
static dev_t terminals[3];

static void find_terminals(void)
{
	struct stat s;
	for (int fd = 0; fd < 3; fd++)
		if (!fstat(fd, &s) && S_ISCHR(s.st_mode))
			terminals[fd] = s.st_rdev;
}

void norn_origin_begin(enum log_stdin is)
{
	struct stat s = {0};
	int error = errno;
	find_terminals();
	standard_input.known = fstat(0, &s) == 0;
	standard_input.device = s.st_dev;
	standard_input.number = s.st_ino;
	standard_input.is = is;
	errno = error;
}

/* /proc/PID: memory, descriptors and so on of a process that is another one in replay. */
static bool is_of_a_process(int fd)
{
	char link[32], path[16];
	ssize_t n;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof path);
	return n <= 6 || memcmp(path, "/proc/", 6) != 0 || isdigit((unsigned char)path[6]);
}

/* What is made when it is read has no size; so other files are not looked at any further. */
static bool is_told_by_the_kernel(int fd, const struct stat *s)
{
	struct statfs fs;
	return S_ISREG(s->st_mode) && s->st_size == 0 && fstatfs(fd, &fs) == 0 &&
	       fs.f_type == PROC_SUPER_MAGIC;
}

bool norn_tells_of_a_process(int fd, const struct stat *is)
{
	struct statfs fs;
	return (S_ISDIR(is->st_mode) || (S_ISREG(is->st_mode) && is->st_size == 0)) &&
	       fstatfs(fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC && is_of_a_process(fd);
}

/* A terminal that the program has made itself: what comes there the program has written. */
static bool is_own_terminal(const struct stat *s)
{
	unsigned at = major(s->st_rdev);
	if (at == 5)
		return minor(s->st_rdev) == 2;
	if (at < 136 || at > 143)
		return false;
	for (int i = 0; i < 3; i++)
		if (terminals[i] == s->st_rdev)
			return false;
	return true;
}

static bool is_device(const struct stat *s)
{
	return S_ISCHR(s->st_mode) && !is_own_terminal(s);
}

static enum norn_origin look_at(int fd)
{
	struct stat s;
	if (fstat(fd, &s))
		return NORN_INSIDE;
	if (standard_input.known && s.st_dev == standard_input.device &&
	    s.st_ino == standard_input.number)
		return standard_input.is == LOG_STDIN_FILE    ? NORN_INSIDE
		       : standard_input.is == LOG_STDIN_SAVED ? NORN_SAVED
							      : NORN_OUTSIDE;
	if (is_device(&s) || (is_told_by_the_kernel(fd, &s) && !is_of_a_process(fd)))
		return NORN_OUTSIDE;
	return NORN_INSIDE;
}

enum norn_origin norn_origin_of(int fd)
{
	int error = errno;
	enum norn_origin origin = look_at(fd);
	errno = error;
	return origin;
}
