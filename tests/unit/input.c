/* SPDX-License-Identifier: MIT */
/*
 * Bytes in: wherever they come from and however they are taken, they are the bytes that went in.
 * The model is those bytes and a place in them.
 */
#include "base/input.h"

#include "tests/support/sources.h"
#include "tests/support/tap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct player {
	struct input *in;
	struct random *r;
	struct bytes b;
	size_t at; /* so many are taken */
	uint64_t lines;
};

static size_t at_most(size_t n, size_t most)
{
	return n < most ? n : most;
}

static void play_peek(struct player *p)
{
	struct err err = {0};
	size_t want = source_random_size(p->r);
	const char *data = NULL;
	size_t got = input_peek(p->in, &data, want, &err);

	ASSERT_EQ(got, at_most(want, p->b.n - p->at));
	ASSERT_TRUE(!got || !memcmp(data, p->b.at + p->at, got));
	ASSERT_EQ(err.code, 0);
}

static void play_read(struct player *p, size_t want)
{
	struct err err = {0};
	char *to = malloc(want + 1);
	size_t there = at_most(want, p->b.n - p->at);

	ASSERT_EQ(input_read(p->in, to, want, &err), (int64_t)there);
	ASSERT_EQ(memcmp(to, p->b.at + p->at, there), 0);
	p->at += there;
	free(to);
}

static void play_line(struct player *p)
{
	struct err err = {0};
	const char *from = p->b.at + p->at;
	size_t left = p->b.n - p->at, length = 0;
	const char *newline = memchr(from, '\n', left);
	size_t want = newline ? (size_t)(newline - from) : left;
	char *line = NULL;

	ASSERT_EQ(input_line(p->in, &line, &length, &err), left > 0);
	ASSERT_EQ(input_line_number(p->in), p->lines += left > 0);
	if (!left)
		return;
	p->at += want + (newline != NULL);
	ASSERT_EQ(length, want - (want && from[want - 1] == '\r'));
	ASSERT_EQ(memcmp(line, from, length), 0);
}

static void play_seek(struct player *p)
{
	struct err err = {0};
	size_t to;

	switch (random_below(p->r, 4)) {
	case 0: to = p->at + random_below(p->r, 200); break; /* mostly in the buffer */
	case 1: to = p->at - at_most(random_below(p->r, 200), p->at); break;
	case 2: to = random_below(p->r, (uint32_t)p->b.n + 1); break;
	default: to = source_random_size(p->r); break;
	}
	ASSERT_EQ(input_seek(p->in, to, &err), 0);
	p->at = at_most(to, p->b.n); /* behind the end there is nothing */
}

static void play(struct player *p, bool seekable)
{
	uint32_t steps = random_below(p->r, 40);

	for (uint32_t i = 0; i < steps; i++) {
		switch (random_below(p->r, seekable ? 4 : 3)) {
		case 0: play_peek(p); break;
		case 1: play_read(p, source_random_size(p->r)); break;
		case 2: play_line(p); break;
		default: play_seek(p); break;
		}
	}
	play_read(p, p->b.n - p->at + random_below(p->r, 2));
	play_peek(p);
	play_line(p);
	play_read(p, 1);
}

static void play_source(uint64_t seed, const struct source *source, size_t size)
{
	static const uint32_t lengths[] = {3, 80, 5000, 20000};
	struct random r = random_seeded(seed);
	struct bytes b = source_random_bytes(&r, size, lengths[random_below(&r, 4)]);
	struct player p = {source->open(&r, b), &r, b, 0, 0};
	uint64_t told;

	tap_at("seed %llu, %s of %zu bytes", (unsigned long long)seed, source->name, size);
	ASSERT_EQ(input_seekable(p.in, &told), source->seekable);
	if (source->seekable)
		ASSERT_EQ(told, size);
	play(&p, source->seekable);
	input_close(p.in);
	bytes_release(&b);
}

