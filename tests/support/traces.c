/* SPDX-License-Identifier: MIT */
#include "tests/support/traces.h"

#include "trace/binary.h"
#include "trace/expr_build.h"
#include "trace/format.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void bytes_release(struct bytes *b)
{
	free(b->at);
	*b = (struct bytes){0};
}

static struct bytes bytes_of_stream(FILE *from)
{
	struct bytes b = {.at = malloc(1)};
	char part[65536];
	size_t got;

	while ((got = fread(part, 1, sizeof(part), from)) > 0) {
		b.at = realloc(b.at, b.n + got + 1);
		memcpy(b.at + b.n, part, got);
		b.n += got;
	}
	b.at[b.n] = '\0';
	return b;
}

struct bytes bytes_of_file(const char *path)
{
	FILE *from = fopen(path, "rb");

	if (!from)
		BUG(path);
	struct bytes b = bytes_of_stream(from);

	fclose(from);
	return b;
}

/* Whole traces */

static const struct event_more *copy_more(struct arena *memory, const struct event_more *from)
{
	struct event_more *more = arena_copy(memory, from, sizeof(*from));

	if (from->expr)
		more->expr = arena_copy(memory, from->expr, expr_size(from->expr));
	if (from->part_count)
		more->parts =
			arena_copy(memory, from->parts, from->part_count * sizeof(*from->parts));
	if (from->read_count)
		more->reads =
			arena_copy(memory, from->reads, from->read_count * sizeof(*from->reads));
	if (from->at_count)
		more->at = arena_copy(memory, from->at, from->at_count * sizeof(*from->at));
	if (from->args_length)
		more->args = arena_copy(memory, from->args, from->args_length + (size_t)1);
	return more;
}

void whole_add(struct whole_trace *whole, const struct event *e)
{
	struct event copy = *e;

	if (e->more)
		copy.more = copy_more(&whole->memory, e->more);
	vec_push(&whole->events, copy);
}

int whole_read(struct whole_trace *whole, struct reader *r, struct err *err)
{
	struct batch batch;
	int got;

	*whole = (struct whole_trace){.reader = r};
	while ((got = reader_next(r, &batch, err)) > 0) {
		for (size_t i = 0; i < batch.n; i++) {
			whole_add(whole, &batch.at[i]);
			if (batch.lines)
				vec_push(&whole->lines, batch.lines[i]);
		}
	}
	whole->cut = reader_cut(r) != NULL;
	return got;
}

int whole_read_memory(struct whole_trace *whole, const void *data, size_t size, const char *format,
		      struct err *err)
{
	struct reader *r = reader_open_memory(data, size, "memory", format, err);

	*whole = (struct whole_trace){0};
	return r ? whole_read(whole, r, err) : err->code;
}

int whole_read_unnamed(struct whole_trace *whole, const void *data, size_t size, const char *format,
		       struct err *err)
{
	struct reader *r =
		reader_open_input_unnamed(input_open_memory(data, size, "memory"), format, err);

	*whole = (struct whole_trace){0};
	int code = r ? whole_read(whole, r, err) : err->code;

	return code < 0 ? code : reader_names(r, err);
}

void whole_release(struct whole_trace *whole)
{
	reader_close(whole->reader);
	vec_release(&whole->events);
	vec_release(&whole->lines);
	arena_release(&whole->memory);
	whole->reader = NULL;
}

/* Comparing */

struct sides {
	const struct symbols *a, *b;
};

static bool same_name(const struct sides *s, enum object_class class, uint32_t a, uint32_t b)
{
	return !strcmp(symbols_name(s->a, class, a), symbols_name(s->b, class, b));
}

static const char *variable_difference(const struct sides *s, uint32_t a, uint32_t b)
{
	const struct variable *x = symbols_variable(s->a, a), *y = symbols_variable(s->b, b);

	if (!same_name(s, CLASS_VARIABLE, a, b))
		return "the name of a variable";
	if (x->flags != y->flags)
		return "what is declared of a variable";
	if (x->init != y->init)
		return "an initial value";
	if (!(x->flags & VARIABLE_MEMORY))
		return NULL;
	if (strcmp(intern_text(&s->a->bases, x->base), intern_text(&s->b->bases, y->base)) != 0)
		return "a base";
	return x->address != y->address || x->size != y->size ? "a place in memory" : NULL;
}

