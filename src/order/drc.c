/* SPDX-License-Identifier: MIT */
/*
 * drc: MHB; a write → each read from it; r1 → e2 if a1 → e2 and e2 is in CS2; a read → a later
 * write of its variable if what it reads from → that write.
 *
 * Two accesses of which one directly follows the other by these rules may still race: what decides
 * is clock[1], of all that comes before with something in between. Every access is learned of by
 * others, so time goes on behind each.
 */
#include "order/section_log.h"

#include "base/sorted.h"

#define COLLECT_BYTES ((uint64_t)1 << 20)

/* Reads of one write, or of several: all that they know, and that with something behind it. */
struct readers {
	struct clock known, before;
};

/* The reads of all writes of a slot up to this time. */
struct read_write {
	uint32_t time;
	struct readers readers;
};

struct writes {
	uint32_t slot;
	VEC(struct read_write) v; /* ascending */
};

struct drc_variable {
	/* The last write; time 0: none, or it is external, and known to all who come later. */
	uint32_t slot, time;
	struct clock known; /* at that write */
	bool is_read;
	struct readers readers; /* of it */
	struct readers all;	/* of what is known to all */
	VEC(struct writes) earlier;
};

struct drc {
	struct order order;
	struct section_log sections;
	VEC(struct drc_variable) variables;
	VEC(struct access) parts;   /* of the event that is looked at */
	uint64_t bytes, bytes_last; /* of earlier writes; when some were last dropped */
};

/* Sections */

static uint64_t clock_sum(const struct clock *c)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < c->n; i++)
		sum += c->at[i];
	return sum;
}

/* What was learned may tell of the beginning of sections on the locks that the thread holds. */
static void follow_sections(struct drc *drc, const struct actor *t, struct clock *clock,
			    const struct clock *also)
{
	uint64_t sum;

	do {
		sum = clock_sum(clock);
		for (size_t i = 0; i < t->open.n; i++)
			section_log_follow(&drc->sections, t, &t->open.at[i], clock, also);
	} while (t->open.n > 1 && clock_sum(clock) != sum);
}

static void drc_learned(struct order *o, struct actor *t)
{
	if (t->open.n)
		follow_sections((struct drc *)o, t, &order_knows(o, t)->clock[0], NULL);
}

static void drc_acquire(struct order *o, struct actor *t, struct open_section *h)
{
	h->section = section_log_open(&((struct drc *)o)->sections, t, h);
	drc_learned(o, t);
}

static void drc_release(struct order *o, struct actor *t, struct open_section *h)
{
	struct drc *drc = (struct drc *)o;

	section_log_close(&drc->sections, h->section, t, &order_knows(o, t)->clock[0]);
	if (h->acquire_time < t->time)
		section_queue_add(&drc->sections, h->lock, h->section, UINT32_MAX);
}

/* Accesses */

/* Joined with what one access knows; without the access itself. */
static void join_before(struct clock *to, const struct clock *known, uint32_t slot, uint32_t time)
{
	uint32_t own = clock_get(to, slot);

	clock_join(to, known);
	clock_set(to, slot, own > time - 1 ? own : time - 1);
}

static void join_readers(struct readers *to, const struct readers *from)
{
	clock_join(&to->known, &from->known);
	clock_join(&to->before, &from->before);
}

static void learn_write(const struct drc_variable *x, struct knowledge *k)
{
	if (!x->time || clock_get(&k->clock[1], x->slot) >= x->time)
		return;
	join_before(&k->clock[1], &x->known, x->slot, x->time);
	clock_join(&k->clock[0], &x->known);
}

static void learn_readers(const struct readers *r, struct knowledge *k)
{
	clock_join(&k->clock[0], &r->known);
	clock_join(&k->clock[1], &r->before);
}

/* The reads of each write that is known. */
static void learn_reads(const struct drc_variable *x, struct knowledge *k)
{
	learn_readers(&x->all, k);
	if (x->is_read && clock_get(&k->clock[0], x->slot) >= x->time)
		learn_readers(&x->readers, k);
	for (size_t i = 0; i < x->earlier.n; i++) {
		const struct writes *w = &x->earlier.at[i];
		uint32_t time = clock_get(&k->clock[0], w->slot);
		size_t later = LOWER_BOUND(j, 0, w->v.n, w->v.at[j].time <= time);

		if (later)
			learn_readers(&w->v.at[later - 1].readers, k);
	}
}

/* One rule gives what another needs, also from one variable to another. */
static void apply_rules(struct drc *drc, const struct actor *t)
{
	struct knowledge *k = order_knows(&drc->order, t);
	uint64_t sum;

	do {
		sum = clock_sum(&k->clock[0]);
		for (size_t i = 0; i < drc->parts.n; i++) {
			const struct access *a = &drc->parts.at[i];

			if (a->writes && a->counts)
				learn_reads(&drc->variables.at[a->variable], k);
		}
		follow_sections(drc, t, &k->clock[1], &k->clock[0]);
		clock_join(&k->clock[0], &k->clock[1]);
	} while (clock_sum(&k->clock[0]) != sum);
}

static void note_read(struct drc_variable *x, const struct actor *t, const struct clock *known)
{
	struct readers *r = x->time ? &x->readers : &x->all;

	x->is_read = x->is_read || x->time;
	clock_join(&r->known, known);
	join_before(&r->before, known, t->slot, t->time);
}

static uint64_t bytes_of(const struct read_write *w)
{
	return sizeof(*w) + 2 * sizeof(uint32_t) * w->readers.known.n;
}

