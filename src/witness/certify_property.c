/* SPDX-License-Identifier: MIT */
/*
 * A property: does the run break the assertion? The specification is read anew from its file. In
 * place of PROGRAM stands this one run, a process that does its events one after the other, and
 * the refinement checker decides as it would of any script. No part of the search, its monitor or
 * its names of events is used.
 */
#include "csp/csp.h"
#include "witness/certify_parts.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCRIPT_BYTES ((uint64_t)2 << 30)

/* What the run is in the script. */
struct line {
	VEC(uint32_t) events;
	bool waits; /* at its end it can do nothing; else nothing is refused there */
};

/* State i: so many events are done. Nothing is refused where it may go on by itself. */
static void line_steps(void *context, uint64_t state, csp_emit *emit, void *to)
{
	const struct line *line = context;

	if (state < line->events.n)
		emit(to, line->events.at[state], state + 1);
	if (state < line->events.n || !line->waits)
		emit(to, CSP_TAU, state);
}

/* Names */

/* A thread is called by its place among all, in the order of their first events. */
static uint64_t thread_number(const struct certifier *c, uint32_t thread)
{
	const struct fact_thread *t = &c->facts.threads.at[thread];
	uint64_t before = 0;

	for (uint32_t i = 0; i < c->facts.threads.n; i++) {
		const struct fact_thread *other = &c->facts.threads.at[i];

		if (t->first)
			before += other->first && other->first < t->first;
		else
			before += other->first || i < thread;
	}
	return before;
}

static void put_name(FILE *out, const char *text, size_t length)
{
	if (!length || !isalpha((unsigned char)text[0]))
		fputc('n', out);
	for (size_t i = 0; i < length; i++)
		fputc(isalnum((unsigned char)text[i]) ? text[i] : '_', out);
}

/* Of the fields in a row, one that begins at or behind `at`; its end, or NULL. */
static const char *field_end(const char **at)
{
	*at += strspn(*at, " ");
	return **at ? *at + strcspn(*at, " ") : NULL;
}

static bool is_word(const char *field)
{
	return !isdigit((unsigned char)field[*field == '-']);
}

static void put_value(FILE *out, const char *field, const char *end)
{
	if (is_word(field))
		put_name(out, field, (size_t)(end - field));
	else if (*field == '-')
		fprintf(out, "(%lld)", strtoll(field, NULL, 10));
	else if (!strncmp(field, "0x", 2) && (int64_t)strtoull(field, NULL, 16) < 0)
		fprintf(out, "(%lld)", (long long)strtoull(field, NULL, 16));
	else
		fprintf(out, "%lld",
			!strncmp(field, "0x", 2) ? (long long)strtoull(field, NULL, 16)
						 : strtoll(field, NULL, 10));
}

static const char *mark_of(const struct certifier *c, size_t i, uint32_t *mark)
{
	const char *text = intern_text(&c->facts.marks, (uint32_t)i);

	memcpy(mark, text, sizeof(*mark));
	return text + sizeof(*mark);
}

/* The values in field `number`, from 0, of a mark; false: it has no such field. */
static bool put_values(const struct certifier *c, FILE *out, uint32_t mark, uint32_t number)
{
	bool any = false;

	for (size_t i = 0; i < c->facts.marks.strings.n; i++) {
		uint32_t of;
		const char *at = mark_of(c, i, &of), *end;

		for (uint32_t k = 0; of == mark && (end = field_end(&at)); at = end, k++)
			if (k == number) {
				fputs(any ? "," : "{", out);
				put_value(out, at, end);
				any = true;
			}
	}
	if (any)
		fputs("}", out);
	return any;
}

/* The word of `meta word MARK FIELD WORD`, or NULL; its mark, up to a blank, and its field. */
static const char *unseen_word(const struct meta *meta, unsigned long *field)
{
	char *end;

	if (strcmp(meta->key, "word") != 0)
		return NULL;
	*field = strtoul(meta->value + strcspn(meta->value, " "), &end, 10);
	end += strspn(end, " ");
	return *end ? end : NULL;
}

/* NAME_arg1 and, unless numbers were seen there, all words that could be. name: up to a blank. */
static void put_type(const struct certifier *c, FILE *out, const char *name, unsigned long field,
		     bool numbers)
{
	size_t length = strcspn(name, " ");
	const char *between = "";

	fputs(".union(", out);
	put_name(out, name, length);
	fprintf(out, "_arg%lu, {", field);
	for (size_t i = 0; !numbers && i < c->symbols->metas.n; i++) {
		const struct meta *meta = &c->symbols->metas.at[i];
		unsigned long of;
		const char *word = unseen_word(meta, &of);

		if (!word || of != field || strcspn(meta->value, " ") != length ||
		    memcmp(meta->value, name, length) != 0)
			continue;
		fputs(between, out);
		put_name(out, word, strcspn(word, " "));
		between = ", ";
	}
	fputs("})", out);
}

