/* SPDX-License-Identifier: MIT */
#include "property/given.h"

#include "base/strbuf.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Channels for events that are not marks. sync: they are in sync_set. */
/* clang-format off */
#define GIVEN_CHANNELS(row) \
	row(EV_FORK, "fork", "thread.thread", true) \
	row(EV_BEGIN, "start", "thread", true) \
	row(EV_END, "end", "thread", true) \
	row(EV_JOIN, "join", "thread.thread", true) \
	row(EV_ACQUIRE, "lock", "thread.mutex", true) \
	row(EV_RELEASE, "unlock", "thread.mutex", true) \
	row(EV_ACQUIRE_SHARED, "rdlock", "thread.mutex", true) \
	row(EV_RELEASE_SHARED, "rdunlock", "thread.mutex", true) \
	row(EV_WAIT, "wait", "thread.condition", true) \
	row(EV_WOKEN, "woken", "thread.condition", true) \
	row(EV_SIGNAL, "signal", "thread.condition", true) \
	row(EV_BROADCAST, "broadcast", "thread.condition", true) \
	row(EV_BARRIER_ENTER, "barrier_enter", "thread.barrier", true) \
	row(EV_BARRIER_EXIT, "barrier_exit", "thread.barrier", true) \
	row(EV_SEM_POST, "sem_post", "thread.semaphore", true) \
	row(EV_SEM_WAIT, "sem_wait", "thread.semaphore", true) \
	row(EV_READ, "read", "thread.memory", false) \
	row(EV_WRITE, "write", "thread.memory", false)
/* clang-format on */

static const struct {
	enum event_kind kind;
	const char *name, *type;
	bool sync;
} channels[] = {
#define CHANNEL_ROW(kind, name, type, sync) {kind, name, type, sync},
	GIVEN_CHANNELS(CHANNEL_ROW)
#undef CHANNEL_ROW
};

#define CHANNELS (sizeof(channels) / sizeof(*channels))

static const struct {
	const char *name;
	enum object_class class;
} sets[] = {
	{"mutex", CLASS_LOCK},		{"semaphore", CLASS_SEMAPHORE}, {"barrier", CLASS_BARRIER},
	{"condition", CLASS_CONDITION}, {"memory", CLASS_VARIABLE},
};

#define SETS (sizeof(sets) / sizeof(*sets))

/* Words of the language, which name nothing else. */
static const char *const reserved[] = {
	"assert",  "channel",  "datatype", "subtype",  "nametype",   "transparent", "external",
	"print",   "include",  "module",   "instance", "Timed",	     "let",	    "within",
	"if",	   "then",     "else",	   "not",      "and",	     "or",	    "true",
	"false",   "STOP",     "SKIP",	   "DIV",      "CHAOS",	     "RUN",	    "WAIT",
	"Events",  "PROGRAM",  "WD",	   "error",    "endthreads", "sync_set",    "thread",
	"exports", "endmodule"};

static void put(struct given *g, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct given *g, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int n = vsnprintf(NULL, 0, format, args);

	va_end(args);
	vec_reserve(&g->prelude, g->prelude.n + (size_t)n + 1);
	va_start(args, format);
	vsnprintf(g->prelude.at + g->prelude.n, (size_t)n + 1, format, args);
	va_end(args);
	g->prelude.n += (size_t)n;
}

/* Threads are numbered as they first do something, those that never do behind them. */
static void number_threads(struct given *g)
{
	const struct index *index = g->index;
	uint32_t next = 0;

	g->thread = mem_alloc_zero(index->thread_count + 1, sizeof(*g->thread));
	memset(g->thread, 0xff, index->thread_count * sizeof(*g->thread));
	for (uint32_t n = 1; n <= index->count; n++)
		if (g->thread[index->events[n].thread] == UINT32_MAX)
			g->thread[index->events[n].thread] = next++;
	for (uint32_t t = 0; t < index->thread_count; t++)
		if (g->thread[t] == UINT32_MAX)
			g->thread[t] = next++;
}

/* What a name of the language cannot have is `_`; it begins with a letter. */
static uint32_t name_for(struct given *g, const char *text, size_t length)
{
	char *name = mem_alloc(length + 2);
	size_t n = 0;

	if (!length || !isalpha((unsigned char)text[0]))
		name[n++] = 'n';
	for (size_t i = 0; i < length; i++)
		name[n++] = isalnum((unsigned char)text[i]) ? text[i] : '_';
	size_t before = g->names.strings.n;
	uint32_t number = intern_add(&g->names, name, n);

	if (g->names.strings.n == before && !g->taken)
		g->taken = intern_text(&g->names, number);
	mem_free(name);
	return number;
}

