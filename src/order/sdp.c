/* SPDX-License-Identifier: MIT */
/*
 * sdp: wcp, but two writes order nothing at once (doc/model.md): r1 → the first later read of
 * that variable by the second writer's thread; and r1 → r2 if some other pair of sections CS3,
 * CS4 has conflicting writes w3, w4 with a1 ≤HB r3 and w4 ≤HB r2.
 *
 * clock[0] is HB, clock[1] SDP. For the last rule each thread carries along HB what was
 * known at the end of every such CS3: the latest times, and because the pair (CS1, CS2) itself
 * does not count, for each time the pair that it came from, and the latest time from any
 * other pair.
 */
#include "order/front.h"
#include "order/section_log.h"

struct support {
	uint32_t time, other_time;
	uint64_t pair, other_pair; /* section numbers of CS3 and CS4; different if other_time > 0 */
};

/* By slot. */
struct supports {
	uint32_t n, capacity;
	struct support *at;
};

struct sdp {
	struct order order;
	struct section_log sections;
	struct touches touches;	 /* by lock and variable */
	struct touches pendings; /* by thread and variable: writes that wait for a read */
};

static void add_support(struct support *s, uint32_t time, uint64_t pair)
{
	if (!time)
		return;
	if (s->pair == pair && s->time) {
		s->time = time > s->time ? time : s->time;
	} else if (time > s->time) {
		s->other_time = s->time;
		s->other_pair = s->pair;
		s->time = time;
		s->pair = pair;
	} else if (s->other_pair == pair && s->other_time) {
		s->other_time = time > s->other_time ? time : s->other_time;
	} else if (time > s->other_time) {
		s->other_time = time;
		s->other_pair = pair;
	}
	/* the second may have overtaken the first of another pair only by equal times */
}

static struct supports *grow_supports(void **extra, uint32_t n)
{
	struct supports *s = *extra ? *extra : mem_alloc_zero(1, sizeof(*s));

	*extra = s;
	if (n > s->capacity) {
		s->capacity = n < 8 ? 8 : n + n / 2;
		s->at = mem_resize(s->at, s->capacity * sizeof(*s->at));
	}
	if (n > s->n) {
		memset(s->at + s->n, 0, (n - s->n) * sizeof(*s->at));
		s->n = n;
	}
	return s;
}

static void sdp_join_extra(void **to, const void *from)
{
	const struct supports *f = from;
	struct supports *s = grow_supports(to, f->n);

	for (uint32_t i = 0; i < f->n; i++) {
		if (f->at[i].time <= s->at[i].other_time)
			continue; /* two pairs know as much */
		if (!s->at[i].time) {
			s->at[i] = f->at[i];
			continue;
		}
		add_support(&s->at[i], f->at[i].time, f->at[i].pair);
		add_support(&s->at[i], f->at[i].other_time, f->at[i].other_pair);
	}
}

static void sdp_copy_extra(void **to, const void *from)
{
	const struct supports *f = from;
	struct supports *s = grow_supports(to, f->n);

	memcpy(s->at, f->at, f->n * sizeof(*s->at));
}

static void sdp_free_extra(void *extra)
{
	mem_free(((struct supports *)extra)->at);
	mem_free(extra);
}

static void sdp_start(struct order *o)
{
	o->clock_table.join_extra = sdp_join_extra;
	o->clock_table.copy_extra = sdp_copy_extra;
	o->clock_table.free_extra = sdp_free_extra;
}

static void sdp_acquire(struct order *o, struct actor *t, struct open_section *h)
{
	h->section = section_log_open(&((struct sdp *)o)->sections, t, h);
}

/* The last rule, for the sections of one slot on the lock that t leaves. */
static void follow_supports(struct sdp *sdp, const struct section_queue *q, const struct support *s,
			    const struct open_section *h, struct clock *clock)
{
	const struct queued_section *latest = section_queue_latest(q, s->time);

	if (!latest)
		return;
	uint64_t pair = (uint64_t)latest->number << 32 | h->number;

	/* all that supports it may be the pair itself; the section before is then supported */
	if (pair == s->pair && s->other_time < latest->acquire_time && latest-- == q->v.at)
		return;
	section_log_learn(&sdp->sections, latest->section, clock);
}

static void sdp_leave(struct order *o, struct actor *t, struct open_section *h)
{
	struct sdp *sdp = (struct sdp *)o;
	struct knowledge *k = order_knows(o, t);
	const struct supports *supports = k->extra;

	for (size_t i = 0; supports && h->lock < sdp->sections.locks.n &&
			   i < sdp->sections.locks.at[h->lock].by_slot.n;
	     i++) {
		const struct section_queue *q = &sdp->sections.locks.at[h->lock].by_slot.at[i];

		if (q->slot < supports->n && q->slot != t->slot && !(q->shared && h->shared) &&
		    clock_get(&k->clock[1], q->slot) < q->last_release)
			follow_supports(sdp, q, &supports->at[q->slot], h, &k->clock[1]);
	}
	section_log_follow(&sdp->sections, t, h, &k->clock[1],
			   &o->front->mhb.slots.at[t->slot].clock[0]);
}