static void declare_mark(const struct certifier *c, FILE *out, uint32_t mark)
{
	const char *name = name_of(c, CLASS_MARK, mark);
	uint32_t fields = 0;
	uint64_t numbers = 0;

	for (;; fields++) {
		char *values = NULL;
		size_t size;
		FILE *list = open_memstream(&values, &size);
		bool any = put_values(c, list, mark, fields);

		fclose(list);
		if (any) {
			put_name(out, name, strlen(name));
			fprintf(out, "_arg%u = %s\n", fields + 1, values);
			if (!isalpha((unsigned char)values[1]) && fields < 64)
				numbers |= UINT64_C(1) << fields;
		}
		free(values);
		if (!any)
			break;
	}
	fputs("channel ", out);
	put_name(out, name, strlen(name));
	fputs(" : thread", out);
	for (uint32_t i = 0; i < fields; i++)
		put_type(c, out, name, i + 1, i < 64 && numbers >> i & 1);
	fputc('\n', out);
}

/* Calls it for each word in a field of a mark, perhaps more than once for one word. */
static void each_word(const struct certifier *c,
		      void (*call)(void *context, const char *word, size_t length), void *context)
{
	for (size_t i = 0; i < c->facts.marks.strings.n; i++) {
		uint32_t mark;
		const char *at = mark_of(c, i, &mark), *end;

		for (; (end = field_end(&at)); at = end)
			if (is_word(at))
				call(context, at, (size_t)(end - at));
	}
}

static void add_unseen_words(const struct certifier *c, struct intern *words)
{
	for (size_t i = 0; i < c->symbols->metas.n; i++) {
		unsigned long field;
		const char *word = unseen_word(&c->symbols->metas.at[i], &field);

		if (word)
			intern_add(words, word, strcspn(word, " "));
	}
}

static void add_word(void *context, const char *word, size_t length)
{
	intern_add(context, word, length);
}

static void declare_words(FILE *out, const struct intern *words)
{
	for (uint32_t i = 0; i < words->strings.n; i++) {
		fputs(i ? " | " : "datatype norn_word = ", out);
		put_name(out, intern_text(words, i), words->strings.at[i].length);
	}
	fputc('\n', out);
}

static const struct {
	enum event_kind kind;
	const char *name, *fields;
} given[] = {
	{EV_FORK, "fork", "thread.thread"},
	{EV_BEGIN, "start", "thread"},
	{EV_END, "end", "thread"},
	{EV_JOIN, "join", "thread.thread"},
	{EV_ACQUIRE, "lock", "thread.mutex"},
	{EV_RELEASE, "unlock", "thread.mutex"},
	{EV_ACQUIRE_SHARED, "rdlock", "thread.mutex"},
	{EV_RELEASE_SHARED, "rdunlock", "thread.mutex"},
	{EV_WAIT, "wait", "thread.condition"},
	{EV_WOKEN, "woken", "thread.condition"},
	{EV_SIGNAL, "signal", "thread.condition"},
	{EV_BROADCAST, "broadcast", "thread.condition"},
	{EV_BARRIER_ENTER, "barrier_enter", "thread.barrier"},
	{EV_BARRIER_EXIT, "barrier_exit", "thread.barrier"},
	{EV_SEM_POST, "sem_post", "thread.semaphore"},
	{EV_SEM_WAIT, "sem_wait", "thread.semaphore"},
	{EV_READ, "read", "thread.memory"},
	{EV_WRITE, "write", "thread.memory"},
};

#define GIVEN (sizeof(given) / sizeof(*given))

/* A mark or a word of that name comes before it. */
static bool is_hidden(const struct certifier *c, const struct intern *words, const char *name)
{
	return intern_find(words, name, strlen(name)) != INTERN_NONE ||
	       intern_find(&c->symbols->names[CLASS_MARK], name, strlen(name)) != INTERN_NONE;
}

