#include "witness/certify.h"

#include "witness/evaluate.h"
#include "witness/facts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/*
 * The run is taken step by step by the rules of doc/model.md: can_happen says whether
 * an event can, take does it, judge looks at the end.
 */

/* A read that returned something else than recorded. */
struct change {
	const struct fact *read;
	bool known;
	int64_t value; /* what it returned, as a whole, if known */
};

struct thread_state {
	uint64_t done;
	bool forked, ended;
	bool changed;		 /* some read has */
	bool stopped;		 /* model mcm: it has, and nothing more is known */
	const struct fact *wait; /* that it is in, or NULL */
	bool missed;		 /* … and what woke it in the trace happened before that */
};

struct variable_state {
	uint64_t accesses, last_writer;
	int64_t value;
	uint32_t externals;
	bool allocated; /* or the trace has no alloc of it */
	bool freed, known;
};

struct lock_state {
	uint32_t writer;       /* thread + 1 */
	VEC(uint32_t) readers; /* threads, each as often as it holds the lock */
};

struct barrier_state {
	uint64_t round;	       /* the one that is half entered */
	VEC(uint32_t) entered; /* by these threads */
};

struct once_state {
	uint32_t begun; /* thread + 1 */
	bool done;
};

struct certifier {
	struct facts facts;
	const struct symbols *symbols;
	const struct witness *witness;
	struct err *err;
	VEC(struct change) changes;
	uint32_t *change_of;	      /* one for each fact: 1 + its change, 0: none */
	struct thread_state *threads; /* one for each thread; and so on */
	struct variable_state *variables;
	struct lock_state *locks;
	struct barrier_state *barriers;
	struct once_state *onces;
	uint64_t *semaphores;
};

static int reject(struct certifier *c, const char *format, ...)
{
	va_list args;

	c->err->code = ERR_INPUT;
	va_start(args, format);
	vsnprintf(c->err->message, sizeof(c->err->message), format, args);
	va_end(args);
	return 0;
}

static bool has_happened(const struct certifier *c, const struct fact *f)
{
	return f->position <= c->threads[f->event.thread].done;
}

/* NULL: it returned what was recorded, or it is no read that has happened. */
static const struct change *change_of(const struct certifier *c, const struct fact *f)
{
	uint32_t change = c->change_of[f - c->facts.all.at];

	return change ? &c->changes.at[change - 1] : NULL;
}

static const struct fact_thread *thread_of(const struct certifier *c, const struct fact *f)
{
	return &c->facts.threads.at[f->event.thread];
}

static struct thread_state *state_of(const struct certifier *c, const struct fact *f)
{
	return &c->threads[f->event.thread];
}

/* What an event depends on */

/* That earlier read of the thread of f, or NULL if it is none. */
static const struct fact *read_of(const struct certifier *c, const struct fact *f, uint64_t number)
{
	const struct fact *read = facts_find(&c->facts, number);

	if (!read || read->event.thread != f->event.thread || !event_is(&read->event, EV_RETURNS) ||
	    !has_happened(c, read))
		return NULL;
	return read;
}

/* Has any of these reads changed? What is no read of the thread counts as changed. */
static bool any_changed(struct certifier *c, const struct fact *f, const uint64_t *reads,
			uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct fact *read = read_of(c, f, reads[i]);

		if (!read || change_of(c, read))
			return true;
	}
	return false;
}

static bool depends_on_change(struct certifier *c, const struct fact *f)
{
	const struct event_more *more = f->event.more;

	if (more && more->expr) {
		for (uint32_t i = 0; i < more->expr->count; i++)
			if (more->expr->nodes[i].op == OP_READ &&
			    any_changed(c, f, &more->expr->nodes[i].value, 1))
				return true;
		return false;
	}
	if (more && more->reads_given)
		return any_changed(c, f, more->reads, more->read_count);
	return state_of(c, f)->changed;
}

