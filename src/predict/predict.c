#include "predict/predict.h"

#include "base/seconds.h"
#include "predict/workers.h"

#include <stdlib.h>
#include <string.h>

struct pipeline {
	const struct predict_options *options;
	struct prediction *result;
	struct candidates candidates;
	bool *done;
	uint64_t done_count, proved;
};

static void add_tiers(struct prediction *p, const struct search_result *r)
{
	if (r->tier_count > p->tier_count)
		p->tier_count = r->tier_count;
	for (uint32_t i = 0; i < r->tier_count; i++) {
		struct tier *t = &p->tiers[i];

		t->engine = r->tiers[i].engine;
		t->asked += r->tiers[i].asked;
		t->proved += r->tiers[i].proved;
		t->refuted += r->tiers[i].refuted;
		t->undecided += r->tiers[i].undecided;
		t->seconds += r->tiers[i].seconds;
	}
}

static void add_undecided(struct prediction *p, uint64_t a, uint64_t b, const char *why)
{
	struct undecided u = {.a = a, .b = b};

	memcpy(u.why, why, sizeof(u.why));
	u.why[sizeof(u.why) - 1] = '\0';
	vec_push(&p->undecided, u);
}

static void take_result(void *context, size_t candidate, struct search_result *r)
{
	struct pipeline *l = context;
	struct prediction *p = l->result;

	/* whose worker died just behind its result */
	if (l->done[candidate])
		return;
	l->done[candidate] = true;
	l->done_count++;
	add_tiers(p, r);
	if (r->answer == PROVED) {
		struct finding f = {
			.witness = r->witness,
			.run = r->run,
			.rest = r->rest,
			.engine = r->tiers[r->tier].engine,
			.pairs = l->candidates.all.at[candidate].pairs,
		};

		search_result_disown(r);
		vec_push(&p->findings, f);
		l->proved++;
	} else if (r->answer == REFUTED) {
		p->refuted++;
	} else {
		add_undecided(p, r->a, r->b, r->why);
	}
	if (l->options->progress)
		l->options->progress(l->options->context, l->done_count, l->candidates.all.n,
				     l->proved);
}

/* Signatures that may race. Only for model predictable is there an order that prunes rightly. */
static int nominate(struct pipeline *l, const struct index *index, struct err *err)
{
	const struct predict_options *o = l->options;
	const struct order_kind *kinds[2] = {order_by_name("quick"), order_by_name("wdp")};
	struct order_limits limits = {.bytes = o->order_bytes};
	struct order_report reports[2];
	size_t n = o->model == MODEL_PREDICTABLE ? 2 : 1;
	struct reader *r = o->open(o->context, err);

	if (!r)
		return err->code;
	int code = orders_stream(r, kinds, n, &limits, reports, err);

	reader_close(r);
	if (code < 0)
		return code;
	candidates_init(&l->candidates, index, &reports[0], n == 2 ? &reports[1] : NULL);
	for (size_t i = 0; i < n; i++)
		order_report_release(&reports[i]);
	return 0;
}

static int compare_findings(const void *a, const void *b)
{
	const uint64_t *x = ((const struct finding *)a)->witness.bug_events.at;
	const uint64_t *y = ((const struct finding *)b)->witness.bug_events.at;

	if (x[0] != y[0])
		return x[0] < y[0] ? -1 : 1;
	return x[1] < y[1] ? -1 : x[1] > y[1];
}

static int compare_undecided(const void *a, const void *b)
{
	const struct undecided *x = a, *y = b;

	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return x->b < y->b ? -1 : x->b > y->b;
}

/* What was pruned is refuted; what nobody came to is not counted, and so known to be left. */
static void count_rest(struct pipeline *l)
{
	struct prediction *p = l->result;
	const volatile bool *stop = l->options->budget.stop;

	p->interrupted = stop && *stop && p->undecided.n;
	for (size_t i = 0; i < l->candidates.all.n; i++) {
		if (l->candidates.all.at[i].pruned)
			p->refuted++;
		else if (!l->done[i])
			p->interrupted = true;
	}
	if (p->findings.n)
		qsort(p->findings.at, p->findings.n, sizeof(*p->findings.at), compare_findings);
	if (p->undecided.n)
		qsort(p->undecided.at, p->undecided.n, sizeof(*p->undecided.at), compare_undecided);
}

int predict(const struct index *index, const struct predict_options *options,
	    struct prediction *result, struct err *err)
{
	struct pipeline l = {.options = options, .result = result};
	double start = seconds_now();

	memset(result, 0, sizeof(*result));
	result->index = index;
	result->model = options->model;
	if (nominate(&l, index, err) < 0)
		return err->code;
	struct work work = {&l.candidates, options, options->budget.stop, take_result, &l};

	result->signatures = l.candidates.all.n;
	l.done = mem_alloc_zero(l.candidates.all.n + 1, sizeof(*l.done));
	int code = workers_run(&work, err);

	if (code < 0)
		prediction_release(result);
	else
		count_rest(&l);
	mem_free(l.done);
	candidates_release(&l.candidates);
	result->seconds = seconds_now() - start;
	return code;
}

void prediction_release(struct prediction *p)
{
	for (size_t i = 0; i < p->findings.n; i++) {
		witness_release(&p->findings.at[i].witness);
		packed_release(&p->findings.at[i].run);
		packed_release(&p->findings.at[i].rest);
	}
	vec_release(&p->findings);
	vec_release(&p->undecided);
}

void finding_open(struct finding *f)
{
	struct witness *w = &f->witness;

	if (f->run.count) {
		vec_reserve(&w->run, f->run.count);
		w->run.n = f->run.count;
		packed_read(&f->run, w->run.at);
	}
	if (f->rest.count) {
		vec_reserve(&w->rest, f->rest.count);
		w->rest.n = f->rest.count;
		packed_read(&f->rest, w->rest.at);
	}
}

void finding_close(struct finding *f)
{
	if (f->run.count)
		vec_release(&f->witness.run);
	if (f->rest.count)
		vec_release(&f->witness.rest);
}
