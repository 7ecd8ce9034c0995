#include "witness/certify.h"

#include "trace/expr.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/*
 * First the trace is read once: facts (below) keeps a copy of every event that the
 * witness names, of the event at which each thread stands when the run ends, and what of
 * the recorded order each of them needs. Then the run is taken step by step by the rules
 * of doc/model.md, and its end is judged.
 */

/* Of an access, for each variable that it covers. */
struct place {
	uint64_t externals; /* `external` events on the variable recorded before it */
	uint64_t accesses;  /* all accesses to it recorded before */
	uint64_t writer;    /* the last write recorded before, 0: none */
};

struct woken_thread {
	uint32_t thread;
	uint64_t position; /* of its `woken` */
};

struct fact {
	struct event event;
	uint64_t number;
	uint64_t position; /* in its thread, from 1 */
	uint64_t round;    /* barriers */
	uint64_t waker;    /* wait: the by= of its woken; 0: by=- or no woken at all */
	struct place *places;
	VEC(struct woken_thread) wakes; /* signal, broadcast */
	bool in_run;
	/* during the run */
	bool happened;
	bool changed; /* a read that returned something else than recorded */
	bool known;
	int64_t value; /* what it returned, as a whole, if known */
};

struct entered {
	uint32_t barrier;
	uint64_t round;
};

struct thread {
	uint64_t events; /* recorded in all */
	uint64_t fork;   /* the event that forks it, 0: none */
	uint32_t next;   /* fact of its first event that is not in the run; NO_FACT: none */
	uint32_t open_wait; /* while reading the trace: fact of its wait, until the woken */
	VEC(struct entered) rounds;
	/* during the run */
	uint64_t done;
	bool forked, ended, stopped;
	bool changed;      /* some read has */
	uint32_t wait;     /* fact of the wait that it is in, NO_FACT: none */
};

struct variable_state {
	/* while reading the trace */
	uint64_t externals, accesses, writer;
	bool has_alloc;
	/* during the run */
	uint64_t externals_done, accesses_done, last_writer;
	bool allocated, freed, known;
	int64_t value;
};

struct hold {
	uint32_t thread, count;
};

struct lock_state {
	uint32_t writer; /* thread + 1 */
	VEC(struct hold) readers;
};

struct barrier_state {
	uint64_t recorded;   /* enters, while reading the trace */
	uint64_t open_round; /* the one that is half entered, if open_count > 0 */
	uint64_t open_count;
};

struct once_state {
	uint32_t begun; /* thread + 1 */
	bool done;
};

#define NO_FACT UINT32_MAX

struct certifier {
	const struct symbols *symbols;
	const struct witness *witness;
	struct err *err;
	VEC(struct fact) facts;
	uint32_t *by_number; /* hash table: fact + 1, 0: empty */
	size_t by_number_size;
	VEC(struct thread) threads;
	VEC(struct variable_state) variables;
	VEC(struct lock_state) locks;
	VEC(struct barrier_state) barriers;
	VEC(uint64_t) semaphores;
	VEC(struct once_state) onces;
	struct arena memory;
};

/* Facts by event number */

static uint32_t *slot_of(struct certifier *c, uint64_t number)
{
	size_t mask = c->by_number_size - 1;
	size_t slot = (number * 0x9e3779b97f4a7c15u >> 20) & mask;

	while (c->by_number[slot] && c->facts.at[c->by_number[slot] - 1].number != number)
		slot = (slot + 1) & mask;
	return &c->by_number[slot];
}

static struct fact *fact_of(struct certifier *c, uint64_t number)
{
	uint32_t slot = *slot_of(c, number);

	return slot ? &c->facts.at[slot - 1] : NULL;
}

static int reject(struct certifier *c, const char *format, ...)
{
	va_list args;

	c->err->code = ERR_INPUT;
	va_start(args, format);
	vsnprintf(c->err->message, sizeof(c->err->message), format, args);
	va_end(args);
	return 0;
}

