/* SPDX-License-Identifier: MIT */
#include "trace/import_common.h"

#include <stdio.h>
#include <string.h>

#define BATCH_EVENTS 4096
#define LINE_EVENTS 4 /* most that one line becomes */
#define PROBE_LINES 10

/* Lines are 0 for what has not happened. */
struct import_thread {
	uint64_t first, forked, ended, joined;
	uint32_t just_forked; /* thread + 1, by its last event */
};

struct import_lock {
	uint64_t depth; /* 0: nobody holds it */
	uint32_t owner;
	uint64_t line; /* of the outermost acquire */
};

struct import {
	struct source source; /* first: it is what the reader knows of */
	import_take *take;
	VEC(struct event) events;
	VEC(uint64_t) lines;
	uint64_t next;		/* number of the next batch's first event */
	uint64_t line;		/* being read */
	struct slice last_name; /* threads run for a while: most names are the last one's */
	uint32_t last_thread;
	VEC(struct import_thread) threads;
	VEC(struct import_lock) locks;
	VEC(int64_t) values; /* what each variable holds */
	int64_t last_written;
	VEC(char) text; /* for names that differ from the file's */
	uint64_t repeated_forks;
	char mended[100];
};

/* Names in messages: short, and nothing that a terminal would obey. */
struct quote {
	char text[64];
};

static struct quote quote_slice(struct slice s)
{
	struct quote q;
	size_t n = s.n < sizeof(q.text) ? s.n : sizeof(q.text) - 4;

	for (size_t i = 0; i < n; i++)
		q.text[i] = (unsigned char)s.at[i] < ' ' || s.at[i] == 0x7f ? '?' : s.at[i];
	strcpy(q.text + n, n < s.n ? "..." : "");
	return q;
}

static struct quote quote_name(const struct import *im, enum object_class class, uint32_t number)
{
	const struct interned *s = symbols_text(im->source.symbols, class, number);

	return quote_slice((struct slice){s->text, s->length});
}

int import_expected(const struct import *im, const char *expected, struct slice found,
		    struct err *err)
{
	if (!found.n)
		return input_error(im->source.in, err, "expected %s, found nothing", expected);
	return input_error(im->source.in, err, "expected %s, found '%s'", expected,
			   quote_slice(found).text);
}

/* The number of a name; *is_new tells whether it was seen for the first time. */
static int number_name(struct import *im, enum object_class class, struct slice name,
		       uint32_t *number, bool *is_new, struct err *err)
{
	struct symbols *symbols = im->source.symbols;
	size_t known = symbols_count(symbols, class);

	*number = symbols_add(symbols, class, name.at, name.n);
	*is_new = *number == known;
	/* changing a bad name could make two objects one */
	if (*is_new && !symbols_name_is_good(name.at, name.n))
		return import_expected(im, "a name without blanks, control characters and '#'",
				       name, err);
	return 0;
}

static bool is_number(struct slice name)
{
	for (size_t i = 0; i < name.n; i++)
		if (name.at[i] < '0' || name.at[i] > '9')
			return false;
	return name.n > 0;
}

static int number_thread(struct import *im, struct slice name, uint32_t *thread, struct err *err)
{
	bool is_new;

	if (is_number(name)) {
		vec_reserve(&im->text, name.n + 1);
		im->text.at[0] = 'T';
		memcpy(im->text.at + 1, name.at, name.n);
		name = (struct slice){im->text.at, name.n + 1};
	}
	if (number_name(im, CLASS_THREAD, name, thread, &is_new, err))
		return err->code;
	vec_extend(&im->threads, (size_t)*thread + 1);
	return 0;
}

/* The thread of the line. */
static int acting_thread(struct import *im, struct slice name, uint32_t *thread, struct err *err)
{
	struct slice last = im->last_name;

	if (name.n == last.n && !memcmp(name.at, last.at, name.n)) {
		*thread = im->last_thread;
		return 0;
	}
	if (number_thread(im, name, thread, err))
		return err->code;
	const struct interned *s = symbols_text(im->source.symbols, CLASS_THREAD, *thread);

	im->last_name = (struct slice){s->text, s->length};
	im->last_thread = *thread;
	return 0;
}

static uint32_t number_location(struct import *im, struct slice text)
{
	struct intern *locations = &im->source.symbols->locations;
	uint32_t number = intern_find(locations, text.at, text.n);

	if (number != INTERN_NONE)
		return number;
	vec_reserve(&im->text, text.n);
	memcpy(im->text.at, text.at, text.n);
	for (size_t i = 0; i < text.n; i++)
		if (!symbols_name_is_good(text.at + i, 1))
			im->text.at[i] = '_';
	return intern_add(locations, im->text.at, text.n);
}

static void put_event(struct import *im, struct event e)
{
	vec_push(&im->events, e);
	vec_push(&im->lines, im->line);
}

static void declare_init(struct symbols *symbols, uint32_t variable, int64_t value)
{
	struct variable *v = symbols_describe(symbols, variable);

	v->init = value;
	v->flags |= VARIABLE_INIT;
}

