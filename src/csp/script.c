/* SPDX-License-Identifier: MIT */
/* The room's door: scripts in, answers out. */
#include "csp/priority.h"
#include "csp/refine.h"
#include "csp/set.h"
#include "csp/token.h"
#include "csp/types.h"

#include <string.h>

struct csp *csp_new(const struct csp_limits *limits)
{
	struct csp *csp = mem_alloc_zero(1, sizeof(*csp));

	/* what is made here does not count */
	csp->script = mem_alloc_zero(1, sizeof(*csp->script));
	csp->values = mem_alloc_zero(1, sizeof(*csp->values));
	csp->processes = mem_alloc_zero(1, sizeof(*csp->processes));
	csp->globals = mem_alloc_zero(1, sizeof(*csp->globals));
	csp_values_init(csp);
	csp_processes_init(csp);
	csp->limits = *limits;
	return csp;
}

void csp_free(struct csp *csp)
{
	if (!csp)
		return;
	csp_values_release(csp);
	csp_processes_release(csp);
	for (size_t i = 0; i < csp->lets.n; i++)
		vec_release(&csp->lets.at[i]->list);
	vec_release(&csp->lets);
	vec_release(&csp->script->decls.list);
	vec_release(&csp->script->asserts);
	for (size_t i = 0; i < csp->files.n; i++)
		mem_free(csp->files.at[i].text);
	vec_release(&csp->files);
	vec_release(&csp->globals->slot_of);
	vec_release(&csp->globals->slot_of_key);
	vec_release(&csp->globals->constant);
	vec_release(&csp->globals->hidden);
	vec_release(&csp->globals->shadowed);
	vec_release(&csp->globals->module);
	intern_release(&csp->globals->keys);
	vec_release(&csp->script->modules);
	intern_release(&csp->script->module_keys);
	mem_free(csp->script);
	mem_free(csp->values);
	mem_free(csp->processes);
	mem_free(csp->globals);
	intern_release(&csp->names);
	arena_release(&csp->arena);
	mem_free(csp);
}

static uint32_t add_text(struct csp *csp, const char *name, const char *text, size_t size)
{
	char *copy = mem_alloc(size + 1);

	memcpy(copy, text, size);
	copy[size] = 0;
	return csp_add_file(csp, name, copy, size);
}

int csp_read(struct csp *csp, const char *name, const char *text, size_t size, const char *path,
	     struct err *err)
{
	CSP_ENTER(csp, err);
	csp->given = csp->given || !path;
	csp_parse(csp, add_text(csp, name, text, size), path);
	csp->sources++;
	CSP_LEAVE(csp);
}

int csp_read_file(struct csp *csp, const char *path, struct err *err)
{
	CSP_ENTER(csp, err);
	csp_parse(csp, csp_load(csp, path, (struct csp_pos){0}), path);
	csp->sources++;
	CSP_LEAVE(csp);
}

int csp_declare_process(struct csp *csp, const char *name, csp_outside_steps *steps, void *context,
			struct err *err)
{
	CSP_ENTER(csp, err);
	struct csp_decl decl = {.kind = D_OUTSIDE,
				.source = csp->sources++,
				.name = intern_add(&csp->names, name, strlen(name)),
				.steps = steps,
				.context = context};

	for (size_t i = 0; i < csp->script->decls.list.n; i++)
		if (csp->script->decls.list.at[i].kind == D_CHANNEL)
			csp->script->decls.list.at[i].constructor->outside = true;
	vec_push(&csp->script->decls.list, decl);
	CSP_LEAVE(csp);
}

void csp_leave_out(struct csp *csp)
{
	csp->leaves_out = true;
}

int csp_check(struct csp *csp, struct err *err)
{
	CSP_ENTER(csp, err);
	csp_resolve(csp);
	csp_check_types(csp);
	csp_globals_init(csp);
	CSP_LEAVE(csp);
}

