/* SPDX-License-Identifier: MIT */
/*
 * The orders as a stream: the same signatures as of the exact pairs, each with real pairs; with
 * a limit on memory more of them, never fewer.
 */
#include "order/order.h"
#include "tests/support/explored.h"
#include "tests/support/naive_orders.h"
#include "tests/support/nested_locks.h"
#include "tests/support/random_trace.h"
#include "tests/support/section_trace.h"
#include "tests/support/tap.h"
#include "tests/support/traces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAIVE_EVENTS 250 /* up to here the naive orders say what is right; else order_pairs */
#define CP_EVENTS 30000	 /* up to here cp is tried: it takes the square of that */

static const struct order_limits no_limits = {.window = 1000000};

/* What to expect of a trace */

struct expected {
	struct index *index;
	struct intern sites;
	uint32_t *site; /* of each event */
	struct {
		VEC(struct order_pair) pairs; /* ascending */
		VEC(uint64_t) signatures;     /* ascending, each once: see signature_of */
	} by[NAIVE_COUNT];
};

static uint32_t site_of(struct expected *x, uint32_t n)
{
	const struct symbols *symbols = x->index->symbols;
	const struct event *e = &x->index->events[n];
	char text[500];

	if (e->location)
		snprintf(text, sizeof(text), "%s", intern_text(&symbols->locations, e->location));
	else
		snprintf(text, sizeof(text), "%s %s %s",
			 symbols_name(symbols, CLASS_THREAD, e->thread), event_kind_text[e->kind],
			 symbols_name(symbols, CLASS_VARIABLE, e->object));
	return intern_add(&x->sites, text, strlen(text));
}

static uint64_t signature_of(uint32_t site, uint32_t other)
{
	uint32_t low = site < other ? site : other, high = site < other ? other : site;

	return (uint64_t)low << 32 | high;
}

