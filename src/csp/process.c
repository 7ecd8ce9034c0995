/* SPDX-License-Identifier: MIT */
/* Process terms by content, and the numbers of events. */
#include "csp/process.h"
#include "csp/set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void csp_processes_init(struct csp *csp)
{
	struct csp_processes *t = csp->processes;

	t->slots = 1024;
	t->slot = mem_alloc_zero(t->slots, sizeof(*t->slot));
	t->no_key = csp->values->nil;
}

void csp_processes_release(struct csp *csp)
{
	mem_free(csp->processes->slot);
	vec_release(&csp->processes->scratch);
	vec_release(&csp->processes->path);
}

static uint32_t hash_of(enum csp_op op, const void *key, uint32_t n, void *const *at)
{
	uint64_t h = ((uintptr_t)key + op) * 0x9e3779b97f4a7c15u + n;

	for (uint32_t i = 0; i < n; i++)
		h = (h ^ (uintptr_t)at[i]) * 0xff51afd7ed558ccdu ^ h >> 29;
	h ^= h >> 32;
	return (uint32_t)(h * 0x9e3779b1u) ^ (uint32_t)(h >> 17);
}

static void grow(struct csp *csp)
{
	struct csp_processes *t = csp->processes;
	size_t slots = 2 * t->slots;

	csp_charge(csp, t->slots * sizeof(*t->slot));
	struct csp_process_slot *slot = mem_alloc_zero(slots, sizeof(*slot));

	for (size_t i = 0; i < t->slots; i++) {
		if (!t->slot[i].process)
			continue;
		size_t at = t->slot[i].hash & (slots - 1);

		while (slot[at].process)
			at = (at + 1) & (slots - 1);
		slot[at] = t->slot[i];
	}
	mem_free(t->slot);
	t->slot = slot;
	t->slots = slots;
}

static struct csp_process *fresh(struct csp *csp, enum csp_op op, const void *key,
				 struct csp_env *env, uint32_t n, void **at)
{
	struct csp_process *p = csp_alloc(csp, sizeof(*p) + n * sizeof(*at));

	p->op = (uint8_t)op;
	p->id = csp->processes->ids++;
	p->n = n;
	p->expr = key;
	p->env = env;
	if (n)
		memcpy(p->at, at, n * sizeof(*at));
	return p;
}

struct csp_process *csp_process_make(struct csp *csp, enum csp_op op, const void *key,
				     struct csp_env *env, uint32_t n, void **at)
{
	struct csp_processes *t = csp->processes;
	uint32_t hash = hash_of(op, key, n, at);
	size_t i = hash & (t->slots - 1);

	for (struct csp_process *p; (p = t->slot[i].process); i = (i + 1) & (t->slots - 1))
		if (t->slot[i].hash == hash && p->op == op && p->expr == key && p->n == n &&
		    (!n || !memcmp(p->at, at, n * sizeof(*at))))
			return p;
	struct csp_process *p = fresh(csp, op, key, env, n, at);

	t->slot[i] = (struct csp_process_slot){p, hash};
	if (2 * ++t->n > t->slots)
		grow(csp);
	return p;
}

struct csp_process *csp_process_plain(struct csp *csp, enum csp_op op)
{
	return csp_process_make(csp, op, NULL, NULL, 0, NULL);
}

struct csp_process *csp_process_over(struct csp *csp, enum csp_op op, struct csp_value *set,
				     struct csp_pos pos)
{
	csp_event_set(csp, set, pos);
	return csp_process_make(csp, op, set, NULL, 0, NULL);
}

struct csp_process *csp_process_two(struct csp *csp, enum csp_op op, struct csp_value *set,
				    struct csp_process *a, struct csp_process *b)
{
	return csp_process_make(csp, op, set, NULL, 2, (void *[]){a, b});
}

