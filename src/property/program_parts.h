/* SPDX-License-Identifier: MIT */
/*
 * Within property/program*.c. An event whose name does not tell which of several it is (which wait,
 * which round of a barrier), or that has no name, is at.N in the processes; PROGRAM then says its
 * name, or nothing.
 */
#ifndef PROPERTY_PROGRAM_PARTS_H
#define PROPERTY_PROGRAM_PARTS_H

#include "property/given.h"
#include "property/program.h"

struct program {
	const struct index *index;
	struct given given;
	struct output *out;
};

/* `NAME = {…}`, one element after the other; nothing at all if there is none. */
struct program_table {
	struct output *out;
	const char *name;
	uint32_t count;
};

void program_next(struct program_table *table); /* an element is to come */
void program_close(struct program_table *table);
/* `NAME = EMPTY` if there is none. */
void program_close_with(struct program_table *table, const char *empty);

/* Do the processes of synchronisation know the event as at.N? */
bool program_is_at(const struct program *p, uint32_t n);
/* "lock.0.1": its first letter. */
const char *program_letter(const struct program *p, uint32_t n);
/* The thread's first event is no `begin`, or its last no `end`: then it says so itself. */
bool program_begins(const struct program *p, uint32_t thread);
bool program_stops(const struct program *p, uint32_t thread);
bool program_is_joined(const struct program *p, uint32_t thread);

/* The processes of synchronisation, SYNC, and the set sync_events of what they share. */
void program_put_sync(const struct program *p);

#endif
