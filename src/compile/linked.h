/* SPDX-License-Identifier: MIT */
/* The functions and variables that a linked file has or asks for, by its table of symbols. */
#ifndef COMPILE_LINKED_H
#define COMPILE_LINKED_H

#include "base/mem.h"
#include "events/events.h"

#include <stdbool.h>

enum linked_kind { LINKED_FUNCTION, LINKED_VARIABLE, LINKED_OTHER };

struct linked_symbol {
	enum linked_kind kind;
	bool ours; /* the runtime's own */
	const char *name;
	const char *readable; /* as C++ has it, or NULL */
	const char *bare;     /* without parameters */
};

struct linked {
	VEC(struct linked_symbol) all;
	struct arena text;
};

/* False: it is no ELF file that can be read, or it has no such table. */
bool linked_load(struct linked *linked, const char *path);
void linked_release(struct linked *linked);

/* Is one of the functions named by the target of a line? */
bool linked_have(const struct linked *linked, const char *target);
/* Has a mark been put in for this line? */
bool linked_mark(const struct linked *linked, const struct events_line *line);
/* One of this kind of the program itself that is written much the same, or NULL. */
const char *linked_nearest(const struct linked *linked, const char *target, enum linked_kind kind);

#endif
