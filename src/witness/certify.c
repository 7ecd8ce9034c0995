/* SPDX-License-Identifier: MIT */
#include "witness/certify_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
	if (certify_bug(c)->adjacent &&
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

/* Before the first event, whatever was judged before. */
static void start(struct certifier *c)
{
	const struct symbols *symbols = c->symbols;

	for (size_t i = 0; i < c->changes.n; i++)
		c->change_of[c->changes.at[i].read - c->facts.all.at] = 0;
	c->changes.n = 0;
	memset(c->threads, 0, c->facts.threads.n * sizeof(*c->threads));
	memset(c->onces, 0, symbols_count(symbols, CLASS_ONCE) * sizeof(*c->onces));
	for (size_t i = 0; i < symbols_count(symbols, CLASS_VARIABLE); i++)
		c->variables[i] =
			(struct variable_state){.value = symbols_variable(symbols, i)->init,
						.known = true,
						.allocated = !c->facts.variables.at[i].has_alloc};
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

struct certifier *certifier_new(struct reader *trace, struct err *err)
{
	return new_certifier(trace, NULL, err);
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
	facts_release(&c->facts);
	mem_free(c);
}

int certifier_judge(struct certifier *c, const struct witness *w, struct err *err)
{
	c->witness = w;
	c->err = err;
	start(c);
	return certify_run(c, w->run.at, w->run.n) && certify_bug(c)->judge(c) && complete(c);
}

int certify(struct reader *trace, const struct witness *w, struct err *err)
{
	struct certifier *c = new_certifier(trace, w, err);
	int good = c ? certifier_judge(c, w, err) : err->code;

	certifier_free(c);
	return good;
}
