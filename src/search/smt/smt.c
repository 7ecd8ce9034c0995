/* SPDX-License-Identifier: MIT */
#include "search/smt/parts.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char letters[SMT_ASKED_COUNT] = {
	[SMT_KEPT] = 'k',  [SMT_ALL_KEPT] = 'a', [SMT_RECORDED] = 'w',
	[SMT_KNOWN] = 'n', [SMT_COMPUTED] = 'c',
};

static void add_needed(struct smt *s, uint32_t n, uint32_t need)
{
	size_t threads = s->index->thread_count;
	uint32_t *to = s->needed + n * threads;
	const uint32_t *from = s->needed + need * threads;

	for (size_t t = 0; t < threads; t++)
		if (to[t] < from[t])
			to[t] = from[t];
}

static void find_needed(struct smt *s)
{
	size_t threads = s->index->thread_count;

	s->needed = mem_alloc_zero(((size_t)s->index->count + 1) * threads, sizeof(*s->needed));
	for (uint32_t n = 1; n <= s->index->count; n++) {
		if (smt_sure_previous(s, n))
			add_needed(s, n, smt_sure_previous(s, n));
		for (uint32_t i = s->needs->first[n]; i < s->needs->first[n + 1]; i++)
			add_needed(s, n, s->needs->events[i]);
		s->needed[n * threads + smt_event(s, n)->thread] = s->index->position[n] + 1;
	}
}

struct smt *smt_new(const struct index *index, enum model model)
{
	struct smt *s = mem_alloc_zero(1, sizeof(*s));
	size_t events = (size_t)index->count + 1;

	s->index = index;
	s->model = model;
	s->needs = needs_new(index);
	s->sections = sections_of(index);
	find_needed(s);
	s->last_read = mem_alloc_zero(events, sizeof(*s->last_read));
	s->when = mem_alloc_zero(events, sizeof(*s->when));
	s->asked = mem_alloc_zero(events, sizeof(*s->asked));
	for (uint32_t n = 1; n <= index->count; n++) {
		uint32_t before = smt_previous(s, n);

		if (before)
			s->last_read[n] = event_is(smt_event(s, before), EV_RETURNS)
						  ? before
						  : s->last_read[before];
	}
	return s;
}

void smt_free(struct smt *s)
{
	if (!s)
		return;
	needs_free(s->needs);
	mem_free(s->last_read);
	vec_release(&s->depends.named);
	vec_release(&s->events);
	vec_release(&s->ends);
	vec_release(&s->chain);
	mem_free(s->when);
	mem_free(s->asked);
	mem_free(s->needed);
	vec_release(&s->questions);
	vec_release(&s->parts);
	free(s->text);
	mem_free(s);
}

static void say_happens(struct smt *s, uint32_t n)
{
	if (s->when[n] == SMT_MAYBE)
		fprintf(s->asserted, "i%u", n);
	else
		fputs(s->when[n] == SMT_ALWAYS ? "true" : "false", s->asserted);
}

static void say_before(struct smt *s, uint32_t a, uint32_t b)
{
	if (smt_comes_first(s, a, b) || smt_comes_first(s, b, a))
		fputs(a < b ? "true" : "false", s->asserted);
	else
		fprintf(s->asserted, "(%s o%u o%u)", a < b ? "<=" : "<", a, b);
}

void smt_say(struct smt *s, const char *format, ...)
{
	va_list args;
	enum smt_asked what;
	uint32_t n;

	va_start(args, format);
	for (const char *at = format; *at; at++) {
		if (*at != '%') {
			putc_unlocked(*at, s->asserted);
			continue;
		}
		switch (*++at) {
		case 'i': say_happens(s, va_arg(args, uint32_t)); break;
		case 'b':
			n = va_arg(args, uint32_t);
			say_before(s, n, va_arg(args, uint32_t));
			break;
		case 'o': fprintf(s->asserted, "o%u", va_arg(args, uint32_t)); break;
		case 'x':
			fprintf(s->asserted, "#x%016llx",
				(unsigned long long)va_arg(args, int64_t));
			break;
		case 'a':
			what = va_arg(args, enum smt_asked);
			fprintf(s->asserted, "%c%u", letters[what], va_arg(args, uint32_t));
			break;
		case 'u': fprintf(s->asserted, "%u", va_arg(args, uint32_t)); break;
		case 's': fputs(va_arg(args, const char *), s->asserted); break;
		case 'c': putc_unlocked(va_arg(args, int), s->asserted); break;
		default: BUG("no such directive");
		}
	}
	va_end(args);
}

