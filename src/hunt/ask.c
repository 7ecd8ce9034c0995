/* SPDX-License-Identifier: MIT */
/*
 * One question to the engine (doc/hunt.md, Questions): an execution of the questions' trace in
 * which the thread comes to the choice, its outcome is not the recorded one, and no run covers
 * that. And back: the execution as one of the run's own trace, for the certifier.
 */
#include "hunt/parts.h"
#include "model/sections.h"

/*
 * The first event of the thread that the other run does not have: a choice that went another way;
 * or what comes behind the end of that run, where the thread had not ended. 0: it has them all.
 */
static uint32_t departure(const struct hunt_run *r, uint32_t thread, const struct hunt_run *other)
{
	const struct hunt_thread *mine = &r->threads[thread];
	uint32_t same = hunt_departs(r, thread, other), t = hunt_thread_by_id(other, mine->id);
	uint32_t come = t == UINT32_MAX ? 0 : other->threads[t].solid;
	bool cut = t == UINT32_MAX || (!other->threads[t].ended && same == other->threads[t].count);

	if (cut && come < mine->solid)
		return r->probes->to[r->solid[thread][come]];
	return same < mine->count ? r->probes->choices[mine->first + same].passed : 0;
}

/* Some thread has done what the other run does not have: what that covers ends before. */
static void put_departures(struct hunt *h, const struct hunt_run *r, uint32_t thread,
			   const struct hunt_run *other)
{
	for (uint32_t t = 0; t < r->index->thread_count; t++) {
		uint32_t event = t == thread ? 0 : departure(r, t, other);

		if (event)
			vec_push(&h->clauses, (int32_t)event);
	}
	vec_push(&h->clauses, 0);
}

/* What runs that had this outcome cover. */
static void put_outcome(struct hunt *h, const struct hunt_question *q, uint32_t node)
{
	const struct hunt_run *r = h->runs.at[q->run];
	const struct hunt_node *n = &h->nodes.at[node];
	const struct hunt_other *other = hunt_find_other(r->probes, q->choice, n->outcome);

	for (size_t i = 0; other && other->known && i < n->runs.n; i++) {
		if (other->differs)
			vec_push(&h->clauses, (int32_t)other->differs);
		put_departures(h, r, q->thread, h->runs.at[n->runs.at[i]]);
	}
}

/*
 * What was refuted of an older run that came to the choice in the same way is refuted here as
 * well, for executions without a choice at which this run departs from that one.
 */
static void put_inherited(struct hunt *h, const struct hunt_question *q)
{
	const struct hunt_run *r = h->runs.at[q->run];
	uint32_t index = q->choice - r->threads[q->thread].first;

	for (uint32_t p = r->parent; p != UINT32_MAX; p = h->runs.at[p]->parent) {
		const struct hunt_run *parent = h->runs.at[p];
		uint32_t t = hunt_thread_by_id(parent, r->threads[q->thread].id);

		if (hunt_departs(r, q->thread, parent) <= index)
			continue;
		const struct hunt_question *same =
			&h->questions.at[parent->first_question + parent->threads[t].first + index];

		if (same->state == HUNT_REFUTED)
			put_departures(h, r, q->thread, parent);
	}
}

static bool is_child_of_choice(const struct hunt *h, const struct hunt_choice *c, uint32_t node)
{
	return node != c->node && h->nodes.at[node].place == c->place && h->nodes.at[node].runs.n;
}

/* Each other outcome that is known has its probe. */
static bool has_probes(const struct hunt *h, const struct hunt_run *r, uint32_t choice)
{
	const struct hunt_choice *c = &r->choices.at[choice];
	const struct hunt_node *parent = &h->nodes.at[h->nodes.at[c->node].parent];

	for (size_t i = 0; i < parent->children.n; i++)
		if (is_child_of_choice(h, c, parent->children.at[i]) &&
		    !hunt_find_other(r->probes, choice,
				     h->nodes.at[parent->children.at[i]].outcome))
			return false;
	return true;
}

static void prepare(struct hunt *h, struct hunt_run *r, uint32_t choice)
{
	if (r->probes && choice != UINT32_MAX && !has_probes(h, r, choice)) {
		hunt_probes_free(r->probes);
		r->probes = NULL;
	}
	if (!r->probes)
		r->probes = hunt_probes_new(h, r);
	h->clauses.n = 0;
}

