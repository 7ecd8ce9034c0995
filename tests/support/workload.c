/* SPDX-License-Identifier: MIT */
#include "support/workload.h"

#include "base/err.h"

#include <stdio.h>
#include <string.h>

#define BATCH_EVENTS 4096
#define FUNCTIONS 64
#define FUNCTION_MAX 40
#define TYPES 16 /* of objects: a function works on objects of one type */
#define FIELDS 8
#define ARRAYS 64	 /* each access in the text of the program walks over one of them */
#define SWITCH_ONE_IN 12 /* events, until another thread goes on */

enum operand { GLOBAL, FIELD, ELEMENT };
enum value_shape { COUNTER, SMALL, POINTER };

struct op {
	uint8_t kind; /* enum event_kind */
	uint8_t operand, shape;
	uint32_t object; /* which global, field or lock */
	uint32_t location;
};

struct function {
	struct op ops[FUNCTION_MAX];
	uint32_t count;
};

struct worker {
	uint32_t function, at;
	uint32_t instance; /* first variable of the object that this call works on */
	uint32_t element;  /* where its walks over arrays are */
};

struct workload {
	struct workload_size size;
	struct symbols symbols;
	uint64_t random;
	uint64_t made;
	struct function functions[FUNCTIONS];
	struct worker *workers;
	int64_t *values;
	uint32_t *holders; /* thread + 1 of each lock */
	uint32_t thread;   /* that runs */
	uint32_t globals, objects, first_element,
		elements; /* objects of a type, elements of an array */
	struct event events[BATCH_EVENTS];
};

static uint64_t next_random(struct workload *w)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return w->random * 0x2545f4914f6cdd1du;
}

static uint32_t below(struct workload *w, uint32_t n)
{
	return (uint32_t)((next_random(w) >> 32) * n >> 32);
}

/* Small numbers are more likely: what is hot is hot. */
static uint32_t skewed(struct workload *w, uint32_t n)
{
	uint32_t a = below(w, n), b = below(w, n);

	return a < b ? a : b;
}

static void make_function(struct workload *w, struct function *f, uint32_t number)
{
	uint32_t length = 12 + below(w, FUNCTION_MAX - 14);
	uint32_t held = 0; /* lock + 1 */

	for (uint32_t i = 0; i < length || held; i++) {
		struct op *op = &f->ops[f->count++];
		uint32_t dice = below(w, 100);
		char text[64];

		*op = (struct op){.shape = (uint8_t)below(w, 3)};
		/* an acquire and its release are two events: one dice for both */
		if (held && (dice < 22 || f->count == FUNCTION_MAX)) {
			op->kind = EV_RELEASE;
			op->object = held - 1;
			held = 0;
		} else if (!held && dice < 19 && f->count + 4 < FUNCTION_MAX) {
			held = skewed(w, w->size.locks) + 1;
			op->kind = EV_ACQUIRE;
			op->object = held - 1;
		} else if (dice < 27) {
			op->kind = EV_BRANCH;
		} else {
			op->kind = below(w, 75) < 45 ? EV_READ : EV_WRITE;
			op->operand = (uint8_t)below(w, 3);
			op->object = op->operand == GLOBAL  ? skewed(w, w->globals)
				     : op->operand == FIELD ? below(w, FIELDS)
							    : below(w, ARRAYS);
		}
		int n = snprintf(text, sizeof(text), "src/module%u.c:%u:%u:function_%u", number / 4,
				 20 + number % 4 * 60 + i, 5 + below(w, 30), number);

		op->location = intern_add(&w->symbols.locations, text, (size_t)n);
	}
}

static void add_names(struct workload *w, enum object_class class, const char *prefix, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		char text[32];
		int length = snprintf(text, sizeof(text), "%s%u", prefix, i);

		symbols_add(&w->symbols, class, text, (size_t)length);
	}
}

