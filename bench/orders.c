/* SPDX-License-Identifier: MIT */
/* Rates and memory of the orders, on generated traces from the binary format, which they read. */
#include "order/order.h"
#include "support/measure.h"
#include "support/nested_locks.h"
#include "support/workload.h"
#include "trace/binary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define RUNS 3

struct writing {
	const char *path;
	const struct workload_size *size; /* or NULL: nested */
	const struct nested_locks_shape *nested;
};

static void write_trace(const struct writing *writing)
{
	struct workload *w = writing->size ? workload_new(writing->size) : NULL;
	struct nested_locks *n = w ? NULL : nested_locks_new(writing->nested);
	const struct symbols *symbols = w ? workload_symbols(w) : nested_locks_symbols(n);
	struct err err = {0};
	struct output *out = output_open(writing->path, OUTPUT_IN_PLACE, &err);
	struct sink *sink = out ? binary_open_sink(out, symbols, &err) : NULL;
	struct batch batch;

	if (!sink)
		measure_stop(&err);
	while (w ? workload_next(w, &batch) : nested_locks_next(n, &batch))
		sink->ops->put(sink, &batch, &err);
	if (sink->ops->finish(sink, &err) < 0 || output_close(out, &err) < 0)
		measure_stop(&err);
	if (w)
		workload_free(w);
	else
		nested_locks_free(n);
}

/* In a process of its own: what it takes is not to be seen in those that are measured. */
static void write_apart(void *context, void *figures)
{
	(void)figures;
	write_trace(context);
}

/* Of this process: other work on the machine does not count, as far as that is possible. */
static double processor_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct figures {
	double seconds;
	int forgot;
};

struct job {
	const char *path;
	const struct order_kind *kind;
};

static void work(void *context, void *figures)
{
	const struct job *job = context;
	struct figures *f = figures;
	struct err err = {0};
	struct order_report report;
	struct order_limits limits = {.bytes = (uint64_t)1 << 30, .window = 10000};
	double start = processor_seconds();
	struct reader *r = reader_open_unnamed(job->path, NULL, &err);

	if (!r || order_stream(r, &job->kind, 1, &limits, &report, &err) < 0)
		measure_stop(&err);
	f->seconds = processor_seconds() - start;
	f->forgot = report.forgot != NULL;
}

/* The best of some: how dear fresh memory is changes from run to run. */
static void run(const char *path, const struct order_kind *kind, uint64_t events)
{
	struct job job = {path, kind};
	struct figures f = {0};
	double memory = 0, best = 0;

	for (int k = 0; k < RUNS; k++) {
		memory = measure_child(work, &job, &f, sizeof(f));
		if (!k || f.seconds < best)
			best = f.seconds;
	}
	printf(" %7.2f %6.0f%s |", (double)events / best / 1e6, memory, f.forgot ? "*" : " ");
	fflush(stdout);
}

static void row(const char *path, const struct workload_size *size, const char *const *orders,
		size_t n)
{
	struct writing writing = {.path = path, .size = size};
	char none = 0;

	measure_child(write_apart, &writing, &none, sizeof(none));
	printf("| %9llu | %7u | %9u |", (unsigned long long)size->events, size->threads,
	       size->variables);
	for (size_t i = 0; i < n; i++)
		run(path, order_by_name(orders[i]), size->events);
	printf("\n");
	unlink(path);
}

/*
 * Sets of locks: the shape that was measured with RAPID, larger, and each part of it changed. (64
 * threads have places: without them each thread is one, and there are millions of signatures.)
 */

struct nested_row {
	const char *name;
	const char *rapid; /* of HB */
	struct nested_locks_shape shape;
};

