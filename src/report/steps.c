/* The witness as steps of one thread each, and what is worth saying of them. */
#include "report/story.h"

/* Reads that see another write: the run is followed with the last writer of each variable. */
static void find_changed(const struct story *s, const struct witness *w, struct steps *steps)
{
	const struct index *index = s->index;
	uint32_t *last =
		mem_alloc_zero(symbols_count(s->symbols, CLASS_VARIABLE) + 1, sizeof(*last));

	for (size_t i = 0; i < w->run.n; i++) {
		const struct event *e = &index->events[w->run.at[i]];
		uint32_t part = index->parts[w->run.at[i]];

		for (uint32_t k = 0; k < event_part_count(e); k++, part++) {
			uint32_t variable = event_part(e, k).variable;
			struct changed_read changed = {i, variable, last[variable],
						       index->writer[part]};

			if (event_is(e, EV_RETURNS) && changed.writer != changed.recorded)
				vec_push(&steps->changed, changed);
			if (event_is(e, EV_STORES) && event_is(e, EV_VALUE))
				last[variable] = (uint32_t)w->run.at[i];
		}
	}
	mem_free(last);
}

void story_steps(const struct story *s, const struct witness *w, struct steps *steps)
{
	bool *seen = mem_alloc_zero(s->index->thread_count + 1, sizeof(*seen));

	*steps = (struct steps){0};
	for (size_t i = 0; i < w->run.n; i++) {
		uint32_t thread = s->index->events[w->run.at[i]].thread;

		if (steps->ascending == i && (!i || w->run.at[i - 1] < w->run.at[i]))
			steps->ascending++;
		steps->threads += !seen[thread];
		seen[thread] = true;
		if (steps->all.n && steps->all.at[steps->all.n - 1].thread == thread) {
			steps->all.at[steps->all.n - 1].end++;
			continue;
		}
		struct step step = {thread, i, i + 1};

		vec_push(&steps->all, step);
	}
	mem_free(seen);
	find_changed(s, w, steps);
}

void steps_release(struct steps *steps)
{
	vec_release(&steps->all);
	vec_release(&steps->changed);
}

static bool is_of_interest(const struct event *e)
{
	switch (e->kind) {
	case EV_BEGIN:
	case EV_READ:
	case EV_WRITE:
	case EV_RMW:
	case EV_BRANCH:
	case EV_EXTERNAL: return false;
	default: return true;
	}
}

static bool is_noted(const struct story *s, const struct step_notes *notes, const struct event *e)
{
	for (uint32_t i = 0; i < notes->count; i++) {
		const struct event *at = &s->index->events[notes->events[i]];

		if (at->kind == e->kind && at->object == e->object)
			return true;
	}
	return false;
}

void story_notes(const struct story *s, const struct witness *w, const struct step *step,
		 struct step_notes *notes)
{
	*notes = (struct step_notes){0};
	for (size_t i = step->first; i < step->end; i++) {
		const struct event *e = &s->index->events[w->run.at[i]];

		if (!is_of_interest(e) || is_noted(s, notes, e))
			continue;
		if (notes->count < STEP_NOTES_MAX)
			notes->events[notes->count++] = (uint32_t)w->run.at[i];
		else
			notes->more++;
	}
}
