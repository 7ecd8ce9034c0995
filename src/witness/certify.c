/* SPDX-License-Identifier: MIT */
#include "witness/certify_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MARK_EVENTS (1 << 14)

int certify_reject(struct certifier *c, const char *format, ...)
{
	va_list args;

	c->err->code = ERR_INPUT;
	va_start(args, format);
	vsnprintf(c->err->message, sizeof(c->err->message), format, args);
	va_end(args);
	return 0;
}

/*
 * Model said: the run goes on until everything has happened; if a race stands at its end, by
 * the two accesses (that both are next is not enough when every read keeps its value).
 */
static int complete(struct certifier *c)
{
	const uint64_t *rest = c->witness->rest.at, *pair = c->witness->bug_events.at;

	if (c->witness->model != MODEL_SAID)
		return c->witness->rest.n ? certify_reject(c, "only model said has a rest") : 1;
	if (c->bug->adjacent &&
	    (c->witness->rest.n < 2 || !((rest[0] == pair[0] && rest[1] == pair[1]) ||
					 (rest[0] == pair[1] && rest[1] == pair[0]))))
		return certify_reject(
			c, "in model said the rest starts with the two accesses of the race");
	if (!certify_run(c, c->witness->rest.at, c->witness->rest.n))
		return 0;
	for (size_t t = 0; t < c->facts.threads.n; t++)
		if (c->threads[t].done != c->facts.threads.at[t].events)
			return certify_reject(
				c, "in model said every event happens, but %s has some left",
				name_of(c, CLASS_THREAD, (uint32_t)t));
	return 1;
}

void certify_meet_variable(struct certifier *c, uint32_t variable)
{
	struct variable_state *v = &c->variables[variable];

	*v = (struct variable_state){.judged = c->judged,
				     .value = symbols_variable(c->symbols, variable)->init,
				     .known = true,
				     .allocated = !c->facts.variables.at[variable].has_alloc};
	if (c->base)
		certify_recall_variable(c, variable, v);
}

void certify_start(struct certifier *c)
{
	const struct symbols *symbols = c->symbols;

	for (size_t i = 0; i < c->changes.n; i++)
		c->change_of[c->changes.at[i].read - c->facts.all.at] = 0;
	c->changes.n = 0;
	c->base = 0;
	c->judged++; /* variables are met as they come */
	memset(c->threads, 0, c->facts.threads.n * sizeof(*c->threads));
	memset(c->onces, 0, symbols_count(symbols, CLASS_ONCE) * sizeof(*c->onces));
	for (size_t i = 0; i < symbols_count(symbols, CLASS_LOCK); i++) {
		c->locks[i].writer = 0;
		c->locks[i].readers.n = 0;
	}
	for (size_t i = 0; i < symbols->barriers.n; i++)
		c->barriers[i].entered.n = 0;
	for (size_t i = 0; i < symbols->semaphores.n; i++)
		c->semaphores[i] = symbols->semaphores.at[i].count;
}

static struct certifier *new_certifier(struct reader *trace, const struct witness *only,
				       struct err *err)
{
	struct certifier *c = mem_alloc_zero(1, sizeof(*c));
	const struct symbols *symbols = c->symbols = reader_symbols(trace);

	if (facts_read(&c->facts, trace, only, err) < 0) {
		certifier_free(c);
		return NULL;
	}
#define NEW(array, n) (c->array = mem_alloc_zero((n) + 1, sizeof(*c->array)))
	NEW(change_of, c->facts.all.n);
	NEW(threads, c->facts.threads.n);
	NEW(variables, symbols_count(symbols, CLASS_VARIABLE));
	NEW(locks, symbols_count(symbols, CLASS_LOCK));
	NEW(barriers, symbols->barriers.n);
	NEW(onces, symbols_count(symbols, CLASS_ONCE));
	NEW(semaphores, symbols->semaphores.n);
#undef NEW
	return c;
}

struct certifier *certifier_new_marked(struct reader *trace, uint32_t every, struct err *err)
{
	struct certifier *c = new_certifier(trace, NULL, err);

	if (c && c->facts.all.n > every)
		certify_make_marks(c, every);
	return c;
}

struct certifier *certifier_new(struct reader *trace, struct err *err)
{
	return certifier_new_marked(trace, MARK_EVENTS, err);
}

void certifier_free(struct certifier *c)
{
	if (!c)
		return;
	for (size_t i = 0; c->locks && i < symbols_count(c->symbols, CLASS_LOCK); i++)
		vec_release(&c->locks[i].readers);
	for (size_t i = 0; c->barriers && i < c->symbols->barriers.n; i++)
		vec_release(&c->barriers[i].entered);
	vec_release(&c->changes);
	mem_free(c->change_of);
	mem_free(c->threads);
	mem_free(c->variables);
	mem_free(c->locks);
	mem_free(c->barriers);
	mem_free(c->onces);
	mem_free(c->semaphores);
	certify_free_marks(c);
	facts_release(&c->facts);
	mem_free(c);
}

/* Event by event where there are no marks, or these do not go so far. */
static int take_recorded(struct certifier *c)
{
	uint64_t n = certify_recall(c, c->witness->recorded);

	while (n++ < c->witness->recorded)
		if (!certify_run(c, &n, 1))
			return 0;
	return 1;
}

static int judge(struct certifier *c)
{
	certify_start(c);
	return take_recorded(c) && certify_run(c, c->witness->run.at, c->witness->run.n) &&
	       c->bug->judge(c) && complete(c);
}

int certifier_judge(struct certifier *c, const struct witness *w, struct err *err)
{
	c->witness = w;
	c->err = err;
	c->bug = certify_bug(w->bug);
	int good = judge(c);

	if (!good && c->bug->other && w->script && !w->bug_events.n && w->model != MODEL_SAID) {
		c->bug = c->bug->other;
		good = judge(c);
	}
	return good;
}

int certify(struct reader *trace, const struct witness *w, struct err *err)
{
	struct certifier *c = new_certifier(trace, w, err);
	int good = c ? certifier_judge(c, w, err) : err->code;

	certifier_free(c);
	return good;
}