static void declare_given(const struct certifier *c, FILE *out, const struct intern *words)
{
	static const struct {
		enum object_class class;
		const char *name;
	} sets[] = {{CLASS_LOCK, "mutex"},	{CLASS_SEMAPHORE, "semaphore"},
		    {CLASS_BARRIER, "barrier"}, {CLASS_CONDITION, "condition"},
		    {CLASS_VARIABLE, "memory"}, {CLASS_THREAD, "thread"}};
	const char *between = "sync_set = {|";

	for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++)
		fprintf(out, "nametype %s = {0..%lld}\n", sets[i].name,
			(long long)symbols_count(c->symbols, sets[i].class) - 1);
	for (size_t i = 0; i < GIVEN; i++)
		if (!is_hidden(c, words, given[i].name))
			fprintf(out, "channel %s : %s\n", given[i].name, given[i].fields);
	for (size_t i = 0; i < GIVEN; i++)
		if (given[i].kind != EV_READ && given[i].kind != EV_WRITE &&
		    !is_hidden(c, words, given[i].name)) {
			fprintf(out, "%s%s", between, given[i].name);
			between = ",";
		}
	fputs("|}\nchannel error\nchannel endthreads\n"
	      "WD(E, events) = (E ; error -> SKIP) /\\ ([] e : events @ e -> WD(E, events))\n",
	      out);
}

/* `meta event NAME N`: nothing of that name happened, but it might have. */
static void declare_unseen(const struct certifier *c, FILE *out)
{
	for (size_t i = 0; i < c->symbols->metas.n; i++) {
		const struct meta *meta = &c->symbols->metas.at[i];
		size_t length = strcspn(meta->value, " ");
		long fields = strtol(meta->value + length, NULL, 10);

		if (strcmp(meta->key, "event") != 0 || !length ||
		    intern_find(&c->symbols->names[CLASS_MARK], meta->value, length) != INTERN_NONE)
			continue;
		for (long k = 1; k <= fields && k <= 32; k++) {
			put_name(out, meta->value, length);
			fprintf(out, "_arg%ld = {}\n", k);
		}
		fputs("channel ", out);
		put_name(out, meta->value, length);
		fputs(" : thread", out);
		for (long k = 1; k <= fields && k <= 32; k++)
			put_type(c, out, meta->value, (unsigned long)k, false);
		fputc('\n', out);
	}
}

static char *declarations(const struct certifier *c, const struct intern *words, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	declare_given(c, out, words);
	declare_words(out, words);
	for (uint32_t i = 0; i < symbols_count(c->symbols, CLASS_MARK); i++)
		declare_mark(c, out, i);
	declare_unseen(c, out);
	fclose(out);
	return text;
}

/* The run */

struct telling {
	struct certifier *c;
	struct csp *csp;
	const struct intern *words;
	struct line *line;
	struct intern said; /* events as texts, numbered as: */
	VEC(uint32_t) events;
};

/* Puts the event of that text behind the line; most are said many times. */
static int put_event(struct telling *t, const char *text, size_t size)
{
	uint32_t number = intern_add(&t->said, text, size), event;

	if (number == t->events.n) {
		if (csp_event(t->csp, text, &event, t->c->err) < 0)
			return t->c->err->code;
		vec_push(&t->events, event);
	}
	vec_push(&t->line->events, t->events.at[number]);
	return 0;
}

/* Puts CHANNEL.THREAD[.OBJECT][FIELDS] behind the line. */
static int tell(struct telling *t, const struct fact *f, const char *channel, int64_t object,
		const char *fields)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	const char *end;

	put_name(out, channel, strlen(channel));
	fprintf(out, ".%llu", (unsigned long long)thread_number(t->c, f->event.thread));
	if (object >= 0)
		fprintf(out, ".%lld", (long long)object);
	for (; fields && (end = field_end(&fields)); fields = end) {
		fputc('.', out);
		put_value(out, fields, end);
	}
	fclose(out);
	int code = put_event(t, text, size);

	free(text);
	return code;
}

static const char *channel_of(const struct telling *t, enum event_kind kind)
{
	size_t i = 0;

	while (i < GIVEN && given[i].kind != kind)
		i++;
	return i < GIVEN && !is_hidden(t->c, t->words, given[i].name) ? given[i].name : NULL;
}

static int tell_access(struct telling *t, const struct fact *f)
{
	int code = 0;

	for (uint32_t i = 0; !code && i < event_part_count(&f->event); i++) {
		uint32_t variable = event_part(&f->event, i).variable;
		const char *reads = channel_of(t, EV_READ), *writes = channel_of(t, EV_WRITE);

		if (event_is(&f->event, EV_RETURNS) && reads)
			code = tell(t, f, reads, variable, NULL);
		if (!code && event_is(&f->event, EV_STORES) && writes)
			code = tell(t, f, writes, variable, NULL);
	}
	return code;
}

