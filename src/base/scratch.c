/* SPDX-License-Identifier: MIT */
#include "base/scratch.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct named {
	struct named *next;
	char path[];
};

/* A signal may come at any moment: what is reached from here is whole. */
static char *volatile directory;
static struct named *volatile files;

static int open_in(const char *root, const char *name, struct err *err)
{
	char *path = NULL;

	ASSERT(!directory);
	if (asprintf(&path, "%s/%s.XXXXXX", root, name) < 0)
		BUG("no memory left");
	if (!mkdtemp(path)) {
		err_set(err, ERR_SYSTEM, "%s: %s; TMPDIR says where temporary files go", path,
			strerror(errno));
		free(path);
		return err->code;
	}
	directory = path;
	return 0;
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

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	remove(path);
	return 0;
}

void scratch_close(void)
{
	if (directory)
		nftw(directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	scratch_keep();
}

void scratch_keep(void)
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
}

void scratch_abandon(void)
{
	for (struct named *file = files; file; file = file->next)
		unlink(file->path);
	if (directory)
		rmdir(directory);
}
