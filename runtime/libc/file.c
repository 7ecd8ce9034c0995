/* SPDX-License-Identifier: MIT */
/* Files by name, and what is known of them. */
#include "runtime/libc/libc.h"
#include "runtime/libc/replaced.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Whether the call at work is about a name in /proc, where the process itself is told of. */
static __thread bool asks_process;

static void look_at_process(void)
{
	if (asks_process)
		norn_orders_all();
}

static void see_path(const void *pc, const char *path)
{
	asks_process = norn_see_name(pc, path) && norn_names_process(path);
	look_at_process();
}

#define SEE(s) see_path(NORN_CALLER, s)

/* What makes or removes names, and what looks at them (libc/channel.c). */
#define CHANGES(call)                       \
	({                                  \
		norn_names_change();        \
		__typeof__(call) r_ = call; \
		norn_names_change();        \
		r_;                         \
	})
#define LOOKS(call)                         \
	({                                  \
		norn_names_look();          \
		__typeof__(call) r_ = call; \
		norn_names_look();          \
		look_at_process();          \
		r_;                         \
	})

/* `mode` is there if a file may be made. */
static mode_t mode_of(int flags, va_list list)
{
	return flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0;
}

static int opened(struct norn_channel *channel, int flags, int fd)
{
	norn_open_ends(channel, flags);
	look_at_process();
	return fd;
}

#define OPEN(name)                                                                      \
	int __norn_##name(const char *path, int flags, ...)                             \
	{                                                                               \
		va_list list;                                                           \
		va_start(list, flags);                                                  \
		mode_t mode = mode_of(flags, list);                                     \
		va_end(list);                                                           \
		SEE(path);                                                              \
		struct norn_channel *channel = norn_open_begins(AT_FDCWD, path, flags); \
		norn_long_call();                                                       \
		return opened(channel, flags, name(path, flags, mode));                 \
	}
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                              \
	int __norn_##name(int fd, const char *path, int flags, ...)               \
	{                                                                         \
		va_list list;                                                     \
		va_start(list, flags);                                            \
		mode_t mode = mode_of(flags, list);                               \
		va_end(list);                                                     \
		SEE(path);                                                        \
		struct norn_channel *channel = norn_open_begins(fd, path, flags); \
		norn_long_call();                                                 \
		return opened(channel, flags, name(fd, path, flags, mode));       \
	}
OPENAT(openat)
OPENAT(openat64)

#define OPEN_CHECKED(name)                                                              \
	int __norn_##name(const char *path, int flags)                                  \
	{                                                                               \
		SEE(path);                                                              \
		struct norn_channel *channel = norn_open_begins(AT_FDCWD, path, flags); \
		norn_long_call();                                                       \
		return opened(channel, flags, name(path, flags));                       \
	}
OPEN_CHECKED(__open_2)
OPEN_CHECKED(__open64_2)

#define OPENAT_CHECKED(name)                                                      \
	int __norn_##name(int fd, const char *path, int flags)                    \
	{                                                                         \
		SEE(path);                                                        \
		struct norn_channel *channel = norn_open_begins(fd, path, flags); \
		norn_long_call();                                                 \
		return opened(channel, flags, name(fd, path, flags));             \
	}
OPENAT_CHECKED(__openat_2)
OPENAT_CHECKED(__openat64_2)

#define CREAT(name)                                                          \
	int __norn_##name(const char *path, mode_t mode)                     \
	{                                                                    \
		SEE(path);                                                   \
		struct norn_channel *channel =                               \
			norn_open_begins(AT_FDCWD, path, O_CREAT | O_TRUNC); \
		return opened(channel, O_CREAT, name(path, mode));           \
	}
CREAT(creat)
CREAT(creat64)

/* They take names, and touch no other memory. */
#define BY_NAME(type, name, how)          \
	type __norn_##name(const char *a) \
	{                                 \
		SEE(a);                   \
		return how(name(a));      \
	}
BY_NAME(int, unlink, CHANGES)
BY_NAME(int, rmdir, CHANGES)
BY_NAME(int, remove, CHANGES)
BY_NAME(int, shm_unlink, CHANGES)
BY_NAME(int, mq_unlink, CHANGES)
BY_NAME(int, chdir, CHANGES)
BY_NAME(DIR *, opendir, LOOKS)

#define BY_TWO_NAMES(name)                              \
	int __norn_##name(const char *a, const char *b) \
	{                                               \
		SEE(a);                                 \
		SEE(b);                                 \
		return CHANGES(name(a, b));             \
	}
BY_TWO_NAMES(rename)
BY_TWO_NAMES(link)
BY_TWO_NAMES(symlink)

