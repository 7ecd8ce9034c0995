/* SPDX-License-Identifier: MIT */
#include "property/property.h"

#include "property/script.h"

#include <string.h>

struct properties {
	struct given given;
	uint64_t bytes;
	VEC(struct script *) scripts;
	VEC(struct property) all;
};

struct properties *properties_new(const struct index *index, uint64_t bytes, struct err *err)
{
	struct properties *all = mem_alloc_zero(1, sizeof(*all));

	all->bytes = bytes;
	if (!given_init(&all->given, index, err))
		return all;
	properties_free(all);
	return NULL;
}

static void script_free(struct script *s)
{
	csp_free(s->csp);
	mem_free(s->events);
	mem_free(s->path);
	mem_free(s);
}

void properties_free(struct properties *all)
{
	if (!all)
		return;
	for (size_t i = 0; i < all->all.n; i++)
		monitor_free(all->all.at[i].monitor);
	for (size_t i = 0; i < all->scripts.n; i++)
		script_free(all->scripts.at[i]);
	vec_release(&all->all);
	vec_release(&all->scripts);
	given_release(&all->given);
	mem_free(all);
}

static void program_steps(void *context, uint64_t state, csp_emit *emit, void *to)
{
	const struct script *s = context;

	if (state == PROGRAM_ENDS)
		emit(to, s->endthreads, PROGRAM_ENDED);
	else if (state != PROGRAM_WAITS && state != PROGRAM_ENDED)
		emit(to, s->events[state - PROGRAM_DOES(0)], PROGRAM_WAITS);
}

/* Each letter as an event of the script, which may have declared the channel itself. */
static int find_events(struct script *s, struct err *err)
{
	const struct given *g = s->given;
	struct err why;

	s->events = mem_alloc_zero(g->letters.strings.n + 1, sizeof(*s->events));
	for (uint32_t i = 0; i < g->letters.strings.n; i++)
		if (csp_event(s->csp, intern_text(&g->letters, i), &s->events[i], &why) < 0)
			return err_set(err, why.code,
				       "%.200s: %.60s, event %u of the trace, is no event of the "
				       "script: %.200s",
				       s->path, intern_text(&g->letters, i), g->example[i],
				       why.message);
	return csp_event(s->csp, "endthreads", &s->endthreads, err);
}

struct source {
	const char *path;
	const char *text; /* NULL: it is in the file */
	size_t size;
};

static int read_script(struct script *s, const struct source *source, bool traces, struct err *err)
{
	const struct given *g = s->given;

	if (csp_read(s->csp, "names of the trace", g->prelude.at, g->prelude.n, NULL, err) < 0 ||
	    csp_declare_process(s->csp, "PROGRAM", program_steps, s, err) < 0 ||
	    (source->text ? csp_read(s->csp, s->path, source->text, source->size, NULL, err)
			  : csp_read_file(s->csp, s->path, err)) < 0)
		return err->code;
	if (traces)
		csp_leave_out(s->csp);
	return csp_check(s->csp, err) < 0 ? err->code : find_events(s, err);
}

/* traces: for the assertions about traces, where events that never happen do not matter. */
static struct script *script_new(struct properties *all, const struct source *source, bool traces,
				 struct err *err)
{
	struct script *s = mem_alloc_zero(1, sizeof(*s));
	const struct csp_limits limits = {.bytes = all->bytes};

	s->path = mem_alloc(strlen(source->path) + 1);
	strcpy(s->path, source->path);
	s->given = &all->given;
	s->csp = csp_new(&limits);
	vec_push(&all->scripts, s);
	return read_script(s, source, traces, err) < 0 ? NULL : s;
}

static int add_assertion(struct properties *all, struct script *s, size_t i, struct err *err)
{
	struct csp_assertion told = csp_assertion(s->csp, i);
	struct property p = {.script = s->path,
			     .number = (uint32_t)i,
			     .text = told.text,
			     .file = told.file,
			     .line = told.line,
			     .column = told.column};

	p.monitor = monitor_new(s, i, err);
	if (!p.monitor)
		return err->code;
	vec_push(&all->all, p);
	return 0;
}

static int add(struct properties *all, const struct source *source, struct err *err)
{
	struct script *traces = script_new(all, source, true, err), *others = NULL;
	size_t before = all->all.n;

	for (size_t i = 0; traces && i < csp_assertion_count(traces->csp); i++) {
		struct csp_assertion told = csp_assertion(traces->csp, i);
		struct script *s = traces;

		if (told.property == CSP_PRINT)
			continue;
		if (told.property != CSP_REFINES || told.model != CSP_TRACES)
			s = others = others ? others : script_new(all, source, false, err);
		if (!s || add_assertion(all, s, i, err) < 0)
			return err->code;
	}
	if (!traces)
		return err->code;
	return all->all.n > before
		       ? 0
		       : err_set(err, ERR_INPUT, "%s: there is no assertion", source->path);
}

int properties_add(struct properties *all, const char *path, struct err *err)
{
	return add(all, &(struct source){path, NULL, 0}, err);
}

int properties_add_text(struct properties *all, const char *name, const char *text, size_t size,
			struct err *err)
{
	return add(all, &(struct source){name, text, size}, err);
}

size_t properties_count(const struct properties *all)
{
	return all->all.n;
}

const struct property *properties_at(const struct properties *all, size_t i)
{
	return &all->all.at[i];
}

const struct property *properties_find(const struct properties *all, const char *script,
				       uint32_t number)
{
	for (size_t i = 0; i < all->all.n; i++)
		if (all->all.at[i].number == number && !strcmp(all->all.at[i].script, script))
			return &all->all.at[i];
	return NULL;
}

const char *properties_prelude(const struct properties *all)
{
	return all->given.prelude.at;
}

const char *properties_event(const struct properties *all, uint32_t event)
{
	uint32_t number = all->given.sound_of[event];

	return number ? intern_text(&all->given.letters,
				    given_sound(&all->given, number - 1)->letters[0])
		      : NULL;
}
