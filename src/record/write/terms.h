/* SPDX-License-Identifier: MIT */
/*
 * What values came from. A value of a thread is as recorded as long as the reads are that it
 * depends on: none, one, every earlier one of the thread, or those of a term. A term is a function
 * of other values: an expression, if that is known, or else whatever depends on them. Terms share
 * their parts, so that a loop that adds up makes one term a round, and the reads and expressions
 * are only written out where an event says what it depends on.
 *
 * What is written out is bounded by a budget that grows with the events, so that a trace is not
 * quadratic in the length of such a loop: each event can have a little, and some can have much.
 *
 * A branch that depends on every earlier read of its thread settles it: all of these reads are as
 * recorded behind it, so that what depends on them is fixed. `settled` is the event of the latest
 * such branch of the thread, 0: none.
 */
#ifndef RECORD_WRITE_TERMS_H
#define RECORD_WRITE_TERMS_H

#include "record/write/same.h"

enum value_kind {
	VALUE_FIXED, /* depends on nothing */
	VALUE_READ,  /* on the read that is event `from` */
	VALUE_TERM,  /* on those of the term with the number `from` */
	VALUE_ALL,   /* on every read of the thread up to event `from` */
};

struct value {
	uint64_t recorded, from;
	union {
		struct {
			uint8_t kind;
			bool known; /* `recorded` is what it was */
			bool exact; /* what it is for other reads is known as well: the read
				       itself, or an expression */
		};
		/* all of these: a new value is written in whole words, since it is copied at once,
		 * and the processor waits for bytes that are read as words */
		uint64_t state;
	};
};

#define VALUE_KNOWN ((uint64_t)1 << 8)
#define VALUE_EXACT ((uint64_t)1 << 16)

/* Reads of one thread, by the numbers of their events. */
struct read_set {
	bool all; /* every earlier one; then the others do not count */
	VEC(uint64_t) at;
};

struct term {
	const struct expr *template; /* over its arguments; NULL: not known */
	uint64_t latest;	     /* read that it depends on */
	uint32_t first;		     /* argument, in terms.args */
	uint32_t mark, part;	     /* of the walk that came here last: its number, a part there */
	uint8_t args;
};

#define TERM_ARGS 4 /* of a template: SITE_ITSELF is the last */
_Static_assert(SAME_RECORDED >= TERM_ARGS, "no argument has this number");

struct terms {
	VEC(struct term) at;
	VEC(struct value) args;
	struct expr_builder exprs;
	struct sames sames;
	const struct constants *constants; /* for the loads */
	VEC(uint32_t) found;		   /* in a walk */
	uint32_t walk;
	uint64_t budget;
	uint64_t cut;						   /* what did not fit into it */
	const struct expr *parts[8][9][8], *join, *there, *choice; /* templates */
	struct arena memory;
	size_t most;	     /* before they are collected */
	VEC(uint32_t) moved; /* while they are: where to */
	uint64_t forgotten;  /* likewise: all are, at this event */
};

void terms_init(struct terms *t, const struct constants *constants);
void terms_release(struct terms *t);

static inline struct value value_fixed(uint64_t recorded)
{
	return (struct value){recorded, 0, .state = VALUE_FIXED | VALUE_KNOWN | VALUE_EXACT};
}

static inline struct value value_read(uint64_t event, uint64_t recorded, bool whole)
{
	return (struct value){recorded, event,
			      .state = VALUE_READ | (whole ? VALUE_KNOWN | VALUE_EXACT : 0)};
}

/* Of which nothing is known: `event` is the latest one. */
static inline struct value value_all(uint64_t event)
{
	return (struct value){0, event, .state = VALUE_ALL};
}

/* None of the arguments of a template, TERM_ARGS of them. One by one: to clear memory of a size
 * that is known, the compiler takes an instruction that is slow for so little. */
static inline void values_clear(struct value *args)
{
	args[0] = args[1] = args[2] = args[3] = (struct value){0};
}

/* The latest event that the value depends on, 0: none. */
static inline uint64_t terms_latest(const struct terms *t, const struct value *v)
{
	return v->kind == VALUE_FIXED  ? 0
	       : v->kind == VALUE_TERM ? t->at.at[v->from].latest
				       : v->from;
}

/* What the value depends on in a thread that was settled there. */
static inline void terms_settle(const struct terms *t, struct value *v, uint64_t settled)
{
	if (v->kind != VALUE_FIXED && terms_latest(t, v) <= settled)
		*v = (struct value){v->recorded, 0,
				    .state = v->known ? VALUE_KNOWN | VALUE_EXACT : 0};
}

/*
 * The value of a template over these arguments, which are as of now; what it does not name still
 * counts as something that the value depends on. NULL: not known how.
 */
struct value terms_apply(struct terms *t, const struct expr *template, const struct value *args,
			 unsigned n);
/* The same, if it is known that this is what it was. */
struct value terms_apply_known(struct terms *t, const struct expr *template,
			       const struct value *args, unsigned n, uint64_t recorded);
/* Bytes [from, from + n) of a value of `size` bytes, at byte `at`. */
struct value terms_part(struct terms *t, struct value value, unsigned size, unsigned from,
			unsigned n, unsigned at);
/* The template of a copy: its first argument. */
const struct expr *terms_copy(struct terms *t);
/* Both together: bytes of a value that are 0 in the other. */
struct value terms_join(struct terms *t, struct value a, struct value b);

/* The template of something that is not 0, if its first argument has a value. */
const struct expr *terms_there(struct terms *t);

/* The first of the two if the guard is not 0. */
struct value terms_choose(struct terms *t, struct value guard, struct value a, struct value b);

/* What an event says: these reads; false if that would be too many, and then on all. */
bool terms_add_reads(struct terms *t, const struct value *args, unsigned n, uint64_t settled,
		     struct read_set *set);
/* Or the template over these arguments; NULL: it has no expression, or one that is too large. */
const struct expr *terms_expr(struct terms *t, const struct expr *template,
			      const struct value *args, uint64_t settled, struct arena *memory);
/* Or "they are as recorded". */
const struct expr *terms_same(struct terms *t, const struct value *args, unsigned n,
			      uint64_t settled, struct arena *memory);

/* An event was written. */
static inline void terms_earn(struct terms *t)
{
	t->budget += 4;
}

/* Collecting those that nobody can refer to any more. Between begin and end each value that is
 * still needed is marked; then each of these is moved. */
static inline bool terms_are_many(const struct terms *t)
{
	return t->at.n >= t->most;
}

void terms_collect_begin(struct terms *t);
void terms_mark(struct terms *t, const struct value *value);
void terms_collect_end(struct terms *t, uint64_t latest);
void terms_move(const struct terms *t, struct value *value);

static inline void read_set_clear(struct read_set *set)
{
	set->all = false;
	set->at.n = 0;
}

void read_set_add(struct read_set *set, uint64_t read);

#endif
