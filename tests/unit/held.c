/*
 * What is held back by dependences that a trace does not tell of: on random traces, exactly the
 * races that the exhaustive engine finds without them and not with them; and of each somebody is
 * to blame.
 */
#include "model/optimistic.h"
#include "model/sites.h"
#include "predict/predict.h"
#include "search/run.h"
#include "tests/support/explored.h"
#include "tests/support/random_trace.h"
#include "tests/support/tap.h"

#include <stdlib.h>
#include <string.h>

#define TRACES TAP_PART(600)

static struct reader *open_text(void *context, struct err *err)
{
	return reader_open_memory(context, strlen(context), "test", "text", err);
}

/* Races of a result, by signature. */
struct signatures {
	const struct index *index;
	struct sites sites;
	VEC(uint64_t) all;
};

static uint64_t signature_of(struct signatures *s, const struct witness *w)
{
	uint64_t a = sites_add(&s->sites, &s->index->events[w->bug_events.at[0]]);
	uint64_t b = sites_add(&s->sites, &s->index->events[w->bug_events.at[1]]);

	return a < b ? a << 32 | b : b << 32 | a;
}

static bool has(struct signatures *s, const struct witness *w)
{
	uint64_t wanted = signature_of(s, w);

	for (size_t i = 0; i < s->all.n; i++)
		if (s->all.at[i] == wanted)
			return true;
	return false;
}

static struct signatures signatures_of(const struct index *index, enum model model)
{
	struct explore_result r = explored(index, model);
	struct signatures s = {.index = index};

	for (size_t i = 0; i < r.races.n; i++)
		if (!has(&s, &r.races.at[i].witness))
			vec_push(&s.all, signature_of(&s, &r.races.at[i].witness));
	explore_result_release(&r);
	return s;
}

static void signatures_release(struct signatures *s)
{
	sites_release(&s->sites);
	vec_release(&s->all);
}

static uint64_t judge(const char *text, enum model model)
{
	struct index *index = index_of_text(text), *view = optimistic_new(index);
	struct signatures strict = signatures_of(index, model), loose = signatures_of(view, model);
	struct predict_options options = {.model = model,
					  .bugs = PREDICT_BUG(BUG_RACE),
					  .jobs = 1,
					  .solver = "solver",
					  .why = true,
					  .open = open_text,
					  .context = (void *)text};
	struct run *run = run_new(view, model);
	struct prediction p;
	struct err err = {0};
	uint64_t blamed = 0;

	ASSERT_EQ(predict(index, &options, &p, &err), 0);
	ASSERT_EQ(p.findings.n, strict.all.n);
	ASSERT_EQ(p.findings.n + p.held.n, loose.all.n);
	ASSERT_EQ(p.not_asked_again, 0);
	for (size_t i = 0; i < p.held.n; i++) {
		struct finding *f = &p.held.at[i];

		finding_open(f);
		ASSERT_TRUE(run_accepts(run, &f->witness));
		ASSERT_TRUE(has(&loose, &f->witness) && !has(&strict, &f->witness));
		finding_close(f);
	}
	for (size_t i = 0; i < p.why.n; i++)
		blamed += p.why.at[i].candidates;
	ASSERT_TRUE(blamed >= p.held.n);
	uint64_t held = p.held.n;

	prediction_release(&p);
	run_free(run);
	signatures_release(&strict);
	signatures_release(&loose);
	optimistic_free(view);
	index_free(index);
	return held;
}

static void judge_many(enum model model, uint64_t first)
{
	uint64_t held = 0;

	for (uint64_t seed = first; seed < first + TRACES; seed++) {
		struct random_trace knobs = random_trace_knobs(
			seed, 28, RANDOM_READS | RANDOM_EXPRS | RANDOM_AT | RANDOM_ATOMIC);
		char *text = random_trace_make(&knobs);

		held += judge(text, model);
		free(text);
	}
	ASSERT_TRUE(held >= TAP_PART(10));
}

TAP_CASE(values)
{
	judge_many(MODEL_VALUES, 1);
}

TAP_CASE(maximal)
{
	judge_many(MODEL_MAXIMAL, 10000);
}

TAP_CASE(predictable)
{
	judge_many(MODEL_PREDICTABLE, 20000);
}
