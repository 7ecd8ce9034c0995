/* SPDX-License-Identifier: MIT */
#include "property/program_parts.h"

#include <stdio.h>
#include <string.h>

#define STEPS_OF_LINE 6
#define STEPS_OF_DEFINITION 48 /* a chain is as deep as it is long */

bool program_is_at(const struct program *p, uint32_t n)
{
	const struct event *e = &p->index->events[n];

	switch ((enum event_kind)e->kind) {
	case EV_WAIT:
	case EV_WOKEN:
	case EV_BARRIER_ENTER:
	case EV_BARRIER_EXIT:
	case EV_ONCE_END:
	case EV_ONCE_PASS: return true;
	case EV_SIGNAL:
	case EV_BROADCAST: {
		uint32_t first = index_first_wake(p->index, n);

		return first < p->index->wake_count && p->index->wakes[first].by == n;
	}
	default: return false;
	}
}

static const struct sound *sound_of(const struct program *p, uint32_t n)
{
	uint32_t sound = p->given.sound_of[n];

	return sound ? given_sound(&p->given, sound - 1) : NULL;
}

const char *program_letter(const struct program *p, uint32_t n)
{
	return intern_text(&p->given.letters, sound_of(p, n)->letters[0]);
}

bool program_is_joined(const struct program *p, uint32_t thread)
{
	const struct index_list *uses = &p->index->uses[CLASS_THREAD][thread];

	for (uint32_t i = 0; i < uses->count; i++)
		if (p->index->events[uses->events[i]].kind == EV_JOIN)
			return true;
	return false;
}

bool program_begins(const struct program *p, uint32_t thread)
{
	const struct index_thread *t = &p->index->threads[thread];

	return t->fork && t->count && p->index->events[t->events[0]].kind != EV_BEGIN;
}

bool program_stops(const struct program *p, uint32_t thread)
{
	const struct index_thread *t = &p->index->threads[thread];

	return t->count && p->index->events[t->events[t->count - 1]].kind != EV_END &&
	       program_is_joined(p, thread);
}

/* Tables */

void program_next(struct program_table *table)
{
	if (!table->count)
		output_format(table->out, "%s = {", table->name);
	else
		output_text(table->out, table->count % 4 ? ", " : ",\n  ");
	table->count++;
}

void program_close(struct program_table *table)
{
	if (table->count)
		output_text(table->out, "}\n");
}

void program_close_with(struct program_table *table, const char *empty)
{
	if (!table->count)
		output_format(table->out, "%s = %s\n", table->name, empty);
	program_close(table);
}

/* Threads */

/* A thread as it is written: events in lines, lines in definitions. */
struct chain {
	const struct program *p;
	uint32_t thread; /* its number in the script */
	uint32_t from;	 /* the event at which the definition begins; 0: the first, all of it */
	uint32_t steps;	 /* in it so far */
};

static void put_name(const struct chain *c, uint32_t n)
{
	output_format(c->p->out, n ? "THREAD_%u_%u" : "THREAD_%u", c->thread, n);
}

static void open_definition(struct chain *c, uint32_t n)
{
	put_name(c, n);
	output_text(c->p->out, " =");
	c->from = n;
	c->steps = 0;
}

static void put_step(struct chain *c, const char *text)
{
	bool line = c->steps && c->steps % STEPS_OF_LINE == 0;

	output_format(c->p->out, "%s%s ->", line ? "\n  " : " ", text);
	c->steps++;
}

static void put_thread_step(struct chain *c, const char *channel)
{
	char text[30];

	snprintf(text, sizeof(text), "%s.%u", channel, c->thread);
	put_step(c, text);
}

static void put_event(struct chain *c, uint32_t n)
{
	const struct sound *sound = sound_of(c->p, n);
	char text[30];

	if (program_is_at(c->p, n)) {
		snprintf(text, sizeof(text), "at.%u", n);
		put_step(c, text);
		return;
	}
	for (uint32_t i = 0; sound && i < sound->count; i++)
		put_step(c, intern_text(&c->p->given.letters, sound->letters[i]));
}

static void go_on_at(struct chain *c, uint32_t n)
{
	output_char(c->p->out, ' ');
	put_name(c, n);
	output_char(c->p->out, '\n');
}

