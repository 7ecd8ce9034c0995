/* SPDX-License-Identifier: MIT */
#include "tests/support/value_program.h"

#include "base/mem.h"

#include <string.h>

const char *const value_how_text[] = {"%0",
				      "(+ %0 %1 1)",
				      "(& (>>u %0 1) 3)",
				      "(ite (< (sext8 %0) 2) %1 %2)",
				      "(<u %0 %1)",
				      "(| (<< %0 8) (trunc8 %1))",
				      NULL,
				      NULL};
const unsigned value_how_inputs[] = {1, 2, 1, 3, 2, 2, 2, 0};

uint64_t value_cut(uint64_t value, unsigned size)
{
	return size < 8 ? value & (((uint64_t)1 << (8 * size)) - 1) : value;
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
	return (hash ^ word) * 0x9e3779b97f4a7c15u >> 7;
}

static uint64_t make_value(const struct value_op *op, const uint64_t *in, uint64_t seen)
{
	switch (op->how) {
	case HOW_SAME: return in[0];
	case HOW_SUM: return in[0] + in[1] + 1;
	case HOW_SMALL: return in[0] >> 1 & 3;
	case HOW_CHOICE: return (int8_t)in[0] < 2 ? in[1] : in[2];
	case HOW_LESS: return in[0] < in[1];
	case HOW_BYTES: return in[0] << 8 | (uint8_t)in[1];
	case HOW_UNTOLD: return mix(mix(3, in[0]), in[1]);
	default: return mix(seen, 5);
	}
}

/* The interpreter */

static uint64_t load(const uint8_t *from, unsigned size)
{
	uint64_t value = 0;

	memcpy(&value, from, size);
	return value;
}

static void store(struct value_outcome *o, uint64_t address, unsigned size, const void *bytes,
		  bool exact)
{
	memcpy(o->own + (address - OWN), bytes, size);
	memset(o->own_exact + (address - OWN), exact, size);
}

static bool all_exact(const struct value_outcome *o, uint64_t address, unsigned size)
{
	bool exact = true;

	for (unsigned i = 0; i < size; i++)
		exact &= o->own_exact[address - OWN + i];
	return exact;
}

bool value_computes(const struct value_op *op)
{
	return op->kind == OP_IS_WRITE || op->kind == OP_IS_OWN_WRITE ||
	       op->kind == OP_IS_OWN_RMW || op->kind == OP_IS_VALUE || op->kind == OP_IS_BRANCH ||
	       op->kind == OP_IS_SWITCH;
}

static void compute(const struct value_program *p, uint32_t i, struct value_outcome *o,
		    uint64_t seen)
{
	const struct value_op *op = &p->at[i];
	uint64_t in[3] = {0};

	o->exact[i] = op->how < HOW_UNTOLD;
	for (unsigned k = 0; k < value_how_inputs[op->how]; k++) {
		in[k] = o->value[op->input[k]];
		o->exact[i] &= o->exact[op->input[k]];
	}
	o->value[i] = value_cut(make_value(op, in, seen), op->size);
}

/* The branch goes another way than it did: so far the run comes back. */
static bool skips(const struct value_program *p, uint32_t i, struct value_outcome *o)
{
	const struct value_op *op = &p->at[i];

	if (op->kind != OP_IS_BRANCH || !op->end || !o->like || !o->like->value[i] == !o->value[i])
		return false;
	for (uint32_t k = i + 1; k < op->end; k++)
		o->skipped[k] = true;
	return true;
}

static void rejoin(const struct value_program *p, uint32_t i, struct value_outcome *o)
{
	/* it may be given up, or be one thing or the other: not more is asked of it */
	for (uint32_t k = (uint32_t)p->at[i].input[0]; k < i; k++)
		if (p->at[k].kind == OP_IS_OWN_WRITE || p->at[k].kind == OP_IS_OWN_RMW ||
		    p->at[k].kind == OP_IS_COPY)
			memset(o->own_exact + (p->at[k].address - OWN), false, p->at[k].size);
}

static uint64_t either(const struct value_op *op, const struct value_outcome *o, uint64_t seen)
{
	if (!o->skipped[op->input[0] + 1])
		return o->value[op->input[1]];
	return op->input[2] == NO_OP ? mix(seen, 9) : o->value[op->input[2]];
}