static bool is_composed(const struct fact *f)
{
	for (uint32_t i = 0; i < event_part_count(&f->event); i++)
		if (fact_place(f, i)->shift < 0)
			return false;
	return true;
}

/* What a read returns as a whole: as recorded, or now. False: unknown. */
static bool whole_value(const struct certifier *c, const struct fact *f, bool now, int64_t *value)
{
	uint32_t n = is_composed(f) ? event_part_count(&f->event) : 1;
	uint64_t whole = 0;
	bool known = true;

	for (uint32_t i = 0; i < n; i++) {
		struct part part = event_part(&f->event, i);
		const struct variable_state *v = &c->variables[part.variable];

		known &= !now || v->known;
		whole |= (uint64_t)(now ? v->value : part.value) << fact_place(f, i)->shift;
	}
	*value = (int64_t)whole;
	return known;
}

struct lookup {
	struct certifier *c;
	const struct fact *f;
};

static bool look_up(void *context, uint64_t number, int64_t *value)
{
	struct lookup *l = context;
	const struct fact *read = read_of(l->c, l->f, number);
	const struct change *change = read ? change_of(l->c, read) : NULL;

	if (!read)
		return false;
	if (!change)
		return whole_value(l->c, read, false, value);
	*value = change->value;
	return change->known;
}

/* Model values: what the expression of an event gives; false if it has none or is unknown. */
static bool evaluate(struct certifier *c, const struct fact *f, int64_t *value)
{
	const struct event_more *more = f->event.more;

	return c->witness->model == MODEL_VALUES && more && more->expr &&
	       evaluate_expr(more->expr, look_up, &(struct lookup){c, f}, value);
}

/* Can it happen? 1, or 0 with the reason in err. */

static const char *name_of(const struct certifier *c, enum object_class class, uint32_t object)
{
	return symbols_name(c->symbols, class, object);
}

#define VARIABLE(c, object) name_of(c, CLASS_VARIABLE, object)
#define CANNOT(c, f, format, ...)                                                               \
	reject(c, "event %llu (%s %s) cannot happen: " format, (unsigned long long)(f)->number, \
	       name_of(c, CLASS_THREAD, (f)->event.thread), event_kind_text[(f)->event.kind],   \
	       __VA_ARGS__)

static int access_can_happen(struct certifier *c, const struct fact *f)
{
	const struct event *e = &f->event;

	for (uint32_t i = 0; i < event_part_count(e); i++) {
		uint32_t x = event_part(e, i).variable;
		const struct variable_state *v = &c->variables[x];

		if (v->freed)
			return CANNOT(c, f, "%s was freed", VARIABLE(c, x));
		if (e->kind == EV_ALLOC && v->accesses)
			return CANNOT(c, f, "%s was accessed before", VARIABLE(c, x));
		if (e->kind != EV_ALLOC && !v->allocated)
			return CANNOT(c, f, "%s is not allocated yet", VARIABLE(c, x));
		if (v->externals != fact_place(f, i)->externals)
			return CANNOT(c, f, "it would move across an external write of %s",
				      VARIABLE(c, x));
		if (e->kind == EV_EXTERNAL && v->accesses != fact_place(f, i)->accesses)
			return CANNOT(c, f, "it would move across an access to %s", VARIABLE(c, x));
	}
	return 1;
}

/* A place among the readers of the lock that is this thread's, or NULL. */
static uint32_t *hold_of(struct lock_state *l, uint32_t thread)
{
	for (size_t i = 0; i < l->readers.n; i++)
		if (l->readers.at[i] == thread)
			return &l->readers.at[i];
	return NULL;
}

static bool other_holds(const struct lock_state *l, uint32_t thread)
{
	for (size_t i = 0; i < l->readers.n; i++)
		if (l->readers.at[i] != thread)
			return true;
	return l->writer && l->writer != thread + 1;
}

