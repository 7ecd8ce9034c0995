/* SPDX-License-Identifier: MIT */
#include "witness/facts.h"

#include "base/sorted.h"
#include "trace/check.h"

#include <stdlib.h>
#include <string.h>

/* The events that a witness names, by number. */
struct named {
	uint64_t *at;
	size_t n, next;
	uint64_t recorded; /* and all up to this one */
};

static void named_init(struct named *named, const struct witness *only)
{
	*named = (struct named){.recorded = only ? only->recorded : UINT64_MAX};
	if (!only)
		return;
	named->n = only->run.n + only->rest.n;
	named->at = mem_alloc((named->n + 1) * sizeof(*named->at));
	for (size_t i = 0; i < named->n; i++)
		named->at[i] = i < only->run.n ? only->run.at[i] : only->rest.at[i - only->run.n];
	if (named->n)
		qsort(named->at, named->n, sizeof(*named->at), sorted_compare_u64);
}

/* Asked with rising numbers. */
static bool is_named(struct named *named, uint64_t number)
{
	while (named->next < named->n && named->at[named->next] < number)
		named->next++;
	return number <= named->recorded ||
	       (named->next < named->n && named->at[named->next] == number);
}

const struct fact *facts_find(const struct facts *facts, uint64_t number)
{
	if (number / 64 >= facts->blocks.n)
		return NULL;
	const struct fact_block *block = &facts->blocks.at[number / 64];
	uint64_t bit = (uint64_t)1 << number % 64;

	if (!(block->kept & bit))
		return NULL;
	if (block->kept == UINT64_MAX)
		return &facts->all.at[block->before + number % 64];
	return &facts->all
			.at[block->before + (size_t)__builtin_popcountll(block->kept & (bit - 1))];
}

/* Room for a fact of the event, which is the last one so far; it moves those before. */
static struct fact *add_fact(struct facts *facts, uint64_t number)
{
	struct fact fresh = {.number = number};

	while (facts->blocks.n <= number / 64) {
		struct fact_block block = {0, facts->all.n};

		vec_push(&facts->blocks, block);
	}
	facts->blocks.at[number / 64].kept |= (uint64_t)1 << number % 64;
	vec_push(&facts->all, fresh);
	return &facts->all.at[facts->all.n - 1];
}

/* Where in the value of the whole access its i-th variable stands (doc/model.md, Memory). */
static int shift_of(const struct symbols *symbols, const struct event *e, uint32_t i)
{
	const struct variable *first = symbols_variable(symbols, e->object);
	const struct variable *v = symbols_variable(symbols, event_part(e, i).variable);

	if (!i)
		return 0;
	if (!(first->flags & v->flags & VARIABLE_MEMORY) || first->base != v->base ||
	    v->address <= first->address || v->address - first->address >= 8 ||
	    v->size > 8 - (v->address - first->address))
		return -1;
	return (int)(8 * (v->address - first->address));
}

/* Counts an access on its variables, noting in fact (if any) what came before it. */
static void read_access(struct facts *facts, const struct event *e, uint64_t number,
			struct fact *fact)
{
	uint32_t n = event_part_count(e);
	struct place *places = fact ? &fact->place : NULL;

	vec_extend(&facts->variables, symbols_count(facts->symbols, CLASS_VARIABLE));
	if (fact && n > 1)
		places = fact->places = arena_alloc(&facts->memory, n * sizeof(*places));
	for (uint32_t i = 0; i < n; i++) {
		struct fact_variable *v = &facts->variables.at[event_part(e, i).variable];

		if (places) {
			places[i] = (struct place){v->externals, shift_of(facts->symbols, e, i),
						   .writer = v->writer};
			if (e->kind == EV_EXTERNAL)
				places[i].accesses = v->accesses;
		}
		v->accesses++;
		v->externals += e->kind == EV_EXTERNAL;
		v->has_alloc |= e->kind == EV_ALLOC;
		if (event_is(e, EV_STORES))
			v->writer = number;
	}
}

/* A wait learns what woke it, a signal whom it woke. */
static void read_woken(struct facts *facts, const struct event *e, const struct fact_thread *t)
{
	const struct fact *found = e->more->by ? facts_find(facts, e->more->by) : NULL;

	if (t->open_wait)
		facts->all.at[t->open_wait - 1].waker = e->more->by;
	if (!found || (found->event.kind != EV_SIGNAL && found->event.kind != EV_BROADCAST))
		return;
	struct fact *signal = &facts->all.at[found - facts->all.at];
	struct woken_thread *woken = arena_alloc(&facts->memory, sizeof(*woken));

	*woken = (struct woken_thread){signal->wakes, e->thread, t->events};
	signal->wakes = woken;
}

static void read_barrier(struct facts *facts, const struct event *e, struct fact *fact)
{
	uint32_t parties = facts->symbols->barriers.at[e->object].parties;

	vec_extend(&facts->entered, (size_t)e->object + 1);
	uint64_t before = facts->entered.at[e->object]++;

	if (fact && parties)
		fact->round = before / parties;
}

