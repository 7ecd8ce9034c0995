/* SPDX-License-Identifier: MIT */
/* "It is as recorded": against the template itself, over random templates and values. */
#include "record/write/same.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

struct run {
	uint64_t read, recorded;
};

static bool look_up(void *context, uint64_t number, int64_t *value)
{
	const struct run *run = context;

	*value = (int64_t)(number == SAME_RECORDED ? run->recorded : run->read);
	return true;
}

static uint64_t value_of(const struct expr *e, uint64_t read, uint64_t recorded)
{
	struct run run = {read, recorded};
	int64_t value = 0;

	ASSERT_TRUE(expr_value(e, look_up, &run, &value));
	return (uint64_t)value;
}

/* Sums and products with constants, around something that may be small. */
static const struct expr *random_template(struct random *r, struct expr_builder *b,
					  struct arena *memory)
{
	static const enum expr_op inner[] = {OP_AND_BITS, OP_REM_U, OP_TRUNC8, OP_TRUNC32,
					     OP_SHR,	  OP_READ,  OP_MUL};
	static const int64_t constants[] = {8, 63, -8, 0, 1, 94225984945664, INT64_MIN, 24};

	expr_builder_reset(b);
	uint32_t part = expr_add_read(b, 0);
	enum expr_op op = inner[random_below(r, 7)];

	if (op == OP_TRUNC8 || op == OP_TRUNC32)
		part = expr_add1(b, op, part);
	else if (op != OP_READ)
		part = expr_add2(b, op, part, expr_add_const(b, 1 + (int64_t)random_below(r, 64)));
	for (unsigned n = random_below(r, 4); n; n--) {
		uint32_t constant = expr_add_const(b, constants[random_below(r, 8)]);

		op = random_below(r, 2) ? OP_ADD : OP_MUL;
		part = random_below(r, 2) ? expr_add2(b, op, part, constant)
					  : expr_add2(b, op, constant, part);
	}
	return expr_take(b, part, EXPR_NODES_MAX, memory);
}

static uint64_t random_read(struct random *r)
{
	uint64_t x = random_next(r);

	return x >> random_below(r, 64);
}

TAP_CASE(random_templates)
{
	struct random r = random_seeded(1);
	struct expr_builder b = {0};
	struct arena memory = {0};
	struct sames sames = {0};
	unsigned shorter = 0;

	for (unsigned i = 0; i < TAP_PART(20000); i++) {
		const struct expr *e = random_template(&r, &b, &memory);
		const struct same *s = same_of(&sames, e, &b, &memory);
		uint64_t then = random_read(&r);
		uint64_t now = random_below(&r, 2) ? then + 64 : random_read(&r);
		uint64_t recorded = value_of(e, then, 0);

		tap_at("template %u", i);
		ASSERT_EQ(value_of(s->expr, now, same_recorded(s, recorded)),
			  value_of(e, now, 0) == recorded);
		shorter += s->expr->count < e->count + 2;
	}
	ASSERT_TRUE(shorter > TAP_PART(5000));
	mem_free(sames.at.at);
	expr_builder_release(&b);
	arena_release(&memory);
}
