/* SPDX-License-Identifier: MIT */
/* Runs, their questions, and which is asked next. */
#include "hunt/parts.h"

#include <stdio.h>
#include <string.h>

struct hunt *hunt_new(const struct hunt_options *options)
{
	struct hunt *h = mem_alloc_zero(1, sizeof(*h));

	h->options = *options;
	return h;
}

static void free_run(struct hunt_run *r)
{
	if (!r)
		return;
	hunt_probes_free(r->probes);
	certifier_free(r->certifier);
	reader_close(r->again);
	index_free(r->index);
	vec_release(&r->choices);
	vec_release(&r->waits);
	mem_free(r->behind);
	arena_release(&r->memory);
	mem_free(r);
}

void hunt_free(struct hunt *h)
{
	for (size_t i = 0; i < h->runs.n; i++)
		free_run(h->runs.at[i]);
	for (size_t i = 0; i < h->nodes.n; i++) {
		vec_release(&h->nodes.at[i].children);
		vec_release(&h->nodes.at[i].runs);
	}
	vec_release(&h->runs);
	vec_release(&h->questions);
	vec_release(&h->nodes);
	vec_release(&h->doubts);
	vec_release(&h->clauses);
	for (size_t i = 0; i < h->pending.n; i++)
		mem_free(h->pending.at[i].made);
	vec_release(&h->pending);
	vec_release(&h->withheld);
	mem_free(h->edges.at);
	mem_free(h->places.at);
	arena_release(&h->memory);
	mem_free(h);
}

void hunt_add_doubt(struct hunt *h, const char *reason)
{
	for (size_t i = 0; i < h->doubts.n; i++)
		if (!strcmp(h->doubts.at[i].reason, reason)) {
			h->doubts.at[i].count++;
			return;
		}
	struct hunt_doubt doubt = {arena_copy(&h->memory, reason, strlen(reason) + 1), 1};

	vec_push(&h->doubts, doubt);
}

/* Runs */

static void end_at_step(struct hunt *h, struct hunt_run *r, enum seen_kind kind,
			const struct seen_step *s)
{
	const struct symbols *symbols = r->index->symbols;
	uint32_t thread = intern_find(&symbols->names[CLASS_THREAD], s->thread, strlen(s->thread));
	uint32_t lock = intern_find(&symbols->names[CLASS_LOCK], s->object, strlen(s->object));
	uint32_t joined = intern_find(&symbols->names[CLASS_THREAD], s->object, strlen(s->object));
	uint32_t semaphore =
		intern_find(&symbols->names[CLASS_SEMAPHORE], s->object, strlen(s->object));
	bool acquires = !strncmp(s->op, "acquire", 7);

	if (thread == INTERN_NONE)
		return;
	struct hunt_thread *t = &r->threads[thread];

	if (acquires && lock != INTERN_NONE)
		t->awaited.lock = lock + 1;
	else if (!strcmp(s->op, "join") && joined != INTERN_NONE)
		t->awaited.join = joined + 1;
	else if (!strcmp(s->op, "sem-wait") && semaphore != INTERN_NONE)
		t->awaited.semaphore = semaphore + 1;
	else
		t->fixed = true;
	/* who sleeps on a condition goes on if a signal wakes it: that is a choice of who signals;
	 * and to an object that is not in the trace nobody does anything */
	if (kind != SEEN_CRASH && !acquires && t->fixed && strcmp(s->op, "join") &&
	    strcmp(s->op, "woken") && strcmp(s->op, "sem-wait"))
		hunt_add_doubt(h, "a run ended while a thread waited at a barrier or the like");
}

/* Where the run ended for each thread, as far as its trace says. */
static void find_ends(struct hunt *h, struct hunt_run *r)
{
	struct seen_list seen = {0};
	struct err err;

	if (!seen_read(&seen, r->index->symbols, "", &err))
		for (size_t i = 0; i < seen.at.n; i++)
			for (size_t k = 0; k < seen.at.at[i].steps.n; k++)
				if (seen_is_main(&seen.at.at[i], k))
					end_at_step(h, r, seen.at.at[i].kind,
						    &seen.at.at[i].steps.at[k]);
	seen_release(&seen);
	const char *exit = symbols_meta(r->index->symbols, META_EXIT, 0);
	uint32_t thread =
		exit ? intern_find(&r->index->symbols->names[CLASS_THREAD], exit, strlen(exit))
		     : INTERN_NONE;

	if (thread != INTERN_NONE)
		r->threads[thread].fixed = true;
}

