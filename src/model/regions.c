/* SPDX-License-Identifier: MIT */
#include "model/regions.h"

#include "model/depends.h"
#include "model/sections.h"

#include <string.h>

#define MARK_NAME "atomic"

/* Said */

static const struct index_list *marks_of(const struct index *index)
{
	uint32_t mark =
		intern_find(&index->symbols->names[CLASS_MARK], MARK_NAME, strlen(MARK_NAME));

	return mark == INTERN_NONE ? NULL : &index->uses[CLASS_MARK][mark];
}

/* Does the mark's last word say this? length: of the words before it. */
static bool says(const struct event *e, const char *word, size_t *length)
{
	const char *args = e->more && e->more->args ? e->more->args : "";
	size_t n = strlen(args), most = strlen(word);

	if (n < most || strcmp(args + n - most, word) != 0 ||
	    (n > most && args[n - most - 1] != ' '))
		return false;
	*length = n > most ? n - most - 1 : 0;
	return true;
}

static bool has_words(const struct event *e, const char *words, size_t length)
{
	size_t own;

	return says(e, "begin", &own) && own == length && !memcmp(e->more->args, words, length);
}

/* Those of a thread that are open. */
struct open_regions {
	VEC(uint32_t) begins;
};

/* The last with the same words ends; what began in it and did not end is no region. */
static void close_region(const struct index *index, struct open_regions *open, uint32_t n,
			 size_t length, struct regions *regions)
{
	for (size_t i = open->begins.n; i-- > 0;) {
		uint32_t begin = open->begins.at[i];
		struct region region = {begin, n};

		if (!has_words(&index->events[begin], index->events[n].more->args, length))
			continue;
		vec_push(&regions->all, region);
		open->begins.n = i;
		return;
	}
}

static void find(const struct index *index, const struct index_list *marks, struct regions *regions)
{
	struct open_regions *open = mem_alloc_zero(index->thread_count + 1, sizeof(*open));
	size_t length;

	for (uint32_t i = 0; i < marks->count; i++) {
		uint32_t n = marks->events[i], thread = index->events[n].thread;

		if (says(&index->events[n], "begin", &length))
			vec_push(&open[thread].begins, n);
		else if (says(&index->events[n], "end", &length))
			close_region(index, &open[thread], n, length, regions);
	}
	for (uint32_t t = 0; t < index->thread_count; t++)
		vec_release(&open[t].begins);
	mem_free(open);
}

static void find_ends(const struct index *index, struct regions *regions)
{
	regions->end_of = mem_alloc_zero((size_t)index->count + 1, sizeof(*regions->end_of));
	for (size_t i = 0; i < regions->all.n; i++) {
		const struct region *r = &regions->all.at[i];
		const struct index_thread *t = &index->threads[index->events[r->begin].thread];

		for (uint32_t p = index->position[r->begin] + 1; t->events[p] < r->end; p++)
			if (index_is_sure(index, r->begin, t->events[p]))
				regions->end_of[t->events[p]] = r->end; /* later than before */
	}
}

static struct regions *make(const struct index *index)
{
	struct regions *regions = mem_alloc_zero(1, sizeof(*regions));
	const struct index_list *marks = marks_of(index);

	if (marks)
		find(index, marks, regions);
	if (regions->all.n)
		find_ends(index, regions);
	return regions;
}

const struct regions *regions_of(const struct index *index)
{
	if (!*index->regions)
		*index->regions = make(index);
	return *index->regions;
}

void regions_free(struct regions *regions)
{
	if (!regions)
		return;
	vec_release(&regions->all);
	mem_free(regions->end_of);
	mem_free(regions);
}

static bool is_said(const struct index *index, uint32_t first, uint32_t last)
{
	const struct regions *regions = regions_of(index);

	return regions->end_of && last < regions->end_of[first];
}

/* Inferred */

static bool share_variable(const struct event *a, const struct event *b)
{
	for (uint32_t i = 0; i < event_part_count(a); i++)
		for (uint32_t k = 0; k < event_part_count(b); k++)
			if (event_part(a, i).variable == event_part(b, k).variable)
				return true;
	return false;
}

