/* SPDX-License-Identifier: MIT */
#define TAP_WITHOUT_MAIN
#include "tests/support/naive_atomicity.h"

#include "search/explore/explore.h"
#include "tests/support/tap.h"
#include "trace/expr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The events of a thread are looked at by their positions. */
static const struct event *at(const struct index *index, uint32_t thread, uint32_t position)
{
	return &index->events[index->threads[thread].events[position]];
}

static bool is_mark(const struct index *index, const struct event *e, const char *side)
{
	if (e->kind != EV_MARK ||
	    strcmp(symbols_name(index->symbols, CLASS_MARK, e->object), "atomic"))
		return false;
	const char *args = e->more ? e->more->args : NULL;
	const char *word = args ? strrchr(args, ' ') : NULL;

	return args && !strcmp(word ? word + 1 : args, side);
}

/* "a begin" and "a end" have the same words. */
static bool have_same_words(const struct event *begin, const struct event *end)
{
	size_t n = strlen(begin->more->args) - strlen("begin");

	return n == strlen(end->more->args) - strlen("end") &&
	       !strncmp(begin->more->args, end->more->args, n);
}

/* Which begin the end at this position ends; -1: none. Those that have ended are in `gone`. */
static int find_begin(const struct index *index, uint32_t thread, uint32_t end, const bool *gone)
{
	for (int b = (int)end - 1; b >= 0; b--)
		if (!gone[b] && is_mark(index, at(index, thread, (uint32_t)b), "begin") &&
		    have_same_words(at(index, thread, (uint32_t)b), at(index, thread, end)))
			return b;
	return -1;
}

/* The event is skipped in some execution in which the later one may happen. */
static bool may_be_skipped(const struct index *index, uint32_t thread, uint32_t event,
			   uint32_t later)
{
	for (uint32_t p = 0; p < event; p++) {
		uint32_t scope = event_scope(at(index, thread, p));

		if (scope && event <= p + scope && later > p + scope)
			return true;
	}
	return false;
}

static bool is_said(const struct index *index, uint32_t thread, uint32_t first, uint32_t last)
{
	uint32_t n = index->threads[thread].count;
	bool *gone = calloc(n + 1, sizeof(*gone)), found = false;

	for (uint32_t end = 0; end < n; end++) {
		int begin = is_mark(index, at(index, thread, end), "end")
				    ? find_begin(index, thread, end, gone)
				    : -1;

		if (begin < 0)
			continue;
		for (uint32_t p = (uint32_t)begin; p < end; p++)
			gone[p] = true;
		found |= (uint32_t)begin < first && last < end &&
			 !may_be_skipped(index, thread, (uint32_t)begin, first);
	}
	free(gone);
	return found;
}

/* How often the thread has taken the lock when it comes to the event; 0: it does not hold it. */
static int hold_number(const struct index *index, uint32_t thread, uint32_t lock, uint32_t event)
{
	int holds = 0, taken = 0;

	for (uint32_t p = 0; p < event; p++) {
		const struct event *e = at(index, thread, p);
		bool waits = e->kind == EV_WAIT || e->kind == EV_WOKEN;

		if ((waits ? e->more->lock : e->object) != lock)
			continue;
		if (e->kind == EV_ACQUIRE || e->kind == EV_ACQUIRE_SHARED || e->kind == EV_WOKEN)
			taken += !holds++;
		if (e->kind == EV_RELEASE || e->kind == EV_RELEASE_SHARED || e->kind == EV_WAIT)
			holds--;
	}
	return holds ? taken : 0;
}

static bool names(const struct event *e, uint32_t read)
{
	const struct event_more *more = e->more;

	for (uint32_t i = 0; more && more->expr && i < more->expr->count; i++)
		if (more->expr->nodes[i].op == OP_READ && more->expr->nodes[i].value == read)
			return true;
	for (uint32_t i = 0; more && !more->expr && i < more->read_count; i++)
		if (more->reads[i] == read)
			return true;
	return false;
}

static bool touches(const struct event *e, uint32_t variable)
{
	for (uint32_t i = 0; i < event_part_count(e); i++)
		if (event_part(e, i).variable == variable)
			return true;
	return false;
}

static bool touch_both(const struct event *e, const struct event *other)
{
	for (uint32_t i = 0; i < event_part_count(e); i++)
		if (touches(other, event_part(e, i).variable))
			return true;
	return false;
}

static void put_function(const struct index *index, const struct event *e, char function[80])
{
	const char *text = e->location ? intern_text(&index->symbols->locations, e->location) : "";
	const char *colon = strrchr(text, ':');
	bool named = colon && strspn(colon + 1, "0123456789") < strlen(colon + 1);

	snprintf(function, 80, "%s", named ? colon + 1 : "");
}

static bool in_one_function(const struct index *index, const struct event *a, const struct event *b)
{
	char one[80], other[80];

	put_function(index, a, one);
	put_function(index, b, other);
	return !strcmp(one, other);
}

