/* SPDX-License-Identifier: MIT */
/*
 * RoadRunner, as RAPID's print tool writes it:
 *
 *	@  Start(0,1)
 *	@   ARd(1,@01[3])  Final  Test.java:50:7
 *
 * that is `@ OP(THREAD,OPERAND) TOKEN LOC`; an access must have its LOC. All other lines
 * (method calls, volatile accesses, what the program printed) are skipped. No values.
 */
#include "trace/import.h"
#include "trace/import_common.h"

#include <string.h>

static const struct import_ops rr_ops = {
	"an operation",
	{{"Rd", EV_READ},
	 {"Wr", EV_WRITE},
	 {"ARd", EV_READ}, /* of an array element */
	 {"AWr", EV_WRITE},
	 {"Acquire", EV_ACQUIRE},
	 {"Release", EV_RELEASE},
	 {"Start", EV_FORK},
	 {"Join", EV_JOIN},
	 {NULL, 0}},
};

/* Returns NULL, with kind EV_COUNT for a line to skip, or what was expected. */
static const char *split_line(struct slice line, struct import_fields *f)
{
	struct slice rest = {line.at + 1, line.n - 1};

	f->kind = EV_COUNT;
	if (line.at[0] != '@')
		return NULL;
	struct slice call = import_take_word(&rest);
	const char *expected = import_split_call(call, &rr_ops, f);

	if (f->kind == EV_COUNT)
		return NULL;
	if (expected)
		return expected;
	const char *comma = memchr(f->operand.at, ',', f->operand.n);
	size_t before = comma ? (size_t)(comma - f->operand.at) : 0;

	if (!before || before + 1 == f->operand.n)
		return "a thread and an operand, as in (THREAD,OPERAND)";
	f->thread = (struct slice){f->operand.at, before};
	f->operand = (struct slice){comma + 1, f->operand.n - before - 1};
	import_take_word(&rest); /* the state that RoadRunner kept of the variable */
	f->location = import_take_word(&rest);
	if (!f->location.n && event_kind_class[f->kind] == CLASS_VARIABLE) {
		f->found.n = 0;
		return "TOKEN LOC after an access";
	}
	return NULL;
}

static int take_line(struct import *im, struct slice line, struct err *err)
{
	struct import_fields f = {0};
	const char *expected = split_line(line, &f);

	if (expected)
		return import_expected(im, expected, f.found, err);
	return f.kind == EV_COUNT ? 0 : import_event(im, &f, err);
}

/* Tells events from the lines around them: a probe must see one. */
static bool line_is_event(struct slice line)
{
	struct import_fields f = {0};

	return !split_line(line, &f) && f.kind != EV_COUNT;
}

int roadrunner_probe(const char *head, size_t size)
{
	size_t start = 0;

	/* RoadRunner greets before the first event; method calls stand between others */
	while (start < size) {
		const char *newline = memchr(head + start, '\n', size - start);
		size_t end = newline ? (size_t)(newline - head) : size;

		if (end > start && line_is_event((struct slice){head + start, end - start}))
			return 80;
		start = end + 1;
	}
	return 0;
}

struct source *roadrunner_open_source(struct input *in, struct symbols *symbols, struct err *err)
{
	(void)err;
	return import_open(in, symbols, take_line);
}