/* Which lock the event takes, and whether shared; false if it takes none. */
static bool takes_lock(const struct event *e, uint32_t *lock, bool *shared)
{
	*shared = e->kind == EV_ACQUIRE_SHARED;
	*lock = e->kind == EV_WOKEN ? e->more->lock : e->object;
	return *shared || e->kind == EV_ACQUIRE || e->kind == EV_WOKEN;
}

static bool waker_happened(struct certifier *c, uint64_t by)
{
	const struct fact *signal = by ? facts_find(&c->facts, by) : NULL;

	return !by || (signal && has_happened(c, signal));
}

static int lock_can_happen(struct certifier *c, const struct fact *f)
{
	const struct event *e = &f->event;
	uint32_t lock;
	bool shared;

	if (takes_lock(e, &lock, &shared)) {
		struct lock_state *l = &c->locks[lock];

		if (e->kind == EV_WOKEN && !waker_happened(c, e->more->by))
			return CANNOT(c, f, "event %llu has not happened",
				      (unsigned long long)e->more->by);
		if (e->kind == EV_WOKEN && state_of(c, f)->missed)
			return CANNOT(c, f, "event %llu came before the wait",
				      (unsigned long long)e->more->by);
		if (l->writer || (!shared && l->readers.n))
			return CANNOT(c, f, "%s is held", name_of(c, CLASS_LOCK, lock));
		return 1;
	}
	lock = e->kind == EV_WAIT ? e->more->lock : e->object;
	struct lock_state *l = &c->locks[lock];

	if (e->kind == EV_TRY_FAIL && !other_holds(l, e->thread))
		return CANNOT(c, f, "no other thread holds %s", name_of(c, CLASS_LOCK, lock));
	if (e->kind == EV_RELEASE_SHARED ? !hold_of(l, e->thread)
					 : e->kind != EV_TRY_FAIL && l->writer != e->thread + 1)
		return CANNOT(c, f, "the thread does not hold %s", name_of(c, CLASS_LOCK, lock));
	return 1;
}

/* On the way to threads that are stuck a signal may come before the wait that it ended. */
static int signal_can_happen(struct certifier *c, const struct fact *f)
{
	bool early = c->witness->bug == BUG_STUCK, wakes = false;

	for (const struct woken_thread *woken = f->wakes; woken; woken = woken->next) {
		bool sleeping = c->threads[woken->thread].done + 1 == woken->position;

		if (!sleeping && !early)
			return CANNOT(c, f, "%s, which it woke, does not wait",
				      name_of(c, CLASS_THREAD, woken->thread));
		wakes |= sleeping;
	}
	if (f->event.kind == EV_SIGNAL && wakes)
		return 1; /* whom it wakes is open, and the recorded one is a possible choice */
	for (size_t t = 0; t < c->facts.threads.n; t++) {
		const struct fact *w = c->threads[t].wait;

		if (w && w->event.object == f->event.object && w->waker && w->waker != f->number &&
		    (c->threads[t].missed || !waker_happened(c, w->waker)))
			return CANNOT(c, f, "it would wake %s",
				      name_of(c, CLASS_THREAD, (uint32_t)t));
	}
	return 1;
}

