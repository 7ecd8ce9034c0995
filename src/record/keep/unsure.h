/* SPDX-License-Identifier: MIT */
/*
 * Which reads may show what code without hooks wrote, for the survey. It knows what every byte
 * holds and since when. A read that shows something else, or a byte that nobody has touched since
 * its object was born, is unsure if a thread was in such code meanwhile (record/keep/unseen.h). If
 * that was another thread, the data is kept, even if nobody else is seen to touch it; if it was the
 * reader itself, it is no constant to those who read it later.
 *
 * Only for runs with marks: it takes several times the memory of the survey itself.
 */
#ifndef RECORD_KEEP_UNSURE_H
#define RECORD_KEEP_UNSURE_H

#include "record/log/modules.h"
#include "record/merge/objects.h"
#include "base/pages.h"

struct unsure_large {
	uint64_t address, size;
	uint32_t born;
};

struct unsure {
	struct pages cells; /* struct unsure_cell, by granules of 8 bytes */
	uint32_t marks;	    /* so far: the time */
	/* threads that are in code without hooks, and when two of the others came out last */
	bool *inside;
	uint32_t inside_count;
	uint32_t last_thread, last_end, other_end;
	VEC(struct unsure_large) large; /* objects, alive */
	struct modules *modules;
};

/* The modules say what memory held at first. */
void unsure_init(struct unsure *u, uint32_t threads, struct modules *modules);
void unsure_release(struct unsure *u);

/* A mark. `alone`: no other thread was there yet, so that all they do comes after it. */
void unsure_mark(struct unsure *u, uint32_t thread, bool unseen, bool alone);
void unsure_born(struct unsure *u, const struct object *o);
void unsure_dies(struct unsure *u, const struct object *o);

/* Some bytes of a granule, all in their places. */
struct unsure_access {
	uint64_t granule;
	uint8_t bytes;
	bool reads;
	uint64_t value;	  /* that was read */
	uint64_t written; /* that is there now */
};

enum unsure_writer { UNSURE_NOBODY, UNSURE_ITSELF, UNSURE_OTHERS };

/* Who may have written what it shows. */
enum unsure_writer unsure_access(struct unsure *u, uint32_t thread, const struct unsure_access *a);

#endif
