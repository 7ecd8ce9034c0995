/* SPDX-License-Identifier: MIT */
#include "support/nested_locks.h"

#include "base/err.h"

#include <stdio.h>

#define BATCH_EVENTS 4096
#define NESTED_MOST 16

struct holder {
	uint32_t held[NESTED_MOST], count;
};

struct nested_locks {
	struct nested_locks_shape shape;
	struct symbols symbols;
	uint64_t random, made;
	struct holder *holders; /* by thread */
	bool *taken;		/* by lock */
	int64_t *values;	/* by variable */
	struct event events[BATCH_EVENTS];
};

static uint32_t below(struct nested_locks *n, uint32_t limit)
{
	n->random ^= n->random << 13;
	n->random ^= n->random >> 7;
	n->random ^= n->random << 17;
	return (uint32_t)((n->random * 0x2545f4914f6cdd1du >> 32) * limit >> 32);
}

static void add_names(struct nested_locks *n, enum object_class class, const char *prefix,
		      uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		char text[32];
		int length = snprintf(text, sizeof(text), "%s%u", prefix, i);

		symbols_add(&n->symbols, class, text, (size_t)length);
	}
}

struct nested_locks *nested_locks_new(const struct nested_locks_shape *shape)
{
	struct nested_locks *n = mem_alloc_zero(1, sizeof(*n));

	ASSERT(shape->nested <= NESTED_MOST && shape->variables >= shape->locks * shape->guarded);
	n->shape = *shape;
	n->random = shape->seed * 2 + 1;
	symbols_init(&n->symbols);
	add_names(n, CLASS_THREAD, "t", shape->threads);
	add_names(n, CLASS_VARIABLE, "v", shape->variables);
	add_names(n, CLASS_LOCK, "l", shape->locks);
	for (uint32_t i = 0; i < shape->locations; i++) {
		char text[32];
		int length = snprintf(text, sizeof(text), "nested.c:%u", i + 1);

		intern_add(&n->symbols.locations, text, (size_t)length);
	}
	n->holders = mem_alloc_zero(shape->threads, sizeof(*n->holders));
	n->taken = mem_alloc_zero(shape->locks, sizeof(*n->taken));
	n->values = mem_alloc_zero(shape->variables, sizeof(*n->values));
	return n;
}

/* Takes a lock or leaves one; false if the lock that it wants is not free. */
static bool step_lock(struct nested_locks *n, struct holder *h, struct event *e)
{
	bool take = !h->count || (h->count < n->shape.nested && below(n, 2));
	uint32_t at = take ? 0 : below(n, h->count);
	uint32_t lock = take ? below(n, n->shape.locks) : h->held[at];

	if (take && n->taken[lock])
		return false;
	n->taken[lock] = take;
	if (take)
		h->held[h->count++] = lock;
	else
		h->held[at] = h->held[--h->count];
	e->kind = take ? EV_ACQUIRE : EV_RELEASE;
	e->object = lock;
	return true;
}

static void step_access(struct nested_locks *n, const struct holder *h, struct event *e)
{
	uint32_t locks = n->shape.locks;

	e->object = n->shape.guarded ? h->held[below(n, h->count)] +
					       locks * below(n, n->shape.variables / locks)
				     : below(n, n->shape.variables);
	if (e->kind == EV_WRITE)
		n->values[e->object]++;
	e->value = n->values[e->object];
	e->location = n->shape.locations ? 1 + below(n, n->shape.locations) : 0;
}

static bool step(struct nested_locks *n, struct event *e)
{
	uint32_t thread = below(n, n->shape.threads), dice = below(n, 100);
	struct holder *h = &n->holders[thread];

	*e = (struct event){.thread = thread};
	if (dice >= n->shape.reads + n->shape.writes || (n->shape.guarded && !h->count))
		return step_lock(n, h, e);
	e->kind = dice < n->shape.reads ? EV_READ : EV_WRITE;
	step_access(n, h, e);
	return true;
}

int nested_locks_next(struct nested_locks *n, struct batch *batch)
{
	size_t count = 0;

	*batch = (struct batch){.at = n->events, .first = n->made + 1};
	while (count < BATCH_EVENTS && n->made + count < n->shape.events)
		count += step(n, &n->events[count]);
	n->made += count;
	batch->n = count;
	return count > 0;
}

const struct symbols *nested_locks_symbols(const struct nested_locks *n)
{
	return &n->symbols;
}

void nested_locks_free(struct nested_locks *n)
{
	symbols_release(&n->symbols);
	mem_free(n->holders);
	mem_free(n->taken);
	mem_free(n->values);
	mem_free(n);
}