/* The first variables are globals, then come the objects, type by type, then the arrays. */
static void lay_out(struct workload *w)
{
	w->globals = w->size.variables / 50 + 1;
	w->objects = (w->size.variables - w->globals) / 2 / (TYPES * FIELDS);
	w->first_element = w->globals + w->objects * TYPES * FIELDS;
	w->elements = (w->size.variables - w->first_element) / ARRAYS;
	ASSERT(w->objects && w->elements);
}

static void start_call(struct workload *w, struct worker *worker)
{
	worker->function = skewed(w, FUNCTIONS);
	worker->at = 0;
	worker->instance = w->globals +
			   (worker->function % TYPES * w->objects + skewed(w, w->objects)) * FIELDS;
	if (below(w, 4) == 0)
		worker->element = below(w, w->elements);
}

struct workload *workload_new(const struct workload_size *size)
{
	struct workload *w = mem_alloc_zero(1, sizeof(*w));

	w->size = *size;
	w->random = size->seed * 2 + 1;
	lay_out(w);
	symbols_init(&w->symbols);
	add_names(w, CLASS_THREAD, "t", size->threads);
	add_names(w, CLASS_VARIABLE, "v", size->variables);
	add_names(w, CLASS_LOCK, "l", size->locks);
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		make_function(w, &w->functions[i], i);
	w->values = mem_alloc_zero(size->variables, sizeof(*w->values));
	w->holders = mem_alloc_zero(size->locks, sizeof(*w->holders));
	w->workers = mem_alloc_zero(size->threads, sizeof(*w->workers));
	for (uint32_t t = 0; t < size->threads; t++)
		start_call(w, &w->workers[t]);
	return w;
}

static int64_t new_value(struct workload *w, const struct op *op, int64_t old)
{
	switch ((enum value_shape)op->shape) {
	case COUNTER: return old + 1;
	case SMALL: return below(w, 16);
	case POINTER: return 0x7f3a00000000 + 16 * (int64_t)below(w, 1 << 16);
	}
	return 0;
}

/* The next event of the running thread, or false if it waits for a lock. */
static bool step(struct workload *w, struct event *e)
{
	struct worker *worker = &w->workers[w->thread];
	const struct function *f = &w->functions[worker->function];
	const struct op *op = &f->ops[worker->at];

	if (op->kind == EV_ACQUIRE && w->holders[op->object])
		return false;
	*e = (struct event){.kind = op->kind, .thread = w->thread, .location = op->location};
	if (op->kind == EV_ACQUIRE || op->kind == EV_RELEASE) {
		e->object = op->object;
		w->holders[op->object] = op->kind == EV_ACQUIRE ? w->thread + 1 : 0;
	} else if (op->kind != EV_BRANCH) {
		e->object = op->operand == GLOBAL  ? op->object
			    : op->operand == FIELD ? worker->instance + op->object
						   : w->first_element + op->object * w->elements +
							     worker->element++ % w->elements;
		if (op->kind == EV_WRITE)
			w->values[e->object] = new_value(w, op, w->values[e->object]);
		e->value = w->values[e->object];
	}
	if (++worker->at == f->count)
		start_call(w, worker);
	return true;
}

int workload_next(struct workload *w, struct batch *batch)
{
	size_t n = 0;

	*batch = (struct batch){.at = w->events, .first = w->made + 1};
	while (n < BATCH_EVENTS && w->made + n < w->size.events) {
		if (below(w, SWITCH_ONE_IN) == 0)
			w->thread = below(w, w->size.threads);
		while (!step(w, &w->events[n]))
			w->thread = (w->thread + 1) % w->size.threads;
		n++;
	}
	w->made += n;
	batch->n = n;
	return n > 0;
}

const struct symbols *workload_symbols(const struct workload *w)
{
	return &w->symbols;
}

void workload_free(struct workload *w)
{
	symbols_release(&w->symbols);
	mem_free(w->values);
	mem_free(w->holders);
	mem_free(w->workers);
	mem_free(w);
}
