/* SPDX-License-Identifier: MIT */
/*
 * Accesses kept with the clocks that decide on their races, to compare all with all: for
 * exact answers, and for windows.
 */
#ifndef ORDER_RECORDS_H
#define ORDER_RECORDS_H

#include "order/front.h"

struct record {
	uint64_t number;
	uint32_t variable, thread, slot, time, lockset, site;
	uint32_t item; /* for the order: how far its thread was */
	bool writes, atomic;
	uint32_t clock, mhb; /* in clocks */
};

struct records {
	VEC(struct record) all;
	VEC(struct clock) clocks;
	VEC(uint32_t) last_clock, last_mhb; /* of each slot: many accesses share them */
};

void records_add(struct records *r, struct front *f, struct order *o, const struct actor *t,
		 const struct event *e, uint32_t variable, uint64_t number, uint32_t site,
		 bool atomic);
/* A clock for records to refer to. */
uint32_t records_keep(struct records *r, const struct clock *clock);
/* Calls found for every pair that races by the records' clocks; stops when it returns false. */
void records_compare(const struct records *r, struct front *f,
		     bool (*found)(void *context, const struct record *a, const struct record *b),
		     void *context);
uint64_t records_bytes(const struct records *r);
void records_clear(struct records *r);
void records_release(struct records *r);

#endif
