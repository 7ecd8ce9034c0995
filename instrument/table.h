/* SPDX-License-Identifier: MIT */
/*
 * The site table of a module while it is made (runtime/sites.h says what it becomes). Strings are
 * offsets into the table's text from the start: table_text gives the same for the same string,
 * 0 for the empty one.
 */
#ifndef INSTRUMENT_TABLE_H
#define INSTRUMENT_TABLE_H

#include "base/intern.h"
#include "base/mem.h"
#include "runtime/sites.h"

struct table {
	VEC(struct site) sites;
	VEC(uint32_t) defined, called;
	struct intern strings, called_names;
	VEC(uint32_t) offsets; /* of the strings, by number */
	VEC(char) text;
	uint32_t directory, source;
};

uint32_t table_text(struct table *table, const char *text, size_t length);
/* A name of the program: blanks and '#' become '_', for the trace's sake. */
uint32_t table_name(struct table *table, const char *text, size_t length);
uint32_t table_site(struct table *table, const struct site *site); /* its index */
void table_defined(struct table *table, const char *name);
void table_called(struct table *table, const char *name); /* any number of times */
/* The table as bytes, up to so many addresses; the caller frees them. */
char *table_bytes(const struct table *table, size_t addresses, size_t *size);
void table_release(struct table *table);

#endif
