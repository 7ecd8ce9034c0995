/* Sets of locks that threads hold, numbered as they come; 0 is the empty one. */
#ifndef ORDER_HELD_SETS_H
#define ORDER_HELD_SETS_H

#include "base/intern.h"
#include "order/kind.h"

/* What becomes of a set when a lock is taken or left: some that were asked for. */
struct lockset_memo {
	uint64_t change;
	uint32_t from, to;
};

#define LOCKSET_MEMOS 1024

struct held_sets {
	struct intern sets; /* of struct lockset_lock, ascending */
	struct lockset_memo memos[LOCKSET_MEMOS];
};

void held_sets_init(struct held_sets *l);
void held_sets_release(struct held_sets *l);

/* The set of what t holds, after this lock was added to t->lockset or taken from it. */
uint32_t held_sets_change(struct held_sets *l, const struct actor *t, uint32_t lock, bool take,
			  bool shared);
/* Is there a lock in both that not both hold shared? */
bool held_sets_exclude(const struct held_sets *l, uint32_t a, uint32_t b);

#endif
