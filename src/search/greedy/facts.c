/* SPDX-License-Identifier: MIT */
/* What the greedy engine knows of a trace before the first query; linear in its length. */
#include "search/greedy/greedy.h"

#include <string.h>

/* First in, first out: the j-th wait takes the j-th token, those at the start first. */
static void match_semaphore(struct greedy_facts *f, uint32_t semaphore)
{
	const struct index *index = f->index;
	const struct index_list *list = &index->uses[CLASS_SEMAPHORE][semaphore];
	uint64_t tokens = index->symbols->semaphores.at[semaphore].count;
	uint32_t post = 0;

	for (uint32_t i = 0; i < list->count; i++) {
		uint32_t n = list->events[i];

		if (index->events[n].kind != EV_SEM_WAIT)
			continue;
		if (tokens) {
			tokens--;
			continue;
		}
		while (index->events[list->events[post]].kind != EV_SEM_POST)
			post++;
		f->partner[n] = list->events[post];
		f->partner[list->events[post++]] = n;
	}
}

/* Try-fails in trace order against sections in the order of their acquires. */
static void find_holders(struct greedy_facts *f, uint32_t lock)
{
	const struct index *index = f->index;
	const struct sections *s = f->sections;
	const struct index_list *list = &index->uses[CLASS_LOCK][lock];
	VEC(uint32_t) open = {0}; /* sections, perhaps over by now */
	uint32_t next = s->first[lock];

	for (uint32_t i = 0; i < list->count; i++) {
		uint32_t n = list->events[i];
		const struct event *e = &index->events[n];
		size_t kept = 0;

		if (next < s->first[lock + 1] && s->all.at[s->of_lock[next]].acquire == n)
			vec_push(&open, s->of_lock[next++]);
		if (e->kind != EV_TRY_FAIL)
			continue;
		for (size_t k = 0; k < open.n; k++) {
			const struct section *section = &s->all.at[open.at[k]];

			if (section->release && section->release < n)
				continue;
			open.at[kept++] = open.at[k];
			if (section->thread != e->thread)
				f->partner[n] = section->acquire;
		}
		open.n = kept;
	}
	vec_release(&open);
}

static void find_enters(struct greedy_facts *f, uint32_t barrier)
{
	const struct index_list *list = &f->index->uses[CLASS_BARRIER][barrier];
	struct index_list *enters = &f->enters[barrier];

	enters->events = mem_alloc_zero(list->count, sizeof(*enters->events));
	for (uint32_t i = 0; i < list->count; i++)
		if (f->index->events[list->events[i]].kind == EV_BARRIER_ENTER)
			enters->events[enters->count++] = list->events[i];
}

struct greedy_facts *greedy_facts_new(const struct index *index,
				      const struct engine_options *options)
{
	struct greedy_facts *f = mem_alloc_zero(1, sizeof(*f));
	const struct symbols *symbols = index->symbols;
	size_t barriers = symbols_count(symbols, CLASS_BARRIER);
	bool *tried = mem_alloc_zero(symbols_count(symbols, CLASS_LOCK), sizeof(*tried));

	f->index = index;
	f->needs = needs_new(index);
	f->sections = sections_of(index);
	f->writes = greedy_writes_new(index);
	f->partner = mem_alloc_zero((size_t)index->count + 1, sizeof(*f->partner));
	f->enters = mem_alloc_zero(barriers, sizeof(*f->enters));
	for (uint32_t i = 0; i < symbols_count(symbols, CLASS_SEMAPHORE); i++)
		match_semaphore(f, i);
	for (uint32_t n = 1; n <= index->count; n++)
		if (index->events[n].kind == EV_TRY_FAIL)
			tried[index->events[n].object] = true;
	for (uint32_t i = 0; i < symbols_count(symbols, CLASS_LOCK); i++)
		if (tried[i])
			find_holders(f, i);
	for (uint32_t i = 0; i < barriers; i++)
		find_enters(f, i);
	mem_free(tried);
	f->causes = options->plain ? NULL : engine_causes(index, f->needs, options);
	return f;
}

void greedy_facts_free(struct greedy_facts *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < symbols_count(f->index->symbols, CLASS_BARRIER); i++)
		mem_free(f->enters[i].events);
	causes_free(f->causes);
	needs_free(f->needs);
	greedy_writes_free(f->writes);
	mem_free(f->partner);
	mem_free(f->enters);
	mem_free(f);
}
