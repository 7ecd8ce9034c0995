/* SPDX-License-Identifier: MIT */
#include "replay/feed.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define PIPE_SIZE (1 << 20)

int feed_begin(struct feed *f, const uint8_t *data, size_t size)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	/* nobody waits for us here; the program's end has to wait */
	fcntl(ends[1], F_SETFL, O_NONBLOCK);
	fcntl(ends[1], F_SETPIPE_SZ, PIPE_SIZE);
	*f = (struct feed){.to = ends[1], .program = ends[0], .data = data, .size = size};
	feed_look(f);
	return 0;
}

int feed_in_child(const struct feed *f)
{
	return dup2(f->program, STDIN_FILENO) < 0 ? -1 : 0;
}

/* We have the other end, too: so there is no SIGPIPE. */
void feed_look(struct feed *f)
{
	while (f->to >= 0 && f->done < f->size) {
		ssize_t n = write(f->to, f->data + f->done, f->size - f->done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		f->done += (size_t)n;
	}
	if (f->to >= 0)
		close(f->to);
	f->to = -1;
}

void feed_end(struct feed *f)
{
	if (f->to >= 0)
		close(f->to);
	close(f->program);
}
