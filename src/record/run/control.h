/* SPDX-License-Identifier: MIT */
/*
 * A socket by which a recording is started and stopped while the program runs (--control). Whoever
 * connects writes lines, each a word, and gets a line for each.
 *
 *	start    it is to begin; it does so with the next hook that some thread of the program comes
 *to stop     it is over; the program goes on status   answered by: waiting, starting, recording N
 *(records so far), stopped N
 */
#ifndef RECORD_RUN_CONTROL_H
#define RECORD_RUN_CONTROL_H

#include "base/err.h"
#include "runtime/log.h"

#include <stdbool.h>
#include <stddef.h>

#define CONTROL_CLIENTS 8
#define CONTROL_LINE 64

struct control {
	const char *path;
	int fd; /* below 0: there is no socket */
	struct control_client {
		int fd; /* 0: none */
		size_t n;
		char text[CONTROL_LINE];
	} clients[CONTROL_CLIENTS];
};

/* Makes the socket, for this user alone. Negative: err says why. */
int control_open(struct control *c, const char *path, struct err *err);
/* Does what was asked for since the last time. Never waits. */
void control_look(struct control *c, struct log_run *run);
/* Removes it. */
void control_close(struct control *c);

#endif