static int name_events(struct certifier *c, const uint64_t *numbers, size_t n, bool in_run)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t *slot = slot_of(c, numbers[i]);

		if (*slot)
			return reject(c, "event %llu happens twice",
				      (unsigned long long)numbers[i]);
		struct fact fact = {.number = numbers[i], .in_run = in_run};

		vec_push(&c->facts, fact);
		*slot = (uint32_t)c->facts.n;
	}
	return 1;
}

/* Reading the trace */

static struct thread *thread_at(struct certifier *c, uint32_t t)
{
	while (c->threads.n <= t) {
		struct thread fresh = {.next = NO_FACT, .open_wait = NO_FACT, .wait = NO_FACT};

		vec_push(&c->threads, fresh);
	}
	return &c->threads.at[t];
}

static void copy_event(struct certifier *c, struct event *to, const struct event *e)
{
	*to = *e;
	if (!e->more)
		return;
	struct event_more *more = arena_copy(&c->memory, e->more, sizeof(*more));

	more->parts = arena_copy(&c->memory, more->parts, more->part_count * sizeof(*more->parts));
	more->reads = arena_copy(&c->memory, more->reads, more->read_count * sizeof(uint64_t));
	more->at = arena_copy(&c->memory, more->at, more->at_count * sizeof(uint64_t));
	more->args = NULL;
	if (more->expr)
		more->expr = arena_copy(&c->memory, more->expr,
					sizeof(*more->expr) +
						more->expr->count * sizeof(*more->expr->nodes));
	to->more = more;
}

/* Counts an access on its variables, noting in fact (if any) what came before it. */
static void read_access(struct certifier *c, const struct event *e, uint64_t number,
			struct fact *fact)
{
	uint32_t n = event_part_count(e);

	vec_extend(&c->variables, c->symbols->variables.n);
	if (fact)
		fact->places = arena_alloc(&c->memory, n * sizeof(*fact->places));
	for (uint32_t i = 0; i < n; i++) {
		struct variable_state *v = &c->variables.at[event_part(e, i).variable];

		if (fact)
			fact->places[i] = (struct place){v->externals, v->accesses, v->writer};
		v->accesses++;
		v->externals += e->kind == EV_EXTERNAL;
		v->has_alloc |= e->kind == EV_ALLOC;
		if (event_is(e, EV_STORES))
			v->writer = number;
	}
}

static void read_barrier(struct certifier *c, const struct event *e, struct thread *t,
			 struct fact *fact)
{
	uint64_t parties = c->symbols->barriers.at[e->object].parties;
	size_t i = 0;

	vec_extend(&c->barriers, (size_t)e->object + 1);
	if (e->kind == EV_BARRIER_ENTER) {
		struct entered entered = {
			e->object, parties ? c->barriers.at[e->object].recorded++ / parties : 0};

		vec_push(&t->rounds, entered);
		i = t->rounds.n - 1;
	}
	while (i < t->rounds.n && t->rounds.at[i].barrier != e->object)
		i++;
	if (i == t->rounds.n)
		return; /* an exit without an enter: the trace is not consistent */
	if (fact)
		fact->round = t->rounds.at[i].round;
	if (e->kind == EV_BARRIER_EXIT)
		t->rounds.at[i] = t->rounds.at[--t->rounds.n];
}

static void read_event(struct certifier *c, const struct event *e, uint64_t number)
{
	struct thread *t = thread_at(c, e->thread);
	struct fact *fact = fact_of(c, number);

	t->events++;
	if (t->next == NO_FACT && !(fact && fact->in_run)) {
		if (!fact) {
			struct fact fresh = {.number = number};

			vec_push(&c->facts, fresh);
			fact = &c->facts.at[c->facts.n - 1];
		}
		t->next = (uint32_t)(fact - c->facts.at);
	}
	if (fact) {
		copy_event(c, &fact->event, e);
		fact->position = t->events;
	}
	if (event_is(e, EV_ACCESS))
		read_access(c, e, number, fact);
	if (t->open_wait != NO_FACT) {
		if (e->kind == EV_WOKEN)
			c->facts.at[t->open_wait].waker = e->more->by;
		t->open_wait = NO_FACT;
	}
	if (e->kind == EV_WAIT && fact)
		t->open_wait = (uint32_t)(fact - c->facts.at);
	if (e->kind == EV_WOKEN && e->more->by) {
		struct fact *signal = fact_of(c, e->more->by);
		struct woken_thread woken = {e->thread, t->events};

		if (signal)
			vec_push(&signal->wakes, woken);
	}
	if (e->kind == EV_BARRIER_ENTER || e->kind == EV_BARRIER_EXIT)
		read_barrier(c, e, t, fact);
	if (e->kind == EV_FORK)
		thread_at(c, e->object)->fork = number;
}

