/*
 * What the merge says of values: random programs, whose values go through private memory, copies
 * and told values, against the programs themselves. Each is run once and logged. Then some of its
 * reads return something else, and a naive interpreter says what all of its values are then: for as
 * long as the guards of the trace hold, its expressions have to give the same, and what it says
 * does not depend on what changed has to be as it was. Branches may have an arm that a run does not
 * go through if they go the other way: the trace has to say so, or stop there.
 */
#include "record/record.h"
#include "tests/support/random.h"
#include "tests/support/raw_maker.h"
#include "tests/support/tap.h"
#include "tests/support/traces.h"
#include "trace/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPS_MOST 400
#define ARMS_MOST 3
#define ALL_OPS (OPS_MOST + 4 * ARMS_MOST) /* with what ends arms */
#define SHARED 0x500000u
#define SHARED_WORDS 8
#define OWN 0x600000u
#define OWN_BYTES 64
#define WIDE 24

enum op_kind {
	OP_IS_READ, /* of what others write */
	OP_IS_WRITE,
	OP_IS_OWN_READ,
	OP_IS_OWN_WRITE,
	OP_IS_OWN_RMW,
	OP_IS_COPY, /* from own or other memory to own */
	OP_IS_VALUE,
	OP_IS_FIXED,
	OP_IS_BRANCH,
	OP_IS_SWITCH,
	OP_IS_UNSEEN, /* code without hooks writes own memory */
	OP_IS_REJOIN, /* the arm of a branch is over: input 0 */
	OP_IS_EITHER, /* of that branch: a value of the arm, or if it was skipped, another one */
	OP_IS_KIND_COUNT
};

/* How a value is made of its inputs. */
enum how {
	HOW_SAME,
	HOW_SUM,
	HOW_SMALL, /* of the low bits of the first */
	HOW_CHOICE,
	HOW_LESS,
	HOW_BYTES,
	HOW_UNTOLD, /* some function of them */
	HOW_OPAQUE, /* of all that was read */
};

static const char *const how_text[] = {"%0",
				       "(+ %0 %1 1)",
				       "(& (>>u %0 1) 3)",
				       "(ite (< (sext8 %0) 2) %1 %2)",
				       "(<u %0 %1)",
				       "(| (<< %0 8) (trunc8 %1))",
				       NULL,
				       NULL};
static const unsigned how_inputs[] = {1, 2, 1, 3, 2, 2, 2, 0};

#define NO_OP (-1)
#define SWITCH_WAYS "1 3-5 / 2 / 250-255"

struct op {
	uint8_t kind, how, size;
	int input[3];
	int address_from; /* the address was computed from this; NO_OP: from nothing */
	uint64_t address, from;
	uint64_t value; /* fixed */
	int arm;	/* the branch in whose arm it stands, NO_OP: none */
	uint32_t end;	/* of a branch: its OP_IS_REJOIN, 0: it decides over all that follows */
};

struct program {
	uint32_t n;
	struct op at[ALL_OPS];
	int open[ARMS_MOST]; /* while it is made: branches whose arms are not over */
	unsigned arms;
};

/* One run of it. */
struct outcome {
	uint64_t read[ALL_OPS];	 /* what a read is given */
	uint64_t value[ALL_OPS]; /* what later ones can use, and what was written or decided */
	uint64_t wrote[ALL_OPS]; /* an rmw */
	bool exact[ALL_OPS];	 /* all that it came from has expressions */
	uint8_t own[OWN_BYTES];
	bool own_exact[OWN_BYTES];
	uint8_t copied[ALL_OPS][WIDE];
	bool skipped[ALL_OPS];
	const struct outcome *like; /* the recorded one; NULL: it is that */
};

static uint64_t cut(uint64_t value, unsigned size)
{
	return size < 8 ? value & (((uint64_t)1 << (8 * size)) - 1) : value;
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
	return (hash ^ word) * 0x9e3779b97f4a7c15u >> 7;
}

static uint64_t make_value(const struct op *op, const uint64_t *in, uint64_t seen)
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

static void store(struct outcome *o, uint64_t address, unsigned size, const void *bytes, bool exact)
{
	memcpy(o->own + (address - OWN), bytes, size);
	memset(o->own_exact + (address - OWN), exact, size);
}

static bool all_exact(const struct outcome *o, uint64_t address, unsigned size)
{
	bool exact = true;

	for (unsigned i = 0; i < size; i++)
		exact &= o->own_exact[address - OWN + i];
	return exact;
}

static bool computes(const struct op *op)
{
	return op->kind == OP_IS_WRITE || op->kind == OP_IS_OWN_WRITE ||
	       op->kind == OP_IS_OWN_RMW || op->kind == OP_IS_VALUE || op->kind == OP_IS_BRANCH ||
	       op->kind == OP_IS_SWITCH;
}

static void compute(const struct program *p, uint32_t i, struct outcome *o, uint64_t seen)
{
	const struct op *op = &p->at[i];
	uint64_t in[3] = {0};

	o->exact[i] = op->how < HOW_UNTOLD;
	for (unsigned k = 0; k < how_inputs[op->how]; k++) {
		in[k] = o->value[op->input[k]];
		o->exact[i] &= o->exact[op->input[k]];
	}
	o->value[i] = cut(make_value(op, in, seen), op->size);
}

