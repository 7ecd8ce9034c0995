/* SPDX-License-Identifier: MIT */
/*
 * wcp: r1 → e2 if e1 and e2 conflict; r1 → r2 if a1 → r2 in WCP or MHB; composed with HB on
 * both sides. clock[0] is HB, clock[1] WCP: composition on the left is that sections hand
 * on what HB knew at their end, on the right that the front hands both on along HB.
 */
#include "order/front.h"
#include "order/section_log.h"

struct wcp {
	struct order order;
	struct section_log sections;
	struct touches touches; /* by lock and variable */
};

static void wcp_acquire(struct order *o, struct actor *t, struct open_section *h)
{
	h->section = section_log_open(&((struct wcp *)o)->sections, t, h);
}

static void wcp_leave(struct order *o, struct actor *t, struct open_section *h)
{
	section_log_follow(&((struct wcp *)o)->sections, t, h, &order_knows(o, t)->clock[1],
			   &o->front->mhb.slots.at[t->slot].clock[0]);
}

static void wcp_release(struct order *o, struct actor *t, struct open_section *h)
{
	struct wcp *wcp = (struct wcp *)o;

	section_log_close(&wcp->sections, h->section, t, &order_knows(o, t)->clock[0]);
	section_queue_add(&wcp->sections, h->lock, h->section, t->hard_time);
}

static void wcp_access(struct order *o, struct actor *t, const struct access *a)
{
	struct wcp *wcp = (struct wcp *)o;

	touches_apply(&wcp->touches, &wcp->sections, t, a, &order_knows(o, t)->clock[1], true);
}

static void wcp_collect(struct order *o)
{
	struct wcp *wcp = (struct wcp *)o;

	section_log_collect(&wcp->sections, &(struct section_users){.touches = {&wcp->touches}}, o);
}

static void wcp_finish(struct order *o)
{
	struct wcp *wcp = (struct wcp *)o;

	section_log_release(&wcp->sections);
	touches_release(&wcp->touches);
}

const struct order_kind order_wcp = {
	.name = "wcp",
	.title = "weak-causally-precedes",
	.size = sizeof(struct wcp),
	.locksets = LOCKSETS_FILTER,
	.clocks = 2,
	.race_clock = 1,
	.hb = true,
	.acquire = wcp_acquire,
	.leave = wcp_leave,
	.release = wcp_release,
	.access = wcp_access,
	.collect = wcp_collect,
	.finish = wcp_finish,
};