static int other_can_happen(struct certifier *c, const struct fact *f)
{
	const struct event *e = &f->event;
	const char *name = event_kind_class[e->kind] == CLASS_NONE
				   ? ""
				   : name_of(c, event_kind_class[e->kind], e->object);
	int64_t guard;

	switch ((enum event_kind)e->kind) {
	case EV_JOIN: {
		const struct fact_thread *child = &c->facts.threads.at[e->object];

		if ((child->fork && !c->threads[e->object].forked) ||
		    c->threads[e->object].done != child->events)
			return CANNOT(c, f, "%s has not ended", name);
		return 1;
	}
	case EV_BRANCH:
		if (depends_on_change(c, f) && !(evaluate(c, f, &guard) && guard))
			return CANNOT(c, f, "%s", "its guard may not hold");
		return 1;
	case EV_BARRIER_ENTER:
		if (c->barriers[e->object].entered.n && c->barriers[e->object].round != f->round)
			return CANNOT(c, f, "another round of %s is half entered", name);
		return 1;
	case EV_BARRIER_EXIT: {
		const struct barrier_state *b = &c->barriers[e->object];

		for (size_t i = 0; i < b->entered.n; i++)
			if (b->entered.at[i] == e->thread)
				return CANNOT(c, f, "not all parties have entered %s", name);
		return 1;
	}
	case EV_SEM_WAIT: return c->semaphores[e->object] ? 1 : CANNOT(c, f, "%s is 0", name);
	case EV_SEM_FAIL: return c->semaphores[e->object] ? CANNOT(c, f, "%s is not 0", name) : 1;
	case EV_ONCE_BEGIN:
		return c->onces[e->object].begun ? CANNOT(c, f, "%s has begun", name) : 1;
	case EV_ONCE_END:
		if (c->onces[e->object].begun != e->thread + 1 || c->onces[e->object].done)
			return CANNOT(c, f, "the thread is not in %s", name);
		return 1;
	case EV_ONCE_PASS:
		return c->onces[e->object].done ? 1 : CANNOT(c, f, "%s is not done", name);
	default: return 1; /* fork, begin, end, sem-post, mark: always */
	}
}

static int can_happen(struct certifier *c, const struct fact *f)
{
	const struct event *e = &f->event;
	const struct thread_state *t = state_of(c, f);
	uint64_t fork = thread_of(c, f)->fork;

	if (f->position != t->done + 1)
		return CANNOT(c, f, "it is event %llu of its thread, of which %llu have happened",
			      (unsigned long long)f->position, (unsigned long long)t->done);
	if (fork && !t->forked)
		return CANNOT(c, f, "its thread is not forked yet (by event %llu)",
			      (unsigned long long)fork);
	if (t->stopped)
		return CANNOT(c, f, "%s", "a read of its thread has changed");
	if (e->more && e->more->at_count && any_changed(c, f, e->more->at, e->more->at_count))
		return CANNOT(c, f, "%s", "its address depends on a read that has changed");
	if (event_is(e, EV_ACCESS))
		return access_can_happen(c, f);
	if (e->kind >= EV_ACQUIRE && e->kind <= EV_WOKEN)
		return lock_can_happen(c, f);
	if (e->kind == EV_SIGNAL || e->kind == EV_BROADCAST)
		return signal_can_happen(c, f);
	return other_can_happen(c, f);
}

/* What it does */

static void return_value(struct certifier *c, const struct fact *f)
{
	struct thread_state *t = state_of(c, f);
	struct change change = {.read = f};
	bool changed = false;

	for (uint32_t i = 0; i < event_part_count(&f->event); i++) {
		struct part part = event_part(&f->event, i);
		const struct variable_state *v = &c->variables[part.variable];

		changed |= !v->known || v->value != part.value ||
			   (c->witness->model == MODEL_PREDICTABLE &&
			    v->last_writer != fact_place(f, i)->writer);
	}
	if (!changed)
		return;
	change.known = whole_value(c, f, true, &change.value);
	vec_push(&c->changes, change);
	c->change_of[f - c->facts.all.at] = (uint32_t)c->changes.n;
	t->changed = true;
	t->stopped |= c->witness->model == MODEL_MCM;
}

