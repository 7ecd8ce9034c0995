/* SPDX-License-Identifier: MIT */
/* Other tools' traces: what they become, what is refused and where, and STD written and read. */
#include "tests/support/random_trace.h"
#include "tests/support/tap.h"
#include "tests/support/traces.h"
#include "trace/check.h"
#include "trace/format.h"
#include "trace/import.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static struct reader *open_text(const char *text, const char *format)
{
	struct err err = {0};
	struct reader *r = reader_open_memory(text, strlen(text), "in", format, &err);

	if (!r)
		FAIL("%s", err.message);
	return r;
}

/* The rest of a trace in another format; what was lost goes to `loss` if it is not NULL. */
static char *convert(struct reader *r, const char *format, char loss[400])
{
	struct memory_output to;
	struct err err = {0};
	struct sink *sink =
		format_by_name(format)->open_sink(memory_output_open(&to), reader_symbols(r), &err);
	struct batch batch;
	int got;

	while ((got = reader_next(r, &batch, &err)) > 0)
		ASSERT_EQ(sink->ops->put(sink, &batch, &err), 0);
	if (got)
		FAIL("%s", err.message);
	if (loss) {
		const char *lost = sink->ops->loss(sink);

		snprintf(loss, 400, "%s", lost ? lost : "");
	}
	ASSERT_EQ(sink->ops->finish(sink, &err), 0);
	return memory_output_take(&to).at;
}

static char *convert_text(const char *text, const char *from, const char *to)
{
	struct reader *r = open_text(text, from);
	char *result = convert(r, to, NULL);

	reader_close(r);
	return result;
}

static void assert_converts(const char *text, const char *from, const char *to, const char *want)
{
	char *got = convert_text(text, from, to);

	ASSERT_STR_EQ(got, want);
	free(got);
}

static void assert_consistent(const char *text, const char *format)
{
	struct reader *r = open_text(text, format);
	struct err err = {0};
	uint64_t events;

	if (check_reader(r, &events, &err))
		FAIL("%s", err.message);
	reader_close(r);
}

static void assert_file_is(const char *path, const char *format, const char *want)
{
	struct err err = {0};
	struct reader *r = reader_open(path, NULL, &err);

	if (!r)
		FAIL("%s", err.message);
	ASSERT_STR_EQ(reader_format(r), format);
	char *got = convert(r, "text", NULL);

	ASSERT_STR_EQ(got, want);
	free(got);
	reader_close(r);
}

/* tests/import/sample.EXTENSION becomes the .trace beside it, plain and packed. */
static void assert_sample(const char *extension, const char *format)
{
	char path[64], trace[72], packed[] = "/tmp/norn-import-XXXXXX";

	snprintf(path, sizeof(path), "tests/import/sample%s", extension);
	snprintf(trace, sizeof(trace), "%s.trace", path);
	struct bytes text = bytes_of_file(path), want = bytes_of_file(trace);

	tap_at("%s", path);
	assert_file_is(path, format, want.at);
	assert_consistent(text.at, format);

	tap_at("%s, packed", path);
	gzFile gz = gzdopen(mkstemp(packed), "wb");

	ASSERT_EQ(gzwrite(gz, text.at, (unsigned)text.n), (int)text.n);
	ASSERT_EQ(gzclose(gz), Z_OK);
	assert_file_is(packed, format, want.at);
	unlink(packed);
	bytes_release(&text);
	bytes_release(&want);
}

TAP_CASE(std_sample)
{
	assert_sample(".std", "std");
}

TAP_CASE(rapid_csv_sample)
{
	assert_sample(".csv", "rapid-csv");
}

TAP_CASE(roadrunner_sample)
{
	assert_sample(".rr", "roadrunner");
}

TAP_CASE(focs_sample)
{
	assert_sample(".focs", "focs");
}

TAP_CASE(threads_are_the_same_with_and_without_t)
{
	assert_converts("1|fork(151)|0\nT151|r(x)|0\nT1|join(T151)|0\n", "std", "text",
			"T1 fork T151 @0\nT151 read x 0 @0\nT1 join T151 @0\n");
	/* other names are left alone */
	assert_converts("main|fork(t1)|0\nt1|r(x)|0\n1a|r(x)|0\nT|r(x)|0\n", "std", "text",
			"main fork t1 @0\nt1 read x 0 @0\n1a read x 0 @0\nT read x 0 @0\n");
	assert_converts("fork(1)\n,r(x)\n", "rapid-csv", "text", "T0 fork T1\nT1 read x 0\n");
	assert_converts("Fork T0 1 0\nRead T1 x 0\n", "focs", "text", "T0 fork T1\nT1 read x 0\n");
}

