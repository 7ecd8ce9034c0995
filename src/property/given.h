/* SPDX-License-Identifier: MIT */
/*
 * The names that a trace gives to a script in CSP_M (norn-property(7)): sets of its threads, locks
 * and so on, a channel for each kind of event and for each mark, and what each event of the trace
 * is called.
 */
#ifndef PROPERTY_GIVEN_H
#define PROPERTY_GIVEN_H

#include "model/index.h"

/*
 * What one event of the trace says, one after the other: letters, by number. An access to several
 * variables has several, and so has one that reads and writes.
 */
struct sound {
	uint32_t count;
	uint32_t letters[];
};

struct given {
	const struct index *index;
	VEC(char) prelude;     /* declarations, for csp_read */
	struct intern letters; /* events as CSP_M writes them: "lock.0.1" */
	struct intern sounds;  /* each a struct sound */
	uint32_t *sound_of;    /* of each event: 1 + its sound; 0: it has none */
	uint32_t *example;     /* of each letter: the first event that says it */
	uint32_t *thread;      /* of each thread of the trace: its number in a script */
	/* while it is made */
	struct intern names; /* that the script knows */
	struct intern words; /* of marks */
	VEC(uint32_t) word_names;
	uint32_t *mark_names; /* of each mark: its channel */
	const char *taken;    /* a name that two things would have; or NULL */
};

/* Negative: the marks of the trace do not fit channels. The index outlives it. */
int given_init(struct given *g, const struct index *index, struct err *err);
void given_release(struct given *g);

static inline const struct sound *given_sound(const struct given *g, uint32_t number)
{
	return (const struct sound *)intern_text(&g->sounds, number);
}

#endif