static void store_value(struct certifier *c, const struct fact *f)
{
	const struct event *e = &f->event;
	bool changed = event_is(e, EV_DEPENDS) && depends_on_change(c, f);
	int64_t whole = 0;
	bool known = !changed || (is_composed(f) && evaluate(c, f, &whole));

	for (uint32_t i = 0; i < event_part_count(e); i++) {
		struct part part = event_part(e, i);
		struct variable_state *v = &c->variables[part.variable];
		const struct variable *memory = &c->symbols->variables.at[part.variable];

		v->known = known;
		v->last_writer = f->number;
		v->value = e->kind == EV_RMW ? part.written : part.value;
		if (changed && known) {
			v->value = (int64_t)((uint64_t)whole >> fact_place(f, i)->shift);
			/* it takes its own bytes alone */
			if (memory->flags & VARIABLE_MEMORY && memory->size < 8)
				v->value &= ((int64_t)1 << (8 * memory->size)) - 1;
		}
	}
}

static void take_access(struct certifier *c, const struct fact *f)
{
	const struct event *e = &f->event;

	if (event_is(e, EV_RETURNS))
		return_value(c, f);
	if (event_is(e, EV_STORES) && e->kind != EV_FREE)
		store_value(c, f);
	for (uint32_t i = 0; i < event_part_count(e); i++) {
		struct variable_state *v = &c->variables[event_part(e, i).variable];

		v->accesses++;
		v->externals += e->kind == EV_EXTERNAL;
		v->allocated |= e->kind == EV_ALLOC;
		v->freed |= e->kind == EV_FREE;
	}
}

static void take(struct certifier *c, const struct fact *f)
{
	const struct event *e = &f->event;
	struct thread_state *t = state_of(c, f);

	t->done++;
	t->wait = NULL;
	if (event_is(e, EV_ACCESS)) {
		take_access(c, f);
		return;
	}
	switch ((enum event_kind)e->kind) {
	case EV_FORK: c->threads[e->object].forked = true; break;
	case EV_END: t->ended = true; break;
	case EV_ACQUIRE: c->locks[e->object].writer = e->thread + 1; break;
	case EV_RELEASE: c->locks[e->object].writer = 0; break;
	case EV_ACQUIRE_SHARED: vec_push(&c->locks[e->object].readers, e->thread); break;
	case EV_RELEASE_SHARED: {
		struct lock_state *l = &c->locks[e->object];

		*hold_of(l, e->thread) = l->readers.at[l->readers.n - 1];
		l->readers.n--;
		break;
	}
	case EV_WAIT:
		c->locks[e->more->lock].writer = 0;
		t->wait = f;
		t->missed = f->waker && waker_happened(c, f->waker);
		break;
	case EV_WOKEN: c->locks[e->more->lock].writer = e->thread + 1; break;
	case EV_BARRIER_ENTER: {
		struct barrier_state *b = &c->barriers[e->object];

		b->round = f->round;
		vec_push(&b->entered, e->thread);
		if (b->entered.n == c->symbols->barriers.at[e->object].parties)
			b->entered.n = 0;
		break;
	}
	case EV_SEM_POST: c->semaphores[e->object]++; break;
	case EV_SEM_WAIT: c->semaphores[e->object]--; break;
	case EV_ONCE_BEGIN: c->onces[e->object].begun = e->thread + 1; break;
	case EV_ONCE_END: c->onces[e->object].done = true; break;
	default: break; /* no effect */
	}
}

static int run(struct certifier *c, const uint64_t *numbers, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct fact *f = facts_find(&c->facts, numbers[i]);

		if (!f)
			return reject(c, "there is no event %llu in the trace",
				      (unsigned long long)numbers[i]);
		if (has_happened(c, f))
			return reject(c, "event %llu happens twice", (unsigned long long)f->number);
		if (!can_happen(c, f))
			return 0;
		take(c, f);
		if (c->witness->model == MODEL_SAID && change_of(c, f))
			return CANNOT(c, f, "%s", "in model said, every read keeps its value");
	}
	return 1;
}

/* The end */

/* The event as the next one of its thread, or NULL with the reason in err. */
static const struct fact *next_of(struct certifier *c, uint64_t number)
{
	const struct fact *f = facts_find(&c->facts, number);

	if (f && f->position == state_of(c, f)->done + 1)
		return f;
	reject(c, "event %llu is not the next one of its thread", (unsigned long long)number);
	return NULL;
}

