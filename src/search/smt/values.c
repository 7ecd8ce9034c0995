/* SPDX-License-Identifier: MIT */
/*
 * What reads return and writes write. Only what somebody asks for is said: a guard asks for
 * reads, a read for the writes that it may see, these for the reads they depend on. Places
 * decrease on the way, so that nothing rests on itself.
 */
#include "search/smt/parts.h"

static bool is_writer(const struct event *e)
{
	return event_is(e, EV_STORES) && event_is(e, EV_VALUE);
}

static bool is_evaluated(const struct smt *s, uint32_t n)
{
	const struct event *e = smt_event(s, n);

	return s->model == MODEL_VALUES && e->more && e->more->expr;
}

static void say_asked(struct smt *s, enum smt_asked what, uint32_t n)
{
	smt_ask(s, what, n);
	smt_say(s, " %a", what, n);
}

/* No read that event n depends on has changed. */
static void say_depends(struct smt *s, uint32_t n)
{
	uint32_t last = event_is(smt_event(s, n), EV_RETURNS) ? n : s->last_read[n];

	depends_of(smt_event(s, n), &s->depends);
	for (size_t i = 0; i < s->depends.named.n; i++)
		say_asked(s, SMT_KEPT, s->depends.named.at[i]);
	if (s->depends.on_all && last)
		say_asked(s, SMT_ALL_KEPT, last);
}

static bool depends_on_any(struct smt *s, uint32_t n)
{
	depends_of(smt_event(s, n), &s->depends);
	return s->depends.named.n ||
	       (s->depends.on_all && (event_is(smt_event(s, n), EV_RETURNS) || s->last_read[n]));
}

/* Guards */

static bool has_guard(const struct smt *s, uint32_t n)
{
	const struct event *e = smt_event(s, n);

	return e->kind == EV_BRANCH || (e->more && e->more->at_count) ||
	       (s->model == MODEL_MCM && s->last_read[n] && s->last_read[n] == smt_previous(s, n));
}

void smt_say_guard(struct smt *s, uint32_t n)
{
	const struct event *e = smt_event(s, n);

	smt_say(s, " (and true");
	for (uint32_t i = 0; e->more && i < e->more->at_count; i++)
		say_asked(s, SMT_KEPT, (uint32_t)e->more->at[i]);
	if (s->model == MODEL_MCM && s->last_read[n] && s->last_read[n] == smt_previous(s, n))
		say_asked(s, SMT_KEPT, s->last_read[n]);
	if (e->kind == EV_BRANCH && is_evaluated(s, n)) {
		say_asked(s, SMT_COMPUTED, n);
		/* with a scope, it may go the other way: what follows asks which */
		if (!index_scope(s->index, n))
			smt_say(s, " (distinct e%u %x)", n, (int64_t)0);
	} else if (e->kind == EV_BRANCH) {
		say_depends(s, n);
	}
	smt_say(s, ")");
}

void smt_say_guards(struct smt *s)
{
	for (uint32_t n = 1; n <= s->index->count; n++) {
		if (s->when[n] == SMT_NEVER || !has_guard(s, n))
			continue;
		smt_say(s, "(assert (=> %i", n);
		smt_say_guard(s, n);
		smt_say(s, "))\n");
	}
}

/* Reads */

/* One way to look at part `part` of a read: is it kept, or what is known of it? */
struct view {
	uint32_t read, part, variable;
	int64_t value; /* recorded */
	enum smt_asked what;
};

static int64_t written_part(const struct event *e, uint32_t i)
{
	return e->kind == EV_RMW ? event_part(e, i).written : event_part(e, i).value;
}

static uint32_t part_of(const struct event *e, uint32_t variable)
{
	uint32_t i = 0;

	while (event_part(e, i).variable != variable)
		i++;
	return i;
}

static bool may_write(const struct smt *s, uint32_t n)
{
	return is_writer(smt_event(s, n)) && s->when[n] != SMT_NEVER;
}

/* May the event come before the read, and change what that returns? */
static bool may_matter(const struct smt *s, uint32_t n, uint32_t read)
{
	return may_write(s, n) && n != read && !smt_comes_first(s, read, n);
}

/* Whenever both happen another write comes between, so that the read never sees n. */
static bool is_hidden(const struct smt *s, const struct index_list *list, uint32_t n, uint32_t read)
{
	for (uint32_t i = 0; i < list->count; i++) {
		uint32_t other = list->events[i];

		/* n: 0 is the start, before all */
		if (may_write(s, other) && other != read && other != n &&
		    (!n || smt_comes_first(s, n, other)) && smt_has_come_first(s, other, read))
			return true;
	}
	return false;
}

/* No write comes between n, or the start, and the read. */
static void say_last(struct smt *s, const struct index_list *list, uint32_t n, uint32_t read)
{
	for (uint32_t i = 0; i < list->count; i++) {
		uint32_t other = list->events[i];

		if (other == n || !may_matter(s, other, read))
			continue;
		if (!n)
			smt_say(s, " (or (not %i) %b)", other, read, other);
		else if (!smt_comes_first(s, other, n))
			smt_say(s, " (or (not %i) %b %b)", other, other, n, read, other);
	}
}

