#include "trace/check.h"

#include "trace/expr.h"
#include "trace/reads.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct entered {
	uint32_t barrier;
	uint64_t round;
};

struct check_thread {
	bool ended, waiting;
	uint32_t condition, lock; /* while waiting */
	uint64_t wait_event;
	uint64_t first_event, first_line; /* 0: it has not started */
	uint64_t forked_by;		  /* 0: nobody */
	uint64_t joined_by, join_line;	  /* the first join, 0: none */
	VEC(struct entered) barriers;	  /* entered and not left */
};

#define CELL_ACCESSED 1
#define CELL_FREED 2
/* How many bits a value in memory has; 0: all 64. */
#define CELL_BITS_SHIFT 8
#define CELL_BITS_TOO_MANY 255

struct cell {
	int64_t value;
	uint64_t flags;
};

struct shared_hold {
	uint32_t thread, count;
};

struct check_lock {
	uint32_t writer; /* thread + 1, 0: none */
	VEC(struct shared_hold) readers;
};

struct waiter {
	uint32_t thread;
	uint64_t wait_event;
};

struct signal {
	uint64_t event, line;
	bool broadcast;
	bool claimed;	   /* a woken names it */
	uint64_t slept_by; /* the woken of one who slept through it: it must have woken another */
};

struct check_condition {
	VEC(struct waiter) waiters;
	VEC(struct signal) signals; /* since the oldest of the waiters */
};

struct check_once {
	enum { ONCE_NEW, ONCE_RUNNING, ONCE_DONE } state;
	uint32_t thread;
};

struct check {
	const struct symbols *symbols;
	const char *name;
	struct reads *reads;
	VEC(struct check_thread) threads;
	VEC(struct cell) cells;
	VEC(struct check_lock) locks;
	VEC(struct check_condition) conditions;
	VEC(uint64_t) entered; /* per barrier, how many times in all */
	VEC(uint64_t) semaphores;
	VEC(struct check_once) onces;
	uint64_t failed_at; /* the first event that cannot happen, 0: none so far */
	struct err failure;
};

/* The event at hand, for messages. */
struct here {
	struct check *c;
	const struct event *e;
	uint64_t number, line;
};

__attribute__((format(printf, 4, 5))) static int fail_at(struct check *c, uint64_t number,
							 uint64_t line, const char *what, ...)
{
	char why[400], position[32] = "";
	va_list args;

	va_start(args, what);
	vsnprintf(why, sizeof(why), what, args);
	va_end(args);
	if (line)
		snprintf(position, sizeof(position), ":%llu", (unsigned long long)line);
	c->failed_at = number;
	return err_set(&c->failure, ERR_INPUT, "%.150s%s: event %llu cannot happen: %s", c->name,
		       position, (unsigned long long)number, why);
}

#define fail(h, ...) fail_at((h)->c, (h)->number, (h)->line, __VA_ARGS__)

static const char *name_of(const struct check *c, enum object_class class, uint32_t object)
{
	return symbols_name(c->symbols, class, object);
}

#define THREAD(h) name_of((h)->c, CLASS_THREAD, (h)->e->thread)
#define OBJECT(h) name_of((h)->c, event_kind_class[(h)->e->kind], (h)->e->object)

static struct check_thread *thread_at(struct check *c, uint32_t t)
{
	vec_extend(&c->threads, (size_t)t + 1);
	return &c->threads.at[t];
}

/* Threads */

/* Reported where the thread starts, not where it is forked: that is the event out of place. */
static int fail_early_start(struct check *c, uint32_t thread, uint64_t fork)
{
	const struct check_thread *t = &c->threads.at[thread];

	return fail_at(c, t->first_event, t->first_line, "%s is forked later, by event %llu",
		       name_of(c, CLASS_THREAD, thread), (unsigned long long)fork);
}

static int fail_late_event(struct check *c, uint32_t thread, uint64_t event)
{
	const struct check_thread *t = &c->threads.at[thread];

	return fail_at(c, t->joined_by, t->join_line, "%s, which it joins, goes on at event %llu",
		       name_of(c, CLASS_THREAD, thread), (unsigned long long)event);
}

