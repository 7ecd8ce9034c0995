/* SPDX-License-Identifier: MIT */
#include "trace/symbols.h"

#include <stdlib.h>
#include <string.h>

void symbols_init(struct symbols *symbols)
{
	memset(symbols, 0, sizeof(*symbols));
	vec_extend(&symbols->details, 1);
	intern_add(&symbols->locations, "", 0);
}

void symbols_release(struct symbols *symbols)
{
	for (int class = 0; class < CLASS_COUNT; class ++)
		intern_release(&symbols->names[class]);
	vec_release(&symbols->details);
	vec_release(&symbols->details_of);
	vec_release(&symbols->semaphores);
	vec_release(&symbols->barriers);
	intern_release(&symbols->bases);
	intern_release(&symbols->locations);
	constants_release(&symbols->constants);
	vec_release(&symbols->metas);
	arena_release(&symbols->text);
}

void symbols_reserve_names(struct symbols *symbols, size_t variables)
{
	vec_reserve(&symbols->names[CLASS_VARIABLE].strings, variables);
}

static void declare(struct symbols *symbols, enum object_class class, uint32_t number)
{
	if (number < symbols->counts[class])
		return;
	symbols->counts[class] = (size_t)number + 1;
	if (class == CLASS_SEMAPHORE)
		vec_extend(&symbols->semaphores, (size_t)number + 1);
	else if (class == CLASS_BARRIER)
		vec_extend(&symbols->barriers, (size_t)number + 1);
}

uint32_t symbols_add(struct symbols *symbols, enum object_class class, const char *name,
		     size_t length)
{
	uint32_t number = intern_add(&symbols->names[class], name, length);

	declare(symbols, class, number);
	return number;
}

void symbols_add_unchecked(struct symbols *symbols, enum object_class class, const char *name,
			   size_t length)
{
	declare(symbols, class, intern_add_unchecked(&symbols->names[class], name, length));
}

uint32_t symbols_add_unnamed(struct symbols *symbols, uint32_t n)
{
	size_t first = symbols->counts[CLASS_VARIABLE];

	ASSERT(first + n <= INTERN_MOST);
	symbols->counts[CLASS_VARIABLE] += n;
	return (uint32_t)first;
}

void symbols_add_name(struct symbols *symbols, const char *name, size_t length)
{
	intern_add_unchecked(&symbols->names[CLASS_VARIABLE], name, length);
}

bool symbols_are_named(const struct symbols *symbols)
{
	return symbols->names[CLASS_VARIABLE].strings.n == symbols->counts[CLASS_VARIABLE];
}

void symbols_forget_names(struct symbols *symbols)
{
	intern_release(&symbols->names[CLASS_VARIABLE]);
}

struct variable *symbols_describe(struct symbols *symbols, uint32_t number)
{
	ASSERT(number < symbols_count(symbols, CLASS_VARIABLE));
	vec_extend(&symbols->details_of, (size_t)number + 1);
	uint32_t *which = &symbols->details_of.at[number];

	if (!*which) {
		*which = (uint32_t)symbols->details.n;
		vec_extend(&symbols->details, symbols->details.n + 1);
	}
	return &symbols->details.at[*which];
}

bool symbols_check(struct symbols *symbols)
{
	bool good = true;

	for (int class = 0; class < CLASS_COUNT; class ++)
		good &= intern_check(&symbols->names[class]);
	return good;
}

static const char *keep_text(struct symbols *symbols, const char *text, size_t length)
{
	char *copy = arena_alloc(&symbols->text, length + 1);

	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

void symbols_add_meta(struct symbols *symbols, const char *key, size_t key_length,
		      const char *value, size_t value_length)
{
	struct meta meta = {keep_text(symbols, key, key_length),
			    keep_text(symbols, value, value_length)};

	vec_push(&symbols->metas, meta);
}

const char *symbols_meta(const struct symbols *symbols, const char *key, size_t i)
{
	for (size_t k = 0; k < symbols->metas.n; k++)
		if (!strcmp(symbols->metas.at[k].key, key) && !i--)
			return symbols->metas.at[k].value;
	return NULL;
}

const char *symbols_given_name(const struct symbols *symbols, const char *thread)
{
	size_t length = strlen(thread);

	for (size_t k = 0; k < symbols->metas.n; k++) {
		const struct meta *meta = &symbols->metas.at[k];

		if (!strcmp(meta->key, META_THREAD_NAME) && !strncmp(meta->value, thread, length) &&
		    meta->value[length] == ' ' && meta->value[length + 1])
			return meta->value + length + 1;
	}
	return NULL;
}

bool symbols_woken(const struct symbols *symbols, uint32_t thread, uint64_t *by)
{
	const char *name = symbols_name(symbols, CLASS_THREAD, thread);
	size_t length = strlen(name);

	for (size_t k = 0; k < symbols->metas.n; k++) {
		const struct meta *meta = &symbols->metas.at[k];
		char *end;

		if (strcmp(meta->key, META_WOKEN) != 0 || strncmp(meta->value, name, length) != 0 ||
		    meta->value[length] != ' ')
			continue;
		*by = strtoull(meta->value + length + 1, &end, 10);
		return !*end;
	}
	return false;
}

/* A number as we would print it, up to ':' or the end; returns what follows, or NULL. */
static const char *split_number(const char *text, uint32_t *number)
{
	uint64_t value = 0;
	const char *c = text;

	for (; *c >= '0' && *c <= '9' && value < UINT32_MAX; c++)
		value = value * 10 + (uint64_t)(*c - '0');
	if (c == text || *text == '0' || value >= UINT32_MAX || (*c && *c != ':'))
		return NULL;
	*number = (uint32_t)value;
	return c;
}

struct location location_split(const char *text)
{
	struct location l = {.file = text, .file_length = strlen(text)};

	for (const char *colon = strchr(text, ':'); colon; colon = strchr(colon + 1, ':')) {
		const char *rest = split_number(colon + 1, &l.line);

		if (!rest)
			continue;
		l.file_length = (size_t)(colon - text);
		if (!*rest)
			return l;
		const char *after = split_number(rest + 1, &l.column);

		if (!after)
			after = rest;
		if (*after && after[1])
			l.function = after + 1;
		return l;
	}
	return l;
}

bool symbols_is_order(const struct symbols *symbols, uint32_t once)
{
	return !strncmp(symbols_name(symbols, CLASS_ONCE, once), SYMBOL_ORDER,
			strlen(SYMBOL_ORDER));
}

bool symbols_name_is_good(const char *name, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)name[i];

		if (c <= ' ' || c == 0x7f || c == '#')
			return false;
	}
	return length > 0;
}
