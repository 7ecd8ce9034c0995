/* SPDX-License-Identifier: MIT */
/*
 * Recording: programs as clang makes them, under norn record, with ThreadSanitizer and under
 * Helgrind; one run of each. Times are of the processor, user and system, with wall-clock time
 * behind them. What norn record does when the program is over, the merge, is measured apart.
 */
#include "record/run/launch.h"
#include "record/record.h"
#include "support/measure.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS 4096

enum way { NATIVE, RECORDED, SANITIZED, HELGRIND, WAYS };

struct program {
	const char *name;
	const char *arguments[3];
};

/* What a run took. */
struct run {
	double processor, wall, mebibytes;
	bool done;
};

struct merge_figures {
	struct record_result result;
	double processor, wall;
	uint64_t trace;
};

struct row {
	const char *name;
	struct run runs[WAYS];
	struct merge_figures merge;
	double merge_mebibytes;
	uint64_t log;
};

static const char *directory, *build, *helgrind;
static unsigned limit;

/* Running */

static void quieten(void)
{
	int null = open("/dev/null", O_RDWR);

	dup2(null, 0);
	dup2(null, 1);
	dup2(null, 2);
}

static double seconds_of(const struct rusage *u)
{
	return (double)u->ru_utime.tv_sec + 1e-6 * (double)u->ru_utime.tv_usec +
	       (double)u->ru_stime.tv_sec + 1e-6 * (double)u->ru_stime.tv_usec;
}

static struct run run_command(const char *const *argv)
{
	struct run run = {0};
	struct rusage usage;
	double start = measure_now();
	int status;

	fflush(stdout);
	pid_t child = fork();

	if (!child) {
		quieten();
		alarm(limit);
		execvp(argv[0], (char *const *)argv);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) < 0)
		return run;
	run.wall = measure_now() - start;
	run.processor = seconds_of(&usage);
	run.mebibytes = (double)usage.ru_maxrss / 1024;
	run.done = WIFEXITED(status) && WEXITSTATUS(status) == 0;
	return run;
}

struct recorded {
	char *recording;
	const char *const *argv;
};

/* In a process of its own: that of the program is its only child. */
static void record_program(void *context, void *figures)
{
	struct recorded *r = context;
	struct run *run = figures;
	struct launch_options options = {.timeout = limit};
	struct launch_result result;
	struct rusage usage;
	struct err err = {0};
	double start = measure_now();

	quieten();
	int code = launch_run(r->recording, (char *const *)r->argv, &options, &result, &err);

	getrusage(RUSAGE_CHILDREN, &usage);
	*run = (struct run){.wall = measure_now() - start,
			    .processor = seconds_of(&usage),
			    .mebibytes = (double)usage.ru_maxrss / 1024,
			    .done = !code && !result.status && result.recorded};
}

static void merge_recording(void *context, void *figures)
{
	struct recorded *r = context;
	struct merge_figures *m = figures;
	char path[PATH_MAX], scanner[PATH_MAX];
	struct record_options options = {.scanner = scanner};
	struct err err = {0};
	double start = measure_now(), processor = measure_processor();
	struct stat st;

	snprintf(path, sizeof(path), "%s/trace", directory);
	snprintf(scanner, sizeof(scanner), "%s/../norn-instrument", build);
	struct output *out = output_open(path, OUTPUT_IN_PLACE, &err);

	if (!out || record_write(r->recording, &options, NULL, out, &m->result, &err) < 0 ||
	    output_close(out, &err) < 0)
		measure_stop(&err);
	m->processor = measure_processor() - processor;
	m->wall = measure_now() - start;
	if (!stat(path, &st))
		m->trace = (uint64_t)st.st_size;
	unlink(path);
}

static void record(struct row *row, const char *const *argv)
{
	char recording[PATH_MAX];
	struct launch_options options = {0};
	struct recorded r = {recording, argv};
	struct log_run run = {0};
	struct err err = {0};

	snprintf(recording, sizeof(recording), "%s/record.XXXXXX", directory);
	if (launch_prepare(recording, &options, &err) < 0)
		measure_stop(&err);
	measure_child(record_program, &r, &row->runs[RECORDED], sizeof(row->runs[RECORDED]));
	if (row->runs[RECORDED].done) {
		size_t size;
		char *head = raw_read_file(recording, "run", &size, &err);

		if (head && size >= sizeof(run))
			memcpy(&run, head, sizeof(run));
		mem_free(head);
		row->runs[RECORDED].done = run.why == LOG_GOES_ON;
		row->log = run.written;
		row->merge_mebibytes =
			measure_child(merge_recording, &r, &row->merge, sizeof(row->merge));
	}
	launch_remove(recording);
}

/* Tables */

static void print_run(const struct run *run)
{
	if (run->done)
		printf(" %7.2f (%6.2f) |", run->processor, run->wall);
	else
		printf(" %16s |", "-");
}

static void print_row(const struct row *row)
{
	printf("| %-10s |", row->name);
	for (int way = 0; way < WAYS; way++)
		print_run(&row->runs[way]);
	for (int way = 0; way < WAYS; way++)
		printf(" %5.0f |", row->runs[way].mebibytes);
	printf("\n");
	fflush(stdout);
}

static void print_head(void)
{
	printf("| %-10s | %16s | %16s | %16s | %16s |   MiB |  norn |  TSan | Helg. |\n", "program",
	       "clang -O2", "norn record", "ThreadSanitizer", "Helgrind");
	printf("| ---------- |");
	for (int way = 0; way < WAYS; way++)
		printf(" ---------------- |");
	printf(" ----- | ----- | ----- | ----- |\n");
}