static bool is_inferred(const struct index *index, uint32_t thread, uint32_t first, uint32_t last)
{
	const struct event *read = at(index, thread, first), *write = at(index, thread, last);
	uint32_t number = index->threads[thread].events[first];
	bool uses = names(write, number), apart = false;

	if (read->kind != EV_READ || write->kind != EV_WRITE ||
	    !in_one_function(index, read, write))
		return false;
	for (uint32_t p = first + 1; p < last; p++) {
		const struct event *e = at(index, thread, p);
		uint32_t scope = event_scope(e);

		if (touch_both(e, read) && touch_both(e, write))
			return false;
		uses |= e->kind == EV_BRANCH && names(e, number) && (!scope || last <= p + scope);
	}
	for (uint32_t l = 0; l < symbols_count(index->symbols, CLASS_LOCK); l++) {
		int then = hold_number(index, thread, l, first);

		apart |= then && hold_number(index, thread, l, last) > then;
	}
	return uses && apart;
}

static char letter_of(const struct event *e)
{
	if (e->order == ORDER_WATCH && e->kind == EV_READ)
		return '-';
	return e->kind == EV_READ ? 'R' : e->kind == EV_WRITE ? 'W' : e->kind == EV_RMW ? 'B' : '-';
}

/* B is both. */
static bool fits(const char *pattern, const char *letters)
{
	for (int i = 0; i < 3; i++)
		if (letters[i] != pattern[i] && letters[i] != 'B')
			return false;
	return true;
}

bool naive_is_violation(const struct index *index, uint32_t first, uint32_t remote, uint32_t last)
{
	static const char *const patterns[] = {"RWR", "RWW", "WWR", "WRW", "WWW"};
	const struct event *a = &index->events[first], *r = &index->events[remote];
	const struct event *b = &index->events[last];
	char letters[3] = {letter_of(a), letter_of(r), letter_of(b)};
	uint32_t from = index->position[first], to = index->position[last];
	bool fit = false, common = false;

	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
		fit |= fits(patterns[i], letters);
	for (uint32_t v = 0; v < symbols_count(index->symbols, CLASS_VARIABLE); v++)
		common |= touches(a, v) && touches(r, v) && touches(b, v);
	if (!fit || !common || a->thread != b->thread || a->thread == r->thread || from >= to)
		return false;
	return is_said(index, a->thread, from, to) ||
	       (r->kind != EV_READ && is_inferred(index, a->thread, from, to));
}

/* One that may be a violation. */
struct naive_triple {
	uint32_t first, remote, last;
	bool found;
};

struct naive {
	const struct index *index;
	struct naive_triple *triples;
	size_t count;
	uint32_t *place; /* of each event in the execution, from 1; 0: it has none */
	uint64_t left;
	bool too_many;
};

/* By their first, their last and their remote accesses. */
static void find_triples(struct naive *n)
{
	for (uint32_t first = 1; first <= n->index->count; first++)
		for (uint32_t last = 1; last <= n->index->count; last++)
			for (uint32_t remote = 1; remote <= n->index->count; remote++) {
				if (!naive_is_violation(n->index, first, remote, last))
					continue;
				n->triples =
					realloc(n->triples, (n->count + 1) * sizeof(*n->triples));
				n->triples[n->count++] =
					(struct naive_triple){first, remote, last, false};
			}
}

static bool visit(void *context, const uint32_t *events, size_t count)
{
	struct naive *n = context;

	memset(n->place, 0, (n->index->count + 1) * sizeof(*n->place));
	for (size_t i = 0; i < count; i++)
		n->place[events[i]] = (uint32_t)i + 1;
	for (size_t i = 0; i < n->count; i++) {
		struct naive_triple *t = &n->triples[i];

		t->found |= n->place[t->first] && n->place[t->first] < n->place[t->remote] &&
			    n->place[t->remote] < n->place[t->last];
	}
	n->too_many = !n->left--;
	return !n->too_many;
}

static char *text_of(const struct naive *n)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < n->count; i++)
		if (n->triples[i].found)
			fprintf(out, "%u-%u-%u ", n->triples[i].first, n->triples[i].remote,
				n->triples[i].last);
	fclose(out);
	return text;
}

char *naive_atomicity(const struct index *index, enum model model, uint64_t most)
{
	const struct explore_limits limits = {.bytes = (uint64_t)256 << 20};
	struct naive n = {
		.index = index, .place = calloc(index->count + 1, sizeof(*n.place)), .left = most};
	struct err err = {0};

	find_triples(&n);
	if (n.count && explore_list(index, model, &limits, visit, &n, &err) < 0)
		FAIL("%s", err.message);
	char *text = n.too_many ? NULL : text_of(&n);

	free(n.triples);
	free(n.place);
	return text;
}
