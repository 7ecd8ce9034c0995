/*
 * Where the bytes of a descriptor come from. Outside are devices (terminals, /dev/urandom) and
 * standard input, if it is neither a file nor saved. Regular files are expected to be as they were.
 * Pipes and sockets are left to the program, which makes them itself: who reads there without
 * reading lets the other side block when it is full. All by descriptors: /proc is of regular files.
 */
#include "runtime/inputs.h"

#include <errno.h>
#include <sys/stat.h>

static struct {
	dev_t device;
	ino_t number;
	enum log_stdin is;
	bool known;
} standard_input;

void norn_origin_begin(enum log_stdin is)
{
	struct stat s = {0};
	int error = errno;
	standard_input.known = fstat(0, &s) == 0;
	standard_input.device = s.st_dev;
	standard_input.number = s.st_ino;
	standard_input.is = is;
	errno = error;
}

enum norn_origin norn_origin_of(int fd)
{
	struct stat s;
	int error = errno;
	int r = fstat(fd, &s);
	errno = error;
	if (r)
		return NORN_INSIDE;
	if (standard_input.known && s.st_dev == standard_input.device &&
	    s.st_ino == standard_input.number)
		return standard_input.is == LOG_STDIN_FILE    ? NORN_INSIDE
		       : standard_input.is == LOG_STDIN_SAVED ? NORN_SAVED
							      : NORN_OUTSIDE;
	return S_ISCHR(s.st_mode) ? NORN_OUTSIDE : NORN_INSIDE;
}