static const char *object_difference(const struct sides *s, enum object_class class, uint32_t a,
				     uint32_t b)
{
	if (!same_name(s, class, a, b))
		return "the name of an object";
	const struct semaphore *x = class == CLASS_SEMAPHORE ? &s->a->semaphores.at[a] : NULL;
	const struct semaphore *y = class == CLASS_SEMAPHORE ? &s->b->semaphores.at[b] : NULL;

	if (x && (x->count != y->count || x->declared != y->declared))
		return "a semaphore";
	if (class == CLASS_BARRIER && s->a->barriers.at[a].parties != s->b->barriers.at[b].parties)
		return "the parties of a barrier";
	return NULL;
}

static const char *strings_difference(const struct intern *a, const struct intern *b)
{
	if (a->strings.n != b->strings.n)
		return "the number of names";
	for (uint32_t i = 0; i < a->strings.n; i++) {
		const struct interned *x = &a->strings.at[i], *y = &b->strings.at[i];

		if (x->length != y->length || memcmp(x->text, y->text, x->length + (size_t)1) != 0)
			return "a name";
		if (intern_find(b, x->text, x->length) != i)
			return "what is found by a name";
	}
	return NULL;
}

const char *symbols_difference(const struct symbols *a, const struct symbols *b)
{
	struct sides s = {a, b};
	const char *what = NULL;

	for (int class = 0; !what && class < CLASS_COUNT; class ++) {
		if (symbols_count(a, class) != symbols_count(b, class))
			return "the number of objects";
		what = strings_difference(&a->names[class], &b->names[class]);
		for (uint32_t i = 0; !what && i < symbols_count(a, class); i++)
			what = class == CLASS_VARIABLE ? variable_difference(&s, i, i)
						       : object_difference(&s, class, i, i);
	}
	if (!what)
		what = strings_difference(&a->bases, &b->bases);
	return what ? what : strings_difference(&a->locations, &b->locations);
}

static bool same_numbers(const uint64_t *a, uint32_t a_count, const uint64_t *b, uint32_t b_count)
{
	return a_count == b_count && (!a_count || !memcmp(a, b, a_count * sizeof(*a)));
}

static bool same_expr(const struct expr *a, const struct expr *b)
{
	if (!a || !b)
		return a == b;
	struct expr_walk x, y;
	enum expr_item item;
	uint32_t i, j;
	bool same;

	expr_walk_init(&x, a);
	expr_walk_init(&y, b);
	do {
		item = expr_walk_next(&x, &i);
		same = item == expr_walk_next(&y, &j) && a->nodes[i].op == b->nodes[j].op &&
		       (item != EXPR_ATOM || a->nodes[i].value == b->nodes[j].value);
		if (same && item == EXPR_CLOSE)
			same = a->nodes[i].args == b->nodes[j].args;
	} while (same && item != EXPR_END);
	expr_walk_release(&x);
	expr_walk_release(&y);
	return same;
}

static const char *event_difference(const struct sides *s, const struct event *a,
				    const struct event *b)
{
	static const struct event_more none;
	const struct event_more *x = a->more ? a->more : &none, *y = b->more ? b->more : &none;
	enum object_class class = event_kind_class[a->kind];
	const char *what;

	if (a->kind != b->kind)
		return "the kind";
	if (!same_name(s, CLASS_THREAD, a->thread, b->thread))
		return "the thread";
	if (a->skip != b->skip)
		return "skip=";
	if (a->order != b->order)
		return "the order";
	if (strcmp(intern_text(&s->a->locations, a->location),
		   intern_text(&s->b->locations, b->location)) != 0)
		return "the location";
	if (event_part_count(a) != event_part_count(b))
		return "the number of parts";
	for (uint32_t i = 0; i < event_part_count(a); i++) {
		struct part p = event_part(a, i), q = event_part(b, i);

		if ((what = variable_difference(s, p.variable, q.variable)))
			return what;
		if (p.value != q.value && event_is(a, EV_VALUE))
			return "a value";
		if (p.written != q.written && a->kind == EV_RMW)
			return "a value written";
	}
	if (!event_is(a, EV_ACCESS) && class != CLASS_NONE &&
	    (what = object_difference(s, class, a->object, b->object)))
		return what;
	if ((a->kind == EV_WAIT || a->kind == EV_WOKEN) &&
	    !same_name(s, CLASS_LOCK, x->lock, y->lock))
		return "the lock";
	if (x->by != y->by)
		return "by=";
	if (!same_expr(x->expr, y->expr))
		return "the expression";
	if (x->reads_given != y->reads_given ||
	    !same_numbers(x->reads, x->read_count, y->reads, y->read_count))
		return "reads=";
	if (x->opaque != y->opaque)
		return "opaque";
	if (!same_numbers(x->at, x->at_count, y->at, y->at_count))
		return "at=";
	if (x->args_length != y->args_length ||
	    (x->args_length && memcmp(x->args, y->args, x->args_length + (size_t)1) != 0))
		return "the arguments of the mark";
	return NULL;
}