static const char *name_text(const struct given *g, uint32_t name)
{
	return intern_text(&g->names, name);
}

/* The next field of a mark. */
static const char *next_field(const char **at, size_t *length)
{
	while (**at == ' ')
		++*at;
	const char *field = *at;

	while (**at && **at != ' ')
		++*at;
	*length = (size_t)(*at - field);
	return *length ? field : NULL;
}

/* A number that 64 bits hold, in the ways that the trace has. */
static bool is_number(const char *field, size_t length, int64_t *value)
{
	char text[32], *end;

	if (length >= sizeof(text))
		return false;
	memcpy(text, field, length);
	text[length] = '\0';
	if (!isdigit((unsigned char)text[text[0] == '-']))
		return false;
	*value = text[0] == '-' || strncmp(text, "0x", 2) != 0 ? strtoll(text, &end, 10)
							       : (int64_t)strtoull(text, &end, 16);
	return !*end;
}

static uint32_t word_name(struct given *g, const char *word, size_t length)
{
	uint32_t number = intern_add(&g->words, word, length);

	if (number == g->word_names.n)
		vec_push(&g->word_names, name_for(g, word, length));
	return g->word_names.at[number];
}

/* "3", "(-1)", "store". */
static void put_field(struct given *g, const char *field, size_t length, struct strbuf *b)
{
	int64_t value;

	if (!is_number(field, length, &value))
		strbuf_add(b, "%s", name_text(g, word_name(g, field, length)));
	else
		strbuf_add(b, value < 0 ? "(%lld)" : "%lld", (long long)value);
}

static const char *args_of(const struct event *e)
{
	return e->more && e->more->args ? e->more->args : "";
}

#define FIELDS_MOST 32
#define FIELDS_ROOM 4000
#define LETTER_ROOM (4 * FIELDS_ROOM) /* also if each word gets some more letters */

/* What one mark has in each field. */
struct fields {
	uint32_t count;
	bool words[FIELDS_MOST];
	struct intern values[FIELDS_MOST];
};

static int take_mark(struct given *g, uint32_t n, bool first, struct fields *f, struct err *err)
{
	const struct event *e = &g->index->events[n];
	const char *at = args_of(e), *field;
	const char *name = symbols_name(g->index->symbols, CLASS_MARK, e->object);
	uint32_t count = 0;
	size_t length;

	if (strlen(at) > FIELDS_ROOM)
		return err_set(err, ERR_INPUT, "event %u: the fields of mark %s are too long", n,
			       name);
	while ((field = next_field(&at, &length))) {
		int64_t value;
		char text[LETTER_ROOM];
		struct strbuf b = STRBUF(text);
		bool word = !is_number(field, length, &value);

		if (count == FIELDS_MOST)
			return err_set(err, ERR_INPUT, "event %u: mark %s has more than %d fields",
				       n, name, FIELDS_MOST);
		if (first && count == f->count)
			f->words[f->count++] = word;
		if (count < f->count && f->words[count] != word)
			return err_set(err, ERR_INPUT,
				       "event %u: field %u of mark %s is a %s here, and was a %s "
				       "before: no channel has both",
				       n, count + 1, name, word ? "word" : "number",
				       word ? "number" : "word");
		if (count < f->count) {
			put_field(g, field, length, &b);
			intern_add(&f->values[count], text, b.n);
		}
		count++;
	}
	if (count != f->count)
		return err_set(
			err, ERR_INPUT,
			"event %u: mark %s has %u fields here, and had %u before: no channel "
			"has both",
			n, name, count, f->count);
	return 0;
}

/* `meta word MARK FIELD WORD`: a word that this field can be. The word, or NULL. */
static const char *word_of(const struct meta *meta, const char *mark, uint32_t field,
			   size_t *length)
{
	const char *at = meta->value, *name, *digits;
	int64_t number;

	if (strcmp(meta->key, "word") || !(name = next_field(&at, length)) ||
	    *length != strcspn(mark, " ") || memcmp(name, mark, *length) ||
	    !(digits = next_field(&at, length)) || !is_number(digits, *length, &number) ||
	    number != (int64_t)field + 1)
		return NULL;
	return next_field(&at, length);
}

/* The type of a field: what was seen there, and the words that could have been. */
static void put_field_type(struct given *g, const char *mark, const char *name,
			   const struct fields *f, uint32_t field)
{
	const struct symbols *symbols = g->index->symbols;
	bool words = !f->values[field].strings.n || f->words[field];
	const char *between = "";
	size_t length;

	put(g, ".union(%s_arg%u,{", name, field + 1);
	for (size_t i = 0; words && i < symbols->metas.n; i++) {
		const char *word = word_of(&symbols->metas.at[i], mark, field, &length);

		if (!word)
			continue;
		put(g, "%s%s", between, name_text(g, word_name(g, word, length)));
		between = ",";
	}
	put(g, "})");
}