size_t csp_assertion_count(const struct csp *csp)
{
	return csp->script->asserts.n;
}

struct csp_assertion csp_assertion(const struct csp *csp, size_t i)
{
	return csp->script->asserts.at[i].told;
}

static const uint32_t *trace_of(struct csp *csp, const struct csp_assert *a)
{
	uint32_t *trace = csp_alloc(csp, a->trace_length * sizeof(*trace));

	for (uint32_t i = 0; i < a->trace_length; i++) {
		struct csp_value *v = csp_intern(
			csp, csp_eval(csp, a->trace[i], csp->globals->frame), a->trace[i]->pos);

		csp_check_fields(csp, v, a->trace[i]->pos);
		trace[i] = csp_event_number(csp, v);
	}
	return trace;
}

/* One of the processes of an assertion, with the priority that it asks for. */
static struct csp_process *side(struct csp *csp, const struct csp_assert *a,
				const struct csp_expr *e)
{
	struct csp_process *p = csp_eval_process(csp, e, csp->globals->frame);

	if (a->unknown_model)
		csp_fail(csp, a->pos, "refinement by %s is not supported; [T=, [F= and [FD= are",
			 a->unknown_model);
	if (!a->below_silent)
		return p;
	struct csp_value *sets[] = {csp->values->empty,
				    csp_eval_events(csp, a->below_silent, csp->globals->frame)};

	return csp_prioritised(csp, p, sets, 2, a->pos);
}

static int decide(struct csp *csp, const struct csp_assert *a, enum csp_model model,
		  struct csp_search *s, struct err *err)
{
	CSP_ENTER(csp, err);
	csp->processes->scratch.n = 0;
	struct csp_process *left = side(csp, a, a->left);

	switch (a->told.property) {
	case CSP_REFINES: csp_refine(s, left, side(csp, a, a->right), model); break;
	case CSP_DEADLOCK_FREE: csp_find_deadlock(s, left, model); break;
	case CSP_DIVERGENCE_FREE: csp_find_divergence(s, left); break;
	case CSP_DETERMINISTIC: csp_find_choice(s, left, model); break;
	case CSP_HAS_TRACE:
		csp_find_trace(s, left, model, trace_of(csp, a), a->trace_length);
		break;
	case CSP_PRINT: BUG("no assertion");
	}
	CSP_LEAVE(csp);
}

int csp_assertion_decide(struct csp *csp, size_t i, struct csp_answer *answer, struct err *err)
{
	return csp_assertion_decide_in(csp, i, csp->script->asserts.at[i].told.model, answer, err);
}

int csp_assertion_decide_in(struct csp *csp, size_t i, enum csp_model model,
			    struct csp_answer *answer, struct err *err)
{
	const struct csp_assert *a = &csp->script->asserts.at[i];
	struct csp_search s = {.csp = csp, .answer = answer};

	*answer = (struct csp_answer){0};
	int code = decide(csp, a, model, &s, err);

	answer->states = s.pairs.n;
	csp_search_release(&s);
	if (a->told.negated)
		answer->holds = !answer->holds;
	return code;
}

int csp_assertion_sides(struct csp *csp, size_t i, struct csp_process **left,
			struct csp_process **right, struct err *err)
{
	const struct csp_assert *a = &csp->script->asserts.at[i];

	CSP_ENTER(csp, err);
	csp->processes->scratch.n = 0;
	*left = side(csp, a, a->left);
	*right = a->told.property == CSP_REFINES ? side(csp, a, a->right) : NULL;
	CSP_LEAVE(csp);
}

int csp_print(struct csp *csp, size_t i, const char **text, struct err *err)
{
	CSP_ENTER(csp, err);
	csp->processes->scratch.n = 0;
	const struct csp_expr *e = csp->script->asserts.at[i].left;

	*text = csp_value_text(csp, csp_eval(csp, e, csp->globals->frame));
	CSP_LEAVE(csp);
}

