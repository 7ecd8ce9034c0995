/* SPDX-License-Identifier: MIT */
#include "base/scratch.h"

#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct named {
	struct named *next;
	char path[];
};

/* A signal may come at any moment: what is reached from here is whole. */
static char *volatile directory;
static struct named *volatile files;

/* A file in it, locked as long as there is somebody who uses the directory. A directory with other
 * files and without it is nobody's to remove. */
#define LOCK ".lock"
static int lock = -1;

/* All but the lock. */
static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	if (strcmp(path + ftw->base, LOCK) != 0)
		remove(path);
	return 0;
}

/* The lock last: who is killed meanwhile leaves something that the next one knows. */
static void remove_all(const char *path)
{
	char *locked = NULL;

	if (asprintf(&locked, "%s/%s", path, LOCK) < 0)
		BUG("no memory left");
	nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	unlink(locked);
	rmdir(path);
	free(locked);
}

static bool is_same(int fd, const char *path)
{
	struct stat one, other;

	return fstat(fd, &one) == 0 && stat(path, &other) == 0 && one.st_ino == other.st_ino &&
	       one.st_dev == other.st_dev;
}

/* False: somebody took it for one that was left, before the lock was there. */
static bool take_lock(void)
{
	const char *path = scratch_file(LOCK);

	lock = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (lock < 0)
		return errno != ENOENT;
	flock(lock, LOCK_EX);
	return is_same(lock, path);
}

static void give_lock(void)
{
	if (lock >= 0)
		close(lock);
	lock = -1;
}

static bool is_mine(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_uid == geteuid();
}

/* Whether it is a directory of ours that nobody uses. */
static bool is_left(int directory_fd, int *locked)
{
	*locked = is_mine(directory_fd)
			  ? openat(directory_fd, LOCK, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
			  : -1;
	return *locked >= 0 && is_mine(*locked) && flock(*locked, LOCK_EX | LOCK_NB) == 0;
}

static void sweep_one(const char *root, const char *name)
{
	char *path = NULL;
	int locked = -1;

	if (asprintf(&path, "%s/%s", root, name) < 0)
		BUG("no memory left");
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 && is_left(fd, &locked))
		remove_all(path);
	else if (fd >= 0 && locked < 0 && is_mine(fd))
		rmdir(path); /* if it is empty */
	if (locked >= 0)
		close(locked);
	if (fd >= 0)
		close(fd);
	free(path);
}

static void sweep(const char *root, const char *name)
{
	size_t length = strlen(name);
	DIR *d = opendir(root);

	for (struct dirent *e; d && (e = readdir(d));)
		if (!strncmp(e->d_name, name, length) && e->d_name[length] == '.')
			sweep_one(root, e->d_name);
	if (d)
		closedir(d);
}

static void forget(void)
{
	struct named *file = files, *next;
	char *path = directory;

	files = NULL;
	directory = NULL;
	free(path);
	for (; file; file = next) {
		next = file->next;
		mem_free(file);
	}
	give_lock();
}

/* 1: it is ours; 0: again; negative: an error. */
static int open_once(const char *root, const char *name, struct err *err)
{
	char *path = NULL;

	if (asprintf(&path, "%s/%s.XXXXXX", root, name) < 0)
		BUG("no memory left");
	if (!mkdtemp(path)) {
		err_set(err, ERR_SYSTEM, "%s: %s; TMPDIR says where temporary files go", path,
			strerror(errno));
		free(path);
		return err->code;
	}
	directory = path;
	if (take_lock())
		return 1;
	forget();
	return 0;
}

static int open_in(const char *root, const char *name, struct err *err)
{
	int code;

	ASSERT(!directory);
	sweep(root, name);
	while ((code = open_once(root, name, err)) == 0)
		;
	return code < 0 ? code : 0;
}

static const char *root_or(const char *other)
{
	const char *root = getenv("TMPDIR");

	return root && *root ? root : other;
}

int scratch_open(const char *name, struct err *err)
{
	return open_in(root_or("/tmp"), name, err);
}

int scratch_open_quick(const char *name, struct err *err)
{
	return open_in(root_or(access("/dev/shm", W_OK | X_OK) ? "/tmp" : "/dev/shm"), name, err);
}

/* Where a file system has no files without names, it has one for a moment. */
int scratch_nameless(void)
{
	const char *root = root_or("/tmp");
	int fd = open(root, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
	char *path = NULL;

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
		return fd;
	if (asprintf(&path, "%s/norn.XXXXXX", root) < 0)
		BUG("no memory left");
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	free(path);
	return fd;
}

const char *scratch_file(const char *name)
{
	size_t length = strlen(directory) + strlen(name) + 2;
	struct named *file = mem_alloc(sizeof(*file) + length);

	snprintf(file->path, length, "%s/%s", directory, name);
	file->next = files;
	files = file;
	return file->path;
}

const char *scratch_directory(void)
{
	return directory;
}

void scratch_close(void)
{
	if (directory)
		remove_all(directory);
	forget();
}

void scratch_keep(void)
{
	if (directory)
		unlink(scratch_file(LOCK));
	forget();
}

void scratch_abandon(void)
{
	for (struct named *file = files; file; file = file->next)
		unlink(file->path);
	if (directory)
		rmdir(directory);
}
