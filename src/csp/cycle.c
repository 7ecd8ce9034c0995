/* SPDX-License-Identifier: MIT */
/* Modules that use their own instances, by the declarations in between. */
#include "csp/builtin.h"
#include "csp/cycle.h"

#include <stdlib.h>

void csp_uses_add(struct csp *csp, struct csp_uses *uses, uint32_t decl, uint32_t slot)
{
	struct csp_use use = {decl, slot};

	/* without modules nobody asks */
	if (csp->script->scopes && slot >= csp_builtin_count)
		csp_push(csp, uses, use);
}

static int by_decl(const void *a, const void *b)
{
	const struct csp_use *x = a, *y = b;

	return x->decl < y->decl ? -1 : x->decl > y->decl;
}

struct walk {
	struct csp *csp;
	const struct csp_uses *uses;
	uint32_t *first;   /* by declaration: its first use */
	uint32_t *decl_of; /* by slot */
	uint32_t *seen;	   /* by declaration: in which round */
	uint32_t *work;
	size_t n;
	uint32_t round;
};

static uint32_t *numbers(struct csp *csp, size_t n)
{
	return csp_alloc(csp, (n + 1) * sizeof(uint32_t));
}

static void prepare(struct walk *w)
{
	const struct csp_decls *decls = &w->csp->script->decls;
	size_t slots = w->csp->globals->constant.n;

	w->first = numbers(w->csp, decls->list.n + 1);
	w->decl_of = numbers(w->csp, slots);
	w->seen = numbers(w->csp, decls->list.n);
	w->work = numbers(w->csp, decls->list.n);
	for (size_t i = 0, use = 0; i <= decls->list.n; i++) {
		while (use < w->uses->n && w->uses->at[use].decl < i)
			use++;
		w->first[i] = (uint32_t)use;
	}
	for (size_t i = 0; i < decls->list.n; i++) {
		const struct csp_decl *d = &decls->list.at[i];
		uint32_t count = csp_decl_slots(d);

		for (uint32_t k = 0; k < count; k++)
			w->decl_of[d->first + k] = (uint32_t)i;
	}
}

static void reach(struct walk *w, uint32_t decl)
{
	if (w->seen[decl] == w->round)
		return;
	w->seen[decl] = w->round;
	w->work[w->n++] = decl;
}

/* The instance of `of` that a declaration belongs to, or NULL. */
static const struct csp_module *instance_in(const struct csp_decl *d, const struct csp_module *of)
{
	const struct csp_module *m = d->module;

	while (m && m->of != of)
		m = m->up;
	return m;
}

static void refuse(struct walk *w, const struct csp_module *of)
{
	const struct csp_decl *decls = w->csp->script->decls.list.at;

	w->round++;
	w->n = 0;
	for (uint32_t i = of->first; i < of->end; i++)
		reach(w, i);
	while (w->n) {
		uint32_t decl = w->work[--w->n];
		const struct csp_module *own = instance_in(&decls[decl], of);

		if (own)
			csp_fail(w->csp, own->pos, "%s is an instance of %s, and %s uses it",
				 csp_name(w->csp, own->name), csp_name(w->csp, of->name),
				 csp_name(w->csp, of->name));
		for (uint32_t i = w->first[decl]; i < w->first[decl + 1]; i++)
			reach(w, w->decl_of[w->uses->at[i].slot]);
	}
}

void csp_refuse_cycles(struct csp *csp, struct csp_uses *uses)
{
	const struct csp_decls *decls = &csp->script->decls;
	struct walk w = {.csp = csp, .uses = uses};
	bool *done;

	if (!csp->script->scopes)
		return;
	if (uses->n > 1)
		qsort(uses->at, uses->n, sizeof(*uses->at), by_decl);
	prepare(&w);
	done = csp_alloc(csp, csp->script->scopes + 1);
	for (size_t i = 0; i < decls->list.n; i++) {
		const struct csp_module *m = decls->list.at[i].inner;

		if (!m || !m->of || done[m->of->number])
			continue;
		done[m->of->number] = true;
		refuse(&w, m->of);
	}
}
