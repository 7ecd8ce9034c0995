/* SPDX-License-Identifier: MIT */
/* The engine for properties (doc/model.md): is there an execution that the monitor finds bad? */
#include "base/seconds.h"
#include "search/monitor/product.h"
#include "search/monitor/tune.h"
#include "search/monitor/words.h"

#define SECONDS_LEAST 0.001

struct monitor_engine {
	struct engine engine;
	struct engine *order; /* the solver; NULL: not asked so far */
	struct needs *needs;  /* likewise */
	struct past *past;
	struct causes *causes; /* NULL: not looked for so far, or not found: */
	bool looked;
	struct realiser *realiser;
};

static struct engine *start_monitor(const struct index *index, const struct engine_options *options,
				    struct err *err)
{
	struct monitor_engine *x = mem_alloc_zero(1, sizeof(*x));

	(void)index, (void)options, (void)err;
	return &x->engine;
}

/* The run ends there; in model said the rest begins there. */
static void cut_at(struct witness *w, size_t end)
{
	VEC(uint64_t) rest = {0};

	for (size_t i = end; w->model == MODEL_SAID && i < w->run.n; i++)
		vec_push(&rest, w->run.at[i]);
	for (size_t i = 0; i < w->rest.n; i++)
		vec_push(&rest, w->rest.at[i]);
	vec_release(&w->rest);
	w->rest.at = rest.at;
	w->rest.n = rest.n;
	w->rest.capacity = rest.capacity;
	w->run.n = end;
	w->bug_events.n = 0;
	if (end)
		vec_push(&w->bug_events, w->run.at[end - 1]);
}

/* What breaks a part may come behind what breaks another one: the run ends with the first. */
static void cut_run(struct monitor *whole, struct witness *w)
{
	uint32_t state = monitor_start(whole);
	struct err err;
	size_t i = 0;

	w->monitor = whole;
	while (i < w->run.n && state != MONITOR_BAD)
		if (monitor_after(whole, state, (uint32_t)w->run.at[i++], &state, &err) < 0)
			return;
	if (state == MONITOR_BAD)
		cut_at(w, i);
}

static enum answer ask_product(struct engine *e, struct monitor *part, uint64_t states,
			       double deadline, struct witness *w)
{
	struct product_options options = {.budget = e->options.budget, .states = states};
	double left = deadline > 0 ? deadline - seconds_spent() : 0;

	/* more than 0, which would be no limit */
	if (deadline > 0)
		options.budget.seconds = left > SECONDS_LEAST ? left : SECONDS_LEAST;
	return product_search(e->index, e->options.model, part, &options, w, &e->why);
}

static void prepare_words(struct monitor_engine *x)
{
	struct engine_options options = x->engine.options;
	struct err err;

	if (x->past)
		return;
	x->needs = needs_new(x->engine.index);
	options.monitor = NULL;
	x->past = past_new(x->engine.index, x->needs);
	x->realiser = realiser_new(
		x->engine.index, options.model,
		&(struct realise_limits){monitor_tune.realise_depth, monitor_tune.realise_steps});
	x->order = engine_start(&engine_order, x->engine.index, &options, &err);
}

/* What values and locks order takes longer to find than what is always so. */
static void prepare_causes(struct monitor_engine *x)
{
	if (!x->looked)
		x->causes = engine_causes(x->engine.index, x->needs, &x->engine.options);
	x->looked = true;
}

/* Ways to answer for a part, those that are quick first. */
enum way { WAY_STATES, WAY_TRY, WAY_GLANCE, WAY_WORDS, WAY_ALL_STATES, WAY_COUNT };

static enum answer ask_words(struct engine *e, struct monitor *part, enum way way, double deadline,
			     struct witness *w)
{
	const uint32_t asked_most[WAY_COUNT] = {
		[WAY_GLANCE] = monitor_tune.glance_asked, [WAY_WORDS] = monitor_tune.asked_most};
	struct monitor_engine *x = (struct monitor_engine *)e;
	bool glance = way == WAY_GLANCE;