int __norn_renameat(int from, const char *a, int to, const char *b)
{
	SEE(a);
	SEE(b);
	return CHANGES(renameat(from, a, to, b));
}

int __norn_renameat2(int from, const char *a, int to, const char *b, unsigned flags)
{
	SEE(a);
	SEE(b);
	return CHANGES(renameat2(from, a, to, b, flags));
}

int __norn_linkat(int from, const char *a, int to, const char *b, int flags)
{
	SEE(a);
	SEE(b);
	return CHANGES(linkat(from, a, to, b, flags));
}

int __norn_symlinkat(const char *a, int to, const char *b)
{
	SEE(a);
	SEE(b);
	return CHANGES(symlinkat(a, to, b));
}

int __norn_unlinkat(int at, const char *path, int flags)
{
	SEE(path);
	return CHANGES(unlinkat(at, path, flags));
}

#define BY_NAME_AND(name, type, how)             \
	int __norn_##name(const char *a, type b) \
	{                                        \
		SEE(a);                          \
		return how(name(a, b));          \
	}
BY_NAME_AND(access, int, LOOKS)
BY_NAME_AND(euidaccess, int, LOOKS)
BY_NAME_AND(eaccess, int, LOOKS)
BY_NAME_AND(mkdir, mode_t, CHANGES)
BY_NAME_AND(chmod, mode_t, CHANGES)
BY_NAME_AND(mkfifo, mode_t, CHANGES)

int __norn_faccessat(int at, const char *path, int mode, int flags)
{
	SEE(path);
	return LOOKS(faccessat(at, path, mode, flags));
}

int __norn_mkdirat(int at, const char *path, mode_t mode)
{
	SEE(path);
	return CHANGES(mkdirat(at, path, mode));
}

int __norn_mkfifoat(int at, const char *path, mode_t mode)
{
	SEE(path);
	return CHANGES(mkfifoat(at, path, mode));
}

int __norn_mknod(const char *path, mode_t mode, dev_t device)
{
	SEE(path);
	return CHANGES(mknod(path, mode, device));
}

int __norn_fchmodat(int at, const char *path, mode_t mode, int flags)
{
	SEE(path);
	return CHANGES(fchmodat(at, path, mode, flags));
}

#define OWNER(name)                                                  \
	int __norn_##name(const char *path, uid_t user, gid_t group) \
	{                                                            \
		SEE(path);                                           \
		return CHANGES(name(path, user, group));             \
	}
OWNER(chown)
OWNER(lchown)

int __norn_fchownat(int at, const char *path, uid_t user, gid_t group, int flags)
{
	SEE(path);
	return CHANGES(fchownat(at, path, user, group, flags));
}

int __norn_mknodat(int at, const char *path, mode_t mode, dev_t device)
{
	SEE(path);
	return CHANGES(mknodat(at, path, mode, device));
}

/* Times of a file: two of them, or those of now. */
int __norn_utime(const char *path, const struct utimbuf *times)
{
	SEE(path);
	norn_see(NORN_CALLER, times, times ? sizeof *times : 0);
	return CHANGES(utime(path, times));
}

int __norn_utimes(const char *path, const struct timeval times[2])
{
	SEE(path);
	norn_see(NORN_CALLER, times, times ? 2 * sizeof *times : 0);
	return CHANGES(utimes(path, times));
}

int __norn_utimensat(int at, const char *path, const struct timespec times[2], int flags)
{
	SEE(path);
	norn_see(NORN_CALLER, times, times ? 2 * sizeof *times : 0);
	return CHANGES(utimensat(at, path, times, flags));
}

int __norn_futimens(int fd, const struct timespec times[2])
{
	norn_see(NORN_CALLER, times, times ? 2 * sizeof *times : 0);
	return CHANGES(futimens(fd, times));
}

int __norn_fchmod(int fd, mode_t mode)
{
	struct norn_channel *channel = norn_announce(fd);
	int r = CHANGES(fchmod(fd, mode));
	norn_announced(channel);
	return r;
}

int __norn_shm_open(const char *name, int flags, mode_t mode)
{
	SEE(name);
	return flags & O_CREAT ? CHANGES(shm_open(name, flags, mode))
			       : LOOKS(shm_open(name, flags, mode));
}

int __norn_memfd_create(const char *name, unsigned flags)
{
	SEE(name);
	return memfd_create(name, flags);
}

#define TRUNCATE(name)                                                             \
	int __norn_##name(const char *path, off_t size)                            \
	{                                                                          \
		SEE(path);                                                         \
		struct norn_channel *channel = norn_announce_path(AT_FDCWD, path); \
		int r = name(path, size);                                          \
		norn_announced(channel);                                           \
		return r;                                                          \
	}
TRUNCATE(truncate)
TRUNCATE(truncate64)