static void add_up(struct row *total, const struct row *row)
{
	for (int way = 0; way < WAYS; way++) {
		struct run *sum = &total->runs[way];
		const struct run *run = &row->runs[way];

		sum->processor += run->processor;
		sum->wall += run->wall;
		sum->done &= run->done;
		if (run->mebibytes > sum->mebibytes)
			sum->mebibytes = run->mebibytes;
	}
}

static void print_total(const struct row *rows, size_t n)
{
	struct row total = {.name = "all"};

	for (int way = 0; way < WAYS; way++)
		total.runs[way].done = true;
	for (size_t i = 0; i < n; i++)
		add_up(&total, &rows[i]);
	print_row(&total);
	double norn = total.runs[RECORDED].processor;

	printf("\n");
	/* sums of what all could do */
	if (norn > 0 && total.runs[RECORDED].done && total.runs[SANITIZED].done)
		printf("In all, the programs take %.2f times the time of ThreadSanitizer while "
		       "they are recorded.\n",
		       norn / total.runs[SANITIZED].processor);
	if (norn > 0 && total.runs[RECORDED].done && total.runs[HELGRIND].done)
		printf("Helgrind takes %.1f times the time of that.\n",
		       total.runs[HELGRIND].processor / norn);
	printf("\n");
}

static void print_records(const struct row *rows, size_t n)
{
	printf("Records and events: M/s are millions of records a second of processor time, while "
	       "the program runs and in\nthe merge; B are bytes of the log a record, and of the "
	       "trace an event.\n\n");
	printf("| program    |   records |  M/s |    B |      merge (wall) |  M/s |   MiB |    "
	       "events "
	       "|    B |\n"
	       "| ---------- | --------- | ---- | ---- | ----------------- | ---- | ----- | "
	       "--------- | ---- |\n");
	for (size_t i = 0; i < n; i++) {
		const struct merge_figures *m = &rows[i].merge;
		double records = (double)m->result.counts.records;
		double events = (double)m->result.counts.events;

		if (!rows[i].runs[RECORDED].done || !records || !events)
			continue;
		printf("| %-10s | %9.0f | %4.0f | %4.1f | %7.2f (%7.2f) | %4.1f | %5.0f | %9.0f | "
		       "%4.2f |\n",
		       rows[i].name, records, 1e-6 * records / rows[i].runs[RECORDED].processor,
		       (double)rows[i].log / records, m->processor, m->wall,
		       1e-6 * records / m->processor, rows[i].merge_mebibytes, events,
		       (double)m->trace / events);
	}
}

/* Programs */

static const char *const suffixes[WAYS] = {"native", "norn", "tsan", "native"};

static void measure_program(struct row *row, const char *name, const char *const *arguments)
{
	char path[PATH_MAX];

	row->name = name;
	for (int way = 0; way < WAYS; way++) {
		const char *argv[8] = {"valgrind", "--tool=helgrind", "-q"};
		int n = way == HELGRIND ? 3 : 0;

		if (way == HELGRIND && !*helgrind)
			continue;
		snprintf(path, sizeof(path), "%s/%s.%s", build, name, suffixes[way]);
		argv[n++] = path;
		for (int i = 0; arguments[i]; i++)
			argv[n++] = arguments[i];
		if (way == RECORDED)
			record(row, argv);
		else
			row->runs[way] = run_command(argv);
	}
	print_row(row);
}

/* Text that can be compressed about as well as prose: words, some more often than others. */
static void write_text(const char *path, uint64_t bytes)
{
	static char words[WORDS][12];
	FILE *file = fopen(path, "w");
	uint64_t seed = 1, written = 0;

	for (int i = 0; i < WORDS; i++)
		for (int k = 0; k < 2 + i % 9; k++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			words[i][k] = (char)('a' + (seed >> 33) % 26);
		}
	while (file && written < bytes) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		uint64_t r = (seed >> 33) % WORDS;

		written += (uint64_t)fprintf(file, "%s ", words[r * r / WORDS]);
	}
	if (!file || fclose(file)) {
		perror(path);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	double scale = argc > 3 ? strtod(argv[3], NULL) : 1;
	char count[4][32], text[PATH_MAX];
	const long sizes[4] = {(long)(500000 * scale), (long)(250 * (scale < 1 ? scale : 1)),
			       (long)(200000 * scale), (long)(300000 * scale)};
	const struct program programs[] = {{"counter", {"4", count[0]}},
					   {"matrix", {"4", count[1]}},
					   {"queue", {"2", count[2]}},
					   {"quicksort", {"3", count[3]}},
					   {"pigz", {"-kfp4", text}}};
	struct row rows[5] = {0};
	size_t n = 0;

	if (argc < 5)
		return 2;
	directory = argv[1];
	build = argv[2];
	limit = (unsigned)atoi(argv[4]);
	helgrind = argc > 5 ? argv[5] : "";
	for (int i = 0; i < 4; i++)
		snprintf(count[i], sizeof(count[i]), "%ld", sizes[i]);
	snprintf(text, sizeof(text), "%s/text", directory);
	write_text(text, (uint64_t)(20e6 * scale));
	printf("Recording: seconds of processor time (wall-clock time) of one run, and the most "
	       "memory.\nOf norn record while the program runs: the merge behind it is in the "
	       "second table.\nAll with -O2; zlib, which pigz calls, as Debian built it.\n\n");
	print_head();
	for (size_t i = 0; i < 5; i++) {
		char path[PATH_MAX];

		snprintf(path, sizeof(path), "%s/%s.norn", build, programs[i].name);
		if (!access(path, X_OK))
			measure_program(&rows[n++], programs[i].name, programs[i].arguments);
		else
			printf("| %-10s | it could not be fetched or built\n", programs[i].name);
	}
	print_total(rows, n);
	print_records(rows, n);
	return 0;
}