static int compare_numbers(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void expect_pair(struct expected *x, int order, uint32_t a, uint32_t b)
{
	struct order_pair pair = {a, b};

	vec_push(&x->by[order].pairs, pair);
	vec_push(&x->by[order].signatures, signature_of(x->site[a], x->site[b]));
}

static void expect_exact_pairs(struct expected *x, int order)
{
	struct order_pairs exact = {0};
	struct err err = {0};

	if (order_pairs(order_by_name(naive_order_text[order]), x->index, 0, &exact, &err) < 0)
		FAIL("%s", err.message);
	for (size_t i = 0; i < exact.pairs.n; i++)
		expect_pair(x, order, exact.pairs.at[i].a, exact.pairs.at[i].b);
	vec_release(&exact.pairs);
}

static void expect_naive_pairs(struct expected *x, int order, const struct naive_orders *naive)
{
	struct naive_races races = naive_races(naive, order);

	for (size_t i = 0; i < races.pairs.n; i++)
		expect_pair(x, order, races.pairs.at[i].a, races.pairs.at[i].b);
	vec_release(&races.pairs);
}

static void sort_signatures(struct expected *x, int order)
{
	size_t kept = 0, n = x->by[order].signatures.n;
	uint64_t *at = x->by[order].signatures.at;

	if (n)
		qsort(at, n, sizeof(*at), compare_numbers);
	for (size_t i = 0; i < n; i++)
		if (!kept || at[kept - 1] != at[i])
			at[kept++] = at[i];
	x->by[order].signatures.n = kept;
}

static struct expected expected_of(const char *text)
{
	struct expected x = {.index = index_of_text(text)};
	struct naive_orders *naive = NULL;

	if (x.index->count <= NAIVE_EVENTS)
		naive = naive_orders_new(x.index);
	x.site = mem_alloc_zero(x.index->count + (size_t)1, sizeof(*x.site));
	for (uint32_t n = 1; n <= x.index->count; n++)
		if (event_is(&x.index->events[n], EV_ACCESS))
			x.site[n] = site_of(&x, n);
	for (int order = 0; order < NAIVE_COUNT; order++) {
		if (naive)
			expect_naive_pairs(&x, order, naive);
		else if (order != NAIVE_CP || x.index->count <= CP_EVENTS)
			expect_exact_pairs(&x, order);
		sort_signatures(&x, order);
	}
	if (naive)
		naive_orders_free(naive);
	return x;
}

static void expected_release(struct expected *x)
{
	for (int order = 0; order < NAIVE_COUNT; order++) {
		vec_release(&x->by[order].pairs);
		vec_release(&x->by[order].signatures);
	}
	mem_free(x->site);
	intern_release(&x->sites);
	index_free(x->index);
}

static bool expects_pair(const struct expected *x, int order, struct event_pair pair)
{
	size_t low = 0, high = x->by[order].pairs.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		struct order_pair p = x->by[order].pairs.at[middle];

		if (p.a == pair.a && p.b == pair.b)
			return true;
		if (p.a < pair.a || (p.a == pair.a && p.b < pair.b))
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

static bool has_number(const uint64_t *numbers, size_t n, uint64_t number)
{
	return n && bsearch(&number, numbers, n, sizeof(number), compare_numbers);
}

static const char *signature_text(const struct expected *x, uint64_t signature)
{
	static char text[1100];

	snprintf(text, sizeof(text), "(%s, %s)", intern_text(&x->sites, signature >> 32),
		 intern_text(&x->sites, signature & UINT32_MAX));
	return text;
}

/* What the stream says */

static uint64_t reported_signature(const struct expected *x, const struct order_report *report,
				   const struct signature *s)
{
	uint32_t site[2];

	ASSERT_TRUE(s->site[0] <= s->site[1]);
	for (int i = 0; i < 2; i++) {
		const char *text = intern_text(&report->sites, s->site[i]);

		site[i] = intern_find(&x->sites, text, strlen(text));
		if (site[i] == INTERN_NONE)
			FAIL("there is no site %s", text);
	}
	return signature_of(site[0], site[1]);
}

/* order: by which it must be a race */
static void check_pair(const struct expected *x, int order, uint64_t signature,
		       struct event_pair pair, const char *what)
{
	if (!expects_pair(x, order, pair))
		FAIL("%s: %s pair %llu-%llu of %s is no race", naive_order_text[order], what,
		     (unsigned long long)pair.a, (unsigned long long)pair.b,
		     signature_text(x, signature));
	if (signature_of(x->site[pair.a], x->site[pair.b]) != signature)
		FAIL("%s: %s pair %llu-%llu is not of %s", naive_order_text[order], what,
		     (unsigned long long)pair.a, (unsigned long long)pair.b,
		     signature_text(x, signature));
}

static uint64_t distance(struct event_pair pair)
{
	return pair.b - pair.a;
}

static void check_pairs(const struct expected *x, int order, const struct signature *s,
			uint64_t signature)
{
	struct event_pair earliest = s->closest, closest = s->first;

	check_pair(x, order, signature, s->first, "the first");
	check_pair(x, order, signature, s->closest, "the closest");
	ASSERT_TRUE(s->random_count <= SIGNATURE_RANDOM_PAIRS && s->random_count <= s->pairs);
	for (uint32_t i = 0; i < s->random_count; i++) {
		check_pair(x, order, signature, s->random[i], "a random");
		if (s->random[i].b < earliest.b)
			earliest = s->random[i];
		if (distance(s->random[i]) < distance(closest))
			closest = s->random[i];
	}
	if (earliest.b < s->first.b)
		FAIL("%s: the first pair of %s is %llu-%llu, but %llu-%llu is earlier",
		     naive_order_text[order], signature_text(x, signature),
		     (unsigned long long)s->first.a, (unsigned long long)s->first.b,
		     (unsigned long long)earliest.a, (unsigned long long)earliest.b);
	if (distance(closest) < distance(s->closest))
		FAIL("%s: the closest pair of %s is %llu-%llu, but %llu-%llu is closer",
		     naive_order_text[order], signature_text(x, signature),
		     (unsigned long long)s->closest.a, (unsigned long long)s->closest.b,
		     (unsigned long long)closest.a, (unsigned long long)closest.b);
}

enum strictness {
	THE_SAME,
	AT_LEAST, /* all signatures, and perhaps some more that quick has */
	ANYTHING, /* that quick has */
};

static void check_report(const struct expected *x, int order, const struct order_report *report,
			 enum strictness strictness)
{
	VEC(uint64_t) got = {0};
	const char *name = naive_order_text[order];

	ASSERT_TRUE(report->kind == order_by_name(name));
	if (strictness == THE_SAME && report->forgot)
		FAIL("%s says that it forgot %s", name, report->forgot);
	for (size_t i = 0; i < report->signatures.n; i++) {
		const struct signature *s = &report->signatures.at[i];
		uint64_t signature = reported_signature(x, report, s);

		if (strictness == THE_SAME &&
		    !has_number(x->by[order].signatures.at, x->by[order].signatures.n, signature))
			FAIL("%s: %s has no race", name, signature_text(x, signature));
		check_pairs(x, strictness == THE_SAME ? order : NAIVE_QUICK, s, signature);
		if (i)
			ASSERT_TRUE(s[-1].first.b <= s->first.b);
		vec_push(&got, signature);
	}
	if (got.n)
		qsort(got.at, got.n, sizeof(*got.at), compare_numbers);
	for (size_t i = 1; i < got.n; i++)
		if (got.at[i - 1] == got.at[i])
			FAIL("%s: %s twice", name, signature_text(x, got.at[i]));
	for (size_t i = 0; i < x->by[order].signatures.n && strictness != ANYTHING; i++)
		if (!has_number(got.at, got.n, x->by[order].signatures.at[i]))
			FAIL("%s: %s is missing", name,
			     signature_text(x, x->by[order].signatures.at[i]));
	if (strictness == AT_LEAST && got.n > x->by[order].signatures.n && !report->forgot)
		FAIL("%s does not say that it forgot anything", name);
	vec_release(&got);
}

struct input_text {
	const void *data;
	size_t size;
	const char *format;
};

/* Streams by n orders at once and checks each. */
static void check_stream(const struct expected *x, const struct input_text *in, const int *orders,
			 size_t n, const struct order_limits *limits, enum strictness strictness)
{
	const struct order_kind *kinds[NAIVE_COUNT];
	struct order_report reports[NAIVE_COUNT] = {0};
	struct err err = {0};
	struct reader *r = reader_open_memory(in->data, in->size, "test", in->format, &err);

	ASSERT_TRUE(r != NULL);
	for (size_t i = 0; i < n; i++)
		kinds[i] = order_by_name(naive_order_text[orders[i]]);
	if (order_stream(r, kinds, n, limits, reports, &err) < 0)
		FAIL("%s", err.message);
	for (size_t i = 0; i < n; i++) {
		check_report(x, orders[i], &reports[i], strictness);
		order_report_release(&reports[i]);
	}
	reader_close(r);
}

/* All orders, cp as the last one; the others alone are then all_but_cp of them. */
static void list_orders(int orders[NAIVE_COUNT])
{
	size_t n = 0;

	for (int order = 0; order < NAIVE_COUNT; order++)
		if (order != NAIVE_CP)
			orders[n++] = order;
	orders[n] = NAIVE_CP;
}

static struct bytes binary_of(const char *text, uint32_t block)
{
	struct bytes binary;
	struct err err = {0};

	if (convert_memory(text, strlen(text), "text", "binary", block, &binary, &err) < 0)
		FAIL("%s", err.message);
	return binary;
}

/*
 * Without limits, short traces mostly with what is of no more use dropped every few events; then,
 * for those that do not have windows instead, with a tiny limit.
 */
static void check_text(uint64_t seed, char *text)
{
	const struct order_limits tiny = {
		.bytes = 1, .window = 1000000, .site_classes = seed / 2 % 2 ? 1 : 0};

	tap_at("seed %llu:\n%.20000s", (unsigned long long)seed, text);
	struct expected x = expected_of(text);
	uint32_t block = 1 + (uint32_t)(seed % 17);
	struct bytes binary = binary_of(text, x.index->count < 1000 ? block : 2000);
	const struct input_text as_text = {text, strlen(text), "text"};
	const struct input_text as_binary = {binary.at, binary.n, "binary"};
	const struct order_limits often = {.window = 1000000,
					   .collect = x.index->count < 1000 ? seed % 16 : 0,
					   .site_classes = seed % 5 ? 1 : UINT8_MAX};
	bool with_cp = x.index->count <= CP_EVENTS;
	const size_t all_but_cp = NAIVE_COUNT - 1;
	size_t n = with_cp ? NAIVE_COUNT : all_but_cp;
	int orders[NAIVE_COUNT];

	list_orders(orders);

	check_stream(&x, &as_binary, orders, n, &often, THE_SAME);
	if (seed % 4 == 0)
		check_stream(&x, &as_text, orders, n, &no_limits, THE_SAME);
	if (seed % 8 == 1)
		check_stream(&x, &as_binary, orders + seed / 8 % n, 1, &no_limits, THE_SAME);
	if (seed % 2 == 0)
		check_stream(&x, &as_binary, orders, all_but_cp, &tiny, AT_LEAST);
	bytes_release(&binary);
	expected_release(&x);
	free(text);
}

TAP_CASE(conformance)
{
	FILE *table = fopen("tests/conformance/expected.tsv", "r");
	char line[4096];
	uint64_t traces = 0;

	ASSERT_TRUE(table != NULL);
	while (fgets(line, sizeof(line), table)) {
		char *trace = strtok(line, "\t\n"), *analysis = strtok(NULL, "\t\n"), path[300];

		if (line[0] == '#' || !analysis || strcmp(analysis, "hb") != 0)
			continue;
		snprintf(path, sizeof(path), "tests/conformance/%s.trace", trace);
		check_text(traces++ * 4, bytes_of_file(path).at);
	}
	fclose(table);
	ASSERT_EQ(traces, 157);
}

/* Random traces: 10,000 and some more */

static void check_random(uint64_t seed, uint32_t events, uint32_t features)
{
	uint32_t sites = seed % 2 ? RANDOM_LOCATIONS : 0;
	struct random_trace knobs = random_trace_knobs(seed, events, features | sites);

	knobs.features |= sites; /* in each of these, not in every other */
	check_text(seed, random_trace_make(&knobs));
}

#define PLAIN RANDOM_READS
#define FEATURES (RANDOM_EVERYTHING & ~(uint32_t)(RANDOM_SPELLING | RANDOM_META | RANDOM_LOCATIONS))

TAP_CASE(plain_traces)
{
	for (uint64_t seed = 0; seed < TAP_PART(3000); seed++)
		check_random(seed, 12 + (uint32_t)(seed % 49),
			     seed % 3 ? PLAIN : PLAIN | RANDOM_LOCKY);
}

TAP_CASE(traces_of_sections)
{
	for (uint64_t seed = 0; seed < TAP_PART(4000); seed++)
		check_text(seed, section_trace_make(seed, 12 + (uint32_t)(seed % 89)));
}

TAP_CASE(traces_with_everything)
{
	for (uint64_t seed = 0; seed < TAP_PART(3000); seed++)
		check_random(seed, 12 + (uint32_t)(seed % 49),
			     seed % 3 ? FEATURES : FEATURES | RANDOM_LOCKY);
}

TAP_CASE(longer_traces)
{
	for (uint64_t seed = 0; seed < TAP_PART(100); seed++) {
		check_random(seed, NAIVE_EVENTS, PLAIN);
		check_random(seed, NAIVE_EVENTS, FEATURES);
		check_text(seed, section_trace_make(seed, NAIVE_EVENTS));
		check_text(seed, group_trace_make(seed, 8, 4));
	}
}

/* Long enough for what is of no more use to be dropped, more than once. */
TAP_CASE(long_traces)
{
	for (uint64_t seed = 0; seed < 6; seed++)
		check_text(seed, section_trace_make(seed, TAP_PART(80000)));
	for (uint64_t seed = 0; seed < 4; seed++)
		check_random(seed, TAP_PART(5000), seed < 2 ? PLAIN : FEATURES);
}

/* Threads */

TAP_CASE(thousands_of_short_lived_threads)
{
	check_text(0, group_trace_make(0, TAP_PART(650), 9));
	check_text(2, group_trace_make(2, TAP_PART(30), 60));
}

/* The stream gives the places of threads that are over to new ones; exact pairs do not. */
TAP_CASE(short_lived_threads)
{
	for (uint64_t seed = 0; seed < TAP_PART(150); seed++)
		check_text(seed, group_trace_make(seed, 40, 6));
}

/*
 * Enough threads for places to be given away; then some that take over the place of one which
 * read what a section wrote: their branches do not depend on that.
 */
TAP_CASE(a_new_thread_knows_nothing_of_the_old_one)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	for (int i = 0; i < 100; i++)
		fprintf(out, "main fork a%d\na%d begin\nmain join a%d\n", i, i, i);
	fputs("t1 acquire l\nt1 write x 1\nt1 release l\n", out);
	fputs("main fork t2\nt2 acquire l\nt2 read x 1\nt2 release l\nmain join t2\n", out);
	for (int i = 0; i < 100; i++)
		fprintf(out, "main fork b%d\nb%d branch\nb%d write x 1\n", i, i, i);
	fclose(out);
	check_text(0, text);
}

/* All others are long past the write when a thread starts that nobody forks. */
TAP_CASE(a_thread_that_starts_late)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	fputs("t1 write x 1\n", out);
	for (int i = 0; i < 80000; i++)
		fprintf(out, "t%d %s l\n", 1 + i / 2 % 2, i % 2 ? "release" : "acquire");
	fputs("t2 read x 1\nt3 read x 1\n", out);
	fclose(out);
	for (uint64_t seed = 0; seed < 2; seed++)
		check_text(seed, strdup(text));
	free(text);
}

