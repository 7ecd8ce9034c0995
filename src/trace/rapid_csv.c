/* SPDX-License-Identifier: MIT */
/*
 * RAPID CSV: one event a line, in the column of its thread: column i, from 0, is Ti.
 *
 *	fork(T1),
 *	,acq(l)
 *	sync(x),
 *
 * Its README says fork, its parser wants start; both are taken. `sync(x)` is a read and a
 * write of x under a lock that only x has. No values, no locations.
 */
#include "trace/import.h"
#include "trace/import_common.h"

#include <stdio.h>
#include <string.h>

static const struct import_ops csv_ops = {
	"acq, rel, r, w, fork, start, join or sync",
	{{"r", EV_READ},
	 {"w", EV_WRITE},
	 {"acq", EV_ACQUIRE},
	 {"rel", EV_RELEASE},
	 {"fork", EV_FORK},
	 {"start", EV_FORK},
	 {"join", EV_JOIN},
	 {"sync", EV_RMW}, /* take_sync says what becomes of it */
	 {NULL, 0}},
};

/* Cuts a line; the thread's name goes to `name`. Returns NULL, or what was expected. */
static const char *split_line(struct slice line, struct import_fields *f, char name[24])
{
	size_t column = 0, end;

	while (column < line.n && line.at[column] == ',')
		column++;
	for (end = column; end < line.n && line.at[end] != ',';)
		end++;
	struct slice cell = {line.at + column, end - column};

	f->found = cell;
	if (!cell.n)
		return "a cell that is not empty";
	while (end < line.n && line.at[end] == ',')
		end++;
	f->found = (struct slice){line.at + end, line.n - end};
	if (f->found.n)
		return "one event a line";
	snprintf(name, 24, "T%zu", column);
	f->thread = (struct slice){name, strlen(name)};
	return import_split_call(cell, &csv_ops, f);
}

/* The lock of x is called sync(x), so that it is no other lock of the trace. */
static int take_sync(struct import *im, struct import_fields *f, struct err *err)
{
	static const int kinds[] = {EV_ACQUIRE, EV_READ, EV_WRITE, EV_RELEASE};
	struct slice variable = f->operand;
	int code = 0;

	for (int i = 0; i < 4 && !code; i++) {
		f->kind = kinds[i];
		f->operand = i == 0 || i == 3 ? f->found : variable;
		code = import_event(im, f, err);
	}
	return code;
}

static int take_line(struct import *im, struct slice line, struct err *err)
{
	struct import_fields f = {0};
	char name[24];
	const char *expected = split_line(line, &f, name);

	if (expected)
		return import_expected(im, expected, f.found, err);
	return f.kind == EV_RMW ? take_sync(im, &f, err) : import_event(im, &f, err);
}

static bool line_fits(struct slice line)
{
	struct import_fields f = {0};
	char name[24];

	return !split_line(line, &f, name);
}

int rapid_csv_probe(const char *head, size_t size)
{
	return import_count_fitting(head, size, line_fits) ? 90 : 0;
}

struct source *rapid_csv_open_source(struct input *in, struct symbols *symbols, struct err *err)
{
	(void)err;
	return import_open(in, symbols, take_line);
}
