/* SPDX-License-Identifier: MIT */
/*
 * dc: MHB; r1 → e2 if e1 and e2 conflict; r1 → r2 if a1 → r2. Nothing goes on along
 * locks, semaphores or atomic variables but by these rules.
 */
#include "order/section_log.h"

struct dc {
	struct order order;
	struct section_log sections;
	struct touches touches; /* by lock and variable */
};

static void dc_acquire(struct order *o, struct actor *t, struct open_section *h)
{
	h->section = section_log_open(&((struct dc *)o)->sections, t, h);
}

static void dc_leave(struct order *o, struct actor *t, struct open_section *h)
{
	section_log_follow(&((struct dc *)o)->sections, t, h, &order_knows(o, t)->clock[0], NULL);
}

static void dc_release(struct order *o, struct actor *t, struct open_section *h)
{
	struct dc *dc = (struct dc *)o;

	section_log_close(&dc->sections, h->section, t, &order_knows(o, t)->clock[0]);
	/* who knows of the beginning alone can only have learned it inside */
	if (h->acquire_time < t->time)
		section_queue_add(&dc->sections, h->lock, h->section, UINT32_MAX);
}

static void dc_access(struct order *o, struct actor *t, const struct access *a)
{
	struct dc *dc = (struct dc *)o;

	touches_apply(&dc->touches, &dc->sections, t, a, &order_knows(o, t)->clock[0], false);
}

static void dc_collect(struct order *o)
{
	struct dc *dc = (struct dc *)o;

	section_log_collect(&dc->sections, &(struct section_users){.touches = {&dc->touches}}, o);
}

static void dc_finish(struct order *o)
{
	struct dc *dc = (struct dc *)o;

	section_log_release(&dc->sections);
	touches_release(&dc->touches);
}

const struct order_kind order_dc = {
	.name = "dc",
	.title = "doesn't-commute",
	.size = sizeof(struct dc),
	.locksets = LOCKSETS_FILTER,
	.clocks = 1,
	.acquire = dc_acquire,
	.leave = dc_leave,
	.release = dc_release,
	.access = dc_access,
	.collect = dc_collect,
	.finish = dc_finish,
};