static int fail_early_join(struct check *c, uint32_t thread, uint64_t fork)
{
	const struct check_thread *t = &c->threads.at[thread];

	return fail_at(c, t->joined_by, t->join_line,
		       "%s, which it joins, is forked later, by "
		       "event %llu",
		       name_of(c, CLASS_THREAD, thread), (unsigned long long)fork);
}

static int check_fork(const struct here *h)
{
	struct check_thread *child = thread_at(h->c, h->e->object);

	if (h->e->object == h->e->thread)
		return fail(h, "%s forks itself", THREAD(h));
	if (child->forked_by)
		return fail(h, "%s was forked by event %llu", OBJECT(h),
			    (unsigned long long)child->forked_by);
	if (child->first_event)
		return fail_early_start(h->c, h->e->object, h->number);
	if (child->joined_by)
		return fail_early_join(h->c, h->e->object, h->number);
	child->forked_by = h->number;
	return 0;
}

static int check_join(const struct here *h)
{
	struct check_thread *child = thread_at(h->c, h->e->object);

	if (h->e->object == h->e->thread)
		return fail(h, "%s joins itself", THREAD(h));
	if (!child->joined_by) {
		child->joined_by = h->number;
		child->join_line = h->line;
	}
	return 0;
}

/* Memory */

/*
 * Where part i stands in the value of the whole access, in bits from the right; -1 if the parts
 * do not make one value (doc/model.md, Memory).
 */
static int shift_of(const struct check *c, const struct event *e, uint32_t i)
{
	const struct variable *v = symbols_variable(c->symbols, e->object);
	const struct variable *w = symbols_variable(c->symbols, event_part(e, i).variable);

	if (!i)
		return 0;
	if (!(v->flags & w->flags & VARIABLE_MEMORY) || v->base != w->base ||
	    w->address <= v->address || w->address - v->address >= 8 ||
	    w->size > 8 - (w->address - v->address))
		return -1;
	return (int)(8 * (w->address - v->address));
}

/* What was read, as one value; false if the parts do not make one. */
static bool compose(const struct check *c, const struct event *e, int64_t *whole)
{
	uint64_t value = (uint64_t)e->value;

	for (uint32_t i = 1; i < event_part_count(e); i++) {
		int shift = shift_of(c, e, i);

		if (shift < 0)
			return false;
		value |= (uint64_t)event_part(e, i).value << shift;
	}
	*whole = (int64_t)value;
	return true;
}

static struct cell new_cell(const struct variable *v)
{
	uint64_t bits = 0;

	if (v->flags & VARIABLE_MEMORY && v->size != 8)
		bits = v->size < 8 ? 8 * v->size : CELL_BITS_TOO_MANY;
	return (struct cell){.value = v->init, .flags = bits << CELL_BITS_SHIFT};
}

static int check_bits(const struct here *h, struct part part, uint64_t bits)
{
	const char *name = name_of(h->c, CLASS_VARIABLE, part.variable);

	if (bits == CELL_BITS_TOO_MANY)
		return fail(h, "%s has more bytes than one value can hold: give the parts", name);
	if (((uint64_t)part.value | (uint64_t)part.written) >> bits)
		return fail(h, "the %llu bytes of %s cannot hold that value",
			    (unsigned long long)bits / 8, name);
	return 0;
}