/* NAME_arg1 and so on, then the channel. mark: its name in the trace, up to a blank. */
static void put_mark(struct given *g, const char *mark, const char *name, const struct fields *f)
{
	for (uint32_t i = 0; i < f->count; i++) {
		put(g, "%s_arg%u = {", name, i + 1);
		for (size_t k = 0; k < f->values[i].strings.n; k++)
			put(g, "%s%s", k ? "," : "", intern_text(&f->values[i], (uint32_t)k));
		put(g, "}\n");
	}
	put(g, "channel %s : thread", name);
	for (uint32_t i = 0; i < f->count; i++)
		put_field_type(g, mark, name, f, i);
	put(g, "\n");
}

static int declare_mark(struct given *g, uint32_t mark, struct err *err)
{
	const struct index_list *list = &g->index->uses[CLASS_MARK][mark];
	struct fields f = {0};
	int code = 0;

	for (uint32_t i = 0; !code && i < list->count; i++)
		code = take_mark(g, list->events[i], !i, &f, err);
	if (!code && list->count)
		put_mark(g, symbols_name(g->index->symbols, CLASS_MARK, mark),
			 name_text(g, g->mark_names[mark]), &f);
	for (uint32_t i = 0; i < f.count; i++)
		intern_release(&f.values[i]);
	return code;
}

/*
 * Events that the run could have had and did not: `meta event NAME N`, with N fields, of which no
 * value was seen.
 */
static void declare_unseen(struct given *g)
{
	for (size_t i = 0; i < g->index->symbols->metas.n; i++) {
		const struct meta *meta = &g->index->symbols->metas.at[i];
		const char *at = meta->value;
		size_t length, digits;
		const char *name = strcmp(meta->key, "event") ? NULL : next_field(&at, &length);
		const char *count = name ? next_field(&at, &digits) : NULL;
		int64_t fields = 0;
		struct fields none = {0};

		if (!name ||
		    (count &&
		     (!is_number(count, digits, &fields) || fields < 0 || fields > FIELDS_MOST)) ||
		    intern_find(&g->index->symbols->names[CLASS_MARK], name, length) != INTERN_NONE)
			continue;
		none.count = (uint32_t)fields;
		put_mark(g, name, name_text(g, name_for(g, name, length)), &none);
	}
}

static void declare_words(struct given *g)
{
	for (size_t i = 0; i < g->word_names.n; i++)
		put(g, "%s%s",
		    i ? " | " : "datatype norn_word = ", name_text(g, g->word_names.at[i]));
	put(g, "\n");
}

/* A mark or a word that has the name of a given channel hides it: the user chose that name. */
static bool is_hidden(const struct given *g, const char *name)
{
	return intern_find(&g->names, name, strlen(name)) != INTERN_NONE;
}

static void put_set(struct given *g, const char *name, size_t count)
{
	if (count)
		put(g, "nametype %s = {0..%zu}\n", name, count - 1);
	else
		put(g, "nametype %s = {0..-1}\n", name);
}

static void declare_channels(struct given *g)
{
	const char *between = "sync_set = {|";

	put_set(g, "thread", g->index->thread_count);
	for (size_t i = 0; i < SETS; i++)
		put_set(g, sets[i].name, symbols_count(g->index->symbols, sets[i].class));
	for (size_t i = 0; i < CHANNELS; i++)
		if (!is_hidden(g, channels[i].name))
			put(g, "channel %s : %s\n", channels[i].name, channels[i].type);
	for (size_t i = 0; i < CHANNELS; i++)
		if (channels[i].sync && !is_hidden(g, channels[i].name)) {
			put(g, "%s%s", between, channels[i].name);
			between = ", ";
		}
	put(g, "|}\n"
	       "channel endthreads, error\n"
	       "WD(E, events) = (E ; error -> SKIP) /\\ ([] z : events @ z -> WD(E, events))\n");
}

static int declare(struct given *g, struct err *err)
{
	size_t marks = symbols_count(g->index->symbols, CLASS_MARK);

	for (size_t i = 0; i < sizeof(reserved) / sizeof(*reserved); i++)
		intern_add(&g->names, reserved[i], strlen(reserved[i]));
	for (size_t i = 0; i < SETS; i++)
		intern_add(&g->names, sets[i].name, strlen(sets[i].name));
	g->mark_names = mem_alloc_zero(marks + 1, sizeof(*g->mark_names));
	for (uint32_t m = 0; m < marks; m++) {
		const char *name = symbols_name(g->index->symbols, CLASS_MARK, m);

		g->mark_names[m] = name_for(g, name, strlen(name));
	}
	for (uint32_t m = 0; m < marks; m++)
		if (declare_mark(g, m, err) < 0)
			return err->code;
	declare_unseen(g);
	declare_words(g);
	declare_channels(g); /* last: what the trace names is known */
	return g->taken ? err_set(err, ERR_INPUT,
				  "%.60s cannot be the name of a mark, or a word in one: a script "
				  "would know two things by it",
				  g->taken)
			: 0;
}

