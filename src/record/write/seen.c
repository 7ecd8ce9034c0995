/* SPDX-License-Identifier: MIT */
#include "record/write/seen.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* Lines */

static void add_word(struct seen_line *line, const char *text)
{
	size_t left = sizeof(line->text) - line->n;
	int length = snprintf(line->text + line->n, left, "%s%s", line->n ? " " : "", text);

	if ((size_t)length < left)
		line->n += (size_t)length;
	else
		line->full = true;
}

void seen_begin(struct seen_line *line, struct places *places, const char *kind)
{
	*line = (struct seen_line){.places = places};
	add_word(line, kind);
}

void seen_step(struct seen_line *line, const char *thread, const char *op, const char *object,
	       uint32_t location)
{
	size_t before = line->n;
	char at[1100];

	add_word(line, ";");
	add_word(line, thread);
	add_word(line, op);
	add_word(line, *object ? object : "-");
	if (location) {
		snprintf(at, sizeof(at), "@%s",
			 intern_text(&line->places->symbols->locations, location));
		add_word(line, at);
	}
	if (line->full) { /* whole steps, or none */
		line->n = before;
		line->text[before] = '\0';
	}
}

void seen_end(struct seen_line *line)
{
	symbols_add_meta(line->places->symbols, SEEN_KEY, strlen(SEEN_KEY), line->text, line->n);
}

/* Accidents */

static const char *thread_name(const struct places *p, uint32_t thread)
{
	return symbols_name(p->symbols, CLASS_THREAD, thread);
}

/* heap:FILE:LINE of the allocation, or where the block was. */
static void name_block(struct places *p, const struct layout_block *b, char *name, size_t room)
{
	uint32_t location = places_call(p, b->made);

	if (!location) {
		snprintf(name, room, "0x%" PRIx64, b->address);
		return;
	}
	struct location l = location_split(intern_text(&p->symbols->locations, location));
	const char *slash = memrchr(l.file, '/', l.file_length);
	const char *file = slash ? slash + 1 : l.file;

	snprintf(name, room, "heap:%.*s:%u", (int)(l.file + l.file_length - file), file, l.line);
}

/* Who freed it, and where it was allocated. */
static void add_block(struct seen_line *line, const struct layout_block *b, const char *name)
{
	struct places *p = line->places;

	seen_step(line, thread_name(p, b->freed_by), "free", name, places_call(p, b->freed));
	seen_step(line, thread_name(p, b->made_by), "alloc", name, places_call(p, b->made));
}

static const char *op_of(uint8_t kind)
{
	switch (kind) {
	case LOG_READ: return "read";
	case LOG_WRITE: return "write";
	case LOG_RMW: return "rmw";
	case LOG_FREE: return "free";
	default: return "use";
	}
}

static void add_dangling(struct places *p, const struct layout_dangling *d)
{
	struct seen_line line;
	char name[300];

	name_block(p, &d->block, name, sizeof(name));
	seen_begin(&line, p, d->kind == LOG_FREE ? "double-free" : "use-after-free");
	seen_step(&line, thread_name(p, d->thread), op_of(d->kind), name,
		  d->site ? places_site(p, d->site) : places_call(p, d->pc));
	add_block(&line, &d->block, name);
	seen_end(&line);
}

static bool is_ours(const struct places *p, uint32_t location)
{
	return !strncmp(intern_text(&p->symbols->locations, location), "norn-runtime/",
			strlen("norn-runtime/"));
}

static bool has_line(const struct places *p, uint32_t location)
{
	return location_split(intern_text(&p->symbols->locations, location)).line;
}

/*
 * The innermost frame that is not ours. If the compiler has made one of several accesses, or the
 * call is its own, that has no line: then just behind what the thread was last seen to do.
 */
static uint32_t place_of_crash(struct places *p, const struct layout_crash *c)
{
	uint32_t place = 0;

	for (uint32_t i = 0; i < c->frame_count; i++) {
		uint32_t location = places_call(p, c->frames[i]);

		if (!location)
			break;
		if (is_ours(p, location))
			continue;
		uint64_t own = places_own_frame(p, c->frames + i, c->frame_count - i);

		place = own ? places_call(p, own) : location;
		if (has_line(p, place))
			return place;
		break;
	}
	return c->behind ? places_site(p, c->behind) : place;
}

/* A large block is unmapped when it is freed: who uses it then crashes. */
static void add_use(struct places *p, const struct layout_crash *c)
{
	struct seen_line line;
	char name[300];

	name_block(p, &c->freed, name, sizeof(name));
	seen_begin(&line, p, "use-after-free");
	seen_step(&line, thread_name(p, c->thread), "use", name, place_of_crash(p, c));
	add_block(&line, &c->freed, name);
	seen_end(&line);
}

static void add_crash(struct places *p, const struct layout_crash *c)
{
	const char *abbreviation = sigabbrev_np((int)c->signal);
	char signal[32], address[32] = "";
	struct seen_line line;

	snprintf(signal, sizeof(signal), "SIG%s", abbreviation ? abbreviation : "NAL");
	if (c->signal != SIGABRT)
		snprintf(address, sizeof(address), "0x%" PRIx64, c->address);
	seen_begin(&line, p, "crash");
	seen_step(&line, thread_name(p, c->thread), signal, address, place_of_crash(p, c));
	seen_end(&line);
}

void seen_add_accidents(struct places *p, const struct layout *layout, bool unlogged)
{
	for (size_t i = 0; i < layout->crashes.n; i++) {
		add_crash(p, &layout->crashes.at[i]);
		if (layout->crashes.at[i].freed.freed)
			add_use(p, &layout->crashes.at[i]);
	}
	for (size_t i = 0; !unlogged && i < layout->dangling.n; i++)
		/* a library that was loaded where a large block had been */
		if (!modules_have(p->modules, layout->dangling.at[i].block.address))
			add_dangling(p, &layout->dangling.at[i]);
}
