/* SPDX-License-Identifier: MIT */
#include "predict/search.h"

#include "base/seconds.h"
#include "predict/tune.h"

#include <stdio.h>
#include <string.h>

#define SECONDS_LEAST 1e-3 /* for an engine that is asked just before the end */

struct searcher {
	const struct candidates *candidates;
	const struct predict_options *options;
	struct engine *engines[TIERS_MAX];
	uint32_t engine_count;
	uint32_t first; /* that searches: one before it sifts alone */
	bool sifts;	/* now */
};

static bool add_engine(struct searcher *s, const struct engine_kind *kind, struct err *err)
{
	const struct predict_options *o = s->options;
	struct engine_options options = {
		.model = o->model,
		.budget = o->budget,
		.cone = o->cone,
		/* an engine by its name starts what it likes */
		.command = engine_by_name(o->solver) ? NULL : o->solver,
		.dump = o->dump,
		.deadline = o->deadline,
		.plain = !candidates_have_work(s->candidates),
	};
	struct engine *e = engine_start(kind, s->candidates->index, &options, err);

	if (e)
		s->engines[s->engine_count++] = e;
	return e;
}

struct searcher *searcher_new(const struct candidates *candidates,
			      const struct predict_options *options, bool sift, struct err *err)
{
	struct searcher *s = mem_alloc_zero(1, sizeof(*s));
	const struct engine_kind *named = engine_by_name(options->solver);
	const struct engine_kind *solver = named ? named : engine_by_name("smt");
	bool good = true;

	s->candidates = candidates;
	s->options = options;
	if (!options->no_greedy || sift)
		good = add_engine(s, &engine_greedy, err);
	s->first = options->no_greedy && sift;
	good = good && add_engine(s, solver, err);
	if (options->properties)
		good = good && add_engine(s, &engine_monitor, err);
	if (good)
		return s;
	searcher_free(s);
	return NULL;
}

void searcher_free(struct searcher *s)
{
	for (uint32_t i = 0; s && i < s->engine_count; i++)
		engine_finish(s->engines[i]);
	mem_free(s);
}

#define NOT_ASKED ANSWER_COUNT

/* One candidate under way. */
struct attempt {
	struct searcher *s;
	struct search_result *result;
	enum bug_kind bug;
	const struct property *property; /* or NULL */
	const struct instances *instances;
	enum answer *answers; /* of each instance, so far; or NOT_ASKED */
	double deadline;      /* by seconds_spent(); 0: none */
};

static bool is_stopped(const struct attempt *a)
{
	const volatile bool *stop = a->s->options->budget.stop;

	return stop && *stop;
}

static bool is_past(double deadline)
{
	return deadline > 0 && seconds_spent() >= deadline;
}

static bool is_over(const struct attempt *a)
{
	return is_stopped(a) || is_past(a->deadline);
}

static void add_effort(struct engine_effort *sum, const struct engine_effort *effort)
{
	sum->decisions += effort->decisions;
	sum->conflicts += effort->conflicts;
	if (effort->cone > sum->cone)
		sum->cone = effort->cone;
}

/* Asks one engine about an instance; true: it is proved. */
static bool ask(struct attempt *a, uint32_t tier, size_t number)
{
	struct engine *e = a->s->engines[tier];
	struct tier *t = &a->result->tiers[tier];
	const struct instance *instance = &a->instances->at.at[number];
	struct query q = {a->bug, instance->count, a->instances->events.at + instance->first};
	double start = seconds_spent();

	/* more than 0, which would be no limit */
	if (a->deadline > 0)
		e->options.budget.seconds =
			a->deadline > start + SECONDS_LEAST ? a->deadline - start : SECONDS_LEAST;
	e->options.monitor = a->property ? a->property->monitor : NULL;
	a->answers[number] = engine_ask(e, &q, &a->result->witness);
	t->seconds += seconds_spent() - start;
	add_effort(&a->result->efforts[tier], &e->effort);
	t->asked++;
	switch (a->answers[number]) {
	case PROVED:
		t->proved++;
		a->result->tier = tier;
		a->result->answer = PROVED;
		return true;
	case REFUTED: t->refuted++; break;
	default:
		t->undecided++;
		snprintf(a->result->why, sizeof(a->result->why), "%.150s",
			 e->why.message[0] ? e->why.message : "no engine could decide");
		a->result->wrong_script |= e->why.code == ERR_INPUT;
		snprintf(a->result->gave_up[tier], sizeof(a->result->gave_up[tier]), "%s",
			 a->result->why);
	}
	return false;
}

