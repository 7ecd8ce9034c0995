/* The report for people, in the manner of ThreadSanitizer: a block for each finding, then counts.
 */
#include "predict/candidates.h"
#include "report/text.h"

/* Pieces */

void text_put(struct output *out, const char *text)
{
	for (; *text; text++)
		output_char(out, (unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text);
}

void text_count(struct output *out, uint64_t n, const char *what)
{
	output_format(out, "%llu %s%s", (unsigned long long)n, what, n == 1 ? "" : "s");
}

void text_colour(const struct text *t, const char *code)
{
	if (t->options->colour)
		output_format(t->out, "\033[%sm", code);
}

/* As a frame of a stack: `#0 FUNCTION FILE:LINE:COLUMN (event N)`. */
static void put_frame(struct text *t, uint32_t event)
{
	struct place place = story_place(&t->story, event);

	output_text(t->out, "    #0 ");
	if (place.function) {
		text_put(t->out, place.function);
		output_char(t->out, ' ');
	}
	if (!place.file) {
		output_format(t->out, "event %u\n", event);
		return;
	}
	text_put(t->out, place.file);
	if (place.line)
		output_format(t->out, ":%u", place.line);
	if (place.column)
		output_format(t->out, ":%u", place.column);
	output_format(t->out, " (event %u)\n", event);
}

static void put_held(struct text *t, uint32_t event)
{
	held_locks held = {0};

	story_held(&t->story, event, &held);
	for (size_t i = 0; i < held.n; i++) {
		output_text(t->out, "    holds ");
		text_put(t->out, symbols_name(t->story.symbols, CLASS_LOCK, held.at[i].lock));
		output_text(t->out, held.at[i].shared ? " (shared), taken at " : ", taken at ");
		text_put(t->out, story_line(&t->story, held.at[i].acquire));
		output_char(t->out, '\n');
	}
	vec_release(&held);
}

static void put_creation(struct text *t, uint32_t thread)
{
	uint32_t fork = t->story.index->threads[thread].fork;

	if (!fork)
		return;
	output_text(t->out, "\n  Thread ");
	text_put(t->out, story_thread(&t->story, thread));
	output_text(t->out, " created by thread ");
	text_put(t->out, story_thread(&t->story, t->story.index->events[fork].thread));
	output_text(t->out, " at:\n");
	put_frame(t, fork);
}

/* `Read of x = 1, y = 2` */
static void put_access(struct text *t, const struct event *e)
{
	struct output *out = t->out;
	const char *kind = event_kind_text[e->kind];

	output_format(out, "%c%s", kind[0] - 'a' + 'A', kind + 1);
	if (e->order != ORDER_PLAIN)
		output_format(out, " (%s)", memory_order_text[e->order]);
	output_text(out, " of ");
	for (uint32_t i = 0; i < event_part_count(e); i++) {
		struct part part = event_part(e, i);

		output_text(out, i ? ", " : "");
		text_put(out, symbols_name(t->story.symbols, CLASS_VARIABLE, part.variable));
		if (!event_is(e, EV_VALUE))
			continue;
		output_text(out, " = ");
		output_i64(out, part.value);
		if (e->kind == EV_RMW) {
			output_text(out, " to ");
			output_i64(out, part.written);
		}
	}
}

/* Kinds of bug */

static void put_next(struct text *t, uint32_t event, uint32_t variable)
{
	const struct event *e = &t->story.index->events[event];

	output_text(t->out, "  next: thread ");
	text_put(t->out, story_thread(&t->story, e->thread));
	output_format(t->out, " %s ", story_verb(e));
	text_put(t->out, symbols_name(t->story.symbols, CLASS_VARIABLE, variable));
	output_text(t->out, " at ");
	text_put(t->out, story_line(&t->story, event));
	output_char(t->out, '\n');
}

static void put_block_access(struct text *t, uint32_t event)
{
	const struct event *e = &t->story.index->events[event];

	output_text(t->out, "  ");
	text_colour(t, "1;34");
	put_access(t, e);
	output_text(t->out, " by thread ");
	text_put(t->out, story_thread(&t->story, e->thread));
	output_char(t->out, ':');
	text_colour(t, "0");
	output_char(t->out, '\n');
	put_frame(t, event);
	put_held(t, event);
}

static void put_variable(struct text *t, uint32_t number)
{
	const struct symbols *symbols = t->story.symbols;
	const struct variable *v = symbols_variable(symbols, number);

	if (!(v->flags & VARIABLE_MEMORY))
		return;
	output_text(t->out, "\n  ");
	text_put(t->out, symbols_name(symbols, CLASS_VARIABLE, number));
	output_text(t->out, " is ");
	text_count(t->out, v->size, "byte");
	output_format(t->out, " at 0x%llx of ", (unsigned long long)v->address);
	text_put(t->out, intern_text(&symbols->bases, v->base));
	output_char(t->out, '\n');
}

static void block_race(struct text *t, const struct finding *f)
{
	uint32_t a = (uint32_t)f->witness.bug_events.at[0];
	uint32_t b = (uint32_t)f->witness.bug_events.at[1];
	uint32_t variable = story_variable(&t->story, f);
	const struct event *events = t->story.index->events;

	put_block_access(t, a);
	output_char(t->out, '\n');
	put_block_access(t, b);
	put_variable(t, variable);
	put_creation(t, events[a].thread);
	put_creation(t, events[b].thread);
	text_witness(t, &f->witness, "both accesses are next");
	put_next(t, a, variable);
	put_next(t, b, variable);
}

static const char *lock_name(const struct text *t, uint32_t lock)
{
	return symbols_name(t->story.symbols, CLASS_LOCK, lock);
}

/* `b was taken by thread t2 at b.c:1 in second (event 5)` */
static void put_taken(struct text *t, const struct story_wait *wait)
{
	const struct event *holder = &t->story.index->events[wait->holder];
	struct place place = story_place(&t->story, wait->taken);

	output_text(t->out, "    ");
	text_put(t->out, lock_name(t, wait->lock));
	output_text(t->out,
		    wait->shared ? " was taken (shared) by thread " : " was taken by thread ");
	text_put(t->out, story_thread(&t->story, holder->thread));
	output_text(t->out, " at ");
	text_put(t->out, story_line(&t->story, wait->taken));
	if (place.function) {
		output_text(t->out, " in ");
		text_put(t->out, place.function);
	}
	if (place.file)
		output_format(t->out, " (event %u)", wait->taken);
	output_char(t->out, '\n');
}

/* `thread t1 waits for m`; a reader says so. */
static void put_wait(struct text *t, const struct story_wait *wait)
{
	const struct event *e = &t->story.index->events[wait->event];

	text_put(t->out, story_thread(&t->story, e->thread));
	output_text(t->out, " waits for ");
	text_put(t->out, lock_name(t, wait->lock));
	output_text(t->out, e->kind == EV_ACQUIRE_SHARED ? " (shared)" : "");
}

static void put_block_wait(struct text *t, const struct story_wait *wait)
{
	output_text(t->out, "  ");
	text_colour(t, "1;34");
	output_text(t->out, "Thread ");
	put_wait(t, wait);
	output_text(t->out, ", which thread ");
	text_put(t->out, story_thread(&t->story, t->story.index->events[wait->holder].thread));
	output_text(t->out, " holds:");
	text_colour(t, "0");
	output_char(t->out, '\n');
	put_frame(t, wait->event);
	put_taken(t, wait);
	put_held(t, wait->event);
}

/* Each waits for what the thread of the one behind it holds. */
static void block_deadlock(struct text *t, const struct finding *f)
{
	const struct witness *w = &f->witness;
	size_t n = w->bug_events.n;

	for (size_t i = 0; i < n; i++) {
		struct story_wait wait = story_wait(&t->story, w, i);

		output_text(t->out, i ? "\n" : "");
		put_block_wait(t, &wait);
	}
	for (size_t i = 0; i < n; i++)
		put_creation(t, t->story.index->events[w->bug_events.at[i]].thread);
	text_witness(t, w, "each of them waits for the next");
	for (size_t i = 0; i < n; i++) {
		struct story_wait wait = story_wait(&t->story, w, i);

		output_text(t->out, "  next: thread ");
		put_wait(t, &wait);
		output_text(t->out, " at ");
		text_put(t->out, story_line(&t->story, wait.event));
		output_char(t->out, '\n');
	}
}

static void block_stuck(struct text *t, const struct finding *f)
{
	story_block_list blocks = {0};

	story_blocks(&t->story, f, &blocks);
	for (size_t i = 0; i < blocks.n; i++) {
		const struct story_block *b = &blocks.at[i];
		const struct event *e = &t->story.index->events[b->event];

		output_text(t->out, i ? "\n  " : "  ");
		text_colour(t, "1;34");
		output_text(t->out, "Thread ");
		text_put(t->out, story_thread(&t->story, e->thread));
		output_format(t->out, " waits at %s ", event_kind_text[e->kind]);
		text_put(t->out, story_object(&t->story, e));
		output_char(t->out, ':');
		text_colour(t, "0");
		output_char(t->out, '\n');
		put_frame(t, b->event);
		output_text(t->out, "    ");
		text_put(t->out, story_block_text(&t->story, b));
		if (b->other && story_place(&t->story, b->other).file)
			output_format(t->out, " (event %u)", b->other);
		output_char(t->out, '\n');
		put_held(t, b->event);
	}
	for (size_t i = 0; i < blocks.n; i++)
		put_creation(t, t->story.index->events[blocks.at[i].event].thread);
	vec_release(&blocks);
	text_witness(t, &f->witness, "nobody can go on");
}

static void block_property(struct text *t, const struct finding *f)
{
	for (size_t i = 0; i < f->witness.bug_events.n; i++) {
		uint32_t event = (uint32_t)f->witness.bug_events.at[i];
		const struct event *e = &t->story.index->events[event];

		output_text(t->out, "  mark ");
		text_put(t->out, story_object(&t->story, e));
		output_text(t->out, " by thread ");
		text_put(t->out, story_thread(&t->story, e->thread));
		output_text(t->out, ":\n");
		put_frame(t, event);
	}
	text_witness(t, &f->witness, "the marks are these, in this order");
}

static void (*const blocks[BUG_COUNT])(struct text *t, const struct finding *f) = {
	[BUG_RACE] = block_race,
	[BUG_DEADLOCK] = block_deadlock,
	[BUG_STUCK] = block_stuck,
	[BUG_PROPERTY] = block_property,
};

const char text_rule[] = "==================\n";

/* What it starts with, its colour, and what is said of how it was proved. */
static const struct {
	const char *word, *colour, *proof;
} headings[VERDICT_COUNT] = {
	[VERDICT_CONFIRMED] = {"WARNING", "1;31", "confirmed: certified and replayed"},
	[VERDICT_CERTIFIED] = {"WARNING", "1;31", "certified"},
	[VERDICT_CONDITIONAL] = {"CONDITIONAL", "1;33",
				 "certified by a record that lacks something"},
};

static void put_heading(struct text *t, const struct finding *f)
{
	enum verdict verdict = finding_verdict(f);

	text_colour(t, headings[verdict].colour);
	output_format(t->out, "%s: Norn: %s", headings[verdict].word, story_title(&t->story, f));
	if (f->witness.bug == BUG_RACE) {
		output_text(t->out, " on ");
		text_put(t->out, symbols_name(t->story.symbols, CLASS_VARIABLE,
					      story_variable(&t->story, f)));
	}
	if (f->witness.bug == BUG_DEADLOCK) {
		output_text(t->out, " of ");
		text_count(t->out, f->witness.bug_events.n, "thread");
	}
	output_format(t->out, " (%s", headings[verdict].proof);
	if (verdict == VERDICT_CERTIFIED && f->replayed.tried)
		output_text(t->out, "; not replayed");
	const struct predict_kind *kind = predict_kind_of(f->witness.bug);

	if (kind && f->instances > 1) {
		output_text(t->out, "; one of ");
		text_count(t->out, f->instances, kind->instance);
		output_text(t->out, " like it");
	}
	output_char(t->out, ')');
	text_colour(t, "0");
	output_char(t->out, '\n');
}

/* Threads of a deadlock often run the same code. */
static bool was_named(struct text *t, const event_numbers *events, size_t i)
{
	uint32_t location = t->story.index->events[events->at[i]].location;

	for (size_t k = 0; k < i && location; k++)
		if (t->story.index->events[events->at[k]].location == location)
			return true;
	return false;
}

#define RELIES_MOST 8 /* of many functions; JSON has all */

static void put_relies_on(struct text *t)
{
	size_t at = 0;
	uint64_t count = 0;
	const char *function;

	output_text(t->out, "  Relies on: ");
	while ((function = story_relies_on(&t->story, &at)))
		if (count++ < RELIES_MOST) {
			output_text(t->out, count > 1 ? ", " : "");
			text_put(t->out, function);
		}
	if (count > RELIES_MOST)
		output_format(t->out, " and %llu more", (unsigned long long)(count - RELIES_MOST));
	output_text(t->out, count ? ": what these do is not known\n"
				  : "something that the record does not show\n");
}

static void put_replayed(struct text *t, const struct finding *f)
{
	static const char *const words[VERDICT_COUNT] = {
		[VERDICT_CONFIRMED] = "Replayed",
		[VERDICT_CERTIFIED] = "Not replayed",
		[VERDICT_CONDITIONAL] =
			"Went another way, twice, and the recorded schedule did not",
	};
	const struct finding_replayed *r = &f->replayed;

	if (!r->tried)
		return;
	output_format(t->out, "\n  %s: ", words[finding_verdict(f)]);
	text_put(t->out, r->text);
	output_char(t->out, '\n');
	for (size_t i = 0; i < sizeof(r->follows) / sizeof(*r->follows); i++) {
		if (!r->follows[i])
			continue;
		output_text(t->out, "    ");
		text_put(t->out, r->follows[i]);
		output_char(t->out, '\n');
	}
	if (finding_verdict(f) == VERDICT_CONDITIONAL)
		put_relies_on(t);
	if (f->evidence) {
		output_text(t->out,
			    "  A second chance: the record holds it back, and a replay went "
			    "there. It is certified by the trace of ");
		output_text(t->out, f->witness.bug == BUG_RACE ? "that run, "
							       : "a run that came close to it, ");
		text_put(t->out, f->evidence->trace);
		output_char(t->out, '\n');
	}
	if (!r->again)
		return;
	output_text(t->out, "  See it again: ");
	text_put(t->out, r->again);
	output_char(t->out, '\n');
}

static void put_last_line(struct text *t, const struct finding *f)
{
	event_numbers events = {0};

	story_events(&t->story, f, &events);
	output_format(t->out, "\nSUMMARY: Norn: %s", story_title(&t->story, f));
	for (size_t i = 0; i < events.n; i++) {
		struct place place = story_place(&t->story, events.at[i]);

		if (f->witness.bug == BUG_DEADLOCK && was_named(t, &events, i))
			continue;
		output_text(t->out, i ? ", " : ": ");
		text_put(t->out, place.file ? story_line(&t->story, events.at[i]) : place.text);
		if (place.function) {
			output_text(t->out, " in ");
			text_put(t->out, place.function);
		}
	}
	output_char(t->out, '\n');
	vec_release(&events);
}

static void write_text(const struct prediction *p, const struct report_options *o,
		       struct output *out)
{
	struct text t = {.options = o, .out = out};

	story_init(&t.story, p);
	text_seen(&t);
	for (size_t i = 0; i < p->findings.n; i++) {
		struct finding *f = &p->findings.at[i];

		if (f->suppressed)
			continue;
		finding_open(f);
		story_turn_to(&t.story, f);
		output_text(out, text_rule);
		put_heading(&t, f);
		blocks[f->witness.bug](&t, f);
		text_seen_race(&t, f);
		put_replayed(&t, f);
		if (finding_verdict(f) != VERDICT_CONDITIONAL)
			put_last_line(&t, f);
		output_text(out, text_rule);
		finding_close(f);
		arena_reset(&t.story.text);
	}
	story_turn_to(&t.story, NULL);
	text_why(&t);
	text_counts(&t);
	story_release(&t.story);
}

const struct report_kind report_text = {
	.name = "text",
	.title = "for people, in the manner of ThreadSanitizer",
	.write = write_text,
};