static bool is_atomic(const struct certifier *c, const struct event *e, uint32_t variable)
{
	return e->kind != EV_FREE && (e->kind == EV_RMW || e->order ||
				      c->symbols->variables.at[variable].flags & VARIABLE_VOLATILE);
}

static bool races(const struct certifier *c, const struct event *a, const struct event *b)
{
	if (a->thread == b->thread || !(event_is(a, EV_STORES) || event_is(b, EV_STORES)) ||
	    a->kind == EV_EXTERNAL || b->kind == EV_EXTERNAL || a->kind == EV_ALLOC ||
	    b->kind == EV_ALLOC)
		return false;
	for (uint32_t i = 0; i < event_part_count(a); i++)
		for (uint32_t k = 0; k < event_part_count(b); k++) {
			uint32_t x = event_part(a, i).variable;

			if (x == event_part(b, k).variable &&
			    !(is_atomic(c, a, x) && is_atomic(c, b, x)))
				return true;
		}
	return false;
}

static int judge_race(struct certifier *c)
{
	const uint64_t *pair = c->witness->bug_events.at;
	const struct fact *a = next_of(c, pair[0]);
	const struct fact *b = a ? next_of(c, pair[1]) : NULL;

	if (!b || !can_happen(c, a) || !can_happen(c, b))
		return 0;
	if (!races(c, &a->event, &b->event))
		return reject(c, "events %llu and %llu do not conflict",
			      (unsigned long long)pair[0], (unsigned long long)pair[1]);
	return 1;
}

/* Does the thread of `f` stand at a lock that `holder` has? */
static bool waits_for(struct certifier *c, const struct fact *f, uint32_t holder)
{
	const struct event *e = &f->event;
	const struct thread_state *t = state_of(c, f);
	uint32_t lock;
	bool shared;

	if (!event_blocks(e) || !takes_lock(e, &lock, &shared) || t->stopped ||
	    (thread_of(c, f)->fork && !t->forked) ||
	    (e->kind == EV_WOKEN && !waker_happened(c, e->more->by)) ||
	    (e->more && any_changed(c, f, e->more->at, e->more->at_count)))
		return false;
	struct lock_state *l = &c->locks[lock];

	return l->writer == holder + 1 || (!shared && hold_of(l, holder));
}

static int judge_deadlock(struct certifier *c)
{
	size_t n = c->witness->bug_events.n;
	const uint64_t *numbers = c->witness->bug_events.at;

	for (size_t i = 0; i < n; i++) {
		const struct fact *f = next_of(c, numbers[i]);
		const struct fact *g = f ? next_of(c, numbers[(i + 1) % n]) : NULL;

		if (!g)
			return 0;
		for (size_t k = 0; k < i; k++)
			if (numbers[k] == numbers[i])
				return reject(c, "event %llu is named twice",
					      (unsigned long long)numbers[i]);
		if (f->event.thread == g->event.thread || !waits_for(c, f, g->event.thread))
			return reject(c,
				      "event %llu does not wait for what the thread of %llu holds",
				      (unsigned long long)f->number, (unsigned long long)g->number);
	}
	return 1;
}

/* Would the real call block here, whatever happens elsewhere? */
static bool blocks(struct certifier *c, const struct fact *f)
{
	if (!event_blocks(&f->event))
		return false;
	switch ((enum event_kind)f->event.kind) {
	case EV_ACQUIRE:
	case EV_ACQUIRE_SHARED:
	case EV_WOKEN:
	case EV_BARRIER_EXIT:
	case EV_SEM_WAIT: break;
	case EV_JOIN:
		if (c->facts.threads.at[f->event.object].fork &&
		    !c->threads[f->event.object].forked)
			return false; /* there is nothing to join yet */
		break;
	case EV_ONCE_PASS:
		if (!c->onces[f->event.object].begun)
			return false; /* it would run the function itself */
		break;
	default: return false;
	}
	if (state_of(c, f)->stopped ||
	    (f->event.more && any_changed(c, f, f->event.more->at, f->event.more->at_count)))
		return false;
	return !can_happen(c, f);
}

