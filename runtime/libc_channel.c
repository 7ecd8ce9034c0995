/*
 * Order through the kernel: a thread that reads from a pipe knows what another did before it
 * wrote there. All sockets are one channel, since nobody tells which two are connected; pipes are
 * told apart, and so are eventfds and the like as far as they have inodes of their own.
 * Each signal is one, too, and all file locks and message queues together.
 * Not seen: order by the contents of regular files, and by terminals.
 */
#include "runtime/libc.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#define CHANNELS 256
static char norn_channel[CHANNELS];

static const void *channel_of(int fd)
{
	struct stat s;
	int error = errno;
	int r = fd < 0 ? -1 : fstat(fd, &s);
	errno = error;
	if (r)
		return NULL;
	switch (s.st_mode & S_IFMT) {
	case S_IFSOCK: return &norn_channel[0];
	case S_IFIFO:
	case 0: return &norn_channel[1 + (s.st_dev * 31 + s.st_ino) % (CHANNELS - 1)];
	default: return NULL;
	}
}

void norn_announce(int fd)
{
	const void *channel = channel_of(fd);
	if (channel)
		norn_comes_before(channel);
}

void norn_noticed(int fd)
{
	const void *channel = channel_of(fd);
	if (channel)
		norn_comes_after(channel);
}

static int fd_of(FILE *f)
{
	int error = errno;
	int fd = fileno_unlocked(f);
	errno = error;
	return fd;
}

void norn_announce_file(FILE *f)
{
	norn_announce(fd_of(f));
}

void norn_noticed_file(FILE *f)
{
	norn_noticed(fd_of(f));
}

#define SIGNALS 65
static char norn_signal_channel[SIGNALS];

void norn_announce_signal(int signal)
{
	if (signal > 0 && signal < SIGNALS)
		norn_comes_before(&norn_signal_channel[signal]);
}

void norn_noticed_signal(int signal)
{
	if (signal > 0 && signal < SIGNALS)
		norn_comes_after(&norn_signal_channel[signal]);
}

static char norn_queue;

void norn_announce_queue(void)
{
	norn_comes_before(&norn_queue);
}

void norn_noticed_queue(void)
{
	norn_comes_after(&norn_queue);
}