void smt_ask(struct smt *s, enum smt_asked what, uint32_t event)
{
	struct smt_question question = {what, event};

	if (s->asked[event] >> what & 1)
		return;
	s->asked[event] |= (uint8_t)(1 << what);
	fprintf(s->declared, "(declare-const %c%u Bool)\n", letters[what], event);
	vec_push(&s->questions, question);
}

/* What has to have happened before event n does is marked as well. */
static void mark_needed(struct smt *s, uint32_t n)
{
	uint32_t before = smt_sure_previous(s, n);

	if (before)
		s->when[before] = SMT_ALWAYS;
	for (uint32_t i = s->needs->first[n]; i < s->needs->first[n + 1]; i++)
		s->when[s->needs->events[i]] = SMT_ALWAYS;
}

static bool is_end(const struct smt *s, uint32_t n)
{
	for (size_t i = 0; i < s->ends.n; i++)
		if (s->ends.at[i] == n)
			return true;
	return false;
}

static bool can_come_first(const struct smt *s, uint32_t n)
{
	uint32_t before = smt_sure_previous(s, n);

	if (is_end(s, n) || (before && s->when[before] == SMT_NEVER))
		return false;
	for (uint32_t i = s->needs->first[n]; i < s->needs->first[n + 1]; i++)
		if (s->when[s->needs->events[i]] == SMT_NEVER)
			return false;
	return true;
}

/*
 * Which events happen before the bug in every execution that has it, and which in none. An
 * event needs only earlier ones, so that one pass each will do. False: there is no such
 * execution, since one event of the bug needs another.
 */
static bool find_when(struct smt *s)
{
	memset(s->when, SMT_MAYBE, (size_t)s->index->count + 1);
	for (size_t i = 0; i < s->ends.n; i++)
		mark_needed(s, s->ends.at[i]);
	for (size_t i = 0; i < s->chain.n; i++)
		s->when[s->chain.at[i]] = SMT_ALWAYS;
	for (uint32_t n = s->index->count; n; n--)
		if (s->when[n] == SMT_ALWAYS)
			mark_needed(s, n);
	for (uint32_t n = 1; n <= s->index->count; n++) {
		if (can_come_first(s, n))
			continue;
		if (s->when[n] == SMT_ALWAYS)
			return false;
		s->when[n] = SMT_NEVER;
	}
	return true;
}

/* The branch before it goes this way, or: the one before it happens, or was skipped. */
static void say_arrival(struct smt *s, uint32_t n)
{
	uint32_t before = smt_previous(s, n), branch = smt_arm(s, n);

	if (branch == before) {
		smt_ask(s, SMT_COMPUTED, branch);
		smt_say(s, "(and %i (distinct e%u %x))", branch, branch, (int64_t)0);
		return;
	}
	smt_say(s, "(or %i", before);
	for (; !index_is_sure(s->index, before, n); before = branch) {
		branch = smt_arm(s, before);
		smt_ask(s, SMT_COMPUTED, branch);
		smt_say(s, " (and %i (= e%u %x))", branch, branch, (int64_t)0);
	}
	smt_say(s, ")");
}

/* The last event of its thread before it that has a place: of what it skipped some may not. */
static uint32_t last_placed(const struct smt *s, uint32_t n)
{
	do
		n = smt_previous(s, n);
	while (n && !smt_has_place(s, n));
	return n;
}

/*
 * Program order and what events need: it holds of those that do not happen as well, but that what
 * a thread skips needs nothing.
 */
static void say_needs(struct smt *s, uint32_t n)
{
	uint32_t before = last_placed(s, n);

	smt_say(s, "(assert (< %o %o))\n", before, n);
	if (smt_arm(s, n) != smt_arm(s, smt_previous(s, n))) {
		smt_say(s, "(assert (=> %i ", n);
		say_arrival(s, n);
		smt_say(s, "))\n");
	} else if (before && s->when[n] == SMT_MAYBE) {
		smt_say(s, "(assert (=> %i %i))\n", n, before);
	}
	for (uint32_t i = s->needs->first[n]; i < s->needs->first[n + 1]; i++) {
		uint32_t need = s->needs->events[i];

		if (smt_arm(s, n))
			smt_say(s, "(assert (=> %i (< %o %o)))\n", n, need, n);
		else
			smt_say(s, "(assert (< %o %o))\n", need, n);
		if (s->when[n] == SMT_MAYBE)
			smt_say(s, "(assert (=> %i %i))\n", n, need);
	}
}