static int read_trace(struct certifier *c, struct reader *trace)
{
	struct batch batch;
	int got;

	while ((got = reader_next(trace, &batch, c->err)) > 0)
		for (size_t i = 0; i < batch.n; i++)
			read_event(c, &batch.at[i], batch.first + i);
	if (got < 0)
		return got;
	for (size_t i = 0; i < c->facts.n; i++)
		if (!c->facts.at[i].position)
			return reject(c, "there is no event %llu in the trace",
				      (unsigned long long)c->facts.at[i].number);
	return 1;
}

static void start_run(struct certifier *c)
{
	vec_extend(&c->variables, c->symbols->variables.n);
	for (size_t i = 0; i < c->variables.n; i++) {
		c->variables.at[i].known = true;
		c->variables.at[i].value = c->symbols->variables.at[i].init;
	}
	vec_extend(&c->locks, symbols_count(c->symbols, CLASS_LOCK));
	vec_extend(&c->barriers, symbols_count(c->symbols, CLASS_BARRIER));
	vec_extend(&c->onces, symbols_count(c->symbols, CLASS_ONCE));
	vec_extend(&c->semaphores, c->symbols->semaphores.n);
	for (size_t i = 0; i < c->semaphores.n; i++)
		c->semaphores.at[i] = c->symbols->semaphores.at[i].count;
	thread_at(c, (uint32_t)symbols_count(c->symbols, CLASS_THREAD));
}

/* What an event depends on */

static struct fact *read_of(struct certifier *c, const struct fact *f, uint64_t number)
{
	struct fact *read = fact_of(c, number);

	return read && read->happened && read->event.thread == f->event.thread &&
			       event_is(&read->event, EV_RETURNS)
		       ? read
		       : NULL;
}

/* Has any of these reads changed? What is no read of the thread counts as changed. */
static bool any_changed(struct certifier *c, const struct fact *f, const uint64_t *reads,
			uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct fact *read = read_of(c, f, reads[i]);

		if (!read || read->changed)
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
	return c->threads.at[f->event.thread].changed;
}