TAP_CASE(recursive_locks_keep_the_outermost_pair)
{
	assert_converts("T0|acq(l)|1\nT0|acq(l)|2\nT0|acq(l)|3\nT0|rel(l)|4\nT0|rel(l)|5\n"
			"T0|rel(l)|6\nT1|acq(l)|7\nT1|acq(l)|8\n",
			"std", "text", "T0 acquire l @1\nT0 release l @6\nT1 acquire l @7\n");
}

TAP_CASE(joining_twice_is_allowed)
{
	const char *text = "T0|fork(1)|0\nT1|r(x)|0\nT0|join(1)|0\nT2|join(1)|0\nT0|join(9)|0\n";

	assert_consistent(text, "std");
}

/* As in RaceInjector's traces of jigsaw; what other threads do between them does not matter. */
TAP_CASE(forking_twice_in_a_row_is_forking_once)
{
	const char *text = "T0|fork(1)|1\nT0|fork(1)|2\nT2|r(x)|3\nT0|fork(1)|4\nT1|r(x)|5\n";
	struct reader *r = open_text(text, "std");
	char *got = convert(r, "text", NULL);

	ASSERT_CONTAINS(got, "T0 fork T1 @1\nT2 read x 0 @3\nT1 read x 0 @5\n");
	ASSERT_STR_EQ(reader_mended(r), "dropped 2 forks of a thread that was just forked");
	free(got);
	reader_close(r);
	assert_consistent(text, "std");
	r = open_text("T0|fork(1)|1\nT1|r(x)|5\n", "std");
	free(convert(r, "text", NULL));
	ASSERT_TRUE(!reader_mended(r));
	reader_close(r);
}

TAP_CASE(lines_are_those_of_the_file)
{
	struct reader *r =
		open_text("T0|acq(l)|1\n\nT0|acq(l)|2\r\nT0|rel(l)|3\nT0|rel(l)|4", NULL);
	struct batch batch;
	struct err err = {0};

	ASSERT_EQ(reader_next(r, &batch, &err), 1);
	ASSERT_EQ(batch.n, 2);
	ASSERT_EQ(batch.lines[0], 1);
	ASSERT_EQ(batch.lines[1], 5);
	ASSERT_EQ(reader_next(r, &batch, &err), 0);
	reader_close(r);
}

TAP_CASE(long_traces_come_in_batches)
{
	enum { LINES = 20000 };
	char *text = mem_alloc(LINES * 32), *end = text;

	for (int i = 0; i < LINES; i++)
		end += sprintf(end, i % 3 ? "T%d|r(x%d)|7\n" : "T%d|w(x%d)|7\n", i % 5, i % 100);
	struct reader *r = open_text(text, NULL);
	struct batch batch;
	struct err err = {0};
	uint64_t n = 0;

	while (reader_next(r, &batch, &err) > 0) {
		ASSERT_EQ(batch.first, n + 1);
		for (size_t i = 0; i < batch.n; i++)
			ASSERT_EQ(batch.lines[i], ++n);
	}
	ASSERT_EQ(n, LINES);
	reader_close(r);
	assert_consistent(text, "std");
	free(text);
}

TAP_CASE(focs_reads_that_no_write_explains)
{
	assert_converts("Write 1 x 1\nRead 2 x 3\nRead 1 x 3\n"
			"Read 1 y 0\nWrite 2 y 4\nRead 1 y 0\n",
			"focs", "text",
			"T1 write x 1\nT2 external x 3\nT2 read x 3\nT1 read x 3\n"
			"T1 read y 0\nT2 write y 4\nT1 external y 0\nT1 read y 0\n");
	assert_consistent("Write 1 x 1\nRead 2 x 3\nRead 2 y 6\nRead 1 y 5\nRead 1 y 5\n", "focs");
}

