/* Files by name, and what is known of them. */
#include "runtime/libc.h"
#include "runtime/replaced.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define SEE(s) norn_string(NORN_CALLER, s)

/* `mode` is there if a file may be made. */
static mode_t mode_of(int flags, va_list list)
{
	return flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0;
}

#define OPEN(name)                                          \
	int __norn_##name(const char *path, int flags, ...) \
	{                                                   \
		va_list list;                               \
		va_start(list, flags);                      \
		mode_t mode = mode_of(flags, list);         \
		va_end(list);                               \
		SEE(path);                                  \
		norn_long_call();                           \
		return name(path, flags, mode);             \
	}
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                \
	int __norn_##name(int fd, const char *path, int flags, ...) \
	{                                                           \
		va_list list;                                       \
		va_start(list, flags);                              \
		mode_t mode = mode_of(flags, list);                 \
		va_end(list);                                       \
		SEE(path);                                          \
		norn_long_call();                                   \
		return name(fd, path, flags, mode);                 \
	}
OPENAT(openat)
OPENAT(openat64)

int __norn___open_2(const char *path, int flags)
{
	SEE(path);
	norn_long_call();
	return __open_2(path, flags);
}

int __norn___open64_2(const char *path, int flags)
{
	SEE(path);
	norn_long_call();
	return __open64_2(path, flags);
}

/* They take names, and touch no other memory. */
#define BY_NAME(type, name)               \
	type __norn_##name(const char *a) \
	{                                 \
		SEE(a);                   \
		return name(a);           \
	}
BY_NAME(int, unlink)
BY_NAME(int, rmdir)
BY_NAME(int, chdir)
BY_NAME(int, remove)
BY_NAME(int, system)
BY_NAME(int, unsetenv)
BY_NAME(char *, getenv)
BY_NAME(char *, secure_getenv)
BY_NAME(DIR *, opendir)

#define BY_TWO_NAMES(name)                              \
	int __norn_##name(const char *a, const char *b) \
	{                                               \
		SEE(a);                                 \
		SEE(b);                                 \
		return name(a, b);                      \
	}
BY_TWO_NAMES(rename)
BY_TWO_NAMES(link)
BY_TWO_NAMES(symlink)

#define BY_NAME_AND(name, type)                  \
	int __norn_##name(const char *a, type b) \
	{                                        \
		SEE(a);                          \
		return name(a, b);               \
	}
BY_NAME_AND(access, int)
BY_NAME_AND(creat, mode_t)
BY_NAME_AND(mkdir, mode_t)
BY_NAME_AND(chmod, mode_t)
BY_NAME_AND(mkfifo, mode_t)
BY_NAME_AND(truncate, off_t)

int __norn_setenv(const char *name, const char *value, int replace)
{
	SEE(name);
	SEE(value);
	return setenv(name, value, replace);
}

/* The string itself becomes part of the environment. */
int __norn_putenv(char *s)
{
	SEE(s);
	return putenv(s);
}

static int give(const void *pc, int r, void *to, const void *ours, size_t n)
{
	if (!r)
		norn_put(pc, to, ours, n);
	return r;
}

#define FACTS(name, type)                                            \
	int __norn_##name(const char *path, struct type *to)         \
	{                                                            \
		struct type ours;                                    \
		SEE(path);                                           \
		int r = name(path, &ours);                           \
		return give(NORN_CALLER, r, to, &ours, sizeof ours); \
	}
FACTS(stat, stat)
FACTS(lstat, stat)
FACTS(stat64, stat64)
FACTS(lstat64, stat64)
FACTS(statvfs, statvfs)

#define FACTS_OF_FD(name, type)                                      \
	int __norn_##name(int fd, struct type *to)                   \
	{                                                            \
		struct type ours;                                    \
		int r = name(fd, &ours);                             \
		return give(NORN_CALLER, r, to, &ours, sizeof ours); \
	}
FACTS_OF_FD(fstat, stat)
FACTS_OF_FD(fstat64, stat64)
FACTS_OF_FD(fstatvfs, statvfs)
FACTS_OF_FD(tcgetattr, termios)