/* A definition of its own for event n and what follows. */
static void cut(struct chain *c, uint32_t n)
{
	if (c->from == n)
		return;
	go_on_at(c, n);
	open_definition(c, n);
}

/* The events that the branch governs are done or not. */
static void put_scope(struct chain *c, uint32_t branch, uint32_t next, uint32_t behind)
{
	cut(c, branch);
	output_char(c->p->out, ' ');
	put_name(c, next);
	output_text(c->p->out, " |~|");
	go_on_at(c, behind);
	open_definition(c, next);
}

static void put_events(struct chain *c, const struct index_thread *t)
{
	const struct index *index = c->p->index;
	bool *behind = mem_alloc_zero((size_t)t->count + 1, sizeof(*behind)); /* a scope */

	for (uint32_t i = 0; i < t->count; i++) {
		uint32_t n = t->events[i], scope = index_scope(index, n);

		if (behind[i] || c->steps >= STEPS_OF_DEFINITION)
			cut(c, n);
		if (scope) {
			put_scope(c, n, t->events[i + 1], t->events[i + 1 + scope]);
			behind[i + 1 + scope] = true;
		} else {
			put_event(c, n);
		}
	}
	mem_free(behind);
}

static void put_thread(const struct program *p, uint32_t thread)
{
	struct chain c = {.p = p, .thread = p->given.thread[thread]};

	output_format(p->out, "-- thread %u: %s\n", c.thread,
		      symbols_name(p->index->symbols, CLASS_THREAD, thread));
	open_definition(&c, 0);
	if (program_begins(p, thread))
		put_thread_step(&c, "begins");
	put_events(&c, &p->index->threads[thread]);
	if (program_stops(p, thread))
		put_thread_step(&c, "stops");
	output_text(p->out, " endthreads -> STOP\n");
}

static void put_threads(const struct program *p)
{
	output_text(p->out, "channel begins, stops : thread\n");
	for (uint32_t t = 0; t < p->index->thread_count; t++)
		put_thread(p, t);
	output_text(p->out, "INTER =");
	for (uint32_t t = 0; t < p->index->thread_count; t++)
		output_format(p->out, "%s%sTHREAD_%u", t ? " [| {endthreads} |]" : "",
			      t && t % 3 == 0 ? "\n  " : " ", t);
	output_char(p->out, '\n');
}

/* PROGRAM */

/* The names of events that are at.N up to here. */
static void put_program(const struct program *p)
{
	struct program_table table = {.out = p->out, .name = "said"};

	for (uint32_t n = 1; n <= p->index->count; n++)
		if (program_is_at(p, n) && p->given.sound_of[n]) {
			program_next(&table);
			output_format(p->out, "(%u, %s)", n, program_letter(p, n));
		}
	program_close(&table);
	output_format(p->out,
		      "PROGRAM = (INTER [| sync_events |] SYNC)%s \\ {|begins, stops, at|}\n",
		      table.count ? "[[ at.n <- e | (n, e) <- said ]]" : "");
}

static void put_at(const struct program *p)
{
	struct program_table table = {.out = p->out, .name = "nametype at_events"};

	for (uint32_t n = 1; n <= p->index->count; n++)
		if (program_is_at(p, n)) {
			program_next(&table);
			output_u64(p->out, n);
		}
	program_close_with(&table, "{0..-1}");
	output_text(p->out, "channel at : at_events\n");
}

/* What to ask */

/* Could two of its accesses race if nothing kept them apart? */
static bool is_disputed(const struct program *p, uint32_t variable)
{
	const struct index_list *list = &p->index->uses[CLASS_VARIABLE][variable];
	const struct event *events = p->index->events;
	VEC(uint32_t) kinds = {0};
	bool disputed = false;

	for (uint32_t i = 0; !disputed && i < list->count; i++) {
		const struct event *e = &events[list->events[i]];
		bool seen = e->kind != EV_READ && e->kind != EV_WRITE && e->kind != EV_RMW;

		for (size_t k = 0; !seen && k < kinds.n; k++) {
			const struct event *o = &events[kinds.at[k]];

			seen = o->thread == e->thread && o->kind == e->kind && o->order == e->order;
		}
		for (size_t k = 0; !seen && !disputed && k < kinds.n; k++)
			disputed = index_conflict(p->index, kinds.at[k], list->events[i]);
		if (!seen)
			vec_push(&kinds, list->events[i]);
	}
	vec_release(&kinds);
	return disputed;
}

