/* SPDX-License-Identifier: MIT */
/* Memory of a random trace: variables, which may overlap, accesses, and branches on reads. */
#include "tests/support/random_trace_parts.h"

#include <stdlib.h>

#define PARTS_MAX 3 /* variables in one access */

/* Variables */

static int variable_cells(const struct variable *v)
{
	return v->size ? v->size : 1;
}

static bool overlap(const struct variable *a, const struct variable *b)
{
	return a->cells < b->cells + variable_cells(b) && b->cells < a->cells + variable_cells(a);
}

static bool is_accessible(const struct variable *v)
{
	for (int i = 0; i < variable_cells(v); i++)
		if ((v->cells[i].needs_alloc && !v->cells[i].allocated) || v->cells[i].freed)
			return false;
	return true;
}

static bool is_fresh(const struct variable *v)
{
	for (int i = 0; i < variable_cells(v); i++)
		if (!v->cells[i].needs_alloc || v->cells[i].accessed)
			return false;
	return true;
}

int64_t random_variable_value(const struct variable *v)
{
	uint64_t value = 0;

	if (!v->size)
		return v->cells[0].value;
	for (int i = v->size; i-- > 0;)
		value = value << 8 | (uint64_t)v->cells[i].value;
	return (int64_t)value;
}

static void variable_store(struct variable *v, int64_t value)
{
	if (!v->size)
		v->cells[0].value = value;
	for (int i = 0; i < v->size; i++)
		v->cells[i].value = (int64_t)((uint64_t)value >> 8 * i & 0xff);
}

static int64_t random_value(struct world *w, const struct variable *v)
{
	static const int64_t odd[] = {-1, INT64_MIN, INT64_MAX, 1000000007, -300};
	uint64_t value = 0;

	if (!v->size && has(w, RANDOM_SPELLING) && percent(w, 5))
		return odd[below(w, 5)];
	if (!v->size || percent(w, 50))
		return below(w, 3);
	for (int i = 0; i < v->size; i++)
		value = value << 8 | (uint64_t)below(w, percent(w, 10) ? 256 : 2);
	return (int64_t)value;
}

/* Anywhere, or close behind the one before: together they may make one value. */
static void place_variable(struct world *w, struct variable *v, const struct variable *before)
{
	v->base = below(w, BASES);
	v->offset = below(w, BASE_BYTES - v->size + 1);
	if (!before || !before->size || !has(w, RANDOM_MULTI) || percent(w, 50))
		return;
	int behind = before->offset + before->size + (percent(w, 50) ? below(w, 3) : 0);

	if (behind + v->size <= BASE_BYTES) {
		v->base = before->base;
		v->offset = behind;
	}
}

void random_set_up_variables(struct world *w)
{
	static const char *const plain_names[] = {"x0",	 "x1",	"x2",  "x3", "x4",  "x5",
						  "x6",	 "x7",	"x8",  "x9", "x10", "x11",
						  "x12", "x13", "x14", "x15"};
	static const char *const odd_names[] = {"a[0]", "p->q", "(x)",	"%5",  "1", "if",
						"é",	"read", "l0",	"t1",  "-", "x=1",
						"0x5",	"\"",	"by=3", "init"};
	static const int sizes[] = {1, 1, 2, 2, 4, 4, 8, 3, 5, BASE_BYTES};
	bool odd = has(w, RANDOM_SPELLING) && percent(w, 50);

	for (int i = 0; i < (int)w->knobs.variables; i++) {
		struct variable *v = &w->variables[i];

		v->name = odd ? odd_names[i] : plain_names[i];
		v->is_volatile = percent(w, 15);
		v->has_init = percent(w, 25);
		if (has(w, RANDOM_MEMORY) && percent(w, 70)) {
			v->size = sizes[below(w, has(w, RANDOM_ALLOC) ? 10 : 9)];
			place_variable(w, v, i ? v - 1 : NULL);
			v->cells = w->memory[v->base] + v->offset;
		} else {
			v->cells = &w->single[i];
		}
		v->has_init = v->has_init && v->size <= 8;
		for (int k = 0; k < variable_cells(v) && has(w, RANDOM_ALLOC) && i % 2; k++)
			v->cells[k].needs_alloc = true;
		/* those that share a byte with an earlier one keep what that says */
		for (int k = 0; k < i; k++)
			v->has_init = v->has_init && !overlap(v, &w->variables[k]);
		if (v->has_init)
			variable_store(v, random_value(w, v));
	}
	for (int i = 0; i < (int)w->knobs.variables; i++) {
		struct variable *v = &w->variables[i];
		bool late = has(w, RANDOM_SPELLING) && !v->size && percent(w, 50);

		if (!late)
			random_declare_variable(w, v);
	}
}

