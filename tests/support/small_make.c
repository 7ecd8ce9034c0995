/* SPDX-License-Identifier: MIT */
/* Making small programs, and printing them. */
#include "tests/support/small_program.h"

#include "base/err.h"

#include <string.h>

struct maker {
	struct small_program *p;
	const struct small_shape *shape;
	struct random *r;
	uint32_t thread;
	uint32_t left; /* operations */
	bool held[SMALL_LOCKS];
	uint32_t forked; /* threads so far */
};

static uint32_t emit(struct maker *m, struct small_op op)
{
	uint32_t at = m->p->length[m->thread];

	ASSERT(at < SMALL_OPS);
	m->p->ops[m->thread][at] = op;
	m->p->length[m->thread]++;
	m->left -= m->left > 0;
	return at;
}

static uint8_t any_register(struct maker *m)
{
	return (uint8_t)random_below(m->r, SMALL_REGISTERS);
}

static void make_block(struct maker *m, uint32_t depth, uint32_t count);

/* A register that was just read, mostly: else a condition on it is none. */
static uint8_t fresh_register(struct maker *m)
{
	uint8_t reg = any_register(m);

	if (random_percent(m->r, 80))
		emit(m, (struct small_op){.kind = SMALL_LOAD,
					  .reg = reg,
					  .object = (uint8_t)random_below(m->r, 2)});
	return reg;
}

static void make_arm(struct maker *m, uint32_t depth)
{
	make_block(m, depth + 1, 1 + random_below(m->r, 2));
}

static void make_if(struct maker *m, uint32_t depth)
{
	static const uint8_t told[] = {SMALL_UNLESS, SMALL_UNLESS_SAME, SMALL_UNLESS,
				       SMALL_UNLESS_SAME},
			     all[] = {SMALL_UNLESS, SMALL_UNLESS_SAME, SMALL_UNLESS_UNTOLD,
				      SMALL_UNLESS_BARE};
	struct small_op op = {.kind = (m->shape->untold ? all : told)[random_below(m->r, 4)],
			      .reg = fresh_register(m),
			      .constant = (int8_t)random_below(m->r, 4)};
	uint32_t at = emit(m, op);

	make_arm(m, depth);
	if (random_percent(m->r, 50)) {
		uint32_t jump = emit(m, (struct small_op){.kind = SMALL_JUMP});

		m->p->ops[m->thread][at].target = (uint8_t)m->p->length[m->thread];
		make_arm(m, depth);
		m->p->ops[m->thread][jump].target = (uint8_t)m->p->length[m->thread];
	} else {
		m->p->ops[m->thread][at].target = (uint8_t)m->p->length[m->thread];
	}
}

/* if (x == 1) A; else if (x == 2) B; else C */
static void make_switch(struct maker *m, uint32_t depth)
{
	uint8_t reg = fresh_register(m);
	uint32_t jumps[3];

	emit(m, (struct small_op){.kind = SMALL_SWITCH,
				  .reg = reg,
				  .constant = (int8_t)random_below(m->r, 2),
				  .other = 2});

	for (int i = 0; i < 3; i++)
		jumps[i] = emit(m, (struct small_op){.kind = SMALL_JUMP});
	for (int i = 0; i < 3; i++) {
		uint32_t out;

		m->p->ops[m->thread][jumps[i]].target = (uint8_t)m->p->length[m->thread];
		make_arm(m, depth);
		out = emit(m, (struct small_op){.kind = SMALL_JUMP});
		m->p->ops[m->thread][out].target = (uint8_t)(out + 1);
		jumps[i] = out;
	}
	for (int i = 0; i < 3; i++)
		m->p->ops[m->thread][jumps[i]].target = (uint8_t)m->p->length[m->thread];
}

/* Some sections are to wait in. */
static void make_wait(struct maker *m, uint8_t lock)
{
	if (m->shape->waits && random_percent(m->r, 60))
		emit(m, (struct small_op){.kind = random_percent(m->r, 40) ? SMALL_WAIT_LIMITED
									   : SMALL_WAIT,
					  .reg = any_register(m),
					  .other = (int8_t)lock});
}

static void make_section(struct maker *m, uint32_t depth)
{
	uint8_t lock = (uint8_t)random_below(m->r, SMALL_LOCKS);

	if (m->held[lock] || !m->shape->locks)
		return;
	m->held[lock] = true;
	if (m->shape->tries && random_percent(m->r, 40)) {
		uint8_t reg = any_register(m);

		emit(m, (struct small_op){.kind = SMALL_TRY, .object = lock, .reg = reg});
		uint32_t at = emit(
			m, (struct small_op){.kind = SMALL_UNLESS_SAME, .reg = reg, .constant = 1});

		make_arm(m, depth);
		emit(m, (struct small_op){.kind = SMALL_UNLOCK, .object = lock});
		m->p->ops[m->thread][at].target = (uint8_t)m->p->length[m->thread];
	} else {
		emit(m, (struct small_op){.kind = SMALL_LOCK, .object = lock});
		make_wait(m, lock);
		make_arm(m, depth);
		emit(m, (struct small_op){.kind = SMALL_UNLOCK, .object = lock});
	}
	m->held[lock] = false;
}