	prepare_words(x);
	prepare_causes(x);
	x->order->options.monitor = part;
	x->order->options.cone = glance ? monitor_tune.glance_events : e->options.cone;
	struct words_options options = {.order = x->order,
					.realiser = x->realiser,
					.past = x->past,
					.causes = x->causes,
					.budget = e->options.budget,
					.deadline = deadline,
					.model = e->options.model,
					.glance = glance,
					.asked_most = asked_most[way]};
	enum answer answer = words_search(e->index, part, &options, w, &e->why);

	/* another cone is another formula */
	if (glance && e->index->count > monitor_tune.glance_events)
		engine_forget(x->order);
	return answer;
}

static enum answer ask_part(struct engine *e, struct monitor *part, enum way way, double deadline,
			    struct witness *w)
{
	bool small = e->index->count <= monitor_tune.product_events;
	bool by_words = e->options.model != MODEL_SAID && !monitor_minds_stuck(part);
	struct err why = e->why;
	enum answer answer = UNDECIDED;

	switch (way) {
	case WAY_STATES:
		if (small)
			answer = ask_product(e, part, monitor_tune.first_states, deadline, w);
		break;
	case WAY_TRY:
	case WAY_GLANCE:
	case WAY_WORDS:
		if (by_words)
			answer = ask_words(e, part, way, deadline, w);
		break;
	default:
		answer = ask_product(e, part, 0, deadline, w);
		if (by_words && why.message[0])
			e->why = why; /* it says more */
	}
	return answer;
}

/* One way after the other, for each part that is not decided yet. */
static enum answer ask_parts(struct engine *e, uint32_t parts, double deadline, struct witness *w)
{
	bool *refuted = mem_alloc_zero(parts, sizeof(*refuted));
	uint32_t left = parts;
	enum answer answer = UNDECIDED;

	for (int way = 0; way < WAY_COUNT && left && answer != PROVED; way++)
		for (uint32_t i = 0; i < parts && answer != PROVED; i++) {
			struct monitor *part =
				refuted[i] ? NULL : monitor_part(e->options.monitor, i, &e->why);

			if (!part || budget_ended(&e->options.budget, deadline))
				continue;
			answer = ask_part(e, part, (enum way)way, deadline, w);
			refuted[i] = answer == REFUTED;
			left -= refuted[i];
		}
	mem_free(refuted);
	return answer == PROVED ? PROVED : left ? UNDECIDED : REFUTED;
}

static enum answer ask_monitor(struct engine *e, const struct query *q, struct witness *w)
{
	double seconds = e->options.budget.seconds;
	uint32_t parts;

	(void)q;
	if (e->options.refute_only) {
		err_set(&e->why, ERR_LIMIT, "nothing is looked for");
		return UNDECIDED;
	}
	if (monitor_part_count(e->options.monitor, &parts, &e->why) < 0)
		return UNDECIDED;
	enum answer answer = ask_parts(e, parts, seconds > 0 ? seconds_spent() + seconds : 0, w);

	if (answer == PROVED)
		cut_run(e->options.monitor, w);
	else if (answer == UNDECIDED && !e->why.message[0])
		err_set(&e->why, ERR_LIMIT, "the time limit was reached");
	return answer;
}

static void finish_monitor(struct engine *e)
{
	struct monitor_engine *x = (struct monitor_engine *)e;

	engine_finish(x->order);
	past_free(x->past);
	causes_free(x->causes);
	needs_free(x->needs);
	realiser_free(x->realiser);
	mem_free(x);
}

static void forget_monitor(struct engine *e)
{
	struct monitor_engine *x = (struct monitor_engine *)e;

	if (x->order)
		engine_forget(x->order);
}

const struct engine_kind engine_monitor = {
	.name = "monitor",
	.title = "search executions with the specification beside them",
	.bugs = BUG_BIT(BUG_PROPERTY),
	.start = start_monitor,
	.ask = ask_monitor,
	.forget = forget_monitor,
	.finish = finish_monitor,
};
