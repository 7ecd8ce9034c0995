#include "witness/facts.h"

#include "trace/check.h"

#include <string.h>

/* By number itself if there is room for all; what lies behind the last is the empty slot there. */
static size_t slot_of(const struct facts *facts, uint64_t number)
{
	size_t mask = facts->slot_count - 1;

	if (facts->direct)
		return number < mask ? (size_t)number : mask;
	size_t slot = (number * 0x9e3779b97f4a7c15u >> 20) & mask;

	while (facts->slots[slot] && facts->all.at[facts->slots[slot] - 1].number != number)
		slot = (slot + 1) & mask;
	return slot;
}

#define DIRECT_SLOTS 32 /* for each event that is named: more would be a waste */

static void make_slots(struct facts *facts, const struct witness *w)
{
	size_t n = w->run.n + w->rest.n;
	uint64_t most = 0;

	for (size_t i = 0; i < w->run.n; i++)
		most = w->run.at[i] > most ? w->run.at[i] : most;
	for (size_t i = 0; i < w->rest.n; i++)
		most = w->rest.at[i] > most ? w->rest.at[i] : most;
	facts->direct = most < DIRECT_SLOTS * (uint64_t)n;
	facts->slot_count = facts->direct ? (size_t)most + 2 : 64;
	while (!facts->direct && facts->slot_count < 2 * n)
		facts->slot_count *= 2;
	facts->slots = mem_alloc_zero(facts->slot_count, sizeof(*facts->slots));
}

uint32_t facts_find(const struct facts *facts, uint64_t number)
{
	uint32_t found = facts->slots[slot_of(facts, number)];

	return found ? found - 1 : NO_FACT;
}

static int name_events(struct facts *facts, const uint64_t *numbers, size_t n, struct err *err)
{
	for (size_t i = 0; i < n; i++) {
		size_t slot = slot_of(facts, numbers[i]);
		struct fact fact = {.number = numbers[i]};

		if (facts->slots[slot]) {
			err_set(err, ERR_INPUT, "event %llu happens twice",
				(unsigned long long)numbers[i]);
			return 0;
		}
		vec_push(&facts->all, fact);
		facts->slots[slot] = (uint32_t)facts->all.n;
	}
	return 1;
}

static void add_thread(struct facts *facts, uint32_t thread)
{
	while (facts->threads.n <= thread) {
		struct fact_thread fresh = {.next = NO_FACT, .open_wait = NO_FACT};

		vec_push(&facts->threads, fresh);
	}
}

/* Where in the value of the whole access its i-th variable stands (doc/model.md, Memory). */
static int shift_of(const struct symbols *symbols, const struct event *e, uint32_t i)
{
	const struct variable *first = &symbols->variables.at[e->object];
	const struct variable *v = &symbols->variables.at[event_part(e, i).variable];

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

	vec_extend(&facts->variables, facts->symbols->variables.n);
	if (fact)
		fact->places = arena_alloc(&facts->memory, n * sizeof(*fact->places));
	for (uint32_t i = 0; i < n; i++) {
		struct fact_variable *v = &facts->variables.at[event_part(e, i).variable];

		if (fact) {
			fact->places[i] = (struct place){
				v->externals, shift_of(facts->symbols, e, i), .writer = v->writer};
			if (e->kind == EV_EXTERNAL)
				fact->places[i].accesses = v->accesses;
		}
		v->accesses++;
		v->externals += e->kind == EV_EXTERNAL;
		v->has_alloc |= e->kind == EV_ALLOC;
		if (event_is(e, EV_STORES))
			v->writer = number;
	}
}

/* A wait learns what woke it, a signal whom it woke. */
static void read_woken(struct facts *facts, const struct event *e, struct fact_thread *t)
{
	uint32_t signal = e->more->by ? facts_find(facts, e->more->by) : NO_FACT;

	if (t->open_wait != NO_FACT)
		facts->all.at[t->open_wait].waker = e->more->by;
	if (signal == NO_FACT || (facts->all.at[signal].event.kind != EV_SIGNAL &&
				  facts->all.at[signal].event.kind != EV_BROADCAST))
		return;
	struct woken_thread *woken = arena_alloc(&facts->memory, sizeof(*woken));

	*woken = (struct woken_thread){facts->all.at[signal].wakes, e->thread, t->events};
	facts->all.at[signal].wakes = woken;
}

static void read_event(struct facts *facts, const struct event *e, uint64_t number)
{
	add_thread(facts, e->thread);
	struct fact_thread *t = &facts->threads.at[e->thread];
	uint32_t found = facts_find(facts, number);

	t->events++;
	if (t->next == NO_FACT && (found == NO_FACT || found >= facts->in_run)) {
		if (found == NO_FACT) {
			struct fact fresh = {.number = number};

			found = (uint32_t)facts->all.n;
			vec_push(&facts->all, fresh);
		}
		t->next = found;
	}
	struct fact *fact = found == NO_FACT ? NULL : &facts->all.at[found];

	if (fact) {
		fact->event = event_copy(&facts->memory, e);
		fact->position = t->events;
	}
	if (event_is(e, EV_ACCESS))
		read_access(facts, e, number, fact);
	if (e->kind == EV_WOKEN)
		read_woken(facts, e, t);
	t->open_wait = e->kind == EV_WAIT ? found : NO_FACT;
	if (e->kind == EV_BARRIER_ENTER) {
		uint32_t parties = facts->symbols->barriers.at[e->object].parties;

		vec_extend(&facts->entered, (size_t)e->object + 1);
		uint64_t before = facts->entered.at[e->object]++;

		if (fact && parties)
			fact->round = before / parties;
	}
	if (e->kind == EV_FORK) {
		add_thread(facts, e->object);
		facts->threads.at[e->object].fork = number;
	}
}

int facts_read(struct facts *facts, struct reader *trace, const struct witness *w, struct err *err)
{
	struct batch batch;
	int got;

	memset(facts, 0, sizeof(*facts));
	facts->symbols = reader_symbols(trace);
	make_slots(facts, w);
	vec_reserve(&facts->all,
		    w->run.n + w->rest.n + symbols_count(facts->symbols, CLASS_THREAD));
	facts->in_run = w->run.n;
	if (!name_events(facts, w->run.at, w->run.n, err) ||
	    !name_events(facts, w->rest.at, w->rest.n, err))
		return 0;
	struct check *check = check_new(trace);

	while ((got = reader_next(trace, &batch, err)) > 0) {
		check_batch(check, &batch);
		for (size_t i = 0; i < batch.n; i++)
			read_event(facts, &batch.at[i], batch.first + i);
	}
	/* nothing follows from a trace that is not consistent */
	if (check_finish(check, err) < 0)
		got = err->code;
	check_free(check);
	if (got < 0)
		return got;
	for (size_t i = 0; i < facts->all.n; i++)
		if (!facts->all.at[i].position) {
			err_set(err, ERR_INPUT, "there is no event %llu in the trace",
				(unsigned long long)facts->all.at[i].number);
			return 0;
		}
	/* objects that are named and have no event */
	vec_extend(&facts->variables, facts->symbols->variables.n);
	if (symbols_count(facts->symbols, CLASS_THREAD))
		add_thread(facts, (uint32_t)symbols_count(facts->symbols, CLASS_THREAD) - 1);
	return 1;
}

void facts_release(struct facts *facts)
{
	vec_release(&facts->all);
	vec_release(&facts->threads);
	vec_release(&facts->variables);
	vec_release(&facts->entered);
	mem_free(facts->slots);
	arena_release(&facts->memory);
}
