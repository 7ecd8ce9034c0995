/* SPDX-License-Identifier: MIT */
/* The value of an access as a whole, from those of its variables (doc/model.md, Memory). */
#ifndef MODEL_WHOLE_H
#define MODEL_WHOLE_H

#include "trace/symbols.h"

/*
 * Where part i of an access lies in its value as a whole; false if that is the first one's
 * value, all of it.
 */
bool whole_place(const struct symbols *symbols, const struct event *e, uint32_t i, uint32_t *shift,
		 uint64_t *mask);

/* What a read returned as a whole, as it was recorded. */
int64_t whole_recorded(const struct symbols *symbols, const struct event *e);

/* What a write of this whole value leaves in its part i; false: it has no such value. */
bool whole_part(const struct symbols *symbols, const struct event *e, uint32_t i, int64_t whole,
		int64_t *part);

#endif