/*
 * Readers that share a lock do not stand for each other, but for what went before them; whoever
 * writes after them learns from each.
 */
TAP_CASE(readers_that_share_a_lock)
{
	static const char text[] = "init x 0\n"
				   "t0 write y0 1\nt0 acquire l\nt0 read x 0\nt0 release l\n"
				   "t1 write y1 1\nt1 acquire-shared l\nt1 read x 0\n"
				   "t2 write y2 1\nt2 acquire-shared l\nt2 read x 0\n"
				   "t2 release-shared l\nt1 release-shared l\n"
				   "t3 acquire l\nt3 read x 0\nt3 release l\n"
				   "t3 acquire l\nt3 write x 1\nt3 release l\n"
				   "t3 read y0 1\nt3 read y1 1\nt3 read y2 1\n";

	for (uint64_t seed = 0; seed < 4; seed++)
		check_text(seed, strdup(text));
}

/*
 * The first class has had a race with each of thousands. Those that came late have no place in the
 * square of closed pairs, and are not to be taken for others: the last race is with one of them.
 */
TAP_CASE(thousands_of_classes)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	for (int i = 0; i < 6000; i++)
		fprintf(out, "t1 write v%d 1 @a.c:1\nt2 write v%d 1 @b.c:%d\n", i, i, i + 1);
	fputs("t3 write x 1 @late.c:1\n", out);
	for (int i = 0; i < 20; i++) /* what is close to each other is looked at anyway */
		fprintf(out, "t2 write w%d 1 @b.c:1\n", i);
	fputs("t1 write x 1 @a.c:1\n", out);
	fclose(out);
	check_text(0, text);
}

