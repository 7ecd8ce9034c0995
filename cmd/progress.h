/* SPDX-License-Identifier: MIT */
/*
 * How far a long pass is, on one line of standard error that is written over and
 * finally wiped; nothing at all unless that is a terminal.
 */
#ifndef CMD_PROGRESS_H
#define CMD_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	const char *name;
	bool terminal, shown;
	uint64_t next; /* when to show it again, in milliseconds */
};

void progress_start(struct progress *p, const char *name);
void progress_show(struct progress *p, uint64_t events); /* call it once a batch */
/* The same for work that comes in so many parts; seconds that are left, 0: no limit. */
void progress_show_parts(struct progress *p, uint64_t done, uint64_t all, uint64_t proved,
			 double left);
void progress_end(struct progress *p);

#endif