int __norn_fstatat(int fd, const char *path, struct stat *to, int flags)
{
	struct stat ours;
	SEE(path);
	int r = fstatat(fd, path, &ours, flags);
	return give(NORN_CALLER, r, to, &ours, sizeof ours);
}

int __norn_fstatat64(int fd, const char *path, struct stat64 *to, int flags)
{
	struct stat64 ours;
	SEE(path);
	int r = fstatat64(fd, path, &ours, flags);
	return give(NORN_CALLER, r, to, &ours, sizeof ours);
}

static ssize_t do_readlink(const void *pc, const char *path, char *to, size_t n)
{
	struct norn_inlet in;
	norn_string(pc, path);
	char *buffer = norn_inlet_begin(&in, to, n);
	ssize_t r = readlink(path, buffer, n);
	norn_inlet_end(pc, &in, r > 0 ? (size_t)r : 0);
	return r;
}

ssize_t __norn_readlink(const char *path, char *to, size_t n)
{
	return do_readlink(NORN_CALLER, path, to, n);
}

ssize_t __norn___readlink_chk(const char *path, char *to, size_t n, size_t room)
{
	if (n > room)
		__chk_fail();
	return do_readlink(NORN_CALLER, path, to, n);
}

/* A string that libc has put into memory of ours, or has allocated because there was none. */
static char *give_string(const void *pc, char *to, char *text)
{
	int error = errno;
	if (text && to) {
		norn_put(pc, to, text, strlen(text) + 1);
		text = to;
	} else if (text) {
		norn_filled(pc, text, strlen(text) + 1);
	}
	errno = error;
	return text;
}

static char *do_realpath(const void *pc, const char *path, char *to)
{
	char ours[PATH_MAX];
	norn_string(pc, path);
	return give_string(pc, to, realpath(path, to ? ours : NULL));
}

char *__norn_realpath(const char *path, char *to)
{
	return do_realpath(NORN_CALLER, path, to);
}

char *__norn___realpath_chk(const char *path, char *to, size_t room)
{
	if (room < PATH_MAX)
		__chk_fail();
	return do_realpath(NORN_CALLER, path, to);
}

static char *do_getcwd(const void *pc, char *to, size_t n)
{
	char ours[PATH_MAX];
	if (to && n <= sizeof ours)
		return give_string(pc, to, getcwd(ours, n));
	char *text = getcwd(to, n);
	if (text)
		norn_filled(pc, text, strlen(text) + 1);
	return text;
}

char *__norn_getcwd(char *to, size_t n)
{
	return do_getcwd(NORN_CALLER, to, n);
}

char *__norn___getcwd_chk(char *to, size_t n, size_t room)
{
	if (n > room)
		__chk_fail();
	return do_getcwd(NORN_CALLER, to, n);
}

/* It writes the X's of its pattern. */
int __norn_mkstemp(char *pattern)
{
	SEE(pattern);
	int fd = mkstemp(pattern);
	norn_filled(NORN_CALLER, pattern, fd < 0 ? 0 : strlen(pattern));
	return fd;
}

int __norn_mkstemp64(char *pattern)
{
	SEE(pattern);
	int fd = mkstemp(pattern);
	norn_filled(NORN_CALLER, pattern, fd < 0 ? 0 : strlen(pattern));
	return fd;
}

char *__norn_mkdtemp(char *pattern)
{
	SEE(pattern);
	char *r = mkdtemp(pattern);
	norn_filled(NORN_CALLER, pattern, r ? strlen(pattern) : 0);
	return r;
}

/* The entry is in memory of the DIR, which threads may share. */
struct dirent *__norn_readdir(DIR *d)
{
	struct dirent *r = readdir(d);
	norn_filled(NORN_CALLER, r, r ? r->d_reclen : 0);
	return r;
}

struct dirent64 *__norn_readdir64(DIR *d)
{
	struct dirent64 *r = readdir64(d);
	norn_filled(NORN_CALLER, r, r ? r->d_reclen : 0);
	return r;
}
