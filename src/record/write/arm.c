/* SPDX-License-Identifier: MIT */
/*
 * Branches that govern no more than the arm that was taken: scope= in doc/model.md. Which events
 * that are is known where the arm is over; until then events are held back. Behind it all that the
 * arm has said is true only if it was not skipped: that earlier reads are as recorded, that an
 * address is. Private memory that it wrote, and values that came out of it, depend on the guard.
 * Whatever comes up in an arm that does not fit into a scope, the branch governs all that follows.
 */
#include "record/write/parts.h"

#include <string.h>

#define OPEN_MOST 16
#define EVENTS_MOST 256 /* of an arm */
#define WRITES_MOST 256
#define LOCKS_MOST 64

void arm_give_up(struct writer *w, uint32_t thread)
{
	struct arms *arms = &writer_thread(w, thread)->arms;

	w->arms -= arms->open.n;
	arms->open.n = arms->writes.n = arms->locks.n = 0;
}

void arm_give_up_all(struct writer *w)
{
	for (uint32_t i = 0; w->arms && i < w->threads.n; i++)
		arm_give_up(w, i);
}

void arm_forget(struct writer *w)
{
	arm_give_up_all(w);
	for (uint32_t i = 0; i < w->threads.n; i++)
		w->threads.at[i].arms.left = 0;
}

void arm_begin(struct writer *w, const struct merged *r, const struct value *guard,
	       struct event_more *branch)
{
	struct writer_thread *t = writer_thread(w, r->thread);
	struct arms *arms = &t->arms;
	struct arm arm = {.position = r->position,
			  .branch = branch,
			  .guard = *guard,
			  .events = t->events,
			  .settled = t->settled,
			  .guards = t->guards,
			  .era = t->era,
			  .writes = (uint32_t)arms->writes.n,
			  .locks = (uint32_t)arms->locks.n};

	if (guard->kind == VALUE_FIXED || !guard->exact || arms->open.n == OPEN_MOST)
		return;
	vec_push(&arms->open, arm);
	w->arms++;
}

/* What is done in an arm */

void arm_follow_event(struct writer *w, const struct event *e)
{
	struct writer_thread *t = writer_thread(w, e->thread);
	struct arms *arms = &t->arms;
	struct arm_lock lock = {e->object, e->kind};

	if (!event_is(e, EV_ARM)) {
		arm_give_up(w, e->thread);
		return;
	}
	if (event_kind_class[e->kind] == CLASS_LOCK && e->kind != EV_TRY_FAIL)
		vec_push(&arms->locks, lock);
	if (t->events - arms->open.at[0].events < EVENTS_MOST)
		return;
	/* the outermost one is too long */
	arms->open.n--;
	w->arms--;
	memmove(arms->open.at, arms->open.at + 1, arms->open.n * sizeof(*arms->open.at));
}

void arm_follow_write(struct writer *w, uint32_t thread, uint64_t granule, const struct content *c,
		      uint8_t bytes)
{
	struct arms *arms = &writer_thread(w, thread)->arms;
	size_t first = arms->open.at[arms->open.n - 1].writes, n = arms->writes.n;
	struct arm_write write = {granule, *c, bytes};

	if (n > first && arms->writes.at[n - 1].granule == granule)
		arms->writes.at[n - 1].bytes |= bytes;
	else if (n < WRITES_MOST)
		vec_push(&arms->writes, write);
	else
		arm_give_up(w, thread);
}

/* Each that is taken in it is left in it. */
static bool is_balanced(const struct arms *arms, size_t first)
{
	const struct arm_lock *locks = arms->locks.at + first;
	size_t n = arms->locks.n - first, held = 0;
	bool taken[LOCKS_MOST] = {false};

	if (n > LOCKS_MOST)
		return false;
	for (size_t i = 0; i < n; i++) {
		bool takes = locks[i].kind == EV_ACQUIRE || locks[i].kind == EV_ACQUIRE_SHARED;
		size_t k = i;

		taken[i] = takes;
		held += takes;
		if (takes)
			continue;
		while (k && !(taken[k - 1] && locks[k - 1].lock == locks[i].lock))
			k--;
		if (!k)
			return false;
		taken[k - 1] = false;
		held--;
	}
	return !held;
}

/* Behind it */

/* This if the arm was taken, else the other, if that is known. */
static struct value choose(struct writer *w, const struct value *guard, const struct value *taken,
			   const struct value *other)
{
	struct value v;

	if (other && other->exact && taken->exact)
		v = terms_choose(&w->terms, *guard, *taken, *other);
	else
		v = terms_apply(&w->terms, NULL, (struct value[]){*guard, *taken}, 2);
	v.exact &= v.known && v.recorded == taken->recorded;
	v.recorded = taken->recorded;
	v.known = taken->known;
	return v;
}

