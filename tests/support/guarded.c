/* SPDX-License-Identifier: MIT */
#include "tests/support/guarded.h"

#include "tests/support/maker.h"

struct side {
	uint32_t thread;
	/* of the loop, the three lines in it, and of x++ */
	uint32_t loop, lock, y, unlock, x;
};

struct run {
	struct maker m;
	const struct guarded *g;
	struct side main, worker;
	uint32_t mutex, x, y;
};

static void increment(struct run *r, const struct side *s, uint32_t variable, uint32_t place)
{
	uint64_t read = maker_read(&r->m, s->thread, variable, place);
	struct from from =
		r->g->values == GUARDED_EXPRESSIONS ? from_expr(OP_ADD, read, 1) : from_read(read);

	maker_write(&r->m, s->thread, variable, r->m.values.at[variable] + 1, from, place);
}

static void round_of(struct run *r, const struct side *s)
{
	maker_branch(&r->m, s->thread, from_nothing(), s->loop);
	maker_put(&r->m, s->thread, EV_ACQUIRE, r->mutex, s->lock);
	increment(r, s, r->y, s->y);
	maker_put(&r->m, s->thread, EV_RELEASE, r->mutex, s->unlock);
}

static struct side side_of(struct run *r, const char *name, uint32_t x, uint32_t loop)
{
	return (struct side){
		.thread = maker_name(&r->m, CLASS_THREAD, "%s", name),
		.loop = maker_place(&r->m, "fig517.c:%u", loop),
		.lock = maker_place(&r->m, "fig517.c:%u", loop + 1),
		.y = maker_place(&r->m, "fig517.c:%u", loop + 2),
		.unlock = maker_place(&r->m, "fig517.c:%u", loop + 3),
		.x = maker_place(&r->m, "fig517.c:%u", x),
	};
}

int guarded_write(const struct guarded *g, struct output *out, const char *format, struct err *err)
{
	struct run r = {.g = g};
	struct maker *m = &r.m;

	maker_start(m, out, format);
	r.main = side_of(&r, "main", 5, 6);
	r.worker = side_of(&r, "worker", 20, 15);
	r.mutex = maker_name(m, CLASS_LOCK, "m");
	r.x = maker_name(m, CLASS_VARIABLE, "x");
	r.y = maker_name(m, CLASS_VARIABLE, "y");
	maker_put(m, r.main.thread, EV_FORK, r.worker.thread, maker_place(m, "fig517.c:4"));
	increment(&r, &r.main, r.x, r.main.x);
	maker_put(m, r.worker.thread, EV_BEGIN, 0, maker_place(m, "fig517.c:14"));
	for (uint32_t i = 0; i < g->rounds; i++) {
		round_of(&r, &r.main);
		if (g->order == GUARDED_ALTERNATING)
			round_of(&r, &r.worker);
	}
	for (uint32_t i = 0; g->order == GUARDED_MAIN_FIRST && i < g->rounds; i++)
		round_of(&r, &r.worker);
	maker_branch(m, r.worker.thread, from_nothing(), r.worker.loop);
	increment(&r, &r.worker, r.x, r.worker.x);
	maker_put(m, r.worker.thread, EV_END, 0, maker_place(m, "fig517.c:21"));
	maker_branch(m, r.main.thread, from_nothing(), r.main.loop);
	maker_put(m, r.main.thread, EV_JOIN, r.worker.thread, maker_place(m, "fig517.c:11"));
	maker_put(m, r.main.thread, EV_END, 0, maker_place(m, "fig517.c:12"));
	return maker_finish(m, err);
}