const char *whole_compare(const struct whole_trace *a, size_t first, const struct whole_trace *b,
			  size_t n)
{
	static char text[200];
	struct sides s = {reader_symbols(a->reader), reader_symbols(b->reader)};

	if (first > a->events.n || a->events.n - first < n || b->events.n < n)
		return "there are not so many events";
	for (size_t i = 0; i < n; i++) {
		const char *what = event_difference(&s, &a->events.at[first + i], &b->events.at[i]);

		if (what) {
			snprintf(text, sizeof(text), "event %zu: %s differs", first + i + 1, what);
			return text;
		}
	}
	return NULL;
}

const char *whole_difference(const struct whole_trace *a, const struct whole_trace *b)
{
	static char text[200];
	const struct symbols *x = reader_symbols(a->reader), *y = reader_symbols(b->reader);

	if (a->events.n != b->events.n) {
		snprintf(text, sizeof(text), "%zu events are not %zu", a->events.n, b->events.n);
		return text;
	}
	if (x->constants.ranges.n != y->constants.ranges.n)
		return "the number of constants differs";
	for (size_t i = 0; i < x->constants.ranges.n; i++) {
		const struct constant *p = &x->constants.ranges.at[i];
		const struct constant *q = &y->constants.ranges.at[i];

		if (p->address != q->address || p->size != q->size ||
		    memcmp(p->bytes, q->bytes, p->size) != 0)
			return "a constant differs";
	}
	if (x->metas.n != y->metas.n)
		return "the number of metas differs";
	for (size_t i = 0; i < x->metas.n; i++)
		if (strcmp(x->metas.at[i].key, y->metas.at[i].key) != 0 ||
		    strcmp(x->metas.at[i].value, y->metas.at[i].value) != 0)
			return "a meta differs";
	return whole_compare(a, 0, b, a->events.n);
}

/* Converting */

struct output *memory_output_open(struct memory_output *m)
{
	char path[64];
	struct err err;

	m->fd = memfd_create("test", 0);
	ASSERT(m->fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", m->fd);
	m->out = output_open(path, OUTPUT_IN_PLACE, &err);
	ASSERT(m->out);
	return m->out;
}

struct bytes memory_output_take(struct memory_output *m)
{
	struct bytes b = {0};
	struct stat st;
	struct err err;
	int code = m->out ? output_close(m->out, &err) : 0;

	ASSERT(code == 0 && fstat(m->fd, &st) == 0);
	b.at = malloc((size_t)st.st_size + 1);
	b.n = (size_t)st.st_size;
	ASSERT(pread(m->fd, b.at, b.n, 0) == (ssize_t)b.n);
	b.at[b.n] = '\0';
	close(m->fd);
	m->out = NULL;
	return b;
}

static int copy_batches(struct reader *r, struct sink *sink, struct err *err)
{
	struct batch batch;
	int got;

	while ((got = reader_next(r, &batch, err)) > 0) {
		got = sink->ops->put(sink, &batch, err);
		if (got < 0)
			break;
	}
	if (got < 0)
		sink->ops->abandon(sink);
	else
		got = sink->ops->finish(sink, err);
	return got;
}

int convert_memory(const void *data, size_t size, const char *from, const char *to, uint32_t block,
		   struct bytes *result, struct err *err)
{
	struct memory_output m;
	struct reader *r = reader_open_memory(data, size, "memory", from, err);

	*result = (struct bytes){0};
	if (!r)
		return err->code;
	memory_output_open(&m);
	struct sink *sink = format_by_name(to)->open_sink(m.out, reader_symbols(r), err);

	ASSERT(sink);
	if (block)
		binary_set_block(sink, block);
	int code = copy_batches(r, sink, err);

	*result = memory_output_take(&m);
	if (code < 0)
		bytes_release(result);
	reader_close(r);
	return code;
}