void value_program_run(const struct value_program *p, struct value_outcome *o)
{
	uint64_t seen = 1;

	for (uint32_t i = 0; i < p->n; i++) {
		const struct value_op *op = &p->at[i];
		bool own = op->from >= OWN;

		if (value_computes(op))
			compute(p, i, o, seen);
		if (skips(p, i, o)) {
			i = op->end - 1;
			continue;
		}
		switch (op->kind) {
		case OP_IS_REJOIN: rejoin(p, i, o); break;
		case OP_IS_EITHER: o->value[i] = either(op, o, seen); break;
		case OP_IS_READ:
			o->value[i] = o->read[i];
			o->exact[i] = true;
			break;
		case OP_IS_OWN_READ:
			o->value[i] = load(o->own + (op->address - OWN), op->size);
			o->exact[i] = all_exact(o, op->address, op->size);
			break;
		case OP_IS_OWN_WRITE:
			store(o, op->address, op->size, &o->value[i], o->exact[i]);
			break;
		case OP_IS_OWN_RMW: { /* the sum of what is there and the operand */
			uint64_t old = load(o->own + (op->address - OWN), op->size);
			bool exact = all_exact(o, op->address, op->size);

			o->wrote[i] = value_cut(old + o->value[i], op->size);
			store(o, op->address, op->size, &o->wrote[i], exact && o->exact[i]);
			o->value[i] = old;
			o->exact[i] = exact;
			break;
		}
		case OP_IS_COPY: {
			bool exact[WIDE];

			if (own) {
				memcpy(o->copied[i], o->own + (op->from - OWN), op->size);
				memcpy(exact, o->own_exact + (op->from - OWN), sizeof(exact));
			} else {
				memcpy(o->copied[i], &o->read[i], op->size);
				memset(exact, true, sizeof(exact));
			}
			store(o, op->address, op->size, o->copied[i], false);
			memcpy(o->own_exact + (op->address - OWN), exact, op->size);
			o->value[i] = load(o->copied[i], op->size < 8 ? op->size : 8);
			break;
		}
		case OP_IS_FIXED:
			o->value[i] = op->value;
			o->exact[i] = true;
			break;
		case OP_IS_UNSEEN: {
			uint8_t byte = seen & 3;

			store(o, op->address, 1, &byte, false);
			memset(o->own_exact, false, sizeof(o->own_exact));
			break;
		}
		}
		if (op->kind == OP_IS_READ || (op->kind == OP_IS_COPY && !own))
			seen = mix(seen, o->read[i]);
	}
}

/* Programs */

static bool gives_value(const struct value_op *op)
{
	return op->kind == OP_IS_READ || op->kind == OP_IS_OWN_READ || op->kind == OP_IS_OWN_RMW ||
	       op->kind == OP_IS_VALUE || op->kind == OP_IS_FIXED || op->kind == OP_IS_EITHER;
}

/* What is made in an arm can be used as long as that is not over. */
static bool is_open(const struct value_program *p, int arm)
{
	bool open = arm == NO_OP;

	for (unsigned i = 0; i < p->arms; i++)
		open |= p->open[i] == arm;
	return open;
}

static int some_input(const struct value_program *p, struct random *r)
{
	for (int tries = 0; tries < 50; tries++) {
		uint32_t back = 1 + random_below(r, tries % 2 ? 12 : p->n + 1);

		if (back <= p->n && gives_value(&p->at[p->n - back]) &&
		    is_open(p, p->at[p->n - back].arm))
			return (int)(p->n - back);
	}
	return NO_OP;
}

static uint64_t some_own(struct random *r, unsigned size)
{
	uint64_t address = OWN + random_below(r, OWN_BYTES - WIDE);

	if (random_percent(r, 50))
		address &= ~(uint64_t)(size - 1);
	/* within one line, as the runtime logs it */
	if ((address & 63) + size > 64)
		address &= ~(uint64_t)63;
	return address;
}

unsigned value_shared_size(unsigned word)
{
	return 1u << word % 4;
}

static void choose_how(struct value_program *p, struct value_op *op, struct random *r, bool hard)
{
	op->how = (uint8_t)random_below(r, HOW_UNTOLD);
	if (op->kind == OP_IS_BRANCH && random_percent(r, 70)) /* either way */
		op->how = random_percent(r, 50) ? HOW_LESS : HOW_SMALL;
	if (hard && random_percent(r, 10))
		op->how = random_percent(r, 60) ? HOW_UNTOLD : HOW_OPAQUE;
	for (unsigned k = 0; k < value_how_inputs[op->how]; k++)
		if ((op->input[k] = some_input(p, r)) == NO_OP)
			op->how = HOW_OPAQUE;
}

static int arm_of(const struct value_program *p)
{
	return p->arms ? p->open[p->arms - 1] : NO_OP;
}

static void begin_arm(struct value_program *p, struct random *r)
{
	if (p->arms < ARMS_MOST && random_percent(r, 60))
		p->open[p->arms++] = (int)p->n - 1;
}

/* A value that is made right in this arm. */
static int some_in_arm(const struct value_program *p, struct random *r, int branch)
{
	int found = NO_OP;

	for (int i = branch + 1; i < (int)p->n; i++)
		if (p->at[i].arm == branch && gives_value(&p->at[i]) &&
		    (found == NO_OP || random_percent(r, 40)))
			found = i;
	return found;
}

