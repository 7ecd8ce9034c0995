/* SPDX-License-Identifier: MIT */
#include "replay/plan_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *replay_thread_name(uint32_t thread, char *text, size_t room)
{
	if (thread)
		snprintf(text, room, "T%u", thread);
	else
		snprintf(text, room, "main");
	return text;
}

uint32_t replay_thread_number(const char *name)
{
	char *end;

	if (!strcmp(name, "main"))
		return 0;
	if (name[0] != 'T' || name[1] < '1' || name[1] > '9')
		return PLAN_NONE;
	unsigned long number = strtoul(name + 1, &end, 10);

	return *end || number >= PLAN_NONE ? PLAN_NONE : (uint32_t)number;
}

/* Steps of events */

static const uint8_t log_kind_of[EV_COUNT] = {
	[EV_FORK] = LOG_FORK,
	[EV_BEGIN] = LOG_BEGIN,
	[EV_END] = LOG_END,
	[EV_JOIN] = LOG_JOIN,
	[EV_READ] = LOG_READ,
	[EV_WRITE] = LOG_WRITE,
	[EV_RMW] = LOG_RMW,
	[EV_ACQUIRE] = LOG_ACQUIRE,
	[EV_RELEASE] = LOG_RELEASE,
	[EV_ACQUIRE_SHARED] = LOG_ACQUIRE_SHARED,
	[EV_RELEASE_SHARED] = LOG_RELEASE_SHARED,
	[EV_TRY_FAIL] = LOG_TRY_FAIL, /* or LOG_TRY_FAIL_SHARED */
	[EV_WAIT] = LOG_WAIT,
	[EV_WOKEN] = LOG_WOKEN,
	[EV_SIGNAL] = LOG_SIGNAL,
	[EV_BROADCAST] = LOG_BROADCAST,
	[EV_BARRIER_ENTER] = LOG_BARRIER_ENTER,
	[EV_BARRIER_EXIT] = LOG_BARRIER_EXIT,
	[EV_SEM_POST] = LOG_SEM_POST,
	[EV_SEM_WAIT] = LOG_SEM_WAIT,
	[EV_SEM_FAIL] = LOG_SEM_FAIL,
	[EV_ONCE_BEGIN] = LOG_ONCE_BEGIN,
	[EV_ONCE_END] = LOG_ONCE_END,
	[EV_ONCE_PASS] = LOG_ONCE_PASS,
	[EV_ALLOC] = LOG_ALLOC,
	[EV_FREE] = LOG_FREE,
	[EV_BRANCH] = LOG_BRANCH,
	[EV_MARK] = LOG_MARK,
	[EV_EXTERNAL] = LOG_UNSEEN,
};

/* The life of a local is told by hooks of its own; its base is stack:FUNCTION:NAME. */
static uint8_t kind_of(const struct maker *m, const struct event *e)
{
	const struct symbols *symbols = m->plan->symbols;

	if (e->kind != EV_ALLOC && e->kind != EV_FREE)
		return log_kind_of[e->kind];
	const struct variable *v = symbols_variable(symbols, event_part(e, 0).variable);

	if (!(v->flags & VARIABLE_MEMORY) ||
	    strncmp(intern_text(&symbols->bases, v->base), "stack:", 6) != 0)
		return log_kind_of[e->kind];
	return e->kind == EV_ALLOC ? LOG_STACK : LOG_STACK_END;
}

static uint64_t place_of(const struct maker *m, const struct event *e)
{
	if (e->kind != EV_READ && e->kind != EV_WRITE && e->kind != EV_RMW && e->kind != EV_BRANCH)
		return 0;
	struct location l = location_split(intern_text(&m->plan->symbols->locations, e->location));

	return (uint64_t)l.line << 32 | l.column;
}

/* Stands for a step that was dropped: it says nothing, and is nowhere. */
static bool is_filler(const struct event *e)
{
	return e->kind == EV_BRANCH && !e->location && e->more && e->more->reads_given &&
	       !e->more->read_count && !e->more->expr;
}

/* The order of code without hooks, which no record stands for (record/keep/kept.h). */
static bool is_kept_order(const struct maker *m, const struct event *e)
{
	return e->kind >= EV_ONCE_BEGIN && e->kind <= EV_ONCE_PASS &&
	       symbols_is_order(m->plan->symbols, e->object);
}

/*
 * No step of its own, but a record that was made within the step before: the runtime waits there
 * too, if it comes. What the recorder inserts is of these kinds only if the program left it out.
 */
static bool is_loose(const struct event *e)
{
	/* of an external without a place nobody knows who made it */
	return e->kind != EV_BRANCH && e->kind != EV_MARK &&
	       (e->kind != EV_EXTERNAL || e->location);
}