TAP_CASE(many_threads_at_a_time)
{
	check_text(0, group_trace_make(4, 2, TAP_PART(800)));
}

/* Sets of locks */

/* As text, since exact pairs need an index. */
static char *nested_text(const struct nested_locks_shape *shape)
{
	struct nested_locks *n = nested_locks_new(shape);
	const struct symbols *symbols = nested_locks_symbols(n);
	struct batch batch;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	while (nested_locks_next(n, &batch))
		for (size_t i = 0; i < batch.n; i++) {
			const struct event *e = &batch.at[i];

			fprintf(out, "t%u %s %c%u", e->thread, event_kind_text[e->kind],
				event_is(e, EV_ACCESS) ? 'v' : 'l', e->object);
			if (event_is(e, EV_ACCESS))
				fprintf(out, " %lld", (long long)e->value);
			if (e->location)
				fprintf(out, " @%s", intern_text(&symbols->locations, e->location));
			fputc('\n', out);
		}
	nested_locks_free(n);
	fclose(out);
	return text;
}

/* Few sites, and more sets of locks than they have classes. */
TAP_CASE(many_sets_of_locks)
{
	for (uint64_t seed = 0; seed < TAP_PART(400); seed++) {
		struct nested_locks_shape shape = {
			.events = 100 + seed % 151,
			.threads = 2 + (uint32_t)(seed % 3),
			.variables = seed % 7 ? 8 : 80,
			.locks = seed % 7 ? 4 + (uint32_t)(seed % 5) : 80,
			.nested = 1 + (uint32_t)(seed % 4),
			.reads = 30,
			.writes = 30,
			.locations = seed % 3 ? 3 : 0,
			.guarded = seed % 2,
			.seed = seed,
		};

		check_text(seed, nested_text(&shape));
	}
}

