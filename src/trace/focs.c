/* SPDX-License-Identifier: MIT */
/*
 * The text of focs-lab's constraint-based race detector:
 *
 *	Fork 1 2 0
 *	Begin 2 0 0
 *	Write 2 x 5
 *
 * that is `OP THREAD NAME VALUE`, OP in any case. The value counts for accesses alone, and
 * `Begin` and `End` have no use for the name. No locations.
 */
#include "trace/import.h"
#include "trace/import_common.h"

#include <string.h>
#include <strings.h>

static const struct {
	const char *name;
	int kind;
} focs_ops[] = {
	{"read", EV_READ}, {"write", EV_WRITE}, {"acq", EV_ACQUIRE}, {"rel", EV_RELEASE},
	{"fork", EV_FORK}, {"join", EV_JOIN},	{"begin", EV_BEGIN}, {"end", EV_END},
};

/* 64 bits, decimal, with or without a sign. */
static bool parse_value(struct slice text, int64_t *value)
{
	bool negative = text.n && text.at[0] == '-';
	uint64_t sum = 0;

	if (text.n == negative)
		return false;
	for (size_t i = negative; i < text.n; i++) {
		if (text.at[i] < '0' || text.at[i] > '9' || __builtin_mul_overflow(sum, 10, &sum) ||
		    __builtin_add_overflow(sum, (uint64_t)(text.at[i] - '0'), &sum))
			return false;
	}
	if (negative && sum > (uint64_t)1 << 63)
		return false;
	*value = (int64_t)(negative ? -sum : sum);
	return true;
}

/* Returns NULL, or what was expected. */
static const char *split_line(struct slice line, struct import_fields *f)
{
	struct slice rest = line;
	struct slice op = import_take_word(&rest);

	f->kind = EV_COUNT;
	for (size_t i = 0; i < sizeof(focs_ops) / sizeof(focs_ops[0]); i++)
		if (strlen(focs_ops[i].name) == op.n && !strncasecmp(focs_ops[i].name, op.at, op.n))
			f->kind = focs_ops[i].kind;
	f->found = op;
	if (f->kind == EV_COUNT)
		return "Read, Write, Acq, Rel, Fork, Join, Begin or End";
	f->thread = import_take_word(&rest);
	f->operand = import_take_word(&rest);
	struct slice value = import_take_word(&rest);
	struct slice more = import_take_word(&rest);

	f->found = line;
	if (!value.n || more.n)
		return "OP THREAD NAME VALUE";
	f->found = value;
	if (!parse_value(value, &f->value))
		return "a 64-bit integer as the value";
	f->has_value = true;
	if (event_kind_class[f->kind] == CLASS_NONE)
		f->operand.n = 0;
	return NULL;
}

static int take_line(struct import *im, struct slice line, struct err *err)
{
	struct import_fields f = {0};
	const char *expected = split_line(line, &f);

	if (expected)
		return import_expected(im, expected, f.found, err);
	return import_event(im, &f, err);
}

static bool line_fits(struct slice line)
{
	struct import_fields f = {0};

	/* `read write x 1` may be Norn's text: a thread called read */
	return !split_line(line, &f) && f.thread.at[0] >= '0' && f.thread.at[0] <= '9';
}

int focs_probe(const char *head, size_t size)
{
	return import_count_fitting(head, size, line_fits) ? 90 : 0;
}

struct source *focs_open_source(struct input *in, struct symbols *symbols, struct err *err)
{
	(void)err;
	return import_open(in, symbols, take_line);
}