/* `meta waits THREAD OP OBJECT`: what it waited for when the process ended. */
static void find_waits(struct hunt *h, struct hunt_run *r)
{
	const char *text;

	for (size_t i = 0; (text = symbols_meta(r->index->symbols, META_WAITS, i)); i++) {
		char thread[256], op[32], object[256];
		struct seen_step step = {.thread = thread, .op = op, .object = object};

		if (sscanf(text, "%255s %31s %255s", thread, op, object) == 3)
			end_at_step(h, r, SEEN_STUCK, &step);
	}
}

static void add_questions(struct hunt *h, struct hunt_run *r, uint32_t number)
{
	struct hunt_question q = {.run = number};

	r->first_question = (uint32_t)h->questions.n;
	for (uint32_t i = 0; i < r->choices.n; i++) {
		q.choice = i;
		q.thread = r->index->events[r->choices.at[i].event].thread;
		vec_push(&h->questions, q);
	}
	q.choice = UINT32_MAX;
	for (q.thread = 0; q.thread < r->index->thread_count; q.thread++) {
		const struct index_thread *t = &r->index->threads[q.thread];

		if (!r->threads[q.thread].ended && !r->threads[q.thread].fixed &&
		    (t->fork || t->count))
			vec_push(&h->questions, q);
	}
}

/* More threads come to it than it lets through at once, so that others could meet. */
static bool has_more_than_parties(const struct index *index, uint32_t barrier)
{
	uint32_t comers = 0;
	bool *comes = mem_alloc_zero(index->thread_count + 1, sizeof(*comes));

	for (uint32_t n = 1; n <= index->count; n++) {
		const struct event *e = &index->events[n];

		if (e->kind != EV_BARRIER_ENTER || e->object != barrier)
			continue;
		comers += !comes[e->thread];
		comes[e->thread] = true;
	}
	mem_free(comes);
	return comers > index->symbols->barriers.at[barrier].parties;
}

static void doubt_barriers(struct hunt *h, const struct index *index)
{
	for (uint32_t b = 0; b < symbols_count(index->symbols, CLASS_BARRIER); b++)
		if (has_more_than_parties(index, b))
			hunt_add_doubt(h, "who meets at a barrier was not varied");
}

/* What the record does not show as it is, so that executions are missing in the model. */
static void find_doubts(struct hunt *h, const struct hunt_run *r)
{
	const struct index *index = r->index;

	for (uint32_t n = 1; n <= index->count; n++) {
		const struct event *e = &index->events[n];

		if (e->kind == EV_EXTERNAL)
			hunt_add_doubt(h, "code without hooks changed memory");
		if (event_kind_class[e->kind] == CLASS_ONCE &&
		    symbols_is_order(index->symbols, e->object))
			hunt_add_doubt(h, "code without hooks may order threads");
		if (event_is(e, EV_BLOCKS) && e->order == EVENT_TRIES && !hunt_is_tried(e) &&
		    e->kind != EV_JOIN) /* which a read tells before it */
			hunt_add_doubt(h, "the outcome of a call that tries was not varied");
	}
	if (symbols_meta(index->symbols, META_BROKEN_OFF, 0))
		hunt_add_doubt(h, "the end of a wait without a signal was not varied");
	doubt_barriers(h, index);
	if (symbols_meta(index->symbols, META_HOST, 0))
		hunt_add_doubt(h, "the program itself has no hooks");
	if (symbols_meta(index->symbols, META_STOPPED_BY, 0))
		hunt_add_doubt(h, "a recording is not complete");
}

/* Has it done what its task says? */
static bool follows(const struct hunt *h, const struct hunt_run *r, const struct hunt_task *task)
{
	const struct hunt_run *p = h->runs.at[task->run];
	uint32_t *all = hunt_choices_made(p, &task->witness);
	bool good = true;

	for (uint32_t t = 0; good && t < p->index->thread_count; t++) {
		uint32_t made = all[t], same = hunt_departs(p, t, r);

		if (p->index->events[task->event].thread == t && task->kind != HUNT_GOES_ON) {
			/* made, with another outcome */
			made -= p->choices.at[h->questions.at[task->question].choice].behind;
			good = same == made;
		}
		good &= same >= made;
	}
	mem_free(all);
	return good;
}

static void ask_again(struct hunt *h, uint32_t question)
{
	h->questions.at[question].state = HUNT_WAITING;
	h->next = question < h->next ? question : h->next;
	h->next_unseen = question < h->next_unseen ? question : h->next_unseen;
}

/* The run of a task is there, or will not be. */
static void expect_no_more(struct hunt *h, const struct hunt_task *task)
{
	if (!hunt_expect_no_more(h, task->question))
		return;
	for (size_t i = 0; i < h->withheld.n; i++)
		ask_again(h, h->withheld.at[i]);
	h->withheld.n = 0;
}

static uint32_t same_object(const struct hunt_run *to, const struct hunt_run *from,
			    enum object_class class, uint32_t object)
{
	const struct interned *name = symbols_text(from->index->symbols, class, object);
	uint32_t number = intern_find(&to->index->symbols->names[class], name->text, name->length);

