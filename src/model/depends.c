/* SPDX-License-Identifier: MIT */
#include "model/depends.h"

#include "trace/expr.h"

void depends_of(const struct event *e, struct depends *d)
{
	const struct event_more *more = e->more;

	d->on_all = false;
	d->named.n = 0;
	if (!event_is(e, EV_DEPENDS))
		return;
	if (more && more->expr) {
		for (uint32_t i = 0; i < more->expr->count; i++)
			if (more->expr->nodes[i].op == OP_READ)
				vec_push(&d->named, (uint32_t)more->expr->nodes[i].value);
	} else if (more && more->reads_given) {
		for (uint32_t i = 0; i < more->read_count; i++)
			vec_push(&d->named, (uint32_t)more->reads[i]);
	} else {
		d->on_all = true;
	}
}