/* What events say */

static uint32_t letter(struct given *g, const char *text, size_t length, uint32_t event)
{
	uint32_t number = intern_add(&g->letters, text, length);

	if (!g->example[number])
		g->example[number] = event;
	return number;
}

static const char *channel_of(const struct given *g, enum event_kind kind)
{
	for (size_t i = 0; i < CHANNELS; i++)
		if (channels[i].kind == kind)
			return is_hidden(g, channels[i].name) ? NULL : channels[i].name;
	return NULL;
}

typedef VEC(uint32_t) letter_list;

static void say(struct given *g, uint32_t n, enum event_kind kind, const uint32_t *object,
		letter_list *said)
{
	const struct event *e = &g->index->events[n];
	const char *channel = channel_of(g, kind);
	char text[100];
	struct strbuf b = STRBUF(text);

	if (!channel)
		return;
	strbuf_add(&b, "%s.%u", channel, g->thread[e->thread]);
	if (object)
		strbuf_add(&b, ".%u", *object);
	vec_push(said, letter(g, text, b.n, n));
}

static void say_accesses(struct given *g, uint32_t n, letter_list *said)
{
	const struct event *e = &g->index->events[n];

	for (uint32_t i = 0; i < event_part_count(e); i++) {
		uint32_t variable = event_part(e, i).variable;

		if (e->kind != EV_WRITE)
			say(g, n, EV_READ, &variable, said);
		if (e->kind != EV_READ)
			say(g, n, EV_WRITE, &variable, said);
	}
}

static void say_mark(struct given *g, uint32_t n, letter_list *said)
{
	const struct event *e = &g->index->events[n];
	const char *at = args_of(e), *field;
	char text[LETTER_ROOM];
	struct strbuf b = STRBUF(text);
	size_t length;

	strbuf_add(&b, "%s.%u", name_text(g, g->mark_names[e->object]), g->thread[e->thread]);
	while ((field = next_field(&at, &length))) {
		strbuf_add(&b, ".");
		put_field(g, field, length, &b);
	}
	vec_push(said, letter(g, text, b.n, n));
}

static void say_event(struct given *g, uint32_t n, letter_list *said)
{
	const struct event *e = &g->index->events[n];

	switch ((enum event_kind)e->kind) {
	case EV_MARK: say_mark(g, n, said); break;
	case EV_READ:
	case EV_WRITE:
	case EV_RMW: say_accesses(g, n, said); break;
	case EV_BEGIN:
	case EV_END: say(g, n, e->kind, NULL, said); break;
	case EV_FORK:
	case EV_JOIN: say(g, n, e->kind, &g->thread[e->object], said); break;
	default: say(g, n, e->kind, &e->object, said);
	}
}

static void find_sounds(struct given *g)
{
	const struct index *index = g->index;
	letter_list said = {0};

	g->sound_of = mem_alloc_zero((size_t)index->count + 1, sizeof(*g->sound_of));
	/* no more letters than variables and events */
	g->example = mem_alloc_zero(2 * (size_t)index->parts[index->count + 1] + index->count + 1,
				    sizeof(*g->example));
	for (uint32_t n = 1; n <= index->count; n++) {
		said.n = 0;
		vec_push(&said, 0); /* the count */
		say_event(g, n, &said);
		if (said.n == 1)
			continue;
		said.at[0] = (uint32_t)said.n - 1;
		g->sound_of[n] = 1 + intern_add(&g->sounds, (const char *)said.at,
						said.n * sizeof(*said.at));
	}
	vec_release(&said);
}

int given_init(struct given *g, const struct index *index, struct err *err)
{
	*g = (struct given){.index = index};
	number_threads(g);
	if (declare(g, err) < 0)
		return err->code;
	find_sounds(g);
	return 0;
}

void given_release(struct given *g)
{
	vec_release(&g->prelude);
	vec_release(&g->word_names);
	intern_release(&g->letters);
	intern_release(&g->sounds);
	intern_release(&g->names);
	intern_release(&g->words);
	mem_free(g->sound_of);
	mem_free(g->example);
	mem_free(g->thread);
	mem_free(g->mark_names);
}