/* The value of the expression that starts at *node; false if it has none. */
static bool evaluate(struct certifier *c, const struct fact *f, const struct expr_node **node,
		     int64_t *value)
{
	const struct expr_node *n = (*node)++;
	int64_t a[64] = {0};
	bool known = true;

	if (n->op == OP_CONST) {
		*value = (int64_t)n->value;
		return true;
	}
	if (n->op == OP_READ) {
		struct fact *read = read_of(c, f, n->value);

		*value = read ? read->value : 0;
		return read && read->known;
	}
	ASSERT(n->args <= 64);
	for (uint8_t i = 0; i < n->args; i++)
		known &= evaluate(c, f, node, &a[i]);
	if (!known)
		return false;
	uint64_t x = (uint64_t)a[0], y = (uint64_t)a[1];
	unsigned shift = (unsigned)(y & 63);

	for (uint8_t i = 1; i < n->args; i++) {
		if (n->op == OP_ADD)
			x += (uint64_t)a[i];
		if (n->op == OP_MUL)
			x *= (uint64_t)a[i];
		if (n->op == OP_AND_BITS)
			x &= (uint64_t)a[i];
		if (n->op == OP_OR_BITS)
			x |= (uint64_t)a[i];
		if (n->op == OP_XOR_BITS)
			x ^= (uint64_t)a[i];
	}
	bool all = true, some = false;

	for (uint8_t i = 0; i < n->args; i++) {
		all &= a[i] != 0;
		some |= a[i] != 0;
	}
	if ((n->op == OP_DIV || n->op == OP_REM) && !y)
		return false;
	switch ((enum expr_op)n->op) {
	case OP_SUB: x = n->args == 1 ? 0 - x : x - y; break;
	case OP_DIV: x = a[1] == -1 ? 0 - x : (uint64_t)(a[0] / a[1]); break;
	case OP_REM: x = a[1] == -1 ? 0 : (uint64_t)(a[0] % a[1]); break;
	case OP_NOT_BITS: x = ~x; break;
	case OP_SHL: x = y > 63 ? 0 : x << shift; break;
	case OP_SHR_U: x = y > 63 ? 0 : x >> shift; break;
	case OP_SHR: x = (uint64_t)(a[0] >> (y > 63 ? 63 : shift)); break;
	case OP_LT: x = a[0] < a[1]; break;
	case OP_LE: x = a[0] <= a[1]; break;
	case OP_GT: x = a[0] > a[1]; break;
	case OP_GE: x = a[0] >= a[1]; break;
	case OP_LT_U: x = x < y; break;
	case OP_LE_U: x = x <= y; break;
	case OP_GT_U: x = x > y; break;
	case OP_GE_U: x = x >= y; break;
	case OP_EQ: x = x == y; break;
	case OP_NE: x = x != y; break;
	case OP_AND: x = all; break;
	case OP_OR: x = some; break;
	case OP_NOT: x = !x; break;
	case OP_ITE: x = (uint64_t)(a[0] ? a[1] : a[2]); break;
	case OP_TRUNC8: x &= 0xff; break;
	case OP_TRUNC16: x &= 0xffff; break;
	case OP_TRUNC32: x &= 0xffffffff; break;
	case OP_SEXT8: x = (uint64_t)(int64_t)(int8_t)x; break;
	case OP_SEXT16: x = (uint64_t)(int64_t)(int16_t)x; break;
	case OP_SEXT32: x = (uint64_t)(int64_t)(int32_t)x; break;
	default: break; /* + * & | ^ above */
	}
	*value = (int64_t)x;
	return true;
}

static bool guard_holds(struct certifier *c, const struct fact *f)
{
	const struct event_more *more = f->event.more;
	int64_t value;

	if (!depends_on_change(c, f))
		return true;
	if (c->witness->model != MODEL_VALUES || !more || !more->expr)
		return false;
	const struct expr_node *node = more->expr->nodes;

	return evaluate(c, f, &node, &value) && value != 0;
}

/*
 * Where in the value of the whole access its i-th variable stands, in bits from the right;
 * -1 if it has no place there (doc/model.md, Memory).
 */
static int bit_offset(const struct certifier *c, const struct event *e, uint32_t i)
{
	const struct variable *all = c->symbols->variables.at;
	const struct variable *first = &all[e->object], *v = &all[event_part(e, i).variable];

	if (!i)
		return 0;
	if (!(first->flags & v->flags & VARIABLE_MEMORY) || first->base != v->base ||
	    v->address <= first->address || v->address - first->address >= 8 ||
	    v->size > 8 - (v->address - first->address))
		return -1;
	return (int)(8 * (v->address - first->address));
}

static bool is_composed(const struct certifier *c, const struct event *e)
{
	for (uint32_t i = 1; i < event_part_count(e); i++)
		if (bit_offset(c, e, i) < 0)
			return false;
	return true;
}

/* Can it happen? 1, or 0 with the reason in err. */

static const char *name_of(const struct certifier *c, enum object_class class, uint32_t object)
{
	return symbols_name(c->symbols, class, object);
}

#define CANNOT(c, f, format, ...)                                                                  \
	reject(c, "event %llu (%s %s) cannot happen: " format, (unsigned long long)(f)->number,    \
	       name_of(c, CLASS_THREAD, (f)->event.thread), event_kind_text[(f)->event.kind],      \
	       __VA_ARGS__)

