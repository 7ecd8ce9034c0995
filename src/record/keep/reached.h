/* SPDX-License-Identifier: MIT */
/*
 * What code without hooks may have got at, by object: what it was given, what that points to, and
 * what is put there later. Memory that no such code can have changed still holds what was last
 * written there, however much of that code has run (record/write/origins.h).
 *
 * Keys and times are those of record/keep/kept.h. It is found in a rehearsal, and asked for when it
 * counts, at the same times.
 */
#ifndef RECORD_KEEP_REACHED_H
#define RECORD_KEEP_REACHED_H

#include "base/keyed.h"

#include <stdbool.h>

#define REACHED_BY_ALL UINT32_MAX /* in place of a thread */

struct reached_object {
	uint64_t key;
	uint64_t time;	 /* since then such code in `thread` has it */
	uint64_t others; /* since then such code in other threads as well; UINT64_MAX: never */
	uint32_t thread;
};

struct reached {
	KEYED(struct reached_object) at;
	uint64_t anything; /* since then it may have whatever there is; UINT64_MAX: never */
};

/* Of those that a thread has to ask about: nobody, such code that it has called, others. */
enum reached_by { REACHED_BY_NOBODY, REACHED_BY_ITSELF, REACHED_BY_OTHERS };

void reached_init(struct reached *r);
void reached_release(struct reached *r);

/* Such code in the thread has the object from now on. False: that was known. */
bool reached_note(struct reached *r, uint64_t key, uint32_t thread, uint64_t time);
/* All that there is, in all threads. */
void reached_note_anything(struct reached *r, uint64_t time);
/* Likewise what has the other object. */
bool reached_note_as(struct reached *r, uint64_t key, uint64_t other, uint64_t time);

/* Whether any such code has it by now. */
bool reached_is(const struct reached *r, uint64_t key);
enum reached_by reached_by(const struct reached *r, uint64_t key, uint32_t thread, uint64_t time);

#endif