/*
 * An access under two locks alone, then many under others, of which each set has one of a few hubs;
 * and at last one under all hubs, which races with the first alone.
 */
static char *hubs_text(uint32_t hubs, uint32_t leaves)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	for (uint32_t i = 0; i < 5 * hubs * leaves; i++) {
		uint32_t lock = i == 5 ? hubs : i % hubs, leaf = hubs + 1 + i / hubs % leaves;

		fprintf(out, "t1 acquire l%u\nt1 acquire l%u\nt1 write x 1 @a.c:1\n", lock, leaf);
		fprintf(out, "t1 release l%u\nt1 release l%u\n", leaf, lock);
	}
	for (uint32_t i = 0; i < hubs; i++)
		fprintf(out, "t2 acquire l%u\n", i);
	fputs("t2 write x 1 @b.c:1\n", out);
	for (uint32_t i = 0; i < hubs; i++)
		fprintf(out, "t2 release l%u\n", i);
	fclose(out);
	return text;
}

TAP_CASE(a_set_that_no_others_stand_for)
{
	for (uint32_t hubs = 2; hubs <= 8; hubs++)
		for (uint32_t leaves = 10; leaves <= 80; leaves += 35)
			check_text(leaves, hubs_text(hubs, leaves));
}

/* Whoever holds so many locks may be said to race with what others stand for. */
TAP_CASE(an_access_under_very_many_locks)
{
	char *text = hubs_text(9, 20);
	const struct order_kind *quick = order_by_name("quick");
	struct order_report report = {0};
	struct err err = {0};
	struct reader *r = reader_open_memory(text, strlen(text), "test", "text", &err);

	ASSERT_EQ(order_stream(r, &quick, 1, &no_limits, &report, &err), 0);
	ASSERT_EQ(report.signatures.n, 1);
	ASSERT_CONTAINS(report.forgot, "sets of locks");
	order_report_release(&report);
	reader_close(r);
	free(text);
}