static int check_part(const struct here *h, struct part part)
{
	struct check *c = h->c;
	uint8_t kind = h->e->kind;

	if (__builtin_expect(part.variable >= c->cells.n, 0)) {
		size_t old = c->cells.n;

		vec_extend(&c->cells, symbols_count(c->symbols, CLASS_VARIABLE));
		for (size_t i = old; i < c->cells.n; i++)
			c->cells.at[i] = new_cell(symbols_variable(c->symbols, i));
	}
	struct cell *cell = &c->cells.at[part.variable];

	if (__builtin_expect(cell->flags & CELL_FREED, 0))
		return fail(h, "%s was freed", name_of(c, CLASS_VARIABLE, part.variable));
	if (cell->flags >> CELL_BITS_SHIFT && event_kind_flags[kind] & EV_VALUE &&
	    check_bits(h, part, cell->flags >> CELL_BITS_SHIFT) < 0)
		return c->failure.code;
	if (event_kind_flags[kind] & EV_RETURNS && cell->value != part.value)
		return fail(h, "%s holds %lld, not %lld", name_of(c, CLASS_VARIABLE, part.variable),
			    (long long)cell->value, (long long)part.value);
	if (kind == EV_ALLOC && cell->flags & CELL_ACCESSED)
		return fail(h, "%s was accessed before", name_of(c, CLASS_VARIABLE, part.variable));
	cell->flags |= CELL_ACCESSED;
	if (kind == EV_FREE)
		cell->flags |= CELL_FREED;
	else if (kind == EV_RMW)
		cell->value = part.written;
	else if (event_kind_flags[kind] & EV_STORES)
		cell->value = part.value;
	return 0;
}

static void note_read(struct check *c, const struct here *h)
{
	struct returned r = {.event = h->number};

	r.whole = compose(c, h->e, &r.value);
	reads_note(c->reads, h->e->thread, &r);
}

static int check_access(const struct here *h)
{
	int code = check_part(
		h, (struct part){h->e->object, h->e->value, h->e->more ? h->e->more->written : 0});

	if (h->e->more)
		for (uint32_t i = 0; !code && i < h->e->more->part_count; i++)
			code = check_part(h, h->e->more->parts[i]);
	return code;
}

/* Dependences */

static int check_is_read(const struct here *h, uint64_t number)
{
	if (reads_has(h->c->reads, number, h->e->thread))
		return 0;
	return fail(h, "it depends on event %llu, which is no read of %s",
		    (unsigned long long)number, THREAD(h));
}

/* What read number N of a thread returned, for expressions. */
struct thread_reads {
	const struct reads *reads;
	uint32_t thread;
};

static bool recent_value(void *context, uint64_t read, int64_t *value)
{
	const struct thread_reads *t = context;
	const struct returned *r = reads_recent(t->reads, t->thread, read);

	if (r)
		*value = r->value;
	return r;
}

/* Each variable takes its own bytes of the value. */
static int check_written(const struct here *h, int64_t value)
{
	for (uint32_t i = 0; i < event_part_count(h->e); i++) {
		struct part part = event_part(h->e, i);
		const struct variable *v = symbols_variable(h->c->symbols, part.variable);
		int64_t recorded = h->e->kind == EV_RMW ? part.written : part.value;
		uint64_t bytes = (uint64_t)value >> shift_of(h->c, h->e, i);

		if (v->flags & VARIABLE_MEMORY && v->size < 8)
			bytes &= ((uint64_t)1 << (8 * v->size)) - 1;
		if ((int64_t)bytes != recorded)
			return fail(h, "its expression gives %lld, not %lld", (long long)bytes,
				    (long long)recorded);
	}
	return 0;
}

static int check_expr(const struct here *h, const struct expr *expr)
{
	struct thread_reads t = {h->c->reads, h->e->thread};
	int64_t value;

	for (uint32_t i = 1; i < event_part_count(h->e); i++)
		if (shift_of(h->c, h->e, i) < 0)
			return fail(h, "one expression cannot give the values of its variables");
	for (uint32_t i = 0; i < expr->count; i++) {
		const struct expr_node *node = &expr->nodes[i];
		const struct returned *r =
			node->op == OP_READ ? reads_recent(t.reads, t.thread, node->value) : NULL;

		if (node->op == OP_READ && !r)
			return 0; /* too long ago to tell */
		if (r && !r->whole)
			return fail(h, "event %llu did not read one value",
				    (unsigned long long)node->value);
	}
	if (!expr_value(expr, recent_value, &t, &value))
		return fail(h, "its expression divides by zero");
	if (h->e->kind == EV_BRANCH)
		return value ? 0 : fail(h, "its guard is 0");
	return check_written(h, value);
}

