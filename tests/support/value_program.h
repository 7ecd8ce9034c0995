/* SPDX-License-Identifier: MIT */
/*
 * Random programs of one thread, whose values go through private memory, copies and told values;
 * and a naive interpreter of them.
 */
#ifndef SUPPORT_VALUE_PROGRAM_H
#define SUPPORT_VALUE_PROGRAM_H

#include "tests/support/random.h"

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

/* As templates over the inputs, NULL: none; and how many inputs there are. */
extern const char *const value_how_text[];
extern const unsigned value_how_inputs[];

#define NO_OP (-1)
#define SWITCH_WAYS "1 3-5 / 2 / 250-255"

struct value_op {
	uint8_t kind, how, size;
	int input[3];
	int address_from; /* the address was computed from this; NO_OP: from nothing */
	uint64_t address, from;
	uint64_t value; /* fixed */
	int arm;	/* the branch in whose arm it stands, NO_OP: none */
	uint32_t end;	/* of a branch: its OP_IS_REJOIN, 0: it decides over all that follows */
};

struct value_program {
	uint32_t n;
	struct value_op at[ALL_OPS];
	int open[ARMS_MOST]; /* while it is made: branches whose arms are not over */
	unsigned arms;
};

/* One run of it. */
struct value_outcome {
	uint64_t read[ALL_OPS];	 /* what a read is given */
	uint64_t value[ALL_OPS]; /* what later ones can use, and what was written or decided */
	uint64_t wrote[ALL_OPS]; /* an rmw */
	bool exact[ALL_OPS];	 /* all that it came from has expressions */
	uint8_t own[OWN_BYTES];
	bool own_exact[OWN_BYTES];
	uint8_t copied[ALL_OPS][WIDE];
	bool skipped[ALL_OPS];
	const struct value_outcome *like; /* the recorded one; NULL: it is that */
};

struct value_program *value_program_make(uint64_t seed);
/* Some of its reads, so many in a hundred, return other values than those in the outcome. */
void value_program_draw(const struct value_program *p, struct value_outcome *o, struct random *r,
			unsigned percent);
/* Runs it; o->read is given for reads of what others write. */
void value_program_run(const struct value_program *p, struct value_outcome *o);

uint64_t value_cut(uint64_t value, unsigned size);
/* Its value is made of its inputs, as op->how says. */
bool value_computes(const struct value_op *op);
unsigned value_shared_size(unsigned word);

#endif
