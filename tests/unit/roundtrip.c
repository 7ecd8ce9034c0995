/* SPDX-License-Identifier: MIT */
/*
 * What is written reads back the same: text and binary, whole, from the middle, cut short and
 * damaged.
 */
#include "tests/support/random.h"
#include "tests/support/random_trace.h"
#include "tests/support/tap.h"
#include "tests/support/traces.h"

#include "base/mem.h"
#include "base/scratch.h"
#include "trace/binary.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#define RANDOM_TRACES TAP_PART(2400)

/* Converts, or fails the test. */
static struct bytes convert(struct bytes data, const char *from, const char *to, uint32_t block)
{
	struct bytes result;
	struct err err;

	if (convert_memory(data.at, data.n, from, to, block, &result, &err) < 0)
		FAIL("%s to %s: %s", from, to, err.message);
	return result;
}

static struct whole_trace read_whole(struct bytes data, const char *format)
{
	struct whole_trace whole;
	struct err err;

	if (whole_read_memory(&whole, data.at, data.n, format, &err) < 0)
		FAIL("%s: %s", format, err.message);
	ASSERT_FALSE(whole.cut);
	return whole;
}

static void assert_same_events(struct bytes a, const char *a_format, struct bytes b,
			       const char *b_format)
{
	struct whole_trace x = read_whole(a, a_format), y = read_whole(b, b_format);
	const char *what = whole_difference(&x, &y);

	if (what)
		FAIL("%s", what);
	whole_release(&x);
	whole_release(&y);
}

/* The text without comments and empty lines. */
static struct bytes strip(struct bytes text)
{
	struct bytes stripped = {.at = malloc(text.n + 2)};

	for (char *line = text.at; *line;) {
		size_t length = strcspn(line, "\n"), kept = strcspn(line, "\n#");

		while (kept && (line[kept - 1] == ' ' || line[kept - 1] == '\t'))
			kept--;
		if (kept) {
			memcpy(stripped.at + stripped.n, line, kept);
			stripped.n += kept;
			stripped.at[stripped.n++] = '\n';
		}
		line += length + (line[length] == '\n');
	}
	stripped.at[stripped.n] = '\0';
	return stripped;
}

/* Text to binary to text is the identity on what the text writer wrote. */
static void assert_identity(struct bytes canonical, uint32_t block)
{
	struct bytes binary = convert(canonical, "text", "binary", block);
	struct bytes back = convert(binary, "binary", "text", 0);

	ASSERT_STR_EQ(back.at, canonical.at);
	assert_same_events(canonical, "text", binary, "binary");
	bytes_release(&binary);
	bytes_release(&back);
}

TAP_CASE(conformance)
{
	glob_t files;

	ASSERT_EQ(glob("tests/conformance/*.trace", 0, NULL, &files), 0);
	ASSERT_TRUE(files.gl_pathc >= 157);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		tap_at("%s", files.gl_pathv[i]);
		struct bytes text = bytes_of_file(files.gl_pathv[i]);
		struct bytes stripped = strip(text);
		struct bytes canonical = convert(text, "text", "text", 0);

		ASSERT_STR_EQ(canonical.at, stripped.at);
		assert_identity(canonical, 0);
		assert_identity(canonical, 2);
		bytes_release(&text);
		bytes_release(&stripped);
		bytes_release(&canonical);
	}
	globfree(&files);
}

static struct bytes random_text(uint64_t seed, uint32_t events)
{
	struct random_trace knobs = random_trace_knobs(seed, events, RANDOM_EVERYTHING);
	struct bytes text = {.at = random_trace_make(&knobs)};

	tap_at("random_trace_knobs(%llu, %u, RANDOM_EVERYTHING)", (unsigned long long)seed, events);
	text.n = strlen(text.at);
	return text;
}

