/* SPDX-License-Identifier: MIT */
/* Bytes that do not come in, and what is said of that; what came before is right. */
#include "base/input.h"

#include "tests/support/sources.h"
#include "tests/support/tap.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void assert_not_opened(const char *path, const char *why)
{
	struct err err;
	char message[200];

	snprintf(message, sizeof(message), "%s: %s", path, why);
	ASSERT_TRUE(input_open(path, &err) == NULL);
	ASSERT_EQ(err.code, ERR_SYSTEM);
	ASSERT_STR_EQ(err.message, message);
}

TAP_CASE(what_cannot_be_read)
{
	assert_not_opened("/no/such/file", strerror(ENOENT));
	assert_not_opened("/", "is a directory");
	assert_not_opened("/proc/self/mem", strerror(EIO)); /* at the first byte */
}

TAP_CASE(errors_say_where)
{
	struct input *in = input_open_memory("a\nb\n", 4, "two lines");
	struct err err;
	char *line;
	size_t length;

	ASSERT_EQ(input_error(in, &err, "%s", "early"), ERR_INPUT);
	ASSERT_STR_EQ(err.message, "two lines:0: early");
	while (input_line(in, &line, &length, &err) > 0)
		;
	input_error(in, &err, "no %d", 3);
	ASSERT_STR_EQ(err.message, "two lines:2: no 3");
	input_close(in);
}

TAP_CASE(what_cannot_seek)
{
	struct random r = random_seeded(2);
	struct bytes b = source_random_bytes(&r, 1000, 80);
	char got[1001];
	struct err err;

	for (size_t i = 0; i < SOURCE_COUNT; i++) {
		if (sources[i].seekable)
			continue;
		struct input *in = sources[i].open(&r, b);

		ASSERT_EQ(input_seek(in, 0, &err), ERR_SYSTEM);
		ASSERT_CONTAINS(err.message, ": cannot seek");
		err.message[0] = '\0';
		ASSERT_TRUE(input_again(in, &err) == NULL);
		ASSERT_CONTAINS(err.message, ": cannot seek");
		/* and nothing is lost */
		ASSERT_EQ(input_read(in, got, sizeof(got), &err), (int64_t)b.n);
		ASSERT_EQ(memcmp(got, b.at, b.n), 0);
		input_close(in);
	}
	struct input *file = sources[SOURCE_FILE].open(&r, b);

	ASSERT_EQ(input_seek(file, UINT64_MAX, &err), ERR_SYSTEM);
	ASSERT_CONTAINS(err.message, ": cannot seek");
	input_close(file);
	bytes_release(&b);
}

/* All of it, by reads or by lines, or kept first: the last code, and the bytes in to->n. */
static int64_t take_all(struct input *in, uint32_t way, struct bytes *to, struct err *err)
{
	size_t room = to->n, length;
	int64_t got = 0;
	char *line;

	to->n = 0;
	if (way == 0)
		while (to->n < room && (got = input_read(in, to->at + to->n, 7, err)) > 0)
			to->n += (size_t)got;
	if (way == 1)
		while ((got = input_line(in, &line, &length, err)) > 0)
			;
	if (way == 2 && !(got = input_make_seekable(in, err)))
		got = input_read(in, to->at, room, err);
	if (way == 2 && got > 0)
		to->n = (size_t)got;
	return got;
}

/* Every start of a gzip file but the whole is an error, after no bytes but the right ones. */
TAP_CASE(gzip_that_is_cut_short)
{
	struct random r = random_seeded(3);
	struct bytes b = source_random_bytes(&r, 3000, 80), packed = {0},
		     got = {malloc(b.n + 7), 0};

	source_pack(&packed, b.at, b.n);
	for (size_t cut = 2; cut < packed.n; cut += 1 + (cut > 40 && cut < packed.n - 40) * 13) {
		for (uint32_t way = 0; way < 3; way++) {
			struct input *in =
				sources[SOURCE_FILE].open(&r, (struct bytes){packed.at, cut});
			struct err err = {0};
			const char *data;

			got.n = b.n + 7;
			ASSERT_EQ(take_all(in, way, &got, &err), ERR_INPUT);
			ASSERT_CONTAINS(err.message, input_name(in));
			ASSERT_CONTAINS(err.message, ": the gzip data is cut short");
			ASSERT_EQ(memcmp(got.at, b.at, got.n), 0);
			input_close(in);
			/* who looks gets what there is, and the error with it */
			in = sources[SOURCE_FILE].open(&r, (struct bytes){packed.at, cut});
			err.code = 0;
			size_t n = input_peek(in, &data, b.n, &err);

			ASSERT_TRUE(n == b.n || err.code == ERR_INPUT);
			ASSERT_EQ(memcmp(data, b.at, n), 0);
			input_close(in);
		}
	}
	bytes_release(&b);
	bytes_release(&packed);
	bytes_release(&got);
}