static int tell_event(struct telling *t, const struct fact *f)
{
	const struct event *e = &f->event;
	const char *channel = channel_of(t, e->kind);

	switch ((enum event_kind)e->kind) {
	case EV_MARK:
		return tell(t, f, name_of(t->c, CLASS_MARK, e->object), -1,
			    e->more ? e->more->args : NULL);
	case EV_READ:
	case EV_WRITE:
	case EV_RMW: return tell_access(t, f);
	default: break;
	}
	if (!channel)
		return 0;
	if (e->kind == EV_BEGIN || e->kind == EV_END)
		return tell(t, f, channel, -1, NULL);
	if (e->kind == EV_FORK || e->kind == EV_JOIN)
		return tell(t, f, channel, (int64_t)thread_number(t->c, e->object), NULL);
	return tell(t, f, channel, e->object, NULL);
}

static bool have_all_ended(const struct certifier *c)
{
	for (size_t i = 0; i < c->facts.threads.n; i++)
		if (!c->threads[i].ended)
			return false;
	return true;
}

static int tell_run(struct telling *t, bool stuck)
{
	struct certifier *c = t->c;
	const struct witness *w = c->witness;

	for (size_t i = 0; i < witness_length(w); i++)
		if (tell_event(t, facts_find(&c->facts, witness_event(w, i))) < 0)
			return c->err->code;
	t->line->waits = stuck;
	if (stuck || w->bug_events.n || !have_all_ended(c))
		return 0;
	return put_event(t, "endthreads", strlen("endthreads"));
}

/*
 * How the assertion is decided; false: it is none that a run can break. That a thread may go on is
 * said by a silent step for ever, so divergence means nothing here.
 */
static bool model_of(const struct telling *t, enum csp_model *model)
{
	uint32_t number = t->c->witness->assertion;

	if (number >= csp_assertion_count(t->csp))
		return false;
	struct csp_assertion told = csp_assertion(t->csp, number);

	*model = told.property == CSP_DEADLOCK_FREE ? CSP_FAILURES : told.model;
	return !told.negated && *model != CSP_FAILURES_DIVERGENCES &&
	       (told.property == CSP_DEADLOCK_FREE || told.property == CSP_REFINES);
}

/* 1: the assertion is broken, 0: it holds; negative: the script is wrong, and err says where. */
static int decide(struct telling *t, bool stuck)
{
	struct certifier *c = t->c;
	const struct witness *w = c->witness;
	struct csp_answer answer;
	enum csp_model model;
	size_t size;
	char *text = declarations(c, t->words, &size);
	int code = csp_read(t->csp, "names of the trace", text, size, NULL, c->err);

	free(text);
	if (code < 0 || csp_declare_process(t->csp, "PROGRAM", line_steps, t->line, c->err) < 0 ||
	    csp_read_file(t->csp, w->script, c->err) < 0)
		return c->err->code;
	bool can_break = model_of(t, &model);

	if (can_break && model == CSP_TRACES)
		csp_leave_out(t->csp);
	if (csp_check(t->csp, c->err) < 0)
		return c->err->code;
	if (!can_break)
		return certify_reject(c, "%.200s has no assertion %u that a run can break",
				      w->script, w->assertion);
	if (tell_run(t, stuck) < 0 ||
	    csp_assertion_decide_in(t->csp, w->assertion, model, &answer, c->err) < 0)
		return c->err->code;
	if (answer.holds)
		return certify_reject(c, "the run does not break assertion %u of %.200s",
				      w->assertion, w->script);
	return 1;
}

int certify_breaks(struct certifier *c, bool stuck)
{
	const struct witness *w = c->witness;
	const struct csp_limits limits = {.bytes = SCRIPT_BYTES};
	struct intern words = {0};
	struct line line = {0};
	struct telling t = {.c = c, .csp = csp_new(&limits), .words = &words, .line = &line};

	if (w->bug_events.n > 1 ||
	    (w->bug_events.n && (!witness_length(w) ||
				 w->bug_events.at[0] != witness_event(w, witness_length(w) - 1)))) {
		csp_free(t.csp);
		return certify_reject(c, "what breaks a property is the last event of the run");
	}
	each_word(c, add_word, &words);
	add_unseen_words(c, &words);
	int good = decide(&t, stuck);

	csp_free(t.csp);
	intern_release(&words);
	intern_release(&t.said);
	vec_release(&t.events);
	vec_release(&line.events);
	return good > 0;
}
