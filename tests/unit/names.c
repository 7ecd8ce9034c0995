/* SPDX-License-Identifier: MIT */
/* Names of variables that are read when they are asked for: the same as if they had been there. */
#include "tests/support/random_trace.h"
#include "tests/support/tap.h"
#include "tests/support/traces.h"

#include "order/order.h"
#include "trace/binary.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define RANDOM_TRACES TAP_PART(600)

static struct bytes binary_of(struct bytes text, uint32_t block)
{
	struct bytes binary;
	struct err err;

	if (convert_memory(text.at, text.n, "text", "binary", block, &binary, &err) < 0)
		FAIL("%s", err.message);
	return binary;
}

static struct reader *open_unnamed(struct bytes data, struct err *err)
{
	return reader_open_input_unnamed(input_open_memory(data.at, data.n, "memory"), NULL, err);
}

static void assert_same(const struct whole_trace *a, const struct whole_trace *b)
{
	const char *what = symbols_difference(reader_symbols(a->reader), reader_symbols(b->reader));

	if (!what)
		what = whole_difference(a, b);
	if (what)
		FAIL("%s", what);
}

/* Names that come before the batch of that number, counted from 0, or after the last. */
static void read_named_at(struct whole_trace *whole, struct bytes data, size_t when)
{
	struct err err = {0};
	struct batch batch;
	int got = 1;

	*whole = (struct whole_trace){.reader = open_unnamed(data, &err)};
	for (size_t i = 0; whole->reader && !err.code && got > 0; i++) {
		got = reader_next(whole->reader, &batch, &err);
		/* the batch stays as it is */
		if (i == when || !got)
			reader_names(whole->reader, &err);
		for (size_t k = 0; got > 0 && k < batch.n; k++)
			whole_add(whole, &batch.at[k]);
	}
	if (err.code)
		FAIL("%s", err.message);
	ASSERT_EQ(reader_names(whole->reader, &err), 0); /* they are there */
}

static void assert_names_come(struct bytes binary)
{
	struct whole_trace named, unnamed;
	struct err err;

	if (whole_read_memory(&named, binary.at, binary.n, "binary", &err) < 0)
		FAIL("%s", err.message);
	for (size_t when = 0; when < 4; when++) {
		read_named_at(&unnamed, binary, when);
		assert_same(&named, &unnamed);
		whole_release(&unnamed);
	}
	if (whole_read_unnamed(&unnamed, binary.at, binary.n, "binary", &err) < 0)
		FAIL("%s", err.message);
	assert_same(&named, &unnamed);
	whole_release(&unnamed);
	whole_release(&named);
}

TAP_CASE(conformance)
{
	glob_t files;

	ASSERT_EQ(glob("tests/conformance/*.trace", 0, NULL, &files), 0);
	ASSERT_TRUE(files.gl_pathc >= 157);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		tap_at("%s", files.gl_pathv[i]);
		struct bytes text = bytes_of_file(files.gl_pathv[i]);

		/* small blocks of events have blocks of symbols between them */
		for (uint32_t block = 0; block < 3; block++) {
			struct bytes binary = binary_of(text, block);

			assert_names_come(binary);
			bytes_release(&binary);
		}
		bytes_release(&text);
	}
	globfree(&files);
}

static struct bytes random_text(uint64_t seed, uint32_t events, uint32_t features)
{
	struct random_trace knobs = random_trace_knobs(seed, events, features);
	struct bytes text = {.at = random_trace_make(&knobs)};

	tap_at("random_trace_knobs(%llu, %u, 0x%x)", (unsigned long long)seed, events, features);
	text.n = strlen(text.at);
	return text;
}

TAP_CASE(random_traces)
{
	for (uint64_t seed = 1; seed <= RANDOM_TRACES; seed++) {
		struct bytes text = random_text(seed, 60, RANDOM_EVERYTHING);
		struct bytes binary = binary_of(text, (uint32_t)(seed % 5));
		struct err err;
		struct reader *r = open_unnamed(binary, &err);

		if (symbols_count(reader_symbols(r), CLASS_VARIABLE))
			ASSERT_FALSE(symbols_are_named(reader_symbols(r)));
		reader_close(r);
		assert_names_come(binary);
		bytes_release(&text);
		bytes_release(&binary);
	}
}