static int access_can_happen(struct certifier *c, const struct fact *f)
{
	const struct event *e = &f->event;

	for (uint32_t i = 0; i < event_part_count(e); i++) {
		uint32_t x = event_part(e, i).variable;
		const struct variable_state *v = &c->variables.at[x];
		const char *name = name_of(c, CLASS_VARIABLE, x);

		if (v->freed)
			return CANNOT(c, f, "%s was freed", name);
		if (e->kind == EV_ALLOC && v->accesses_done)
			return CANNOT(c, f, "%s was accessed before", name);
		if (e->kind != EV_ALLOC && v->has_alloc && !v->allocated)
			return CANNOT(c, f, "%s is not allocated yet", name);
		if (v->externals_done != f->places[i].externals)
			return CANNOT(c, f, "it would move across an external write of %s", name);
		if (e->kind == EV_EXTERNAL && v->accesses_done != f->places[i].accesses)
			return CANNOT(c, f, "it would move across an access to %s", name);
	}
	return 1;
}

static struct hold *hold_of(struct lock_state *l, uint32_t thread)
{
	for (size_t i = 0; i < l->readers.n; i++)
		if (l->readers.at[i].thread == thread)
			return &l->readers.at[i];
	return NULL;
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
	struct fact *signal = by ? fact_of(c, by) : NULL;

	return !by || (signal && signal->happened);
}

static int lock_can_happen(struct certifier *c, const struct fact *f)
{
	const struct event *e = &f->event;
	uint32_t lock;
	bool shared;

	if (takes_lock(e, &lock, &shared)) {
		struct lock_state *l = &c->locks.at[lock];

		if (e->kind == EV_WOKEN && !waker_happened(c, e->more->by))
			return CANNOT(c, f, "event %llu has not happened",
				      (unsigned long long)e->more->by);
		if (l->writer || (!shared && l->readers.n))
			return CANNOT(c, f, "%s is held", name_of(c, CLASS_LOCK, lock));
		return 1;
	}
	lock = e->kind == EV_WAIT ? e->more->lock : e->object;
	struct lock_state *l = &c->locks.at[lock];
	bool mine = l->writer == e->thread + 1;
	bool mine_shared = hold_of(l, e->thread);

	if (e->kind == EV_RELEASE_SHARED ? !mine_shared : e->kind != EV_TRY_FAIL && !mine)
		return CANNOT(c, f, "the thread does not hold %s", name_of(c, CLASS_LOCK, lock));
	if (e->kind == EV_TRY_FAIL && !(l->writer && !mine) && l->readers.n <= mine_shared)
		return CANNOT(c, f, "no other thread holds %s", name_of(c, CLASS_LOCK, lock));
	return 1;
}

