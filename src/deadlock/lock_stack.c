/* SPDX-License-Identifier: MIT */
#include "deadlock/lock_stack.h"

#include "base/err.h"

#include <string.h>

static struct stacked_lock *find(struct lock_stack *h, uint32_t lock)
{
	for (size_t i = h->at.n; i-- > 0;)
		if (h->at.at[i].lock == lock)
			return &h->at.at[i];
	return NULL;
}

static void leave(struct lock_stack *h, uint32_t lock)
{
	struct stacked_lock *taken = find(h, lock);

	ASSERT(taken);
	if (--taken->times)
		return;
	h->at.n--;
	memmove(taken, taken + 1, (size_t)(h->at.at + h->at.n - taken) * sizeof(*taken));
}

void lock_stack_follow(struct lock_stack *h, uint32_t n, const struct event *e)
{
	uint32_t lock;
	bool shared;

	if (lock_stack_wanted(e, &lock, &shared)) {
		struct stacked_lock new = {lock, n, 1, shared}, *taken = find(h, lock);

		if (taken)
			taken->times++;
		else
			vec_push(&h->at, new);
	} else if (e->kind == EV_RELEASE || e->kind == EV_RELEASE_SHARED) {
		leave(h, e->object);
	} else if (e->kind == EV_WAIT) {
		leave(h, e->more->lock);
	}
}
