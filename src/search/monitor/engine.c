/* The engine for properties (doc/model.md): is there an execution that the monitor finds bad? */
#include "base/seconds.h"
#include "search/monitor/product.h"

#include <string.h>

static struct engine *start_monitor(const struct index *index, const struct engine_options *options,
				    struct err *err)
{
	(void)index, (void)options, (void)err;
	return mem_alloc_zero(1, sizeof(struct engine));
}

/* What breaks a part may come behind what breaks another one: the run ends with the first. */
static void cut_run(struct monitor *whole, struct witness *w)
{
	uint32_t state = monitor_start(whole);
	struct err err;

	w->monitor = whole;
	for (size_t i = 0; i < w->run.n; i++) {
		if (monitor_after(whole, state, (uint32_t)w->run.at[i], &state, &err) < 0)
			return;
		if (state != MONITOR_BAD || i + 1 == w->run.n)
			continue;
		for (size_t k = w->run.n; w->model == MODEL_SAID && k-- > i + 1;) {
			/* in front of the rest */
			vec_push(&w->rest, 0);
			memmove(w->rest.at + 1, w->rest.at, (w->rest.n - 1) * sizeof(*w->rest.at));
			w->rest.at[0] = w->run.at[k];
		}
		w->run.n = i + 1;
		w->bug_events.n = 0;
		vec_push(&w->bug_events, w->run.at[i]);
	}
}

static enum answer ask_part(struct engine *e, struct monitor *part, double deadline,
			    struct witness *w)
{
	struct product_options options = {.budget = e->options.budget};

	if (deadline > 0) {
		double left = deadline - seconds_now();

		options.budget.seconds = left > 0.001 ? left : 0.001;
	}
	return product_search(e->index, e->options.model, part, &options, w, &e->why);
}

static enum answer ask_monitor(struct engine *e, const struct query *q, struct witness *w)
{
	struct monitor *whole = e->options.monitor;
	double seconds = e->options.budget.seconds;
	double deadline = seconds > 0 ? seconds_now() + seconds : 0;
	enum answer all = REFUTED;
	uint32_t parts;

	(void)q;
	if (e->options.refute_only) {
		err_set(&e->why, ERR_LIMIT, "nothing is looked for");
		return UNDECIDED;
	}
	if (monitor_part_count(whole, &parts, &e->why) < 0)
		return UNDECIDED;
	for (uint32_t i = 0; i < parts; i++) {
		struct monitor *part = monitor_part(whole, i, &e->why);
		enum answer answer = part ? ask_part(e, part, deadline, w) : UNDECIDED;

		if (answer == PROVED) {
			cut_run(whole, w);
			return PROVED;
		}
		all = answer == UNDECIDED ? UNDECIDED : all;
	}
	return all;
}

static void finish_monitor(struct engine *e)
{
	mem_free(e);
}

const struct engine_kind engine_monitor = {
	.name = "monitor",
	.title = "search executions with the specification beside them",
	.bugs = BUG_BIT(BUG_PROPERTY),
	.start = start_monitor,
	.ask = ask_monitor,
	.finish = finish_monitor,
};