TAP_CASE(of_few_bytes)
{
	for (size_t i = 0; i < SOURCE_COUNT; i++)
		for (size_t size = 0; size < 4; size++)
			for (uint64_t seed = 0; seed < TAP_PART(50); seed++)
				play_source(seed, &sources[i], size);
}

TAP_CASE(of_many_bytes)
{
	for (uint64_t seed = 0; seed < TAP_PART(800); seed++) {
		struct random r = random_seeded(seed ^ 0x696e707574);

		play_source(seed, &sources[seed % SOURCE_COUNT], source_random_size(&r));
	}
}

/* Lines */

static struct bytes long_line(size_t length, const char *end)
{
	struct bytes b = {malloc(length + 16), 0};

	b.n = (size_t)sprintf(b.at, "first\n");
	memset(b.at + b.n, 'x', length);
	strcpy(b.at + b.n + length, end);
	b.n += length + strlen(end);
	return b;
}

TAP_CASE(lines_that_are_too_long)
{
	static const char *const ends[] = {"", "\n", "\nlast\n"};
	struct random r = random_seeded(1);

	for (size_t i = 0; i < SOURCE_COUNT * 6; i++) {
		size_t length = INPUT_LINE_MAX + i / SOURCE_COUNT % 2;
		struct bytes b = long_line(length, ends[i / SOURCE_COUNT / 2]);
		struct input *in = sources[i % SOURCE_COUNT].open(&r, b);
		struct err err = {0};
		char *line, message[200];

		snprintf(message, sizeof(message), "%s:2: the line is longer than 16777216 bytes",
			 input_name(in));
		ASSERT_EQ(input_line(in, &line, &length, &err), 1);
		ASSERT_EQ(length, 5);
		if (i / SOURCE_COUNT % 2) {
			ASSERT_EQ(input_line(in, &line, &length, &err), ERR_INPUT);
			ASSERT_STR_EQ(err.message, message);
		} else {
			ASSERT_EQ(input_line(in, &line, &length, &err), 1);
			ASSERT_EQ(length, INPUT_LINE_MAX);
		}
		input_close(in);
		bytes_release(&b);
	}
}

/* Two processes */

static void read_and_compare(struct input *in, const char *want, size_t n)
{
	struct err err = {0};
	char *got = malloc(n);

	ASSERT_EQ(input_read(in, got, n, &err), (int64_t)n);
	ASSERT_EQ(memcmp(got, want, n), 0);
	free(got);
}

/* Reads one half, lets the other process read all, and then reads the other half. */
static void read_by_halves(struct input *in, struct bytes b, int say, int hear)
{
	char byte = 0;

	read_and_compare(in, b.at, b.n / 2);
	ASSERT_EQ(write(say, &byte, 1), 1);
	ASSERT_EQ(read(hear, &byte, 1), 1);
	read_and_compare(in, b.at + b.n / 2, b.n - b.n / 2);
}

/* Each has the file once more for itself, as processes that share the work do. */
TAP_CASE(each_process_has_its_own_place)
{
	struct random r = random_seeded(1);
	struct bytes b = source_random_bytes(&r, 6 * SOURCE_BUFFER, 80);
	struct input *in = sources[SOURCE_FILE].open(&r, b);
	struct err err = {0};
	int to_child[2], to_parent[2], status = -1;
	char byte = 0;

	ASSERT_TRUE(pipe(to_child) == 0 && pipe(to_parent) == 0);
	pid_t pid = fork();
	struct input *again = input_again(in, &err);

	ASSERT_TRUE(pid >= 0 && again);
	if (pid == 0) {
		read_by_halves(again, b, to_parent[1], to_child[0]);
		_exit(0);
	}
	close(to_parent[1]);
	ASSERT_EQ(read(to_parent[0], &byte, 1), 1);
	read_and_compare(again, b.at, b.n);
	ASSERT_EQ(write(to_child[1], &byte, 1), 1);
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	ASSERT_EQ(status, 0);
	input_close(again);
	input_close(in);
	bytes_release(&b);
}
