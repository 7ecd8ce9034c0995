/* SPDX-License-Identifier: MIT */
#include "predict/suppress.h"

#include <string.h>

const char *const suppression_type_text[SUPPRESSION_TYPE_COUNT] = {
#define SUPPRESSION_ROW(name, text) [name] = text,
	SUPPRESSION_TYPES(SUPPRESSION_ROW)
#undef SUPPRESSION_ROW
};

/* Reading */

static const char *keep(struct suppressions *s, const char *text, size_t length)
{
	char *copy = arena_alloc(&s->text, length + 1);

	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static int read_type(const struct input *in, const char *line, size_t length, struct err *err)
{
	for (int type = 0; type < SUPPRESSION_TYPE_COUNT; type++)
		if (strlen(suppression_type_text[type]) == length &&
		    !memcmp(suppression_type_text[type], line, length))
			return type;
	return input_error(in, err,
			   "no suppression type \"%.*s\"; the types are race, race_top, "
			   "deadlock and crash",
			   (int)(length < 60 ? length : 60), line);
}

static int read_line(struct suppressions *s, const struct input *in, const char *line,
		     size_t length, struct err *err)
{
	while (length && is_blank(line[length - 1]))
		length--;
	while (length && is_blank(*line))
		line++, length--;
	if (!length || *line == '#')
		return 0;
	const char *colon = memchr(line, ':', length);

	if (!colon)
		return input_error(in, err, "a suppression is TYPE:PATTERN");
	int type = read_type(in, line, (size_t)(colon - line), err);

	if (type < 0)
		return type;
	size_t pattern = length - (size_t)(colon + 1 - line);

	if (!pattern)
		return input_error(in, err, "no pattern behind \"%s:\"",
				   suppression_type_text[type]);
	struct suppression new = {.type = (enum suppression_type)type,
				  .pattern = keep(s, colon + 1, pattern),
				  .file = keep(s, input_name(in), strlen(input_name(in))),
				  .line = input_line_number(in)};

	vec_push(&s->all, new);
	return 0;
}

int suppressions_read(struct suppressions *s, struct input *in, struct err *err)
{
	char *line;
	size_t length;
	int got;

	while ((got = input_line(in, &line, &length, err)) > 0)
		if (read_line(s, in, line, length, err) < 0)
			return err->code;
	return got;
}

int suppressions_load(struct suppressions *s, const char *path, struct err *err)
{
	struct input *in = input_open(path, err);
	int code = in ? suppressions_read(s, in, err) : err->code;

	input_close(in);
	return code;
}

void suppressions_release(struct suppressions *s)
{
	vec_release(&s->all);
	arena_release(&s->text);
}

/* Matching */

/*
 * `*` is tried short first; only the last one ever has to be tried again, since what comes
 * before it fits as early as it can.
 */
bool suppression_fits(const char *pattern, const char *name, size_t length)
{
	bool tied = *pattern == '^';
	const char *p = pattern + tied, *end = name + length;
	size_t n = strlen(p);
	bool tied_end = n && p[n - 1] == '$';
	const char *p_end = p + n - tied_end;
	const char *star = tied ? NULL : p, *retry = name;

	if (!length) /* a name that is not known */
		return false;
	for (;;) {
		if (p < p_end && *p == '*')
			star = ++p, retry = name;
		else if (p == p_end && (!tied_end || name == end))
			return true;
		else if (p < p_end && name < end && *p == *name)
			p++, name++;
		else if (star && retry < end)
			p = star, name = ++retry;
		else
			return false;
	}
}

static bool fits_text(const char *pattern, const char *text)
{
	return suppression_fits(pattern, text, strlen(text));
}

static bool fits_place(const char *pattern, const struct index *index, const struct event *e)
{
	struct location l = location_split(intern_text(&index->symbols->locations, e->location));

	return suppression_fits(pattern, l.file, l.file_length) ||
	       (l.function && fits_text(pattern, l.function));
}

static bool fits_variables(const char *pattern, const struct index *index, const struct event *e)
{
	for (uint32_t i = 0; i < event_part_count(e); i++)
		if (fits_text(pattern, symbols_name(index->symbols, CLASS_VARIABLE,
						    event_part(e, i).variable)))
			return true;
	return false;
}

/* What it waits for: the lock; of stuck threads perhaps something else. */
static bool fits_object(const char *pattern, const struct index *index, const struct event *e)
{
	enum object_class class = event_kind_class[e->kind];

	if (e->kind == EV_WOKEN &&
	    fits_text(pattern, symbols_name(index->symbols, CLASS_LOCK, e->more->lock)))
		return true;
	return fits_text(pattern, symbols_name(index->symbols, class, e->object));
}

/* Which types are for a kind of bug, as bits. */
static const uint32_t types_for[] = {
	[BUG_RACE] = 1U << SUPPRESS_RACE | 1U << SUPPRESS_RACE_TOP,
	[BUG_DEADLOCK] = 1U << SUPPRESS_DEADLOCK,
	[BUG_STUCK] = 1U << SUPPRESS_DEADLOCK,
	[BUG_PROPERTY] = 0,
	[BUG_ATOMICITY] = 1U << SUPPRESS_RACE | 1U << SUPPRESS_RACE_TOP,
	[BUG_CHOICE] = 0,
};
BUG_ROWS_ARE_ALL(types_for);

static bool fits_event(const struct suppression *s, const struct index *index,
		       const struct event *e)
{
	if (fits_place(s->pattern, index, e))
		return true;
	switch (s->type) {
	case SUPPRESS_RACE: return fits_variables(s->pattern, index, e);
	case SUPPRESS_DEADLOCK: return fits_object(s->pattern, index, e);
	default: return false;
	}
}

struct suppression *suppressions_find(const struct suppressions *s, const struct index *index,
				      const struct witness *w)
{
	for (size_t i = 0; i < s->all.n; i++) {
		if (!(types_for[w->bug] & 1U << s->all.at[i].type))
			continue;
		for (size_t k = 0; k < w->bug_events.n; k++)
			if (fits_event(&s->all.at[i], index, &index->events[w->bug_events.at[k]]))
				return &s->all.at[i];
	}
	return NULL;
}

void suppressions_match(struct suppressions *s, const struct index *index, struct finding *f)
{
	struct suppression *found = suppressions_find(s, index, &f->witness);

	f->suppressed = found != NULL;
	if (found)
		found->matched++;
}

/* What was seen */

static bool is_for(enum suppression_type type, enum seen_kind kind)
{
	switch (kind) {
	case SEEN_DEADLOCK:
	case SEEN_STUCK: return type == SUPPRESS_DEADLOCK;
	case SEEN_USE_AFTER_FREE:
	case SEEN_DOUBLE_FREE: return type == SUPPRESS_RACE || type == SUPPRESS_RACE_TOP;
	case SEEN_CRASH: return type == SUPPRESS_CRASH;
	case SEEN_KIND_COUNT: break;
	}
	return false;
}

static bool fits_step(const struct suppression *s, const struct seen *f, size_t i)
{
	const struct seen_step *step = &f->steps.at[i];
	struct location l = location_split(step->location ? step->location : "");

	return seen_is_main(f, i) &&
	       (suppression_fits(s->pattern, l.file, l.file_length) ||
		(l.function && fits_text(s->pattern, l.function)) ||
		(s->type != SUPPRESS_RACE_TOP && fits_text(s->pattern, step->object)) ||
		(f->kind == SEEN_CRASH && fits_text(s->pattern, step->op)));
}

const struct suppression *suppressions_find_seen(const struct suppressions *s, const struct seen *f)
{
	for (size_t i = 0; i < s->all.n; i++)
		for (size_t k = 0; k < f->steps.n; k++)
			if (is_for(s->all.at[i].type, f->kind) && fits_step(&s->all.at[i], f, k))
				return &s->all.at[i];
	return NULL;
}

void suppressions_match_seen(struct suppressions *s, struct seen *f)
{
	const struct suppression *found = suppressions_find_seen(s, f);

	f->suppressed = found;
	if (found)
		s->all.at[found - s->all.at].matched++;
}
