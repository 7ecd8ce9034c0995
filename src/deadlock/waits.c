/* SPDX-License-Identifier: MIT */
#include "deadlock/waits.h"

#include "deadlock/tokens.h"
#include "deadlock/tune.h"

#include <string.h>

/* More rounds rule out a little more, and none are needed for it to be right. */

#define NOBODY 0
#define SEVERAL UINT32_MAX

/* Who may hold a lock while he waits: NOBODY, 1 + a thread, or SEVERAL. */
struct lock_risk {
	uint32_t any, writer;
};

struct finder {
	const struct index *index;
	const struct sections *sections;
	bool *may;	  /* of each event: a thread may wait there for ever, as far as is known */
	uint32_t *before; /* of each event: how many of those its thread has before it */
	uint32_t *in_all; /* of each thread */
	bool *unborn;	  /* of each thread: it may never be forked */
	struct lock_risk *locks;
	bool *few_posts; /* of each semaphore: some wait may find none left */
};

/* Its thread may never come to this event. */
static bool may_not_come(const struct finder *f, uint32_t event)
{
	return f->before[event] || f->unborn[f->index->events[event].thread];
}

static void add_holder(uint32_t *who, uint32_t thread)
{
	*who = *who == NOBODY || *who == thread + 1 ? thread + 1 : SEVERAL;
}

static bool is_another(uint32_t who, uint32_t thread)
{
	return who != NOBODY && who != thread + 1;
}

/* Its thread may wait in it for ever, or end in it. */
static bool may_stay_open(const struct finder *f, const struct section *s)
{
	return !s->release || f->before[s->release] > f->before[s->acquire] + f->may[s->acquire];
}

static void count_in_threads(struct finder *f)
{
	const struct index *index = f->index;

	for (uint32_t t = 0; t < index->thread_count; t++) {
		uint32_t count = 0;

		for (uint32_t i = 0; i < index->threads[t].count; i++) {
			f->before[index->threads[t].events[i]] = count;
			count += f->may[index->threads[t].events[i]];
		}
		f->in_all[t] = count;
	}
	/* along the trace: who forks was forked before */
	memset(f->unborn, 0, index->thread_count * sizeof(*f->unborn));
	for (uint32_t n = 1; n <= index->count; n++)
		if (index->events[n].kind == EV_FORK)
			f->unborn[index->events[n].object] = may_not_come(f, n);
}

static void look_at_locks(struct finder *f)
{
	const struct sections *s = f->sections;

	memset(f->locks, 0, symbols_count(f->index->symbols, CLASS_LOCK) * sizeof(*f->locks));
	for (size_t i = 0; i < s->all.n; i++) {
		const struct section *section = &s->all.at[i];

		if (!may_stay_open(f, section))
			continue;
		add_holder(&f->locks[section->lock].any, section->thread);
		if (!section->shared)
			add_holder(&f->locks[section->lock].writer, section->thread);
	}
}

/*
 * A wait finds 0 if all that was there and was posted has been taken by others. Are there not
 * more waits than that in the whole trace, then a post has to be missing.
 */
static void look_at_semaphores(struct finder *f)
{
	const struct index *index = f->index;

	for (size_t s = 0; s < symbols_count(index->symbols, CLASS_SEMAPHORE); s++) {
		const struct index_list *list = &index->uses[CLASS_SEMAPHORE][s];
		uint64_t there = index->symbols->semaphores.at[s].count, waits = 0;
		bool missing = false;

		for (uint32_t i = 0; i < list->count; i++) {
			enum event_kind kind = index->events[list->events[i]].kind;

			waits += kind == EV_SEM_WAIT;
			there += kind == EV_SEM_POST;
			missing |= kind == EV_SEM_POST && may_not_come(f, list->events[i]);
		}
		f->few_posts[s] = missing || waits > there;
	}
}

