/* SPDX-License-Identifier: MIT */
/*
 * For generators: traces event by event, into any format and of any length. The maker knows
 * what each variable holds, so that reads return it; all else that makes a trace consistent is
 * the caller's.
 *
 *	maker_start(&m, out, "binary");
 *	uint32_t t = maker_name(&m, CLASS_THREAD, "t%u", 1), x = maker_name(…);
 *	uint64_t r = maker_read(&m, t, x, maker_place(&m, "a.c:%u", 3));
 *	maker_write(&m, t, x, 1, from_expr(OP_ADD, r, 1), …);
 *	maker_finish(&m, &err);
 */
#ifndef SUPPORT_MAKER_H
#define SUPPORT_MAKER_H

#include "trace/expr_build.h"
#include "trace/format.h"

struct maker {
	struct symbols symbols;
	struct sink *sink;
	VEC(int64_t) values;	  /* of each variable */
	VEC(struct event) events; /* not yet put */
	struct arena memory;	  /* of those */
	uint64_t made;
	int status;
	struct err err; /* the first one */
};

/* The output stays the caller's. */
void maker_start(struct maker *m, struct output *out, const char *format);
int maker_finish(struct maker *m, struct err *err);

uint32_t maker_name(struct maker *m, enum object_class class, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Before the first event on it: what the variable holds; what is declared. */
void maker_init(struct maker *m, uint32_t variable, int64_t value);
void maker_parties(struct maker *m, uint32_t barrier, uint32_t parties);
void maker_count(struct maker *m, uint32_t semaphore, uint64_t count);
uint32_t maker_place(struct maker *m, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* What a write's value or a branch came from. */
struct from {
	bool given, reads; /* else: every earlier read of the thread; no read at all */
	uint64_t read;
	enum expr_op op; /* (op %read constant); OP_CONST: only said to be from the read */
	int64_t constant;
};

static inline struct from from_nothing(void)
{
	return (struct from){.given = true};
}

static inline struct from from_read(uint64_t read)
{
	return (struct from){.given = true, .reads = true, .read = read};
}

static inline struct from from_expr(enum expr_op op, uint64_t read, int64_t constant)
{
	return (struct from){true, true, read, op, constant};
}

/* All of these return the number of the event. */
uint64_t maker_put(struct maker *m, uint32_t thread, enum event_kind kind, uint32_t object,
		   uint32_t place);
uint64_t maker_read(struct maker *m, uint32_t thread, uint32_t variable, uint32_t place);
uint64_t maker_write(struct maker *m, uint32_t thread, uint32_t variable, int64_t value,
		     struct from from, uint32_t place);
/* An atomic addition, with its expression. */
uint64_t maker_add(struct maker *m, uint32_t thread, uint32_t variable, int64_t more,
		   uint32_t place);
uint64_t maker_branch(struct maker *m, uint32_t thread, struct from from, uint32_t place);
uint64_t maker_external(struct maker *m, uint32_t thread, uint32_t variable, int64_t value,
			uint32_t place);
uint64_t maker_wait(struct maker *m, uint32_t thread, uint32_t condition, uint32_t lock,
		    uint32_t place);
/* by: the signal, 0: none */
uint64_t maker_woken(struct maker *m, uint32_t thread, uint32_t condition, uint32_t lock,
		     uint64_t by, uint32_t place);

/* Of the last event: a C11 atomic; the read that its address came from. */
void maker_set_order(struct maker *m, enum memory_order_kind order);
void maker_set_at(struct maker *m, uint64_t read);

#endif