static const struct nested_row nested_rows[] = {
	{"as RAPID", "0.14 379", {1000000, 8, 1000, 50, 3, 46, 30, 0, false, 11}},
	{"10 M", "0.21", {10000000, 8, 1000, 50, 3, 46, 30, 0, false, 11}},
	{"1,000 places", "", {1000000, 8, 1000, 50, 3, 46, 30, 1000, false, 11}},
	{"1,000 locks", "", {1000000, 8, 1000, 1000, 3, 46, 30, 0, false, 11}},
	{"8 nested", "", {1000000, 8, 1000, 50, 8, 46, 30, 0, false, 11}},
	{"64 threads", "", {1000000, 64, 1000, 400, 3, 46, 30, 1000, false, 11}},
	{"10 variables", "", {1000000, 8, 10, 50, 3, 46, 30, 0, false, 11}},
	{"1 M variables", "", {1000000, 8, 1000000, 50, 3, 46, 30, 0, false, 11}},
	{"reads", "", {1000000, 8, 1000, 50, 3, 85, 2, 0, false, 11}},
	{"guarded", "", {1000000, 8, 1000, 50, 3, 46, 30, 0, true, 11}},
};

static void nested_table(const char *path, uint64_t most, const char *const *orders, size_t n)
{
	printf("\nThe same for random nested locks: 8 threads, 1,000 variables, 50 locks, up to 3 "
	       "at\n"
	       "a time, 46 %% reads, 30 %% writes, no places; or as the row says. RAPID was "
	       "measured "
	       "on\nsuch traces on a machine with 2 cores: HB took 7.3 s and 379 MB for 1 M "
	       "events, "
	       "47 s\nfor 10 M.\n\n");
	printf("| %13s | %15s |", "", "RAPID hb");
	for (size_t i = 0; i < n; i++)
		printf(" %15s |", orders[i]);
	printf("\n| ------------- | --------------- |");
	for (size_t i = 0; i < n; i++)
		printf(" --------------- |");
	printf("\n");
	for (size_t i = 0; i < sizeof(nested_rows) / sizeof(*nested_rows); i++) {
		const struct nested_row *row = &nested_rows[i];
		struct writing writing = {.path = path, .nested = &row->shape};
		char none = 0;

		if (row->shape.events > most)
			continue;
		measure_child(write_apart, &writing, &none, sizeof(none));
		printf("| %13s | %15s |", row->name, row->rapid);
		for (size_t k = 0; k < n; k++)
			run(path, order_by_name(orders[k]), row->shape.events);
		printf("\n");
		unlink(path);
	}
}

int main(int argc, char **argv)
{
	static const char *const orders[] = {"quick", "hb", "wcp", "dc", "sdp", "wdp", "drc"};
	const size_t n = sizeof(orders) / sizeof(*orders);
	uint64_t most = argc > 2 ? strtoull(argv[2], NULL, 10) : 100000000;
	char path[4096];

	snprintf(path, sizeof(path), "%s/orders.norn", argc > 1 ? argv[1] : ".");
	printf("Orders, one core each: M events a second of its time, the best of %d runs, and "
	       "MiB\n"
	       "(* the memory limit made it forget).\n"
	       "RAPID (Java, text input) was measured on such a trace at 0.38 M events/s for HB "
	       "and\n"
	       "0.065 for WCP, which took 5.2 GB for 10 M events.\n\n",
	       RUNS);
	printf("|    events | threads | variables |");
	for (size_t i = 0; i < n; i++)
		printf(" %15s |", orders[i]);
	printf("\n| --------- | ------- | --------- |");
	for (size_t i = 0; i < n; i++)
		printf(" --------------- |");
	printf("\n");
	for (uint64_t events = 1000000; events <= most; events *= 10)
		for (uint32_t variables = 1000; variables <= 1000000; variables *= 1000)
			row(path, &(struct workload_size){events, 8, variables, 50, 11}, orders, n);
	for (uint32_t threads = 2; threads <= 512; threads *= 4)
		row(path,
		    &(struct workload_size){most < 2000000 ? most : 2000000, threads, 1000, 50, 11},
		    orders, n);
	nested_table(path, most, orders, n);
	return 0;
}