/* The branch goes another way than it did: so far the run comes back. */
static bool skips(const struct program *p, uint32_t i, struct outcome *o)
{
	const struct op *op = &p->at[i];

	if (op->kind != OP_IS_BRANCH || !op->end || !o->like || !o->like->value[i] == !o->value[i])
		return false;
	for (uint32_t k = i + 1; k < op->end; k++)
		o->skipped[k] = true;
	return true;
}

static void rejoin(const struct program *p, uint32_t i, struct outcome *o)
{
	/* it may be given up, or be one thing or the other: not more is asked of it */
	for (uint32_t k = (uint32_t)p->at[i].input[0]; k < i; k++)
		if (p->at[k].kind == OP_IS_OWN_WRITE || p->at[k].kind == OP_IS_OWN_RMW ||
		    p->at[k].kind == OP_IS_COPY)
			memset(o->own_exact + (p->at[k].address - OWN), false, p->at[k].size);
}

static uint64_t either(const struct op *op, const struct outcome *o, uint64_t seen)
{
	if (!o->skipped[op->input[0] + 1])
		return o->value[op->input[1]];
	return op->input[2] == NO_OP ? mix(seen, 9) : o->value[op->input[2]];
}

/* o->read is given for reads of what others write. */
static void interpret(const struct program *p, struct outcome *o)
{
	uint64_t seen = 1;

	for (uint32_t i = 0; i < p->n; i++) {
		const struct op *op = &p->at[i];
		bool own = op->from >= OWN;

		if (computes(op))
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

			o->wrote[i] = cut(old + o->value[i], op->size);
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

static bool gives_value(const struct op *op)
{
	return op->kind == OP_IS_READ || op->kind == OP_IS_OWN_READ || op->kind == OP_IS_OWN_RMW ||
	       op->kind == OP_IS_VALUE || op->kind == OP_IS_FIXED || op->kind == OP_IS_EITHER;
}

/* What is made in an arm can be used as long as that is not over. */
static bool is_open(const struct program *p, int arm)
{
	bool open = arm == NO_OP;

	for (unsigned i = 0; i < p->arms; i++)
		open |= p->open[i] == arm;
	return open;
}

static int some_input(const struct program *p, struct random *r)
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

static unsigned shared_size(unsigned word)
{
	return 1u << word % 4;
}

static void choose_how(struct program *p, struct op *op, struct random *r, bool hard)
{
	op->how = (uint8_t)random_below(r, HOW_UNTOLD);
	if (op->kind == OP_IS_BRANCH && random_percent(r, 70)) /* either way */
		op->how = random_percent(r, 50) ? HOW_LESS : HOW_SMALL;
	if (hard && random_percent(r, 10))
		op->how = random_percent(r, 60) ? HOW_UNTOLD : HOW_OPAQUE;
	for (unsigned k = 0; k < how_inputs[op->how]; k++)
		if ((op->input[k] = some_input(p, r)) == NO_OP)
			op->how = HOW_OPAQUE;
}

static int arm_of(const struct program *p)
{
	return p->arms ? p->open[p->arms - 1] : NO_OP;
}

static void begin_arm(struct program *p, struct random *r)
{
	if (p->arms < ARMS_MOST && random_percent(r, 60))
		p->open[p->arms++] = (int)p->n - 1;
}

/* A value that is made right in this arm. */
static int some_in_arm(const struct program *p, struct random *r, int branch)
{
	int found = NO_OP;

	for (int i = branch + 1; i < (int)p->n; i++)
		if (p->at[i].arm == branch && gives_value(&p->at[i]) &&
		    (found == NO_OP || random_percent(r, 40)))
			found = i;
	return found;
}

static void end_arm(struct program *p, struct random *r)
{
	int branch = p->open[--p->arms];
	struct op op = {.kind = OP_IS_REJOIN, .size = 8, .address_from = NO_OP, .arm = arm_of(p)};

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

static void add_op(struct program *p, struct random *r, bool hard)
{
	struct op op = {.kind = (uint8_t)random_below(r, OP_IS_REJOIN),
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
		op.size = (uint8_t)shared_size(word);
		op.address = SHARED + 8 * word;
	} else {
		op.address = some_own(r, op.size);
	}
	if (computes(&op))
		choose_how(p, &op, r, hard);
	if (op.kind == OP_IS_VALUE || op.kind == OP_IS_BRANCH || op.kind == OP_IS_SWITCH)
		op.size = 8;
	if (op.kind == OP_IS_FIXED)
		op.value = random_below(r, 5);
	if (op.kind == OP_IS_COPY) {
		bool own = random_percent(r, 70);

		op.size = (uint8_t)(own ? 1 + random_below(r, WIDE) : shared_size(word));
		op.address = some_own(r, 1);
		op.from = own ? some_own(r, 1) : SHARED + 8 * word;
		if ((op.address & 63) + op.size > 64 || (op.from & 63) + op.size > 64)
			return;
	}
	if (hard && op.kind < OP_IS_OWN_RMW && random_percent(r, 8) && how_inputs[op.how] < 3)
		op.address_from = some_input(p, r);
	p->at[p->n++] = op;
	if (op.kind == OP_IS_BRANCH)
		begin_arm(p, r);
}

/* All of it is written, so that copies and reads of parts are exact. */
static void fill_own(struct program *p)
{
	p->at[p->n++] = (struct op){.kind = OP_IS_FIXED,
				    .size = 8,
				    .value = 0x0102030405060708,
				    .address_from = NO_OP,
				    .arm = NO_OP};
	for (unsigned i = 0; i < OWN_BYTES; i += 8)
		p->at[p->n++] = (struct op){.kind = OP_IS_OWN_WRITE,
					    .size = 8,
					    .address = OWN + i,
					    .address_from = NO_OP,
					    .arm = NO_OP};
}

static struct program *make_program(uint64_t seed)
{
	struct random r = random_seeded(seed);
	struct program *p = mem_alloc_zero(1, sizeof(*p));
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

static bool is_read(const struct op *op)
{
	return op->kind == OP_IS_READ || (op->kind == OP_IS_COPY && op->from < OWN);
}

static void draw_reads(const struct program *p, struct outcome *o, struct random *r,
		       unsigned percent)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (is_read(&p->at[i]) && random_percent(r, percent))
			o->read[i] =
				cut(random_percent(r, 80) ? random_below(r, 6) : random_next(r),
				    p->at[i].size);
}

/* Logs */

struct logged {
	struct raw_run *run;
	uint32_t versions[LOG_SHARDS];
	uint64_t position[ALL_OPS];
	VEC(char) text;
	VEC(struct site) sites;
};

static void begin_block(struct raw_run *run, uint32_t thread, uint64_t number)
{
	struct log_block head = {.magic = LOG_MAGIC, .thread = thread, .number = number, .time = 1};
	struct raw_file *f = &run->files[thread];

	vec_extend(&f->words, (number + 1) * RAW_BLOCK_WORDS);
	memcpy(f->words.at + number * RAW_BLOCK_WORDS, &head, sizeof(head));
	f->words.n = number * RAW_BLOCK_WORDS + RAW_HEAD_WORDS;
}

/* A record does not cross the end of a block. */
static void make_room(struct raw_run *run, uint32_t thread, unsigned n)
{
	struct raw_file *f = &run->files[thread];
	uint64_t number = f->words.n / RAW_BLOCK_WORDS;

	if (f->words.n + n >= (number + 1) * RAW_BLOCK_WORDS)
		begin_block(run, thread, number + 1);
}

static void put_words(struct logged *l, uint32_t thread, const uint64_t *words, unsigned n)
{
	struct raw_file *f = &l->run->files[thread];

	make_room(l->run, thread, n);
	memcpy(f->words.at + f->words.n, words, n * sizeof(*words));
	f->words.n += n;
}

static uint32_t put_text(struct logged *l, const char *text)
{
	uint32_t at = (uint32_t)l->text.n;

	do
		vec_push(&l->text, *text);
	while (*text++);
	return at;
}

static void put_depend(struct logged *l, unsigned which, uint64_t position)
{
	uint64_t word = LOG_WORD(LOG_DEPEND, which, l->run->files[1].words.n - position);

	put_words(l, 1, &word, 1);
}

/* At these positions, 0: none; each has a word, or all have one. */
static void put_depends(struct logged *l, const uint64_t *positions, bool together)
{
	uint64_t here = l->run->files[1].words.n, d[3];

	for (unsigned i = 0; i < 3; i++)
		d[i] = positions[i] ? here - positions[i] : 0;
	uint64_t word = LOG_NEAR_WORD(d[0], d[1], d[2]);

	for (unsigned i = 0; i < 3 && !together; i++)
		if (positions[i])
			put_depend(l, i, positions[i]);
	if (together && (d[0] | d[1] | d[2]))
		put_words(l, 1, &word, 1);
}

static void put_access(struct logged *l, uint32_t thread, uint8_t kind, uint32_t site,
		       uint64_t address, unsigned size, const void *bytes)
{
	uint32_t *version = &l->versions[log_shard(address)];
	uint64_t words[2 + LOG_LINE / 8] = {LOG_WORD(kind, site, *version),
					    LOG_ACCESS(address, size, 0)};
	unsigned count = kind == LOG_RMW ? 2 : (size + 7) / 8;

	memcpy(words + 2, bytes, kind == LOG_RMW ? 16 : size);
	put_words(l, thread, words, 2 + count);
	*version += kind == LOG_READ ? 0 : 2;
}

/* Its site, which tells its number as a line. */
static uint32_t add_site(struct logged *l, const struct program *p, uint32_t i,
			 const struct outcome *o)
{
	static const uint8_t kinds[] = {SITE_READ, SITE_WRITE, SITE_READ,  SITE_WRITE,	SITE_RMW,
					SITE_READ, SITE_VALUE, SITE_VALUE, SITE_BRANCH, SITE_SWITCH,
					SITE_READ, SITE_VALUE, SITE_VALUE};
	const struct op *op = &p->at[i];
	struct site site = {.kind = kinds[op->kind],
			    .size = op->size,
			    .line = i + 1,
			    .file = put_text(l, "t.c"),
			    .addresses = op->address_from != NO_OP};

	if (computes(op) && op->how != HOW_OPAQUE) {
		site.flags = SITE_EXACT;
		site.values = (uint8_t)how_inputs[op->how];
	}
	if (computes(op) && how_text[op->how]) {
		char text[100], cut_text[130];

		snprintf(text, sizeof(text), op->kind == OP_IS_OWN_RMW ? "(+ %%s %s)" : "%s",
			 how_text[op->how]);
		snprintf(cut_text, sizeof(cut_text), "(& %s %llu)", text,
			 (unsigned long long)cut(UINT64_MAX, op->size));
		site.expression = put_text(l, op->size < 8 ? cut_text : text);
	}
	if (op->kind == OP_IS_SWITCH)
		site.ways = put_text(l, SWITCH_WAYS);
	if (op->kind == OP_IS_UNSEEN)
		site.flags = SITE_LOOSE;
	if (op->kind == OP_IS_BRANCH)
		site.flags |= o->value[i] ? SITE_ARM : SITE_ARM_ELSE;
	vec_push(&l->sites, site);
	return (uint32_t)l->sites.n;
}

/* Another thread writes what is read next; else the trace has to say that it comes from outside. */
static void write_before(struct logged *l, const struct op *op, uint64_t value)
{
	put_access(l, 0, LOG_WRITE, 0, op->address, op->size, &value);
}

static void log_op(struct logged *l, const struct program *p, uint32_t i, const struct outcome *o)
{
	const struct op *op = &p->at[i];
	uint32_t site = add_site(l, p, i, o);
	unsigned values = computes(op) ? how_inputs[op->how] : 0;
	bool single = op->kind >= OP_IS_VALUE;
	uint64_t both[2] = {o->value[i], o->wrote[i]}, word[2], on[4] = {0}, pair[2] = {0};

	for (unsigned k = 0; k < values; k++)
		*(single && k < 1 + i % 2 ? &pair[k] : &on[k]) = l->position[op->input[k]];
	if (op->address_from != NO_OP)
		on[values] = l->position[op->address_from];
	if (op->kind == OP_IS_EITHER) {
		on[0] = l->position[op->input[1]];
		on[1] = op->input[2] != NO_OP ? l->position[op->input[2]] : 0;
	}
	put_depends(l, on, i % 3);
	l->position[i] = l->run->files[1].words.n;
	for (unsigned k = 0; k < 2; k++)
		pair[k] = pair[k] ? l->position[i] - pair[k] : 0;
	uint64_t high = pair[1] ? LOG_PAIR | pair[0] | pair[1] << 16 : pair[0];

	switch (op->kind) {
	case OP_IS_READ:
		if (i % 5)
			write_before(l, op, o->value[i]);
		/* fall through */
	case OP_IS_OWN_READ:
		put_access(l, 1, LOG_READ, site, op->address, op->size, &o->value[i]);
		break;
	case OP_IS_WRITE:
	case OP_IS_OWN_WRITE:
		put_access(l, 1, LOG_WRITE, site, op->address, op->size, &o->value[i]);
		break;
	case OP_IS_OWN_RMW: put_access(l, 1, LOG_RMW, site, op->address, op->size, both); break;
	case OP_IS_COPY:
		put_access(l, 1, LOG_READ, site, op->from, op->size, o->copied[i]);
		put_depend(l, 0, l->position[i]);
		put_access(l, 1, LOG_WRITE, 0, op->address, op->size, o->copied[i]);
		break;
	case OP_IS_UNSEEN: /* an access of the runtime's own tells of it */
		put_access(l, 1, LOG_READ, site, OWN + 2 * OWN_BYTES, 8, both);
		break;
	case OP_IS_REJOIN:
	case OP_IS_EITHER:
		word[0] = LOG_WORD(op->kind == OP_IS_REJOIN ? LOG_REJOIN : LOG_EITHER, 0,
				   l->position[i] - l->position[op->input[0]]);
		put_words(l, 1, word, 1);
		break;
	case OP_IS_FIXED:
		word[0] = LOG_WORD(LOG_FIXED, 0, 0);
		word[1] = op->value;
		put_words(l, 1, word, 2);
		break;
	default:
		word[0] = LOG_WORD(op->kind == OP_IS_VALUE ? LOG_VALUE : LOG_BRANCH, site, high);
		put_words(l, 1, word, 1);
	}
}

static char *make_sites(const struct logged *l, size_t *size)
{
	size_t sites = l->sites.n * sizeof(*l->sites.at);
	struct site_table head = {.magic = SITE_MAGIC,
				  .version = SITE_VERSION,
				  .sites = (uint32_t)l->sites.n,
				  .text = (uint32_t)l->text.n};
	size_t length = sizeof(head) + sites + l->text.n;
	struct log_table table = {.magic = LOG_MAGIC, .base = 1, .length = length};
	char *data = mem_alloc_zero(1, sizeof(table) + length + 8);

	memcpy(data, &table, sizeof(table));
	memcpy(data + sizeof(table), &head, sizeof(head));
	memcpy(data + sizeof(table) + sizeof(head), l->sites.at, sites);
	memcpy(data + sizeof(table) + sizeof(head) + sites, l->text.at, l->text.n);
	*size = sizeof(table) + ((length + 7) & ~(size_t)7);
	return data;
}

/* The first thread forks the one with the program, and writes all that it shares in the end. */
static void start_log(struct logged *l)
{
	uint64_t fork[3] = {LOG_WORD(LOG_FORK, 0, 0), 1, 0};

	memset(l, 0, sizeof(*l));
	l->run = mem_alloc_zero(1, sizeof(*l->run));
	l->run->threads = 2;
	put_text(l, "");
	begin_block(l->run, 0, 0);
	begin_block(l->run, 1, 0);
	put_words(l, 0, fork, 3);
}

static void end_log(struct logged *l)
{
	uint64_t zero = 0;

	for (unsigned word = 0; word < SHARED_WORDS; word++)
		put_access(l, 0, LOG_WRITE, 0, SHARED + 8 * word, shared_size(word), &zero);
	for (uint32_t t = 0; t < 2; t++) {
		struct raw_file *f = &l->run->files[t];

		f->words.n = (f->words.n / RAW_BLOCK_WORDS + 1) * RAW_BLOCK_WORDS;
	}
}

static void log_run(struct logged *l, const struct program *p, const struct outcome *o)
{
	start_log(l);
	for (uint32_t i = 0; i < p->n; i++)
		log_op(l, p, i, o);
	end_log(l);
}

static struct bytes merge_log(struct logged *l)
{
	struct raw_log log;
	struct record_options options = {0};
	struct record_input in = {.log = &log, .modules = ""};
	struct record_result result;
	struct err err = {0};
	struct memory_output to;
	struct output *out = memory_output_open(&to);

	in.sites = make_sites(l, &in.sites_size);
	raw_run_lend(l->run, &log);
	if (record_merge(&in, &options, NULL, out, &result, &err) < 0)
		FAIL("%s", err.message);
	ASSERT_EQ(result.counts.wrong_expressions, 0);
	ASSERT_EQ(result.bad_templates, 0);
	ASSERT_EQ(result.left, 0);
	raw_release(&log);
	vec_release(&l->text);
	vec_release(&l->sites);
	raw_run_free(l->run);
	return memory_output_take(&to);
}

/* Traces */

struct seen {
	struct reader *reader;
	struct batch batch;
	int op[8 * ALL_OPS]; /* of each event, or NO_OP */
};

static void open_trace(struct seen *s, const struct bytes *bytes)
{
	struct err err = {0};

	s->reader = reader_open_memory(bytes->at, bytes->n, "made", NULL, &err);
	if (!s->reader)
		FAIL("%s", err.message);
	ASSERT_EQ(reader_next(s->reader, &s->batch, &err), 1); /* all of it */
	ASSERT(s->batch.n < sizeof(s->op) / sizeof(*s->op));
	for (size_t i = 0; i < s->batch.n; i++) {
		const struct intern *places = &reader_symbols(s->reader)->locations;
		const char *place = intern_text(places, s->batch.at[i].location);

		s->op[i] = !strncmp(place, "t.c:", 4) ? atoi(place + 4) - 1 : NO_OP;
	}
}

/* Of an execution in which some reads return something else. */
struct judge {
	const struct program *p;
	const struct outcome *was, *is;
	const struct seen *seen;
	uint32_t next; /* operation that was not passed yet */
	bool any_changed;
	uint32_t skip; /* so many events are skipped */
	uint64_t expressions, sets, skipped;
};

static bool has_changed(const struct judge *j, uint64_t event)
{
	int op = j->seen->op[event - 1];

	return j->is->skipped[op] || j->was->read[op] != j->is->read[op];
}

static bool depends_on_change(const struct judge *j, const struct event_more *more)
{
	if (more && more->expr) {
		for (uint32_t i = 0; i < more->expr->count; i++)
			if (more->expr->nodes[i].op == OP_READ &&
			    has_changed(j, more->expr->nodes[i].value))
				return true;
		return false;
	}
	if (!more || !more->reads_given)
		return j->any_changed;
	for (uint32_t i = 0; i < more->read_count; i++)
		if (has_changed(j, more->reads[i]))
			return true;
	return false;
}

static bool look_up(void *context, uint64_t read, int64_t *value)
{
	const struct judge *j = context;

	*value = (int64_t)j->is->read[j->seen->op[read - 1]];
	return !j->is->skipped[j->seen->op[read - 1]];
}

/* False: not known. */
static bool value_now(struct judge *j, const struct event *e, int64_t recorded, int64_t *value)
{
	*value = recorded;
	if (!depends_on_change(j, e->more))
		return true;
	return e->more && e->more->expr && expr_value(e->more->expr, look_up, j, value);
}

static unsigned way_of(uint64_t value)
{
	return value == 1 || (value >= 3 && value <= 5) ? 1
	       : value == 2				? 2
	       : value >= 250 && value <= 255		? 3
							: 0;
}

/* The arm of this branch is skipped. */
static bool passes_arm(const struct judge *j, uint32_t op)
{
	return j->p->at[op].kind == OP_IS_BRANCH && j->p->at[op].end &&
	       !j->was->value[op] != !j->is->value[op];
}

/* The thread goes on behind these operations: their addresses and decisions are as they were. */
static void pass(struct judge *j, uint32_t end)
{
	for (; j->next < end; j->next++) {
		const struct op *op = &j->p->at[j->next];
		uint64_t was = j->was->value[j->next], is = j->is->value[j->next];

		if (passes_arm(j, j->next)) {
			ASSERT(op->end <= end || end == j->next + 1);
			j->next = op->end - 1;
			continue;
		}
		if (op->address_from != NO_OP)
			ASSERT_EQ(j->was->value[op->address_from], j->is->value[op->address_from]);
		if (op->kind == OP_IS_BRANCH)
			ASSERT_EQ(!was, !is);
		if (op->kind == OP_IS_SWITCH)
			ASSERT_EQ(way_of(was), way_of(is));
	}
}

static bool address_changes(const struct judge *j, const struct event *e)
{
	for (uint32_t i = 0; e->more && i < e->more->at_count; i++)
		if (has_changed(j, e->more->at[i]))
			return true;
	return false;
}

/* What has an expression all the way says so. */
static void judge_exactness(struct judge *j, const struct event *e, int op)
{
	const struct event_more *more = e->more;

	j->expressions += more && more->expr;
	j->sets += more && more->reads_given && more->read_count;
	if (j->was->exact[op] && !(more && more->expr))
		ASSERT(more && more->reads_given && !more->read_count);
}

/* False: the thread can go no further. */
static bool judge_event(struct judge *j, const struct event *e, int op)
{
	int64_t value;

	if (e->kind == EV_BRANCH) {
		if (op != NO_OP)
			pass(j, (uint32_t)op);
		if (!value_now(j, e, 1, &value) || (!value && !(e->more && e->more->scope)))
			return false;
		if (op != NO_OP && e->more && e->more->scope) {
			ASSERT_EQ(!value, passes_arm(j, (uint32_t)op));
			j->skip = value ? 0 : e->more->scope;
			j->skipped += !value;
		}
		if (op != NO_OP)
			pass(j, (uint32_t)op + 1);
	} else if (e->kind == EV_READ || e->kind == EV_WRITE) {
		pass(j, (uint32_t)op);
		if (address_changes(j, e))
			return false;
		pass(j, (uint32_t)op + 1);
	}
	if (e->kind == EV_READ)
		j->any_changed |= j->was->read[op] != j->is->read[op];
	if (e->kind == EV_WRITE && value_now(j, e, e->value, &value))
		ASSERT_EQ(cut((uint64_t)value, j->p->at[op].size), j->is->value[op]);
	return true;
}

static uint32_t judge(struct judge *j)
{
	const struct batch *batch = &j->seen->batch;

	for (size_t i = 0; i < batch->n; i++) {
		const struct event *e = &batch->at[i];
		int op = j->seen->op[i];

		if (e->thread != 1)
			continue;
		ASSERT(op == NO_OP || j->skip == 0 || j->is->skipped[op]);
		if (j->skip) {
			j->skip--;
			j->any_changed |= e->kind == EV_READ;
			continue;
		}
		ASSERT(op == NO_OP || !j->is->skipped[op]);
		if ((e->kind == EV_BRANCH || e->kind == EV_WRITE) && op != NO_OP)
			judge_exactness(j, e, op);
		if (!judge_event(j, e, op))
			return j->next;
	}
	pass(j, j->p->n);
	return j->next;
}

static void check_trace(const struct bytes *bytes)
{
	struct err err = {0};
	struct reader *r = reader_open_memory(bytes->at, bytes->n, "made", NULL, &err);
	uint64_t events;

	if (check_reader(r, &events, &err) < 0)
		FAIL("%s", err.message);
	reader_close(r);
}

TAP_CASE(values_are_what_the_program_computes)
{
	uint64_t expressions = 0, sets = 0, passed = 0, all = 0, skipped = 0;

	for (uint64_t seed = 1; seed <= TAP_PART(4000); seed++) {
		struct random r = random_seeded(seed + 77);
		struct program *p = make_program(seed);
		struct outcome *was = mem_alloc_zero(1, sizeof(*was));
		struct outcome *is = mem_alloc_zero(1, sizeof(*is));
		struct logged *l = mem_alloc_zero(1, sizeof(*l));
		struct seen *seen = mem_alloc_zero(1, sizeof(*seen));

		tap_at("seed %llu", (unsigned long long)seed);
		draw_reads(p, was, &r, 100);
		interpret(p, was);
		log_run(l, p, was);
		struct bytes bytes = merge_log(l);

		check_trace(&bytes);
		open_trace(seen, &bytes);
		for (int round = 0; round < 24; round++) {
			struct judge j = {.p = p, .was = was, .is = is, .seen = seen};

			memset(is, 0, sizeof(*is));
			memcpy(is->read, was->read, sizeof(is->read));
			is->like = was;
			draw_reads(p, is, &r, round % 3 ? 3 : 30);
			interpret(p, is);
			passed += judge(&j);
			all += p->n;
			expressions += j.expressions;
			sets += j.sets;
			skipped += j.skipped;
		}
		reader_close(seen->reader);
		bytes_release(&bytes);
		mem_free(seen);
		mem_free(l);
		mem_free(is);
		mem_free(was);
		mem_free(p);
	}
	tap_note("%llu expressions, %llu sets; %llu of %llu operations passed, %llu arms skipped",
		 (unsigned long long)expressions, (unsigned long long)sets,
		 (unsigned long long)passed, (unsigned long long)all, (unsigned long long)skipped);
	ASSERT(expressions > sets && sets && passed > all / 4 && skipped > TAP_PART(1000));
}

/* Loops: they add up what they read, in a local variable, by values that are told. */

#define SUM_AT (OWN + 8)

struct sum {
	struct logged l;
	uint32_t read, add, store, load, branch;
	uint64_t sum;
};

static uint32_t add_plain_site(struct logged *l, uint8_t kind, uint8_t values, const char *text)
{
	struct site site = {.kind = kind,
			    .flags = SITE_EXACT,
			    .values = values,
			    .line = (uint32_t)l->sites.n + 1,
			    .file = put_text(l, "t.c"),
			    .expression = text ? put_text(l, text) : 0};

	vec_push(&l->sites, site);
	return (uint32_t)l->sites.n;
}

static void start_sum(struct sum *s, bool told)
{
	memset(s, 0, sizeof(*s));
	start_log(&s->l);
	s->read = add_plain_site(&s->l, SITE_READ, 0, NULL);
	s->add = add_plain_site(&s->l, SITE_VALUE, 2, told ? "(+ %0 %1)" : NULL);
	s->store = add_plain_site(&s->l, SITE_WRITE, 1, "%0");
	s->load = add_plain_site(&s->l, SITE_READ, 0, NULL);
	s->branch = add_plain_site(&s->l, SITE_BRANCH, 1, "(> %0 7)");
	put_access(&s->l, 1, LOG_WRITE, s->store, SUM_AT, 8, &s->sum);
}

static uint64_t here(const struct sum *s)
{
	return s->l.run->files[1].words.n;
}

/* The position of the next record, if it has so many words and those of a dependence before it. */
static void put_told(struct sum *s, uint8_t kind, uint32_t site, uint64_t on)
{
	make_room(s->l.run, 1, 8);
	uint64_t word = LOG_WORD(kind, site, here(s) - on);

	put_words(&s->l, 1, &word, 1);
}

static uint64_t put_load(struct sum *s)
{
	make_room(s->l.run, 1, 8);
	uint64_t position = here(s);

	put_access(&s->l, 1, LOG_READ, s->load, SUM_AT, 8, &s->sum);
	return position;
}

static void add_up(struct sum *s, uint64_t value)
{
	make_room(s->l.run, 1, 24);
	uint64_t read = here(s), load, told;

	put_access(&s->l, 1, LOG_READ, s->read, SHARED + 24, 8, &value);
	load = put_load(s);
	put_depend(&s->l, 1, read);
	told = here(s);
	put_told(s, LOG_VALUE, s->add, load);
	s->sum += value;
	put_depend(&s->l, 0, told);
	put_access(&s->l, 1, LOG_WRITE, s->store, SUM_AT, 8, &s->sum);
}

struct told {
	uint64_t branches, expressions, sets;
	uint64_t largest;      /* of either: reads */
	uint64_t last, latest; /* of the last one: reads, and which is the latest of them */
};

static uint64_t reads_of(const struct expr *e)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < e->count; i++)
		n += e->nodes[i].op == OP_READ;
	return n;
}

static uint64_t latest_of(const struct expr *e)
{
	uint64_t latest = 0;

	for (uint32_t i = 0; i < e->count; i++)
		if (e->nodes[i].op == OP_READ && e->nodes[i].value > latest)
			latest = e->nodes[i].value;
	return latest;
}

static void count_branches(const struct bytes *bytes, struct told *told)
{
	struct err err = {0};
	struct reader *r = reader_open_memory(bytes->at, bytes->n, "made", NULL, &err);
	struct batch batch;

	memset(told, 0, sizeof(*told));
	while (reader_next(r, &batch, &err) > 0)
		for (size_t i = 0; i < batch.n; i++) {
			const struct event_more *more = batch.at[i].more;
			uint64_t n = more && more->expr		 ? reads_of(more->expr)
				     : more && more->reads_given ? more->read_count
								 : 0;

			if (batch.at[i].kind != EV_BRANCH)
				continue;
			told->branches++;
			told->expressions += more && more->expr;
			told->sets += n && !more->expr;
			told->largest = n > told->largest ? n : told->largest;
			told->last = n;
			told->latest = more && more->expr ? latest_of(more->expr) : 0;
		}
	reader_close(r);
}

/* How the branches of a loop come out, with so many between two of them. */
static size_t sum_loop(uint32_t rounds, uint32_t between, bool told_how, struct told *told)
{
	struct sum *s = mem_alloc(sizeof(*s));

	start_sum(s, told_how);
	for (uint32_t i = 1; i <= rounds; i++) {
		add_up(s, i % 3);
		if (i % between == 0)
			put_told(s, LOG_BRANCH, s->branch, put_load(s));
	}
	end_log(&s->l);
	struct bytes bytes = merge_log(&s->l);
	size_t size = bytes.n;

	check_trace(&bytes);
	count_branches(&bytes, told);
	bytes_release(&bytes);
	mem_free(s);
	return size;
}

TAP_CASE(a_sum_of_many_reads_is_exact)
{
	struct told told;

	sum_loop(10000, 10000, true, &told);
	ASSERT_EQ(told.expressions, 1);
	ASSERT_EQ(told.largest, 10000);
	sum_loop(10000, 10000, false, &told);
	ASSERT_EQ(told.sets, 1);
	ASSERT_EQ(told.largest, 10000);
}

TAP_CASE(a_branch_in_every_round_is_not_quadratic)
{
	struct told few, many;
	size_t small = sum_loop(5000, 1, true, &few), large = sum_loop(50000, 1, true, &many);

	tap_note("%zu and %zu bytes; %llu of %llu and %llu of %llu with expressions", small, large,
		 (unsigned long long)few.expressions, (unsigned long long)few.branches,
		 (unsigned long long)many.expressions, (unsigned long long)many.branches);
	ASSERT(large < 15 * small);
	ASSERT(many.expressions > many.branches / 2);
}

/* So many that those are collected which nobody needs; what was kept before is still there. */
TAP_CASE(what_is_not_needed_is_forgotten)
{
	struct sum *s = mem_alloc(sizeof(*s));
	struct told told;
	uint64_t kept = 0, zero = 0;

	start_sum(s, true);
	for (uint32_t i = 1; i <= 300000; i++) {
		if (i == 1000) {
			kept = s->sum;
			put_depend(&s->l, 0, put_load(s));
			put_access(&s->l, 1, LOG_WRITE, s->store, SUM_AT + 64, 8, &kept);
		}
		if (i % 30 == 0)
			put_told(s, LOG_BRANCH, s->branch, put_load(s));
		if (i % 30 == 0)
			put_access(&s->l, 1, LOG_WRITE, s->store, SUM_AT, 8, &zero);
		s->sum = i % 30 ? s->sum : 0;
		add_up(s, i % 3);
	}
	make_room(s->l.run, 1, 8);
	uint64_t load = here(s);

	put_access(&s->l, 1, LOG_READ, s->load, SUM_AT + 64, 8, &kept);
	put_told(s, LOG_BRANCH, s->branch, load);
	end_log(&s->l);
	struct bytes bytes = merge_log(&s->l);

	count_branches(&bytes, &told);
	ASSERT_EQ(told.branches, 10001);
	ASSERT_EQ(told.expressions, 10001);
	ASSERT_EQ(told.largest, 30);
	ASSERT_EQ(told.last, 10);
	ASSERT(told.latest > 2000 && told.latest < 2100); /* an `external` before each read */
	bytes_release(&bytes);
	mem_free(s);
}

/* Arms: what may be in one, and where a branch governs all that follows. */

#define OBJECT_OF(kind) (0x700000u + 64 * ((kind) == LOG_SEM_POST))

struct arms_log {
	struct logged l;
	uint64_t read, open[8];
	unsigned n;
};

static void put_call(struct arms_log *a, uint8_t kind)
{
	uint32_t *version = &a->l.versions[log_shard(OBJECT_OF(kind))];
	uint64_t words[4] = {LOG_WORD(kind, 1, *version), OBJECT_OF(kind), 0, 0};

	*version += 2;
	put_words(&a->l, 1, words, 3);
}

static void put_arm(struct arms_log *a, uint8_t kind, uint32_t site, uint64_t to)
{
	uint64_t word = LOG_WORD(kind, site, a->l.run->files[1].words.n - to);

	put_words(&a->l, 1, &word, 1);
}

/* A letter a record, of sites 1 (a read), 2 (a branch), 3 (a write). */
static void put_letter(struct arms_log *a, char letter)
{
	uint64_t value = 5, handler[2] = {LOG_WORD(LOG_HANDLER, 0, 0), 10};
	uint64_t position = a->l.run->files[1].words.n;

	switch (letter) {
	case 'r':
		a->read = position;
		put_access(&a->l, 1, LOG_READ, 1, SHARED + 24, 8, &value);
		break;
	case '(':
		a->open[a->n++] = position;
		put_arm(a, LOG_BRANCH, 2, a->read);
		break;
	case ')': put_arm(a, LOG_REJOIN, 0, a->open[--a->n]); break;
	case '^': a->n--; break; /* it is left in another way */
	case 'w': put_access(&a->l, 1, LOG_WRITE, 3, SHARED + 56, 8, &value); break;
	case 'p': put_access(&a->l, 1, LOG_WRITE, 3, OWN, 8, &value); break;
	case 'L': put_call(a, LOG_ACQUIRE); break;
	case 'U': put_call(a, LOG_RELEASE); break;
	case 's': put_call(a, LOG_SEM_POST); break;
	case 'h': put_words(&a->l, 1, handler, 2); break;
	default: FAIL("no letter: %c", letter);
	}
}

/* What its branches govern, in their order; '-' for one that says nothing. */
static void arms_of(const char *letters, char *to)
{
	struct arms_log *a = mem_alloc_zero(1, sizeof(*a));

	start_log(&a->l);
	add_plain_site(&a->l, SITE_READ, 0, NULL);
	add_plain_site(&a->l, SITE_BRANCH, 1, "(> %0 3)");
	add_plain_site(&a->l, SITE_WRITE, 0, NULL);
	a->l.sites.at[1].flags |= SITE_ARM;
	for (; *letters; letters++)
		put_letter(a, *letters);
	end_log(&a->l);
	struct bytes bytes = merge_log(&a->l);
	struct seen *seen = mem_alloc_zero(1, sizeof(*seen));

	check_trace(&bytes);
	open_trace(seen, &bytes);
	for (size_t i = 0; i < seen->batch.n; i++) {
		const struct event *e = &seen->batch.at[i];

		if (e->kind == EV_BRANCH && seen->op[i] != NO_OP)
			*to++ = (char)(e->more->expr ? '0' + e->more->scope : '-');
	}
	*to = '\0';
	reader_close(seen->reader);
	bytes_release(&bytes);
	mem_free(seen);
	mem_free(a);
}

TAP_CASE(a_branch_governs_its_arm_or_all)
{
	static const char *const cases[][2] = {
		{"r(w)w", "1"},
		{"r(www)w", "3"},
		{"r(p)w", "1"}, /* a step that is dropped is told of in the arm */
		{"r()w", "-"},
		{"r(LwU)w", "3"},
		{"r(Lw)Uw", "0"}, /* the lock is held behind it */
		{"Lr(U)LUw", "0"},
		{"r(L(U)w)w", "40"}, /* likewise, but not of the outer one */
		{"r(w(w)w)w", "41"},
		{"r((w))w", "21"},
		{"r((w^)w", "20"}, /* the inner one has no end */
		{"r(w^w", "0"},
		{"r(ws)w", "0"}, /* of what others wait for nothing is skipped */
		{"r(w(s)w)w", "00"},
		{"r(ws(w)w)w", "01"},
		{"r(wh)w", "0"}, /* a handler ran */
		{"r(w)(w)w", "11"},
	};
	char got[20];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		tap_at("%s", cases[i][0]);
		arms_of(cases[i][0], got);
		if (strcmp(got, cases[i][1]) != 0)
			FAIL("%s: %s, want %s", cases[i][0], got, cases[i][1]);
	}
}
