/* SPDX-License-Identifier: MIT */
/*
 * wdp: MHB; if e2 reads from e1, its last writer, and both are in sections on a lock:
 * r1 → the first later branch of e2's thread that depends on e2; r1 → r2 if a1 → r2.
 */
#include "order/section_log.h"
#include "trace/expr.h"

struct writer_section {
	uint32_t lock;
	bool shared;
	uint64_t section;
};

struct writer {
	uint32_t thread;
	VEC(struct writer_section) in;
};

/* A read that no branch has depended on so far. */
struct pending {
	uint64_t read;
	uint64_t section; /* of its writer */
};

struct pendings {
	uint32_t thread; /* whose they are: an earlier one may have had the slot */
	VEC(struct pending) v;
};

struct wdp {
	struct order order;
	struct section_log sections;
	VEC(struct writer) writers; /* by variable */
	VEC(struct pendings) slots;
};

static void wdp_acquire(struct order *o, struct actor *t, struct open_section *h)
{
	h->section = section_log_open(&((struct wdp *)o)->sections, t, h);
}

static void wdp_leave(struct order *o, struct actor *t, struct open_section *h)
{
	section_log_follow(&((struct wdp *)o)->sections, t, h, &order_knows(o, t)->clock[0], NULL);
}

static void wdp_release(struct order *o, struct actor *t, struct open_section *h)
{
	struct wdp *wdp = (struct wdp *)o;

	section_log_close(&wdp->sections, h->section, t, &order_knows(o, t)->clock[0]);
	if (h->acquire_time < t->time)
		section_queue_add(&wdp->sections, h->lock, h->section, UINT32_MAX);
}

static struct pendings *pendings_of(struct wdp *wdp, const struct actor *t)
{
	vec_extend(&wdp->slots, (size_t)t->slot + 1);
	struct pendings *p = &wdp->slots.at[t->slot];

	if (p->thread != t->thread) {
		p->thread = t->thread;
		p->v.n = 0;
	}
	return p;
}

static void note_read(struct wdp *wdp, const struct actor *t, const struct access *a,
		      const struct writer *w)
{
	struct pendings *p = pendings_of(wdp, t);

	for (size_t i = 0; i < t->open.n; i++)
		for (size_t k = 0; k < w->in.n; k++) {
			struct pending pending = {a->number, w->in.at[k].section};

			if (t->open.at[i].lock == w->in.at[k].lock &&
			    !(t->open.at[i].shared && w->in.at[k].shared))
				vec_push(&p->v, pending);
		}
}

static void wdp_access(struct order *o, struct actor *t, const struct access *a)
{
	struct wdp *wdp = (struct wdp *)o;

	vec_extend(&wdp->writers, (size_t)a->variable + 1);
	struct writer *w = &wdp->writers.at[a->variable];

	if (a->reads && w->thread != t->thread)
		note_read(wdp, t, a, w);
	if (!a->writes)
		return;
	w->thread = t->thread;
	w->in.n = 0;
	for (size_t i = 0; a->counts && i < t->open.n; i++) {
		const struct open_section *h = &t->open.at[i];
		struct writer_section in = {h->lock, h->shared, h->section};

		vec_push(&w->in, in);
	}
}

static bool branch_depends(const struct event *branch, uint64_t read)
{
	const struct event_more *more = branch->more;

	if (more && more->expr) {
		for (uint32_t i = 0; i < more->expr->count; i++)
			if (more->expr->nodes[i].op == OP_READ &&
			    more->expr->nodes[i].value == read)
				return true;
		return false;
	}
	if (!more || !more->reads_given)
		return true;
	for (uint32_t i = 0; i < more->read_count; i++)
		if (more->reads[i] == read)
			return true;
	return false;
}

static void wdp_branch(struct order *o, struct actor *t, const struct event *e)
{
	struct wdp *wdp = (struct wdp *)o;
	struct pendings *p = pendings_of(wdp, t);
	size_t kept = 0;

	for (size_t i = 0; i < p->v.n; i++)
		if (branch_depends(e, p->v.at[i].read))
			section_log_learn(&wdp->sections, p->v.at[i].section,
					  &order_knows(o, t)->clock[0]);
		else
			p->v.at[kept++] = p->v.at[i];
	p->v.n = kept;
}

static void wdp_mark(struct order *o)
{
	struct wdp *wdp = (struct wdp *)o;

	for (size_t x = 0; x < wdp->writers.n; x++)
		for (size_t i = 0; i < wdp->writers.at[x].in.n; i++)
			section_log_mark(&wdp->sections, wdp->writers.at[x].in.at[i].section);
	for (size_t s = 0; s < wdp->slots.n; s++)
		for (size_t i = 0; i < wdp->slots.at[s].v.n; i++)
			section_log_mark(&wdp->sections, wdp->slots.at[s].v.at[i].section);
}

static void wdp_collect(struct order *o)
{
	struct wdp *wdp = (struct wdp *)o;

	if (!section_log_collect(&wdp->sections, &(struct section_users){.mark = wdp_mark}, o))
		return;
	for (size_t s = 0; s < wdp->slots.n; s++) {
		struct pendings *p = &wdp->slots.at[s];
		size_t kept = 0;

		for (size_t i = 0; i < p->v.n; i++)
			if (section_log_get(&wdp->sections, p->v.at[i].section))
				p->v.at[kept++] = p->v.at[i];
		p->v.n = kept;
	}
}

static void wdp_finish(struct order *o)
{
	struct wdp *wdp = (struct wdp *)o;

	for (size_t i = 0; i < wdp->writers.n; i++)
		vec_release(&wdp->writers.at[i].in);
	for (size_t i = 0; i < wdp->slots.n; i++)
		vec_release(&wdp->slots.at[i].v);
	vec_release(&wdp->writers);
	vec_release(&wdp->slots);
	section_log_release(&wdp->sections);
}

const struct order_kind order_wdp = {
	.name = "wdp",
	.title = "weak-dependently-precedes",
	.size = sizeof(struct wdp),
	.clocks = 1,
	.acquire = wdp_acquire,
	.leave = wdp_leave,
	.release = wdp_release,
	.access = wdp_access,
	.branch = wdp_branch,
	.collect = wdp_collect,
	.finish = wdp_finish,
};
