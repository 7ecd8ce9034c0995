/* SPDX-License-Identifier: MIT */
/*
 * The same queries, on dense random traces, to our solver and to general ones: how long each
 * takes, and whether they agree. A query that is not answered within the limit counts with the
 * time that it took, by the clock, as the limits are. Other times are of the processor, since
 * machines are busy.
 */
#include "order/order.h"
#include "search/engine.h"
#include "support/dense.h"
#include "support/measure.h"
#include "support/random.h"
#include "support/traces.h"
#include "witness/certify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OURS "solver"

struct contender {
	const char *name, *title, *command;
	double limit;			  /* seconds a query */
	uint32_t events_max, threads_max; /* larger traces are not tried */
};

/* The first is ours, and the others are compared with it. */
static const struct contender contenders[] = {
	{OURS, "norn", NULL, 10, UINT32_MAX, UINT32_MAX},
	{"z3", "z3", NULL, 10, UINT32_MAX, UINT32_MAX},
	{"smt", "cvc5", "cvc5 --lang smt2", 10, UINT32_MAX, UINT32_MAX},
	{"explore", "explorer", NULL, 0, 80, 4},
};

#define CONTENDERS (sizeof(contenders) / sizeof(*contenders))

struct score {
	uint32_t asked;
	uint32_t answers[ANSWER_COUNT];
	double seconds, worst;
	double clock; /* the same by the clock, for the limit of a row */
	double ours;  /* of our solver, on the queries that this one was asked */
	/* Of those that this one or ours could answer: where both give up, the limit is compared.
	 */
	uint32_t decided;
	double decided_seconds, decided_ours;
};

struct row {
	struct dense size;
	uint32_t traces, queries; /* queries a trace */
	double seconds;		  /* in which a contender may begin queries; ours ends the row */
	enum model model;
	struct score scores[CONTENDERS];
	uint32_t disagreements;
};

struct trace {
	struct bytes text;
	struct index *index;
	struct engine *engines[CONTENDERS]; /* NULL: not installed, or not for this one */
};

static void open_trace(struct trace *t, const struct row *row, uint64_t seed)
{
	struct dense d = row->size;
	struct memory_output memory;
	struct err err = {0};

	d.seed = seed;
	if (dense_write(&d, memory_output_open(&memory), "text", &err) < 0)
		measure_stop(&err);
	t->text = memory_output_take(&memory);
	struct reader *r = reader_open_memory(t->text.at, t->text.n, "dense", "text", &err);

	t->index = r ? index_new(r, &err) : NULL;
	if (!t->index)
		measure_stop(&err);
}

/* What an engine does once for a trace counts as well. */
static void start_engines(struct trace *t, struct row *row)
{
	for (size_t i = 0; i < CONTENDERS; i++) {
		const struct contender *c = &contenders[i];
		const struct engine_kind *kind = engine_by_name(c->name);
		struct engine_options options = {.model = row->model,
						 .budget = {c->limit, (uint64_t)4 << 30, NULL},
						 .command = c->command};
		struct err err = {0};
		double start = measure_processor();

		t->engines[i] = kind && row->size.events <= c->events_max &&
						row->size.threads <= c->threads_max
					? engine_start(kind, t->index, &options, &err)
					: NULL;
		row->scores[i].seconds += measure_processor() - start;
		for (size_t k = 0; i == 0 && k < CONTENDERS; k++)
			row->scores[k].ours += measure_processor() - start;
	}
}

static void close_trace(struct trace *t)
{
	for (size_t i = 0; i < CONTENDERS; i++)
		engine_finish(t->engines[i]);
	index_free(t->index);
	bytes_release(&t->text);
}

static bool is_certified(const struct trace *t, const struct witness *w)
{
	struct err err = {0};
	struct reader *r = reader_open_memory(t->text.at, t->text.n, "dense", "text", &err);
	bool good = r && certify(r, w, &err) == 1;

	if (!good)
		fprintf(stderr, "bench: %s\n", err.message);
	if (r)
		reader_close(r);
	return good;
}

