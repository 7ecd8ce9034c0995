/* SPDX-License-Identifier: MIT */
/*
 * Which threads have to be tried in a state so that no state in which nobody can move is
 * missed: a persistent set (Godefroid). Whatever the other threads do, it neither touches
 * what the next events of these look at, nor lets one happen that cannot happen now; so
 * what the others do can as well come later. The argument wants to know which events of a
 * thread may still come, and that is known: its events from here on.
 */
#ifndef SEARCH_EXPLORE_PERSISTENT_H
#define SEARCH_EXPLORE_PERSISTENT_H

#include "search/explore/space.h"

struct persistent;

/*
 * The space outlives it. heard: one for each event, or NULL; the order in which events of which it
 * is true come is kept, as if each of them touched all others.
 */
struct persistent *persistent_new(const struct space *s, const bool *heard);
void persistent_free(struct persistent *p);

/*
 * One for each thread: is it to be tried? Those that cannot move are among them. All
 * false if nobody can. Lives until the next call.
 */
const bool *persistent_choose(struct persistent *p, const uint64_t *state);

#endif