struct csp_process *csp_process_outside(struct csp *csp, csp_outside_steps *steps, void *context)
{
	return csp_process_make(csp, P_OUTSIDE, NULL, NULL, 2, (void *[]){(void *)steps, context});
}

struct csp_value *csp_process_value(struct csp *csp, struct csp_process *p)
{
	return csp_intern_plain(csp, V_PROCESS, (int64_t)(uintptr_t)p);
}

struct csp_process *csp_process_later(struct csp *csp, const struct csp_expr *e,
				      struct csp_env *env, bool shared)
{
	if (e->kind == E_NAME && e->global) {
		struct csp_value *v = csp->globals->frame->at[e->slot.index];

		if (v && v->kind == V_THUNK && v->state == THUNK_DONE)
			v = v->done;
		if (v && v->kind == V_PROCESS)
			return v->process;
	}
	if (!shared)
		return fresh(csp, P_LATER, e, env, 0, NULL);
	void **at = csp_alloc(csp, e->capture_count * sizeof(*at));

	for (uint32_t i = 0; i < e->capture_count; i++)
		at[i] = csp_captured(csp, env, e->capture[i], e->pos);
	return csp_process_make(csp, P_LATER, e, env, e->capture_count, at);
}

struct csp_process *csp_process_resolve(struct csp *csp, struct csp_process *p)
{
	while (p->op == P_LATER) {
		if (!p->is) {
			p->is = csp_eval_process(csp, p->expr, p->env);
			csp_process_inherit_name(p->is, p);
		}
		p = p->is;
	}
	return p;
}

uint32_t csp_event_number(struct csp *csp, struct csp_value *v)
{
	if (!v->event) {
		v->event = (uint32_t)csp->values->events.n;
		vec_push(&csp->values->events, v);
		csp_charge(csp, 2 * sizeof(v));
	}
	return v->event;
}

void csp_event_set(struct csp *csp, struct csp_value *set, struct csp_pos pos)
{
	uint32_t most = 0;

	if (set->events)
		return;
	for (uint32_t i = 0; i < set->n; i++) {
		if (!set->at[i]->event && csp_never_happens(csp, set->at[i], pos))
			continue;
		if (!set->at[i]->event)
			csp_check_fields(csp, set->at[i], pos);
		uint32_t event = csp_event_number(csp, set->at[i]);

		most = event > most ? event : most;
	}
	uint32_t words = most / 64 + 1;
	struct csp_event_bits *bits = csp_alloc(csp, sizeof(*bits) + words * sizeof(bits->at[0]));

	bits->words = words;
	/* 0, silence, of what never happens: no set is asked for it */
	for (uint32_t i = 0; i < set->n; i++)
		bits->at[set->at[i]->event / 64] |= (uint64_t)1 << set->at[i]->event % 64;
	set->events = bits;
}

static int by_from(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	if (x[0] != y[0])
		return x[0] < y[0] ? -1 : 1;
	return x[1] < y[1] ? -1 : x[1] > y[1];
}

void csp_relation_prepare(struct csp *csp, struct csp_value *pairs, struct csp_pos pos)
{
	struct csp_relation *r;

	if (pairs->events)
		return;
	r = csp_alloc(csp, sizeof(*r) + pairs->n * sizeof(r->at[0]));
	for (uint32_t i = 0; i < pairs->n; i++) {
		struct csp_value *from = pairs->at[i]->at[0], *to = pairs->at[i]->at[1];

		if (csp_never_happens(csp, from, pos))
			continue;
		csp_check_fields(csp, from, pos);
		csp_check_fields(csp, to, pos);
		r->at[r->n].from = csp_event_number(csp, from);
		r->at[r->n++].to = csp_event_number(csp, to);
	}
	if (r->n)
		qsort(r->at, r->n, sizeof(r->at[0]), by_from);
	pairs->events = r;
}

uint32_t csp_relation_find(const struct csp_relation *r, uint32_t from)
{
	uint32_t low = 0, high = r->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (r->at[middle].from < from)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
