/* SPDX-License-Identifier: MIT */
/*
 * In which sections on a lock a variable was read and written: by lock and variable, or by other
 * pairs of numbers. A list has the newest first. So that lists stay short, sections that another
 * one stands for are left out: one of the same thread that is newer, and not shared or both are,
 * sooner or later.
 */
#ifndef ORDER_TOUCHES_H
#define ORDER_TOUCHES_H

#include "base/keyed.h"
#include "order/kind.h"

struct section_log;

struct touch {
	uint32_t thread;
	uint32_t next;			  /* as a list */
	uint32_t shared : 1, length : 31; /* of the list from here on, or a little more */
	uint32_t threads;		  /* in the list, as last counted */
	uint64_t section;		  /* a reference; 0: none */
};

/* Lists are the number of their first touch + 1; 0: empty. */
struct touch_key {
	uint64_t key; /* a + 1, and b */
	uint32_t writers, readers;
};

struct touches {
	KEYED(struct touch_key) keys;
	VEC(struct touch) all;
	uint32_t free;	    /* list */
	VEC(uint64_t) seen; /* by thread, not shared and shared: in which round */
	uint64_t round;
};

/* The lists of (a, b), made if there are none; valid until the next call. */
struct touch_key *touches_of(struct touches *t, uint32_t a, uint32_t b);
/* NULL if there is none. */
struct touch_key *touches_find(const struct touches *t, uint32_t a, uint32_t b);

static inline struct touch *touch_at(const struct touches *t, uint32_t list)
{
	return list ? &t->all.at[list - 1] : NULL;
}

#define TOUCH_EACH(x, t, list) \
	for (struct touch *x = touch_at(t, list); x; x = touch_at(t, x->next))

/* Puts one first. */
void touches_add(struct touches *t, uint32_t *list, uint32_t thread, bool shared, uint64_t section);
/*
 * For orders that hand on what HB knew at the end of a section: what is older than a section
 * that is not shared is of no use beside it, but to its own thread. The first is not shared.
 */
void touches_cut(struct touches *t, uint32_t *list);
void touches_clear(struct touches *t, uint32_t *list);

/*
 * r1 → e2 if e1 and e2 conflict: the clock learns what threads knew at the end of the
 * sections, on the locks that t holds, with accesses that conflict with this one. Then the
 * access is noted. hb: see touches_cut.
 */
void touches_apply(struct touches *touches, const struct section_log *s, const struct actor *t,
		   const struct access *a, struct clock *clock, bool hb);

/* Keeps alive the sections that are here; drops those that are gone. */
void touches_mark(const struct touches *t, struct section_log *s);
void touches_forget(struct touches *t, const struct section_log *s);
void touches_release(struct touches *t);

#endif