/* Accesses */

struct access {
	struct variable *parts[PARTS_MAX];
	int64_t written[PARTS_MAX];
	int count;
};

/* Where part i stands in the value of the whole access, in bytes; see *Memory* in the model. */
static int place_of(const struct access *a, int i)
{
	return a->count > 1 ? a->parts[i]->offset - a->parts[0]->offset : 0;
}

/* Has the access a value as a whole? */
static bool is_composed(const struct access *a)
{
	const struct variable *first = a->parts[0];

	for (int i = 0; i < a->count && a->count > 1; i++) {
		const struct variable *v = a->parts[i];
		int place = place_of(a, i);

		if (!v->size || v->base != first->base || place < 0 || place + v->size > 8)
			return false;
	}
	return true;
}

/* By base and address, those in memory. */
static void sort_parts(struct access *a)
{
	for (int i = 1; i < a->count; i++) {
		for (int k = i; k && a->parts[k]->cells < a->parts[k - 1]->cells; k--) {
			struct variable *v = a->parts[k];

			a->parts[k] = a->parts[k - 1];
			a->parts[k - 1] = v;
		}
	}
}

/* Variables that do not overlap, each as `fits` wants it; none if the dice say so. */
static struct access pick_access(struct world *w, bool fits(const struct variable *v))
{
	struct access a = {.count = 0};
	int want = has(w, RANDOM_MULTI) && percent(w, 20) ? 2 + below(w, 2) : 1;
	bool composed = want > 1 && percent(w, 50); /* by chance it would seldom be */

	for (int tries = composed ? 12 : want; tries > 0 && a.count < want; tries--) {
		struct variable *v = &w->variables[below(w, (int)w->knobs.variables)];
		struct access longer = a;
		bool good = fits(v);

		for (int k = 0; k < a.count; k++)
			good = good && !overlap(v, a.parts[k]);
		longer.parts[longer.count++] = v;
		if (composed)
			sort_parts(&longer);
		if (good && (!composed || is_composed(&longer)))
			a = longer;
	}
	for (int i = 0; i < a.count; i++)
		random_declare_variable(w, a.parts[i]);
	return a;
}

static bool is_usable(const struct variable *v)
{
	return v->size <= 8 && is_accessible(v);
}

static void mark_accessed(struct access *a)
{
	for (int i = 0; i < a->count; i++)
		for (int k = 0; k < variable_cells(a->parts[i]); k++)
			a->parts[i]->cells[k].accessed = true;
}

/* Of one that is composed. */
static int64_t whole_value(const struct access *a)
{
	uint64_t whole = 0;

	for (int i = 0; i < a->count; i++)
		whole |= (uint64_t)random_variable_value(a->parts[i]) << 8 * place_of(a, i);
	return (int64_t)whole;
}

/* What the variable takes of a value: its own bytes, or all if it is not in memory. */
static int64_t bytes_of(int64_t value, const struct variable *v, int place)
{
	uint64_t all = (uint64_t)value >> 8 * place;

	return (int64_t)(v->size && v->size < 8 ? all & (((uint64_t)1 << 8 * v->size) - 1) : all);
}

/* An expression for an access that is composed; its value, often too wide, becomes a->written. */
static struct term *random_store(struct world *w, struct access *a, const struct term_read *values,
				 size_t n)
{
	struct term *term = term_random(&w->r, 1 + below(w, 3), values, n);
	int64_t value;

	if (percent(w, 70)) /* mostly small */
		term = percent(w, 50) ? term_wrap("&", term, 3, 0) : term_wrap("ite", term, 1, 2);
	if (a->parts[0]->size && percent(w, 50)) /* the same in every byte */
		term = term_wrap("*", term, 0x0101010101010101, 0);
	if (!term_value(term, values, n, &value)) {
		term_free(term);
		return NULL;
	}
	for (int i = 0; i < a->count; i++)
		a->written[i] = bytes_of(value, a->parts[i], place_of(a, i));
	return term;
}

static void add_read(struct thread *t, const struct access *a, uint64_t event)
{
	struct term_read read = {event, 0};

	if (is_composed(a)) {
		read.value = whole_value(a);
		t->values = realloc(t->values, (t->value_count + 1) * sizeof(*t->values));
		t->values[t->value_count++] = read;
	}
	t->reads = realloc(t->reads, (t->read_count + 1) * sizeof(*t->reads));
	t->reads[t->read_count++] = read;
}

