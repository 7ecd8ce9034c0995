/* SPDX-License-Identifier: MIT */
#include "search/engine.h"

#include "base/seconds.h"
#include "base/strbuf.h"
#include "model/regions.h"

#include <string.h>

const char *const engine_answer_text[ANSWER_COUNT] = {
	[UNDECIDED] = "undecided", [PROVED] = "proved", [REFUTED] = "refuted"};

/* A new engine is a new file and a row here. */
const struct engine_kind *const engine_kinds[] = {
	&engine_explore, &engine_greedy, &engine_solver, &engine_z3, &engine_smt,
};

const size_t engine_kind_count = sizeof(engine_kinds) / sizeof(*engine_kinds);

const struct engine_kind *engine_by_name(const char *name)
{
	for (size_t i = 0; i < engine_kind_count; i++)
		if (!strcmp(engine_kinds[i]->name, name))
			return engine_kinds[i];
	return NULL;
}

const char *engine_query_text(const struct query *q, char text[ENGINE_QUERY_TEXT])
{
	struct strbuf list = strbuf_of(text, ENGINE_QUERY_TEXT);

	strbuf_add(&list, "%s", bug_kind_text[q->bug]);
	for (uint32_t i = 0; i < q->count; i++)
		strbuf_add(&list, " %u", q->events[i]);
	return text;
}

struct engine *engine_start(const struct engine_kind *kind, const struct index *index,
			    const struct engine_options *options, struct err *err)
{
	struct engine *e = kind->start(index, options, err);

	if (!e)
		return NULL;
	e->kind = kind;
	e->index = index;
	e->options = *options;
	return e;
}

/* Who tries a lock does not wait for it. */
static bool all_block(const struct index *index, const struct query *q)
{
	for (uint32_t i = 0; i < q->count; i++)
		if (!event_blocks(&index->events[q->events[i]]))
			return false;
	return true;
}

static bool is_violation(const struct index *index, const struct query *q)
{
	return q->count == 3 && regions_violated(index, q->events[0], q->events[1], q->events[2]);
}

/* Can it be at all, whatever the engine? NULL: that is for the engine to say. */
static bool (*const is_possible[])(const struct index *index, const struct query *q) = {
	[BUG_RACE] = NULL,     [BUG_DEADLOCK] = all_block,     [BUG_STUCK] = NULL,
	[BUG_PROPERTY] = NULL, [BUG_ATOMICITY] = is_violation, [BUG_CHOICE] = NULL,
};
BUG_ROWS_ARE_ALL(is_possible);

enum answer engine_ask(struct engine *e, const struct query *q, struct witness *w)
{
	memset(w, 0, sizeof(*w));
	memset(&e->why, 0, sizeof(e->why));
	memset(&e->effort, 0, sizeof(e->effort));
	enum answer answer = UNDECIDED;

	if (is_possible[q->bug] && !is_possible[q->bug](e->index, q))
		answer = REFUTED;
	else if (e->kind->bugs & BUG_BIT(q->bug))
		answer = e->kind->ask(e, q, w);
	else
		err_set(&e->why, ERR_LIMIT, "engine %s does not look for that: %s", e->kind->name,
			bug_kind_text[q->bug]);
	if (answer == PROVED && (bug_facts[q->bug].everyone || bug_facts[q->bug].past))
		witness_spell(w);
	if (answer != PROVED) {
		witness_release(w);
		memset(w, 0, sizeof(*w));
	}
	return answer;
}

void engine_forget(struct engine *e)
{
	if (e->kind->forget)
		e->kind->forget(e);
}

/* Half of the time that there is, and a quarter of the memory: questions need the rest. */
struct causes *engine_causes(const struct index *index, const struct needs *needs,
			     const struct engine_options *options)
{
	double now = seconds_now();
	uint64_t used = mem_used(), most = options->budget.bytes;
	struct causes_limits limits = {
		.deadline = options->deadline > 0 ? now + (options->deadline - now) / 2 : 0,
		.bytes = !most		   ? 0
			 : most > used + 4 ? (most - used) / 4
					   : 1,
	};

	return causes_new(index, needs, &limits);
}

void engine_finish(struct engine *e)
{
	if (e)
		e->kind->finish(e);
}
