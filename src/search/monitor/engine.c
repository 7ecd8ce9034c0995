/* The engine for properties (doc/model.md): is there an execution that the monitor finds bad? */
#include "search/monitor/product.h"

static struct engine *start_monitor(const struct index *index, const struct engine_options *options,
				    struct err *err)
{
	(void)index, (void)options, (void)err;
	return mem_alloc_zero(1, sizeof(struct engine));
}

static enum answer ask_monitor(struct engine *e, const struct query *q, struct witness *w)
{
	(void)q;
	const struct product_options options = {.budget = e->options.budget};

	if (e->options.refute_only) {
		err_set(&e->why, ERR_LIMIT, "nothing is looked for");
		return UNDECIDED;
	}
	return product_search(e->index, e->options.model, e->options.monitor, &options, w, &e->why);
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