static int check_dependences(const struct here *h)
{
	const struct event_more *more = h->e->more;
	int code = 0;

	for (uint32_t i = 0; !code && i < more->at_count; i++)
		code = check_is_read(h, more->at[i]);
	for (uint32_t i = 0; !code && i < more->read_count; i++)
		code = check_is_read(h, more->reads[i]);
	if (code || !more->expr)
		return code;
	for (uint32_t i = 0; !code && i < more->expr->count; i++)
		if (more->expr->nodes[i].op == OP_READ)
			code = check_is_read(h, more->expr->nodes[i].value);
	return code ? code : check_expr(h, more->expr);
}

/* Locks */

static struct check_lock *lock_at(struct check *c, uint32_t lock)
{
	vec_extend(&c->locks, (size_t)lock + 1);
	return &c->locks.at[lock];
}

static struct shared_hold *find_hold(struct check_lock *l, uint32_t thread)
{
	for (size_t i = 0; i < l->readers.n; i++)
		if (l->readers.at[i].thread == thread)
			return &l->readers.at[i];
	return NULL;
}

static int take_lock(const struct here *h, uint32_t lock)
{
	struct check_lock *l = lock_at(h->c, lock);

	if (l->writer)
		return fail(h, "%s holds %s", name_of(h->c, CLASS_THREAD, l->writer - 1),
			    name_of(h->c, CLASS_LOCK, lock));
	if (l->readers.n)
		return fail(h, "%s holds %s shared",
			    name_of(h->c, CLASS_THREAD, l->readers.at[0].thread),
			    name_of(h->c, CLASS_LOCK, lock));
	l->writer = h->e->thread + 1;
	return 0;
}

static int drop_lock(const struct here *h, uint32_t lock)
{
	struct check_lock *l = lock_at(h->c, lock);

	if (l->writer != h->e->thread + 1)
		return fail(h, "%s does not hold %s", THREAD(h), name_of(h->c, CLASS_LOCK, lock));
	l->writer = 0;
	return 0;
}

static int take_shared(const struct here *h)
{
	struct check_lock *l = lock_at(h->c, h->e->object);
	struct shared_hold *hold = find_hold(l, h->e->thread);

	if (l->writer)
		return fail(h, "%s holds %s", name_of(h->c, CLASS_THREAD, l->writer - 1),
			    OBJECT(h));
	if (hold) {
		hold->count++;
	} else {
		struct shared_hold first = {h->e->thread, 1};

		vec_push(&l->readers, first);
	}
	return 0;
}

static int drop_shared(const struct here *h)
{
	struct check_lock *l = lock_at(h->c, h->e->object);
	struct shared_hold *hold = find_hold(l, h->e->thread);

	if (!hold)
		return fail(h, "%s does not hold %s shared", THREAD(h), OBJECT(h));
	if (!--hold->count)
		*hold = l->readers.at[--l->readers.n];
	return 0;
}

static int check_try_fail(const struct here *h)
{
	struct check_lock *l = lock_at(h->c, h->e->object);
	bool other = l->writer && l->writer != h->e->thread + 1;

	for (size_t i = 0; i < l->readers.n; i++)
		other |= l->readers.at[i].thread != h->e->thread;
	return other ? 0 : fail(h, "no other thread holds %s", OBJECT(h));
}

/* Conditions */

static struct check_condition *condition_at(struct check *c, uint32_t condition)
{
	vec_extend(&c->conditions, (size_t)condition + 1);
	return &c->conditions.at[condition];
}

static int check_wait(const struct here *h)
{
	struct check_thread *t = &h->c->threads.at[h->e->thread];
	struct waiter waiter = {h->e->thread, h->number};

	if (drop_lock(h, h->e->more->lock) < 0)
		return h->c->failure.code;
	t->waiting = true;
	t->condition = h->e->object;
	t->lock = h->e->more->lock;
	t->wait_event = h->number;
	vec_push(&condition_at(h->c, h->e->object)->waiters, waiter);
	return 0;
}