static struct made_step step_of(struct maker *m, struct made_thread *t, const struct event *e,
				uint64_t number)
{
	struct made_step s = {.event = number, .location = e->location};

	if (e->skip != EVENT_NO_RECORD) {
		t->step += (uint64_t)e->skip + 1;
		s.is_step = !is_filler(e);
	} else {
		s.is_step = is_loose(e) && !is_kept_order(m, e);
	}
	s.step = (struct plan_step){.step = t->step,
				    .thread = t->number,
				    .next = PLAN_NONE,
				    .kind = kind_of(m, e),
				    .loose = e->skip == EVENT_NO_RECORD,
				    .place = place_of(m, e)};
	if (e->kind == EV_FORK)
		s.step.other = replay_thread_number(
			symbols_name(m->plan->symbols, CLASS_THREAD, e->object));
	if (e->kind == EV_WOKEN && e->more)
		s.waker = e->more->by;
	if (event_is(e, EV_ACCESS)) {
		const struct variable *v =
			symbols_variable(m->plan->symbols, event_part(e, 0).variable);

		s.address = v->address;
		s.base = v->base;
	}
	return s;
}

/* The trace, once */

static int compare_wanted(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;

	return x->event < y->event ? -1 : x->event > y->event;
}

static int want_run(struct maker *m, struct err *err)
{
	const struct witness *w = m->witness;

	if (witness_length(w) >= PLAN_NONE - 1)
		return err_set(err, ERR_LIMIT, "the witness is too long for a replay");
	vec_extend(&m->run, witness_length(w));
	vec_reserve(&m->wanted, witness_length(w) + 1);
	for (size_t i = 0; i < witness_length(w); i++)
		vec_push(&m->wanted, ((struct wanted){witness_event(w, i), (uint32_t)i}));
	qsort(m->wanted.at, m->wanted.n, sizeof(*m->wanted.at), compare_wanted);
	for (size_t i = 1; i < m->wanted.n; i++)
		if (m->wanted.at[i].event == m->wanted.at[i - 1].event)
			return err_set(err, ERR_INPUT, "the witness has event %llu twice",
				       (unsigned long long)m->wanted.at[i].event);
	return 0;
}

static struct made_thread *thread_at(struct maker *m, uint32_t thread, struct err *err)
{
	const char *name = symbols_name(m->plan->symbols, CLASS_THREAD, thread);

	vec_extend(&m->threads, (size_t)thread + 1);
	struct made_thread *t = &m->threads.at[thread];

	t->number = replay_thread_number(name);
	if (t->number != PLAN_NONE)
		return t;
	err_set(err, ERR_INPUT, "%s: thread \"%s\" is none of a recorded program",
		reader_name(m->plan->reader), name);
	return NULL;
}

static void start_forked(struct maker *m, uint32_t thread)
{
	vec_extend(&m->threads, (size_t)thread + 1);
	m->threads.at[thread].forked = true;
}

/*
 * Of a string that is looked at byte by byte (LOG_STEPS), each variable is an event; but a line of
 * it was one record, and is one again.
 */
static bool is_same_record(const struct made_step *a, const struct made_step *b)
{
	return a->step.loose && b->step.loose && a->step.kind == LOG_READ &&
	       b->step.kind == LOG_READ && a->step.step == b->step.step &&
	       a->location == b->location && a->address && a->address < b->address &&
	       a->address / LOG_LINE == b->address / LOG_LINE;
}

static int take_run_event(struct maker *m, uint32_t thread, struct made_step step, uint32_t at,
			  const struct event *e, struct err *err)
{
	struct made_thread *t = &m->threads.at[thread];

	if (t->stands || at < t->at)
		return err_set(err, ERR_INPUT,
			       "the witness does not keep the order of thread %s: event %llu",
			       symbols_name(m->plan->symbols, CLASS_THREAD, thread),
			       (unsigned long long)(t->stands ? t->next_event : step.event));
	if (step.is_step && is_same_record(&t->last, &step))
		step.is_step = false;
	else if (step.is_step)
		t->last = step;
	t->at = at + 1;
	t->ended |= e->kind == EV_END;
	m->run.at[at] = step;
	t->waits = e->kind == EV_WAIT ? at + 1 : 0;
	if (e->kind == EV_FORK)
		start_forked(m, e->object);
	return 0;
}

static bool is_of_bug(const struct maker *m, uint64_t event)
{
	for (size_t i = 0; i < m->witness->bug_events.n; i++)
		if (m->witness->bug_events.at[i] == event)
			return true;
	return false;
}

/*
 * The first event behind the scope of a branch, of which the run has nothing: has the thread come
 * to it? It has if the run goes on with it, or the bug stands there.
 */
