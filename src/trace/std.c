/* SPDX-License-Identifier: MIT */
/*
 * STD, of RAPID and most research tools: each line is `THREAD|OP|LOC`.
 *
 *	T0|fork(1)|12
 *	T1|begin|13
 *	T1|w(V4.3[0])|14
 *
 * LOC is an integer. No values: they are made up, and lost when we write. What STD cannot
 * say (branches, conditions, barriers, …, volatile, annotations) is left out, and the loss told.
 */
#include "trace/import.h"
#include "trace/import_common.h"

#include <stdio.h>
#include <string.h>

static const struct import_ops std_ops = {
	"acq, rel, r, w, fork, join, begin or end",
	{{"r", EV_READ},
	 {"w", EV_WRITE},
	 {"acq", EV_ACQUIRE},
	 {"rel", EV_RELEASE},
	 {"fork", EV_FORK},
	 {"join", EV_JOIN},
	 {"begin", EV_BEGIN},
	 {"end", EV_END},
	 {NULL, 0}},
};

static bool is_integer(struct slice text)
{
	size_t i = text.n && text.at[0] == '-';

	if (i == text.n)
		return false;
	for (; i < text.n; i++)
		if (text.at[i] < '0' || text.at[i] > '9')
			return false;
	return true;
}

/* Takes up to the next '|' from rest; false if there is none. */
static bool take_field(struct slice *rest, struct slice *field)
{
	size_t n = 0;

	while (n < rest->n && rest->at[n] != '|')
		n++;
	*field = (struct slice){rest->at, n};
	if (n == rest->n)
		return false;
	*rest = (struct slice){rest->at + n + 1, rest->n - n - 1};
	return true;
}

/* Returns NULL, or what was expected. */
static const char *split_line(struct slice line, struct import_fields *f)
{
	struct slice call;

	f->found = f->location = line;
	if (!take_field(&f->location, &f->thread) || !take_field(&f->location, &call) ||
	    !f->thread.n)
		return "THREAD|OP|LOC";
	const char *expected = import_split_call(call, &std_ops, f);

	if (expected)
		return expected;
	f->found = f->location;
	return is_integer(f->location) ? NULL : "an integer as LOC, the third and last field";
}

static int take_line(struct import *im, struct slice line, struct err *err)
{
	struct import_fields f = {0};
	const char *expected = split_line(line, &f);

	if (expected)
		return import_expected(im, expected, f.found, err);
	return import_event(im, &f, err);
}

static bool line_fits(struct slice line)
{
	struct import_fields f = {0};

	return !split_line(line, &f);
}

int std_probe(const char *head, size_t size)
{
	return import_count_fitting(head, size, line_fits) ? 95 : 0;
}

struct source *std_open_source(struct input *in, struct symbols *symbols, struct err *err)
{
	(void)err;
	return import_open(in, symbols, take_line);
}

/* Writing */

struct std_lock {
	uint32_t owner;
	uint64_t depth; /* 0: nobody holds it */
};

struct std_sink {
	struct sink sink;
	struct intern names[CLASS_COUNT]; /* as written; numbered like the symbols */
	VEC(struct std_lock) locks;
	uint64_t dropped[EV_COUNT];
	bool annotated;	 /* reads=, order= and so on were there */
	bool renumbered; /* a number stands for a location */
	char loss[EV_COUNT * 40 + 100];
	VEC(char) text;
};

/*
 * The name of an object in the file: one that the reader takes for a name, and for that of
 * no other object.
 */
static struct interned written_name(struct std_sink *w, enum object_class class, uint32_t object)
{
	struct intern *names = &w->names[class];

	while (names->strings.n <= object) {
		uint32_t number = (uint32_t)names->strings.n;
		const char *name = symbols_name(w->sink.symbols, class, number);

		w->text.n = 0;
		if (class == CLASS_THREAD && name[strspn(name, "0123456789")] == '\0')
			vec_push(&w->text, 'T');
		for (; *name; name++)
			vec_push(&w->text, strchr("|()", *name) ? '_' : *name);
		while (intern_find(names, w->text.at, w->text.n) != INTERN_NONE) {
			char suffix[16];

			snprintf(suffix, sizeof(suffix), "_%u", number);
			for (const char *c = suffix; *c; c++)
				vec_push(&w->text, *c);
		}
		intern_add(names, w->text.at, w->text.n);
	}
	return names->strings.at[object];
}

static void put_location(struct std_sink *w, uint32_t location)
{
	const struct interned *s = &w->sink.symbols->locations.strings.at[location];

	if (is_integer((struct slice){s->text, s->length})) {
		output_bytes(w->sink.out, s->text, s->length);
		return;
	}
	output_u64(w->sink.out, location);
	w->renumbered = w->renumbered || location;
}