/* The bytes of an expression's value that part i of the write gets. */
static void say_computed_part(struct smt *s, uint32_t n, uint32_t i)
{
	uint32_t shift;
	uint64_t mask;

	if (smt_part_place(s, n, i, &shift, &mask))
		smt_say(s, "(bvand (bvlshr e%u %x) %x)", n, (int64_t)shift, (int64_t)mask);
	else
		smt_say(s, "e%u", n);
}

/* The value that the view has of a constant. */
static void say_seen_constant(struct smt *s, const struct view *v, int64_t value)
{
	if (v->what == SMT_KNOWN)
		smt_say(s, " (= v%u_%u %x)", v->read, v->part, value);
}

/* Write n is the last one before, and what it writes fits. */
static void say_seen(struct smt *s, const struct view *v, uint32_t n)
{
	uint32_t i = part_of(smt_event(s, n), v->variable);

	smt_say(s, " (and %i %b", n, n, v->read);
	say_last(s, &s->index->uses[CLASS_VARIABLE][v->variable], n, v->read);
	if (!is_evaluated(s, n)) {
		if (depends_on_any(s, n))
			say_asked(s, SMT_RECORDED, n);
		say_seen_constant(s, v, written_part(smt_event(s, n), i));
	} else {
		say_asked(s, SMT_COMPUTED, n);
		smt_say(s, " (= ");
		say_computed_part(s, n, i);
		if (v->what == SMT_KNOWN)
			smt_say(s, " v%u_%u)", v->read, v->part);
		else
			smt_say(s, " %x)", v->value);
	}
	smt_say(s, ")");
}

/* Can it be what the view wants, if it writes as recorded? */
static bool fits(const struct smt *s, const struct view *v, uint32_t n)
{
	if (s->model == MODEL_PREDICTABLE)
		return s->index->writer[s->index->parts[v->read] + v->part] == n;
	return v->what == SMT_KNOWN || is_evaluated(s, n) ||
	       written_part(smt_event(s, n), part_of(smt_event(s, n), v->variable)) == v->value;
}

static bool start_fits(const struct smt *s, const struct view *v)
{
	if (s->model == MODEL_PREDICTABLE)
		return !s->index->writer[s->index->parts[v->read] + v->part];
	return v->what == SMT_KNOWN ||
	       symbols_variable(s->index->symbols, v->variable)->init == v->value;
}

static void say_view(struct smt *s, const struct view *v)
{
	const struct index_list *list = &s->index->uses[CLASS_VARIABLE][v->variable];

	smt_say(s, "(assert (=> %a (or false", v->what, v->read);
	if (start_fits(s, v) && !is_hidden(s, list, 0, v->read)) {
		smt_say(s, " (and true");
		say_last(s, list, 0, v->read);
		say_seen_constant(s, v, symbols_variable(s->index->symbols, v->variable)->init);
		smt_say(s, ")");
	}
	for (uint32_t i = 0; i < list->count; i++)
		if (may_matter(s, list->events[i], v->read) && fits(s, v, list->events[i]) &&
		    !is_hidden(s, list, list->events[i], v->read))
			say_seen(s, v, list->events[i]);
	smt_say(s, ")))\n");
}

static void answer_read(struct smt *s, enum smt_asked what, uint32_t n)
{
	const struct event *e = smt_event(s, n);

	if (smt_arm(s, n))
		smt_say(s, "(assert (=> %a %i))\n", what, n, n);
	for (uint32_t i = 0; i < event_part_count(e); i++) {
		struct part part = event_part(e, i);
		struct view v = {n, i, part.variable, part.value, what};

		if (what == SMT_KNOWN)
			fprintf(s->declared, "(declare-const v%u_%u (_ BitVec 64))\n", n, i);
		if (smt_has_place(s, n)) /* else it was skipped */
			say_view(s, &v);
	}
}

/* Writes and branches */

static void answer_computed(struct smt *s, uint32_t n)
{
	const struct expr *expr = smt_event(s, n)->more->expr;

	s->computes = true;
	fprintf(s->declared, "(declare-const e%u (_ BitVec 64))\n", n);
	smt_say_term(s, n);
	smt_say(s, "(assert (=> %a (and true", SMT_COMPUTED, n);
	for (uint32_t i = 0; i < expr->count; i++)
		if (expr->nodes[i].op == OP_READ)
			say_asked(s, SMT_KNOWN, (uint32_t)expr->nodes[i].value);
	smt_say_has_value(s, n);
	smt_say(s, ")))\n");
}

static void answer(struct smt *s, struct smt_question q)
{
	switch (q.what) {
	case SMT_KEPT:
	case SMT_KNOWN: answer_read(s, q.what, q.event); return;
	case SMT_ALL_KEPT:
		smt_say(s, "(assert (=> %a (and", q.what, q.event);
		say_asked(s, SMT_KEPT, q.event);
		if (s->last_read[q.event])
			say_asked(s, SMT_ALL_KEPT, s->last_read[q.event]);
		smt_say(s, ")))\n");
		return;
	case SMT_RECORDED:
		smt_say(s, "(assert (=> %a (and", q.what, q.event);
		say_depends(s, q.event);
		smt_say(s, ")))\n");
		return;
	case SMT_COMPUTED: answer_computed(s, q.event); return;
	case SMT_ASKED_COUNT: break;
	}
	BUG("no such question");
}

void smt_answer(struct smt *s)
{
	while (s->questions.n)
		answer(s, s->questions.at[--s->questions.n]);
}
