/* SPDX-License-Identifier: MIT */
/*
 * Prediction end to end, by the norn command: Figure 5.17 beside published times, a large trace
 * with planted races, and what each engine contributes. Times are of the whole command, from
 * reading the trace to the report; the generators' are not in them.
 */
#include "support/guarded.h"
#include "support/measure.h"
#include "support/planted.h"
#include "support/predicted.h"
#include "support/std_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[4096];

static struct output *open_trace(struct err *err)
{
	struct output *out = output_open(path, OUTPUT_IN_PLACE, err);

	if (!out)
		measure_stop(err);
	return out;
}

static void close_trace(struct output *out, int status, struct err *err)
{
	if (status < 0 || output_close(out, err) < 0)
		measure_stop(err);
}

/* What went wrong with a run, for its row; NULL: nothing. */
static const char *trouble(const struct predicted *p)
{
	static char text[64];

	if (p->status == -14)
		return "out of time";
	if (p->status < 0)
		snprintf(text, sizeof(text), "signal %d", -p->status);
	else if ((p->status != 66 && p->status != 0 && p->status != 4) || !p->readable)
		snprintf(text, sizeof(text), "exit status %d", p->status);
	else
		return NULL;
	return text;
}

/* Figure 5.17 */

struct published {
	uint32_t rounds;
	const char *race_quest, *rv_predict;
	const char *goal;
};

static const struct published figure[] = {
	{10, "1.30", "1.69", ""},
	{50, "1.60", "4.04", ""},
	{100, "2.04", "50.78", ""},
	{150, "2.86", "85.59", ""},
	{200, "3.79", "no memory", "0.1"},
	{1000, "", "", ""},
	{10000, "", "", ""},
	{100000, "", "", "5"},
};

static bool is_figure(const struct predicted_finding *f)
{
	return (!strcmp(f->places[0], GUARDED_FIRST) && !strcmp(f->places[1], GUARDED_SECOND)) ||
	       (!strcmp(f->places[1], GUARDED_FIRST) && !strcmp(f->places[0], GUARDED_SECOND));
}

static void run_figure(const struct guarded *g, unsigned limit)
{
	const char *arguments[] = {"--bugs", "race,deadlock", NULL};
	struct err err = {0};
	struct output *out = open_trace(&err);
	struct predicted p;

	close_trace(out, guarded_write(g, out, "binary", &err), &err);
	predicted_run(&p, path, arguments, limit);
	const char *wrong = trouble(&p);
	char text[64];

	if (wrong)
		snprintf(text, sizeof(text), "%s", wrong);
	else if (p.findings.n == 1 && is_figure(&p.findings.at[0]))
		snprintf(text, sizeof(text), "%.3f %s %.0f", p.seconds, p.findings.at[0].engine,
			 p.mebibytes);
	else
		snprintf(text, sizeof(text), "%.3f: %zu found", p.seconds, p.findings.n);
	printf(" %-20s |", text);
	fflush(stdout);
	predicted_release(&p);
	unlink(path);
}

static void print_figure(uint32_t most, unsigned limit)
{
	printf("Figure 5.17: a race that one interleaving shows, behind N sections of each "
	       "thread.\n"
	       "Seconds for the whole command, the engine that proved it, MiB. RaceQuest and "
	       "RVPredict: seconds\nas published (2 x Core i5 at 1.9 GHz, 8 GB), RaceQuest with "
	       "the replay.\n\n");
	printf("| %6s | %7s | %-20s | %-20s | %-20s | %9s | %9s | %5s |\n", "N", "events",
	       "main first", "in turn", "in turn, reads=", "RaceQuest", "RVPredict", "goal");
	printf("| ------ | ------- | -------------------- | -------------------- | "
	       "-------------------- | --------- | --------- | ----- |\n");
	for (size_t i = 0; i < sizeof(figure) / sizeof(*figure) && figure[i].rounds <= most; i++) {
		uint32_t n = figure[i].rounds;

		printf("| %6u | %7u |", n, 10 * n + 11);
		run_figure(&(struct guarded){n, GUARDED_MAIN_FIRST, GUARDED_EXPRESSIONS}, limit);
		run_figure(&(struct guarded){n, GUARDED_ALTERNATING, GUARDED_EXPRESSIONS}, limit);
		run_figure(&(struct guarded){n, GUARDED_ALTERNATING, GUARDED_READS}, limit);
		printf(" %9s | %9s | %5s |\n", figure[i].race_quest, figure[i].rv_predict,
		       figure[i].goal);
	}
}

