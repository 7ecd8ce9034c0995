/* SPDX-License-Identifier: MIT */
/*
 * The states of a trace under a model, and the steps between them (doc/model.md,
 * Feasible executions). For the engines in this directory.
 *
 * A state is a row of 64-bit words, cut into fields: how far each thread is, what each
 * variable holds, and what those reads returned that a later event of their thread asks
 * for. Everything else (who holds a lock, what a semaphore counts, who sleeps) follows
 * from how far the threads are and is worked out when it is needed. Which branches went the other
 * way is in it as well, so that all executions that lead to a state have the same events.
 *
 * What a variable holds is a *token*: 0 is unknown; else 1 + the number of the value in
 * `values`, or, where models look at writers, 1 + the event that wrote it (0: the start)
 * as long as it wrote what it did in the trace. A read has changed if its token has.
 *
 * States with the same future shall be the same words, so what no step can look at any
 * more is 0: what a variable holds that nobody reads again, or that none of those who
 * read it expects, and results that nothing asks for. A read is *live* if something that
 * decides what can happen depends on it.
 */
#ifndef SEARCH_EXPLORE_SPACE_H
#define SEARCH_EXPLORE_SPACE_H

#include "model/lockset.h"
#include "trace/models.h"

struct field {
	uint64_t mask; /* 0: the field does not exist, reads as 0 and ignores what is set */
	uint32_t word;
	uint32_t shift;
};

static inline uint64_t field_get(const uint64_t *state, struct field f)
{
	return state[f.word] >> f.shift & f.mask;
}

static inline void field_set(uint64_t *state, struct field f, uint64_t value)
{
	state[f.word] = (state[f.word] & ~(f.mask << f.shift)) | (value & f.mask) << f.shift;
}

struct space_thread {
	struct field position;
	struct field stopped; /* the guard of its next event does not hold: it never will */
	struct field changed; /* some read so far has */
	struct field missed;  /* it waits, and the event that its woken names came before */
	uint32_t changed_end; /* position behind the last event that asks for that */
	uint32_t first_result, result_end; /* in results */
};

/* What a read returned that later events name, in reads=, at= or an expression. */
struct space_result {
	uint32_t read;
	uint32_t end;	    /* position behind the last event that names it */
	uint32_t value_end; /* … in an expression that is evaluated */
	struct field changed;
	struct field token; /* of its value as a whole, if it changed */
};

struct space_variable {
	struct field token;   /* exists if something is written and a live read reads it */
	uint32_t start;	      /* token at the start */
	uint32_t alloc, free; /* events, or 0 */
	bool external;	      /* some `external` changes it */
	bool live;	      /* some live read reads it */
	uint32_t *reads;      /* the live ones */
	uint32_t read_count;
};

/* What the value of a write or the guard of a branch depends on. */
struct space_depends {
	bool on_all;	 /* earlier reads of the thread */
	uint32_t *named; /* or these */
	uint32_t count;
};

struct space {
	const struct index *index;
	enum model model;
	bool early; /* signals may come early (doc/model.md, Conditions) */
	struct locksets *locks;
	uint32_t words;
	struct intern values; /* of int64_t */
	struct space_thread *threads;
	struct space_variable *variables;
	size_t variable_count;
	VEC(struct space_result) results;
	/* of each event */
	struct space_depends *depends;
	uint32_t *result_of;   /* 1 + its place in results, or 0 */
	bool *live;	       /* reads */
	bool *value_used;      /* reads: an evaluated expression names it */
	struct field *skipped; /* branches: the thread skipped the events in its scope */
	/* of each part, as index->parts numbers them */
	uint32_t *expected; /* token that a read returns if it has not changed */
	uint32_t *written;  /* token that a write leaves if nothing it depends on has changed */
	struct arena memory;
};

struct space *space_new(const struct index *index, enum model model, bool early);
void space_free(struct space *s);

void space_start(const struct space *s, uint64_t *state);

/* The thread's next event, 0 if none is left; whether it can happen is another matter. */
uint32_t space_next(const struct space *s, const uint64_t *state, uint32_t thread);
/* Its thread is past the event: it has happened, or was skipped. */
bool space_done(const struct space *s, const uint64_t *state, uint32_t event);
bool space_can(const struct space *s, const uint64_t *state, uint32_t thread);
/*
 * Takes a step that can happen. Expressions may give new values, so this adds to
 * s->values. False: model `said` forbids it, since a read would change.
 */
bool space_step(struct space *s, uint64_t *state, uint32_t thread);
bool space_complete(const struct space *s, const uint64_t *state);

/* The thread would block in the real call that is its next event. */
bool space_waits(const struct space *s, const uint64_t *state, uint32_t thread);
/* Of a thread that waits: is it for a lock that the other one holds (doc/model.md, Deadlock)? */
bool space_waits_for(const struct space *s, const uint64_t *state, uint32_t thread, uint32_t other);
bool space_exists(const struct space *s, const uint64_t *state, uint32_t thread);
bool space_ended(const struct space *s, const uint64_t *state, uint32_t thread);
/* A guard of the thread does not hold, or it is past its last event, which is no `end`. */
bool space_lost(const struct space *s, const uint64_t *state, uint32_t thread);

uint32_t space_value_token(struct space *s, int64_t value);
int64_t space_token_value(const struct space *s, uint32_t token);

#endif
