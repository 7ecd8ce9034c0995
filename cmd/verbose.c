#include "cmd/verbose.h"

#include "cmd/cmd.h"

#include <stdarg.h>
#include <stdio.h>

struct line {
	char text[1000];
	size_t length;
};

static void add(struct line *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct line *l, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	int n = vsnprintf(l->text + l->length, sizeof(l->text) - l->length, format, list);

	va_end(list);
	l->length += (size_t)n;
	if (l->length >= sizeof(l->text))
		l->length = sizeof(l->text) - 1;
}

static enum answer answer_of(const struct tier *t)
{
	return t->proved ? PROVED : t->undecided ? UNDECIDED : REFUTED;
}

static void add_engine(struct line *l, const struct tier *t, const struct engine_effort *effort,
		       const char *gave_up)
{
	enum answer answer = answer_of(t);

	add(l, "; %s: %s in %.3f s", t->engine, engine_answer_text[answer], t->seconds);
	if (t->asked > 1)
		add(l, ", asked %llu times", (unsigned long long)t->asked);
	if (effort->cone)
		add(l, ", %llu decisions, %llu conflicts, cone of %u events",
		    (unsigned long long)effort->decisions, (unsigned long long)effort->conflicts,
		    effort->cone);
	if (answer == UNDECIDED)
		add(l, " (%s)", gave_up);
}

void verbose_tell(enum bug_kind bug, const struct search_result *r)
{
	struct line line = {.length = 0};

	add(&line, "%s", bug_kind_text[bug]);
	for (uint32_t i = 0; i < r->closest.count; i++)
		add(&line, " %llu", (unsigned long long)r->closest.at[i]);
	add(&line, ": %s", engine_answer_text[r->answer]);
	if (r->answer == UNDECIDED)
		add(&line, ", %s", r->why);
	for (uint32_t i = 0; i < r->tier_count; i++)
		if (r->tiers[i].asked)
			add_engine(&line, &r->tiers[i], &r->efforts[i], r->gave_up[i]);
	say("%s", line.text);
}