bool random_step_read(struct world *w, struct thread *t)
{
	struct access a = pick_access(w, is_usable);

	if (!a.count)
		return false;
	random_print_op(w, t, "read");
	for (int i = 0; i < a.count; i++) {
		random_print_word(w, a.parts[i]->name);
		random_print_number(w, random_variable_value(a.parts[i]));
	}
	random_print_order(w);
	random_print_rest(w, t);
	add_read(t, &a, w->events);
	mark_accessed(&a);
	return true;
}

/* A write or an rmw. */
static bool step_store(struct world *w, struct thread *t, bool rmw)
{
	struct access a = pick_access(w, is_usable);
	struct term *term = NULL;

	if (!a.count)
		return false;
	for (int i = 0; i < a.count; i++)
		a.written[i] = random_value(w, a.parts[i]);
	if (rmw)
		add_read(t, &a, w->events + 1);
	if (has(w, RANDOM_EXPRS) && is_composed(&a) && percent(w, 60))
		term = random_store(w, &a, t->values, t->value_count);
	random_print_op(w, t, rmw ? "rmw" : "write");
	for (int i = 0; i < a.count; i++) {
		random_print_word(w, a.parts[i]->name);
		if (rmw)
			random_print_number(w, random_variable_value(a.parts[i]));
		random_print_number(w, a.written[i]);
	}
	if (term) {
		fputs(" = ", w->out);
		term_print(term, w->out);
	} else if (has(w, RANDOM_READS) && percent(w, 40)) {
		random_print_reads(w, "reads=", t->reads, t->read_count, true);
	}
	random_print_order(w);
	/* at= cannot name the rmw itself */
	t->read_count -= rmw;
	random_print_rest(w, t);
	t->read_count += rmw;
	for (int i = 0; i < a.count; i++)
		variable_store(a.parts[i], a.written[i]);
	mark_accessed(&a);
	term_free(term);
	return true;
}

bool random_step_write(struct world *w, struct thread *t)
{
	return step_store(w, t, false);
}

bool random_step_rmw(struct world *w, struct thread *t)
{
	return step_store(w, t, true);
}

bool random_step_external(struct world *w, struct thread *t)
{
	struct access a = pick_access(w, is_usable);

	if (!a.count)
		return false;
	random_print_op(w, t, "external");
	for (int i = 0; i < a.count; i++) {
		a.written[i] = random_value(w, a.parts[i]);
		random_print_word(w, a.parts[i]->name);
		random_print_number(w, a.written[i]);
	}
	random_print_rest(w, t);
	for (int i = 0; i < a.count; i++)
		variable_store(a.parts[i], a.written[i]);
	mark_accessed(&a);
	return true;
}

bool random_step_alloc(struct world *w, struct thread *t)
{
	struct access a = pick_access(w, is_fresh);

	if (!a.count)
		return false;
	random_print_op(w, t, "alloc");
	for (int i = 0; i < a.count; i++) {
		random_print_word(w, a.parts[i]->name);
		for (int k = 0; k < variable_cells(a.parts[i]); k++)
			a.parts[i]->cells[k].allocated = true;
	}
	random_print_rest(w, t);
	mark_accessed(&a);
	return true;
}

bool random_step_free(struct world *w, struct thread *t)
{
	struct access a = {.count = 0};

	if (percent(w, 40))
		a = pick_access(w, is_accessible);
	if (!a.count)
		return false;
	random_print_op(w, t, "free");
	for (int i = 0; i < a.count; i++) {
		random_print_word(w, a.parts[i]->name);
		for (int k = 0; k < variable_cells(a.parts[i]); k++)
			a.parts[i]->cells[k].freed = true;
	}
	random_print_rest(w, t);
	mark_accessed(&a);
	return true;
}

bool random_step_branch(struct world *w, struct thread *t)
{
	struct term *term = NULL;
	int64_t value;

	if (has(w, RANDOM_EXPRS) && percent(w, 60)) {
		term = term_random(&w->r, 1 + below(w, 3), t->values, t->value_count);
		if (!term_value(term, t->values, t->value_count, &value)) {
			term_free(term);
			return false;
		}
		if (!value)
			term = term_wrap("=", term, 0, 0);
	}
	random_print_op(w, t, "branch");
	if (term) {
		fputs(" if ", w->out);
		term_print(term, w->out);
	} else if (has(w, RANDOM_READS) && percent(w, 40)) {
		random_print_reads(w, "reads=", t->reads, t->read_count, true);
	}
	if (has(w, RANDOM_OPAQUE) && percent(w, 40))
		fputs(" opaque", w->out);
	random_print_rest(w, t);
	term_free(term);
	return true;
}