const char *csp_event_text(struct csp *csp, uint32_t event)
{
	if (event <= CSP_TICK)
		return event == CSP_TAU ? "tau" : "tick";
	/* the value is there already: nothing can fail but memory, which is not counted here */
	uint64_t most = csp->limits.bytes;

	csp->limits.bytes = 0;
	const char *text = csp_value_text(csp, csp->values->events.at[event]);

	csp->limits.bytes = most;
	return text;
}

static struct csp_expr *expression(struct csp *csp, const char *text)
{
	struct csp_expr *e =
		csp_parse_expression(csp, add_text(csp, "expression", text, strlen(text)));

	csp_resolve_expression(csp, e);
	csp_check_expression_type(csp, e);
	return e;
}

int csp_event(struct csp *csp, const char *text, uint32_t *event, struct err *err)
{
	CSP_ENTER(csp, err);
	struct csp_expr *e = expression(csp, text);
	struct csp_value *v = csp_intern(csp, csp_eval(csp, e, csp->globals->frame), e->pos);

	csp_check_fields(csp, v, e->pos);
	*event = csp_event_number(csp, v);
	CSP_LEAVE(csp);
}

int csp_process(struct csp *csp, const char *text, struct csp_process **process, struct err *err)
{
	CSP_ENTER(csp, err);
	*process = csp_eval_process(csp, expression(csp, text), csp->globals->frame);
	CSP_LEAVE(csp);
}

int csp_process_steps(struct csp *csp, struct csp_process *process, const struct csp_step **steps,
		      size_t *count, struct err *err)
{
	CSP_ENTER(csp, err);
	csp->processes->scratch.n = 0;
	struct csp_steps *s = csp_steps_kept(csp, process);

	for (uint32_t i = 0; i < s->n; i++)
		s->at[i].to = csp_process_resolve(csp, s->at[i].to);
	*steps = s->at;
	*count = s->n;
	CSP_LEAVE(csp);
}

static int normal_start(struct csp *csp, struct csp_normal *n, struct csp_process *process,
			enum csp_model model, struct err *err)
{
	CSP_ENTER(csp, err);
	csp->processes->scratch.n = 0;
	csp_normal_start(n, csp, process, model);
	CSP_LEAVE(csp);
}

int csp_normal_new(struct csp *csp, struct csp_process *process, enum csp_model model,
		   struct csp_normal **normal, struct err *err)
{
	*normal = mem_alloc_zero(1, sizeof(**normal));
	int code = normal_start(csp, *normal, process, model, err);

	if (code) {
		csp_normal_free(*normal);
		*normal = NULL;
	}
	return code;
}

void csp_normal_free(struct csp_normal *normal)
{
	if (normal)
		csp_normal_release(normal);
	mem_free(normal);
}

int csp_normal_after(struct csp_normal *normal, uint32_t node, uint32_t event, uint32_t *after,
		     struct err *err)
{
	CSP_ENTER(normal->csp, err);
	*after = csp_normal_go(normal, node, event);
	CSP_LEAVE(normal->csp);
}

int csp_normal_initials(struct csp_normal *normal, uint32_t node, const uint32_t **events,
			size_t *count, struct err *err)
{
	CSP_ENTER(normal->csp, err);
	csp_normal_expand(normal, node);
	*events = normal->nodes.at[node].event;
	*count = normal->nodes.at[node].edge_count;
	CSP_LEAVE(normal->csp);
}

int csp_normal_allows(struct csp_normal *normal, uint32_t node, const uint32_t *events,
		      size_t count, bool ends, bool *allows, struct err *err)
{
	CSP_ENTER(normal->csp, err);
	*allows = csp_normal_suffices(normal, node, events, count, ends);
	CSP_LEAVE(normal->csp);
}

struct csp_process *csp_normal_state(const struct csp_normal *normal, uint32_t node)
{
	return normal->nodes.at[node].state[0];
}