static void end_arm(struct value_program *p, struct random *r)
{
	int branch = p->open[--p->arms];
	struct value_op op = {
		.kind = OP_IS_REJOIN, .size = 8, .address_from = NO_OP, .arm = arm_of(p)};

	op.input[0] = branch;
	p->at[branch].end = p->n;
	p->at[p->n++] = op;
	op.kind = OP_IS_EITHER;
	for (unsigned i = random_below(r, 3); i; i--) {
		/* as of before the branch */
		uint32_t n = p->n;

		p->n = (uint32_t)branch;
		op.input[2] = random_percent(r, 70) ? some_input(p, r) : NO_OP;
		p->n = n;
		op.input[1] = random_percent(r, 70) || op.input[2] == NO_OP
				      ? some_in_arm(p, r, branch)
				      : op.input[2];
		if (op.input[1] != NO_OP)
			p->at[p->n++] = op;
	}
}

static void add_op(struct value_program *p, struct random *r, bool hard)
{
	struct value_op op = {.kind = (uint8_t)random_below(r, OP_IS_REJOIN),
			      .address_from = NO_OP,
			      .arm = arm_of(p)};
	unsigned word = random_below(r, SHARED_WORDS);

	op.size = (uint8_t)(1u << random_below(r, 4));
	/* memory that nobody is seen to write is taken for constant */
	bool filled = p->at[0].kind == OP_IS_FIXED;

	if (op.kind == OP_IS_UNSEEN && !(filled && hard && random_percent(r, 20)))
		return;
	if (p->n < 4 || (p->n >= 9 && p->n < 13))
		op.kind = OP_IS_READ;
	if (op.kind == OP_IS_READ || op.kind == OP_IS_WRITE) {
		op.size = (uint8_t)value_shared_size(word);
		op.address = SHARED + 8 * word;
	} else {
		op.address = some_own(r, op.size);
	}
	if (value_computes(&op))
		choose_how(p, &op, r, hard);
	if (op.kind == OP_IS_VALUE || op.kind == OP_IS_BRANCH || op.kind == OP_IS_SWITCH)
		op.size = 8;
	if (op.kind == OP_IS_FIXED)
		op.value = random_below(r, 5);
	if (op.kind == OP_IS_COPY) {
		bool own = random_percent(r, 70);

		op.size = (uint8_t)(own ? 1 + random_below(r, WIDE) : value_shared_size(word));
		op.address = some_own(r, 1);
		op.from = own ? some_own(r, 1) : SHARED + 8 * word;
		if ((op.address & 63) + op.size > 64 || (op.from & 63) + op.size > 64)
			return;
	}
	if (hard && op.kind < OP_IS_OWN_RMW && random_percent(r, 8) && value_how_inputs[op.how] < 3)
		op.address_from = some_input(p, r);
	p->at[p->n++] = op;
	if (op.kind == OP_IS_BRANCH)
		begin_arm(p, r);
}

/* All of it is written, so that copies and reads of parts are exact. */
static void fill_own(struct value_program *p)
{
	p->at[p->n++] = (struct value_op){.kind = OP_IS_FIXED,
					  .size = 8,
					  .value = 0x0102030405060708,
					  .address_from = NO_OP,
					  .arm = NO_OP};
	for (unsigned i = 0; i < OWN_BYTES; i += 8)
		p->at[p->n++] = (struct value_op){.kind = OP_IS_OWN_WRITE,
						  .size = 8,
						  .address = OWN + i,
						  .address_from = NO_OP,
						  .arm = NO_OP};
}

struct value_program *value_program_make(uint64_t seed)
{
	struct random r = random_seeded(seed);
	struct value_program *p = mem_alloc_zero(1, sizeof(*p));
	uint32_t n = 25 + random_below(&r, seed % 4 ? 60 : OPS_MOST - 30);

	if (seed % 2)
		fill_own(p);
	while (p->n < n) {
		add_op(p, &r, seed % 3);
		if (p->arms && random_percent(&r, 25))
			end_arm(p, &r);
	}
	/* some are never over */
	while (p->arms && random_percent(&r, 70))
		end_arm(p, &r);
	return p;
}

static bool is_read(const struct value_op *op)
{
	return op->kind == OP_IS_READ || (op->kind == OP_IS_COPY && op->from < OWN);
}

void value_program_draw(const struct value_program *p, struct value_outcome *o, struct random *r,
			unsigned percent)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (is_read(&p->at[i]) && random_percent(r, percent))
			o->read[i] = value_cut(random_percent(r, 80) ? random_below(r, 6)
								     : random_next(r),
					       p->at[i].size);
}