/* More than gzip makes of a few hundred bytes. */
#define MUCH ((size_t)1 << 20)

/* A changed bit is an error by the time the end is reached, or it does not matter. */
TAP_CASE(gzip_that_is_damaged)
{
	struct random r = random_seeded(4);
	struct bytes b = source_random_bytes(&r, 500, 80), packed = {0};
	char *got = malloc(MUCH);
	size_t errors = 0, fine = 0;

	source_pack(&packed, b.at, b.n);
	for (size_t bit = 16; bit < 8 * packed.n; bit++) {
		packed.at[bit / 8] ^= (char)(1 << bit % 8);
		struct input *in = sources[SOURCE_FILE].open(&r, packed);
		struct err err = {0};
		int64_t n = input_read(in, got, MUCH, &err);

		tap_at("bit %zu", bit);
		if (n < 0) {
			ASSERT_EQ(n, ERR_INPUT);
			ASSERT_CONTAINS(err.message, "gzip data");
			errors++;
		} else {
			ASSERT_EQ(n, b.n);
			ASSERT_EQ(memcmp(got, b.at, b.n), 0);
			fine++;
		}
		input_close(in);
		packed.at[bit / 8] ^= (char)(1 << bit % 8);
	}
	tap_note("%zu damaged files are errors, %zu read the same", errors, fine);
	ASSERT_TRUE(errors > fine);
	bytes_release(&b);
	bytes_release(&packed);
	free(got);
}

TAP_CASE(what_stands_behind_gzip)
{
	struct random r = random_seeded(5);
	struct bytes packed = {0};
	struct err err = {0};
	char got[100];

	source_pack(&packed, "abc", 3);
	packed.at = realloc(packed.at, packed.n + 4);
	memcpy(packed.at + packed.n, "text", 4);
	packed.n += 4;
	struct input *in = sources[SOURCE_FILE].open(&r, packed);

	ASSERT_EQ(input_read(in, got, 3, &err), 3);
	ASSERT_EQ(memcmp(got, "abc", 3), 0);
	ASSERT_EQ(input_read(in, got, 1, &err), ERR_INPUT);
	ASSERT_CONTAINS(err.message, ": bad gzip data: ");
	input_close(in);
	bytes_release(&packed);
}

/* By another process, while it is open: what is read is right, and what is left is all there. */
TAP_CASE(file_that_is_cut_short)
{
	struct random r = random_seeded(6);

	for (int i = 0; i < 20; i++) {
		char path[] = SOURCE_FILE_NAME;
		struct bytes b = source_random_bytes(&r, 6 * SOURCE_BUFFER, 80);
		size_t left = random_below(&r, 6 * SOURCE_BUFFER);
		char *got = malloc(b.n);
		struct err err = {0};

		source_write_file(path, b);
		struct input *in = source_opened(path);

		ASSERT_EQ(truncate(path, (off_t)left), 0);
		unlink(path);
		int64_t n = input_read(in, got, b.n, &err);

		ASSERT_TRUE(n >= (int64_t)left && n <= (int64_t)b.n);
		ASSERT_EQ(memcmp(got, b.at, (size_t)n), 0);
		ASSERT_EQ(input_seek(in, 6 * SOURCE_BUFFER, &err), 0);
		ASSERT_EQ(input_read(in, got, 1, &err), 0);
		ASSERT_EQ(input_seek(in, left / 2, &err), 0);
		ASSERT_EQ(input_read(in, got, left - left / 2, &err), left - left / 2);
		ASSERT_EQ(memcmp(got, b.at + left / 2, left - left / 2), 0);
		input_close(in);
		free(got);
		bytes_release(&b);
	}
}

/* Whether it is found out while bytes are copied or at their end. */
TAP_CASE(no_room_to_keep_it)
{
	static const size_t sizes[] = {100, 5000, 3 * SOURCE_BUFFER};
	struct random r = random_seeded(7);
	struct rlimit limit = {50, 50};
	struct err err = {0};

	for (size_t i = 0; i < 3; i++) {
		struct bytes b = source_random_bytes(&r, sizes[i], 80);
		int fd = source_piped(&r, b);

		if (!i) {
			signal(SIGXFSZ, SIG_IGN);
			ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
		}
		struct input *in = source_open_standard(fd);

		ASSERT_EQ(input_make_seekable(in, &err), ERR_SYSTEM);
		ASSERT_PREFIX(err.message, "standard input: no space for a copy: ");
		ASSERT_CONTAINS(err.message, strerror(EFBIG));
		input_close(in);
		bytes_release(&b);
	}
}