TAP_CASE(errors_name_their_line)
{
	static const struct {
		const char *format, *text, *message;
	} rows[] = {
		/* lines */
		{"std", "T0|r(x)|1\nT0|r(x)\n", "in:2: expected THREAD|OP|LOC, found 'T0|r(x)'"},
		{"std", "T0\n", "in:1: expected THREAD|OP|LOC, found 'T0'"},
		{"std", "|r(x)|1\n", "in:1: expected THREAD|OP|LOC, found '|r(x)|1'"},
		{"std", "T0|r(x)|1|2\n", "in:1: expected an integer as LOC"},
		{"std", "T0|r(x)|a\n", "in:1: expected an integer as LOC"},
		{"std", "T0|r(x)|-\n", "in:1: expected an integer as LOC"},
		{"std", "T0|r(x)|\n",
		 "in:1: expected an integer as LOC, the third and last field, found nothing"},
		{"std", "T0|branch|1\n",
		 "in:1: expected acq, rel, r, w, fork, join, begin or end, found 'branch'"},
		{"std", "T0|R(x)|1\n", "in:1: expected acq"},
		{"std", "T0||1\n", "in:1: expected acq"},
		{"std", "T0|r|1\n", "in:1: expected an operand in parentheses, found 'r'"},
		{"std", "T0|r()|1\n", "in:1: expected an operand in parentheses, found 'r()'"},
		{"std", "T0|r(x|1\n", "in:1: expected a closing parenthesis, found 'r(x'"},
		{"std", "T0|r(|1\n", "in:1: expected a closing parenthesis, found 'r('"},
		{"std", "T0|r(x y)|1\n", "in:1: expected a name without blanks"},
		{"std", "T0|r(x#y)|1\n", "in:1: expected a name without blanks"},
		{"std", "T 0|r(x)|1\n", "in:1: expected a name without blanks"},
		{"std", "T0|r(\x1b[1m)|1\n",
		 "in:1: expected a name without blanks, control characters and '#', found '?[1m'"},
		{"rapid-csv", "r(x)\n,,\n",
		 "in:2: expected a cell that is not empty, found nothing"},
		{"rapid-csv", "r(x),,w(y)\n", "in:1: expected one event a line, found 'w(y)'"},
		{"rapid-csv", ",begin(T1)\n",
		 "in:1: expected acq, rel, r, w, fork, start, join or sync, found 'begin'"},
		{"rapid-csv", ",sync()\n", "in:1: expected an operand in parentheses"},
		{"roadrunner", "x\n@ Rd(1,x) s\n",
		 "in:2: expected TOKEN LOC after an access, found nothing"},
		{"roadrunner", "@ Rd(1,x)\n", "in:1: expected TOKEN LOC"},
		{"roadrunner", "@ Acquire(1)\n",
		 "in:1: expected a thread and an operand, as in (THREAD,OPERAND), found 'Acq"},
		{"roadrunner", "@ Acquire(,x)\n", "in:1: expected a thread and an operand"},
		{"roadrunner", "@ Acquire(1,)\n", "in:1: expected a thread and an operand"},
		{"roadrunner", "@ Acquire()\n", "in:1: expected an operand in parentheses"},
		{"roadrunner", "@ Acquire(1,x\n", "in:1: expected a closing parenthesis"},
		{"focs", "Read 1 x 5\nRead 1 x\n",
		 "in:2: expected OP THREAD NAME VALUE, found 'Read 1 x'"},
		{"focs", "Read 1 x 5 6\n", "in:1: expected OP THREAD NAME VALUE"},
		{"focs", "Reads 1 x 5\n",
		 "in:1: expected Read, Write, Acq, Rel, Fork, Join, Begin or End, found 'Reads'"},
		{"focs", "Rea 1 x 5\n", "in:1: expected Read"},
		{"focs", "Read 1 x y\n", "in:1: expected a 64-bit integer as the value, found 'y'"},
		{"focs", "Read 1 x -\n", "in:1: expected a 64-bit integer"},
		{"focs", "Read 1 x 18446744073709551616\n", "in:1: expected a 64-bit integer"},
		{"focs", "Read 1 x -9223372036854775809\n", "in:1: expected a 64-bit integer"},
		/* what cannot happen */
		{"std", "T1|r(x)|1\nT0|fork(1)|2\n",
		 "in:2: T1 is forked here, but it had its first event on line 1"},
		{"std", "T0|fork(0)|2\n",
		 "in:1: T0 is forked here, but it had its first event on line 1"},
		{"std", "T0|fork(1)|2\nT0|r(x)|1\nT0|fork(T1)|2\n",
		 "in:3: T1 is forked here, but it was forked before, on line 1"},
		{"std", "T0|fork(1)|2\nT0|fork(2)|1\nT0|fork(T1)|2\n",
		 "in:3: T1 is forked here, but it was forked before, on line 1"},
		{"std", "T0|fork(1)|2\nT2|fork(T1)|2\n",
		 "in:2: T1 is forked here, but it was forked before, on line 1"},
		{"std", "T0|fork(1)|2\nT1|r(x)|1\nT0|fork(T1)|2\n",
		 "in:3: T1 is forked here, but it had its first event on line 2"},
		{"std", "T0|join(1)|2\nT0|fork(T1)|2\n",
		 "in:2: T1 is forked here, but it was joined on line 1"},
		{"std", "T0|fork(1)|2\nT0|join(1)|2\nT1|r(x)|1\n",
		 "in:3: T1 has an event after it was joined on line 2"},
		{"std", "T0|join(0)|2\n", "in:1: T0 joins itself"},
		{"std", "T0|end|2\nT0|r(x)|1\n", "in:2: T0 has an event after it ended on line 1"},
		{"std", "T0|end|2\nT0|end|1\n", "in:2: T0 has an event after it ended on line 1"},
		{"std", "T0|r(x)|1\nT0|begin|1\n",
		 "in:2: T0 begins here, but had its first event on line 1"},
		{"std", "T0|begin(1)|1\n", "in:1: begin of T1 on a line of T0"},
		{"std", "T0|end(1)|1\n", "in:1: end of T1 on a line of T0"},
		{"std", "T0|rel(l)|1\n", "in:1: T0 releases lock l, which it does not hold"},
		{"std", "T0|acq(l)|1\nT1|rel(l)|1\n",
		 "in:2: T1 releases lock l, which it does not hold"},
		{"std", "T0|acq(l)|1\nT0|rel(l)|1\nT0|rel(l)|1\n",
		 "in:3: T0 releases lock l, which it does not hold"},
		{"std", "T0|r(x)|1\nT0|acq(l)|1\nT1|acq(l)|1\n",
		 "in:3: T1 acquires lock l, which T0 holds since line 2"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct err err = {0};
		struct batch batch;

		tap_at("%s: %s", rows[i].format, rows[i].text);
		struct reader *r = open_text(rows[i].text, rows[i].format);
		int got;

		while ((got = reader_next(r, &batch, &err)) > 0)
			;
		ASSERT_EQ(got, ERR_INPUT);
		ASSERT_PREFIX(err.message, rows[i].message);
		reader_close(r);
	}
}

TAP_CASE(nul_bytes_end_nothing)
{
	static const struct {
		const char *format, *text;
		size_t size;
	} rows[] = {{"std", "T0|fork\0\0\0\0(1)|1\n", 17},
		    {"std", "T0|r(\0)|1\n", 11},
		    {"focs", "Read\0 1 x 1\n", 13}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct err err = {0};
		struct batch batch;
		struct reader *r =
			reader_open_memory(rows[i].text, rows[i].size, "in", rows[i].format, &err);

		ASSERT_EQ(reader_next(r, &batch, &err), ERR_INPUT);
		ASSERT_PREFIX(err.message, "in:1: expected ");
		reader_close(r);
	}
}

TAP_CASE(long_names_do_not_fill_messages)
{
	char *text = mem_alloc(100100);
	struct err err = {0};
	struct batch batch;

	strcpy(text, "T0|rel(");
	memset(text + 7, 'l', 100000);
	strcpy(text + 100007, ")|1\n");
	struct reader *r = open_text(text, "std");

	ASSERT_EQ(reader_next(r, &batch, &err), ERR_INPUT);
	ASSERT_PREFIX(err.message, "in:1: T0 releases lock llll");
	ASSERT_CONTAINS(err.message, "l..., which it does not hold");
	reader_close(r);
	free(text);
}

TAP_CASE(probes_are_sure_only_of_their_own)
{
	static const struct {
		const char *text, *format;
	} rows[] = {
		{"T0|r(x)|1\nT0|w(x)|2\n", "std"},
		{"\n\nT0|r(x)|1", "std"},
		{"r(x),,\n", "rapid-csv"},
		{"[main: hello]\n@  Enter(0,m) from null\n@ Start(0,1)\n", "roadrunner"},
		{"fork 1 2 0\n", "focs"},
		{"T0 read x 0\nT0 write x 1\n", "text"},
		{"T0|r(x)|1\nT0 write x 1\n", "text"},
		{"T0|a fork T1\n", "text"},
		{"init x 5\nread read x 5\n", "text"},
		{"read read x 5\n", "text"},
		{"# Read 1 x 5\n", "text"},
	};
	char head[FORMAT_PROBE_SIZE];
	size_t n = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		tap_at("%s", rows[i].text);
		const struct format *f = format_by_content(rows[i].text, strlen(rows[i].text));

		ASSERT_STR_EQ(f ? f->name : "none", rows[i].format);
	}
	ASSERT_EQ(std_probe("", 0), 0);
	ASSERT_EQ(rapid_csv_probe("\n", 1), 0);
	ASSERT_EQ(roadrunner_probe("\n@\n", 3), 0);
	ASSERT_EQ(focs_probe("", 0), 0);
	/* a line that the end of the head has cut says nothing */
	n = (size_t)sprintf(head, "T0|r(x)|1\nT0|w(");
	memset(head + n, 'y', sizeof(head) - n);
	ASSERT_TRUE(std_probe(head, sizeof(head)) > 50);
	ASSERT_EQ(std_probe(head, n), 0);
}