/* Each event of the bug is next and can happen; it is not part of the execution. */
static void say_ends(struct smt *s)
{
	for (size_t i = 0; i < s->ends.n; i++) {
		uint32_t n = s->ends.at[i];
		const struct event *e = smt_event(s, n);

		smt_say(s, "(assert (=> true");
		smt_say_guard(s, n);
		smt_say(s, "))\n");
		if (smt_arm(s, n) != smt_arm(s, smt_previous(s, n))) {
			smt_say(s, "(assert ");
			say_arrival(s, n);
			smt_say(s, ")\n");
		}
		for (uint32_t p = 0; p < event_part_count(e); p++) {
			uint32_t free = s->needs->free[event_part(e, p).variable];

			if (free)
				smt_say(s, "(assert (not %i))\n", free);
		}
	}
}

static void say_chain(struct smt *s)
{
	for (size_t i = 1; i < s->chain.n; i++)
		smt_say(s, "(assert %b)\n", s->chain.at[i - 1], s->chain.at[i]);
}

/* Model said: everything happens, every read is kept, and the two accesses are neighbours. */
static void say_neighbours(struct smt *s)
{
	for (uint32_t n = 1; n <= s->index->count; n++) {
		if (event_is(smt_event(s, n), EV_RETURNS)) {
			smt_ask(s, SMT_KEPT, n);
			smt_say(s, "(assert %a)\n", SMT_KEPT, n);
		}
		if (bug_facts[s->bug].adjacent && !is_end(s, n))
			smt_say(s, "(assert (= %b %b))\n", n, s->ends.at[0], n, s->ends.at[1]);
	}
}

/* Does what the first waits for exclude what the second one's thread holds at it? */
static bool waits_for(const struct smt *s, uint32_t a, uint32_t b)
{
	const struct event *e = smt_event(s, a);
	const struct sections *all = s->sections;

	if (e->kind != EV_ACQUIRE && e->kind != EV_ACQUIRE_SHARED && e->kind != EV_WOKEN)
		return false;
	struct section wanted = {
		.lock = e->kind == EV_WOKEN ? e->more->lock : e->object,
		.thread = e->thread,
		.shared = e->kind == EV_ACQUIRE_SHARED,
	};

	for (uint32_t i = all->first[wanted.lock]; i < all->first[wanted.lock + 1]; i++) {
		const struct section *held = &all->all.at[all->of_lock[i]];

		if (held->thread == smt_event(s, b)->thread && sections_exclude(&wanted, held) &&
		    held->acquire < b && (!held->release || held->release >= b))
			return true;
	}
	return false;
}

/* engine_ask knows which can be one */
static bool is_any(const struct smt *s)
{
	(void)s;
	return true;
}

static bool may_race(const struct smt *s)
{
	return s->ends.n == 2 && index_conflict(s->index, s->ends.at[0], s->ends.at[1]);
}

static bool is_ring(const struct smt *s)
{
	size_t count = s->ends.n;

	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < i; j++)
			if (smt_event(s, s->ends.at[i])->thread ==
			    smt_event(s, s->ends.at[j])->thread)
				return false;
		if (!waits_for(s, s->ends.at[i], s->ends.at[(i + 1) % count]))
			return false;
	}
	/* no execution of said is without its end */
	return count > 1 && s->model != MODEL_SAID;
}

/* Could the events be that bug at all, whatever the execution? NULL: it is not asked about. */
static bool (*const may_be[])(const struct smt *s) = {
	[BUG_RACE] = may_race, [BUG_DEADLOCK] = is_ring, [BUG_STUCK] = NULL,
	[BUG_PROPERTY] = NULL, [BUG_ATOMICITY] = is_any, [BUG_CHOICE] = NULL,
};
BUG_ROWS_ARE_ALL(may_be);

static bool is_possible(const struct smt *s)
{
	return may_be[s->bug] && may_be[s->bug](s);
}

static void say_all(struct smt *s)
{
	fputs("(declare-const o0 Int)\n", s->declared);
	for (uint32_t n = 1; n <= s->index->count; n++) {
		if (smt_has_place(s, n)) {
			fprintf(s->declared, "(declare-const o%u Int)\n", n);
			say_needs(s, n);
		}
		if (smt_is_open(s, n))
			fprintf(s->declared, "(declare-const i%u Bool)\n", n);
	}
	smt_say_order(s);
	say_chain(s);
	if (s->model == MODEL_SAID) {
		say_neighbours(s);
	} else {
		smt_say_guards(s);
		say_ends(s);
	}
	smt_answer(s);
	if (s->loads)
		smt_say_constants(s);
}

