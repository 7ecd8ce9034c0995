/* SPDX-License-Identifier: MIT */
#include "record/write/stacks.h"

#include "trace/symbols.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FACT_MOST 4000 /* bytes; one may be a little longer */

void stacks_init(struct stacks *s, struct places *places, uint32_t threads)
{
	*s = (struct stacks){.places = places};
	vec_extend(&s->threads, (size_t)threads);
}

void stacks_release(struct stacks *s)
{
	for (size_t i = 0; i < s->threads.n; i++)
		vec_release(&s->threads.at[i].calls);
	vec_release(&s->threads);
	mem_free(s->calls.at);
	mem_free(s->sites.at);
	mem_free(s->frames.at);
	vec_release(&s->chains);
	vec_release(&s->frame_text);
	vec_release(&s->event_text);
}

/* Chains: what was inlined is one call of the machine. */

static bool add_place(void *context, const char *text)
{
	uint32_t location = places_frame(((struct stacks *)context)->places, text);

	if (location)
		vec_push(&((struct stacks *)context)->chains, location);
	return true;
}

static struct chain chain_of_call(struct stacks *s, uint64_t pc)
{
	struct known_chain *known = keyed_slot(&s->calls, pc);

	if (!known->key) {
		known->key = pc;
		s->calls.n++;
		known->chain.first = (uint32_t)s->chains.n;
		modules_frames(s->places->modules, pc, add_place, s);
		known->chain.n = (uint32_t)s->chains.n - known->chain.first;
	}
	return known->chain;
}

/* Without the event's own place. */
static struct chain chain_of_site(struct stacks *s, uint32_t site)
{
	struct known_chain *known = keyed_slot(&s->sites, site);

	if (!known->key) {
		known->key = site;
		s->sites.n++;
		known->chain.first = (uint32_t)s->chains.n;
		tables_callers(s->places->sites, site, add_place, s);
		known->chain.n = (uint32_t)s->chains.n - known->chain.first;
	}
	return known->chain;
}

/* Frames */

static void add_fact(struct stacks *s, const char *key, const char *text, size_t n)
{
	symbols_add_meta(s->places->symbols, key, strlen(key), text, n);
}

#define ADD(s, what, key, ...)                                         \
	do {                                                           \
		char text_[1200];                                      \
		int n_ = snprintf(text_, sizeof(text_), __VA_ARGS__);  \
		vec_reserve(&(s)->what, (s)->what.n + (size_t)n_ + 1); \
		memcpy((s)->what.at + (s)->what.n, text_, (size_t)n_); \
		(s)->what.n += (size_t)n_;                             \
		if ((s)->what.n >= FACT_MOST) {                        \
			add_fact(s, key, (s)->what.at, (s)->what.n);   \
			(s)->what.n = 0;                               \
		}                                                      \
	} while (0)

/* One that is called from `caller`, 0: from no other. */
static uint32_t frame_in(struct stacks *s, uint32_t caller, uint32_t location)
{
	uint64_t key = (uint64_t)location << 32 | caller;
	struct known_frame *known = keyed_slot(&s->frames, key);

	if (!known->key) {
		*known = (struct known_frame){key, ++s->count};
		s->frames.n++;
		ADD(s, frame_text, META_FRAMES, "%s%" PRIu32 "@%.1000s", s->frame_text.n ? " " : "",
		    caller, intern_text(&s->places->symbols->locations, location));
	}
	return known->number;
}

static uint32_t frame_of_chain(struct stacks *s, uint32_t caller, struct chain chain)
{
	for (uint32_t i = chain.n; i-- > 0;)
		caller = frame_in(s, caller, s->chains.at[chain.first + i]);
	return caller;
}

/* Of all calls that are under way. */
static uint32_t frame_of_calls(struct stacks *s, struct stack *stack)
{
	uint32_t frame = stack->known ? stack->calls.at[stack->known - 1].frame : 0;

	for (; stack->known < stack->calls.n; stack->known++) {
		struct stack_call *call = &stack->calls.at[stack->known];
		struct chain chain = chain_of_call(s, call->pc);

		if (!chain.n && call->via)
			chain = chain_of_call(s, call->via);
		frame = call->frame = frame_of_chain(s, frame, chain);
	}
	return frame;
}

void stacks_tell(struct stacks *s, uint32_t thread, uint64_t event, uint32_t site, uint64_t pc)
{
	struct stack *stack = &s->threads.at[thread];
	struct chain inner = {0, 0};

	if (site) {
		inner = chain_of_site(s, site);
	} else if (pc) {
		inner = chain_of_call(s, pc);
		if (inner.n) { /* its own place */
			inner.first++;
			inner.n--;
		}
	}
	if (stack->same && inner.n == stack->inner.n &&
	    (!inner.n || inner.first == stack->inner.first))
		return;
	uint32_t frame = frame_of_chain(s, frame_of_calls(s, stack), inner);

	stack->inner = inner;
	stack->same = true;
	if (frame == stack->told)
		return;
	stack->told = frame;
	bool first = !s->event_text.n;

	if (first)
		s->last = 0;
	uint64_t step = event - s->last;

	s->last = event;
	ADD(s, event_text, META_STACKS, "%s%" PRIu64 ":%" PRIu32, first ? "" : " ", step, frame);
}

void stacks_finish(struct stacks *s)
{
	if (s->frame_text.n)
		add_fact(s, META_FRAMES, s->frame_text.at, s->frame_text.n);
	if (s->event_text.n)
		add_fact(s, META_STACKS, s->event_text.at, s->event_text.n);
	s->frame_text.n = s->event_text.n = 0;
}
