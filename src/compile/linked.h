/* SPDX-License-Identifier: MIT */
/* The functions that a linked file has or asks for, by its table of symbols. */
#ifndef COMPILE_LINKED_H
#define COMPILE_LINKED_H

#include "base/mem.h"

#include <stdbool.h>

struct linked_function {
	const char *name;
	const char *readable; /* as C++ has it, without parameters; or NULL */
};

struct linked {
	VEC(struct linked_function) all;
	struct arena text;
};

/* False: it is no ELF file that can be read, or it has no such table. */
bool linked_load(struct linked *linked, const char *path);
void linked_release(struct linked *linked);

/* Is one of them named by the target of a line? */
bool linked_have(const struct linked *linked, const char *target);
/* One that is written much the same, or NULL. */
const char *linked_nearest(const struct linked *linked, const char *target);

#endif
