/* SPDX-License-Identifier: MIT */
/* Threads that wait forever; why each does, is in blocked.c. */
#include "report/bug.h"
#include "report/json.h"
#include "report/seen.h"

/* After the run every thread that exists and has not ended waits at its next event. */
static void stuck_events(const struct story *s, const struct finding *f, event_numbers *events)
{
	const struct index *index = s->index;
	const struct witness *w = &f->witness;
	uint32_t *done = mem_alloc_zero(index->thread_count, sizeof(*done));

	index_come_to(index, w->recorded, w->run.at, w->run.n, done);
	for (uint32_t t = 0; t < index->thread_count; t++) {
		const struct index_thread *thread = &index->threads[t];
		uint32_t fork = thread->fork;
		bool exists = !fork || index->position[fork] < done[index->events[fork].thread];

		if (exists && done[t] < thread->count)
			vec_push(events, thread->events[done[t]]);
	}
	mem_free(done);
}

static const struct bug_form form = {
	"threads that wait forever",
	{"norn/stuck", "Stuck", "Threads that wait forever",
	 "An execution exists after which no thread can continue.",
	 "The code flow is that execution. Look for a signal that comes too early, "
	 "or a post that is missing."},
};

static void put_block(struct text *t, const struct finding *f)
{
	story_block_list blocks = {0};

	story_blocks(&t->story, f, &blocks);
	for (size_t i = 0; i < blocks.n; i++) {
		const struct story_block *b = &blocks.at[i];
		const struct event *e = &t->story.index->events[b->event];

		output_text(t->out, i ? "\n  " : "  ");
		text_colour(t, "1;34");
		output_text(t->out, "Thread ");
		text_put(t->out, story_who(&t->story, e->thread));
		output_format(t->out, " waits %s ", seen_waits(event_kind_text[e->kind]));
		text_put(t->out, story_object(&t->story, e));
		output_char(t->out, ':');
		text_colour(t, "0");
		output_char(t->out, '\n');
		text_frame(t, b->event);
		output_text(t->out, "    ");
		text_put(t->out, story_block_text(&t->story, b));
		if (b->other && story_place(&t->story, b->other).file)
			output_format(t->out, " (event %u)", b->other);
		output_char(t->out, '\n');
		text_held(t, b->event);
	}
	for (size_t i = 0; i < blocks.n; i++)
		text_creation(t, t->story.index->events[blocks.at[i].event].thread);
	vec_release(&blocks);
	text_witness(t, &f->witness, "no thread can continue");
}

/* JSON: what each waits for, and the event that tells more of it. */
static void put_waits(struct story *s, struct json *json, const struct finding *f)
{
	story_block_list blocks = {0};

	story_blocks(s, f, &blocks);
	json_open(json, "waits", '[');
	for (size_t i = 0; i < blocks.n; i++) {
		const struct story_block *b = &blocks.at[i];

		json_open(json, NULL, '{');
		json_u64(json, "event", b->event);
		json_string(json, "for", blocked_by_text[b->by]);
		json_string(json, "why", story_block_text(s, b));
		if (b->other) {
			json_u64(json, "other", b->other);
			story_put_thread(s, json, "thread", s->index->events[b->other].thread);
			story_put_place(s, json, "location", b->other);
		}
		json_close(json, '}');
	}
	json_close(json, ']');
	vec_release(&blocks);
}

/* SARIF */

static void append(struct sarif *s, const struct finding *f, const event_numbers *events,
		   characters *text)
{
	story_block_list blocks = {0};

	story_blocks(&s->story, f, &blocks);
	for (size_t i = 0; i < events->n; i++) {
		sarif_append(text, i ? ", " : ": ");
		sarif_append_event(s, events->at[i], text);
		sarif_append(text, " (");
		sarif_append(text, story_block_text(&s->story, &blocks.at[i]));
		sarif_append(text, ")");
	}
	vec_release(&blocks);
}

/* What tells more of why they wait. */
static void put_related(struct sarif *s, const struct finding *f, uint64_t *id)
{
	story_block_list blocks = {0};

	story_blocks(&s->story, f, &blocks);
	for (size_t i = 0; i < blocks.n; i++)
		if (blocks.at[i].other)
			sarif_related(s, ++*id, blocks.at[i].other,
				      story_block_text(&s->story, &blocks.at[i]));
	vec_release(&blocks);
}

const struct bug_report bug_report_stuck = {
	.forms = &form,
	.form_count = 1,
	.events = stuck_events,
	.put_block = put_block,
	.put_behind = put_waits,
	.append = append,
	.put_related = put_related,
};
