/* SPDX-License-Identifier: MIT */
#include "record/write/names.h"

#include "record/log/raw.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_LENGTH 900

struct naming {
	struct places *places;
	struct intern counted; /* names of objects, without their numbers */
	VEC(uint32_t) counts;
};

/* FILE:LINE of a location, without directories. */
static void put_place(char *to, size_t room, const struct symbols *symbols, uint32_t location)
{
	struct location l = location_split(intern_text(&symbols->locations, location));
	const char *file = l.file, *slash = memrchr(file, '/', l.file_length);
	size_t length = l.file_length;

	if (slash) {
		length -= (size_t)(slash + 1 - file);
		file = slash + 1;
	}
	snprintf(to, room, "%.*s:%u", (int)(length < 200 ? length : 200), file, l.line);
}

/* With a number behind it that no other object of that name has. */
static void number(struct naming *n, char *name, size_t room)
{
	uint32_t i = intern_add(&n->counted, name, strlen(name));
	size_t length = strlen(name);

	vec_extend(&n->counts, (size_t)i + 1);
	/* '~' for '#', which starts a comment */
	snprintf(name + length, room - length, "~%u", ++n->counts.at[i]);
}

static void name_by_call(struct naming *n, char *name, size_t room, const char *what, uint64_t pc,
			 uint64_t address)
{
	uint32_t location = places_call(n->places, pc);
	char place[300];

	if (location) {
		put_place(place, sizeof(place), n->places->symbols, location);
		snprintf(name, room, "%s:%s", what, place);
	} else if (modules_function(n->places->modules, pc, place, sizeof(place))) {
		snprintf(name, room, "%s:%s", what, place);
	} else {
		snprintf(name, room, "%s:0x%" PRIx64, what, address);
	}
	number(n, name, room);
}

static void name_stack(struct naming *n, char *name, size_t room, const struct object *o)
{
	struct site_info *info = tables_get(n->places->sites, o->site);

	if (info)
		snprintf(name, room, "stack:%.300s:%.300s",
			 tables_text(n->places->sites, info, info->site->function),
			 tables_text(n->places->sites, info, info->site->name));
	else
		snprintf(name, room, "stack:0x%" PRIx64, o->address);
	number(n, name, room);
}

static void name_object(struct naming *n, char *name, size_t room, const struct object *o)
{
	switch ((enum object_kind)o->kind) {
	case OBJECT_HEAP: name_by_call(n, name, room, "heap", o->pc, o->address); break;
	case OBJECT_MAP: name_by_call(n, name, room, "map", o->pc, o->address); break;
	case OBJECT_STACK: name_stack(n, name, room, o); break;
	case OBJECT_THREAD:
		snprintf(name, room, o->thread ? "tls:T%u" : "tls:main", o->thread);
		break;
	case OBJECT_STATIC: snprintf(name, room, "memory"); break;
	}
	places_clean(name);
}

/* The member that a site accesses: `head` of q->head; NULL if it names none. */
static const char *member_of(const struct places *p, uint32_t site)
{
	struct site_info *info = tables_get(p->sites, site);
	const char *name = info ? tables_text(p->sites, info, info->site->name) : "";
	const char *member = NULL;

	for (const char *c = name; *c; c++) {
		if (*c == '.')
			member = c + 1;
		else if (c[0] == '-' && c[1] == '>')
			member = c + 2;
	}
	if (!member || !*member)
		return NULL;
	for (const char *c = member; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '_')
			return NULL;
	return member;
}

static bool is_taken(const struct places *p, const char *name)
{
	return intern_find(&p->symbols->names[CLASS_VARIABLE], name, strlen(name)) != INTERN_NONE;
}

/* As snprintf "%s+%u" would; objects with millions of elements have as many names. */
static void put_offset(char *name, size_t room, const char *whole, uint64_t offset)
{
	char digits[24], *at = digits + sizeof(digits);
	size_t length = strlen(whole);

	*--at = '\0';
	for (; offset; offset /= 10)
		*--at = (char)('0' + offset % 10);
	*--at = '+';
	ASSERT(length + sizeof(digits) <= room);
	memcpy(name, whole, length);
	memcpy(name + length, at, (size_t)(digits + sizeof(digits) - at));
}

