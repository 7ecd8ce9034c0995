/* SPDX-License-Identifier: MIT */
#include "tests/support/fuzz.h"

#include "base/err.h"
#include "tests/support/random_trace.h"
#include "trace/check.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

static void check_bytes(const uint8_t *data, size_t size, const char *format)
{
	uint64_t events;
	struct err err;
	struct reader *r = reader_open_memory(data, size, "fuzz", format, &err);

	if (!r)
		return;
	check_reader(r, &events, &err);
	reader_close(r);
}

/* Through another format and back; a format that cannot hold all of it says so. */
static void go_round(const uint8_t *data, size_t size, const char *format, const char *by,
		     uint32_t block, const struct whole_trace *before)
{
	struct whole_trace after;
	struct bytes written;
	struct err err;

	if (convert_memory(data, size, format, by, block, &written, &err) < 0)
		return;
	if (whole_read_memory(&after, written.at, written.n, by, &err) < 0) {
		fprintf(stderr, "%s: %s\n", by, err.message);
		BUG("what was written cannot be read");
	}
	const char *what = whole_difference(before, &after);

	if (what) {
		fprintf(stderr, "%s: %s\n", by, what);
		BUG("what was written reads otherwise");
	}
	whole_release(&after);
	bytes_release(&written);
}

/* Names of variables that come later are the same, and what is refused is refused then. */
static void check_unnamed(const uint8_t *data, size_t size, const char *format,
			  const struct whole_trace *named, bool refused)
{
	struct whole_trace unnamed;
	struct err err;
	bool good = whole_read_unnamed(&unnamed, data, size, format, &err) >= 0;

	if (good == refused)
		BUG("without names it is refused, and with them it is not, or the reverse");
	const char *what = good ? symbols_difference(reader_symbols(named->reader),
						     reader_symbols(unnamed.reader))
				: NULL;

	if (good && !what)
		what = whole_difference(named, &unnamed);
	if (what) {
		fprintf(stderr, "%s\n", what);
		BUG("what was read without names is not the same");
	}
	whole_release(&unnamed);
}

void fuzz_trace(const uint8_t *data, size_t size, const char *format)
{
	struct whole_trace whole;
	struct err err;

	bool refused = whole_read_memory(&whole, data, size, format, &err) < 0;

	check_unnamed(data, size, format, &whole, refused);
	if (!refused) {
		check_bytes(data, size, format);
		go_round(data, size, format, "text", 0, &whole);
		go_round(data, size, format, "binary", 3, &whole);
	}
	whole_release(&whole);
}

void fuzz_rewrite(const uint8_t *data, size_t size, const char *format)
{
	struct bytes once, twice;
	struct err err;

	if (convert_memory(data, size, format, format, 0, &once, &err) < 0)
		return;
	if (convert_memory(once.at, once.n, format, format, 0, &twice, &err) < 0) {
		fprintf(stderr, "%s\n", err.message);
		BUG("what was written cannot be read");
	}
	if (once.n != twice.n || memcmp(once.at, twice.at, once.n) != 0)
		BUG("what was written is written otherwise");
	bytes_release(&once);
	bytes_release(&twice);
}

const char *fuzz_seeds_wanted(void)
{
	return getenv("FUZZ_SEEDS");
}

void fuzz_write_seed(const char *name, int number, const char *head, struct bytes seed)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s-%d", fuzz_seeds_wanted(), name, number);
	FILE *out = fopen(path, "wb");

	if (!out || fputs(head, out) < 0 || fwrite(seed.at, 1, seed.n, out) != seed.n ||
	    fclose(out) != 0)
		BUG("a seed cannot be written");
}

static void write_trace(const char *name, int number, struct bytes text, const char *format)
{
	struct bytes seed;
	struct err err;

	/* some formats cannot hold some traces */
	if (convert_memory(text.at, text.n, "text", format, 0, &seed, &err) < 0)
		return;
	/* text as it stands is the richer seed */
	fuzz_write_seed(name, number, "", strcmp(format, "text") ? seed : text);
	bytes_release(&seed);
}

void fuzz_write_traces(const char *format)
{
	glob_t files;

	if (glob("tests/conformance/*.trace", 0, NULL, &files) != 0)
		BUG("run the fuzzers from the root of the repository");
	for (size_t i = 0; i < files.gl_pathc; i++) {
		struct bytes text = bytes_of_file(files.gl_pathv[i]);

		write_trace("conformance", (int)i, text, format);
		bytes_release(&text);
	}
	globfree(&files);
	for (uint64_t seed = 0; seed < 200; seed++) {
		struct random_trace knobs = random_trace_knobs(seed, 20, RANDOM_EVERYTHING);
		struct bytes text = {.at = random_trace_make(&knobs)};

		text.n = strlen(text.at);
		write_trace("random", (int)seed, text, format);
		bytes_release(&text);
	}
}
