/* SPDX-License-Identifier: MIT */
#include "runtime/files.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/process.h"
#include "runtime/run.h"
#include "runtime/sys.h"

/* The directory, if it is kept open. The program may close that, and open something else in its
 * place, so its identity is looked at before each use. */
static struct {
	struct norn_spin lock;
	long fd;
	struct stat is;
} kept = {.fd = -1};

static bool is_same(long fd, const struct stat *is)
{
	struct stat now;
	return NORN_SYS(fstat, fd, &now, 0, 0, 0, 0) == 0 && now.st_dev == is->st_dev &&
	       now.st_ino == is->st_ino;
}

static long directory(void)
{
	long fd = __atomic_load_n(&kept.fd, __ATOMIC_ACQUIRE);
	return fd >= 0 && is_same(fd, &kept.is) ? fd : -1;
}

/* Where to look, and for what. */
static long locate(char *path, const char *name, long number)
{
	long at = directory();
	norn_path(path, at < 0, name, number);
	return at < 0 ? AT_FDCWD : at;
}

long norn_file_open(const char *name, long number, int flags)
{
	char path[NORN_PATH_MAX];
	long at = locate(path, name, number);
	return NORN_SYS(openat, at, path, flags | O_CLOEXEC | O_NOFOLLOW, 0600, 0, 0);
}

void norn_file_remove(const char *name, long number)
{
	char path[NORN_PATH_MAX];
	long at = locate(path, name, number);
	NORN_SYS(unlinkat, at, path, 0, 0, 0, 0);
}

/* The signal of the limit on sizes, which is sent to the thread that writes */

struct limit_signal {
	uint64_t mask;
	bool pending; /* it was before: one that the program made, and blocks */
};

static struct limit_signal hold_signal(void)
{
	struct limit_signal held = {0};
	uint64_t set = NORN_SIGNAL(SIGXFSZ), pending = 0;
	NORN_SYS(rt_sigprocmask, SIG_BLOCK, &set, &held.mask, sizeof set, 0, 0);
	if (held.mask & set)
		NORN_SYS(rt_sigpending, &pending, sizeof pending, 0, 0, 0, 0);
	held.pending = pending & set;
	return held;
}

static void let_signal(const struct limit_signal *held, long result)
{
	static const struct timespec at_once;
	uint64_t set = NORN_SIGNAL(SIGXFSZ);
	if (result == -EFBIG && !held->pending)
		NORN_SYS(rt_sigtimedwait, &set, 0, &at_once, sizeof set, 0, 0);
	NORN_SYS(rt_sigprocmask, SIG_SETMASK, &held->mask, 0, sizeof set, 0, 0);
}

/* Writing */

static long write_all(long fd, const char *data, uint64_t size, uint64_t offset, bool append)
{
	while (size) {
		long written = append ? NORN_SYS(write, fd, data, size, 0, 0, 0)
				      : NORN_SYS(pwrite64, fd, data, size, offset, 0, 0);
		if (written == -EINTR)
			continue;
		if (written <= 0)
			return written ? written : -ENOSPC;
		data += written;
		size -= (uint64_t)written;
		offset += (uint64_t)written;
	}
	return 0;
}

long norn_file_write(long fd, const void *data, uint64_t size, uint64_t offset)
{
	struct limit_signal held = hold_signal();
	long result = write_all(fd, data, size, offset, false);
	let_signal(&held, result);
	return result;
}

long norn_file_append(long fd, const void *data, uint64_t size)
{
	struct limit_signal held = hold_signal();
	long result = write_all(fd, data, size, 0, true);
	let_signal(&held, result);
	return result;
}

static long write_zeros(long fd, uint64_t offset, uint64_t size)
{
	static const char zeros[4096];
	long result = 0;
	for (uint64_t done = 0; result >= 0 && done < size; done += sizeof zeros)
		result = write_all(fd, zeros, sizeof zeros, offset + done, false);
	return result;
}

long norn_file_reserve(long fd, uint64_t offset, uint64_t size)
{
	struct limit_signal held = hold_signal();
	long result;
	do
		result = NORN_SYS(fallocate, fd, 0, offset, size, 0, 0);
	while (result == -EINTR);
	if (result == -EOPNOTSUPP || result == -ENOSYS)
		result = write_zeros(fd, offset, size);
	let_signal(&held, result);
	return result;
}

void norn_file_expect(long fd, uint64_t offset, uint64_t size)
{
	NORN_SYS(fallocate, fd, FALLOC_FL_KEEP_SIZE, offset, size, 0, 0);
}

/* Out of reach */

#define HIGH_NUMBER 900

/* As high as can be: programs that close descriptors seldom go so far. */
static long to_high_number(long fd)
{
	long high = -1;
	for (long least = HIGH_NUMBER; high < 0 && least > 2; least /= 2)
		high = NORN_SYS(fcntl, fd, F_DUPFD_CLOEXEC, least, 0, 0, 0);
	norn_sys_close(fd);
	return high;
}

static void keep_directory(void)
{
	if (directory() >= 0)
		return;
	long fd = norn_sys_open(norn_run.directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	fd = to_high_number(fd);
	if (fd >= 0 && NORN_SYS(fstat, fd, &kept.is, 0, 0, 0, 0) == 0)
		__atomic_store_n(&kept.fd, fd, __ATOMIC_RELEASE);
}

static void give_all(long fd, uint32_t owner)
{
	char buffer[2048] __attribute__((aligned(8)));
	long got;
	NORN_SYS(lseek, fd, 0, 0 /* SEEK_SET */, 0, 0, 0);
	while ((got = NORN_SYS(getdents64, fd, buffer, sizeof buffer, 0, 0, 0)) > 0)
		for (long at = 0; at < got; at += ((struct norn_entry *)(buffer + at))->length) {
			const char *name = ((struct norn_entry *)(buffer + at))->name;
			if (*name != '.')
				NORN_SYS(fchownat, fd, name, owner, -1, AT_SYMLINK_NOFOLLOW, 0);
		}
	NORN_SYS(fchown, fd, owner, -1, 0, 0, 0);
}

void norn_files_keep(uint32_t owner)
{
	norn_spin_lock(&kept.lock);
	keep_directory();
	long fd = directory();
	if (fd >= 0 && owner != UINT32_MAX)
		give_all(fd, owner);
	norn_spin_unlock(&kept.lock);
}

void norn_files_in_child(void)
{
	long fd = directory();
	kept.lock.taken = 0;
	kept.fd = -1;
	if (fd >= 0)
		norn_sys_close(fd);
}