TAP_CASE(a_name_that_is_not_there_stops_the_program)
{
	struct bytes text = {"t write x 1\n", 12};
	struct bytes binary = binary_of(text, 0);
	struct err err;
	struct reader *r = open_unnamed(binary, &err);
	pid_t child = fork();
	int status;

	if (!child) {
		fclose(stderr);
		_exit(*symbols_name(reader_symbols(r), CLASS_VARIABLE, 0) == 'x' ? 0 : 1);
	}
	ASSERT_EQ(waitpid(child, &status, 0), child);
	ASSERT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == EXIT_INTERNAL);
	ASSERT_EQ(reader_names(r, &err), 0);
	ASSERT_STR_EQ(symbols_name(reader_symbols(r), CLASS_VARIABLE, 0), "x");
	reader_close(r);
	bytes_release(&binary);
}

/* As no writer that reads would: memory may overlap, and names be bad. */
static struct bytes written(const struct symbols *symbols, const struct event *events, size_t n)
{
	struct memory_output m;
	struct err err = {0};
	struct sink *sink = binary_open_sink(memory_output_open(&m), symbols, &err);

	ASSERT_TRUE(sink);
	if (n)
		sink->ops->put(sink, &(struct batch){.at = events, .n = n, .first = 1}, &err);
	ASSERT_EQ(sink->ops->finish(sink, &err), 0);
	return memory_output_take(&m);
}

static void add_memory(struct symbols *symbols, const char *name, uint64_t address, uint64_t size)
{
	uint32_t base = intern_add(&symbols->bases, "base", 4);

	symbols_add_unchecked(symbols, CLASS_VARIABLE, name, strlen(name));
	uint32_t x = (uint32_t)symbols_count(symbols, CLASS_VARIABLE) - 1;

	*symbols_describe(symbols, x) = (struct variable){
		.base = base, .address = address, .size = size, .flags = VARIABLE_MEMORY};
}

/* Ranges get names that nobody has: those that are there have to be known. */
TAP_CASE(ranges_get_names)
{
	struct event events[] = {{.kind = EV_WRITE, .object = 0, .value = 1},
				 {.kind = EV_WRITE, .object = 1, .value = 1},
				 {.kind = EV_READ, .object = 3, .value = 0}};
	struct symbols symbols;
	struct err err;

	symbols_init(&symbols);
	symbols_add(&symbols, CLASS_THREAD, "t", 1);
	add_memory(&symbols, "x", 0, 4);
	add_memory(&symbols, "y", 2, 4);
	add_memory(&symbols, "base:0x2:2", 100, 4);
	symbols_add_unchecked(&symbols, CLASS_VARIABLE, "plain", 5);
	struct bytes binary = written(&symbols, events, 3);
	struct reader *r = open_unnamed(binary, &err);

	ASSERT_TRUE(symbols_are_named(reader_symbols(r)));
	ASSERT_EQ(symbols_count(reader_symbols(r), CLASS_VARIABLE), 7);
	ASSERT_STR_EQ(symbols_name(reader_symbols(r), CLASS_VARIABLE, 5), "base:0x2:2'");
	reader_close(r);
	assert_names_come(binary);
	bytes_release(&binary);
	symbols_release(&symbols);
}