static bool was_skipped(const struct maker *m, const struct made_thread *t, uint64_t number,
			bool wanted)
{
	if (!m->witness || !t->at_branch || t->events != t->scope_end + 1)
		return false;
	return wanted || is_of_bug(m, number) ||
	       (bug_facts[m->witness->bug].everyone && !is_of_bug(m, t->next_event) &&
		!t->next_blocks);
}

/* What was skipped is no step: those of the program are fewer from here on. */
static void skip_scope(struct made_thread *t)
{
	t->stands = t->at_branch = false;
	t->step = t->scope_step;
}

static void note_scope(struct made_thread *t, const struct event *e)
{
	t->scope_end = event_scope(e) ? t->events + event_scope(e) : 0;
	t->scope_step = t->step;
}

static int take_event(struct maker *m, const struct event *e, uint64_t number, size_t *next,
		      struct err *err)
{
	struct made_thread *t = thread_at(m, e->thread, err);

	if (!t)
		return err->code;
	bool wanted = *next < m->wanted.n && m->wanted.at[*next].event == number;

	if (t->waits && e->kind == EV_WOKEN) {
		m->run.at[t->waits - 1].ends = true;
		m->run.at[t->waits - 1].waker = e->more->by;
	}
	t->waits = 0;
	t->events++;
	if (was_skipped(m, t, number, wanted))
		skip_scope(t);
	struct made_step step = step_of(m, t, e, number);

	if (!m->witness && number <= m->last) {
		vec_extend(&m->run, number);
		return take_run_event(m, e->thread, step, (uint32_t)number - 1, e, err);
	}
	if (wanted) {
		note_scope(t, e);
		return take_run_event(m, e->thread, step, m->wanted.at[(*next)++].at, e, err);
	}
	if (!t->stands) {
		t->stands = true;
		t->at_branch = t->scope_end;
		t->next_blocks = event_blocks(e);
		t->next = step;
		t->next_event = number;
	}
	return 0;
}

static int read_trace(struct maker *m, struct err *err)
{
	struct reader *r = m->plan->reader;
	struct batch batch;
	size_t next = 0;
	int got;

	while ((got = reader_next(r, &batch, err)) > 0)
		for (size_t i = 0; i < batch.n; i++)
			if (take_event(m, &batch.at[i], batch.first + i, &next, err) < 0)
				return err->code;
	if (got < 0)
		return got;
	if (next < m->wanted.n)
		return err_set(err, ERR_INPUT, "the witness names event %llu, which is not in %s",
			       (unsigned long long)m->wanted.at[next].event, reader_name(r));
	return 0;
}

/* The plan */

void plan_add_step(struct maker *m, const struct made_step *s)
{
	struct replay_plan *p = m->plan;

	vec_push(&p->steps, s->step);
	vec_push(&p->events, s->event);
	vec_push(&p->locations, s->location);
}

uint32_t plan_find_wanted(const struct maker *m, uint64_t event)
{
	if (!m->witness)
		return event <= m->run.n ? (uint32_t)event - 1 : PLAN_NONE;
	struct wanted key = {.event = event};
	const struct wanted *found =
		m->wanted.n ? bsearch(&key, m->wanted.at, m->wanted.n, sizeof(key), compare_wanted)
			    : NULL;

	return found ? found->at : PLAN_NONE;
}

/*
 * What a host does itself is not planned: how often it takes its locks depends on time. It goes on
 * as it will, while its threads take turns at the steps of code with hooks. Nor are wake-ups by it.
 */
static bool is_hosts(const struct maker *m, uint32_t at)
{
	const struct plan_step *s = &m->run.at[at].step;
	uint64_t waker = m->run.at[at].waker;
	uint32_t by = waker ? plan_find_wanted(m, waker) : PLAN_NONE;

	if (!symbols_meta(m->plan->symbols, META_HOST, 0))
		return false;
	return (s->loose && s->kind != LOG_FORK && !plan_is_access(&m->run.at[at])) ||
	       (by != PLAN_NONE && m->run.at[by].step.loose);
}

static int put_run(struct maker *m, struct err *err)
{
	vec_extend(&m->index_of, m->run.n);
	for (size_t i = 0; i < m->run.n; i++) {
		if (!m->run.at[i].is_step || is_hosts(m, (uint32_t)i))
			continue;
		plan_add_step(m, &m->run.at[i]);
		m->index_of.at[i] = (uint32_t)m->plan->steps.n;
	}
	for (size_t i = 0; i < m->run.n; i++) {
		uint64_t waker = m->run.at[i].waker;
		uint32_t at = waker ? plan_find_wanted(m, waker) : PLAN_NONE;

		if (m->run.at[i].ends && m->index_of.at[i] &&
		    (at == PLAN_NONE || !m->index_of.at[at])) {
			m->plan->steps.at[m->index_of.at[i] - 1].other = PLAN_NONE;
			continue;
		}
		if (!waker || !m->index_of.at[i])
			continue;
		if (at == PLAN_NONE || !m->index_of.at[at]) {
			err_set(err, 0,
				"event %llu, which wakes a thread, is not a step of the program",
				(unsigned long long)waker);
			return 1;
		}
		m->plan->steps.at[m->index_of.at[i] - 1].other = m->index_of.at[at];
	}
	return 0;
}