static int check_signal(const struct here *h)
{
	struct check_condition *condition = condition_at(h->c, h->e->object);
	struct signal signal = {
		.event = h->number, .line = h->line, .broadcast = h->e->kind == EV_BROADCAST};

	if (condition->waiters.n) /* else it wakes nobody, and nobody can name it */
		vec_push(&condition->signals, signal);
	return 0;
}

static int fail_signal(struct check *c, const struct signal *s)
{
	if (c->failed_at && c->failed_at < s->event)
		return c->failure.code;
	return fail_at(c, s->event, s->line,
		       "it does not wake the thread of event %llu, which sleeps",
		       (unsigned long long)s->slept_by);
}

/* A signal that no open wait is old enough for can no longer be claimed. */
static int forget_signals(struct check *c, struct check_condition *condition)
{
	uint64_t oldest = UINT64_MAX;
	size_t kept = 0;

	for (size_t i = 0; i < condition->waiters.n; i++)
		if (condition->waiters.at[i].wait_event < oldest)
			oldest = condition->waiters.at[i].wait_event;
	for (size_t i = 0; i < condition->signals.n; i++) {
		struct signal *s = &condition->signals.at[i];
		bool done = s->claimed && !s->broadcast;

		if (s->event > oldest && !done)
			condition->signals.at[kept++] = *s;
		else if (s->slept_by && !s->claimed)
			return fail_signal(c, s);
	}
	condition->signals.n = kept;
	return 0;
}

static int claim_signal(const struct here *h, struct check_condition *condition, uint64_t wait)
{
	uint64_t by = h->e->more->by;
	struct signal *found = NULL;

	for (size_t i = 0; i < condition->signals.n; i++) {
		struct signal *s = &condition->signals.at[i];

		if (s->event == by)
			found = s;
		if (s->event <= wait || s->event >= by)
			continue;
		s->slept_by = h->number;
		if (s->broadcast)
			return fail_signal(h->c, s);
	}
	if (!found || by < wait)
		return fail(h, "event %llu is not a free signal on %s after the wait, event %llu",
			    (unsigned long long)by, OBJECT(h), (unsigned long long)wait);
	found->claimed = true;
	return 0;
}

static int check_woken(const struct here *h)
{
	struct check_thread *t = &h->c->threads.at[h->e->thread];
	struct check_condition *condition = condition_at(h->c, h->e->object);

	if (!t->waiting || t->condition != h->e->object || t->lock != h->e->more->lock)
		return fail(h, "%s does not wait on %s with %s", THREAD(h), OBJECT(h),
			    name_of(h->c, CLASS_LOCK, h->e->more->lock));
	if (h->e->more->by && claim_signal(h, condition, t->wait_event) < 0)
		return h->c->failure.code;
	if (take_lock(h, h->e->more->lock) < 0)
		return h->c->failure.code;
	t->waiting = false;
	for (size_t i = 0; i < condition->waiters.n; i++)
		if (condition->waiters.at[i].thread == h->e->thread) {
			condition->waiters.at[i] = condition->waiters.at[--condition->waiters.n];
			break;
		}
	return forget_signals(h->c, condition);
}

/* Barriers, semaphores, once */

static struct entered *find_entered(struct check_thread *t, uint32_t barrier)
{
	for (size_t i = 0; i < t->barriers.n; i++)
		if (t->barriers.at[i].barrier == barrier)
			return &t->barriers.at[i];
	return NULL;
}