/* Planted races */

struct run {
	const char *title;
	enum model model;
	const char *option; /* or NULL */
};

static const struct run runs[] = {
	{"values", MODEL_VALUES, NULL},
	{"maximal", MODEL_MAXIMAL, NULL},
	{"predictable", MODEL_PREDICTABLE, NULL},
	{"values, no greedy", MODEL_VALUES, "--no-greedy"},
};

#define RUNS (sizeof(runs) / sizeof(*runs))

static void print_planted(const struct planted_size *size, const struct predicted *all)
{
	printf("\nPlanted: %llu events, %u threads, %u races, half of them with more than %llu "
	       "events between,\nand %u pairs that only look like races. Goal for 10 M events: all "
	       "found, none wrong, in 120 s\nand 4096 MiB. Seconds of the clock, and of all "
	       "processors.\n\n",
	       (unsigned long long)size->events, size->threads, size->items,
	       (unsigned long long)size->events / 10, size->items);
	printf("| model             | races | found | missed | wrong | candidates | refuted |"
	       " undecided | seconds | processor |    MiB |\n"
	       "| ----------------- | ----- | ----- | ------ | ----- | ---------- | ------- |"
	       " --------- | ------- | --------- | ------ |\n");
	for (size_t i = 0; i < RUNS; i++) {
		const struct predicted *p = &all[i];
		struct planted_score s = planted_judge(p, size->items, (int)runs[i].model);

		printf("| %-17s | %5u | %5u | %6u | %5u | %10llu | %7llu | %9llu | %7.1f | %9.1f | "
		       "%6.0f |",
		       runs[i].title, s.there, s.found, s.missed, s.wrong,
		       (unsigned long long)p->candidates, (unsigned long long)p->refuted,
		       (unsigned long long)p->undecided, p->seconds, p->processor, p->mebibytes);
		printf("%s%s\n", trouble(p) ? " " : "", trouble(p) ? trouble(p) : "");
	}
}

static void print_tiers(const struct planted_size *size, const struct predicted *all)
{
	printf("\nWhat each engine did of that: queries, and races found.\n\n");
	printf("| model             | engine  |  asked | proved | refuted | undecided | seconds | "
	       "races "
	       "|\n"
	       "| ----------------- | ------- | ------ | ------ | ------- | --------- | ------- | "
	       "----- "
	       "|\n");
	for (size_t i = 0; i < RUNS; i++) {
		struct planted_score s = planted_judge(&all[i], size->items, (int)runs[i].model);

		for (uint32_t k = 0; k < all[i].tier_count; k++) {
			const struct predicted_tier *tier = &all[i].tiers[k];

			printf("| %-17s | %-7s | %6llu | %6llu | %7llu | %9llu | %7.2f | %5u |\n",
			       runs[i].title, tier->engine, (unsigned long long)tier->asked,
			       (unsigned long long)tier->proved, (unsigned long long)tier->refuted,
			       (unsigned long long)tier->undecided, tier->seconds, s.by[k]);
		}
	}
}

static void run_planted(const struct planted_size *size, unsigned limit)
{
	struct predicted all[RUNS];
	struct err err = {0};
	struct output *out = open_trace(&err);

	close_trace(out, planted_write(size, out, "binary", &err), &err);
	for (size_t i = 0; i < RUNS; i++) {
		const char *arguments[] = {"--bugs",	   "race,deadlock",
					   "--model",	   model_text[runs[i].model],
					   runs[i].option, NULL};

		predicted_run(&all[i], path, arguments, limit);
	}
	print_planted(size, all);
	print_tiers(size, all);
	for (size_t i = 0; i < RUNS; i++)
		predicted_release(&all[i]);
	unlink(path);
}

