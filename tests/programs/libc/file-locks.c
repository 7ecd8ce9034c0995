/*
 * Locks that are files: made by who gets it alone, by open, mkdir, link or symlink, and removed; and
 * locks of files. What they guard is guarded.
 *
 * expect: nothing
 * output: varies
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "/tmp/norn-file-locks.XXXXXX", name[128], target[128];
static int guarded;

static int by_open(void)
{
	int fd = open(name, O_CREAT | O_EXCL | O_WRONLY, 0600);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int by_directory(void)
{
	return mkdir(name, 0700) == 0;
}

static int by_link(void)
{
	return link(target, name) == 0;
}

static int by_symbolic_link(void)
{
	return symlink("somebody", name) == 0;
}

static void by_unlink(void)
{
	unlink(name);
}

static void by_rmdir(void)
{
	rmdir(name);
}

static __thread int mine;

static int by_flock(void)
{
	mine = open(target, O_RDWR);
	return flock(mine, LOCK_EX) == 0;
}

static int by_flock_try(void)
{
	mine = open(target, O_RDWR);
	if (flock(mine, LOCK_EX | LOCK_NB) == 0)
		return 1;
	close(mine);
	return 0;
}

static void by_close(void)
{
	close(mine);
}

static void by_flock_un(void)
{
	flock(mine, LOCK_UN);
	close(mine);
}

static int by_ofd(void)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	mine = open(target, O_RDWR);
	return fcntl(mine, F_OFD_SETLKW, &whole) == 0;
}

static void by_ofd_un(void)
{
	struct flock whole = {.l_type = F_UNLCK, .l_whence = SEEK_SET};

	fcntl(mine, F_OFD_SETLK, &whole);
	close(mine);
}

static const struct kind {
	int (*take)(void);
	void (*leave)(void);
} kinds[] = {
	{by_open, by_unlink},	      {by_directory, by_rmdir}, {by_link, by_unlink},
	{by_symbolic_link, by_unlink}, {by_flock, by_close},	 {by_flock_try, by_flock_un},
	{by_ofd, by_ofd_un},
};

static void *worker(void *argument)
{
	const struct kind *kind = argument;

	for (int i = 0; i < 2; i++) {
		while (!kind->take())
			usleep(100);
		guarded++;
		kind->leave();
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	const int n = sizeof kinds / sizeof *kinds;

	if (!mkdtemp(directory))
		return 1;
	snprintf(name, sizeof name, "%s/lock", directory);
	snprintf(target, sizeof target, "%s/target", directory);
	close(open(target, O_CREAT | O_WRONLY, 0600));
	for (int i = 0; i < n; i++) {
		for (int k = 0; k < 2; k++)
			pthread_create(&threads[k], NULL, worker, (void *)&kinds[i]);
		for (int k = 0; k < 2; k++)
			pthread_join(threads[k], NULL);
	}
	unlink(target);
	rmdir(directory);
	return guarded == 4 * n ? 0 : 1;
}
