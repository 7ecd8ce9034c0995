/* SPDX-License-Identifier: MIT */
/* Processes in the words of the script: names of definitions, and operators between them. */
#include "csp/process.h"

#include <stdio.h>
#include <string.h>

struct csp_process_title {
	uint32_t name;
	uint32_t n;
	struct csp_value *args[];
};

/* Operands of choices and the like are written in the definition itself. */
static uint32_t written_inside(const struct csp_process *p)
{
	switch ((enum csp_op)p->op) {
	case P_EXTERNAL:
	case P_INTERNAL:
	case P_SLIDE:
	case P_SEQUENCE:
	case P_INTERRUPT:
	case P_THROW: return p->n;
	default: return 0;
	}
}

/* Not far down: a definition may be as long as it likes. */
static void inherit(struct csp_process *p, const struct csp_process *from, int deepest)
{
	/* what stands for many has no place of its own */
	if (!deepest || p->title || p->op == P_STOP || p->op == P_SKIP || p->op == P_DIV)
		return;
	p->title = from->title;
	p->inside = true;
	for (uint32_t i = 0; i < written_inside(p); i++)
		inherit(p->at[i], p, deepest - 1);
}

void csp_process_inherit_name(struct csp_process *p, const struct csp_process *from)
{
	if (from->title)
		inherit(p, from, 8);
}

void csp_process_set_name(struct csp *csp, struct csp_process *p, uint32_t name, uint32_t n,
			  struct csp_value **args)
{
	if (p->title && !p->inside)
		return;
	p->title = csp_alloc(csp, sizeof(*p->title) + n * sizeof(*args));
	p->inside = false;
	p->title->name = name;
	p->title->n = n;
	if (n)
		memcpy(p->title->args, args, n * sizeof(*args));
	for (uint32_t i = 0; i < written_inside(p); i++)
		csp_process_inherit_name(p->at[i], p);
}

struct text {
	struct csp *csp;
	char at[300];
	size_t n;
	int depth;
};

static void put(struct text *t, const char *text)
{
	for (; *text && t->n < sizeof(t->at) - 4; text++)
		t->at[t->n++] = *text;
	t->at[t->n] = 0;
}

static void put_title(struct text *t, const struct csp_process_title *title)
{
	put(t, csp_name(t->csp, title->name));
	for (uint32_t i = 0; i < title->n; i++) {
		struct csp_value *v = title->args[i];

		/* nothing is evaluated for the sake of a name */
		if (v->kind == V_THUNK && v->state == THUNK_DONE)
			v = v->done;
		put(t, i ? ", " : "(");
		put(t, v->interned ? csp_value_text(t->csp, v) : "_");
	}
	put(t, title->n ? ")" : "");
}

static const char *between(const struct csp_process *p)
{
	switch ((enum csp_op)p->op) {
	case P_INTERRUPT: return " /\\ ";
	case P_PARALLEL: return p->set->n ? " [|...|] " : " ||| ";
	case P_ALPHABETISED: return " [...||...] ";
	case P_LINK: return " [...<->...] ";
	case P_SYNC_CHOICE: return " [+...+] ";
	case P_SYNC_INTERRUPT: return " /+...+\\ ";
	default: return NULL;
	}
}

static const char *behind(const struct csp_process *p)
{
	switch ((enum csp_op)p->op) {
	case P_SLIDE: return " [> ...";
	case P_SEQUENCE: return " ; ...";
	case P_LOOP: return ", looped";
	case P_THROW: return " [|...|> ...";
	case P_HIDE: return " \\ ...";
	case P_PROJECT: return " |\\ ...";
	case P_RENAME: return "[[...]]";
	case P_CHASE: return ", chased";
	case P_PRIORITISE:
	case P_PRIORITISE_BY: return ", prioritised";
	default: return NULL;
	}
}

static const char *plain(const struct csp_process *p)
{
	switch ((enum csp_op)p->op) {
	case P_STOP: return "STOP";
	case P_OMEGA: return "its end";
	case P_SKIP:
	case P_TIMED_SKIP: return "SKIP";
	case P_BUFFER: return "BUFFER(...)";
	case P_TOCKS: return "tock -> ...";
	case P_DIV: return "DIV";
	case P_RUN: return "RUN(...)";
	case P_CHAOS: return "CHAOS(...)";
	default: return "...";
	}
}

static void describe(struct text *t, const struct csp_process *p);

static void operands(struct text *t, const struct csp_process *p)
{
	uint32_t n = p->op == P_ALPHABETISED ? 2 : p->n;

	put(t, t->depth > 1 ? "(" : "");
	for (uint32_t i = 0; i < n && t->n < sizeof(t->at) - 4; i++) {
		put(t, i ? between(p) : "");
		describe(t, p->at[i]);
	}
	put(t, t->depth > 1 ? ")" : "");
}

static void describe(struct text *t, const struct csp_process *p)
{
	if (t->depth > 30) {
		put(t, "...");
		return;
	}
	t->depth++;
	if (p->op == P_LATER && p->is) {
		describe(t, p->is);
	} else if (p->title) {
		put(t, p->inside ? "in " : "");
		put_title(t, p->title);
	} else if (between(p)) {
		operands(t, p);
	} else if (behind(p)) {
		describe(t, p->at[0]);
		put(t, behind(p));
	} else {
		put(t, plain(p));
	}
	t->depth--;
}

/* Called from outside, where nothing can fail: what it takes is not counted. */
static const char *told(struct csp *csp, const struct csp_process *p, bool name)
{
	uint64_t most = csp->limits.bytes;
	struct text t = {.csp = csp};

	csp->limits.bytes = 0;
	if (name)
		put_title(&t, p->title);
	else
		describe(&t, p);
	const char *text = csp_copy(csp, t.at, t.n + 1);

	csp->limits.bytes = most;
	return text;
}

const char *csp_process_name(struct csp *csp, const struct csp_process *p)
{
	return p->title && !p->inside ? told(csp, p, true) : NULL;
}

const char *csp_process_text(struct csp *csp, const struct csp_process *p)
{
	return told(csp, p, false);
}
