/* SPDX-License-Identifier: MIT */
/*
 * Which functions threads were in, as facts in the trace: a fact `frames` has calls, and those that
 * they were made in, and a fact `stacks` the call that events of a thread are in from there on
 * (norn-trace(5)).
 */
#ifndef RECORD_WRITE_STACKS_H
#define RECORD_WRITE_STACKS_H

#include "base/keyed.h"
#include "record/write/places.h"

/* Places in `chains`, the innermost first. */
struct chain {
	uint32_t first, n;
};

struct known_chain {
	uint64_t key; /* of a call its pc, of a site its number */
	struct chain chain;
};

struct known_frame {
	uint64_t key; /* the frame that it was called from, and above that its place */
	uint32_t number;
};

struct stack_call {
	uint64_t pc, via; /* via: where code without hooks was called that has called it, or 0 */
	uint32_t frame;	  /* the innermost one, if it is among the known ones */
};

struct stack {
	VEC(struct stack_call) calls;
	size_t known;	    /* that have a frame; those behind them were not asked for yet */
	struct chain inner; /* the functions that the latest event's place was inlined into */
	uint32_t told;	    /* the frame of that event */
	bool same;	    /* it has the same calls as then */
};

struct stacks {
	struct places *places;
	VEC(struct stack) threads;
	KEYED(struct known_chain) calls, sites;
	KEYED(struct known_frame) frames;
	VEC(uint32_t) chains; /* locations in the symbols */
	uint32_t count;	      /* of frames: numbers from 1 */
	uint64_t last;	      /* event in the fact that is being made */
	VEC(char) frame_text, event_text;
};

void stacks_init(struct stacks *s, struct places *places, uint32_t threads);
void stacks_release(struct stacks *s);

/* LOG_ENTER; LOG_LEAVE, with how many remain. */
static inline void stacks_call(struct stacks *s, uint32_t thread, uint64_t pc, uint64_t via)
{
	struct stack *stack = &s->threads.at[thread];
	struct stack_call call = {.pc = pc, .via = via};

	vec_push(&stack->calls, call);
	stack->same = false;
}

static inline void stacks_return(struct stacks *s, uint32_t thread, uint32_t left)
{
	struct stack *stack = &s->threads.at[thread];

	if (left >= stack->calls.n)
		return;
	stack->calls.n = left;
	if (stack->known > left)
		stack->known = left;
	stack->same = false;
}

/* The event of the thread is at this site, or at the call that returns to pc. */
void stacks_tell(struct stacks *s, uint32_t thread, uint64_t event, uint32_t site, uint64_t pc);
/* What is left of them becomes facts. */
void stacks_finish(struct stacks *s);

#endif