static int signal_can_happen(struct certifier *c, const struct fact *f)
{
	for (size_t i = 0; i < f->wakes.n; i++)
		if (c->threads.at[f->wakes.at[i].thread].done + 1 != f->wakes.at[i].position)
			return CANNOT(c, f, "%s, which it woke, does not wait",
				      name_of(c, CLASS_THREAD, f->wakes.at[i].thread));
	if (f->event.kind == EV_SIGNAL && f->wakes.n)
		return 1; /* whom it wakes is open, and the recorded one is a possible choice */
	for (size_t t = 0; t < c->threads.n; t++) {
		uint32_t wait = c->threads.at[t].wait;
		const struct fact *w = wait == NO_FACT ? NULL : &c->facts.at[wait];

		if (w && w->event.object == f->event.object && w->waker &&
		    w->waker != f->number && !waker_happened(c, w->waker))
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

	switch ((enum event_kind)e->kind) {
	case EV_JOIN: {
		const struct thread *child = &c->threads.at[e->object];

		if ((child->fork && !child->forked) || child->done != child->events)
			return CANNOT(c, f, "%s has not ended", name);
		return 1;
	}
	case EV_BRANCH:
		return guard_holds(c, f) ? 1 : CANNOT(c, f, "%s", "its guard may not hold");
	case EV_BARRIER_ENTER: {
		const struct barrier_state *b = &c->barriers.at[e->object];

		if (b->open_count && b->open_round != f->round)
			return CANNOT(c, f, "another round of %s is half entered", name);
		return 1;
	}
	case EV_BARRIER_EXIT: {
		const struct barrier_state *b = &c->barriers.at[e->object];

		if (b->open_count && b->open_round == f->round)
			return CANNOT(c, f, "not all parties have entered %s", name);
		return 1;
	}
	case EV_SEM_WAIT:
		return c->semaphores.at[e->object] ? 1 : CANNOT(c, f, "%s is 0", name);
	case EV_SEM_FAIL:
		return c->semaphores.at[e->object] ? CANNOT(c, f, "%s is not 0", name) : 1;
	case EV_ONCE_BEGIN:
		return c->onces.at[e->object].begun ? CANNOT(c, f, "%s has begun", name) : 1;
	case EV_ONCE_END:
		if (c->onces.at[e->object].begun != e->thread + 1 || c->onces.at[e->object].done)
			return CANNOT(c, f, "the thread is not in %s", name);
		return 1;
	case EV_ONCE_PASS:
		return c->onces.at[e->object].done ? 1 : CANNOT(c, f, "%s is not done", name);
	default: return 1; /* fork, begin, end, sem-post, mark: always */
	}
}

static int can_happen(struct certifier *c, const struct fact *f)
{
	const struct event *e = &f->event;
	const struct thread *t = &c->threads.at[e->thread];

	if (f->position != t->done + 1)
		return CANNOT(c, f, "it is event %llu of its thread, of which %llu have happened",
			      (unsigned long long)f->position, (unsigned long long)t->done);
	if (t->fork && !t->forked)
		return CANNOT(c, f, "its thread is not forked yet (by event %llu)",
			      (unsigned long long)t->fork);
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

static void return_value(struct certifier *c, struct fact *f)
{
	const struct event *e = &f->event;
	bool composed = is_composed(c, e);
	uint64_t whole = 0;

	f->known = true;
	for (uint32_t i = 0; i < event_part_count(e); i++) {
		struct part part = event_part(e, i);
		const struct variable_state *v = &c->variables.at[part.variable];

		if (!v->known || v->value != part.value ||
		    (c->witness->model == MODEL_PREDICTABLE &&
		     v->last_writer != f->places[i].writer))
			f->changed = true;
		if (i && !composed)
			continue;
		f->known &= v->known;
		whole |= (uint64_t)v->value << bit_offset(c, e, i);
	}
	f->value = (int64_t)whole;
	if (f->changed)
		c->threads.at[e->thread].changed = true;
	if (f->changed && c->witness->model == MODEL_MCM)
		c->threads.at[e->thread].stopped = true;
}

static void store_value(struct certifier *c, struct fact *f)
{
	const struct event *e = &f->event;
	bool changed = event_is(e, EV_DEPENDS) && depends_on_change(c, f);
	bool known = !changed;
	int64_t whole = 0;

	if (changed && c->witness->model == MODEL_VALUES && e->more && e->more->expr &&
	    is_composed(c, e)) {
		const struct expr_node *node = e->more->expr->nodes;

		known = evaluate(c, f, &node, &whole);
	}
	for (uint32_t i = 0; i < event_part_count(e); i++) {
		struct part part = event_part(e, i);
		struct variable_state *v = &c->variables.at[part.variable];

		v->known = known;
		v->last_writer = f->number;
		if (!changed) {
			v->value = e->kind == EV_RMW ? part.written : part.value;
			continue;
		}
		uint64_t size = c->symbols->variables.at[part.variable].size;
		uint64_t value = known ? (uint64_t)whole >> bit_offset(c, e, i) : 0;

		/* one of several variables takes its own bytes alone */
		if (event_part_count(e) > 1 && size < 8)
			value &= ((uint64_t)1 << (8 * size)) - 1;
		v->value = (int64_t)value;
	}
}

static void take_access(struct certifier *c, struct fact *f)
{
	const struct event *e = &f->event;

	if (event_is(e, EV_RETURNS))
		return_value(c, f);
	if (event_is(e, EV_STORES) && e->kind != EV_FREE)
		store_value(c, f);
	for (uint32_t i = 0; i < event_part_count(e); i++) {
		struct variable_state *v = &c->variables.at[event_part(e, i).variable];

		v->accesses_done++;
		v->externals_done += e->kind == EV_EXTERNAL;
		v->allocated |= e->kind == EV_ALLOC;
		v->freed |= e->kind == EV_FREE;
	}
}

static void take_shared(struct certifier *c, const struct event *e)
{
	struct lock_state *l = &c->locks.at[e->object];
	struct hold *hold = hold_of(l, e->thread);

	if (e->kind == EV_RELEASE_SHARED) {
		if (!--hold->count)
			*hold = l->readers.at[--l->readers.n];
	} else if (hold) {
		hold->count++;
	} else {
		struct hold first = {e->thread, 1};

		vec_push(&l->readers, first);
	}
}

static void take(struct certifier *c, struct fact *f)
{
	const struct event *e = &f->event;
	struct thread *t = &c->threads.at[e->thread];

	f->happened = true;
	t->done++;
	t->wait = NO_FACT;
	if (event_is(e, EV_ACCESS)) {
		take_access(c, f);
		return;
	}
	switch ((enum event_kind)e->kind) {
	case EV_FORK: c->threads.at[e->object].forked = true; break;
	case EV_END: t->ended = true; break;
	case EV_ACQUIRE: c->locks.at[e->object].writer = e->thread + 1; break;
	case EV_RELEASE: c->locks.at[e->object].writer = 0; break;
	case EV_ACQUIRE_SHARED:
	case EV_RELEASE_SHARED: take_shared(c, e); break;
	case EV_WAIT:
		c->locks.at[e->more->lock].writer = 0;
		t->wait = (uint32_t)(f - c->facts.at);
		break;
	case EV_WOKEN: c->locks.at[e->more->lock].writer = e->thread + 1; break;
	case EV_BARRIER_ENTER: {
		struct barrier_state *b = &c->barriers.at[e->object];

		b->open_round = f->round;
		if (++b->open_count == c->symbols->barriers.at[e->object].parties)
			b->open_count = 0;
		break;
	}
	case EV_SEM_POST: c->semaphores.at[e->object]++; break;
	case EV_SEM_WAIT: c->semaphores.at[e->object]--; break;
	case EV_ONCE_BEGIN: c->onces.at[e->object].begun = e->thread + 1; break;
	case EV_ONCE_END: c->onces.at[e->object].done = true; break;
	default: break; /* no effect */
	}
}

static int run(struct certifier *c, const uint64_t *numbers, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct fact *f = fact_of(c, numbers[i]);

		if (!can_happen(c, f))
			return 0;
		take(c, f);
		if (c->witness->model == MODEL_SAID && f->changed)
			return CANNOT(c, f, "%s", "in model said, every read keeps its value");
	}
	return 1;
}

/* The end */

/* The event as the next one of its thread, or NULL with the reason in err. */
static const struct fact *next_of(struct certifier *c, uint64_t number)
{
	for (size_t t = 0; t < c->threads.n; t++) {
		const struct fact *f =
			c->threads.at[t].next == NO_FACT ? NULL : &c->facts.at[c->threads.at[t].next];

		if (f && f->number == number)
			return f;
	}
	reject(c, "event %llu is not the next one of its thread", (unsigned long long)number);
	return NULL;
}

static bool is_atomic(const struct certifier *c, const struct event *e, uint32_t variable)
{
	return e->kind == EV_RMW || e->order ||
	       c->symbols->variables.at[variable].flags & VARIABLE_VOLATILE;
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
	const struct thread *t = &c->threads.at[e->thread];
	uint32_t lock;
	bool shared;

	if (!takes_lock(e, &lock, &shared) || t->stopped || (t->fork && !t->forked) ||
	    (e->kind == EV_WOKEN && !waker_happened(c, e->more->by)) ||
	    (e->more && any_changed(c, f, e->more->at, e->more->at_count)))
		return false;
	struct lock_state *l = &c->locks.at[lock];

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
			return reject(c, "event %llu does not wait for what the thread of %llu holds",
				      (unsigned long long)f->number,
				      (unsigned long long)g->number);
	}
	return 1;
}

