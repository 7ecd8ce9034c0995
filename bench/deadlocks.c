/* SPDX-License-Identifier: MIT */
/*
 * Deadlocks end to end, by the norn command: traces that are nearly all locks, with planted
 * deadlocks and planted cycles that are none. Times are of the whole command, from reading the
 * trace to the report; the generator's are not in them.
 */
#include "support/lock_planted.h"
#include "support/measure.h"
#include "support/predicted.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char path[4096];

static void write_trace(const struct lock_planted_size *size)
{
	struct err err = {0};
	struct output *out = output_open(path, OUTPUT_IN_PLACE, &err);

	if (!out || lock_planted_write(size, out, "binary", &err) < 0 ||
	    output_close(out, &err) < 0)
		measure_stop(&err);
}

static void print_row(uint64_t events, uint32_t items, unsigned limit)
{
	const struct lock_planted_size size = {events, 16, 1000, items, 1};
	const char *arguments[] = {"--bugs", "deadlock", NULL};
	struct predicted p;

	write_trace(&size);
	predicted_run(&p, path, arguments, limit);
	struct lock_planted_score s = lock_planted_judge(&p, size.items);

	printf("| %11llu | %9u | %5u | %6u | %5u | %10llu | %7llu | %9llu | %7.2f | %9.2f | %6.0f "
	       "|",
	       (unsigned long long)events, s.there, s.found, s.missed, s.wrong,
	       (unsigned long long)p.candidates, (unsigned long long)p.refuted,
	       (unsigned long long)p.undecided, p.seconds, p.processor, p.mebibytes);
	if (!p.readable)
		printf(" exit status %d", p.status);
	printf("\n");
	fflush(stdout);
	predicted_release(&p);
	unlink(path);
}

int main(int argc, char **argv)
{
	uint64_t most = argc > 2 ? strtoull(argv[2], NULL, 10) : 10000000;
	unsigned limit = argc > 3 ? (unsigned)atoi(argv[3]) : 600;
	uint32_t items = argc > 4 ? (uint32_t)atoi(argv[4]) : 12;

	snprintf(path, sizeof(path), "%s/deadlocks.norn", argc > 1 ? argv[1] : ".");
	printf("Deadlocks: 16 threads, 1000 locks in one order and some behind a gate, 6 planted\n"
	       "deadlocks and as many cycles that are none. Goal for 10 M lock events: all found, "
	       "none\n"
	       "wrong, in 10 s. Seconds of the clock, and of all processors.\n\n");
	printf("| lock events | deadlocks | found | missed | wrong | candidates | refuted | "
	       "undecided | seconds | processor |    MiB |\n"
	       "| ----------- | --------- | ----- | ------ | ----- | ---------- | ------- | "
	       "--------- | ------- | --------- | ------ |\n");
	for (uint64_t events = most / 100; events <= most; events *= 10)
		print_row(events, items, limit);
	return 0;
}