/* It needs no solver, but text there shall be. */
static void say_false(struct smt *s)
{
	memset(s->when, SMT_NEVER, (size_t)s->index->count + 1);
	fputs("(declare-const o0 Int)\n", s->declared);
	smt_say(s, "(assert false)\n");
}

/* In said the chain goes on: all its events happen. */
static void take_query(struct smt *s, const struct query *q)
{
	bool past = bug_facts[q->bug].past;

	s->bug = q->bug;
	s->events.n = s->ends.n = s->chain.n = 0;
	for (uint32_t i = 0; i < q->count; i++) {
		vec_push(&s->events, q->events[i]);
		if (!past || i + 1 == q->count)
			vec_push(&s->ends, q->events[i]);
		if (past && (i + 1 < q->count || s->model == MODEL_SAID))
			vec_push(&s->chain, q->events[i]);
	}
}

const char *smt_write(struct smt *s, const struct query *q, size_t *length, const char **logic)
{
	char *declared, *asserted;
	size_t declared_size, asserted_size;

	take_query(s, q);
	memset(s->asked, 0, (size_t)s->index->count + 1);
	s->counts = s->computes = s->loads = false;
	s->declared = open_memstream(&declared, &declared_size);
	s->asserted = open_memstream(&asserted, &asserted_size);
	ASSERT(s->declared && s->asserted);
	/* said: that an event is the last of the run keeps none from happening */
	if (!is_possible(s) || !(find_when(s) || (s->model == MODEL_SAID && s->chain.n))) {
		say_false(s);
	} else {
		if (s->model == MODEL_SAID)
			memset(s->when, SMT_ALWAYS, (size_t)s->index->count + 1);
		say_all(s);
	}
	fclose(s->declared);
	fclose(s->asserted);

	/* the smallest logic that holds it: solvers choose what to do by that */
	*logic = s->computes ? "ALL" : s->counts ? "QF_LIA" : "QF_IDL";
	free(s->text);
	FILE *text = open_memstream(&s->text, &s->length);

	ASSERT(text);
	fprintf(text, "(set-option :produce-models true)\n(set-logic %s)\n%s%s(check-sat)\n",
		*logic, declared, asserted);
	fclose(text);
	free(declared);
	free(asserted);
	*length = s->length;
	return s->text;
}

bool smt_has_place(const struct smt *s, uint32_t n)
{
	return s->when[n] != SMT_NEVER;
}

bool smt_is_open(const struct smt *s, uint32_t n)
{
	return s->when[n] == SMT_MAYBE;
}

static int compare_places(const void *a, const void *b)
{
	const struct smt_place *x = a, *y = b;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

void smt_make_witness(const struct smt *s, struct smt_place *places, size_t n, struct witness *w)
{
	bool past = bug_facts[s->bug].past;
	bool over = false; /* said: what is behind the bug, or next, is the rest */

	w->model = s->model;
	w->bug = s->bug;
	for (size_t i = 0; i < s->events.n; i++)
		vec_push(&w->bug_events, s->events.at[i]);
	if (n)
		qsort(places, n, sizeof(*places), compare_places);
	for (size_t i = 0; i < n; i++) {
		bool end = is_end(s, places[i].event);

		over = over || (end && !past);
		if (over)
			vec_push(&w->rest, places[i].event);
		else
			vec_push(&w->run, places[i].event);
		over = over || end;
	}
	if (past && s->model != MODEL_SAID)
		vec_push(&w->run, s->ends.at[0]);
}

int smt_dump(const struct smt *s, const char *directory, struct err *err)
{
	char path[4096], events[256] = "";

	for (size_t i = 0, at = 0; i < s->events.n && at < sizeof(events); i++)
		at += (size_t)snprintf(events + at, sizeof(events) - at, "%u-", s->events.at[i]);
	if (snprintf(path, sizeof(path), "%s/%s-%s%s.smt2", directory, bug_kind_text[s->bug],
		     events, model_text[s->model]) >= (int)sizeof(path))
		return err_set(err, ERR_SYSTEM, "%s: the name is too long", directory);
	struct output *out = output_open(path, OUTPUT_REPLACE, err);

	if (!out)
		return err->code;
	output_bytes(out, s->text, s->length);
	return output_close(out, err);
}