static void link_threads(struct replay_plan *p, size_t threads)
{
	VEC(uint32_t) last = {0};

	for (size_t i = 0; i < p->steps.n; i++)
		threads = p->steps.at[i].thread >= threads ? (size_t)p->steps.at[i].thread + 1
							   : threads;
	vec_extend(&last, threads);
	for (size_t i = 0; i < threads; i++)
		vec_push(&p->threads,
			 ((struct plan_thread){.first = PLAN_NONE, .handler = PLAN_NONE}));
	for (size_t i = 0; i < p->steps.n; i++) {
		uint32_t t = p->steps.at[i].thread;

		if (last.at[t])
			p->steps.at[last.at[t] - 1].next = (uint32_t)i;
		else
			p->threads.at[t].first = (uint32_t)i;
		last.at[t] = (uint32_t)i + 1;
	}
	vec_release(&last);
}

static int make(struct maker *m, struct err *err)
{
	int code = m->witness ? want_run(m, err) : 0;

	if (!code)
		code = read_trace(m, err);
	bool stops = m->witness && m->witness->bug_events.n;

	if (!code && stops)
		code = plan_settle_stops(m, err);
	if (!code)
		code = put_run(m, err);
	if (code)
		return code;
	if (stops)
		plan_put_stops(m);
	link_threads(m->plan, symbols_count(m->plan->symbols, CLASS_THREAD));
	replay_plan_add_handlers(m->plan);
	return 0;
}

static int make_and_release(struct maker *m, struct err *err)
{
	reader_skip_values(m->plan->reader);
	int code = make(m, err);

	vec_release(&m->wanted);
	vec_release(&m->run);
	vec_release(&m->threads);
	vec_release(&m->index_of);
	return code;
}

static bool begun_late(const struct replay_plan *p, struct err *err)
{
	if (!symbols_meta(p->symbols, META_BEGUN, 0))
		return false;
	err_set(err, 0,
		"the recording began while the program ran, and how it came there is not known");
	return true;
}

int replay_plan_make(struct replay_plan *p, struct reader *r, const struct witness *w,
		     struct err *err)
{
	struct maker m = {.witness = w, .plan = p};

	*p = (struct replay_plan){.bug = w->bug, .reader = r, .symbols = reader_symbols(r)};
	return begun_late(p, err) ? 1 : make_and_release(&m, err);
}

int replay_plan_recorded(struct replay_plan *p, struct reader *r, uint64_t last, struct err *err)
{
	struct maker m = {.last = last < PLAN_NONE - 1 ? last : PLAN_NONE - 2, .plan = p};

	*p = (struct replay_plan){.bug = BUG_COUNT, .reader = r, .symbols = reader_symbols(r)};
	return begun_late(p, err) ? 1 : make_and_release(&m, err);
}

void replay_plan_release(struct replay_plan *p)
{
	vec_release(&p->steps);
	vec_release(&p->events);
	vec_release(&p->locations);
	vec_release(&p->threads);
	vec_release(&p->handlers);
	if (p->reader)
		reader_close(p->reader);
	p->reader = NULL;
}

int replay_plan_write(const struct replay_plan *p, const char *path, struct plan head,
		      struct err *err)
{
	struct output *out = output_open(path, OUTPUT_IN_PLACE, err);

	if (!out)
		return err->code;
	head.magic = PLAN_MAGIC;
	head.version = PLAN_VERSION;
	head.threads = (uint32_t)p->threads.n;
	head.steps = (uint32_t)p->steps.n;
	head.stops = p->stops;
	head.handlers = (uint32_t)p->handlers.n;
	output_bytes(out, &head, sizeof(head));
	output_bytes(out, p->threads.at, p->threads.n * sizeof(*p->threads.at));
	output_bytes(out, p->steps.at, p->steps.n * sizeof(*p->steps.at));
	output_bytes(out, p->handlers.at, p->handlers.n * sizeof(*p->handlers.at));
	return output_close(out, err);
}

const char *replay_plan_location(const struct replay_plan *p, uint32_t step)
{
	return intern_text(&p->symbols->locations, p->locations.at[step]);
}