TAP_CASE(std_holds_what_it_can)
{
	static const char text[] = "t1 fork t2 @a.c:1\n"
				   "t2 begin @17\n"
				   "t1 write x 1 y 2\n"
				   "t1 rmw x 1 5 y 2 6 @b.c:2\n"
				   "t1 branch\n"
				   "t1 branch\n"
				   "t1 acquire l\n"
				   "t1 wait c l\n"
				   "t2 acquire l\n"
				   "t2 signal c\n"
				   "t2 release l\n"
				   "t1 woken c l by=10\n"
				   "t1 release l\n"
				   "t1 acquire-shared l\n"
				   "t1 acquire-shared l\n"
				   "t2 acquire-shared l\n"
				   "t1 release-shared l\n"
				   "t2 release-shared l\n"
				   "t2 external x 9\n"
				   "t2 read x 9\n"
				   "t1 release-shared l\n"
				   "t2 acquire-shared l\n"
				   "t2 release-shared l\n"
				   "t2 mark hello world\n"
				   "t2 end\n"
				   "t1 join t2\n";
	static const char want[] = "t1|fork(t2)|1\n"
				   "t2|begin(t2)|17\n"
				   "t1|w(x)|0\n"
				   "t1|w(y)|0\n"
				   "t1|r(x)|3\n"
				   "t1|r(y)|3\n"
				   "t1|w(x)|3\n"
				   "t1|w(y)|3\n"
				   "t1|acq(l)|0\n"
				   "t1|rel(l)|0\n"
				   "t2|acq(l)|0\n"
				   "t2|rel(l)|0\n"
				   "t1|acq(l)|0\n"
				   "t1|rel(l)|0\n"
				   "t1|acq(l)|0\n"
				   "t2|r(x)|0\n"
				   "t1|rel(l)|0\n"
				   "t2|acq(l)|0\n"
				   "t2|rel(l)|0\n"
				   "t2|end(t2)|0\n"
				   "t1|join(t2)|0\n";
	struct reader *r = open_text(text, "text");
	char loss[400];
	char *got = convert(r, "std", loss);

	ASSERT_STR_EQ(got, want);
	ASSERT_STR_EQ(loss, "1 acquire-shared, 1 release-shared, 1 signal, 2 branch, 1 mark, "
			    "1 external, locations");
	free(got);
	reader_close(r);
	assert_consistent(text, "text");
	assert_consistent(want, "std");
	assert_converts(want, "std", "std", want);

	r = open_text("t1 write x 1\n", "text");
	free(convert(r, "std", loss));
	ASSERT_STR_EQ(loss, "");
	reader_close(r);
}