static void name_part(struct places *p, char *name, size_t room, const char *whole,
		      const struct layout_variable *v, uint64_t offset)
{
	const char *member = member_of(p, v->site);

	if (member) {
		snprintf(name, room, "%s.%.100s", whole, member);
		if (!is_taken(p, name))
			return;
	}
	if (offset)
		put_offset(name, room, whole, offset);
	else
		snprintf(name, room, "%s", whole);
}

/* Where the parenthesis that `open` stands at ends, behind it; NULL: nowhere. */
static char *behind_parenthesis(char *open)
{
	int depth = 0;

	for (char *c = open; *c; c++) {
		depth += (*c == '(') - (*c == ')');
		if (!depth)
			return c + 1;
	}
	return NULL;
}

/* f(int, char)::x is f::x; but (anonymous namespace)::x stays. */
static void drop_parameters(char *name)
{
	for (char *c = name; (c = strchr(c, '(')); c++) {
		char *rest = behind_parenthesis(c);

		if (!rest)
			return;
		if (c > name && c[-1] != ':' && !strncmp(rest, "::", 2))
			memmove(c, rest, strlen(rest) + 1);
	}
}

/* The name of a symbol (modules.h) as its programmer would say it. */
static void readable(const char *symbol, char *to, size_t room)
{
	snprintf(to, room, "%.500s", symbol);
	drop_parameters(to);
}

static void name_global(struct places *p, char *name, size_t room, const struct layout_variable *v)
{
	const struct data_symbol *s = modules_symbol(p->modules, v->address);
	char whole[NAME_MAX_LENGTH];

	if (!s) {
		snprintf(name, room, "0x%" PRIx64, v->address);
		return;
	}
	readable(s->name, whole, sizeof(whole));
	if (s->address == v->address && s->size == v->size)
		snprintf(name, room, "%.500s", whole);
	else
		name_part(p, name, room, whole, v, v->address - s->address);
}

/* A name that nobody has, and that the text format can hold in every place. */
static uint32_t add_variable(struct places *p, char *name, size_t room)
{
	size_t count = symbols_count(p->symbols, CLASS_VARIABLE);

	places_clean(name);
	uint32_t x = symbols_add(p->symbols, CLASS_VARIABLE, name, strlen(name));

	for (unsigned i = 2; x < count; i++) {
		char *mark = strrchr(name, '^');
		size_t length = mark ? (size_t)(mark - name) : strlen(name);

		snprintf(name + length, room - length, "^%u", i);
		x = symbols_add(p->symbols, CLASS_VARIABLE, name, strlen(name));
	}
	return x;
}

static void declare(struct places *p, uint32_t x, const struct layout_variable *v, uint32_t base)
{
	struct variable *variable = symbols_describe(p->symbols, x);

	*variable = (struct variable){
		.address = v->address, .size = v->size, .base = base, .flags = VARIABLE_MEMORY};
	if (v->has_init) {
		variable->init = v->init;
		variable->flags |= VARIABLE_INIT;
	}
	if (v->benign)
		variable->flags |= VARIABLE_VOLATILE;
}

/* Variables are numbered as they stand in the layout, objects as they were born. */
void names_add_variables(struct places *p, const struct layout *layout)
{
	struct naming n = {.places = p};
	char *whole = mem_alloc(NAME_MAX_LENGTH), *name = mem_alloc(2 * NAME_MAX_LENGTH);
	uint32_t *owner = mem_alloc((layout->variables.n + 1) * sizeof(*owner));
	struct interned *wholes = mem_alloc((layout->objects.n + 1) * sizeof(*wholes));
	struct arena text = {0};

	for (size_t i = 0; i < layout->objects.n; i++) {
		const struct layout_object *o = &layout->objects.at[i];

		wholes[i].text = NULL;
		if (!o->variable_count)
			continue;
		name_object(&n, whole, NAME_MAX_LENGTH, &o->object);
		wholes[i].text = arena_copy(&text, whole, strlen(whole) + 1);
		for (uint32_t x = 0; x < o->variable_count; x++)
			owner[o->variables + x] = (uint32_t)i;
	}
	for (uint32_t x = 0; x < layout->variables.n; x++) {
		const struct layout_variable *v = &layout->variables.at[x];
		const struct object *o = &layout->objects.at[owner[x]].object;
		const char *base = wholes[owner[x]].text;

		if (o->kind == OBJECT_STATIC)
			name_global(p, name, 2 * NAME_MAX_LENGTH, v);
		else
			name_part(p, name, 2 * NAME_MAX_LENGTH, base, v, v->address - o->address);
		declare(p, add_variable(p, name, 2 * NAME_MAX_LENGTH), v,
			intern_add(&p->symbols->bases, base, strlen(base)));
	}
	arena_release(&text);
	mem_free(whole);
	mem_free(name);
	mem_free(owner);
	mem_free(wholes);
	intern_release(&n.counted);
	vec_release(&n.counts);
}

