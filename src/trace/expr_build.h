/* SPDX-License-Identifier: MIT */
/*
 * Making expressions.
 *
 * A builder holds a growing graph in which equal parts are one: parts are numbers, new ones are
 * made of old ones, and any part can be taken out as an expression of its own. A reader takes an
 * expression from a file, part by part in the order in which it is written, and changes nothing.
 * A walk goes through an expression in that order.
 */
#ifndef TRACE_EXPR_BUILD_H
#define TRACE_EXPR_BUILD_H

#include "trace/expr.h"

#define EXPR_NONE UINT32_MAX

/* A node, and how many of its operands were looked at. */
struct expr_step {
	uint32_t node, next;
};

struct expr_builder {
	const struct constants *constants; /* for the loads of what is taken */
	VEC(struct expr_node) nodes;
	VEC(uint32_t) operands;
	VEC(uint32_t) places; /* by node: 1 + its number in the expression that is being taken */
	VEC(uint32_t) taken;
	VEC(struct expr_step) steps;
	uint32_t *table; /* 1 + node, by hash */
	uint32_t table_size;
};

/* Starts as zeros. Reset forgets all parts and keeps the memory. */
void expr_builder_reset(struct expr_builder *b);
void expr_builder_release(struct expr_builder *b);

uint32_t expr_add_const(struct expr_builder *b, int64_t value);
uint32_t expr_add_read(struct expr_builder *b, uint64_t read);
/* n fits the operator (expr_arity_fits). Over constants it gives a constant, if it has a value. */
uint32_t expr_add(struct expr_builder *b, enum expr_op op, const uint32_t *parts, uint32_t n);
uint32_t expr_add1(struct expr_builder *b, enum expr_op op, uint32_t x);
uint32_t expr_add2(struct expr_builder *b, enum expr_op op, uint32_t x, uint32_t y);

/*
 * Adds all of an expression, with parts of the builder for its reads: what part_of gives for read
 * N stands for %N. EXPR_NONE if it gives that for one of them.
 */
typedef uint32_t expr_part_of(void *context, uint64_t read);
uint32_t expr_add_all(struct expr_builder *b, const struct expr *expr, expr_part_of *part_of,
		      void *context);

/* The part and what it is made of, in memory. NULL: these are more than `most` nodes. */
const struct expr *expr_take(struct expr_builder *b, uint32_t part, uint32_t most,
			     struct arena *memory);

/* An operator whose arguments are being read. */
struct expr_open {
	uint8_t op;
	size_t first; /* argument, in `done` */
	size_t label; /* for the caller: the part's name, or how many arguments there are to be */
};

struct expr_reader {
	const struct constants *constants; /* for the loads */
	VEC(struct expr_node) nodes;
	VEC(uint32_t) operands;
	VEC(uint32_t) done; /* arguments of open operators, each complete */
	VEC(struct expr_open) open;
};

void expr_reader_start(struct expr_reader *r); /* zeros, or after another expression */
void expr_reader_release(struct expr_reader *r);

/* Too much for one expression? To be asked before each of the following. */
bool expr_reader_is_full(const struct expr_reader *r);
void expr_read_atom(struct expr_reader *r, enum expr_op op, uint64_t value);
/* Node `part` once more. */
void expr_read_again(struct expr_reader *r, uint32_t part);
void expr_read_open(struct expr_reader *r, enum expr_op op, size_t label);
/* Arguments of the innermost open operator so far. */
uint32_t expr_read_args(const struct expr_reader *r);
/* Its arguments are complete, and their number fits. */
void expr_read_close(struct expr_reader *r);
struct expr *expr_read_end(struct expr_reader *r, struct arena *memory);

/* As it is written: an operator, its arguments, its end. A part is told once, then again and again.
 */
enum expr_item { EXPR_ATOM, EXPR_OPEN, EXPR_CLOSE, EXPR_AGAIN, EXPR_END };

#define EXPR_WALK_FEW 32

struct expr_walk {
	const struct expr *expr;
	bool started;
	/* by node, for the caller: 0 until the node is told as EXPR_OPEN, then not 0 */
	uint32_t *marks;
	struct expr_step *steps;
	uint32_t depth;
	uint32_t few[3 * EXPR_WALK_FEW];
};

void expr_walk_init(struct expr_walk *w, const struct expr *expr);
void expr_walk_release(struct expr_walk *w);
enum expr_item expr_walk_next(struct expr_walk *w, uint32_t *node);

#endif