static bool depends_on(const struct event *e, uint32_t read)
{
	struct depends d = {0};
	bool found = false;

	depends_of(e, &d);
	for (size_t i = 0; i < d.named.n && !found; i++)
		found = d.named.at[i] == read;
	vec_release(&d.named);
	return found;
}

/* The branch decides whether the thread comes to its later event. */
static bool governs(const struct index *index, uint32_t branch, uint32_t later)
{
	uint32_t scope = index_scope(index, branch);

	return !scope || index->position[later] - index->position[branch] <= scope;
}

/* What the second writes, or that it does, depends on the first, and nothing looked since. */
static bool uses(const struct index *index, uint32_t first, uint32_t last)
{
	const struct event *a = &index->events[first], *b = &index->events[last];
	const uint32_t *events = index->threads[a->thread].events;
	bool found = depends_on(b, first);

	for (uint32_t p = index->position[first] + 1; p < index->position[last]; p++) {
		const struct event *e = &index->events[events[p]];

		if (event_is(e, EV_ACCESS) && share_variable(e, a) && share_variable(e, b))
			return false;
		if (!found && e->kind == EV_BRANCH)
			found = depends_on(e, first) && governs(index, events[p], last);
	}
	return found;
}

/* Some lock is held at both, and was given back between them. */
static bool are_apart(const struct index *index, uint32_t first, uint32_t last)
{
	const struct sections *sections = sections_of(index);
	uint32_t thread = index->events[first].thread;

	for (const struct section *s = NULL; (s = sections_next(sections, thread, first, s));) {
		const struct section *other = sections_around(sections, thread, s->lock, last);

		if (other && other != s)
			return true;
	}
	return false;
}

static const char *function_of(const struct index *index, const struct event *e)
{
	const char *function =
		e->location ? location_split(intern_text(&index->symbols->locations, e->location))
				      .function
			    : NULL;

	return function ? function : "";
}

bool regions_may_infer(const struct index *index, uint32_t first, uint32_t last)
{
	const struct event *a = &index->events[first], *b = &index->events[last];

	return a->kind == EV_READ && b->kind == EV_WRITE && a->order != ORDER_WATCH &&
	       a->thread == b->thread && first < last &&
	       !strcmp(function_of(index, a), function_of(index, b)) &&
	       are_apart(index, first, last);
}

bool regions_infer(const struct index *index, uint32_t first, uint32_t last)
{
	return regions_may_infer(index, first, last) && uses(index, first, last);
}

bool regions_have(const struct index *index, uint32_t first, uint32_t last)
{
	return is_said(index, first, last) || regions_infer(index, first, last);
}

/* Patterns */

static bool may_be_part(const struct event *e)
{
	return (e->kind == EV_READ || e->kind == EV_WRITE || e->kind == EV_RMW) &&
	       e->order != ORDER_WATCH;
}

/* A variable of all three. */
static bool share_all(const struct event *a, const struct event *b, const struct event *c)
{
	for (uint32_t i = 0; i < event_part_count(a); i++)
		for (uint32_t k = 0; k < event_part_count(b); k++)
			for (uint32_t m = 0; m < event_part_count(c); m++)
				if (event_part(a, i).variable == event_part(b, k).variable &&
				    event_part(a, i).variable == event_part(c, m).variable)
					return true;
	return false;
}

bool regions_unserialisable(const struct index *index, uint32_t first, uint32_t remote,
			    uint32_t last)
{
	const struct event *a = &index->events[first], *r = &index->events[remote];
	const struct event *b = &index->events[last];

	return a->thread == b->thread && first < last && r->thread != a->thread && may_be_part(a) &&
	       may_be_part(r) && may_be_part(b) &&
	       (event_is(r, EV_STORES) || (event_is(a, EV_STORES) && event_is(b, EV_STORES))) &&
	       share_all(a, r, b);
}

bool regions_violated(const struct index *index, uint32_t first, uint32_t remote, uint32_t last)
{
	return first && first <= index->count && remote && remote <= index->count && last &&
	       last <= index->count && regions_unserialisable(index, first, remote, last) &&
	       (is_said(index, first, last) ||
		(event_is(&index->events[remote], EV_STORES) && regions_infer(index, first, last)));
}