static void sdp_release(struct order *o, struct actor *t, struct open_section *h)
{
	struct sdp *sdp = (struct sdp *)o;

	section_log_close(&sdp->sections, h->section, t, &order_knows(o, t)->clock[0]);
	section_queue_add(&sdp->sections, h->lock, h->section, UINT32_MAX);
}

/* w3 in that section, w4 in h now. */
static void note_writes(struct sdp *sdp, const struct actor *t, const struct access *a,
			const struct open_section *h, const struct touch *other, void **extra)
{
	const struct logged_section *cs3 = section_log_get(&sdp->sections, other->section);

	if (!cs3 || !cs3->release_time) /* still open: only if the trace was not checked */
		return;
	struct supports *s = grow_supports(extra, cs3->known.n);
	uint64_t pair = (uint64_t)cs3->number << 32 | h->number;

	/* if two other pairs know of its end, they know all that it would add */
	if (s->at[cs3->slot].other_time < cs3->release_time)
		for (uint32_t i = 0; i < cs3->known.n; i++)
			add_support(&s->at[i], cs3->known.at[i], pair);
	if (a->reads)
		return; /* an rmw learns at once */
	struct touch_key *key = touches_of(&sdp->pendings, t->thread, a->variable);

	TOUCH_EACH (pending, &sdp->pendings, key->writers) {
		const struct logged_section *before =
			section_log_get(&sdp->sections, pending->section);

		if (pending->thread == other->thread && before &&
		    before->release_time >= cs3->release_time)
			return;
	}
	touches_add(&sdp->pendings, &key->writers, other->thread, false, other->section);
}

static void learn_pendings(struct sdp *sdp, const struct actor *t, const struct access *a,
			   struct clock *clock)
{
	struct touch_key *key = touches_find(&sdp->pendings, t->thread, a->variable);

	if (!key)
		return;
	TOUCH_EACH (pending, &sdp->pendings, key->writers)
		section_log_learn(&sdp->sections, pending->section, clock);
	touches_clear(&sdp->pendings, &key->writers);
}

/*
 * A write stands for the writes before it: what reads it learns of them as well, and for what
 * writes after it, it supports all that they would. But it learned nothing of them, so it
 * does not stand for reads.
 */
static void note_touch(struct sdp *sdp, const struct actor *t, const struct access *a,
		       const struct open_section *h, struct touch_key *key)
{
	if (a->writes) {
		if (!h->shared)
			touches_clear(&sdp->touches, &key->writers);
		touches_add(&sdp->touches, &key->writers, t->thread, h->shared, h->section);
	}
	if (a->reads) {
		touches_add(&sdp->touches, &key->readers, t->thread, h->shared, h->section);
		if (!h->shared)
			touches_cut(&sdp->touches, &key->readers);
	}
}

static void sdp_access(struct order *o, struct actor *t, const struct access *a)
{
	struct sdp *sdp = (struct sdp *)o;
	struct knowledge *k = order_knows(o, t);

	if (!a->counts)
		return;
	if (a->reads)
		learn_pendings(sdp, t, a, &k->clock[1]);
	for (size_t i = 0; i < t->open.n; i++) {
		const struct open_section *h = &t->open.at[i];
		struct touch_key *key = touches_of(&sdp->touches, h->lock, a->variable);

		TOUCH_EACH (other, &sdp->touches, key->writers) {
			if (other->thread == t->thread || (other->shared && h->shared))
				continue;
			if (a->reads)
				section_log_learn(&sdp->sections, other->section, &k->clock[1]);
			if (a->writes)
				note_writes(sdp, t, a, h, other, &k->extra);
		}
		TOUCH_EACH (other, &sdp->touches, a->writes ? key->readers : 0)
			if (other->thread != t->thread && !(other->shared && h->shared))
				section_log_learn(&sdp->sections, other->section, &k->clock[1]);
		note_touch(sdp, t, a, h, key);
	}
}

static void sdp_collect(struct order *o)
{
	struct sdp *sdp = (struct sdp *)o;
	const struct section_users users = {.touches = {&sdp->touches, &sdp->pendings}};

	section_log_collect(&sdp->sections, &users, o);
}

static void sdp_finish(struct order *o)
{
	struct sdp *sdp = (struct sdp *)o;

	section_log_release(&sdp->sections);
	touches_release(&sdp->touches);
	touches_release(&sdp->pendings);
}

const struct order_kind order_sdp = {
	.name = "sdp",
	.title = "strong-dependently-precedes",
	.size = sizeof(struct sdp),
	.clocks = 2,
	.race_clock = 1,
	.hb = true,
	.start = sdp_start,
	.acquire = sdp_acquire,
	.leave = sdp_leave,
	.release = sdp_release,
	.access = sdp_access,
	.collect = sdp_collect,
	.finish = sdp_finish,
};