#define FTRUNCATE(name)                                           \
	int __norn_##name(int fd, off_t size)                     \
	{                                                         \
		struct norn_channel *channel = norn_announce(fd); \
		int r = name(fd, size);                           \
		norn_announced(channel);                          \
		return r;                                         \
	}
FTRUNCATE(ftruncate)
FTRUNCATE(ftruncate64)

#define ALLOCATE(name, ...)                                           \
	int __norn_##name(int fd, __VA_ARGS__ off_t from, off_t size) \
	{                                                             \
		struct norn_channel *channel = norn_announce(fd);     \
		int r = name(ALLOCATE_##name, from, size);            \
		norn_announced(channel);                              \
		return r;                                             \
	}
#define ALLOCATE_posix_fallocate fd
#define ALLOCATE_posix_fallocate64 fd
#define ALLOCATE_fallocate fd, mode
#define ALLOCATE_fallocate64 fd, mode
ALLOCATE(posix_fallocate)
ALLOCATE(posix_fallocate64)
ALLOCATE(fallocate, int mode, )
ALLOCATE(fallocate64, int mode, )

/* The end of a file may have moved. */
#define SEEK(name)                                        \
	off_t __norn_##name(int fd, off_t to, int whence) \
	{                                                 \
		norn_looks(fd);                           \
		off_t r = name(fd, to, whence);           \
		norn_offset_noticed(fd);                  \
		norn_looks(fd);                           \
		return r;                                 \
	}
SEEK(lseek)
SEEK(lseek64)

/* `where` the call has put it. */
static int give(const void *pc, int r, void *to, const void *ours, const void *where, size_t n)
{
	if (!r && where == to)
		norn_filled(pc, to, n);
	else if (!r)
		norn_put(pc, to, ours, n);
	return r;
}

/* Also of what is in it: how long it is, and when that was written. */
#define FACTS(name, type, flags)                                                   \
	int __norn_##name(const char *path, struct type *to)                       \
	{                                                                          \
		struct type ours;                                                  \
		SEE(path);                                                         \
		norn_looks_path(AT_FDCWD, path, flags);                            \
		struct type *where = norn_can_write(to, sizeof ours) ? &ours : to; \
		int r = name(path, where);                                         \
		norn_looks_path(AT_FDCWD, path, flags);                            \
		return give(NORN_CALLER, r, to, &ours, where, sizeof ours);        \
	}
FACTS(stat, stat, 0)
FACTS(lstat, stat, AT_SYMLINK_NOFOLLOW)
FACTS(stat64, stat64, 0)
FACTS(lstat64, stat64, AT_SYMLINK_NOFOLLOW)
FACTS(statvfs, statvfs, 0)
FACTS(statvfs64, statvfs64, 0)
FACTS(statfs, statfs, 0)
FACTS(statfs64, statfs64, 0)

/* Its names, rights and times may be changed by a name. */
#define FACTS_OF_FD(name, type)                                                    \
	int __norn_##name(int fd, struct type *to)                                 \
	{                                                                          \
		struct type ours;                                                  \
		norn_names_look();                                                 \
		norn_looks(fd);                                                    \
		struct type *where = norn_can_write(to, sizeof ours) ? &ours : to; \
		int r = name(fd, where);                                           \
		norn_names_look();                                                 \
		norn_looks(fd);                                                    \
		return give(NORN_CALLER, r, to, &ours, where, sizeof ours);        \
	}
FACTS_OF_FD(fstat, stat)
FACTS_OF_FD(fstat64, stat64)
FACTS_OF_FD(fstatvfs, statvfs)
FACTS_OF_FD(fstatvfs64, statvfs64)
FACTS_OF_FD(fstatfs, statfs)
FACTS_OF_FD(fstatfs64, statfs64)
FACTS_OF_FD(tcgetattr, termios)

#define FACTS_AT(name, type)                                                       \
	int __norn_##name(int fd, const char *path, struct type *to, int flags)    \
	{                                                                          \
		struct type ours;                                                  \
		SEE(path);                                                         \
		norn_looks_path(fd, path, flags);                                  \
		struct type *where = norn_can_write(to, sizeof ours) ? &ours : to; \
		int r = name(fd, path, where, flags);                              \
		norn_looks_path(fd, path, flags);                                  \
		return give(NORN_CALLER, r, to, &ours, where, sizeof ours);        \
	}
FACTS_AT(fstatat, stat)
FACTS_AT(fstatat64, stat64)

int __norn_statx(int fd, const char *path, int flags, unsigned mask, struct statx *to)
{
	struct statx ours;
	SEE(path);
	norn_looks_path(fd, path, flags & ~AT_STATX_SYNC_TYPE);
	struct statx *where = norn_can_write(to, sizeof ours) ? &ours : to;
	int r = statx(fd, path, flags, mask, where);
	norn_looks_path(fd, path, flags & ~AT_STATX_SYNC_TYPE);
	return give(NORN_CALLER, r, to, &ours, where, sizeof ours);
}

static ssize_t do_readlink(const void *pc, int at, const char *path, char *to, size_t n)
{
	struct norn_inlet in;
	norn_see_name(pc, path);
	char *buffer = norn_inlet_begin(&in, to, n);
	ssize_t r = LOOKS(readlinkat(at, path, buffer, n));
	norn_inlet_end(pc, &in, r > 0 ? (size_t)r : 0);
	return r;
}

ssize_t __norn_readlink(const char *path, char *to, size_t n)
{
	return do_readlink(NORN_CALLER, AT_FDCWD, path, to, n);
}

ssize_t __norn_readlinkat(int at, const char *path, char *to, size_t n)
{
	return do_readlink(NORN_CALLER, at, path, to, n);
}

ssize_t __norn___readlink_chk(const char *path, char *to, size_t n, size_t room)
{
	if (n > room)
		__chk_fail();
	return do_readlink(NORN_CALLER, AT_FDCWD, path, to, n);
}

ssize_t __norn___readlinkat_chk(int at, const char *path, char *to, size_t n, size_t room)
{
	if (n > room)
		__chk_fail();
	return do_readlink(NORN_CALLER, at, path, to, n);
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

/* Where it fails, it has put as much as it could resolve into the caller's memory. */
static char *do_realpath(const void *pc, const char *path, char *to)
{
	char ours[PATH_MAX] = "";
	norn_string(pc, path);
	char *text = LOOKS(realpath(path, to ? ours : NULL));
	if (text || !to || !*ours)
		return give_string(pc, to, text);
	give_string(pc, to, ours);
	return NULL;
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

char *__norn_canonicalize_file_name(const char *path)
{
	return do_realpath(NORN_CALLER, path, NULL);
}

static char *do_getcwd(const void *pc, char *to, size_t n)
{
	char ours[PATH_MAX];
	if (to && n <= sizeof ours && norn_can_write(to, n))
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

/* They write the X's of their pattern, six of them, which they are given in a copy. */
#define MADE 6

static void give_pattern(const void *pc, char *pattern, const struct norn_scratch *ours, size_t n)
{
	if (ours->data == pattern || !memcmp(ours->data, pattern, n))
		return;
	for (size_t at = n - MADE; at; at--)
		if (!memcmp(pattern + at, "XXXXXX", MADE)) {
			norn_put(pc, pattern + at, ours->data + at, MADE);
			return;
		}
}

#define TEMPORARY(type, name, parameters, arguments)                                               \
	type __norn_##name parameters                                                              \
	{                                                                                          \
		struct norn_scratch ours;                                                          \
		size_t n;                                                                          \
		char *theirs = pattern;                                                            \
		norn_scratch_init(&ours);                                                          \
		pattern =                                                                          \
			(char *)norn_copy_of(NORN_CALLER, theirs, SIZE_MAX, &norn_nul, &ours, &n); \
		type r = CHANGES(name arguments);                                                  \
		int error = errno;                                                                 \
		give_pattern(NORN_CALLER, theirs, &ours, n);                                       \
		norn_scratch_release(&ours);                                                       \
		errno = error;                                                                     \
		return TEMPORARY_##name;                                                           \
	}
#define TEMPORARY_mkstemp r
#define TEMPORARY_mkstemp64 r
#define TEMPORARY_mkostemp r
#define TEMPORARY_mkstemps r
#define TEMPORARY_mkdtemp r ? theirs : NULL
TEMPORARY(int, mkstemp, (char *pattern), (pattern))
TEMPORARY(int, mkstemp64, (char *pattern), (pattern))
TEMPORARY(int, mkostemp, (char *pattern, int flags), (pattern, flags))
TEMPORARY(int, mkstemps, (char *pattern, int suffix), (pattern, suffix))
TEMPORARY(char *, mkdtemp, (char *pattern), (pattern))

/* The entry is in memory of the DIR, which threads may share. */
struct dirent *__norn_readdir(DIR *d)
{
	asks_process = false;
	struct dirent *r = LOOKS(readdir(d));
	norn_looks(dirfd(d));
	norn_filled(NORN_CALLER, r, r ? r->d_reclen : 0);
	return r;
}

struct dirent64 *__norn_readdir64(DIR *d)
{
	asks_process = false;
	struct dirent64 *r = LOOKS(readdir64(d));
	norn_looks(dirfd(d));
	norn_filled(NORN_CALLER, r, r ? r->d_reclen : 0);
	return r;
}
