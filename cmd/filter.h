/* SPDX-License-Identifier: MIT */
/*
 * Which events `norn show` is asked for: those that match every kind of filter
 * given. Names are looked up while the trace is read, as that is when they appear.
 */
#ifndef CMD_FILTER_H
#define CMD_FILTER_H

#include "cmd/options.h"
#include "trace/reader.h"

/* The objects of one class that are wanted; without names, all of them. */
struct filter {
	enum object_class class;
	const struct option_list *names;
	VEC(bool) wanted;    /* by the number of the object */
	VEC(uint32_t) named; /* the objects that have one of the names */
};

/* Takes in the names that the symbols have now. */
void filter_update(struct filter *f, const struct symbols *symbols);
bool filter_matches(const struct filter *f, const struct event *e);
/* ERR_USAGE if one of the names was never seen; `where` stands before the message. */
int filter_check_names(const struct filter *f, const struct symbols *symbols, const char *where,
		       struct err *err);
void filter_release(struct filter *f);

#endif