/* Bytes [first, first + n) of a granule. */
static void follow_bytes(struct writer *w, uint32_t thread, const struct value *guard,
			 const struct arm_write *write, const struct content *now, unsigned first,
			 unsigned n)
{
	bool known, ignored;
	struct value new = memory_content(w, thread, write->granule, now, first, n, &ignored);
	struct value old =
		memory_content(w, thread, write->granule, &write->before, first, n, &known);
	struct value v = choose(w, guard, &new, known ? &old : NULL);

	memory_set_origin(w, thread, write->granule, first, n, &v);
}

/* Bytes that lie together are one value, unless those of the two halves were written apart. */
static void follow_granule(struct writer *w, uint32_t thread, const struct value *guard,
			   const struct arm_write *write, uint8_t bytes)
{
	const struct content *c = pages_cell(&w->contents, write->granule, false);

	if (!c)
		return;
	struct content now = *c;
	unsigned first = 0;

	bytes &= now.written;
	while (first < 8) {
		unsigned n = 0;

		while (first + n < 8 && bytes >> (first + n) & 1 &&
		       (!n || first + n != 4 || now.origin[0] == now.origin[1]))
			n++;
		if (n)
			follow_bytes(w, thread, guard, write, &now, first, n);
		first += n ? n : 1;
	}
}

static void follow_writes(struct writer *w, uint32_t thread, const struct arm *arm)
{
	struct arms *arms = &writer_thread(w, thread)->arms;
	size_t n = arms->writes.n;

	for (size_t i = arm->writes; i < n; i++) {
		const struct arm_write *write = &arms->writes.at[i];
		uint8_t bytes = write->bytes;
		bool first = true;

		for (size_t k = arm->writes; k < n; k++)
			if (k != i && arms->writes.at[k].granule == write->granule) {
				bytes |= arms->writes.at[k].bytes;
				first &= k > i;
			}
		if (first)
			follow_granule(w, thread, &arm->guard, write, bytes);
	}
}

/* What was said in the arm is said of it alone. */
static void forget_guards(struct writer_thread *t, uint64_t before)
{
	for (unsigned i = 0; i < GUARDED; i++)
		if (t->guarded[i].since > before)
			t->guarded[i] = (struct guarded){0};
	for (unsigned i = 0; i < LOOKED_UP; i++)
		if (t->looked_up[i].since > before)
			t->looked_up[i] = (struct looked_up){0};
}

static void govern(struct writer *w, uint32_t thread, const struct arm *arm)
{
	struct writer_thread *t = writer_thread(w, thread);

	arm->branch->scope = (uint32_t)(t->events - arm->events);
	if (!arm->branch->scope) { /* then it says nothing */
		arm->branch->expr = NULL;
		arm->branch->reads_given = true;
	}
	t->settled = arm->settled;
	t->unsettled = true;
	if (t->guards != arm->guards)
		forget_guards(t, arm->guards);
	t->arms.guard = arm->guard;
	t->arms.governed = true;
	follow_writes(w, thread, arm);
}

/* Those that are in it have no end, and govern all that follows. */
static bool find_arm(struct writer *w, struct arms *arms, uint64_t position, struct arm *arm)
{
	size_t i = arms->open.n;

	while (i && arms->open.at[i - 1].position != position)
		i--;
	if (!i)
		return false;
	*arm = arms->open.at[i - 1];
	w->arms -= arms->open.n - i;
	arms->open.n = i;
	return true;
}

void arm_end(struct writer *w, const struct merged *r)
{
	struct writer_thread *t = writer_thread(w, r->thread);
	struct arms *arms = &t->arms;
	struct arm arm;

	arms->left = r->position - LOG_HIGH_OF(*r->w);
	arms->governed = false;
	if (!find_arm(w, arms, arms->left, &arm))
		return;
	if (writer_is_silent(w, r->thread)) {
		arm_give_up(w, r->thread);
		return;
	}
	writer_tell_steps(w, r->thread);
	if (!find_arm(w, arms, arms->left, &arm)) /* that was too long */
		return;
	arms->open.n--;
	w->arms--;
	if (arm.era == t->era && is_balanced(arms, arm.locks))
		govern(w, r->thread, &arm);
	if (!arms->open.n)
		arms->writes.n = arms->locks.n = 0;
}

void arm_either(struct writer *w, const struct merged *r)
{
	struct writer_thread *t = writer_thread(w, r->thread);
	struct value v, other, guard = t->arms.guard;

	depend_source(w, r->thread, 0, &v);
	depend_source(w, r->thread, 1, &other);
	terms_settle(&w->terms, &guard, t->settled);
	if (t->arms.left != r->position - LOG_HIGH_OF(*r->w))
		v = depend_all(w, r->thread);
	else if (t->arms.governed)
		v = choose(w, &guard, &v, &other);
	*window_add(&t->values, r->position) = v;
}