enum object_class names_sync_class(const struct sync_fact *fact)
{
	return fact->semaphore ? CLASS_SEMAPHORE : (enum object_class)fact->class;
}

void names_of_sync(struct places *p, const struct sync_fact *fact, char *name, size_t room)
{
	const struct data_symbol *s = modules_symbol(p->modules, fact->address);
	uint32_t location = fact->auxiliary ? 0 : places_call(p, fact->pc);
	char place[300];

	if (fact->auxiliary) {
		snprintf(name, room, "waiting:T%" PRIu64, fact->address);
	} else if (s && s->address == fact->address) {
		readable(s->name, name, room);
	} else if (s) {
		readable(s->name, name, room);
		size_t length = strlen(name);

		snprintf(name + length, room - length, "+%" PRIu64, fact->address - s->address);
	} else if (location) {
		put_place(place, sizeof(place), p->symbols, location);
		snprintf(name, room, "%s:%s", object_class_singular[names_sync_class(fact)], place);
	} else {
		snprintf(name, room, "0x%" PRIx64, fact->address);
	}
	places_clean(name);
}

uint32_t names_add_sync(struct places *p, const struct sync_fact *fact)
{
	enum object_class class = names_sync_class(fact);
	char name[NAME_MAX_LENGTH];

	names_of_sync(p, fact, name, sizeof(name));
	size_t length = strlen(name);
	uint32_t same = intern_add(&p->sync_names, name, length);

	vec_extend(&p->sync_counts, (size_t)same + 1);
	if (p->sync_counts.at[same]++)
		snprintf(name + length, sizeof(name) - length, "~%u", p->sync_counts.at[same]);
	uint32_t symbol = symbols_add(p->symbols, class, name, strlen(name));

	if (class == CLASS_SEMAPHORE)
		p->symbols->semaphores.at[symbol] =
			(struct semaphore){.count = fact->count, .declared = true};
	else if (class == CLASS_BARRIER)
		p->symbols->barriers.at[symbol].parties = fact->parties ? fact->parties : 1;
	return symbol;
}

void names_add_threads(struct symbols *symbols, uint32_t count)
{
	char name[32];

	for (uint32_t t = 0; t < count; t++) {
		snprintf(name, sizeof(name), t ? "T%u" : "main", t);
		symbols_add(symbols, CLASS_THREAD, name, strlen(name));
	}
}

/* One line of text, whatever the program has put there. */
static void add_given(struct symbols *symbols, uint32_t thread, const char *given, size_t length)
{
	const char *id = symbols_name(symbols, CLASS_THREAD, thread);
	char fact[LOG_NAME + 40];

	while (length && given[length - 1] == ' ')
		length--;
	while (length && *given == ' ')
		given++, length--;
	if (!length)
		return;
	int start = snprintf(fact, sizeof(fact), "%s ", id);

	for (size_t i = 0; i < length; i++)
		fact[(size_t)start + i] =
			(unsigned char)given[i] < ' ' || given[i] == 0x7f ? '?' : given[i];
	symbols_add_meta(symbols, META_THREAD_NAME, strlen(META_THREAD_NAME), fact,
			 (size_t)start + length);
}

void names_add_given(struct symbols *symbols, const char *directory)
{
	struct err ignored;
	size_t size = 0;
	char *names = raw_read_file(directory, "names", &size, &ignored);

	for (uint32_t t = 0; names && t < symbols_count(symbols, CLASS_THREAD); t++) {
		if ((t + (size_t)1) * LOG_NAME > size)
			break;
		const char *given = names + t * (size_t)LOG_NAME;

		add_given(symbols, t, given, strnlen(given, LOG_NAME));
	}
	mem_free(names);
}
