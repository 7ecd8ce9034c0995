/* SPDX-License-Identifier: MIT */
/* What code without hooks changed: found in a rehearsal, written where it may have been done. */
#include "record/write/parts.h"

#define VARIABLES_AN_EVENT 512 /* a line of text has its limits */

void unseen_follow(struct writer *w, const struct merged *r)
{
	switch (LOG_KIND_OF(*r->w)) {
	case LOG_FORK:
		if (!w->forked && !w->layout->foreign)
			unseen_forget(w->unseen);
		w->forked = true;
		break;
	case LOG_UNSEEN:
		unseen_mark(w->unseen);
		unseen_begins(w->unseen, r->thread, w->time);
		break;
	case LOG_SEEN:
		unseen_mark(w->unseen);
		unseen_ends(w->unseen, r->thread, w->time);
		break;
	case LOG_END: unseen_ends(w->unseen, r->thread, w->time); break;
	}
}

/* Nobody has accessed it before: does it hold what it held when the program began? */
static bool is_as_at_first(struct writer *w, uint32_t x, uint64_t value)
{
	const struct layout_variable *v = &w->layout->variables.at[x];

	return modules_hold(w->places->modules, v->address, &value, v->size);
}

void unseen_follow_parts(struct writer *w, bool reads)
{
	for (size_t i = 0; i < w->parts.n; i++) {
		uint32_t x = w->parts.at[i].variable;
		uint64_t value = (uint64_t)w->parts.at[i].value;

		if (reads && w->values[x] != value)
			reach_touch_variable(w, &w->layout->variables.at[x]);
		if (reads && w->unseen->variables[x].accessed && w->values[x] != value)
			unseen_changed(w->unseen, x, value);
		else if (reads && !w->unseen->variables[x].accessed && !is_as_at_first(w, x, value))
			unseen_first_read(w->unseen, x, value);
		unseen_accessed(w->unseen, x, w->time);
	}
}

/* The parts as one event of the thread, which stands in such code. */
static void put_change(struct writer *w, uint32_t thread)
{
	const struct writer_thread *t = writer_thread(w, thread);
	bool inserted = t->kind != LOG_UNSEEN;
	struct event e = {
		.kind = EV_EXTERNAL, .thread = thread, .location = writer_place_of_call(w, thread)};

	if (w->parts.n && !writer_is_silent(w, thread)) {
		for (size_t i = 0; i < w->parts.n; i++)
			w->values[w->parts.at[i].variable] = (uint64_t)w->parts.at[i].value;
		w->counts.external++;
		writer_begin(w, thread, inserted);
		writer_put_parts(w, &e, NULL, 0, w->parts.n, inserted);
	}
	w->parts.n = 0;
}

void unseen_put_due(struct writer *w)
{
	const struct unseen_change *c;
	uint32_t thread = 0, next;

	w->parts.n = 0;
	while ((c = unseen_due(w->unseen, w->time, &next))) {
		uint64_t value = c->changes ? c->value : w->values[c->variable];
		struct part part = {.variable = c->variable, .value = (int64_t)value};

		if (next != thread || w->parts.n == VARIABLES_AN_EVENT)
			put_change(w, thread);
		thread = next;
		vec_push(&w->parts, part);
	}
	put_change(w, thread);
}
