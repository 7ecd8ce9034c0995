/* SPDX-License-Identifier: MIT */
/*
 * What comes before an event in every execution in which it happens, as in model/past.h, but with
 * what follows from values and locks. A thread that has gone past a guard (`at=`, a branch) has
 * read what that asks for, so that one of the writes that can give it came before: what all of
 * these have in common did. What they write may be computed from what was read before, and so on. A
 * section that has begun before another one of its lock has ended
 * before that. So the address that was read from a list orders all that is behind it, and one look
 * refutes what would take a search for each pair.
 *
 * These facts hold in model `values`, and so in all models: the others have fewer executions.
 *
 * Each is stated by others, in circles: a list is emptied by threads that it was filled by. They
 * are the largest solution, found from above. In an execution, by time: what is said of every event
 * before this one holds, and so does what follows from that for this one. No smaller circle has to
 * be broken.
 */
#ifndef MODEL_CAUSES_H
#define MODEL_CAUSES_H

#include "model/needs.h"

struct causes;

struct causes_limits {
	double deadline; /* by seconds_now(); 0: none */
	uint64_t bytes;	 /* 0: no limit but its own */
};

/* NULL: that would take too much memory, or too long. Index and needs outlive it. */
struct causes *causes_new(const struct index *index, const struct needs *needs,
			  const struct causes_limits *limits);
void causes_free(struct causes *c);

/* So many events of the thread come before the event, or are skipped. */
uint32_t causes_count(const struct causes *c, uint32_t event, uint32_t thread);

/*
 * So many events of each thread happen or are skipped, this one among them: then it is known to
 * happen.
 */
bool causes_happened(const struct causes *c, uint32_t event, const uint32_t *counts);

/* Executions in which so many events of each thread happen or are skipped. */
struct causes_frame {
	const uint32_t *least, *most;
};

/*
 * Within the frame, the part of the read returns what was recorded: so many events of each thread
 * come before it (until the next question; NULL: nothing is known). False: it cannot.
 */
bool causes_of_read(struct causes *c, uint32_t read, uint32_t part,
		    const struct causes_frame *frame, const uint32_t **common);
/*
 * Within the frame: the writes that may give the part of the read its recorded value, 0 for the
 * start. False: not all of them are known.
 */
#define CAUSES_LIST_MOST 32

struct causes_list {
	uint32_t writes[CAUSES_LIST_MOST];
	uint32_t count;
	bool full;
};

bool causes_sources(struct causes *c, uint32_t read, uint32_t part,
		    const struct causes_frame *frame, struct causes_list *list);
/* Likewise what the only read returns that the branch's guard depends on: the guard holds. */
bool causes_of_guard(struct causes *c, uint32_t branch, const struct causes_frame *frame,
		     const uint32_t **common);

#endif