static void ask_all(struct trace *t, struct row *row, const uint32_t pair[2])
{
	struct query q = {BUG_RACE, 2, pair};
	enum answer seen = UNDECIDED, our_answer = UNDECIDED;
	double ours = 0;

	for (size_t i = 0; i < CONTENDERS; i++) {
		struct score *score = &row->scores[i];
		struct witness w;

		if (!t->engines[i] || score->clock > row->seconds)
			continue;
		double start = measure_processor(), clock = measure_now();
		enum answer answer = engine_ask(t->engines[i], &q, &w);
		double spent = measure_processor() - start;
		double by_clock = measure_now() - clock;

		/* the limit is by the clock; and of a solver that was killed nothing is known */
		if (answer == UNDECIDED && by_clock > spent)
			spent = by_clock;

		if (i == 0) {
			ours = spent;
			our_answer = answer;
		}
		if (answer != UNDECIDED || our_answer != UNDECIDED) {
			score->decided++;
			score->decided_seconds += spent;
			score->decided_ours += ours;
		}
		score->asked++;
		score->answers[answer]++;
		score->seconds += spent;
		score->clock += by_clock;
		score->ours += ours;
		if (spent > score->worst)
			score->worst = spent;
		if (answer == PROVED && !is_certified(t, &w))
			row->disagreements++;
		if (answer != UNDECIDED && seen != UNDECIDED && answer != seen) {
			row->disagreements++;
			fprintf(stderr, "bench: seed of %u events, %u-%u: %s says %s\n",
				row->size.events, pair[0], pair[1], contenders[i].title,
				engine_answer_text[answer]);
		}
		if (answer != UNDECIDED)
			seen = answer;
		witness_release(&w);
	}
}

static int compare_pairs(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct order_pair));
}

/* Pairs that no lock and no fork forbids, but which the recorded order of sections hides. */
static void find_hidden(const struct index *index, struct order_pairs *hidden)
{
	struct order_pairs hb = {0};
	struct err err = {0};
	size_t n = 0;

	if (order_pairs(order_by_name("quick"), index, 0, hidden, &err) < 0 ||
	    order_pairs(order_by_name("hb"), index, 0, &hb, &err) < 0)
		measure_stop(&err);
	qsort(hb.pairs.at, hb.pairs.n, sizeof(*hb.pairs.at), compare_pairs);
	for (size_t i = 0; i < hidden->pairs.n; i++)
		if (!bsearch(&hidden->pairs.at[i], hb.pairs.at, hb.pairs.n, sizeof(*hb.pairs.at),
			     compare_pairs))
			hidden->pairs.at[n++] = hidden->pairs.at[i];
	hidden->pairs.n = n;
	vec_release(&hb.pairs);
}

/* Any pair; or the closest of a few, since most are far apart and then seldom races. */
static size_t pick(const struct order_pairs *from, struct random *r, bool close)
{
	size_t best = random_next(r) % from->pairs.n;

	for (int i = 0; close && i < 20; i++) {
		size_t k = random_next(r) % from->pairs.n;
		const struct order_pair *a = &from->pairs.at[best], *b = &from->pairs.at[k];

		if (b->b - b->a < a->b - a->a)
			best = k;
	}
	return best;
}

static void ask_about(struct trace *t, struct row *row, uint64_t seed)
{
	struct random r = random_seeded(seed);
	struct order_pairs hidden = {0};

	find_hidden(t->index, &hidden);
	for (uint32_t i = 0; i < row->queries && hidden.pairs.n; i++) {
		if (row->scores[0].clock > row->seconds)
			break;
		size_t k = pick(&hidden, &r, i % 2);
		uint32_t pair[2] = {hidden.pairs.at[k].a, hidden.pairs.at[k].b};

		hidden.pairs.at[k] = hidden.pairs.at[--hidden.pairs.n];
		ask_all(t, row, pair);
	}
	vec_release(&hidden.pairs);
}

static void print_row(const struct row *row)
{
	for (size_t i = 0; i < CONTENDERS; i++) {
		const struct score *s = &row->scores[i];

		if (!s->asked)
			continue;
		printf("| %6u | %7u | %-8s | %7u | %6u | %7u | %9u | %8.3f | %8.4f |",
		       row->size.events, row->size.threads, contenders[i].title, s->asked,
		       s->answers[PROVED], s->answers[REFUTED], s->answers[UNDECIDED], s->seconds,
		       s->worst);
		if (i && row->scores[0].asked)
			printf(" %7.1f |\n", s->seconds / s->ours);
		else
			printf(" %7s |\n", "");
	}
	fflush(stdout);
}

