/* SPDX-License-Identifier: MIT */
/*
 * Stuck threads: dining philosophers by the exhaustive engine and by the norn command, and a lost
 * wake-up in the midst of a long trace. The published tool took 1.9 s for philosophers of 2,020
 * events (and stopped at the first deadlock, as the exhaustive engine does here).
 */
#include "search/explore/stuck.h"
#include "support/measure.h"
#include "support/predicted.h"
#include "support/stuck_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[4096];

static void print_row(const char *what, uint64_t events, const char *how, const char *found,
		      double seconds, double mebibytes)
{
	printf("| %-26s | %9llu | %-8s | %-22s | %7.3f | %6.0f |\n", what,
	       (unsigned long long)events, how, found, seconds, mebibytes);
	fflush(stdout);
}

struct explored {
	uint64_t events, states, found;
	double seconds;
};

static void explore_philosophers(void *context, void *figures)
{
	const char *text = context;
	struct explored *e = figures;
	struct err err = {0};
	double start = measure_now();
	struct index *index = index_new(
		reader_open_memory(text, strlen(text), "philosophers", "text", &err), &err);
	struct stuck_options options = {.first = true, .limits.bytes = (uint64_t)1 << 31};
	struct stuck_result result;

	if (!index || stuck_explore(index, MODEL_VALUES, &options, &result, &err) < 0)
		measure_stop(&err);
	*e = (struct explored){index->count, result.states, result.found.n, measure_now() - start};
	stuck_result_release(&result);
	index_free(index);
}

/* By the command, from a file to the report. */
static void predict_file(const char *what, uint64_t events, unsigned limit)
{
	const char *arguments[] = {"--bugs", "stuck", NULL};
	struct predicted p;
	char found[80];

	predicted_run(&p, path, arguments, limit);
	snprintf(found, sizeof(found), "%llu, %llu undecided", (unsigned long long)p.findings.n,
		 (unsigned long long)p.undecided);
	if (!p.readable)
		snprintf(found, sizeof(found), "exit status %d", p.status);
	print_row(what, events, "predict", found, p.seconds, p.mebibytes);
	predicted_release(&p);
	unlink(path);
}

static FILE *open_file(void)
{
	FILE *file = fopen(path, "w");

	if (!file) {
		perror(path);
		exit(1);
	}
	return file;
}

static void philosophers(uint32_t count, uint32_t meals, unsigned limit)
{
	char *text = philosophers_make(count, meals);
	char what[80], found[80];
	struct explored e;
	double mebibytes = measure_child(explore_philosophers, text, &e, sizeof(e));
	FILE *file = open_file();

	snprintf(what, sizeof(what), "%u philosophers, %u meals", count, meals);
	snprintf(found, sizeof(found), "%llu in %llu states", (unsigned long long)e.found,
		 (unsigned long long)e.states);
	print_row(what, e.events, "explore", found, e.seconds, mebibytes);
	fputs(text, file);
	fclose(file);
	predict_file(what, e.events, limit);
	free(text);
}

static void lost_wakeup(uint64_t events, unsigned limit)
{
	FILE *file = open_file();

	lost_wakeup_write(events, file);
	fclose(file);
	predict_file("a lost wake-up", events, limit);
}

int main(int argc, char **argv)
{
	uint64_t most = argc > 2 ? strtoull(argv[2], NULL, 10) : 10000000;
	unsigned limit = argc > 3 ? (unsigned)atoi(argv[3]) : 600;

	snprintf(path, sizeof(path), "%s/stuck.trace", argc > 1 ? argv[1] : ".");
	printf("Stuck threads: explore until the first is found, predict until every candidate is "
	       "decided;\nreading the trace (as text) included.\n\n");
	printf("| trace                      |    events | by       | found                  | "
	       "seconds |    MiB |\n"
	       "| -------------------------- | --------- | -------- | ---------------------- | "
	       "------- | ------ |\n");
	philosophers(5, 100, limit);
	philosophers(20, 25, limit);
	philosophers(100, 5, limit);
	for (uint64_t events = most / 100; events <= most; events *= 10)
		lost_wakeup(events, limit);
	return 0;
}