/* The next event of each thread, NULL if it has none; the caller frees the list. */
static const struct fact **find_next(const struct certifier *c)
{
	const struct fact **next = mem_alloc_zero(c->facts.threads.n + 1, sizeof(*next));

	for (size_t i = 0; i < c->facts.all.n; i++) {
		const struct fact *f = &c->facts.all.at[i];

		if (f->position == state_of(c, f)->done + 1)
			next[f->event.thread] = f;
	}
	return next;
}

/* Threads that are there and have not ended all wait, and there is one. */
static int all_wait(struct certifier *c, const struct fact *const *next)
{
	bool waits = false;

	for (uint32_t i = 0; i < c->facts.threads.n; i++) {
		const struct fact_thread *t = &c->facts.threads.at[i];

		if (c->threads[i].ended || (t->fork ? !c->threads[i].forked : !t->events))
			continue; /* it has ended or does not exist */
		if (!next[i])
			return reject(c, "what %s does next is not recorded",
				      name_of(c, CLASS_THREAD, i));
		if (!blocks(c, next[i]))
			return reject(c, "%s does not wait at event %llu",
				      name_of(c, CLASS_THREAD, i),
				      (unsigned long long)next[i]->number);
		waits = true;
	}
	return waits ? 1 : reject(c, "every thread has ended");
}

static int judge_stuck(struct certifier *c)
{
	const struct witness *w = c->witness;

	for (size_t i = 0; i < w->bug_events.n; i++) {
		const struct fact *f = next_of(c, w->bug_events.at[i]);

		if (!f)
			return 0;
		if (thread_of(c, f)->fork && !state_of(c, f)->forked)
			return reject(c, "the thread of event %llu does not exist yet",
				      (unsigned long long)f->number);
	}
	const struct fact **next = find_next(c);
	int good = all_wait(c, next);

	mem_free(next);
	return good;
}

static int judge_property(struct certifier *c)
{
	const struct witness *w = c->witness;
	size_t marks = 0;

	for (size_t i = 0; i < w->run.n; i++) {
		if (facts_find(&c->facts, w->run.at[i])->event.kind != EV_MARK)
			continue;
		if (marks == w->bug_events.n || w->bug_events.at[marks] != w->run.at[i])
			return reject(c, "mark %llu of the run is not in the list at its place",
				      (unsigned long long)w->run.at[i]);
		marks++;
	}
	return marks == w->bug_events.n ? 1
					: reject(c, "mark %llu does not happen in the run",
						 (unsigned long long)w->bug_events.at[marks]);
}

static int judge(struct certifier *c)
{
	switch (c->witness->bug) {
	case BUG_RACE: return judge_race(c);
	case BUG_DEADLOCK: return judge_deadlock(c);
	case BUG_STUCK: return judge_stuck(c);
	case BUG_PROPERTY: return judge_property(c);
	case BUG_COUNT: break;
	}
	BUG("not a bug");
}

/*
 * Model said: the run goes on until everything has happened; if a race stands at its end, by
 * the two accesses (that both are next is not enough when every read keeps its value).
 */