	return number == INTERN_NONE ? 0 : number + 1;
}

void hunt_wait_for(struct hunt_run *r, struct hunt_thread *thread, const struct hunt_run *other,
		   struct hunt_awaited awaited)
{
	struct hunt_awaited *mine = &thread->awaited;

	if (awaited.lock)
		mine->lock = same_object(r, other, CLASS_LOCK, awaited.lock - 1);
	if (awaited.semaphore)
		mine->semaphore = same_object(r, other, CLASS_SEMAPHORE, awaited.semaphore - 1);
	if (awaited.join)
		mine->join = 1 + hunt_thread_by_id(r, other->threads[awaited.join - 1].id);
}

/*
 * The thread did not go on, but now it is known what it waits for: then that is asked for, too.
 * False: nothing was learned.
 */
static bool learn_wait(struct hunt *h, const struct hunt_run *r, const struct hunt_task *task)
{
	struct hunt_run *p = h->runs.at[task->run];
	struct hunt_thread *mine = &p->threads[task->thread];
	uint32_t t = hunt_thread_by_id(r, mine->id);

	if (task->kind != HUNT_GOES_ON || t == UINT32_MAX || hunt_is_known(&mine->awaited) ||
	    r->threads[t].solid != mine->solid)
		return false;
	hunt_wait_for(p, mine, r, r->threads[t].awaited);
	return hunt_is_known(&mine->awaited);
}

int hunt_add(struct hunt *h, struct reader *trace, struct reader *again,
	     const struct hunt_task *task, enum hunt_result *result, uint32_t *number,
	     struct err *err)
{
	struct hunt_run *r = mem_alloc_zero(1, sizeof(*r));

	*number = UINT32_MAX;
	if (task)
		expect_no_more(h, task);
	r->again = again;
	r->parent = task ? task->run : UINT32_MAX;
	r->index = index_new(trace, err);
	if (!r->index) {
		free_run(r);
		return err->code;
	}
	hunt_find_choices(h, r);
	find_ends(h, r);
	find_waits(h, r);
	hunt_place_run(h, r);
	enum hunt_result shows = hunt_judge(h, r);

	*result = task && !follows(h, r, task) ? HUNT_DIVERGED : shows;
	if (task && *result == HUNT_KNOWN && learn_wait(h, r, task))
		ask_again(h, task->question);
	else if (task && *result == HUNT_KNOWN && task->kind == HUNT_GOES_ON)
		h->questions.at[task->question].state = HUNT_POSTPONED;
	else if (task && *result == HUNT_KNOWN)
		hunt_open(h, task, "a run came to nothing new");
	if (*result == HUNT_DIVERGED)
		hunt_open(h, task, "a run left the way that it was led");
	if (shows == HUNT_KNOWN) {
		free_run(r);
		return 0;
	}
	*number = (uint32_t)h->runs.n;
	find_doubts(h, r);
	vec_push(&h->runs, r);
	hunt_count_run(h, r, *number);
	add_questions(h, r, *number);
	if (task && *result != HUNT_DIVERGED)
		ask_again(h, task->question);
	return 0;
}

/* Questions */

const struct hunt_choice *hunt_choice_at(const struct hunt *h, uint32_t node,
					 const struct hunt_run **run)
{
	const struct hunt_run *r = *run = h->runs.at[h->nodes.at[node].runs.at[0]];

	for (size_t i = 0; i < r->choices.n; i++)
		if (r->choices.at[i].node == node)
			return &r->choices.at[i];
	BUG("no choice at its node");
}

static enum hunt_kind kind_of(const struct hunt *h, const struct hunt_question *q)
{
	return q->choice == UINT32_MAX ? HUNT_GOES_ON
				       : h->runs.at[q->run]->choices.at[q->choice].kind;
}

/* Threads that did not go on: perhaps another run has told meanwhile for what they wait. */
static bool take_postponed(struct hunt *h)
{
	bool any = false;

	for (uint32_t i = 0; i < h->questions.n; i++) {
		struct hunt_question *q = &h->questions.at[i];
		struct hunt_run *r = h->runs.at[q->run];

		if (q->state != HUNT_POSTPONED)
			continue;
		bool knew = hunt_is_known(&r->threads[q->thread].awaited);

		if (!knew && hunt_learn_next(h, r, q->thread)) {
			ask_again(h, i);
			any = true;
		} else {
			q->state = HUNT_GIVEN_UP;
			hunt_add_doubt(h, "a thread did not go on, and it is not known why");
		}
	}
	return any;
}