static uint32_t last_of(const struct index *index, uint32_t thread)
{
	const struct index_thread *t = &index->threads[thread];

	return t->count ? t->events[t->count - 1] : t->fork;
}

static enum answer ask_engine(struct hunt *h, struct hunt_run *r, const uint32_t *events,
			      uint32_t count, struct witness *w)
{
	struct engine *e = r->probes->engine;
	const struct index *index = r->probes->index;
	struct query q = {.bug = BUG_PROPERTY, .count = count, .events = events};

	for (size_t i = 0; i < h->clauses.n; i++)
		if (!h->clauses.at[i] && (!i || !h->clauses.at[i - 1]))
			return REFUTED; /* a run covers all */
	/* when a thread that nobody forked ends, the process may, and no choice is made any more */
	for (uint32_t t = 0; t < index->thread_count; t++)
		if (!index->threads[t].fork && r->threads[t].ended &&
		    !index->uses[CLASS_THREAD][t].count) {
			vec_push(&h->clauses, -(int32_t)last_of(index, t));
			vec_push(&h->clauses, 0);
		}
	for (size_t i = 0; i < r->waits.n; i++)
		if (!r->waits.at[i].woken && r->waits.at[i].end) { /* it has not gone on */
			vec_push(&h->clauses, -(int32_t)r->waits.at[i].end);
			vec_push(&h->clauses, 0);
		}
	e->options.clauses = h->clauses.at;
	e->options.clause_words = h->clauses.n;
	h->asked++;
	return engine_ask(e, &q, w);
}

/* Each section of the lock by another thread has not begun, or has ended. */
static void put_lock_free(struct hunt *h, const struct hunt_run *r, uint32_t thread, uint32_t lock)
{
	const struct sections *all = sections_of(r->probes->index);

	for (uint32_t i = all->first[lock]; i < all->first[lock + 1]; i++) {
		const struct section *s = &all->all.at[all->of_lock[i]];

		if (s->thread == thread)
			continue;
		vec_push(&h->clauses, -(int32_t)s->acquire);
		if (s->release)
			vec_push(&h->clauses, (int32_t)s->release);
		vec_push(&h->clauses, 0);
	}
}

/* The call takes the lock if all others have left it. */
static enum answer ask_taken(struct hunt *h, const struct hunt_question *q,
			     const struct hunt_probe *probe, uint32_t lock, struct witness *w)
{
	struct hunt_run *r = h->runs.at[q->run];

	put_lock_free(h, r, q->thread, lock);
	return ask_engine(h, r, (const uint32_t[]){0, probe->come, probe->passed, 0}, 4, w);
}

/* It cannot if some other thread is in a section of the lock, whichever. */
static enum answer ask_not_taken(struct hunt *h, const struct hunt_question *q,
				 const struct hunt_probe *probe, const struct event *e,
				 struct witness *w)
{
	struct hunt_run *r = h->runs.at[q->run];
	const struct sections *all = sections_of(r->probes->index);
	enum answer answer = REFUTED;

	for (uint32_t i = all->first[e->object]; i < all->first[e->object + 1]; i++) {
		const struct section *s = &all->all.at[all->of_lock[i]];
		const uint32_t events[] = {0, probe->come, probe->passed, 0,
					   0, s->acquire,  s->release,	  0};
		size_t words = h->clauses.n;

		if (s->thread == q->thread || (s->shared && e->kind == EV_ACQUIRE_SHARED))
			continue;
		enum answer now = ask_engine(h, r, events, s->release ? 8 : 6, w);

		h->clauses.n = words;
		if (now == PROVED)
			return PROVED;
		answer = now == UNDECIDED ? UNDECIDED : answer;
	}
	return answer;
}

/* It takes something, or not, by what others have put there and taken. */
static enum answer ask_semaphore(struct hunt *h, const struct hunt_question *q,
				 const struct hunt_probe *probe, bool empty, struct witness *w)
{
	struct hunt_run *r = h->runs.at[q->run];
	const struct index *index = r->probes->index;
	uint32_t call = r->probes->to[r->choices.at[q->choice].event];

	if (!hunt_put_semaphore(h, index, index->events[call].object, q->thread,
				index->position[call], empty))
		return UNDECIDED;
	return ask_engine(h, r, (const uint32_t[]){0, probe->come, probe->passed, 0}, 4, w);
}