/* More names than one block of symbols holds, some of them long, some variables described. */
TAP_CASE(several_blocks)
{
	struct symbols symbols;
	static char name[5000];

	symbols_init(&symbols);
	symbols_add(&symbols, CLASS_THREAD, "t", 1);
	for (uint32_t i = 0; i < 100000; i++) {
		int length = sprintf(name, "variable_%u", i);

		if (i % 1000 == 0) {
			memset(name + length, 'x', 1000 + i % 3000);
			length += 1000 + (int)(i % 3000);
		}
		symbols_add(&symbols, CLASS_VARIABLE, name, (size_t)length);
		if (i % 97 == 0)
			*symbols_describe(&symbols, i) =
				(struct variable){.init = -(int64_t)i, .flags = VARIABLE_INIT};
		if (i % 89 == 0)
			symbols_describe(&symbols, i)->flags |= VARIABLE_VOLATILE;
		if (i % 20000 == 0)
			symbols_add(&symbols, CLASS_LOCK, name, (size_t)length);
	}
	struct event event = {.kind = EV_WRITE, .object = 99999, .value = 1};
	struct bytes binary = written(&symbols, &event, 1);

	assert_names_come(binary);
	bytes_release(&binary);
	symbols_release(&symbols);
}

/* Cut anywhere, without an index: the same events, names and errors. */
TAP_CASE(cut_short)
{
	size_t some = 0;

	for (uint64_t seed = 1; seed <= TAP_PART(10); seed++) {
		struct bytes text = random_text(seed, 30, RANDOM_EVERYTHING);
		struct bytes binary = binary_of(text, seed % 3 ? 4 : 0);

		for (size_t n = 0; n < binary.n; n++) {
			struct whole_trace named, unnamed;
			struct err named_err, err;
			int code = whole_read_memory(&named, binary.at, n, "binary", &named_err);

			ASSERT_EQ(whole_read_unnamed(&unnamed, binary.at, n, "binary", &err), code);
			if (code < 0)
				ASSERT_STR_EQ(err.message, named_err.message);
			else
				assert_same(&named, &unnamed);
			some += code >= 0 && named.cut && named.events.n > 0;
			whole_release(&named);
			whole_release(&unnamed);
		}
		bytes_release(&text);
		bytes_release(&binary);
	}
	tap_note("%zu cut files with some events left", some);
	ASSERT_TRUE(some > TAP_PART(500));
}

/* Names of variables that no writer makes. */
static const struct {
	const char *first, *second;
	const char *what;
} bad_names[] = {
	{"x", "x", "memory: byte 16: two symbols have the same name"},
	{"x", "y z", "memory: byte 16: the block of symbols is invalid"},
	{"", "y", "memory: byte 16: the block of symbols is invalid"},
	{"#", "y", "memory: byte 16: the block of symbols is invalid"},
	{"x\x7f", "y", "memory: byte 16: the block of symbols is invalid"},
};

#define BAD_NAMES (sizeof(bad_names) / sizeof(*bad_names))

/* Two threads race on the first of both; with a location or without. */
static struct bytes with_bad_names(size_t i, bool located, bool overlapping)
{
	struct event events[] = {{.kind = EV_WRITE, .location = located, .value = 1},
				 {.kind = EV_WRITE, .thread = 1, .location = located, .value = 1}};
	struct symbols symbols;

	symbols_init(&symbols);
	symbols_add(&symbols, CLASS_THREAD, "t", 1);
	symbols_add(&symbols, CLASS_THREAD, "u", 1);
	intern_add(&symbols.locations, "file.c:1", 8);
	const char *names[] = {bad_names[i].first, bad_names[i].second};

	for (uint64_t k = 0; k < 2; k++) {
		if (overlapping)
			add_memory(&symbols, names[k], k, 4);
		else
			symbols_add_unchecked(&symbols, CLASS_VARIABLE, names[k], strlen(names[k]));
	}
	struct bytes binary = written(&symbols, events, 2);

	symbols_release(&symbols);
	return binary;
}

