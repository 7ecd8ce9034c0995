/* SPDX-License-Identifier: MIT */
/* What the parts of the encoding share; for smt*.c alone. */
#ifndef SEARCH_SMT_PARTS_H
#define SEARCH_SMT_PARTS_H

#include "model/depends.h"
#include "model/needs.h"
#include "model/sections.h"
#include "search/smt/smt.h"
#include "trace/expr.h"

#include <stdio.h>

/* Does an event happen before the bug? */
enum smt_when { SMT_NEVER, SMT_MAYBE, SMT_ALWAYS };

/* What may be asked of an event. Each is a Bool: its letter and the event's number. */
enum smt_asked {
	SMT_KEPT,     /* k: the read returns what was recorded */
	SMT_ALL_KEPT, /* a: and so do all reads of its thread before it */
	SMT_RECORDED, /* w: no read has changed that what it writes depends on */
	SMT_KNOWN,    /* n: the read returns vN_PART of each variable */
	SMT_COMPUTED, /* c: the expression has a value, eN */
	SMT_ASKED_COUNT
};

struct smt_question {
	enum smt_asked what;
	uint32_t event;
};

/* Of a node of the expression at hand. */
struct smt_part {
	uint32_t uses, height;
	bool named, partial;
};

struct smt {
	const struct index *index;
	enum model model;
	struct needs *needs;
	const struct sections *sections;
	uint32_t *last_read; /* of each event: the read of its thread that comes before, or 0 */
	/* of each event, a row: how many events of each thread it needs, itself among them */
	uint32_t *needed;
	struct depends depends; /* scratch */
	/* of the query at hand */
	enum bug_kind bug;
	VEC(uint32_t) events;		    /* that it names */
	VEC(uint32_t) ends;		    /* of these, what comes next in the end */
	VEC(uint32_t) chain;		    /* the others happen before, in this order */
	uint8_t *when;			    /* of each event: enum smt_when */
	uint8_t *asked;			    /* of each event: a bit for each enum smt_asked */
	VEC(struct smt_question) questions; /* asked, and not answered yet */
	VEC(struct smt_part) parts;	    /* scratch */
	FILE *declared, *asserted;
	bool counts, computes; /* for the logic: numbers are added up; there are bit-vectors */
	bool loads;	       /* the constants are wanted */
	char *text;
	size_t length;
};

static inline const struct event *smt_event(const struct smt *s, uint32_t n)
{
	return &s->index->events[n];
}

/* The event before it in its thread, or 0. */
static inline uint32_t smt_previous(const struct smt *s, uint32_t n)
{
	uint32_t position = s->index->position[n];

	return position ? s->index->threads[smt_event(s, n)->thread].events[position - 1] : 0;
}

/* The branch in whose scope the event stands, which a thread may skip; or 0. */
static inline uint32_t smt_arm(const struct smt *s, uint32_t n)
{
	return s->model == MODEL_VALUES ? index_arm(s->index, n) : 0;
}

/* The last event of its thread before it that has happened if it does; 0: none. */
static inline uint32_t smt_sure_previous(const struct smt *s, uint32_t n)
{
	uint32_t before = smt_previous(s, n);

	while (smt_arm(s, before) && !index_is_sure(s->index, before, n))
		before = smt_arm(s, before);
	return before;
}

/* Whenever both happen, a comes before b; false if they are the same. */
static inline bool smt_comes_first(const struct smt *s, uint32_t a, uint32_t b)
{
	return a != b &&
	       s->index->position[a] <
		       s->needed[(size_t)b * s->index->thread_count + smt_event(s, a)->thread];
}

/* The same, and a happens whenever b does. */
static inline bool smt_has_come_first(const struct smt *s, uint32_t a, uint32_t b)
{
	bool same = smt_event(s, a)->thread == smt_event(s, b)->thread;

	return smt_comes_first(s, a, b) &&
	       (!smt_arm(s, a) || (same && index_is_sure(s->index, a, b)));
}

/*
 * Adds to the assertions. %i: the event happens; %b: of two events, the first comes before the
 * second, if both happen; %o: its place; %x: 64 bits; %a: one that was asked, and the event;
 * %u, %s, %c: as usual.
 */
void smt_say(struct smt *s, const char *format, ...);

/* Notes that it is wanted; smt_answer will say what it implies. */
void smt_ask(struct smt *s, enum smt_asked what, uint32_t event);

/* smt_order.c: who excludes, wakes and waits for whom */
void smt_say_order(struct smt *s);

/* smt_values.c: guards of all events, then whatever has been asked */
void smt_say_guards(struct smt *s);
/* Event n can happen only if what it depends on is as recorded; smt_say after the `=>`. */
void smt_say_guard(struct smt *s, uint32_t n);
void smt_answer(struct smt *s);

/* smt_expr.c */
/* Asserts that eN is the value of event n's expression; */
void smt_say_term(struct smt *s, uint32_t n);
/* after that: a blank and a term for each thing that has to hold for it to have a value. */
void smt_say_has_value(struct smt *s, uint32_t n);
/* What the loads of all expressions look at. */
void smt_say_constants(struct smt *s);
/*
 * Where part i of an access lies in its value as a whole, in bits; false if it is all of that
 * (doc/model.md, Memory).
 */
bool smt_part_place(const struct smt *s, uint32_t n, uint32_t i, uint32_t *shift, uint64_t *mask);

#endif
