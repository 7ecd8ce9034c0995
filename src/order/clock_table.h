/* SPDX-License-Identifier: MIT */
/*
 * What threads know of each other, as clocks that are handed on: from a thread to a
 * channel (a lock, a signal, a barrier's round) and from a channel to a thread. An order
 * has one or two clocks a thread, and perhaps something of its own beside them (extra).
 */
#ifndef ORDER_CLOCK_TABLE_H
#define ORDER_CLOCK_TABLE_H

#include "base/clock.h"

#define CLOCK_TABLE_CLOCKS 2

struct knowledge {
	struct clock clock[CLOCK_TABLE_CLOCKS];
	void *extra;
};

struct clock_table {
	unsigned clocks;
	/* to ⊔= from; *to may be NULL, from is not. The same if from knows all of to. The end. */
	void (*join_extra)(void **to, const void *from);
	void (*copy_extra)(void **to, const void *from);
	void (*free_extra)(void *extra);
	VEC(struct knowledge) slots;
	VEC(struct knowledge) channels;
};

struct knowledge *clock_table_slot(struct clock_table *r, uint32_t slot);
struct knowledge *clock_table_channel(struct clock_table *r, uint32_t channel);

void clock_table_join(const struct clock_table *r, struct knowledge *to,
		      const struct knowledge *from);
void clock_table_clear(const struct clock_table *r, struct knowledge *k);
void clock_table_release(struct clock_table *r);

#endif
