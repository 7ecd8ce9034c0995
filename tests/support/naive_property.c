/* SPDX-License-Identifier: MIT */
#define TAP_WITHOUT_MAIN
#include "tests/support/naive_property.h"

#include "csp/csp.h"
#include "search/explore/explore.h"
#include "tests/support/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct naive_lines {
	const struct index *index;
	const struct properties *names;
	struct intern *lines;
	uint64_t left;
	bool too_many;
};

static bool all_ended(const struct index *index, const uint32_t *events, size_t n)
{
	uint32_t ends = 0;

	for (size_t i = 0; i < n; i++)
		ends += index->events[events[i]].kind == EV_END;
	return ends == index->thread_count;
}

static void say_access(FILE *out, const char *channel, const char *said, uint32_t variable)
{
	const char *thread = strchr(said, '.') + 1;

	fprintf(out, "%s.%.*s.%u -> ", channel, (int)strcspn(thread, "."), thread, variable);
}

/* One name an event, but for accesses to several variables, and of two kinds. */
static void say_event(struct naive_lines *l, FILE *out, uint32_t n)
{
	const struct event *e = &l->index->events[n];
	const char *said = properties_event(l->names, n);

	if (!said)
		return;
	if (e->kind != EV_READ && e->kind != EV_WRITE && e->kind != EV_RMW) {
		fprintf(out, "%s -> ", said);
		return;
	}
	for (uint32_t i = 0; i < event_part_count(e); i++) {
		if (e->kind != EV_WRITE)
			say_access(out, "read", said, event_part(e, i).variable);
		if (e->kind != EV_READ)
			say_access(out, "write", said, event_part(e, i).variable);
	}
}

static bool visit(void *context, const uint32_t *events, size_t n)
{
	struct naive_lines *l = context;
	char *line;
	size_t size;
	FILE *out = open_memstream(&line, &size);

	for (size_t i = 0; i < n; i++)
		say_event(l, out, events[i]);
	if (all_ended(l->index, events, n))
		fputs("endthreads -> ", out);
	fputs("STOP", out);
	fclose(out);
	intern_add(l->lines, line, size);
	free(line);
	l->too_many = !l->left--;
	return !l->too_many;
}

/* With b 7, so that it is an event like others, which does not happen. */
static void put_prelude(FILE *out, const char *prelude)
{
	static const char narrow[] = "channel b : thread.union(b_arg1,{})";
	const char *b = strstr(prelude, narrow);

	fprintf(out, "%.*s", b ? (int)(b - prelude) : (int)strlen(prelude), prelude);
	if (b)
		fprintf(out, "channel b : thread.union(b_arg1,{7})%s", b + strlen(narrow));
}

static bool breaks(const char *prelude, const char *script, const char *line)
{
	struct csp *csp = csp_new(&(struct csp_limits){.bytes = (uint64_t)256 << 20});
	struct csp_answer answer;
	struct err err = {0};
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	put_prelude(out, prelude);
	fprintf(out, "\nPROGRAM = %s\n%s\n", line, script);
	fclose(out);
	if (csp_read(csp, "naive", text, size, NULL, &err) || csp_check(csp, &err) ||
	    csp_assertion_decide(csp, 0, &answer, &err))
		FAIL("%s\n%s", err.message, text);
	free(text);
	csp_free(csp);
	return !answer.holds;
}

bool naive_executions(const struct index *index, enum model model, const struct properties *names,
		      uint64_t most, struct intern *lines)
{
	struct naive_lines l = {.index = index, .names = names, .left = most, .lines = lines};
	const struct explore_limits limits = {.bytes = (uint64_t)256 << 20};
	struct err err = {0};

	if (explore_list(index, model, &limits, visit, &l, &err) < 0)
		FAIL("%s", err.message);
	return !l.too_many;
}

int naive_property(const struct index *index, enum model model, const struct properties *names,
		   const char *script, uint64_t most)
{
	struct intern lines = {0};
	bool all = naive_executions(index, model, names, most, &lines);
	int broken = 0;

	for (uint32_t i = 0; all && !broken && i < lines.strings.n; i++)
		broken = breaks(properties_prelude(names), script, intern_text(&lines, i));
	intern_release(&lines);
	return all ? broken : -1;
}