static void run_row(struct row *row)
{
	for (uint64_t seed = 1; seed <= row->traces; seed++) {
		struct trace t = {0};

		open_trace(&t, row, seed);
		start_engines(&t, row);
		ask_about(&t, row, seed);
		close_trace(&t);
	}
	print_row(row);
}

static void add_score(struct score *sum, const struct score *s)
{
	sum->asked += s->asked;
	sum->seconds += s->seconds;
	sum->ours += s->ours;
	sum->decided += s->decided;
	sum->decided_seconds += s->decided_seconds;
	sum->decided_ours += s->decided_ours;
	sum->answers[UNDECIDED] += s->answers[UNDECIDED];
	if (s->worst > sum->worst)
		sum->worst = s->worst;
}

static void print_goals(const struct score *sums, double worst_1000, uint32_t disagreements)
{
	for (size_t i = 1; i < CONTENDERS && sums[0].asked; i++) {
		const struct score *s = &sums[i];

		if (!s->asked)
			continue;
		printf("%s took %.1f times as long as norn, in total, on %u queries%s\n",
		       contenders[i].title, s->seconds / s->ours, s->asked,
		       i == 1 ? " (goal: at least 20)" : "");
		if (s->decided < s->asked)
			printf("\t%.1f times on the %u that either could answer\n",
			       s->decided_seconds / s->decided_ours, s->decided);
	}
	if (sums[0].asked)
		printf("norn: %u of %u queries undecided after 10 s; the worst of up to 1,000 "
		       "events: %.3f s (goal: at most 1)\n",
		       sums[0].answers[UNDECIDED], sums[0].asked, worst_1000);
	printf("answers that disagree, or witnesses that are rejected: %u\n", disagreements);
}

/* One table, of one model. */
static void run_table(enum model model, uint32_t most, uint32_t queries, double seconds)
{
	static const uint32_t sizes[] = {80, 200, 500, 1000, 2000};
	struct score sums[CONTENDERS] = {0};
	double worst_1000 = 0;
	uint32_t disagreements = 0;

	printf("Solvers, model %s: %u queries on each of 3 dense random traces of a size; at most "
	       "10 s a\nquery, and no new one for an engine that has taken %.0f s in a row of the "
	       "table; seconds are of\nthe processor, or, of what is undecided, by the clock.\n\n",
	       model_text[model], queries, seconds);
	printf("| events | threads | engine   | queries | proved | refuted | undecided |  seconds |"
	       "    worst | x norn  |\n"
	       "| ------ | ------- | -------- | ------- | ------ | ------- | --------- | -------- |"
	       " -------- | ------- |\n");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes) && sizes[i] <= most; i++) {
		for (uint32_t threads = 4; threads <= 8; threads += 4) {
			struct row row = {.size = {sizes[i], threads, 0},
					  .traces = 3,
					  .queries = queries,
					  .seconds = seconds,
					  .model = model};

			run_row(&row);
			for (size_t k = 0; k < CONTENDERS; k++)
				add_score(&sums[k], &row.scores[k]);
			if (sizes[i] <= 1000 && row.scores[0].worst > worst_1000)
				worst_1000 = row.scores[0].worst;
			disagreements += row.disagreements;
		}
	}
	printf("\n");
	print_goals(sums, worst_1000, disagreements);
}

/* maximal is what other predictors ask their solvers; values is harder, and what we ask. */
int main(int argc, char **argv)
{
	uint32_t most = argc > 1 ? (uint32_t)atoi(argv[1]) : 2000;
	uint32_t queries = argc > 2 ? (uint32_t)atoi(argv[2]) : 20;
	double seconds = argc > 3 ? atof(argv[3]) : 60;

	run_table(MODEL_MAXIMAL, most, queries, seconds);
	printf("\n");
	run_table(MODEL_VALUES, most, queries, seconds);
	return 0;
}
