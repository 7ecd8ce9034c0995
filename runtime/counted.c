/* SPDX-License-Identifier: MIT */
/* Files and names (counted.h). */
#ifndef NORN_STATIC

#include "runtime/counted.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/sendfile.h>

WRITES_BY(ssize_t, write, (int fd, const void *p, size_t n), (fd, p, n), norn_announce(fd),
	  norn_remote_write(fd, p, n))
WRITES_BY(ssize_t, writev, (int fd, const struct iovec *v, int n), (fd, v, n), norn_announce(fd),
	  norn_remote_writev(fd, v, n))
WRITES(ssize_t, pwrite64, (int fd, const void *p, size_t n, off64_t at), (fd, p, n, at),
       norn_announce(fd))
WRITES_BY(ssize_t, sendfile, (int to, int from, off_t *at, size_t n), (to, from, at, n),
	  norn_announce(to), norn_remote_sendfile(to, from, at, n))
WRITES(int, close, (int fd), (fd), norn_announce(fd))
READS_BY(ssize_t, read, (int fd, void *p, size_t n), (fd, p, n), fd, norn_remote_read(fd, p, n))
READS_BY(ssize_t, readv, (int fd, const struct iovec *v, int n), (fd, v, n), fd,
	 norn_remote_readv(fd, v, n))
READS(ssize_t, pread64, (int fd, void *p, size_t n, off64_t at), (fd, p, n, at), , fd)

/* Names. */
NAMES(int, rename, (const char *a, const char *b), (a, b), norn_names_change)
NAMES(int, unlink, (const char *a), (a), norn_names_change)
NAMES(int, unlinkat, (int at, const char *a, int flags), (at, a, flags), norn_names_change)
NAMES(int, remove, (const char *a), (a), norn_names_change)
NAMES(int, rmdir, (const char *a), (a), norn_names_change)
NAMES(int, mkdir, (const char *a, mode_t mode), (a, mode), norn_names_change)
NAMES(int, link, (const char *a, const char *b), (a, b), norn_names_change)
NAMES(int, symlink, (const char *a, const char *b), (a, b), norn_names_change)
NAMES(int, truncate, (const char *a, off_t size), (a, size), norn_names_change)
NAMES(int, access, (const char *a, int mode), (a, mode), norn_names_look)
NAMES(int, chmod, (const char *a, mode_t mode), (a, mode), norn_names_change)
NAMES(int, fchmodat, (int at, const char *a, mode_t mode, int flags), (at, a, mode, flags),
      norn_names_change)
NAMES(int, utimensat, (int at, const char *a, const struct timespec times[2], int flags),
      (at, a, times, flags), norn_names_change)
NAMES(DIR *, opendir, (const char *a), (a), norn_names_look)
NAMES(struct dirent *, readdir, (DIR * from), (from), norn_names_look)
NAMES(struct dirent64 *, readdir64, (DIR * from), (from), norn_names_look)
NAMES(ssize_t, readlink, (const char *a, char *to, size_t n), (a, to, n), norn_names_look)
NAMES(char *, realpath, (const char *a, char *to), (a, to), norn_names_look)
NAMES(int, chdir, (const char *a), (a), __norn_process_changes)
NAMES(char *, getcwd, (char *to, size_t n), (to, n), __norn_process_looks)

#define OPENS(type, name, parameters, arguments, at, flags)                                      \
	WEAK type name parameters                                                                \
	{                                                                                        \
		bool noted = COUNTS;                                                             \
		struct norn_channel *channel = noted ? norn_open_begins(at, path, flags) : NULL; \
		type r = NORN_REAL(name) arguments;                                              \
		if (noted)                                                                       \
			norn_open_ends(channel, flags);                                          \
		return r;                                                                        \
	}
#define MODE_OF(mode) (*(mode) == 'r' ? 0 : O_CREAT | O_TRUNC)
OPENS(FILE *, fopen, (const char *path, const char *mode), (path, mode), AT_FDCWD, MODE_OF(mode))
OPENS(FILE *, fopen64, (const char *path, const char *mode), (path, mode), AT_FDCWD, MODE_OF(mode))

static mode_t mode_of(int flags, va_list list)
{
	return flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0;
}

#define OPENS_BY_MODE(name, first, at, arguments)                                                \
	WEAK int name(first const char *path, int flags, ...)                                    \
	{                                                                                        \
		bool noted = COUNTS;                                                             \
		va_list list;                                                                    \
		va_start(list, flags);                                                           \
		mode_t mode = mode_of(flags, list);                                              \
		va_end(list);                                                                    \
		struct norn_channel *channel = noted ? norn_open_begins(at, path, flags) : NULL; \
		int fd = NORN_REAL(name) arguments;                                              \
		if (noted)                                                                       \
			norn_open_ends(channel, flags);                                          \
		return fd;                                                                       \
	}
#define NOTHING
OPENS_BY_MODE(open, NOTHING, AT_FDCWD, (path, flags, mode))
OPENS_BY_MODE(open64, NOTHING, AT_FDCWD, (path, flags, mode))
#define AT int at,
OPENS_BY_MODE(openat, AT, at, (at, path, flags, mode))

#endif