/* The last time that this thread waited there, the time limit was over, too. */
static bool has_timed_out_there(const struct hunt_run *r, const struct hunt_question *q)
{
	const struct hunt_choice *c = &r->choices.at[q->choice];

	for (uint32_t i = q->choice; i-- > r->threads[q->thread].first;)
		if (r->choices.at[i].place == c->place)
			return r->choices.at[i].outcome != c->outcome;
	return false;
}

/* Its signal has not come. */
static enum answer ask_times_out(struct hunt *h, const struct hunt_question *q,
				 const struct hunt_probe *probe, uint32_t by, struct witness *w)
{
	struct hunt_run *r = h->runs.at[q->run];

	if (has_timed_out_there(r, q)) { /* it might do so for ever */
		h->left_out = true;
		hunt_add_doubt(h, "a time limit that is over once more was not varied");
		return UNDECIDED;
	}
	return ask_engine(h, r, (const uint32_t[]){0, probe->come, probe->passed, 0, by, 0}, 6, w);
}

static enum answer ask_try(struct hunt *h, const struct hunt_question *q,
			   const struct hunt_probe *probe, struct witness *w)
{
	const struct hunt_run *r = h->runs.at[q->run];
	const struct event *e = &r->index->events[r->choices.at[q->choice].event];

	if (e->kind == EV_WOKEN && e->more && e->more->by)
		return ask_times_out(h, q, probe, r->probes->to[e->more->by], w);
	if (e->kind == EV_WOKEN)
		return REFUTED; /* to wake it is a choice of who signals */
	if (e->kind == EV_SEM_WAIT || e->kind == EV_SEM_FAIL)
		return ask_semaphore(h, q, probe, e->kind == EV_SEM_WAIT, w);
	return e->kind == EV_TRY_FAIL ? ask_taken(h, q, probe, e->object, w)
				      : ask_not_taken(h, q, probe, e, w);
}

/* Who came later comes first, if nobody has begun. For the first one to come later is what another
 * thread's question asks for. */
static enum answer ask_once(struct hunt *h, const struct hunt_question *q,
			    const struct hunt_probe *probe, struct witness *w)
{
	struct hunt_run *r = h->runs.at[q->run];
	const struct index *index = r->probes->index;
	const struct event *e = &r->index->events[r->choices.at[q->choice].event];
	const struct index_list *list = &index->uses[CLASS_ONCE][e->object];
	uint32_t i = 0;

	if (e->kind == EV_ONCE_BEGIN)
		return REFUTED;
	while (i < list->count && index->events[list->events[i]].kind != EV_ONCE_BEGIN)
		i++;
	if (i == list->count)
		return UNDECIDED;
	return ask_engine(h, r,
			  (const uint32_t[]){0, probe->come, probe->passed, 0, list->events[i], 0},
			  6, w);
}

/* No read that it depends on can return anything else in this run. */
static bool is_settled(const struct hunt_run *r, const struct hunt_choice *c)
{
	const struct index *index = r->index;

	for (uint32_t i = 0; i < c->pin_count; i++)
		if (!hunt_is_constant(index, &index->events[c->pins[i].read]))
			return false;
	return c->pin_count || (c->behind && hunt_is_constant(index, &index->events[c->event]));
}

/* What no run covers of those in which the signal wakes these. */
static enum answer ask_way(struct hunt *h, const struct hunt_question *q,
			   const struct hunt_ways *ways, struct witness *w)
{
	struct hunt_run *r = h->runs.at[q->run];
	const struct hunt_choice *c = &r->choices.at[q->choice];
	const struct hunt_probe *probe = &r->probes->choices[q->choice];
	const struct hunt_node *parent = &h->nodes.at[h->nodes.at[c->node].parent];

	h->clauses.n = 0;
	for (size_t i = 0; i < parent->children.n; i++)
		if (is_child_of_choice(h, c, parent->children.at[i]) &&
		    h->nodes.at[parent->children.at[i]].outcome == hunt_ways_outcome(ways))
			put_outcome(h, q, parent->children.at[i]);
	put_inherited(h, q);
	if (!hunt_put_pending(h, q))
		return UNDECIDED;
	hunt_ways_put(h, ways);
	return ask_engine(h, r, (const uint32_t[]){0, probe->come, probe->passed, 0}, 4, w);
}