/* Asks it. 1: the task is a run to make. */
static int ask_one(struct hunt *h, uint32_t question, struct hunt_task *task, struct err *err)
{
	struct hunt_question *q = &h->questions.at[question];
	enum answer answer = hunt_ask(h, q, &task->witness, err);

	if (err->code)
		return err->code;
	q->state = answer == PROVED    ? HUNT_BUSY
		   : h->left_out       ? HUNT_GIVEN_UP
		   : h->restricted     ? HUNT_WITHHELD
		   : answer == REFUTED ? HUNT_REFUTED
				       : HUNT_UNDECIDED;
	if (q->state == HUNT_WITHHELD)
		vec_push(&h->withheld, question);
	if (answer != PROVED)
		return 0;
	h->proved++;
	hunt_expect(h, question, &task->witness);
	task->run = q->run;
	task->kind = kind_of(h, q);
	task->event = hunt_question_event(h, q);
	task->question = question;
	task->wake_count = h->wake_count;
	memcpy(task->wakes, h->wakes, sizeof(task->wakes));
	task->thread = q->thread;
	task->name = symbols_name(h->runs.at[q->run]->index->symbols, CLASS_THREAD, q->thread);
	return 1;
}

/* It would show an outcome that was never seen at that place, and no run that is under way does. */
static bool is_unseen(const struct hunt *h, const struct hunt_question *q)
{
	if (q->choice == UINT32_MAX)
		return false;
	const struct hunt_choice *c = &h->runs.at[q->run]->choices.at[q->choice];

	for (size_t i = 0; i < h->pending.n; i++) {
		const struct hunt_question *p = &h->questions.at[h->pending.at[i].question];

		if (p->choice != UINT32_MAX &&
		    h->runs.at[p->run]->choices.at[p->choice].place == c->place)
			return false;
	}
	return !hunt_has_seen_other(h, c);
}

static bool is_stopped(const struct hunt *h)
{
	return h->options.budget.stop && *h->options.budget.stop;
}

#define WITHHELD_MOST 4

/* Whether one more is asked while runs are under way. Whether a thread goes on is asked alone. */
static bool is_full(const struct hunt *h)
{
	return h->withheld.n >= WITHHELD_MOST ||
	       (h->pending.n && h->questions.at[h->pending.at[0].question].choice == UINT32_MAX);
}

static bool may_ask(const struct hunt *h)
{
	return !is_stopped(h) && !is_full(h);
}

/* What was never seen comes first. */
static int ask_next(struct hunt *h, struct hunt_task *task, struct err *err)
{
	int got = 0;

	memset(task, 0, sizeof(*task));
	for (; !got && may_ask(h) && h->next_unseen < h->questions.n; h->next_unseen++) {
		const struct hunt_question *q = &h->questions.at[h->next_unseen];

		if (q->state == HUNT_WAITING && is_unseen(h, q))
			got = ask_one(h, (uint32_t)h->next_unseen, task, err);
	}
	for (; !got && may_ask(h) && h->next < h->questions.n; h->next++) {
		const struct hunt_question *q = &h->questions.at[h->next];

		if (q->state != HUNT_WAITING)
			continue;
		if (q->choice == UINT32_MAX && h->pending.n)
			break;
		got = ask_one(h, (uint32_t)h->next, task, err);
	}
	return got;
}

int hunt_next(struct hunt *h, struct hunt_task *task, struct err *err)
{
	int got;

	do
		got = ask_next(h, task, err);
	while (!got && !h->pending.n && !is_stopped(h) && take_postponed(h));
	return got;
}

void hunt_task_release(struct hunt_task *task)
{
	witness_release(&task->witness);
}

void hunt_open(struct hunt *h, const struct hunt_task *task, const char *reason)
{
	expect_no_more(h, task);
	h->questions.at[task->question].state = HUNT_GIVEN_UP;
	hunt_add_doubt(h, reason);
}

void hunt_put_back(struct hunt *h, const struct hunt_task *task)
{
	expect_no_more(h, task);
	ask_again(h, task->question);
}

void hunt_count(const struct hunt *h, struct hunt_counts *counts)
{
	*counts = (struct hunt_counts){.runs = h->runs.n,
				       .questions = h->questions.n,
				       .asked = h->asked,
				       .proved = h->proved};
	for (size_t i = 0; i < h->questions.n; i++) {
		enum hunt_state state = h->questions.at[i].state;

		counts->refuted += state == HUNT_REFUTED;
		counts->undecided += state == HUNT_UNDECIDED;
		counts->given_up += state == HUNT_GIVEN_UP;
		counts->waiting += state == HUNT_WAITING || state == HUNT_POSTPONED ||
				   state == HUNT_WITHHELD || state == HUNT_BUSY;
	}
}

bool hunt_doubt(const struct hunt *h, size_t i, struct hunt_doubt *doubt)
{
	if (i >= h->doubts.n)
		return false;
	*doubt = h->doubts.at[i];
	return true;
}