/* One engine on all instances that are not decided, or the first ones, until the deadline. */
static bool ask_tier(struct attempt *a, uint32_t tier, double deadline, size_t most)
{
	if (!(a->s->engines[tier]->kind->bugs & BUG_BIT(a->bug)))
		return false;
	for (size_t i = 0; i < a->instances->at.n && i < most; i++) {
		if (is_over(a) || is_past(deadline))
			return false;
		if ((a->answers[i] == UNDECIDED || a->answers[i] == NOT_ASKED) && ask(a, tier, i))
			return true;
		/* that is enough for the candidate to be searched */
		if (a->s->sifts && a->answers[i] != REFUTED)
			return false;
	}
	return false;
}

static void conclude(struct attempt *a)
{
	struct search_result *r = a->result;
	size_t refuted = 0, undecided = 0, n = a->instances->at.n;

	for (size_t i = 0; i < n; i++) {
		refuted += a->answers[i] == REFUTED;
		undecided += a->answers[i] == UNDECIDED;
	}
	r->answer = refuted == n && a->instances->all ? REFUTED : UNDECIDED;
	if (r->answer == REFUTED)
		return;
	if (is_stopped(a) && a->s->options->deadline > 0 &&
	    seconds_now() >= a->s->options->deadline)
		snprintf(r->why, sizeof(r->why), "the time for the prediction was used up");
	else if (is_stopped(a))
		snprintf(r->why, sizeof(r->why), "Norn was stopped"); /* whatever engines say */
	else if (!undecided && refuted)
		snprintf(r->why, sizeof(r->why), "some %ss are refuted, but there are more",
			 predict_kind_of(a->bug)->instance);
	else if (!r->why[0])
		snprintf(r->why, sizeof(r->why), "the time limit was reached");
}

/*
 * Of many instances most are refuted at once, and some take long: the first ones are looked at, and
 * of the others those that are easily refuted, before any of the rest uses up the time. True: one
 * is proved.
 */
static bool sift_instances(struct attempt *a, double deadline)
{
	struct engine_options *options = &a->s->engines[0]->options;

	if (a->s->engine_count < 2 || a->s->options->no_greedy ||
	    a->instances->at.n <= predict_tune.first_instances)
		return false;
	if (ask_tier(a, 0, deadline, predict_tune.first_instances))
		return true;
	options->refute_only = true;
	ask_tier(a, 0, deadline, SIZE_MAX);
	options->refute_only = false;
	return false;
}

static void ask_all(struct attempt *a)
{
	double now = seconds_spent();
	double share = a->deadline > 0 ? now + (a->deadline - now) / predict_tune.first_share : 0;

	for (size_t i = 0; i < a->instances->at.n; i++)
		a->answers[i] = NOT_ASKED;
	if (a->s->sifts) {
		ask_tier(a, 0, 0, SIZE_MAX);
		conclude(a);
		return;
	}
	if (sift_instances(a, share))
		return;
	for (uint32_t tier = a->s->first; tier < a->s->engine_count; tier++)
		if (ask_tier(a, tier, tier + 1 < a->s->engine_count ? share : 0, SIZE_MAX))
			return;
	conclude(a);
}

/* The closest instance, or what stands for it. */
static struct event_set closest_of(const struct candidate *candidate, const struct instances *all)
{
	struct event_set set = {0};

	if (!all->at.n)
		return candidate->first;
	for (uint32_t i = 0; i < all->at.at[0].count && i < EVENT_SET_MAX; i++)
		set.at[set.count++] = all->events.at[all->at.at[0].first + i];
	return set;
}

void search_candidate(struct searcher *s, const struct candidate *candidate,
		      struct search_result *result)
{
	struct instances instances = {0};
	struct attempt a = {.s = s,
			    .result = result,
			    .bug = candidate_bug(s->candidates, candidate),
			    .property = candidate_property(s->candidates, candidate),
			    .instances = &instances};
	double seconds = s->options->budget.seconds;

	memset(result, 0, sizeof(*result));
	result->tier_count = s->engine_count;
	for (uint32_t i = 0; i < s->engine_count; i++) {
		result->tiers[i].engine = s->engines[i]->kind->name;
		engine_forget(s->engines[i]);
	}
	candidates_list(s->candidates, candidate, predict_tune.instances, &instances);
	a.deadline = seconds > 0 ? seconds_spent() + seconds : 0;
	a.answers = mem_alloc_zero(instances.at.n + 1, sizeof(*a.answers));
	result->closest = closest_of(candidate, &instances);
	ask_all(&a);
	mem_free(a.answers);
	instances_release(&instances);
}

void search_sift(struct searcher *s, const struct candidate *candidate,
		 struct search_result *result)
{
	struct engine_options *options = &s->engines[0]->options;

	s->sifts = options->refute_only = true;
	search_candidate(s, candidate, result);
	s->sifts = options->refute_only = false;
}

void search_result_release(struct search_result *r)
{
	witness_release(&r->witness);
	packed_release(&r->run);
	packed_release(&r->rest);
}

void search_result_disown(struct search_result *r)
{
	memset(&r->witness, 0, sizeof(r->witness));
	r->run = r->rest = (struct packed){0};
}
