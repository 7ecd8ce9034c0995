/*
 * What threads know of each other, as clocks that are handed on: from a thread to a
 * channel (a lock, a signal, a barrier's round) and from a channel to a thread. An order
 * has one or two clocks a thread, and perhaps something of its own beside them (extra).
 */
#ifndef ORDER_RELAY_H
#define ORDER_RELAY_H

#include "base/clock.h"

#define RELAY_CLOCKS 2

struct knowledge {
	struct clock clock[RELAY_CLOCKS];
	void *extra;
};

struct relay {
	unsigned clocks;
	/* to ⊔= from; *to may be NULL, from is not. The same if from knows all of to. The end. */
	void (*join_extra)(void **to, const void *from);
	void (*copy_extra)(void **to, const void *from);
	void (*free_extra)(void *extra);
	VEC(struct knowledge) slots;
	VEC(struct knowledge) channels;
};

struct knowledge *relay_slot(struct relay *r, uint32_t slot);
struct knowledge *relay_channel(struct relay *r, uint32_t channel);

void relay_join(const struct relay *r, struct knowledge *to, const struct knowledge *from);
void relay_clear(const struct relay *r, struct knowledge *k);
void relay_release(struct relay *r);

#endif