TAP_CASE(std_names_stay_names_and_apart)
{
	/* _ takes the place of what would end a name; 7 and T7 would be read as one thread */
	assert_converts("T7 write a(b) 1\n"
			"7 write a_b_ 1\n"
			"8 write a|b| 1\n"
			"a|b acquire (l)\n",
			"text", "std",
			"T7|w(a_b_)|0\n"
			"T7_1|w(a_b__1)|0\n"
			"T8|w(a_b__2)|0\n"
			"a_b|acq(_l_)|0\n");
}

TAP_CASE(std_samples_come_back)
{
	static const char *const samples[][2] = {{"tests/import/sample.std", "std"},
						 {"tests/import/sample.csv", "rapid-csv"},
						 {"tests/import/sample.rr", "roadrunner"}};

	for (size_t i = 0; i < 3; i++) {
		tap_at("%s", samples[i][0]);
		struct bytes text = bytes_of_file(samples[i][0]);
		char *once = convert_text(text.at, samples[i][1], "std");

		assert_consistent(once, "std");
		assert_converts(once, "std", "std", once);
		free(once);
		bytes_release(&text);
	}
}

/* "THREAD OP OBJECT" for all that STD can hold, without looking at src/trace/std.c. */
static void put_projected(FILE *to, const struct symbols *symbols, const struct event *e)
{
	const char *thread = symbols_name(symbols, CLASS_THREAD, e->thread);
	enum object_class class = event_kind_class[e->kind];

	if (event_is(e, EV_ACCESS)) {
		bool reads = e->kind == EV_READ || e->kind == EV_RMW;
		bool writes = e->kind == EV_WRITE || e->kind == EV_RMW;

		for (uint32_t i = 0; reads && i < event_part_count(e); i++)
			fprintf(to, "%s read %s\n", thread,
				symbols_name(symbols, class, event_part(e, i).variable));
		for (uint32_t i = 0; writes && i < event_part_count(e); i++)
			fprintf(to, "%s write %s\n", thread,
				symbols_name(symbols, class, event_part(e, i).variable));
	} else if (e->kind == EV_WAIT || e->kind == EV_WOKEN) {
		fprintf(to, "%s %s %s\n", thread, e->kind == EV_WAIT ? "release" : "acquire",
			symbols_name(symbols, CLASS_LOCK, e->more->lock));
	} else if (class == CLASS_THREAD || class == CLASS_LOCK) {
		if (e->kind != EV_TRY_FAIL)
			fprintf(to, "%s %s %s\n", thread, event_kind_text[e->kind],
				symbols_name(symbols, class, e->object));
	} else if (e->kind == EV_BEGIN || e->kind == EV_END) {
		fprintf(to, "%s %s\n", thread, event_kind_text[e->kind]);
	}
}

