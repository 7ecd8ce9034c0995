/* SPDX-License-Identifier: MIT */
/*
 * The standard input that a run was given through a pipe, given again through a pipe: written as
 * the program takes it, whenever feed_look is called.
 */
#ifndef REPLAY_FEED_H
#define REPLAY_FEED_H

#include <stddef.h>
#include <stdint.h>

struct feed {
	int to, program; /* the ends of the pipe; to: -1 if all is written */
	const uint8_t *data;
	size_t size, done;
};

/* Negative, and errno: there is no pipe. The data stays the caller's. */
int feed_begin(struct feed *f, const uint8_t *data, size_t size);
/* In the child, before exec: negative, and errno, if that fails. */
int feed_in_child(const struct feed *f);
void feed_look(struct feed *f);
void feed_end(struct feed *f);

#endif