/* Would the real call block here, whatever happens elsewhere? */
static bool blocks(struct certifier *c, const struct fact *f)
{
	switch ((enum event_kind)f->event.kind) {
	case EV_ACQUIRE:
	case EV_ACQUIRE_SHARED:
	case EV_WOKEN:
	case EV_JOIN:
	case EV_BARRIER_EXIT:
	case EV_SEM_WAIT: break;
	case EV_ONCE_PASS:
		if (!c->onces.at[f->event.object].begun)
			return false; /* it would run the function itself */
		break;
	default: return false;
	}
	if (c->threads.at[f->event.thread].stopped ||
	    (f->event.more && any_changed(c, f, f->event.more->at, f->event.more->at_count)))
		return false;
	return !can_happen(c, f);
}

static int judge_stuck(struct certifier *c)
{
	bool waits = false;

	for (size_t i = 0; i < c->threads.n; i++) {
		const struct thread *t = &c->threads.at[i];

		if (t->ended || (t->fork ? !t->forked : !t->events))
			continue; /* it has ended or does not exist */
		if (t->next == NO_FACT)
			return reject(c, "what %s does next is not recorded",
				      name_of(c, CLASS_THREAD, (uint32_t)i));
		if (!blocks(c, &c->facts.at[t->next]))
			return reject(c, "%s does not wait at event %llu",
				      name_of(c, CLASS_THREAD, (uint32_t)i),
				      (unsigned long long)c->facts.at[t->next].number);
		waits = true;
	}
	return waits ? 1 : reject(c, "every thread has ended");
}

