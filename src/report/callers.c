/* SPDX-License-Identifier: MIT */
#include "report/callers.h"

#include "base/sorted.h"

#include <stdlib.h>
#include <string.h>

/* NUMBER, then this character; false: it is something else. */
static bool take_number(const char **at, char behind, uint64_t most, uint64_t *number)
{
	char *end;

	if (**at < '0' || **at > '9')
		return false;
	*number = strtoull(*at, &end, 10);
	if (*number > most || (behind ? *end != behind : *end && *end != ' '))
		return false;
	*at = end + (*end != '\0');
	return true;
}

/* CALLER@LOCATION, with blanks between them. */
static bool read_frames(struct callers *c, const char *at)
{
	while (*at) {
		struct caller caller = {0};
		uint64_t in;

		if (!take_number(&at, '@', c->at.n, &in))
			return false;
		size_t n = strcspn(at, " ");
		char *text = arena_alloc(&c->text, n + 1);

		memcpy(text, at, n);
		text[n] = '\0';
		caller.in = (uint32_t)in;
		caller.text = text;
		vec_push(&c->at, caller);
		at += n + (at[n] == ' ');
	}
	return true;
}

/* EVENT:CALLER, with blanks between them: how far it is from the event before. */
static bool read_stacks(struct callers *c, const char *at, uint64_t *last)
{
	uint64_t event = 0;

	while (*at) {
		uint64_t step, caller;

		if (!take_number(&at, ':', c->index->count, &step) ||
		    !take_number(&at, '\0', c->at.n, &caller))
			return false;
		event += step;
		if (event <= *last || event > c->index->count)
			return false;
		*last = event;
		struct callers_change change = {(uint32_t)event, (uint32_t)caller};

		vec_push(&c->threads[c->index->events[event].thread], change);
	}
	return true;
}

static bool read_facts(struct callers *c)
{
	const struct symbols *symbols = c->index->symbols;
	const char *text;
	uint64_t last = 0;

	for (size_t i = 0; i < symbols->metas.n; i++)
		if (!strcmp(symbols->metas.at[i].key, META_FRAMES) &&
		    !read_frames(c, symbols->metas.at[i].value))
			return false;
	if (!c->at.n)
		return false;
	c->threads = mem_alloc_zero(c->index->thread_count + 1, sizeof(*c->threads));
	for (size_t i = 0; i < symbols->metas.n; i++) {
		text = symbols->metas.at[i].value;
		if (!strcmp(symbols->metas.at[i].key, META_STACKS) && !read_stacks(c, text, &last))
			return false;
	}
	return true;
}

void callers_init(struct callers *c, const struct index *index)
{
	*c = (struct callers){.index = index};
	if (!read_facts(c)) {
		callers_release(c);
		c->index = index;
	}
}

void callers_release(struct callers *c)
{
	for (uint32_t t = 0; c->threads && t < c->index->thread_count; t++)
		vec_release(&c->threads[t]);
	mem_free(c->threads);
	vec_release(&c->at);
	arena_release(&c->text);
	*c = (struct callers){0};
}

static const struct caller *caller_of(const struct callers *c, uint32_t number)
{
	return number ? &c->at.at[number - 1] : NULL;
}

/* A mark around a call, or within one, has the place of that call. */
static bool is_place_of_mark(const struct index *index, uint32_t event, const struct caller *caller)
{
	const struct event *e = &index->events[event];
	struct location a = location_split(intern_text(&index->symbols->locations, e->location));
	struct location b = location_split(caller->text);

	return e->kind == EV_MARK && a.line == b.line && a.file_length == b.file_length &&
	       !memcmp(a.file, b.file, a.file_length) && a.function && b.function &&
	       !strcmp(a.function, b.function);
}

const struct caller *callers_of(const struct callers *c, uint32_t event)
{
	if (!c->threads || !c->index->events[event].location)
		return NULL;
	const callers_changes *changes = &c->threads[c->index->events[event].thread];
	size_t behind = LOWER_BOUND(i, (size_t)0, changes->n, changes->at[i].event <= event);
	const struct caller *caller = behind ? caller_of(c, changes->at[behind - 1].caller) : NULL;

	return caller && is_place_of_mark(c->index, event, caller) ? callers_next(c, caller)
								   : caller;
}

const struct caller *callers_next(const struct callers *c, const struct caller *caller)
{
	return caller_of(c, caller->in);
}
