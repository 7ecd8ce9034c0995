/* SPDX-License-Identifier: MIT */
#include "search/explore/states.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <string.h>

void states_init(struct states *states, uint32_t words, const struct explore_limits *limits)
{
	*states = (struct states){.words = words, .limits = *limits};
}

void states_release(struct states *states)
{
	mem_free(states->records);
	mem_free(states->paths);
	mem_free(states->parent);
	mem_free(states->event);
	mem_free(states->slots);
	*states = (struct states){0};
}

static size_t find_slot(const struct states *states, const uint64_t *record)
{
	size_t size = states->words * sizeof(*record), mask = states->slot_count - 1;
	size_t slot = XXH3_64bits(record, size) & mask;

	while (states->slots[slot] &&
	       memcmp(states_record(states, states->slots[slot] - 1), record, size) != 0)
		slot = (slot + 1) & mask;
	return slot;
}

/* At most half of the slots are used. */
static size_t slots_for(size_t capacity)
{
	size_t slots = 64;

	while (slots < 2 * capacity)
		slots *= 2;
	return slots;
}

static uint64_t bytes_for(const struct states *states, size_t capacity)
{
	return capacity * (states->words * sizeof(*states->records) + sizeof(*states->paths) +
			   sizeof(*states->parent) + sizeof(*states->event)) +
	       slots_for(capacity) * sizeof(*states->slots);
}

static int grow(struct states *states, struct err *err)
{
	const struct explore_limits *limits = &states->limits;
	size_t capacity = states->capacity ? 2 * states->capacity : 64;

	if (limits->states && states->n >= limits->states)
		return err_set(err, ERR_LIMIT,
			       "there are more than %llu states; raise the limit on "
			       "states",
			       (unsigned long long)limits->states);
	if (limits->states && capacity > limits->states)
		capacity = limits->states;
	if (capacity > STATES_NONE - 1)
		capacity = STATES_NONE - 1;
	/* the last growths are small ones, to use what is allowed */
	while (limits->bytes && bytes_for(states, capacity) > limits->bytes && capacity > states->n)
		capacity = states->n + (capacity - states->n) / 2;
	if (capacity <= states->n)
		return err_set(err, ERR_LIMIT,
			       "%llu states fill the memory allowed for them; raise the "
			       "limit on bytes",
			       (unsigned long long)states->n);
	states->capacity = capacity;
	states->records =
		mem_resize(states->records, capacity * states->words * sizeof(*states->records));
	states->paths = mem_resize(states->paths, capacity * sizeof(*states->paths));
	states->parent = mem_resize(states->parent, capacity * sizeof(*states->parent));
	states->event = mem_resize(states->event, capacity * sizeof(*states->event));
	if (states->slot_count == slots_for(capacity))
		return 0;
	mem_free(states->slots);
	states->slot_count = slots_for(capacity);
	states->slots = mem_alloc_zero(states->slot_count, sizeof(*states->slots));
	for (uint32_t i = 0; i < states->n; i++)
		states->slots[find_slot(states, states_record(states, i))] = i + 1;
	return 0;
}

uint32_t states_find(const struct states *states, const uint64_t *record)
{
	return states->n ? states->slots[find_slot(states, record)] - 1 : STATES_NONE;
}

int states_add(struct states *states, const uint64_t *record, uint32_t parent, uint32_t event,
	       uint32_t *number, struct err *err)
{
	*number = states_find(states, record);
	if (*number != STATES_NONE)
		return 0;
	if (states->n == states->capacity && grow(states, err) < 0)
		return err->code;
	*number = (uint32_t)states->n++;
	memcpy(states->records + (size_t)*number * states->words, record,
	       states->words * sizeof(*record));
	states->paths[*number] = 0;
	states->parent[*number] = parent;
	states->event[*number] = event;
	states->slots[find_slot(states, record)] = *number + 1;
	return 0;
}

int states_explore(struct states *states, struct space *s, struct err *err)
{
	uint64_t *record = mem_alloc(states->words * sizeof(*record));
	uint32_t number;
	int status;

	space_start(s, record);
	status = states_add(states, record, STATES_NONE, 0, &number, err);
	if (!status)
		states->paths[0] = 1;
	/* a state's parents have one event less, so they all come before it */
	for (uint32_t i = 0; i < states->n && !status; i++) {
		for (uint32_t t = 0; t < s->index->thread_count && !status; t++) {
			const uint64_t *from = states_record(states, i);

			if (!space_can(s, from, t))
				continue;
			memcpy(record, from, states->words * sizeof(*record));
			if (!space_step(s, record, t))
				continue;
			status =
				states_add(states, record, i, space_next(s, from, t), &number, err);
			if (!status)
				states->paths[number] =
					add_saturated(states->paths[number], states->paths[i]);
		}
	}
	mem_free(record);
	return status;
}