static struct writes *writes_of(struct drc_variable *x, uint32_t slot)
{
	for (size_t i = 0; i < x->earlier.n; i++)
		if (x->earlier.at[i].slot == slot)
			return &x->earlier.at[i];
	struct writes fresh = {.slot = slot};

	vec_push(&x->earlier, fresh);
	return &x->earlier.at[x->earlier.n - 1];
}

/* The last write was the last: what is read now is another one. */
static void retire_write(struct drc *drc, struct drc_variable *x)
{
	if (!x->is_read)
		return;
	struct writes *w = writes_of(x, x->slot);
	struct read_write entry = {.time = x->time};

	if (w->v.n)
		join_readers(&entry.readers, &w->v.at[w->v.n - 1].readers);
	join_readers(&entry.readers, &x->readers);
	drc->bytes += bytes_of(&entry);
	vec_push(&w->v, entry);
	x->readers.known.n = x->readers.before.n = 0;
	x->is_read = false;
}

static void note_write(struct drc *drc, struct drc_variable *x, const struct actor *t,
		       const struct access *a)
{
	retire_write(drc, x);
	x->slot = t->slot;
	x->time = a->counts ? t->time : 0;
	if (a->counts)
		clock_copy(&x->known, &order_knows(&drc->order, t)->clock[0]);
}

static void drc_access(struct order *o, struct actor *t, const struct access *a)
{
	struct drc *drc = (struct drc *)o;

	(void)t;
	vec_extend(&drc->variables, (size_t)a->variable + 1);
	vec_push(&drc->parts, *a);
}

static void drc_access_end(struct order *o, struct actor *t)
{
	struct drc *drc = (struct drc *)o;
	struct knowledge *k = order_knows(o, t);

	clock_join(&k->clock[1], &k->clock[0]); /* of its own thread */
	for (size_t i = 0; i < drc->parts.n; i++)
		if (drc->parts.at[i].reads)
			learn_write(&drc->variables.at[drc->parts.at[i].variable], k);
	apply_rules(drc, t);
	for (size_t i = 0; i < drc->parts.n; i++) {
		const struct access *a = &drc->parts.at[i];
		struct drc_variable *x = &drc->variables.at[a->variable];

		if (a->reads)
			note_read(x, t, &k->clock[0]);
		if (a->writes)
			note_write(drc, x, t, a);
	}
	drc->parts.n = 0;
}

/* Forgetting */

static void readers_release(struct readers *r)
{
	clock_release(&r->known);
	clock_release(&r->before);
}

/* The first n, which all threads know of, or which are forgotten. */
static void drop_writes(struct drc_variable *x, struct writes *w, size_t n, bool forget)
{
	if (n && !forget)
		join_readers(&x->all, &w->v.at[n - 1].readers);
	for (size_t i = 0; i < n; i++)
		readers_release(&w->v.at[i].readers);
	if (n)
		memmove(w->v.at, w->v.at + n, (w->v.n - n) * sizeof(*w->v.at));
	w->v.n -= n;
}

static void drop_all(struct drc *drc, bool forget)
{
	const struct clock *known = &drc->order.known_to_all;

	drc->bytes = 0;
	for (size_t v = 0; v < drc->variables.n; v++) {
		struct drc_variable *x = &drc->variables.at[v];

		for (size_t i = 0; i < x->earlier.n; i++) {
			struct writes *w = &x->earlier.at[i];
			uint32_t time = clock_get(known, w->slot);
			size_t n = LOWER_BOUND(j, 0, w->v.n, w->v.at[j].time <= time);

			drop_writes(x, w, n, false);
			if (forget)
				drop_writes(x, w, w->v.n, true);
			for (size_t j = 0; j < w->v.n; j++)
				drc->bytes += bytes_of(&w->v.at[j]);
		}
	}
}

static void drc_collect(struct order *o)
{
	struct drc *drc = (struct drc *)o;
	uint64_t limit = o->limits.bytes, sections = drc->sections.kept_bytes;

	section_log_collect(&drc->sections, &(struct section_users){.mark = NULL}, o);
	if (sections + drc->bytes > o->bytes)
		o->bytes = sections + drc->bytes;
	if (drc->bytes < 2 * drc->bytes_last + COLLECT_BYTES && (!limit || drc->bytes <= limit))
		return;
	drop_all(drc, false);
	if (limit && drc->bytes > limit) {
		drop_all(drc, true);
		o->forgot = "reads of older writes, to stay within the memory limit";
	}
	drc->bytes_last = drc->bytes;
}

static void drc_finish(struct order *o)
{
	struct drc *drc = (struct drc *)o;

	for (size_t v = 0; v < drc->variables.n; v++) {
		struct drc_variable *x = &drc->variables.at[v];

		for (size_t i = 0; i < x->earlier.n; i++) {
			drop_writes(x, &x->earlier.at[i], x->earlier.at[i].v.n, true);
			vec_release(&x->earlier.at[i].v);
		}
		vec_release(&x->earlier);
		clock_release(&x->known);
		readers_release(&x->readers);
		readers_release(&x->all);
	}
	vec_release(&drc->variables);
	vec_release(&drc->parts);
	section_log_release(&drc->sections);
}

const struct order_kind order_drc = {
	.name = "drc",
	.title = "datarace causal order",
	.size = sizeof(struct drc),
	.clocks = 2,
	.race_clock = 1,
	.acquire = drc_acquire,
	.release = drc_release,
	.access = drc_access,
	.access_end = drc_access_end,
	.learned = drc_learned,
	.collect = drc_collect,
	.finish = drc_finish,
};
