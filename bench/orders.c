/* Rates and memory of the orders, on generated traces from the binary format. */
#include "order/order.h"
#include "support/workload.h"
#include "trace/binary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void stop(const struct err *err)
{
	fprintf(stderr, "bench: %s\n", err->message);
	exit(1);
}

static void write_trace(const char *path, const struct workload_size *size)
{
	struct workload *w = workload_new(size);
	struct err err = {0};
	struct output *out = output_open(path, OUTPUT_IN_PLACE, &err);
	struct sink *sink = out ? binary_open_sink(out, workload_symbols(w), &err) : NULL;
	struct batch batch;

	if (!sink)
		stop(&err);
	while (workload_next(w, &batch))
		sink->ops->put(sink, &batch, &err);
	if (sink->ops->finish(sink, &err) < 0 || output_close(out, &err) < 0)
		stop(&err);
	workload_free(w);
}

struct figures {
	double seconds;
	size_t signatures;
	int forgot;
};

/* In a process of its own, so that its memory is its own. */
static void run(const char *path, const struct order_kind *kind, uint64_t events)
{
	struct figures f = {0};
	struct rusage usage;
	int pipes[2], status;

	fflush(stdout);
	if (pipe(pipes) < 0)
		exit(1);
	pid_t child = fork();

	if (!child) {
		struct err err = {0};
		struct order_report report;
		struct order_limits limits = {.bytes = (uint64_t)1 << 30, .window = 10000};
		double start = now();
		struct reader *r = reader_open(path, NULL, &err);

		if (!r || orders_stream(r, &kind, 1, &limits, &report, &err) < 0)
			stop(&err);
		f.seconds = now() - start;
		f.signatures = report.signatures.n;
		f.forgot = report.forgot != NULL;
		_exit(write(pipes[1], &f, sizeof(f)) != sizeof(f));
	}
	close(pipes[1]);
	if (read(pipes[0], &f, sizeof(f)) != sizeof(f) || wait4(child, &status, 0, &usage) < 0 ||
	    status)
		exit(1);
	close(pipes[0]);
	printf(" %7.2f %6.0f%s |", (double)events / f.seconds / 1e6, (double)usage.ru_maxrss / 1024,
	       f.forgot ? "*" : " ");
	fflush(stdout);
}

static void row(const char *path, const struct workload_size *size, const char *const *orders,
		size_t n)
{
	write_trace(path, size);
	printf("| %9llu | %7u | %9u |", (unsigned long long)size->events, size->threads,
	       size->variables);
	for (size_t i = 0; i < n; i++)
		run(path, order_by_name(orders[i]), size->events);
	printf("\n");
	unlink(path);
}

int main(int argc, char **argv)
{
	static const char *const orders[] = {"quick", "hb", "wcp", "dc", "sdp", "wdp"};
	const size_t n = sizeof(orders) / sizeof(*orders);
	uint64_t most = argc > 2 ? strtoull(argv[2], NULL, 10) : 100000000;
	char path[4096];

	snprintf(path, sizeof(path), "%s/orders.norn", argc > 1 ? argv[1] : ".");
	printf("Orders, one core each: M events/s and MiB (* the memory limit made it forget).\n"
	       "RAPID (Java, text input) was measured on such a trace at 0.38 M events/s for HB and\n"
	       "0.065 for WCP, which took 5.2 GB for 10 M events.\n\n");
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
	return 0;
}