/* A line for e as an event of the kind `as`, one of those that STD has. */
static void put_line(struct std_sink *w, const struct event *e, enum event_kind as, uint32_t object)
{
	struct output *out = w->sink.out;
	enum object_class class = event_kind_class[as];
	struct interned thread = written_name(w, CLASS_THREAD, e->thread);
	struct interned operand = class == CLASS_NONE ? thread : written_name(w, class, object);
	int op = 0;

	while (std_ops.at[op].kind != (int)as)
		op++;
	output_bytes(out, thread.text, thread.length);
	output_char(out, '|');
	output_text(out, std_ops.at[op].name);
	output_char(out, '(');
	output_bytes(out, operand.text, operand.length);
	output_text(out, ")|");
	put_location(w, e->location);
	output_char(out, '\n');
}

static void put_accesses(struct std_sink *w, const struct event *e)
{
	for (uint32_t i = 0; event_is(e, EV_RETURNS) && i < event_part_count(e); i++)
		put_line(w, e, EV_READ, event_part(e, i).variable);
	for (uint32_t i = 0; event_is(e, EV_STORES) && i < event_part_count(e); i++)
		put_line(w, e, EV_WRITE, event_part(e, i).variable);
}

/*
 * STD has one holder a lock. Of threads that share one, the first is written as its holder;
 * what the others do to the lock is dropped.
 */
static void put_lock(struct std_sink *w, const struct event *e, enum event_kind as, uint32_t lock)
{
	vec_extend(&w->locks, (size_t)lock + 1);
	struct std_lock *l = &w->locks.at[lock];
	bool mine = l->depth && l->owner == e->thread;

	if (as == EV_ACQUIRE ? l->depth && !mine : !mine) {
		w->dropped[e->kind]++;
		return;
	}
	if (as == EV_ACQUIRE ? l->depth++ : --l->depth)
		return; /* STD has no shared locks, so it has no use for holding one twice */
	l->owner = e->thread;
	put_line(w, e, as, lock);
}

static bool is_annotated(const struct event *e)
{
	const struct event_more *more = e->more;

	return e->order || (more && (more->expr || more->reads_given || more->at_count));
}

static int std_put(struct sink *s, const struct batch *batch, struct err *err)
{
	struct std_sink *w = (struct std_sink *)s;

	(void)err;
	for (size_t i = 0; i < batch->n; i++) {
		const struct event *e = &batch->at[i];

		w->annotated = w->annotated || is_annotated(e);
		switch (e->kind) {
		case EV_FORK:
		case EV_JOIN:
		case EV_BEGIN:
		case EV_END: put_line(w, e, e->kind, e->object); break;
		case EV_READ:
		case EV_WRITE:
		case EV_RMW: put_accesses(w, e); break;
		case EV_ACQUIRE:
		case EV_ACQUIRE_SHARED: put_lock(w, e, EV_ACQUIRE, e->object); break;
		case EV_RELEASE:
		case EV_RELEASE_SHARED: put_lock(w, e, EV_RELEASE, e->object); break;
		case EV_WAIT: put_lock(w, e, EV_RELEASE, e->more->lock); break;
		case EV_WOKEN: put_lock(w, e, EV_ACQUIRE, e->more->lock); break;
		default: w->dropped[e->kind]++;
		}
	}
	return 0;
}

static bool has_volatile(const struct symbols *symbols)
{
	for (size_t x = 0; x < symbols_described_end(symbols); x++)
		if (symbols_variable(symbols, x)->flags & VARIABLE_VOLATILE)
			return true;
	return false;
}

static size_t add_loss(struct std_sink *w, size_t n, const char *what)
{
	return n + (size_t)snprintf(w->loss + n, sizeof(w->loss) - n, "%s%s", n ? ", " : "", what);
}

static const char *std_loss(struct sink *s)
{
	struct std_sink *w = (struct std_sink *)s;
	size_t n = 0;
	char text[60];

	for (int kind = 0; kind < EV_COUNT; kind++) {
		if (!w->dropped[kind])
			continue;
		snprintf(text, sizeof(text), "%llu %s", (unsigned long long)w->dropped[kind],
			 event_kind_text[kind]);
		n = add_loss(w, n, text);
	}
	if (has_volatile(s->symbols))
		n = add_loss(w, n, "volatile");
	if (w->annotated)
		n = add_loss(w, n, "annotations");
	if (w->renumbered)
		n = add_loss(w, n, "locations");
	return n ? w->loss : NULL;
}

static void std_abandon(struct sink *s)
{
	struct std_sink *w = (struct std_sink *)s;

	for (int class = 0; class < CLASS_COUNT; class ++)
		intern_release(&w->names[class]);
	vec_release(&w->locks);
	vec_release(&w->text);
	mem_free(w);
}

static int std_finish(struct sink *s, struct err *err)
{
	(void)err;
	std_abandon(s);
	return 0;
}

struct sink *std_open_sink(struct output *out, const struct symbols *symbols, struct err *err)
{
	static const struct sink_ops ops = {
		.put = std_put, .finish = std_finish, .abandon = std_abandon, .loss = std_loss};
	struct std_sink *w = mem_alloc_zero(1, sizeof(*w));

	(void)err;
	w->sink = (struct sink){.ops = &ops, .out = out, .symbols = symbols};
	return &w->sink;
}