/* Many findings */

static void print_many(uint64_t events, const char *goal, unsigned limit)
{
	const struct planted_size size = {events, 16, 200, 1};
	const char *arguments[] = {"--bugs", "race,deadlock", NULL};
	struct err err = {0};
	struct output *out = open_trace(&err);
	struct predicted p;
	double engines = 0;

	close_trace(out, planted_write(&size, out, "binary", &err), &err);
	predicted_run(&p, path, arguments, limit);
	for (uint32_t i = 0; i < p.tier_count; i++)
		engines += p.tiers[i].seconds;
	printf("| %8llu | %5zu | %10llu | %9llu | %7.1f | %9.1f | %7.1f | %6.0f | %10.1f | %-12s "
	       "|%s%s\n",
	       (unsigned long long)events, p.findings.n, (unsigned long long)p.candidates,
	       (unsigned long long)p.undecided, p.seconds, p.processor, engines, p.mebibytes,
	       p.report, goal, trouble(&p) ? " " : "", trouble(&p) ? trouble(&p) : "");
	fflush(stdout);
	predicted_release(&p);
	unlink(path);
}

static void run_many(uint64_t most, unsigned limit)
{
	printf("\nMany findings: 200 planted races. Seconds of the clock, of all processors, and "
	       "of "
	       "the engines'\nwork; MiB of memory and of the JSON report.\n\n");
	printf("|   events | found | candidates | undecided | seconds | processor | engines |    "
	       "MiB "
	       "| report MiB | goal         |\n"
	       "| -------- | ----- | ---------- | --------- | ------- | --------- | ------- | "
	       "------ "
	       "| ---------- | ------------ |\n");
	print_many(most / 10, "4 s", limit);
	print_many(most, "30 s, 1 GiB", limit);
}

/* Random traces: candidates that nothing keeps apart */

static void print_random(uint64_t events, unsigned limit)
{
	const struct std_trace size = {events, 8, 1000, 50, 2000, 1};
	const char *arguments[] = {"--bugs", "deadlock", NULL};
	struct err err = {0};
	struct output *out = open_trace(&err);
	struct predicted p;

	std_trace_write(&size, out);
	close_trace(out, 0, &err);
	predicted_run(&p, path, arguments, limit);
	printf("| %8llu | %10llu | %6zu | %7llu | %9llu | %7.1f | %9.1f |%s%s\n",
	       (unsigned long long)events, (unsigned long long)p.candidates, p.findings.n,
	       (unsigned long long)p.refuted, (unsigned long long)p.undecided, p.seconds,
	       p.processor, trouble(&p) ? " " : "", trouble(&p) ? trouble(&p) : "");
	fflush(stdout);
	predicted_release(&p);
	unlink(path);
}

static void run_random(unsigned limit)
{
	printf("\nRandom: 8 threads, 1000 variables, 50 locks nested up to 3, model mcm; "
	       "deadlocks. "
	       "Goal: at most 1 %%\nundecided.\n\n");
	printf("|   events | candidates | proved | refuted | undecided | seconds | processor |\n"
	       "| -------- | ---------- | ------ | ------- | --------- | ------- | --------- |\n");
	print_random(10000, limit);
	print_random(100000, limit);
}

int main(int argc, char **argv)
{
	uint64_t events = argc > 2 ? strtoull(argv[2], NULL, 10) : 10000000;
	uint32_t rounds = argc > 3 ? (uint32_t)atoi(argv[3]) : 100000;
	unsigned limit = argc > 4 ? (unsigned)atoi(argv[4]) : 600;

	snprintf(path, sizeof(path), "%s/predict.norn", argc > 1 ? argv[1] : ".");
	if (!predicted_possible()) {
		printf("Prediction: this norn has no predict\n");
		return 0;
	}
	print_figure(rounds, limit);
	run_planted(&(struct planted_size){events, 16, 100, 1}, limit);
	run_many(events, limit);
	run_random(limit);
	return 0;
}
