/* SPDX-License-Identifier: MIT */
#include "cmd/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define INTERVAL_MS 200

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void progress_start(struct progress *p, const char *name)
{
	*p = (struct progress){.name = name, .terminal = isatty(STDERR_FILENO)};
	/* what is done within a second needs no progress */
	if (p->terminal)
		p->next = now_ms() + 1000;
}

static bool is_time(struct progress *p)
{
	if (!p->terminal || now_ms() < p->next)
		return false;
	p->next = now_ms() + INTERVAL_MS;
	return p->shown = true;
}

void progress_show(struct progress *p, uint64_t events)
{
	if (is_time(p))
		fprintf(stderr, "\r\033[K%s: %" PRIu64 " events", p->name, events);
}

void progress_show_parts(struct progress *p, uint64_t done, uint64_t all, uint64_t proved,
			 double left)
{
	if (!is_time(p))
		return;
	fprintf(stderr,
		"\r\033[K%s: %" PRIu64 " of %" PRIu64 " candidates, %" PRIu64 " proved, %" PRIu64
		" left",
		p->name, done, all, proved, all - done);
	if (left > 0)
		fprintf(stderr, " (%.0f s)", left);
}

void progress_end(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}