TAP_CASE(bad_names_are_refused)
{
	for (size_t i = 0; i < BAD_NAMES; i++) {
		struct bytes binary = with_bad_names(i, false, false);
		struct batch batch;
		struct err err;

		tap_at("'%s' and '%s'", bad_names[i].first, bad_names[i].second);
		ASSERT_FALSE(reader_open_memory(binary.at, binary.n, "memory", NULL, &err));
		ASSERT_STR_EQ(err.message, bad_names[i].what);
		struct reader *r = open_unnamed(binary, &err);

		ASSERT_TRUE(r);
		for (int again = 0; again < 2; again++) {
			err = (struct err){0};
			ASSERT_EQ(reader_names(r, &err), ERR_INPUT);
			ASSERT_STR_EQ(err.message, bad_names[i].what);
			ASSERT_FALSE(symbols_are_named(reader_symbols(r)));
		}
		ASSERT_EQ(reader_next(r, &batch, &err), 1);
		ASSERT_EQ(batch.n, 2);
		reader_close(r);
		bytes_release(&binary);
		/* what overlaps needs them at once */
		binary = with_bad_names(i, false, true);
		err = (struct err){0};
		ASSERT_FALSE(open_unnamed(binary, &err));
		ASSERT_STR_EQ(err.message, bad_names[i].what);
		bytes_release(&binary);
	}
}

static int stream(struct reader *r, struct order_report *reports, size_t *n, struct err *err)
{
	struct order_limits limits = {.bytes = (uint64_t)1 << 30, .window = 10000};

	*n = order_kind_count;
	return order_stream(r, order_kinds, order_kind_count, &limits, reports, err);
}

/* The orders ask for names if a site has no location, and say what is wrong with them. */
TAP_CASE(orders_ask_for_names)
{
	for (int located = 0; located < 2; located++) {
		struct order_report reports[16];
		struct bytes binary = with_bad_names(0, located, false);
		struct err err = {0};
		struct reader *r = open_unnamed(binary, &err);
		size_t n;

		ASSERT_TRUE(order_kind_count <= 16);
		ASSERT_EQ(stream(r, reports, &n, &err), located ? 0 : ERR_INPUT);
		if (!located)
			ASSERT_STR_EQ(err.message, bad_names[0].what);
		for (size_t i = 0; located && i < n; i++)
			order_report_release(&reports[i]);
		reader_close(r);
		bytes_release(&binary);
	}
}

static void assert_same_report(const struct order_report *a, const struct order_report *b)
{
	ASSERT_EQ(a->signatures.n, b->signatures.n);
	for (size_t i = 0; i < a->signatures.n; i++) {
		const struct signature *x = &a->signatures.at[i], *y = &b->signatures.at[i];

		for (int k = 0; k < 2; k++)
			ASSERT_STR_EQ(intern_text(&a->sites, x->site[k]),
				      intern_text(&b->sites, y->site[k]));
		ASSERT_EQ(x->pairs, y->pairs);
		ASSERT_EQ(x->first.a, y->first.a);
		ASSERT_EQ(x->first.b, y->first.b);
	}
}

TAP_CASE(orders_report_the_same)
{
	size_t signatures = 0;

	for (uint64_t seed = 1; seed <= RANDOM_TRACES; seed++) {
		uint32_t but = seed % 2 ? RANDOM_LOCATIONS : 0;
		struct bytes text = random_text(seed, 80, RANDOM_EVERYTHING & ~but);
		struct bytes binary = binary_of(text, (uint32_t)(seed % 9));
		struct order_report reports[2][16];
		struct err err = {0};
		size_t n = 0;

		for (int unnamed = 0; unnamed < 2; unnamed++) {
			struct reader *r = unnamed ? open_unnamed(binary, &err)
						   : reader_open_memory(binary.at, binary.n,
									"memory", NULL, &err);

			if (stream(r, reports[unnamed], &n, &err) < 0)
				FAIL("%s", err.message);
			reader_close(r);
		}
		for (size_t i = 0; i < n; i++) {
			assert_same_report(&reports[0][i], &reports[1][i]);
			signatures += reports[0][i].signatures.n;
			order_report_release(&reports[0][i]);
			order_report_release(&reports[1][i]);
		}
		bytes_release(&text);
		bytes_release(&binary);
	}
	ASSERT_TRUE(signatures > 5 * RANDOM_TRACES);
}
