/* SPDX-License-Identifier: MIT */
#include "predict/candidates.h"

#include <stdlib.h>
#include <string.h>

const struct predict_kind *const predict_kinds[] = {
	&predict_races, &predict_deadlocks, &predict_stuck, &predict_properties, &predict_atomicity,
};

const size_t predict_kind_count = sizeof(predict_kinds) / sizeof(*predict_kinds);

const struct predict_kind *predict_kind_of(enum bug_kind bug)
{
	for (size_t i = 0; i < predict_kind_count; i++)
		if (predict_kinds[i]->bug == bug)
			return predict_kinds[i];
	return NULL;
}

uint32_t predict_default_bugs(void)
{
	uint32_t bugs = 0;

	for (size_t i = 0; i < predict_kind_count; i++)
		bugs |= predict_kinds[i]->by_default ? BUG_BIT(predict_kinds[i]->bug) : 0;
	return bugs;
}

int candidates_init(struct candidates *c, const struct index *index,
		    const struct predict_options *o, struct err *err)
{
	int code = 0;

	memset(c, 0, sizeof(*c));
	c->index = index;
	for (size_t i = 0; !code && i < predict_kind_count; i++) {
		if (!(o->bugs & BUG_BIT(predict_kinds[i]->bug)))
			continue;
		uint32_t kind = c->kind_count++;

		c->kinds[kind].kind = predict_kinds[i];
		code = predict_kinds[i]->nominate(c, kind, o, err);
	}
	return code;
}

bool candidates_have_work(const struct candidates *c)
{
	for (size_t i = 0; i < c->all.n; i++)
		if (!c->all.at[i].pruned)
			return true;
	return false;
}

void candidates_release(struct candidates *c)
{
	for (uint32_t i = 0; i < c->kind_count; i++)
		if (c->kinds[i].data)
			c->kinds[i].kind->release(c->kinds[i].data);
	vec_release(&c->all);
}

void candidates_merge(const struct candidates *c, struct prediction *p)
{
	for (uint32_t i = 0; i < c->kind_count; i++)
		if (c->kinds[i].kind->merge)
			c->kinds[i].kind->merge(p);
}

void candidates_add(struct candidates *c, uint32_t kind, struct candidate candidate)
{
	candidate.kind = kind;
	vec_push(&c->all, candidate);
}

enum bug_kind candidate_bug(const struct candidates *c, const struct candidate *candidate)
{
	return c->kinds[candidate->kind].kind->bug;
}

const struct property *candidate_property(const struct candidates *c,
					  const struct candidate *candidate)
{
	const struct predict_kind *kind = c->kinds[candidate->kind].kind;

	return kind->property ? kind->property(c, candidate) : NULL;
}

void instances_add(struct instances *out, const uint32_t *events, uint32_t count)
{
	struct instance new = {.first = out->events.n, .count = count};
	uint32_t low = UINT32_MAX, high = 0;

	for (uint32_t i = 0; i < count; i++) {
		vec_push(&out->events, events[i]);
		low = events[i] < low ? events[i] : low;
		high = events[i] > high ? events[i] : high;
	}
	new.spread = count ? high - low : 0;
	vec_push(&out->at, new);
}

void instances_release(struct instances *out)
{
	vec_release(&out->events);
	vec_release(&out->at);
}

static int compare_instances(const void *a, const void *b, void *context)
{
	const struct instance *x = a, *y = b;
	const uint32_t *events = context;

	if (x->spread != y->spread)
		return x->spread < y->spread ? -1 : 1;
	if (x->count != y->count)
		return x->count < y->count ? -1 : 1;
	for (uint32_t i = 0; i < x->count; i++)
		if (events[x->first + i] != events[y->first + i])
			return events[x->first + i] < events[y->first + i] ? -1 : 1;
	return 0;
}

/* Sorted, each once, not more than most. */
static void tidy(struct instances *out, size_t most)
{
	size_t kept = 0;

	if (out->at.n)
		qsort_r(out->at.at, out->at.n, sizeof(*out->at.at), compare_instances,
			out->events.at);
	for (size_t i = 0; i < out->at.n; i++)
		if (!kept ||
		    compare_instances(&out->at.at[kept - 1], &out->at.at[i], out->events.at))
			out->at.at[kept++] = out->at.at[i];
	out->at.n = kept;
	if (kept > most) {
		out->at.n = most;
		out->all = false;
	}
}

void candidates_list(const struct candidates *c, const struct candidate *candidate, size_t most,
		     struct instances *out)
{
	out->events.n = out->at.n = 0;
	out->all = true;
	c->kinds[candidate->kind].kind->list(c, candidate, most, out);
	tidy(out, most);
}