static void put_races(const struct program *p)
{
	bool any = false;

	for (uint32_t x = 0; x < symbols_count(p->index->symbols, CLASS_VARIABLE); x++) {
		if (!is_disputed(p, x))
			continue;
		if (!any)
			output_text(p->out,
				    "\n-- Two threads access a variable, one writes it, and no "
				    "synchronisation comes between.\n"
				    "watched(x) = union({read.t.x, write.t.x | t <- thread}, "
				    "sync_set)\n"
				    "RACE(x) = read?t!x -> write?u:diff(thread, {t})!x -> SKIP\n"
				    "  [] write?t!x -> (read?u:diff(thread, {t})!x -> SKIP\n"
				    "    [] write?u:diff(thread, {t})!x -> SKIP)\n"
				    "RACES(x) = (PROGRAM [| watched(x) |] WD(RACE(x), watched(x))) "
				    "|\\ {error}\n");
		any = true;
		output_format(p->out, "-- variable %u: %s\nassert STOP [T= RACES(%u)\n", x,
			      symbols_name(p->index->symbols, CLASS_VARIABLE, x), x);
	}
}

static const char head[] =
	"-- A trace as PROGRAM: its threads and what they synchronise by. Values, branches and\n"
	"-- memory are not kept: PROGRAM also does what the program cannot do. See "
	"norn-convert(1).\n";

static const char deadlock[] =
	"\n-- A deadlock: some threads have not ended, and none can go on.\n"
	"channel live\n"
	"LIVE = live -> LIVE\n"
	"assert LIVE [F= ((PROGRAM [| {endthreads} |> SKIP) \\ Events) ; LIVE\n";

/* What the script calls its own, beside THREAD_N and what is given (property/given.h). */
static const char *const own[] = {
	"AFTER",      "ENTER",	    "FORKS",   "GATE",		"HELD",		"INTER",
	"JOINED",     "JOINS",	    "LIVE",    "MUTEX",		"MUTEXES",	"ONCES",
	"RACE",	      "RACES",	    "ROUND",   "ROUNDS",	"SYNC",		"SIGNALS",
	"SEMAPHORE",  "SEMAPHORES", "at",      "begins",	"forks",	"joins",
	"live",	      "mutexes",    "onces",   "rounds",	"said",		"signals",
	"stops",      "waits",	    "watched", "wokens",	"at_events",	"fork",
	"start",      "end",	    "join",    "lock",		"unlock",	"rdlock",
	"rdunlock",   "wait",	    "woken",   "signal",	"broadcast",	"sem_post",
	"sem_wait",   "read",	    "write",   "barrier_enter", "barrier_exit", "sync_events",
	"semaphores",
};

/* A mark may hide a channel that is given, but not one that the processes need. */
static int check_names(const struct program *p, struct err *err)
{
	const char *taken = NULL;

	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (intern_find(&p->given.names, own[i], strlen(own[i])) != INTERN_NONE)
			taken = own[i];
	for (uint32_t i = 0; i < p->given.names.strings.n; i++)
		if (!strncmp(intern_text(&p->given.names, i), "THREAD_", 7))
			taken = intern_text(&p->given.names, i);
	return taken ? err_set(err, ERR_INPUT,
			       "%.60s cannot be the name of a mark, or a word in one: the script "
			       "has it for something else",
			       taken)
		     : 0;
}

int program_write(const struct index *index, struct output *out, struct err *err)
{
	struct program p = {.index = index, .out = out};
	int code = given_init(&p.given, index, err);

	if (!code)
		code = check_names(&p, err);
	if (!code) {
		output_text(out, head);
		output_bytes(out, p.given.prelude.at, p.given.prelude.n);
		put_at(&p);
		put_threads(&p);
		program_put_sync(&p);
		put_program(&p);
		output_text(out, deadlock);
		put_races(&p);
	}
	given_release(&p.given);
	return code;
}