TAP_CASE(random_traces)
{
	size_t events = 0;

	for (uint64_t seed = 1; seed <= RANDOM_TRACES; seed++) {
		struct bytes text = random_text(seed, seed % 10 ? 40 : 200);
		struct bytes canonical = convert(text, "text", "text", 0);
		struct bytes again = convert(canonical, "text", "text", 0);
		struct whole_trace whole = read_whole(text, "text");

		ASSERT_STR_EQ(again.at, canonical.at);
		assert_same_events(text, "text", canonical, "text");
		assert_identity(canonical, seed % 4 ? (uint32_t)(seed % 7 + 1) : 0);
		events += whole.events.n;
		whole_release(&whole);
		bytes_release(&text);
		bytes_release(&canonical);
		bytes_release(&again);
	}
	tap_note("%d random traces, %zu events", RANDOM_TRACES, events);
	ASSERT_TRUE(events > 20 * RANDOM_TRACES);
}

/* More events than a batch and a block of default size hold, with names that come late. */
TAP_CASE(long_trace)
{
	struct random_trace knobs = {.seed = 5,
				     .threads = 6,
				     .events = 100000,
				     .variables = 12,
				     .locks = 4,
				     .features = RANDOM_READS | RANDOM_EXPRS | RANDOM_AT |
						 RANDOM_ATOMIC | RANDOM_LOCATIONS | RANDOM_MARKS};
	struct bytes text = {.at = random_trace_make(&knobs)};

	text.n = strlen(text.at);
	struct bytes canonical = convert(text, "text", "text", 0);

	assert_same_events(text, "text", canonical, "text");
	assert_identity(canonical, 0);
	assert_identity(canonical, 1000);
	struct whole_trace whole = read_whole(text, "text");

	ASSERT_TRUE(whole.events.n > 90000);
	whole_release(&whole);
	bytes_release(&text);
	bytes_release(&canonical);
}

/* Traces of one event in which a certain spelling is what matters: text as we write it. */
TAP_CASE(spelling)
{
	static const char *const texts[] = {
		"",
		"meta a \n",
		"meta a b # c\n",
		"init x 5\n",
		"sem s 0\n",
		"barrier b 2\n",
		"t read x -9223372036854775808\n",
		"t write x 9223372036854775807 = 9223372036854775807\n",
		"t write = 1 = 1\n",
		"t write reads= 1 reads=\n",
		"t read @x 0 @y\n",
		"t read at=1 0\n",
		"t write x 1 if 2\n",
		"t mark m\n",
		"t mark m @a\n",
		"t mark m @a @b\n",
		"t mark m a @b c\n",
		"t mark m reads=7 at= = ( order=relaxed\n",
		"t mark m @\n",
		"t mark @ @a:1\n",
		"read read read 0\n",
		"t branch if 1\n",
		"t branch if (- 1)\n",
		"t branch if (+ 1 2 3 4 5 6 7 8 9)\n",
		"t branch if (ite (not 0) (>>u -1 64) (sext8 255))\n",
		"t wait c l\n",
		"t woken c l by=-\n",
		"t alloc x y z\n",
		"t rmw x 0 1 y 2 3 order=acq_rel\n",
		"memory x b 0x0 1\nmemory y b 0x1 8\nt read y 0 x 0\n",
		"memory x b 0xfffffffffffffff0 8\nt alloc x\n",
		"memory x b 0x10 100000\nvolatile x\nt free x\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct bytes text = {(char *)texts[i], strlen(texts[i])};
		struct bytes canonical = convert(text, "text", "text", 0);

		tap_at("%s", texts[i]);
		ASSERT_STR_EQ(canonical.at, texts[i]);
		assert_identity(canonical, 0);
		bytes_release(&canonical);
	}
}

