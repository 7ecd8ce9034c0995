/* SPDX-License-Identifier: MIT */
/*
 * One bug is one group: findings of one title about the same variable, where the blocks of one
 * allocation count as one; about members, elements or parts of one variable or block if they share
 * a side, which is a place; or without a variable, in the same functions.
 */
#ifndef REPORT_ALIKE_H
#define REPORT_ALIKE_H

#include "base/intern.h"
#include "base/mem.h"

typedef VEC(char) group_key;

/* Sets of keys, each with all keys of the findings that have one of them; zero at first. */
struct alike {
	struct intern keys;
	VEC(uint32_t) parents; /* of a key, in its set; the root is its own */
	VEC(uint32_t) sets;    /* of a finding, one of its keys */
	group_key head;	       /* what all keys of the last finding begin with */
	group_key functions;   /* of its events */
	const char *variable;
	bool has_place;
};

/* One more finding. `apart`: those with another one are never of its group; variable: "" for none,
 * and to be kept until the next. */
void alike_add(struct alike *g, const char *title, char apart, const char *variable);
/* An event of it: its location as recorded, and the file and function in that; "" for none. */
void alike_side(struct alike *g, const char *location, const char *file, const char *function);
/* Of each finding its group, from 0 as they come first; releases all else. */
void alike_number(struct alike *g, uint32_t *numbers);

#endif