/*
 * Those that are named; behind each of these the first that is not, and all in the scope of a
 * branch up to the first behind it.
 */
static bool is_kept(struct named *named, struct fact_thread *t, const struct event *e,
		    uint64_t number)
{
	bool is = is_named(named, number), first = !t->left || t->keep;

	t->left = !is;
	t->keep -= t->keep > 0;
	if (is && t->keep <= event_scope(e) && event_scope(e))
		t->keep = event_scope(e) + 1;
	return is || first;
}

/* Also of those that are not kept: what values fields have is what a specification is about. */
static void read_mark(struct facts *facts, const struct event *e)
{
	const char *args = e->more && e->more->args ? e->more->args : "";
	size_t length = strlen(args);
	char *text = mem_alloc(sizeof(e->object) + length + 1);

	memcpy(text, &e->object, sizeof(e->object));
	memcpy(text + sizeof(e->object), args, length + 1);
	intern_add(&facts->marks, text, sizeof(e->object) + length);
	mem_free(text);
}

/* Ends the last one with the same words; those of the thread that began in it are none. */
static void end_region(struct facts *facts, const struct fact_region *end)
{
	size_t i = facts->open.n, kept;

	while (i && (facts->open.at[i - 1].thread != end->thread ||
		     facts->open.at[i - 1].words != end->words))
		i--;
	if (!i)
		return;
	struct fact_region region = facts->open.at[i - 1];

	region.end = end->end;
	vec_push(&facts->regions, region);
	kept = i - 1;
	for (; i < facts->open.n; i++)
		if (facts->open.at[i].thread != end->thread)
			facts->open.at[kept++] = facts->open.at[i];
	facts->open.n = kept;
}

/* `mark atomic WORDS begin`, and `end`. */
static void read_region(struct facts *facts, const struct event *e, uint64_t position)
{
	const char *args = e->more && e->more->args ? e->more->args : "";
	const char *blank = strrchr(args, ' '), *side = blank ? blank + 1 : args;
	struct fact_region region = {.thread = e->thread};

	if (strcmp(symbols_name(facts->symbols, CLASS_MARK, e->object), "atomic") != 0)
		return;
	region.words = intern_add(&facts->words, args, blank ? (size_t)(blank - args) : 0);
	if (!strcmp(side, "begin")) {
		region.begin = position;
		vec_push(&facts->open, region);
	} else if (!strcmp(side, "end")) {
		region.end = position;
		end_region(facts, &region);
	}
}

static void read_event(struct facts *facts, struct named *named, const struct event *e,
		       uint64_t number)
{
	vec_extend(&facts->threads, (size_t)e->thread + 1);
	struct fact_thread *t = &facts->threads.at[e->thread];
	struct fact *fact = is_kept(named, t, e, number) ? add_fact(facts, number) : NULL;

	t->first = t->first ? t->first : number;
	t->events++;
	if (e->kind == EV_MARK) {
		read_mark(facts, e);
		read_region(facts, e, t->events);
	}
	if (fact) {
		fact->event = event_copy(&facts->memory, e);
		fact->position = t->events;
	}
	if (event_is(e, EV_ACCESS))
		read_access(facts, e, number, fact);
	if (e->kind == EV_WOKEN)
		read_woken(facts, e, t);
	t->open_wait = fact && e->kind == EV_WAIT ? (uint32_t)facts->all.n : 0;
	if (e->kind == EV_BARRIER_ENTER)
		read_barrier(facts, e, fact);
	if (e->kind == EV_FORK) {
		vec_extend(&facts->threads, (size_t)e->object + 1);
		facts->threads.at[e->object].fork = number;
	}
}

int facts_read(struct facts *facts, struct reader *trace, const struct witness *only,
	       struct err *err)
{
	struct named named;
	struct batch batch;
	int got;

	memset(facts, 0, sizeof(*facts));
	facts->symbols = reader_symbols(trace);
	named_init(&named, only);
	struct check *check = check_new(trace);

	while ((got = reader_next(trace, &batch, err)) > 0) {
		check_batch(check, &batch);
		for (size_t i = 0; i < batch.n && !check_has_failed(check); i++)
			read_event(facts, &named, &batch.at[i], batch.first + i);
	}
	/* nothing follows from a trace that is not consistent */
	if (check_finish(check, err) < 0)
		got = err->code;
	check_free(check);
	mem_free(named.at);
	/* objects that are named and have no event */
	vec_extend(&facts->variables, symbols_count(facts->symbols, CLASS_VARIABLE));
	vec_extend(&facts->threads, symbols_count(facts->symbols, CLASS_THREAD));
	return got;
}

void facts_release(struct facts *facts)
{
	vec_release(&facts->all);
	vec_release(&facts->blocks);
	vec_release(&facts->threads);
	vec_release(&facts->variables);
	vec_release(&facts->entered);
	intern_release(&facts->marks);
	intern_release(&facts->words);
	vec_release(&facts->regions);
	vec_release(&facts->open);
	arena_release(&facts->memory);
}