static int complete(struct certifier *c)
{
	const uint64_t *rest = c->witness->rest.at, *pair = c->witness->bug_events.at;

	if (c->witness->model != MODEL_SAID)
		return c->witness->rest.n ? reject(c, "only model said has a rest") : 1;
	if (c->witness->bug == BUG_RACE &&
	    (c->witness->rest.n < 2 || !((rest[0] == pair[0] && rest[1] == pair[1]) ||
					 (rest[0] == pair[1] && rest[1] == pair[0]))))
		return reject(c, "in model said the rest starts with the two accesses of the race");
	if (!run(c, c->witness->rest.at, c->witness->rest.n))
		return 0;
	for (size_t t = 0; t < c->facts.threads.n; t++)
		if (c->threads[t].done != c->facts.threads.at[t].events)
			return reject(c, "in model said every event happens, but %s has some left",
				      name_of(c, CLASS_THREAD, (uint32_t)t));
	return 1;
}

/* Before the first event, whatever was judged before. */
static void start(struct certifier *c)
{
	const struct symbols *symbols = c->symbols;

	for (size_t i = 0; i < c->changes.n; i++)
		c->change_of[c->changes.at[i].read - c->facts.all.at] = 0;
	c->changes.n = 0;
	memset(c->threads, 0, c->facts.threads.n * sizeof(*c->threads));
	memset(c->onces, 0, symbols_count(symbols, CLASS_ONCE) * sizeof(*c->onces));
	for (size_t i = 0; i < symbols->variables.n; i++)
		c->variables[i] =
			(struct variable_state){.value = symbols->variables.at[i].init,
						.known = true,
						.allocated = !c->facts.variables.at[i].has_alloc};
	for (size_t i = 0; i < symbols_count(symbols, CLASS_LOCK); i++) {
		c->locks[i].writer = 0;
		c->locks[i].readers.n = 0;
	}
	for (size_t i = 0; i < symbols->barriers.n; i++)
		c->barriers[i].entered.n = 0;
	for (size_t i = 0; i < symbols->semaphores.n; i++)
		c->semaphores[i] = symbols->semaphores.at[i].count;
}

static struct certifier *new_certifier(struct reader *trace, const struct witness *only,
				       struct err *err)
{
	struct certifier *c = mem_alloc_zero(1, sizeof(*c));
	const struct symbols *symbols = c->symbols = reader_symbols(trace);

	if (facts_read(&c->facts, trace, only, err) < 0) {
		certifier_free(c);
		return NULL;
	}
#define NEW(array, n) (c->array = mem_alloc_zero((n) + 1, sizeof(*c->array)))
	NEW(change_of, c->facts.all.n);
	NEW(threads, c->facts.threads.n);
	NEW(variables, symbols->variables.n);
	NEW(locks, symbols_count(symbols, CLASS_LOCK));
	NEW(barriers, symbols->barriers.n);
	NEW(onces, symbols_count(symbols, CLASS_ONCE));
	NEW(semaphores, symbols->semaphores.n);
#undef NEW
	return c;
}

struct certifier *certifier_new(struct reader *trace, struct err *err)
{
	return new_certifier(trace, NULL, err);
}

void certifier_free(struct certifier *c)
{
	if (!c)
		return;
	for (size_t i = 0; c->locks && i < symbols_count(c->symbols, CLASS_LOCK); i++)
		vec_release(&c->locks[i].readers);
	for (size_t i = 0; c->barriers && i < c->symbols->barriers.n; i++)
		vec_release(&c->barriers[i].entered);
	vec_release(&c->changes);
	mem_free(c->change_of);
	mem_free(c->threads);
	mem_free(c->variables);
	mem_free(c->locks);
	mem_free(c->barriers);
	mem_free(c->onces);
	mem_free(c->semaphores);
	facts_release(&c->facts);
	mem_free(c);
}

int certifier_judge(struct certifier *c, const struct witness *w, struct err *err)
{
	c->witness = w;
	c->err = err;
	start(c);
	return run(c, w->run.at, w->run.n) && judge(c) && complete(c);
}

int certify(struct reader *trace, const struct witness *w, struct err *err)
{
	struct certifier *c = new_certifier(trace, w, err);
	int good = c ? certifier_judge(c, w, err) : err->code;

	certifier_free(c);
	return good;
}
