/* SPDX-License-Identifier: MIT */
/*
 * Functions around an address, as DWARF has them. What libdw offers looks at all of a unit for each
 * address; this looks at it once.
 */
#ifndef RECORD_LOG_SCOPES_H
#define RECORD_LOG_SCOPES_H

#include "base/mem.h"

#include <elfutils/libdw.h>
#include <stdint.h>

/* What code of a function there is. */
struct scope_function {
	Dwarf_Addr start, end;
	Dwarf_Die die;
};

struct scope_unit {
	Dwarf_Off offset;
	VEC(struct scope_function) functions; /* by address */
};

struct scopes {
	VEC(struct scope_unit) units;
};

struct scope_chain {
	VEC(Dwarf_Die) at;
};

void scopes_release(struct scopes *s);

/* The function that has the address, and those that were inlined there, the innermost last. */
void scopes_find(struct scopes *s, Dwarf_Die *unit, Dwarf_Addr address, struct scope_chain *found);

#endif