static int check_barrier(const struct here *h)
{
	struct check_thread *t = &h->c->threads.at[h->e->thread];
	struct entered *entered = find_entered(t, h->e->object);
	uint64_t parties = h->c->symbols->barriers.at[h->e->object].parties;

	if (!parties)
		return fail(h, "%s has no 'barrier' declaration, which says its parties",
			    OBJECT(h));
	vec_extend(&h->c->entered, (size_t)h->e->object + 1);
	uint64_t *count = &h->c->entered.at[h->e->object];

	if (h->e->kind == EV_BARRIER_ENTER) {
		if (entered)
			return fail(h, "%s is already inside %s", THREAD(h), OBJECT(h));
		struct entered now = {h->e->object, *count / parties};

		vec_push(&t->barriers, now);
		++*count;
		return 0;
	}
	if (!entered)
		return fail(h, "%s is not inside %s", THREAD(h), OBJECT(h));
	if (*count < (entered->round + 1) * parties)
		return fail(h, "only %llu of %llu parties have entered %s",
			    (unsigned long long)(*count % parties), (unsigned long long)parties,
			    OBJECT(h));
	*entered = t->barriers.at[--t->barriers.n];
	return 0;
}

static int check_semaphore(const struct here *h)
{
	struct check *c = h->c;
	size_t old = c->semaphores.n;

	vec_extend(&c->semaphores, (size_t)h->e->object + 1);
	for (size_t i = old; i < c->semaphores.n; i++)
		c->semaphores.at[i] = c->symbols->semaphores.at[i].count;
	uint64_t *count = &c->semaphores.at[h->e->object];

	if (h->e->kind == EV_SEM_POST)
		++*count;
	else if (h->e->kind == EV_SEM_WAIT && !*count)
		return fail(h, "%s is 0", OBJECT(h));
	else if (h->e->kind == EV_SEM_WAIT)
		--*count;
	else if (*count)
		return fail(h, "%s is %llu, not 0", OBJECT(h), (unsigned long long)*count);
	return 0;
}

static int check_once(const struct here *h)
{
	vec_extend(&h->c->onces, (size_t)h->e->object + 1);
	struct check_once *once = &h->c->onces.at[h->e->object];

	if (h->e->kind == EV_ONCE_BEGIN && once->state != ONCE_NEW)
		return fail(h, "%s has begun before", OBJECT(h));
	if (h->e->kind == EV_ONCE_END &&
	    (once->state != ONCE_RUNNING || once->thread != h->e->thread))
		return fail(h, "%s is not in %s", THREAD(h), OBJECT(h));
	if (h->e->kind == EV_ONCE_PASS && once->state != ONCE_DONE)
		return fail(h, "%s is not done", OBJECT(h));
	if (h->e->kind == EV_ONCE_BEGIN)
		*once = (struct check_once){ONCE_RUNNING, h->e->thread};
	if (h->e->kind == EV_ONCE_END)
		once->state = ONCE_DONE;
	return 0;
}

/* All */

/* What holds of a thread before its next event, whatever that is. */
static int check_thread_goes_on(const struct here *h, struct check_thread *t)
{
	if (t->joined_by)
		return fail_late_event(h->c, h->e->thread, h->number);
	if (t->ended)
		return fail(h, "%s has ended", THREAD(h));
	if (t->waiting && h->e->kind != EV_WOKEN)
		return fail(h, "%s waits on %s", THREAD(h),
			    name_of(h->c, CLASS_CONDITION, t->condition));
	if (h->e->kind == EV_BEGIN && t->first_event)
		return fail(h, "it is not the first event of %s", THREAD(h));
	if (!t->first_event) {
		t->first_event = h->number;
		t->first_line = h->line;
	}
	return 0;
}