/* Names have no limit but the line's. */
TAP_CASE(long_names)
{
	static const char *const forms[] = {
		"init %s 1\nt read %s 1\n",
		"memory %s b 0x1 4\nvolatile %s\nt read %s 0\n",
		"memory x %s 0x1 4\nmemory y %s 0x2 4\nt read x 0\n",
		"%s acquire %s @%s\n",
		"sem %s 1\nt sem-wait %s\n",
		"barrier %s 1\nt barrier-enter %s\n",
		"meta %s %s\n",
		"t mark %s %s %s @%s\n",
		"t read x 0 %s 0\n",
	};
	static const size_t lengths[] = {500, 1000, 1024, 5000, 200000};

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		for (size_t k = 0; k < sizeof(lengths) / sizeof(*lengths); k++) {
			tap_at("form %zu, %zu bytes", i, lengths[k]);
			char *name = malloc(lengths[k] + 1);
			struct bytes text = {0};

			memset(name, 'n', lengths[k]);
			name[lengths[k]] = '\0';
			FILE *out = open_memstream(&text.at, &text.n);

			for (const char *c = forms[i]; *c; c++) {
				if (*c == '%')
					fputs(name, out), c++;
				else
					fputc(*c, out);
			}
			fclose(out);
			struct bytes canonical = convert(text, "text", "text", 0);

			if (i != 2) /* these overlap: they are written in parts */
				ASSERT_EQ(strcmp(canonical.at, text.at), 0);
			assert_identity(canonical, 0);
			bytes_release(&text);
			bytes_release(&canonical);
			free(name);
		}
	}
}

/* From event `from` (1 …) on, a reader that was told to seek gives what the whole has. */
static void assert_seek(struct reader *r, const struct whole_trace *whole, uint64_t from)
{
	struct whole_trace part = {.reader = r};
	struct batch batch;
	struct err err;
	uint64_t next = from;
	int got;

	if (reader_seek(r, from, &err) < 0)
		FAIL("%s", err.message);
	/* not always to the end: the next seek may come from anywhere */
	while ((got = reader_next(r, &batch, &err)) > 0) {
		ASSERT_EQ(batch.first, next);
		next += batch.n;
		for (size_t i = 0; i < batch.n; i++)
			whole_add(&part, &batch.at[i]);
		if (from % 3 == 0 && part.events.n > 10)
			break;
	}
	if (got < 0)
		FAIL("%s", err.message);
	if (got == 0)
		ASSERT_EQ(part.events.n, from <= whole->events.n ? whole->events.n - from + 1 : 0);
	const char *what =
		whole_compare(whole, from <= whole->events.n ? from - 1 : 0, &part, part.events.n);

	if (what)
		FAIL("%s", what);
	vec_release(&part.events);
	arena_release(&part.memory);
}

TAP_CASE(seek)
{
	for (uint64_t seed = 1; seed <= 150; seed++) {
		struct bytes text = random_text(seed, 150);
		struct bytes binary = convert(text, "text", "binary", (uint32_t)(seed % 9 + 1));
		struct whole_trace whole = read_whole(text, "text");
		struct random r = random_seeded(seed);
		struct err err;
		struct reader *reader =
			reader_open_memory(binary.at, binary.n, "memory", "binary", &err);

		for (int i = 0; i < 12; i++) {
			uint64_t from = 1 + random_below(&r, (uint32_t)whole.events.n + 2);

			assert_seek(reader, &whole, from);
			struct reader *fresh =
				reader_open_memory(text.at, text.n, "memory", "text", &err);

			assert_seek(fresh, &whole, from);
			reader_close(fresh);
		}
		reader_close(reader);
		whole_release(&whole);
		bytes_release(&binary);
		bytes_release(&text);
	}
}

