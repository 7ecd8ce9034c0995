/* SPDX-License-Identifier: MIT */
#include "predict/second_look.h"

#include "base/seconds.h"
#include "model/optimistic.h"
#include "predict/blame.h"
#include "predict/tune.h"
#include "predict/workers.h"

#include <string.h>

struct looking {
	struct prediction *result;
	struct candidates candidates; /* those of the first look, on the optimistic view */
	uint64_t left;
};

static void take_result(void *context, size_t candidate, struct search_result *r, bool final)
{
	struct looking *l = context;

	(void) final;
	if (r->answer != UNDECIDED)
		l->left--;
	if (r->answer != PROVED)
		return;
	struct finding f = {
		.witness = r->witness,
		.run = r->run,
		.rest = r->rest,
		.engine = r->tiers[r->tier].engine,
		.instances = l->candidates.all.at[candidate].instances,
	};

	search_result_disown(r);
	finding_set_property(&f,
			     candidate_property(&l->candidates, &l->candidates.all.at[candidate]));
	vec_push(&l->result->held, f);
}

/* Only what was refuted is left to be searched. */
static void choose_candidates(struct looking *l, const struct candidates *c, const bool *refuted)
{
	l->candidates = *c;
	memset(&l->candidates.all, 0, sizeof(l->candidates.all));
	for (size_t i = 0; i < c->all.n; i++) {
		struct candidate again = c->all.at[i];

		again.pruned = !refuted[i];
		l->left += refuted[i];
		vec_push(&l->candidates.all, again);
	}
}

/* In mcm, every read decides all that follows; without that, the trace is as good as it is. */
static enum model model_without(enum model model)
{
	return model == MODEL_MCM ? MODEL_VALUES : model;
}

static bool may_differ(const struct index *index, enum model model)
{
	/* in said every read keeps its value, whatever depends on it */
	return model != MODEL_SAID && (model_without(model) != model || optimistic_differs(index));
}

static double seconds_for(const struct prediction *p)
{
	double share = p->seconds / predict_tune.look_share;

	return share > predict_tune.look_least ? share : predict_tune.look_least;
}

/* First all that can be told at once, then one by one what is left. */
static int look(struct looking *l, const struct predict_options *o, struct err *err)
{
	struct predict_options options = *o;
	struct work work = {.candidates = &l->candidates,
			    .options = &options,
			    .stop = o->budget.stop,
			    .deadline = seconds_now() + seconds_for(l->result),
			    .sift = true,
			    .uncertified = true,
			    .done = take_result,
			    .context = l};

	if (o->deadline > 0 && o->deadline < work.deadline)
		work.deadline = o->deadline;
	options.model = model_without(o->model);
	options.dump = NULL;
	if (!(o->budget.seconds > 0 && o->budget.seconds < predict_tune.look_each))
		options.budget.seconds = predict_tune.look_each;
	return workers_run(&work, err);
}

int second_look(struct prediction *p, const struct candidates *c, const bool *refuted,
		const struct predict_options *o, struct err *err)
{
	struct looking l = {.result = p};
	int code = 0;

	choose_candidates(&l, c, refuted);
	if (l.left && may_differ(c->index, o->model)) {
		struct index *view = optimistic_new(c->index);

		l.candidates.index = view;
		code = look(&l, o, err);
		p->not_asked_again = l.left;
		prediction_sort(p);
		candidates_merge(c, p);
		if (!code && o->why)
			blame_all(p, view);
		optimistic_free(view);
	}
	vec_release(&l.candidates.all);
	return code;
}
