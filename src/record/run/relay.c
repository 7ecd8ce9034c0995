/* SPDX-License-Identifier: MIT */
#include "record/run/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIPE_SIZE (1 << 20)

bool relay_is_needed(void)
{
	struct stat st;

	return !fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode);
}

static void close_all(struct relay *r)
{
	close(r->program);
	close(r->file);
	if (r->to >= 0)
		close(r->to);
}

/* To the program's pipe, which is empty, what is in ours. Negative, and errno: nothing is, or it
 * cannot be. */
static int copy_ahead(struct relay *r)
{
	ssize_t n = tee(r->from, r->to, PIPE_SIZE, SPLICE_F_NONBLOCK);

	if (n < 0)
		return -1;
	r->ahead = (size_t)n;
	if (n == 0) {
		close(r->to);
		r->to = -1;
	}
	return 0;
}

bool relay_begin(struct relay *r, const char *directory, uint64_t limit)
{
	char path[4096 + 16];
	int ends[2];

	snprintf(path, sizeof(path), "%s/stdin", directory);
	int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (file < 0)
		return false;
	if (pipe2(ends, O_CLOEXEC) < 0) {
		close(file);
		return false;
	}
	fcntl(ends[1], F_SETPIPE_SZ, PIPE_SIZE); /* fewer looks; more is not always allowed */
	*r = (struct relay){.from = STDIN_FILENO,
			    .to = ends[1],
			    .program = ends[0],
			    .file = file,
			    .rest = limit};
	if (copy_ahead(r) == 0 || errno == EAGAIN)
		return true;
	int error = errno;

	close_all(r);
	unlink(path);
	errno = error;
	return false;
}

int relay_in_child(const struct relay *r)
{
	return dup2(r->program, STDIN_FILENO) < 0 ? -1 : 0;
}

static void save(struct relay *r, const char *data, size_t size)
{
	if (size > r->rest) {
		r->cut = true;
		size = (size_t)r->rest;
	}
	while (size) {
		ssize_t n = write(r->file, data, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			r->cut = true;
			r->rest = 0;
			return;
		}
		data += n;
		size -= (size_t)n;
		r->rest -= (uint64_t)n;
	}
}

/* Of ours, what the program has taken of its own. */
static void take(struct relay *r)
{
	struct pollfd ready = {.fd = r->from, .events = POLLIN};
	char data[65536];
	int left = 0;

	if (ioctl(r->program, FIONREAD, &left) < 0)
		return;
	while (r->ahead > (size_t)left) {
		size_t want = r->ahead - (size_t)left;
		ssize_t n =
			poll(&ready, 1, 0) <= 0
				? 0
				: read(r->from, data, want < sizeof(data) ? want : sizeof(data));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) { /* somebody else has read it */
			r->ahead = (size_t)left;
			return;
		}
		save(r, data, (size_t)n);
		r->ahead -= (size_t)n;
	}
}

void relay_look(struct relay *r)
{
	struct pollfd ready = {.fd = r->from, .events = POLLIN};

	take(r);
	if (!r->ahead && r->to >= 0 && poll(&ready, 1, 0) > 0)
		copy_ahead(r);
}

void relay_end(struct relay *r)
{
	take(r);
	close_all(r);
}
