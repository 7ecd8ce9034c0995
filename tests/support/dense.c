/* SPDX-License-Identifier: MIT */
#include "tests/support/dense.h"

#include "tests/support/maker.h"
#include "tests/support/random.h"

#define THREADS_MAX 16
#define VARIABLES 6
#define LOCKS 3
#define DEPTH 2
#define VALUES 3

struct thread {
	uint32_t name;
	uint32_t held[DEPTH], depth;
	uint64_t read; /* the last one, 0: none */
	int64_t value;
	bool fresh; /* no branch has followed it yet */
};

struct world {
	struct maker m;
	struct random random;
	struct thread threads[THREADS_MAX];
	uint32_t variables[VARIABLES], locks[LOCKS];
	bool taken[LOCKS];
	uint32_t lines;
};

static uint32_t below(struct world *w, uint32_t n)
{
	return random_below(&w->random, n);
}

/* Each event has a place of its own: queries are about events here. */
static uint32_t here(struct world *w)
{
	return maker_place(&w->m, "dense.c:%u", ++w->lines);
}

/* In ascending order, so that the run never hangs. */
static bool take_lock(struct world *w, struct thread *t)
{
	uint32_t least = t->depth ? t->held[t->depth - 1] + 1 : 0;

	if (t->depth == DEPTH || least == LOCKS)
		return false;
	uint32_t lock = least + below(w, LOCKS - least);

	if (w->taken[lock])
		return false;
	w->taken[lock] = true;
	t->held[t->depth++] = lock;
	maker_put(&w->m, t->name, EV_ACQUIRE, w->locks[lock], here(w));
	return true;
}

static void give_lock(struct world *w, struct thread *t)
{
	uint32_t lock = t->held[--t->depth];

	w->taken[lock] = false;
	maker_put(&w->m, t->name, EV_RELEASE, w->locks[lock], here(w));
}

static void branch(struct world *w, struct thread *t)
{
	struct from from = from_read(t->read);
	uint32_t dice = below(w, 20);

	if (dice == 0)
		from = (struct from){0}; /* on all that the thread has read */
	else if (dice < 6)
		from = t->value ? from_expr(OP_GE, t->read, t->value)
				: from_expr(OP_NE, t->read, 1 + below(w, VALUES - 1));
	t->fresh = false;
	maker_branch(&w->m, t->name, from, here(w));
}

static void access(struct world *w, struct thread *t)
{
	/* In a section mostly what its lock is for, else anything. */
	uint32_t v = t->depth && below(w, 4)
			     ? t->held[t->depth - 1] + LOCKS * below(w, VARIABLES / LOCKS)
			     : below(w, VARIABLES);
	uint32_t variable = w->variables[v];

	if (below(w, 2)) {
		t->read = maker_read(&w->m, t->name, variable, here(w));
		t->value = w->m.values.at[variable];
		t->fresh = true;
	} else if (t->read && below(w, 3) == 0) {
		int64_t mask = below(w, VALUES);

		/* & keeps it among the values */
		maker_write(&w->m, t->name, variable, t->value & mask,
			    from_expr(OP_AND_BITS, t->read, mask), here(w));
	} else {
		bool known = t->read && below(w, 4) == 0;

		maker_write(&w->m, t->name, variable, below(w, VALUES),
			    known ? from_read(t->read) : from_nothing(), here(w));
	}
}

static void step(struct world *w, struct thread *t)
{
	uint32_t dice = below(w, 100);

	if (dice < 25 && take_lock(w, t))
		return;
	if (t->depth && dice < 45)
		give_lock(w, t);
	else if (t->fresh && dice >= 45)
		branch(w, t);
	else
		access(w, t);
}

int dense_write(const struct dense *d, struct output *out, const char *format, struct err *err)
{
	struct world w = {.random = random_seeded(d->seed * 1000 + d->events + d->threads)};

	ASSERT(d->threads && d->threads <= THREADS_MAX);
	maker_start(&w.m, out, format);
	for (uint32_t i = 0; i < d->threads; i++)
		w.threads[i].name = maker_name(&w.m, CLASS_THREAD, "t%u", i + 1);
	for (uint32_t i = 0; i < VARIABLES; i++)
		w.variables[i] = maker_name(&w.m, CLASS_VARIABLE, "v%u", i);
	for (uint32_t i = 0; i < LOCKS; i++)
		w.locks[i] = maker_name(&w.m, CLASS_LOCK, "l%u", i);
	while (w.m.made < d->events)
		step(&w, &w.threads[below(&w, d->threads)]);
	return maker_finish(&w.m, err);
}
