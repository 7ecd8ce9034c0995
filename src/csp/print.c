/* SPDX-License-Identifier: MIT */
/* Values as one writes them. */
#include "csp/process.h"
#include "csp/set.h"

#include <stdio.h>
#include <string.h>

#define LONGEST 400

struct text {
	struct csp *csp;
	char at[LONGEST + 8];
	size_t n;
	int depth;
};

static void put(struct text *t, const char *text)
{
	for (; *text && t->n < LONGEST; text++)
		t->at[t->n++] = *text;
}

static bool full(const struct text *t)
{
	return t->n >= LONGEST;
}

static void show(struct text *t, struct csp_value *v);

static void list(struct text *t, struct csp_value **at, uint32_t n, const char *between)
{
	for (uint32_t i = 0; i < n && !full(t); i++) {
		if (i)
			put(t, between);
		show(t, at[i]);
	}
}

/* `c.1.(2.3)` needs no brackets: fields of fields are read back as they were. */
static void dotted(struct text *t, struct csp_value *v)
{
	if (v->head)
		put(t, csp_name(t->csp, v->head->name));
	if (v->head && v->n)
		put(t, ".");
	list(t, v->at, v->n, ".");
}

static void seq(struct text *t, struct csp_value *v)
{
	put(t, "<");
	for (bool first = true; v->kind == V_CONS && !full(t); first = false) {
		if (!first)
			put(t, ", ");
		show(t, v->at[0]);
		v = csp_force(t->csp, v->at[1], (struct csp_pos){0});
	}
	put(t, ">");
}

static bool is_text(struct csp_value *v)
{
	size_t n = 0;

	for (; v->kind == V_CONS && n < LONGEST; n++) {
		struct csp_value *first = v->at[0];

		if (first->kind != V_CHAR)
			return false;
		v = v->at[1];
	}
	return n && v->kind == V_NIL;
}

static void chars(struct text *t, struct csp_value *v)
{
	put(t, "\"");
	for (; v->kind == V_CONS; v = v->at[1])
		put(t, (char[]){(char)v->at[0]->number, 0});
	put(t, "\"");
}

static void map(struct text *t, struct csp_value *v)
{
	put(t, "(| ");
	for (uint32_t i = 0; i + 1 < v->n && !full(t); i += 2) {
		put(t, i ? ", " : "");
		show(t, v->at[i]);
		put(t, " => ");
		show(t, v->at[i + 1]);
	}
	put(t, " |)");
}

static void show(struct text *t, struct csp_value *v)
{
	char number[32];

	if (full(t))
		return;
	if (t->depth > 50) {
		put(t, "...");
		return;
	}
	t->depth++;
	v = csp_force(t->csp, v, (struct csp_pos){0});
	switch (v->kind) {
	case V_NUMBER:
		snprintf(number, sizeof(number), "%lld", (long long)v->number);
		put(t, number);
		break;
	case V_BOOL: put(t, v->number ? "true" : "false"); break;
	case V_CHAR: put(t, (char[]){'\'', (char)v->number, '\'', 0}); break;
	case V_DOT: dotted(t, v); break;
	case V_TUPLE:
		put(t, "(");
		list(t, v->at, v->n, ", ");
		put(t, ")");
		break;
	case V_NIL:
	case V_CONS: is_text(v) ? chars(t, v) : seq(t, v); break;
	case V_SET:
		put(t, "{");
		list(t, v->at, v->n, ", ");
		put(t, "}");
		break;
	case V_MAP: map(t, v); break;
	case V_INTS:
		snprintf(number, sizeof(number), "{%lld..}", (long long)v->number);
		put(t, v->n ? number : "Int");
		break;
	case V_SEQS:
		put(t, "Seq(");
		show(t, v->at[0]);
		put(t, ")");
		break;
	case V_DATATYPE: put(t, csp_name(t->csp, v->datatype->name)); break;
	case V_PROCESS: {
		const char *name = csp_process_name(t->csp, v->process);

		put(t, name ? name : "a process");
		break;
	}
	case V_FUNCTION: put(t, "a function"); break;
	default: put(t, "..."); break;
	}
	t->depth--;
}

const char *csp_value_text(struct csp *csp, struct csp_value *v)
{
	struct text t = {.csp = csp};

	show(&t, v);
	if (full(&t))
		strcpy(t.at + LONGEST, "...");
	else
		t.at[t.n] = 0;
	return csp_copy(csp, t.at, strlen(t.at) + 1);
}