static enum answer ask_wakes(struct hunt *h, const struct hunt_question *q, struct witness *w)
{
	struct hunt_run *r = h->runs.at[q->run];
	enum answer answer = REFUTED;
	struct hunt_ways ways;

	if (!hunt_ways_begin(&ways, r, r->choices.at[q->choice].event)) {
		h->left_out = true;
		hunt_add_doubt(h, "whom a signal wakes was not varied: too many wait");
		answer = UNDECIDED;
	}
	while (!h->left_out && answer != PROVED && hunt_ways_next(&ways)) {
		enum answer now = ask_way(h, q, &ways, w);

		answer = now == REFUTED ? answer : now;
		if (now == PROVED)
			hunt_ways_tell(h, &ways);
	}
	hunt_ways_release(&ways);
	return answer;
}

static enum answer ask_choice(struct hunt *h, const struct hunt_question *q, struct witness *w)
{
	struct hunt_run *r = h->runs.at[q->run];
	const struct hunt_choice *c = &r->choices.at[q->choice];

	if (is_settled(r, c))
		return REFUTED;
	prepare(h, r, q->choice);
	if (c->kind == HUNT_WAKES)
		return ask_wakes(h, q, w);
	const struct hunt_probe *probe = &r->probes->choices[q->choice];
	const struct hunt_node *parent = &h->nodes.at[h->nodes.at[c->node].parent];

	for (size_t i = 0; i < parent->children.n; i++)
		if (is_child_of_choice(h, c, parent->children.at[i]))
			put_outcome(h, q, parent->children.at[i]);
	put_inherited(h, q);
	if (!hunt_put_pending(h, q))
		return UNDECIDED;
	if (c->kind == HUNT_TRY)
		return ask_try(h, q, probe, w);
	if (c->kind == HUNT_ONCE)
		return ask_once(h, q, probe, w);
	return ask_engine(h, r, (const uint32_t[]){0, probe->come, probe->as_recorded, 0}, 4, w);
}

/* Back to the run's trace */

/* Taken along, a read of another thread that changed would be a second choice. It changes nothing
 * for others: they can do without. */
static void drop_changed(const struct hunt_run *r, uint32_t choice, struct witness *w)
{
	const struct hunt_probes *p = r->probes;
	size_t kept = 0;

	run_reset(p->run);
	for (size_t i = 0; i < w->run.n; i++)
		ASSERT(run_step(p->run, (uint32_t)w->run.at[i], NULL));
	for (size_t i = 0; i < w->run.n; i++) {
		uint32_t event = p->of[w->run.at[i]];

		if (event && (event == choice || !r->behind[event] ||
			      !run_changed(p->run, (uint32_t)w->run.at[i])))
			w->run.at[kept++] = event;
	}
	w->run.n = kept;
}

static int certify_choice(struct hunt_run *r, uint32_t event, struct witness *w, struct err *err)
{
	drop_changed(r, event, w);
	w->bug = BUG_CHOICE;
	w->bug_events.n = 0;
	vec_push(&w->bug_events, event);
	if (!r->certifier)
		r->certifier = certifier_new(r->again, err);
	if (!r->certifier)
		return err->code;
	if (certifier_judge(r->certifier, w, err))
		return err->code = 0; /* what cannot happen here may be what was asked for */
	struct err why = *err;

	return err_set(err, ERR_INTERNAL, "a witness of a choice was rejected: %.400s",
		       why.message);
}

/* A thread that goes on */

/* Runs in which the thread made these choices, and went on. */
static void put_gone_on(struct hunt *h, const struct hunt_run *r, uint32_t thread)
{
	const struct hunt_thread *t = &r->threads[thread];
	uint32_t node = t->count ? r->choices.at[t->first + t->count - 1].node : t->root;
	const struct hunt_node *n = &h->nodes.at[node];

	for (size_t i = 0; i < n->runs.n; i++) {
		const struct hunt_run *other = h->runs.at[n->runs.at[i]];
		uint32_t theirs = hunt_thread_by_id(other, t->id);

		if (other->threads[theirs].ended || other->threads[theirs].count > t->count ||
		    other->threads[theirs].solid > t->solid)
			put_departures(h, r, thread, other);
	}
}