/* Windows */

TAP_CASE(cp_by_windows)
{
	static const int cp = NAIVE_CP;

	for (uint64_t seed = 0; seed < TAP_PART(500); seed++) {
		char *text = section_trace_make(seed, 100);
		const struct order_limits windows = {.window = 1 + seed % 50};
		const struct input_text in = {text, strlen(text), "text"};

		tap_at("seed %llu:\n%s", (unsigned long long)seed, text);
		struct expected x = expected_of(text);
		const struct order_limits exact = {.window = x.index->count};

		check_stream(&x, &in, &cp, 1, &windows, ANYTHING);
		check_stream(&x, &in, &cp, 1, &exact, THE_SAME);
		expected_release(&x);
		free(text);
	}
}

/* Errors */

TAP_CASE(a_trace_that_cannot_be_read)
{
	static const char text[] = "t1 write x 1\nt2 read x 1\nt2 nonsense x\n";
	const struct order_kind *kinds[2] = {order_by_name("hb"), order_by_name("wdp")};
	struct order_report reports[2] = {0};
	struct err err = {0};

	for (size_t n = 1; n <= 2; n++) {
		struct reader *r = reader_open_memory(text, strlen(text), "bad", "text", &err);

		ASSERT_EQ(order_stream(r, kinds, n, &no_limits, reports, &err), ERR_INPUT);
		ASSERT_CONTAINS(err.message, "bad:3");
		reader_close(r);
	}
}
