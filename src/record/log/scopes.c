/* SPDX-License-Identifier: MIT */
#include "record/log/scopes.h"

#include "base/sorted.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>

#define NESTING_MOST 256 /* of what a damaged file says */

void scopes_release(struct scopes *s)
{
	for (size_t i = 0; i < s->units.n; i++)
		vec_release(&s->units.at[i].functions);
	vec_release(&s->units);
}

static void add_function(struct scope_unit *unit, Dwarf_Die *die)
{
	struct scope_function f = {.die = *die};
	Dwarf_Addr base;

	for (ptrdiff_t next = 0; (next = dwarf_ranges(die, next, &base, &f.start, &f.end)) > 0;)
		vec_push(&unit->functions, f);
}

static bool may_hold_functions(int tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type: return true;
	default: return false;
	}
}

static void add_functions_in(struct scope_unit *unit, Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Die die;

	if (depth == NESTING_MOST || dwarf_child(parent, &die))
		return;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_subprogram)
			add_function(unit, &die);
		if (may_hold_functions(tag))
			add_functions_in(unit, &die, depth + 1);
	} while (!dwarf_siblingof(&die, &die));
}

static int compare_functions(const void *a, const void *b)
{
	const struct scope_function *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static const struct scope_unit *unit_of(struct scopes *s, Dwarf_Die *die)
{
	struct scope_unit unit = {.offset = dwarf_dieoffset(die)};

	for (size_t i = 0; i < s->units.n; i++)
		if (s->units.at[i].offset == unit.offset)
			return &s->units.at[i];
	add_functions_in(&unit, die, 0);
	if (unit.functions.n)
		qsort(unit.functions.at, unit.functions.n, sizeof(*unit.functions.at),
		      compare_functions);
	vec_push(&s->units, unit);
	return &s->units.at[s->units.n - 1];
}

/* Of what is in a function, what has the address. */
static bool find_inner(Dwarf_Die *around, Dwarf_Addr address, Dwarf_Die *found)
{
	if (dwarf_child(around, found))
		return false;
	do {
		int tag = dwarf_tag(found);

		if ((tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
		     tag == DW_TAG_try_block || tag == DW_TAG_catch_block) &&
		    dwarf_haspc(found, address) > 0)
			return true;
	} while (!dwarf_siblingof(found, found));
	return false;
}

void scopes_find(struct scopes *s, Dwarf_Die *unit, Dwarf_Addr address, struct scope_chain *found)
{
	const struct scope_unit *u = unit_of(s, unit);
	size_t behind =
		LOWER_BOUND(i, (size_t)0, u->functions.n, u->functions.at[i].start <= address);

	found->at.n = 0;
	if (!behind || address >= u->functions.at[behind - 1].end)
		return;
	Dwarf_Die die = u->functions.at[behind - 1].die, inner;

	vec_push(&found->at, die);
	for (unsigned depth = 0; depth < NESTING_MOST && find_inner(&die, address, &inner);
	     depth++) {
		die = inner;
		if (dwarf_tag(&die) == DW_TAG_inlined_subroutine)
			vec_push(&found->at, die);
	}
}