/* What the thread does next, as the other run has it; 0: that is not known. */
static uint32_t next_in(const struct hunt_run *r, uint32_t thread, const struct hunt_run *other,
			uint32_t theirs)
{
	const uint32_t *mine = r->solid[thread], *all = other->solid[theirs];
	uint32_t n = r->threads[thread].solid;

	if (other->threads[theirs].solid <= n ||
	    (n && r->index->events[mine[n - 1]].kind != other->index->events[all[n - 1]].kind))
		return 0;
	return all[n];
}

static struct hunt_awaited awaited_at(const struct event *e)
{
	switch (e->kind) {
	case EV_ACQUIRE:
	case EV_ACQUIRE_SHARED: return (struct hunt_awaited){.lock = e->object + 1};
	case EV_JOIN: return (struct hunt_awaited){.join = e->object + 1};
	case EV_SEM_WAIT: return (struct hunt_awaited){.semaphore = e->object + 1};
	default: return (struct hunt_awaited){0};
	}
}

/* Whether the thread would wait there is known if a run has gone on. */
bool hunt_learn_next(struct hunt *h, struct hunt_run *r, uint32_t thread)
{
	struct hunt_thread *t = &r->threads[thread];
	uint32_t node = t->count ? r->choices.at[t->first + t->count - 1].node : t->root;
	const struct hunt_node *n = &h->nodes.at[node];

	for (size_t i = 0; !hunt_is_known(&t->awaited) && i < n->runs.n; i++) {
		const struct hunt_run *other = h->runs.at[n->runs.at[i]];
		uint32_t next = next_in(r, thread, other, hunt_thread_by_id(other, t->id));
		const struct event *e = next ? &other->index->events[next] : NULL;

		if (e && event_blocks(e))
			hunt_wait_for(r, t, other, awaited_at(e));
	}
	return hunt_is_known(&t->awaited);
}

/* Its last wait, if that is over. */
static const struct hunt_wait *woken_last(const struct hunt_run *r, uint32_t thread)
{
	for (size_t i = 0; i < r->waits.n; i++)
		if (r->waits.at[i].thread == thread && !r->waits.at[i].woken && r->waits.at[i].end)
			return &r->waits.at[i];
	return NULL;
}

static enum answer ask_goes_on(struct hunt *h, const struct hunt_question *q, struct witness *w)
{
	struct hunt_run *r = h->runs.at[q->run];

	prepare(h, r, UINT32_MAX);
	hunt_learn_next(h, r, q->thread);
	const struct index *index = r->probes->index;
	VEC(uint32_t) pairs = {0};
	const struct hunt_wait *woken = woken_last(r, q->thread);

	vec_push(&pairs, 0);
	vec_push(&pairs, woken ? r->probes->to[woken->wait] : last_of(index, q->thread));
	if (woken && woken->by) {
		vec_push(&pairs, 0);
		vec_push(&pairs, r->probes->to[woken->by]);
	}
	const struct hunt_awaited *awaited = &r->threads[q->thread].awaited;
	uint32_t joined = awaited->join;

	if (joined && !r->threads[joined - 1].ended) {
		vec_release(&pairs);
		return REFUTED; /* that one goes on first */
	}
	if (joined) {
		vec_push(&pairs, 0);
		vec_push(&pairs, last_of(index, joined - 1));
	}
	if (awaited->lock)
		put_lock_free(h, r, q->thread, awaited->lock - 1);
	bool asked = !awaited->semaphore || hunt_put_semaphore(h, index, awaited->semaphore - 1,
							       q->thread, UINT32_MAX, false);

	put_gone_on(h, r, q->thread);
	enum answer answer = asked ? ask_engine(h, r, pairs.at, (uint32_t)pairs.n, w) : UNDECIDED;

	vec_release(&pairs);
	return answer;
}

uint32_t hunt_question_event(const struct hunt *h, const struct hunt_question *q)
{
	const struct hunt_run *r = h->runs.at[q->run];

	return q->choice == UINT32_MAX ? last_of(r->index, q->thread)
				       : r->choices.at[q->choice].event;
}

enum answer hunt_ask(struct hunt *h, const struct hunt_question *q, struct witness *w,
		     struct err *err)
{
	h->restricted = h->left_out = false;
	h->wake_count = 0;
	enum answer answer = q->choice == UINT32_MAX ? ask_goes_on(h, q, w) : ask_choice(h, q, w);

	err->code = 0;
	if (answer == PROVED &&
	    certify_choice(h->runs.at[q->run], hunt_question_event(h, q), w, err) < 0)
		return UNDECIDED;
	return answer;
}