static bool may_miss_party(const struct finder *f, uint32_t exit)
{
	const struct index *index = f->index;
	const struct index_list *list = &index->uses[CLASS_BARRIER][index->events[exit].object];

	/* those of the round stand together before it */
	for (uint32_t i = index_place(list, exit); i--;) {
		uint32_t n = list->events[i];

		if (index->events[n].kind != EV_BARRIER_ENTER)
			continue;
		if (index->round[n] < index->round[exit])
			break;
		if (index->round[n] == index->round[exit] &&
		    index->events[n].thread != index->events[exit].thread && may_not_come(f, n))
			return true;
	}
	return false;
}

/* Who began it may wait before its end. */
static bool may_not_pass(const struct finder *f, uint32_t once)
{
	const struct index_list *list = &f->index->uses[CLASS_ONCE][once];
	uint32_t begun = 0;

	for (uint32_t i = 0; i < list->count; i++) {
		uint32_t n = list->events[i];

		if (f->index->events[n].kind == EV_ONCE_BEGIN)
			begun = f->before[n];
		if (f->index->events[n].kind == EV_ONCE_END)
			return f->before[n] > begun;
	}
	return true;
}

static bool may_wait(const struct finder *f, uint32_t n)
{
	const struct event *e = &f->index->events[n];

	switch (e->kind) {
	case EV_ACQUIRE: return is_another(f->locks[e->object].any, e->thread);
	case EV_ACQUIRE_SHARED: return is_another(f->locks[e->object].writer, e->thread);
	case EV_WOKEN: /* its signal may come before the wait */
		return e->more->by || is_another(f->locks[e->more->lock].any, e->thread);
	case EV_JOIN: return f->in_all[e->object];
	case EV_BARRIER_EXIT: return may_miss_party(f, n);
	case EV_SEM_WAIT: return f->few_posts[e->object];
	case EV_ONCE_PASS: return may_not_pass(f, e->object);
	default: return false;
	}
}

/* One that neither ends, nor waits, nor is missing, can always do something else. */
static bool is_never_stuck(const struct finder *f)
{
	const struct index *index = f->index;

	for (uint32_t t = 0; t < index->thread_count; t++) {
		const struct index_thread *thread = &index->threads[t];
		bool ends = thread->count &&
			    index->events[thread->events[thread->count - 1]].kind == EV_END;

		if (!ends && !f->in_all[t] && !f->unborn[t])
			return true;
	}
	return false;
}

static bool rule_out(struct finder *f)
{
	bool any = false;

	count_in_threads(f);
	look_at_locks(f);
	look_at_semaphores(f);
	if (is_never_stuck(f)) {
		memset(f->may, 0, ((size_t)f->index->count + 1) * sizeof(*f->may));
		return false;
	}
	for (uint32_t n = 1; n <= f->index->count; n++) {
		if (!f->may[n] || may_wait(f, n))
			continue;
		f->may[n] = false;
		/* at once, for those that join it */
		f->in_all[f->index->events[n].thread]--;
		any = true;
	}
	return any;
}

void waits_find(const struct index *index, const struct sections *sections, struct waits *w)
{
	size_t events = (size_t)index->count + 1;
	struct finder f = {.index = index, .sections = sections};

	f.may = mem_alloc_zero(events, sizeof(*f.may));
	f.before = mem_alloc_zero(events, sizeof(*f.before));
	f.in_all = mem_alloc_zero(index->thread_count, sizeof(*f.in_all));
	f.unborn = mem_alloc_zero(index->thread_count, sizeof(*f.unborn));
	f.locks = mem_alloc_zero(symbols_count(index->symbols, CLASS_LOCK), sizeof(*f.locks));
	f.few_posts = mem_alloc_zero(symbols_count(index->symbols, CLASS_SEMAPHORE),
				     sizeof(*f.few_posts));
	for (uint32_t n = 1; n <= index->count; n++)
		f.may[n] = event_blocks(&index->events[n]);
	do
		for (uint32_t round = 0; round < deadlock_tune.rounds_most && rule_out(&f); round++)
			;
	while (tokens_rule_out(index, f.may));
	w->events.n = 0;
	for (uint32_t n = 1; n <= index->count; n++)
		if (f.may[n])
			vec_push(&w->events, n);
	mem_free(f.may);
	mem_free(f.before);
	mem_free(f.in_all);
	mem_free(f.unborn);
	mem_free(f.locks);
	mem_free(f.few_posts);
}
