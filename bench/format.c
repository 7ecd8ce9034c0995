/* SPDX-License-Identifier: MIT */
/* Rates and sizes of the trace formats, each figure from a process of its own. */
#include "support/measure.h"
#include "support/workload.h"
#include "trace/binary.h"
#include "trace/check.h"
#include "trace/import.h"
#include "trace/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[4000];

static const char *path_of(const char *name)
{
	static char path[2][4096];
	static int turn;

	turn ^= 1;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", directory, name);
	return path[turn];
}

static uint64_t size_of(const char *name)
{
	struct stat st;

	return stat(path_of(name), &st) == 0 ? (uint64_t)st.st_size : 0;
}

struct job {
	const char *title, *file;
	double (*run)(const struct job *job,
		      uint64_t *events); /* seconds of the part that counts */
	struct sink *(*open_sink)(struct output *out, const struct symbols *symbols,
				  struct err *err);
	struct workload_size workload;
};

static double write_job(const struct job *job, uint64_t *events)
{
	struct workload *w = workload_new(&job->workload);
	struct err err = {0};
	struct output *out = output_open(path_of(job->file), OUTPUT_IN_PLACE, &err);
	struct sink *sink = out ? job->open_sink(out, workload_symbols(w), &err) : NULL;
	struct batch batch;
	double spent = 0;

	if (!sink)
		measure_stop(&err);
	while (workload_next(w, &batch)) {
		double start = measure_now();

		if (sink->ops->put(sink, &batch, &err) < 0)
			measure_stop(&err);
		spent += measure_now() - start;
		*events += batch.n;
	}
	double start = measure_now();

	if (sink->ops->finish(sink, &err) < 0 || output_close(out, &err) < 0)
		measure_stop(&err);
	workload_free(w);
	return spent + measure_now() - start;
}

static double read_job(const struct job *job, uint64_t *events)
{
	struct err err = {0};
	double start = measure_now();
	struct reader *r = reader_open(path_of(job->file), NULL, &err);
	struct batch batch;
	uint64_t sum = 0;
	int got;

	if (!r)
		measure_stop(&err);
	while ((got = reader_next(r, &batch, &err)) > 0) {
		*events += batch.n;
		sum += batch.at[batch.n - 1].object;
	}
	if (got < 0)
		measure_stop(&err);
	reader_close(r);
	return measure_now() - start + (sum == 1 ? 1e-12 : 0);
}

static double check_job(const struct job *job, uint64_t *events)
{
	struct err err = {0};
	double start = measure_now();
	struct reader *r = reader_open(path_of(job->file), NULL, &err);

	if (!r || check_reader(r, events, &err) < 0)
		measure_stop(&err);
	reader_close(r);
	return measure_now() - start;
}

/* Decoded events copied from one buffer to another of a block's size, as a ceiling. */
static double memcpy_job(const struct job *job, uint64_t *events)
{
	size_t block = 32768 * sizeof(struct event);
	char *from = malloc(block), *to = malloc(block);

	memset(from, 1, block);
	memset(to, 2, block);
	double start = measure_now();

	for (uint64_t done = 0; done < job->workload.events; done += 32768) {
		memcpy(to, from, block);
		from[done % block] ^= to[(done + 1) % block];
		__asm__ volatile("" ::: "memory");
	}
	*events = job->workload.events;
	double spent = measure_now() - start;

	free(from);
	free(to);
	return spent;
}

/* The decoded events as they lie in memory: what zstd alone makes of them. */
static double dump_job(const struct job *job, uint64_t *events)
{
	struct workload *w = workload_new(&job->workload);
	FILE *file = fopen(path_of(job->file), "w");
	struct batch batch;

	while (file && workload_next(w, &batch)) {
		*events += fwrite(batch.at, sizeof(struct event), batch.n, file);
	}
	if (file)
		fclose(file);
	char command[9000];

	snprintf(command, sizeof(command), "zstd -q -1 -f --rm %s", path_of(job->file));
	double start = measure_now();

	if (system(command) != 0)
		_exit(1);
	return measure_now() - start;
}

static double zstdcat_job(const struct job *job, uint64_t *events)
{
	char command[9000];

	snprintf(command, sizeof(command), "zstdcat %s > /dev/null", path_of(job->file));
	double start = measure_now();

	if (system(command) != 0)
		_exit(1);
	*events = job->workload.events;
	return measure_now() - start;
}

static double zstd_job(const struct job *job, uint64_t *events)
{
	char command[9000];

	snprintf(command, sizeof(command), "zstd -q -1 -f %s -o %s.zst", path_of("bench.norn"),
		 path_of("bench.norn"));
	if (system(command) != 0)
		_exit(1);
	return zstdcat_job(job, events);
}

struct figures {
	double seconds;
	uint64_t events;
};

static void work(void *context, void *figures)
{
	const struct job *job = context;
	struct figures *f = figures;

	f->seconds = job->run(job, &f->events);
}

static void run(const struct job *job)
{
	struct figures f = {0};
	double memory = measure_child(work, (void *)job, &f, sizeof(f));
	uint64_t size = size_of(job->file);

	printf("| %-42s | %8.2f | %8.2f | %6.2f | %7.0f |\n", job->title, f.seconds,
	       (double)f.events / f.seconds / 1e6,
	       f.events && size ? (double)size / (double)f.events : 0.0, memory);
}

int main(int argc, char **argv)
{
	uint64_t events = argc > 2 ? strtoull(argv[2], NULL, 10) : 20000000;
	struct workload_size large = {events, 8, 100000, 50, 7};
	struct workload_size wide = {events, 8, 1000000, 50, 7};
	struct workload_size small = {events / 4, 8, 100000, 50, 7};
	const struct job jobs[] = {
		{"binary: write", "bench.norn", write_job, binary_open_sink, large},
		{"binary: read", "bench.norn", read_job, NULL, large},
		{"binary: read and check", "bench.norn", check_job, NULL, large},
		{"memcpy of the decoded events", "", memcpy_job, NULL, large},
		{"zstdcat of bench.norn in a .zst", "bench.norn.zst", zstd_job, NULL, large},
		{"zstd -1 of the decoded events", "bench.raw", dump_job, NULL, large},
		{"zstdcat of the decoded events", "bench.raw.zst", zstdcat_job, NULL, large},
		{"binary, 1M variables: write", "wide.norn", write_job, binary_open_sink, wide},
		{"binary, 1M variables: read", "wide.norn", read_job, NULL, wide},
		{"binary, 1M variables: read and check", "wide.norn", check_job, NULL, wide},
		{"text: write", "bench.trace", write_job, text_open_sink, small},
		{"text: parse", "bench.trace", read_job, NULL, small},
		{"STD: write", "bench.std", write_job, std_open_sink, small},
		{"STD: parse", "bench.std", read_job, NULL, small},
	};

	snprintf(directory, sizeof(directory), "%s", argc > 1 ? argv[1] : ".");
	printf("Formats: %llu events, 8 threads, 100,000 variables, 50 locks, with locations\n"
	       "(text and STD: a quarter of that)\n\n",
	       (unsigned long long)events);
	printf("| %-42s | %8s | %8s | %6s | %7s |\n", "", "seconds", "M ev/s", "B/ev", "MiB");
	printf("| %-42s | -------- | -------- | ------ | ------- |\n", "---");
	for (size_t i = 0; i < sizeof(jobs) / sizeof(*jobs); i++)
		run(&jobs[i]);
	return 0;
}
