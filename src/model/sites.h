/* SPDX-License-Identifier: MIT */
/*
 * Sites: the places in the source by which bugs are counted, numbered as they come. An event
 * without a location has a site of its thread, kind and object.
 */
#ifndef MODEL_SITES_H
#define MODEL_SITES_H

#include "base/intern.h"
#include "trace/event.h"

#define SITE_NONE INTERN_NONE

struct sites {
	struct intern keys;
	VEC(uint32_t) of_location; /* site + 1; 0: not asked for so far */
};

void sites_release(struct sites *s);

uint32_t sites_add(struct sites *s, const struct event *e);
/* SITE_NONE if it was never added. */
uint32_t sites_find(const struct sites *s, const struct event *e);

#endif