static int put_access(struct import *im, struct event e, const struct import_fields *f,
		      struct err *err)
{
	bool is_new;

	if (number_name(im, CLASS_VARIABLE, f->operand, &e.object, &is_new, err))
		return err->code;
	vec_extend(&im->values, (size_t)e.object + 1);
	int64_t *holds = &im->values.at[e.object];

	e.value = f->has_value ? f->value : e.kind == EV_WRITE ? ++im->last_written : *holds;
	if (e.kind == EV_READ && e.value != *holds) {
		if (is_new)
			declare_init(im->source.symbols, e.object, e.value);
		else
			put_event(im, (struct event){.kind = EV_EXTERNAL,
						     .thread = e.thread,
						     .object = e.object,
						     .value = e.value});
	}
	*holds = e.value;
	put_event(im, e);
	return 0;
}

static int put_lock(struct import *im, struct event e, struct slice name, struct err *err)
{
	struct input *in = im->source.in;
	bool is_new;

	if (number_name(im, CLASS_LOCK, name, &e.object, &is_new, err))
		return err->code;
	vec_extend(&im->locks, (size_t)e.object + 1);
	struct import_lock *lock = &im->locks.at[e.object];

	bool held = lock->depth && lock->owner == e.thread;

	if (e.kind == EV_RELEASE && !held)
		return input_error(in, err, "%s releases lock %s, which it does not hold",
				   quote_name(im, CLASS_THREAD, e.thread).text,
				   quote_name(im, CLASS_LOCK, e.object).text);
	if (e.kind == EV_ACQUIRE && lock->depth && !held)
		return input_error(in, err, "%s acquires lock %s, which %s holds since line %llu",
				   quote_name(im, CLASS_THREAD, e.thread).text,
				   quote_name(im, CLASS_LOCK, e.object).text,
				   quote_name(im, CLASS_THREAD, lock->owner).text,
				   (unsigned long long)lock->line);
	if (e.kind == EV_RELEASE ? --lock->depth > 0 : lock->depth++ > 0)
		return 0; /* not the outermost pair */
	if (e.kind == EV_ACQUIRE) {
		lock->owner = e.thread;
		lock->line = im->line;
	}
	put_event(im, e);
	return 0;
}

/* Some tools write a fork twice. With nothing between them it does not matter which it was. */
static bool repeats_fork(const struct import *im, struct event e)
{
	const struct import_thread *t = &im->threads.at[e.object];

	return t->forked && !t->first && !t->joined &&
	       im->threads.at[e.thread].just_forked == e.object + 1;
}

static int put_fork(struct import *im, struct event e, struct err *err)
{
	struct import_thread *t = &im->threads.at[e.object];
	uint64_t before = t->first ? t->first : t->forked ? t->forked : t->joined;

	if (repeats_fork(im, e)) {
		im->repeated_forks++;
		return 0;
	}
	if (before)
		return input_error(im->source.in, err, "%s is forked here, but it %s line %llu",
				   quote_name(im, CLASS_THREAD, e.object).text,
				   t->first    ? "had its first event on"
				   : t->forked ? "was forked before, on"
					       : "was joined on",
				   (unsigned long long)before);
	t->forked = im->line;
	im->threads.at[e.thread].just_forked = e.object + 1;
	put_event(im, e);
	return 0;
}

static int put_join(struct import *im, struct event e, struct err *err)
{
	if (e.object == e.thread)
		return input_error(im->source.in, err, "%s joins itself",
				   quote_name(im, CLASS_THREAD, e.thread).text);
	im->threads.at[e.object].joined = im->line;
	put_event(im, e);
	return 0;
}

/* Can the thread have another event? */
static int check_alive(struct import *im, uint32_t thread, int kind, struct err *err)
{
	struct import_thread *t = &im->threads.at[thread];

	if (!t->first)
		t->first = im->line;
	else if (kind == EV_BEGIN)
		return input_error(
			im->source.in, err, "%s begins here, but had its first event on line %llu",
			quote_name(im, CLASS_THREAD, thread).text, (unsigned long long)t->first);
	if (t->ended || t->joined)
		return input_error(im->source.in, err, "%s has an event after it %s on line %llu",
				   quote_name(im, CLASS_THREAD, thread).text,
				   t->ended ? "ended" : "was joined",
				   (unsigned long long)(t->ended ? t->ended : t->joined));
	return 0;
}