static void make_access(struct maker *m)
{
	static const uint8_t told[] = {SMALL_LOAD,  SMALL_LOAD,	       SMALL_LOAD,
				       SMALL_STORE, SMALL_STORE_CONST, SMALL_STORE_CONST,
				       SMALL_ADD},
			     all[] = {SMALL_LOAD,	  SMALL_LOAD_INDEX, SMALL_LOAD,
				      SMALL_STORE_UNTOLD, SMALL_STORE,	    SMALL_STORE_CONST,
				      SMALL_ADD_UNTOLD};
	struct small_op op = {
		.kind = (m->shape->untold && random_percent(m->r, 60)
				 ? all
				 : told)[random_below(m->r, 7)],
		.reg = any_register(m),
		.object = (uint8_t)random_below(m->r, m->shape->untold ? SMALL_VARIABLES : 2),
		.constant = (int8_t)(1 + random_below(m->r, 3))};

	emit(m, op);
}

static void make_sync(struct maker *m)
{
	static const uint8_t tokens[] = {SMALL_POST, SMALL_POST, SMALL_TAKE, SMALL_TRY_TAKE};
	uint8_t kind = random_percent(m->r, 50) ? SMALL_SIGNAL : SMALL_BROADCAST;

	if (m->shape->semaphores && (!m->shape->waits || random_percent(m->r, 50)))
		kind = tokens[random_below(m->r, 4)];
	emit(m, (struct small_op){.kind = kind, .reg = any_register(m)});
}

static void make_fork(struct maker *m)
{
	if (m->forked < m->p->threads)
		emit(m, (struct small_op){.kind = SMALL_FORK, .object = (uint8_t)m->forked++});
}

static void make_block(struct maker *m, uint32_t depth, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t what = random_below(m->r, 100);

		if (m->p->length[m->thread] > SMALL_OPS - 20)
			return;
		if (m->left && depth < 2 && what < 25)
			make_if(m, depth);
		else if (m->left && depth < 1 && what < 30)
			make_switch(m, depth);
		else if (m->left && depth < 2 && what < 45)
			make_section(m, depth);
		else if (m->shape->late_forks && depth && what < 55)
			make_fork(m);
		else if (m->shape->asserts && what < 62)
			emit(m, (struct small_op){.kind = SMALL_ASSERT,
						  .reg = fresh_register(m),
						  .constant = (int8_t)(1 + random_below(m->r, 3))});
		else if ((m->shape->waits || m->shape->semaphores) && what < 80)
			make_sync(m);
		else
			make_access(m);
	}
}

void small_make(struct small_program *p, const struct small_shape *shape, struct random *r)
{
	uint32_t eager;

	memset(p, 0, sizeof(*p));
	p->threads = 2 + random_below(r, shape->threads - 1);
	p->exits = shape->exits && random_percent(r, 50);
	p->cuts = p->exits || shape->asserts || shape->locks || shape->semaphores;
	struct maker m = {.p = p, .shape = shape, .r = r, .forked = 1};

	eager = shape->late_forks ? 1 + random_below(r, p->threads - 1) : p->threads - 1;
	for (uint32_t i = 0; i < eager; i++)
		make_fork(&m);
	m.left = shape->ops;
	make_block(&m, 0, random_below(r, shape->ops + 1));
	if (!p->exits)
		for (uint32_t t = 1; t <= eager; t++)
			emit(&m, (struct small_op){.kind = SMALL_JOIN, .object = (uint8_t)t});
	for (m.thread = 1; m.thread < p->threads; m.thread++) {
		m.left = shape->ops;
		make_block(&m, 0, 1 + random_below(r, shape->ops));
		emit(&m, (struct small_op){.kind = SMALL_END});
	}
	m.thread = 0;
	emit(&m, (struct small_op){.kind = SMALL_END});
	/* threads that were forked late outlive main */
	p->cuts |= shape->late_forks;
}

void small_print(const struct small_program *p, FILE *out)
{
	static const char *const names[] = {
		"end",	"load",	      "load-index", "store",	    "store-const",   "store-untold",
		"add",	"add-untold", "lock",	    "unlock",	    "try",	     "fork",
		"join", "unless<",    "unless=",    "switch",	    "unless-untold", "unless-bare",
		"jump", "assert!=",   "wait",	    "wait-limited", "signal",	     "broadcast",
		"post", "take",	      "try-take"};

	for (uint32_t t = 0; t < p->threads; t++)
		for (uint32_t i = 0; i < p->length[t]; i++) {
			const struct small_op *op = &p->ops[t][i];

			fprintf(out, "# t%u:%u %s r%u o%u c%d,%d ->%u\n", t, i, names[op->kind],
				op->reg, op->object, op->constant, op->other, op->target);
		}
}
