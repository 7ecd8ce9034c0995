/* SPDX-License-Identifier: MIT */
/*
 * Constants that decide how much is tried before a search gives up. Each room has one table of its
 * own (tune.h there), with a default and a range a row; norn predict --tune sets them for
 * experiments, before anything is searched. They change effort, and with that what stays
 * undecided; whatever they are, what is proved is certified and what is refuted is impossible.
 */
#ifndef BASE_TUNE_H
#define BASE_TUNE_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct tune {
	const char *name; /* ROOM.NAME */
	uint32_t *value;
	uint32_t least, most;
};

struct tune_table {
	const struct tune *at;
	size_t n;
};

/*
 * A table is a list of rows, row(room, name, default, least, most, what it is). TUNE_DECLARE in the
 * header gives the values as fields of room_tune; TUNE_DEFINE goes into one source file.
 */
#define TUNE_FIELD(room, name, value, least, most, what) uint32_t name;
#define TUNE_DEFAULT(room, name, value, least, most, what) .name = value,
#define TUNE_ROW(room, name, value, least, most, what) \
	{#room "." #name, &room##_tune.name, least, most},
#define TUNE_DECLARE(room, ROWS)    \
	extern struct room##_tune { \
		ROWS(TUNE_FIELD)    \
	} room##_tune;              \
	extern const struct tune_table room##_tune_table;
#define TUNE_DEFINE(room, ROWS)                                         \
	struct room##_tune room##_tune = {ROWS(TUNE_DEFAULT)};          \
	static const struct tune room##_tune_rows[] = {ROWS(TUNE_ROW)}; \
	const struct tune_table room##_tune_table = {                   \
		room##_tune_rows, sizeof(room##_tune_rows) / sizeof(*room##_tune_rows)};

/* "NAME=VALUE"; tables ends with NULL. ERR_USAGE: no such name, or not in its range. */
int tune_set(const struct tune_table *const *tables, const char *text, struct err *err);

#endif