int import_event(struct import *im, const struct import_fields *f, struct err *err)
{
	struct event e = {.kind = (uint8_t)f->kind};

	im->line = input_line_number(im->source.in);
	if (acting_thread(im, f->thread, &e.thread, err) || check_alive(im, e.thread, f->kind, err))
		return err->code;
	e.location = f->location.n ? number_location(im, f->location) : 0;
	if (f->kind != EV_FORK)
		im->threads.at[e.thread].just_forked = 0;
	switch (f->kind) {
	case EV_READ:
	case EV_WRITE: return put_access(im, e, f, err);
	case EV_ACQUIRE:
	case EV_RELEASE: return put_lock(im, e, f->operand, err);
	}
	if (f->operand.n && number_thread(im, f->operand, &e.object, err))
		return err->code;
	switch (f->kind) {
	case EV_FORK: return put_fork(im, e, err);
	case EV_JOIN: return put_join(im, e, err);
	case EV_END: im->threads.at[e.thread].ended = im->line; break;
	}
	if (f->operand.n && e.object != e.thread)
		return input_error(im->source.in, err, "%s of %s on a line of %s",
				   event_kind_text[f->kind],
				   quote_name(im, CLASS_THREAD, e.object).text,
				   quote_name(im, CLASS_THREAD, e.thread).text);
	e.object = 0;
	put_event(im, e);
	return 0;
}

static int import_next(struct source *s, struct batch *batch, struct err *err)
{
	struct import *im = (struct import *)s;
	struct slice line;
	char *at;
	int got = 1;

	im->events.n = im->lines.n = 0;
	while (im->events.n < BATCH_EVENTS && (got = input_line(s->in, &at, &line.n, err)) > 0) {
		line.at = at;
		if (line.n && im->take(im, line, err))
			return err->code;
	}
	if (got < 0)
		return got;
	batch->at = im->events.at;
	batch->lines = im->lines.at;
	batch->n = im->events.n;
	batch->first = im->next;
	im->next += batch->n;
	return batch->n > 0;
}

static const char *import_mended(struct source *s)
{
	struct import *im = (struct import *)s;

	if (!im->repeated_forks)
		return NULL;
	snprintf(im->mended, sizeof(im->mended),
		 "dropped %llu fork%s of a thread that was just forked",
		 (unsigned long long)im->repeated_forks, im->repeated_forks == 1 ? "" : "s");
	return im->mended;
}

static void import_close(struct source *s)
{
	struct import *im = (struct import *)s;

	vec_release(&im->events);
	vec_release(&im->lines);
	vec_release(&im->threads);
	vec_release(&im->locks);
	vec_release(&im->values);
	vec_release(&im->text);
	mem_free(im);
}

struct source *import_open(struct input *in, struct symbols *symbols, import_take *take)
{
	static const struct source_ops ops = {
		.next = import_next, .mended = import_mended, .close = import_close};
	struct import *im = mem_alloc_zero(1, sizeof(*im));

	im->source = (struct source){.ops = &ops, .in = in, .symbols = symbols};
	im->take = take;
	im->next = 1;
	im->last_name.at = "";
	vec_reserve(&im->events, BATCH_EVENTS + LINE_EVENTS);
	vec_reserve(&im->lines, BATCH_EVENTS + LINE_EVENTS);
	return &im->source;
}

/* EV_COUNT if there is none of that name. */
static int find_op(const struct import_ops *ops, struct slice name)
{
	for (size_t i = 0; ops->at[i].name; i++)
		if (strlen(ops->at[i].name) == name.n && !memcmp(ops->at[i].name, name.at, name.n))
			return ops->at[i].kind;
	return EV_COUNT;
}

const char *import_split_call(struct slice text, const struct import_ops *ops,
			      struct import_fields *f)
{
	size_t open = 0;

	while (open < text.n && text.at[open] != '(')
		open++;
	f->found = (struct slice){text.at, open};
	f->kind = find_op(ops, f->found);
	if (f->kind == EV_COUNT)
		return ops->expected;
	bool optional = event_kind_class[f->kind] == CLASS_NONE;

	f->found = text;
	f->operand.n = 0;
	if (open < text.n) {
		if (text.at[text.n - 1] != ')')
			return "a closing parenthesis";
		f->operand = (struct slice){text.at + open + 1, text.n - open - 2};
	}
	return f->operand.n || optional ? NULL : "an operand in parentheses";
}

struct slice import_take_word(struct slice *rest)
{
	size_t start = 0, end;

	while (start < rest->n && (rest->at[start] == ' ' || rest->at[start] == '\t'))
		start++;
	for (end = start; end < rest->n && rest->at[end] != ' ' && rest->at[end] != '\t';)
		end++;
	struct slice word = {rest->at + start, end - start};

	*rest = (struct slice){rest->at + end, rest->n - end};
	return word;
}

size_t import_count_fitting(const char *head, size_t size, bool (*fits)(struct slice line))
{
	size_t count = 0;

	for (size_t start = 0; start < size && count < PROBE_LINES;) {
		const char *newline = memchr(head + start, '\n', size - start);
		size_t end = newline ? (size_t)(newline - head) : size;
		struct slice line = {head + start, end - start};

		start = end + 1;
		if (!newline && size >= FORMAT_PROBE_SIZE)
			break;
		if (line.n && line.at[line.n - 1] == '\r')
			line.n--;
		if (!line.n)
			continue;
		if (!fits(line))
			return 0;
		count++;
	}
	return count;
}