/* A file cut anywhere yields a prefix of the events and says so, or is an error. */
static size_t cut_everywhere(struct bytes binary, const struct whole_trace *whole)
{
	size_t some = 0;

	for (size_t n = 0; n < binary.n; n++) {
		/* of exactly that size, so that a sanitizer sees every byte too far */
		char *part = malloc(n ? n : 1);
		struct whole_trace got;
		struct err err;

		memcpy(part, binary.at, n);
		int code = whole_read_memory(&got, part, n, "binary", &err);

		if (code >= 0) {
			const char *what = whole_compare(whole, 0, &got, got.events.n);

			if (what)
				FAIL("cut at byte %zu: %s", n, what);
			if (!got.cut)
				FAIL("cut at byte %zu: reads as if it were whole", n);
			some += got.events.n > 0;
		}
		whole_release(&got);
		free(part);
	}
	return some;
}

TAP_CASE(cut_short)
{
	size_t some = 0;

	for (uint64_t seed = 1; seed <= 12; seed++) {
		struct bytes text = random_text(seed, 30);
		struct whole_trace whole = read_whole(text, "text");
		struct bytes binary = convert(text, "text", "binary", seed % 3 ? 4 : 0);

		some += cut_everywhere(binary, &whole);
		whole_release(&whole);
		bytes_release(&binary);
		bytes_release(&text);
	}
	tap_note("%zu cut files with some events left", some);
	ASSERT_TRUE(some > 1000);
}

/* A file with one wrong bit is an error, or reads the same: never something else. */
TAP_CASE(bit_flips)
{
	size_t errors = 0, same = 0;

	for (uint64_t seed = 1; seed <= 6; seed++) {
		struct bytes text = random_text(seed, 25);
		struct whole_trace whole = read_whole(text, "text");
		struct bytes binary = convert(text, "text", "binary", seed % 2 ? 8 : 0);

		for (size_t bit = 0; bit < binary.n * 8; bit++) {
			struct whole_trace got;
			struct err err;

			binary.at[bit / 8] ^= (char)(1 << bit % 8);
			if (whole_read_memory(&got, binary.at, binary.n, "binary", &err) < 0) {
				errors++;
			} else {
				const char *what = whole_difference(&whole, &got);

				if (what)
					FAIL("byte %zu, bit %zu: %s", bit / 8, bit % 8, what);
				same++;
			}
			whole_release(&got);
			binary.at[bit / 8] ^= (char)(1 << bit % 8);
		}
		whole_release(&whole);
		bytes_release(&binary);
		bytes_release(&text);
	}
	tap_note("%zu damaged files are errors, %zu read the same", errors, same);
	ASSERT_TRUE(errors > same);
}

/* No writer makes a file in which two variables have one name: it is refused, not guessed at. */
TAP_CASE(a_name_twice)
{
	struct event events[] = {{.kind = EV_WRITE, .object = 0}, {.kind = EV_WRITE, .object = 1}};

	for (int same = 0; same < 2; same++) {
		struct symbols symbols;
		struct err err = {0};

		ASSERT_EQ(scratch_open("norn-test", &err), 0);
		const char *path = scratch_file("twice.norn");
		struct output *out = output_open(path, OUTPUT_IN_PLACE, &err);

		symbols_init(&symbols);
		symbols_add(&symbols, CLASS_THREAD, "t", 1);
		symbols_add_unchecked(&symbols, CLASS_VARIABLE, "x", 1);
		struct sink *sink = binary_open_sink(out, &symbols, &err);

		binary_set_block(sink, 1);
		sink->ops->put(sink, &(struct batch){.at = events, .n = 1, .first = 1}, &err);
		symbols_add_unchecked(&symbols, CLASS_VARIABLE, same ? "x" : "y", 1);
		sink->ops->put(sink, &(struct batch){.at = events + 1, .n = 1, .first = 2}, &err);
		ASSERT_EQ(sink->ops->finish(sink, &err), 0);
		ASSERT_EQ(output_close(out, &err), 0);
		symbols_release(&symbols);
		struct reader *r = reader_open(path, NULL, &err);

		ASSERT_TRUE(same ? !r : !!r);
		if (same)
			ASSERT_TRUE(strstr(err.message, "two symbols have the same name"));
		reader_close(r);
		scratch_close();
	}
}