static int check_event(const struct here *h)
{
	const struct event *e = h->e;
	struct check_thread *t = thread_at(h->c, e->thread);
	int code = 0;

	if (__builtin_expect(t->joined_by || t->ended || t->waiting || !t->first_event ||
				     e->kind == EV_BEGIN,
			     0))
		code = check_thread_goes_on(h, t);
	if (code)
		return code;
	/* an rmw may depend on itself, and all else on what came before */
	if (e->kind == EV_RMW || e->kind == EV_READ)
		note_read(h->c, h);
	if (e->more && (code = check_dependences(h)))
		return code;
	switch ((enum event_kind)e->kind) {
	case EV_READ:
	case EV_WRITE:
	case EV_RMW:
	case EV_ALLOC:
	case EV_FREE:
	case EV_EXTERNAL: return check_access(h);
	case EV_ACQUIRE: return take_lock(h, e->object);
	case EV_RELEASE: return drop_lock(h, e->object);
	case EV_ACQUIRE_SHARED: return take_shared(h);
	case EV_RELEASE_SHARED: return drop_shared(h);
	case EV_TRY_FAIL: return check_try_fail(h);
	case EV_FORK: return check_fork(h);
	case EV_JOIN: return check_join(h);
	case EV_END: t->ended = true; return 0;
	case EV_WAIT: return check_wait(h);
	case EV_WOKEN: return check_woken(h);
	case EV_SIGNAL:
	case EV_BROADCAST: return check_signal(h);
	case EV_BARRIER_ENTER:
	case EV_BARRIER_EXIT: return check_barrier(h);
	case EV_SEM_POST:
	case EV_SEM_WAIT:
	case EV_SEM_FAIL: return check_semaphore(h);
	case EV_ONCE_BEGIN:
	case EV_ONCE_END:
	case EV_ONCE_PASS: return check_once(h);
	case EV_BEGIN:
	case EV_BRANCH:
	case EV_MARK: return 0;
	case EV_COUNT: break;
	}
	BUG("not an event");
}

/* After a failure: only forks and joins can still show that an earlier event is out of place. */
static void look_for_earlier(struct check *c, const struct event *e, uint64_t number)
{
	const struct check_thread *t = thread_at(c, e->thread);

	if (t->joined_by && t->joined_by < c->failed_at)
		fail_late_event(c, e->thread, number);
	if (e->kind != EV_FORK || e->object == e->thread)
		return;
	t = thread_at(c, e->object);
	if (t->joined_by && t->joined_by < c->failed_at && !t->forked_by)
		fail_early_join(c, e->object, number);
	if (t->first_event && t->first_event < c->failed_at && !t->forked_by)
		fail_early_start(c, e->object, number);
}

struct check *check_new(const struct reader *r)
{
	struct check *c = mem_alloc_zero(1, sizeof(*c));

	c->symbols = reader_symbols(r);
	c->name = reader_name(r);
	c->reads = reads_new();
	return c;
}

void check_batch(struct check *c, const struct batch *batch)
{
	struct here h = {.c = c};

	for (size_t i = 0; i < batch->n; i++) {
		h.e = &batch->at[i];
		h.number = batch->first + i;
		h.line = batch->lines ? batch->lines[i] : 0;
		if (!c->failed_at)
			check_event(&h);
		if (c->failed_at)
			look_for_earlier(c, h.e, h.number);
	}
}

int check_finish(struct check *c, struct err *err)
{
	bool fine = !c->failed_at;

	for (size_t i = 0; fine && i < c->conditions.n; i++) { /* nobody else will be woken */
		c->conditions.at[i].waiters.n = 0;
		forget_signals(c, &c->conditions.at[i]);
	}
	if (!c->failed_at)
		return 0;
	*err = c->failure;
	return err->code;
}

void check_free(struct check *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->threads.n; i++)
		vec_release(&c->threads.at[i].barriers);
	for (size_t i = 0; i < c->locks.n; i++)
		vec_release(&c->locks.at[i].readers);
	for (size_t i = 0; i < c->conditions.n; i++) {
		vec_release(&c->conditions.at[i].waiters);
		vec_release(&c->conditions.at[i].signals);
	}
	vec_release(&c->threads);
	vec_release(&c->cells);
	vec_release(&c->locks);
	vec_release(&c->conditions);
	vec_release(&c->entered);
	vec_release(&c->semaphores);
	vec_release(&c->onces);
	reads_free(c->reads);
	mem_free(c);
}

int check_reader(struct reader *r, uint64_t *events, struct err *err)
{
	struct check *c = check_new(r);
	struct batch batch;
	int got;

	*events = 0;
	while ((got = reader_next(r, &batch, err)) > 0) {
		check_batch(c, &batch);
		*events += batch.n;
	}
	/* what comes first in the trace is said first */
	if (!got || c->failed_at)
		got = check_finish(c, err);
	check_free(c);
	return got;
}