static int judge_property(struct certifier *c)
{
	const struct witness *w = c->witness;
	size_t marks = 0;

	for (size_t i = 0; i < w->run.n; i++) {
		if (fact_of(c, w->run.at[i])->event.kind != EV_MARK)
			continue;
		if (marks == w->bug_events.n || w->bug_events.at[marks] != w->run.at[i])
			return reject(c, "mark %llu of the run is not in the list at its place",
				      (unsigned long long)w->run.at[i]);
		marks++;
	}
	return marks == w->bug_events.n
		       ? 1
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

/* Model said: the run goes on until everything has happened. */
static int complete(struct certifier *c)
{
	if (c->witness->model != MODEL_SAID)
		return c->witness->rest.n ? reject(c, "only model said has a rest") : 1;
	if (!run(c, c->witness->rest.at, c->witness->rest.n))
		return 0;
	for (size_t t = 0; t < c->threads.n; t++)
		if (c->threads.at[t].done != c->threads.at[t].events)
			return reject(c, "in model said every event happens, but %s has some left",
				      name_of(c, CLASS_THREAD, (uint32_t)t));
	return 1;
}

static void release(struct certifier *c)
{
	for (size_t i = 0; i < c->facts.n; i++)
		vec_release(&c->facts.at[i].wakes);
	for (size_t i = 0; i < c->threads.n; i++)
		vec_release(&c->threads.at[i].rounds);
	for (size_t i = 0; i < c->locks.n; i++)
		vec_release(&c->locks.at[i].readers);
	vec_release(&c->facts);
	vec_release(&c->threads);
	vec_release(&c->variables);
	vec_release(&c->locks);
	vec_release(&c->barriers);
	vec_release(&c->semaphores);
	vec_release(&c->onces);
	mem_free(c->by_number);
	arena_release(&c->memory);
}

int certify(struct reader *trace, const struct witness *w, struct err *err)
{
	struct certifier c = {.symbols = reader_symbols(trace), .witness = w, .err = err};

	c.by_number_size = 64;
	while (c.by_number_size < 2 * (w->run.n + w->rest.n))
		c.by_number_size *= 2;
	c.by_number = mem_alloc_zero(c.by_number_size, sizeof(*c.by_number));
	int good = name_events(&c, w->run.at, w->run.n, true);

	if (good > 0)
		good = name_events(&c, w->rest.at, w->rest.n, false);
	if (good > 0)
		good = read_trace(&c, trace);
	if (good > 0) {
		start_run(&c);
		good = run(&c, w->run.at, w->run.n);
	}
	if (good > 0)
		good = judge(&c);
	if (good > 0)
		good = complete(&c);
	release(&c);
	return good;
}