static char *project(const char *text, const char *format)
{
	struct reader *r = open_text(text, format);
	char *projected;
	size_t size;
	FILE *to = open_memstream(&projected, &size);
	struct batch batch;
	struct err err = {0};
	int got;

	while ((got = reader_next(r, &batch, &err)) > 0)
		for (size_t i = 0; i < batch.n; i++)
			put_projected(to, reader_symbols(r), &batch.at[i]);
	if (got)
		FAIL("%s", err.message);
	fclose(to);
	reader_close(r);
	return projected;
}

/* Norn's text as STD and back: consistent, and with `same` the same events. */
static void assert_comes_back(const char *text, bool same)
{
	char *std = convert_text(text, "text", "std");

	assert_consistent(std, "std");
	assert_converts(std, "std", "std", std);
	if (same) {
		char *before = project(text, "text"), *after = project(std, "std");

		ASSERT_STR_EQ(after, before);
		free(before);
		free(after);
	}
	free(std);
}

TAP_CASE(std_conformance_traces_come_back)
{
	glob_t files;

	ASSERT_EQ(glob("tests/conformance/*.trace", 0, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		struct bytes text = bytes_of_file(files.gl_pathv[i]);

		tap_at("%s", files.gl_pathv[i]);
		assert_comes_back(text.at, true);
		bytes_release(&text);
	}
	globfree(&files);
}

TAP_CASE(std_random_traces_come_back)
{
	for (uint64_t seed = 1; seed <= 300; seed++) {
		/* shared locks and odd names do not come back as they were */
		uint32_t changed = RANDOM_SHARED | RANDOM_SPELLING;
		bool same = seed % 3;
		struct random_trace knobs = random_trace_knobs(
			seed, 200, same ? RANDOM_EVERYTHING & ~changed : RANDOM_EVERYTHING);
		char *text = random_trace_make(&knobs);

		tap_at("seed %llu", (unsigned long long)seed);
		assert_comes_back(text, same);
		free(text);
	}
}
