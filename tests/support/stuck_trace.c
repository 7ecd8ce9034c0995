/* SPDX-License-Identifier: MIT */
#include "tests/support/stuck_trace.h"

#include "tests/support/random_trace.h"
#include "trace/event.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_MOST 16

struct last_line {
	char name[16], op[32];
	bool joined; /* so that nothing may follow */
};

struct last_lines {
	struct last_line of[THREADS_MOST];
	size_t n;
};

static bool is_event(const char *op)
{
	for (int kind = 0; kind < EV_COUNT; kind++)
		if (!strcmp(event_kind_text[kind], op))
			return true;
	return false;
}

static struct last_line *find_line(struct last_lines *last, const char *name)
{
	size_t i = 0;

	while (i < last->n && strcmp(last->of[i].name, name) != 0)
		i++;
	if (i == last->n && i < THREADS_MOST)
		strcpy(last->of[last->n++].name, name);
	return &last->of[i < THREADS_MOST ? i : THREADS_MOST - 1];
}

static void note_line(struct last_lines *last, const char *line)
{
	char name[16], op[32], object[32] = "";

	if (sscanf(line, "%15s %31s %31s", name, op, object) < 2 || !is_event(op))
		return;
	strcpy(find_line(last, name)->op, op);
	if (!strcmp(op, "join") && strlen(object) < sizeof(name))
		find_line(last, object)->joined = true;
}

/* It can end here: it is not inside a call. */
static bool can_end(const struct last_line *last)
{
	return !last->joined && strcmp(last->op, "end") && strcmp(last->op, "wait") &&
	       strcmp(last->op, "barrier-enter");
}

/* Most threads that have no end get one, behind all. */
static char *with_ends(char *text, uint64_t seed)
{
	struct last_lines last = {0};
	char *result = malloc(strlen(text) + THREADS_MOST * 32);

	strcpy(result, text);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		note_line(&last, line);
	for (size_t i = 0; i < last.n; i++)
		if (can_end(&last.of[i]) && (seed >> i) % 8)
			sprintf(result + strlen(result), "%s end\n", last.of[i].name);
	free(text);
	return result;
}

char *stuck_trace_make(uint64_t seed)
{
	static const uint32_t features[] = {
		RANDOM_CONDITIONS | RANDOM_READS,
		RANDOM_SEMAPHORES | RANDOM_LOCKY,
		RANDOM_BARRIERS | RANDOM_LOCKY,
		RANDOM_CONDITIONS | RANDOM_SEMAPHORES | RANDOM_BARRIERS,
		RANDOM_LOCKY | RANDOM_SHARED | RANDOM_TRY | RANDOM_ONCE,
		RANDOM_EVERYTHING & ~(RANDOM_SPELLING | RANDOM_META),
	};
	uint32_t allowed = features[seed % (sizeof(features) / sizeof(*features))];
	struct random_trace knobs =
		random_trace_knobs(seed, 12 + (uint32_t)(seed / 7 % 14), allowed);

	if (seed % 3)
		knobs.features |= allowed;
	knobs.features |= allowed & RANDOM_LOCKY;
	return with_ends(random_trace_make(&knobs), seed);
}

char *philosophers_make(uint32_t philosophers, uint32_t meals)
{
	char *text = malloc((size_t)philosophers * (meals + 1) * 100 + 100), *at = text;

	for (uint32_t p = 0; p < philosophers; p++)
		at += sprintf(at, "main fork p%u\n", p);
	for (uint32_t p = 0; p < philosophers; p++) {
		uint32_t left = p, right = (p + 1) % philosophers;

		for (uint32_t i = 0; i < meals; i++)
			at += sprintf(at,
				      "p%u acquire f%u\np%u acquire f%u\n"
				      "p%u release f%u\np%u release f%u\n",
				      p, left, p, right, p, right, p, left);
		at += sprintf(at, "p%u end\n", p);
	}
	for (uint32_t p = 0; p < philosophers; p++)
		at += sprintf(at, "main join p%u\n", p);
	sprintf(at, "main end\n");
	return text;
}

/* The flag is looked at outside the lock. Returns how many events that are. */
static uint64_t write_lost_wakeup(uint64_t before, FILE *out)
{
	fprintf(out, "w0 read ready 0 @late.c:1\nw0 branch @late.c:2\nw0 acquire m @late.c:3\n"
		     "w0 wait c m @late.c:4\n"
		     "w1 acquire m @early.c:1\nw1 write ready 1 reads= @early.c:2\n"
		     "w1 signal c @early.c:3\nw1 release m @early.c:4\n");
	fprintf(out, "w0 woken c m by=%llu @late.c:4\nw0 release m @late.c:5\n",
		(unsigned long long)before + 7);
	return 10;
}

void lost_wakeup_write(uint64_t events, FILE *out)
{
	const uint32_t threads = 8, locks = 100;
	uint64_t n = 0;
	bool planted = false;

	for (uint32_t t = 0; t < threads; t++, n++)
		fprintf(out, "main fork w%u @main.c:1\n", t);
	for (uint32_t i = 0; n < events; i++, n += 4) {
		uint32_t t = i * 7 % threads, l = i * 31 % locks;

		if (!planted && n >= events / 2) {
			n += write_lost_wakeup(n, out);
			planted = true;
		}
		fprintf(out,
			"w%u acquire l%u @work.c:1\nw%u read x%u 0 @work.c:2\n"
			"w%u branch @work.c:3\nw%u release l%u @work.c:4\n",
			t, l, t, l, t, t, l);
	}
	for (uint32_t t = 0; t < threads; t++)
		fprintf(out, "w%u end\n", t);
	for (uint32_t t = 0; t < threads; t++)
		fprintf(out, "main join w%u @main.c:2\n", t);
	fprintf(out, "main end\n");
}
