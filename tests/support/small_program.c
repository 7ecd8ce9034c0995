/* SPDX-License-Identifier: MIT */
#include "tests/support/small_histories.h"
#include "tests/support/small_program.h"

#include "base/err.h"

#include <stdlib.h>
#include <string.h>

#define ARRAY (SMALL_VARIABLES - 2)

/* States */

#define READS_MOST 24

struct thread_state {
	uint32_t history;
	uint8_t pc;
	bool forked, ended;
	bool failed; /* an assertion: what it does next is to end the process */
	int8_t value[SMALL_REGISTERS];
	/* which read, from 1, a register has its value from (0: none), and what was added to it */
	uint8_t read[SMALL_REGISTERS];
	int8_t added[SMALL_REGISTERS];
	uint8_t reads;
	int8_t seen[READS_MOST]; /* what each read returned */
	uint8_t writes;
	uint8_t sleeps; /* enum sleeps */
	uint8_t waits;	/* so many, with this one */
};

enum sleeps { AWAKE, ASLEEP, WOKEN, GAVE_UP };

struct state {
	struct thread_state threads[SMALL_THREADS];
	int8_t value[SMALL_VARIABLES];
	uint64_t writer[SMALL_VARIABLES];
	uint8_t holder[SMALL_LOCKS]; /* 1 + thread */
	uint8_t tokens;		     /* of the semaphore */
	bool over;		     /* the process has ended */
};

static void state_start(struct state *s)
{
	memset(s, 0, sizeof(*s));
	s->threads[0].forked = true;
}

static int8_t untold(int8_t value)
{
	return (int8_t)((value * 5 + 3) % 7 & 3);
}

/* Jumps and what depends on no read leave nothing in the trace. */
static const struct small_op *skip_silent(const struct small_program *p, struct thread_state *t,
					  uint32_t thread);

static bool holds(const struct small_op *op, int8_t value)
{
	switch (op->kind) {
	case SMALL_UNLESS: return value < op->constant;
	case SMALL_UNLESS_SAME: return value == op->constant;
	case SMALL_UNLESS_UNTOLD:
	case SMALL_UNLESS_BARE: return !(untold(value) & 1);
	default: BUG("no condition");
	}
}

static int way_of(const struct small_op *op, int8_t value)
{
	return value == op->constant ? 0 : value == op->other ? 1 : 2;
}

static void jump(struct thread_state *t, const struct small_op *op)
{
	int8_t value = t->value[op->reg];

	if (op->kind == SMALL_SWITCH)
		t->pc = (uint8_t)(t->pc + 1 + way_of(op, value));
	else
		t->pc = holds(op, value) ? (uint8_t)(t->pc + 1) : op->target;
}

static bool is_branch(const struct small_op *op)
{
	return op->kind >= SMALL_UNLESS && op->kind <= SMALL_UNLESS_BARE;
}

static const struct small_op *skip_silent(const struct small_program *p, struct thread_state *t,
					  uint32_t thread)
{
	while (!t->failed) {
		const struct small_op *op = &p->ops[thread][t->pc];
		bool fixed = !t->read[op->reg];

		if (op->kind == SMALL_JUMP)
			t->pc = op->target;
		else if (is_branch(op) && fixed && op->kind != SMALL_UNLESS_BARE)
			jump(t, op);
		else if (op->kind == SMALL_ASSERT && fixed && t->value[op->reg] != op->constant)
			t->pc++;
		else
			return op;
	}
	return &p->ops[thread][t->pc];
}

static bool can_step(const struct small_program *p, struct state *s, uint32_t thread)
{
	struct thread_state *t = &s->threads[thread];

	if (s->over || !t->forked || t->ended)
		return false;
	if (t->failed)
		return true;
	const struct small_op *op = skip_silent(p, t, thread);

	if (t->sleeps == ASLEEP)
		return op->kind == SMALL_WAIT_LIMITED;
	if (t->sleeps)
		return !s->holder[op->other];
	if (op->kind == SMALL_LOCK)
		return !s->holder[op->object];
	if (op->kind == SMALL_TAKE)
		return s->tokens;
	if (op->kind == SMALL_JOIN)
		return s->threads[op->object].ended;
	return true;
}

static bool is_signal(const struct small_op *op)
{
	return op->kind == SMALL_SIGNAL || op->kind == SMALL_BROADCAST;
}

static uint32_t asleep(const struct state *s)
{
	uint32_t all = 0;

	for (uint32_t t = 0; t < SMALL_THREADS; t++)
		all |= s->threads[t].sleeps == ASLEEP ? 1u << t : 0;
	return all;
}

/* Whom the step may wake: the way-th of the sets. False: there are not so many ways. */
static bool way_to_wake(const struct small_program *p, struct state *s, uint32_t thread,
			uint32_t way, uint32_t *wakes)
{
	const struct thread_state *t = &s->threads[thread];
	uint32_t all = asleep(s);

	*wakes = 0;
	if (t->failed || t->sleeps || !is_signal(skip_silent(p, &s->threads[thread], thread)))
		return !way;
	if (skip_silent(p, &s->threads[thread], thread)->kind == SMALL_BROADCAST || !all) {
		*wakes = all;
		return !way;
	}
	for (uint32_t u = 0; u < SMALL_THREADS; u++)
		if (all & 1u << u && !way--) {
			*wakes = 1u << u;
			return true;
		}
	return false;
}

static void learn(struct small_histories *h, struct thread_state *t, uint64_t what)
{
	if (!h->by_source)
		t->history = small_grow(h, t->history, small_mix(t->pc, what));
}

/* Something unknown is made of what was read: all that is asked about is what that was. */
static void learn_value(struct small_histories *h, struct thread_state *t, uint8_t reg)
{
	if (t->read[reg])
		learn(h, t, 1000 + (uint64_t)t->seen[t->read[reg] - 1]);
}

static void take_value(struct small_histories *h, struct state *s, uint32_t thread, uint8_t reg,
		       uint8_t variable)
{
	struct thread_state *t = &s->threads[thread];

	ASSERT(t->reads < READS_MOST);
	t->value[reg] = s->value[variable];
	t->seen[t->reads++] = s->value[variable];
	t->read[reg] = t->reads;
	t->added[reg] = 0;
	if (h->by_source)
		t->history = small_grow(h, t->history, s->writer[variable]);
}

static void give_value(struct state *s, uint32_t thread, uint8_t variable, int8_t value)
{
	struct thread_state *t = &s->threads[thread];

	s->value[variable] = (int8_t)(value & 7);
	s->writer[variable] = 1 + thread * 256u + t->writes++ * 4096u;
}

static uint8_t variable_of(const struct small_op *op, const struct thread_state *t)
{
	return op->kind == SMALL_LOAD_INDEX ? (uint8_t)(ARRAY + (t->value[op->reg] & 1))
					    : op->object;
}

/* Whatever it is that threads are told apart by. */
static void learn_always(struct small_histories *h, struct thread_state *t, uint64_t what)
{
	t->history = small_grow(h, t->history, small_mix(t->pc, what));
}

static void wake(struct small_histories *h, struct state *s, uint32_t thread, uint32_t wakes)
{
	uint64_t who = 500;

	for (uint32_t u = 0; u < SMALL_THREADS; u++) {
		if (!(wakes & 1u << u))
			continue;
		s->threads[u].sleeps = WOKEN;
		who = small_mix(who, u * 100 + s->threads[u].waits);
	}
	learn_always(h, &s->threads[thread], who);
}

/* A step of a thread that waits; false: its wait is not over with it. */
static bool step_asleep(struct small_histories *h, struct state *s, struct thread_state *t,
			uint32_t thread, const struct small_op *op)
{
	if (t->sleeps == ASLEEP) {
		t->sleeps = GAVE_UP;
		return false;
	}
	s->holder[op->other] = (uint8_t)(thread + 1);
	if (op->kind == SMALL_WAIT_LIMITED) {
		t->value[op->reg] = t->sleeps == WOKEN;
		t->read[op->reg] = 0;
		learn_always(h, t, 700 + t->sleeps);
	}
	t->sleeps = AWAKE;
	return true;
}

/* What the step does; the caller has written it down. */
static void step(const struct small_program *p, struct small_histories *h, struct state *s,
		 uint32_t thread, uint32_t wakes)
{
	struct thread_state *t = &s->threads[thread];
	const struct small_op *op = skip_silent(p, t, thread);
	int8_t old;

	if (t->failed) {
		s->over = true;
		return;
	}
	if (t->sleeps) {
		t->pc += step_asleep(h, s, t, thread, op);
		return;
	}

	switch ((enum small_kind)op->kind) {
	case SMALL_END:
		t->ended = true;
		s->over = !thread;
		return;
	case SMALL_LOAD: take_value(h, s, thread, op->reg, op->object); break;
	case SMALL_LOAD_INDEX: {
		uint8_t variable = variable_of(op, t);

		learn_value(h, t, op->reg);
		take_value(h, s, thread, op->reg, variable);
		break;
	}
	case SMALL_STORE:
		give_value(s, thread, op->object, (int8_t)(t->value[op->reg] + op->constant));
		break;
	case SMALL_STORE_CONST: give_value(s, thread, op->object, op->constant); break;
	case SMALL_STORE_UNTOLD:
		learn_value(h, t, op->reg);
		give_value(s, thread, op->object, untold(t->value[op->reg]));
		break;
	case SMALL_ADD:
		old = s->value[op->object];
		take_value(h, s, thread, op->reg, op->object);
		give_value(s, thread, op->object, (int8_t)(old + op->constant));
		break;
	case SMALL_ADD_UNTOLD:
		old = s->value[op->object];
		take_value(h, s, thread, op->reg, op->object);
		learn_value(h, t, op->reg);
		give_value(s, thread, op->object, untold(old));
		break;
	case SMALL_LOCK: s->holder[op->object] = (uint8_t)(thread + 1); break;
	case SMALL_UNLOCK: s->holder[op->object] = 0; break;
	case SMALL_TRY:
		t->value[op->reg] = !s->holder[op->object];
		t->read[op->reg] = 0;
		if (h->by_source)
			t->history = small_grow(h, t->history, 77 + (uint64_t)t->value[op->reg]);
		learn(h, t, 77 + (uint64_t)t->value[op->reg]);
		if (!s->holder[op->object])
			s->holder[op->object] = (uint8_t)(thread + 1);
		break;
	case SMALL_WAIT:
	case SMALL_WAIT_LIMITED:
		s->holder[op->other] = 0;
		t->sleeps = ASLEEP;
		t->waits++;
		return;
	case SMALL_SIGNAL:
	case SMALL_BROADCAST: wake(h, s, thread, wakes); break;
	case SMALL_POST: s->tokens++; break;
	case SMALL_TAKE: s->tokens--; break;
	case SMALL_TRY_TAKE:
		t->value[op->reg] = s->tokens > 0;
		t->read[op->reg] = 0;
		learn_always(h, t, 600 + (uint64_t)t->value[op->reg]);
		s->tokens -= s->tokens > 0;
		break;
	case SMALL_FORK: s->threads[op->object].forked = true; break;
	case SMALL_JOIN: break;
	case SMALL_UNLESS:
	case SMALL_UNLESS_SAME:
		learn(h, t, holds(op, t->value[op->reg]));
		jump(t, op);
		return;
	case SMALL_SWITCH:
		learn(h, t, (uint64_t)way_of(op, t->value[op->reg]));
		jump(t, op);
		return;
	case SMALL_UNLESS_UNTOLD:
		learn_value(h, t, op->reg);
		jump(t, op);
		return;
	case SMALL_UNLESS_BARE:
		for (uint8_t i = 0; i < t->reads; i++)
			learn(h, t, 1000 + (uint64_t)t->seen[i]);
		jump(t, op);
		return;
	case SMALL_ASSERT:
		if (t->read[op->reg])
			learn(h, t, t->value[op->reg] != op->constant);
		t->failed = t->value[op->reg] == op->constant;
		break;
	case SMALL_JUMP: BUG("skipped");
	}
	t->pc++;
}

/* All schedules */

struct all {
	const struct small_program *p;
	struct small_histories *h;
	size_t most;
	KEYED(struct small_step) states;
	KEYED(struct small_step) ends;
	struct small_behaviours *found;
};

static uint64_t hash_state(const struct state *s)
{
	const uint8_t *bytes = (const uint8_t *)s;
	uint64_t hash = 7;

	for (size_t i = 0; i < sizeof(*s); i += 8) {
		uint64_t word = 0;

		memcpy(&word, bytes + i, sizeof(*s) - i < 8 ? sizeof(*s) - i : 8);
		hash = small_mix(hash, word);
	}
	return hash | 1;
}

static struct small_behaviour behaviour_of(const struct state *s)
{
	struct small_behaviour b;

	for (int t = 0; t < SMALL_THREADS; t++)
		b.thread[t] = s->threads[t].history;
	return b;
}

static void note_end(struct all *a, const struct state *s)
{
	struct small_behaviour b = behaviour_of(s);
	uint64_t key = 3;

	for (int t = 0; t < SMALL_THREADS; t++)
		key = small_mix(key, b.thread[t]);
	key |= 1;
	struct small_step *end = keyed_slot(&a->ends, key);

	if (end->key)
		return;
	end->key = key;
	a->ends.n++;
	vec_push(&a->found->at, b);
}

/* False: too many. Branches are nobody else's business: they need no schedules of their own. */
static bool explore(struct all *a, const struct state *from)
{
	bool any = false;

	for (uint32_t t = 0, way = 0; t < a->p->threads; way++) {
		struct state s = *from;
		uint32_t wakes;

		if (!can_step(a->p, &s, t) || !way_to_wake(a->p, &s, t, way, &wakes)) {
			t++;
			way = UINT32_MAX;
			continue;
		}
		any = true;
		bool branch =
			!s.threads[t].failed && is_branch(skip_silent(a->p, &s.threads[t], t));

		step(a->p, a->h, &s, t, wakes);
		uint64_t key = hash_state(&s);
		struct small_step *state = keyed_slot(&a->states, key);

		if (!state->key) {
			state->key = key;
			a->states.n++;
			if (a->states.n > a->most || !explore(a, &s))
				return false;
		}
		if (branch)
			return true;
	}
	if (!any)
		note_end(a, from);
	return true;
}

bool small_run_all(const struct small_program *p, struct small_histories *h, size_t most,
		   struct small_behaviours *found)
{
	struct all a = {.p = p, .h = h, .most = most, .found = found};
	struct state s;

	state_start(&s);
	bool good = explore(&a, &s);

	mem_free(a.states.at);
	mem_free(a.ends.at);
	return good;
}

/* One run */

struct small_run {
	const struct small_program *p;
	struct small_histories *h;
	struct state state;
	uint32_t events;
	uint32_t read_event[SMALL_THREADS][READS_MOST];
	uint32_t waker[SMALL_THREADS];
	char *text;
	size_t size;
	FILE *out;
};

struct small_run *small_run_new(const struct small_program *p, struct small_histories *h)
{
	struct small_run *run = mem_alloc_zero(1, sizeof(*run));

	run->p = p;
	run->h = h;
	state_start(&run->state);
	run->out = open_memstream(&run->text, &run->size);
	fputs("memory array0 array 0 8\nmemory array1 array 8 8\n", run->out);
	return run;
}

void small_run_free(struct small_run *run)
{
	if (run->out)
		fclose(run->out);
	free(run->text);
	mem_free(run);
}

static const char *variable_name(uint8_t variable)
{
	static const char *const names[SMALL_VARIABLES] = {"x", "y", "z", "array0", "array1"};

	return names[variable];
}

/* The register as an expression; false: it is a number. */
static bool put_register(struct small_run *run, uint32_t thread, uint8_t reg, int8_t more,
			 char *text, size_t room)
{
	const struct thread_state *t = &run->state.threads[thread];

	if (!t->read[reg])
		return false;
	uint32_t read = run->read_event[thread][t->read[reg] - 1];

	if (more)
		snprintf(text, room, "(& (+ %%%u %d) 7)", read, more);
	else
		snprintf(text, room, "%%%u", read);
	return true;
}

static void put_dependence(struct small_run *run, uint32_t thread, uint8_t reg, const char *key)
{
	const struct thread_state *t = &run->state.threads[thread];

	if (t->read[reg])
		fprintf(run->out, " %s%u", key, run->read_event[thread][t->read[reg] - 1]);
	else if (!strcmp(key, "reads="))
		fprintf(run->out, " reads=");
}

static void note_read(struct small_run *run, uint32_t thread)
{
	run->read_event[thread][run->state.threads[thread].reads] = run->events;
}

/* The same condition in different words. */
static void put_condition(struct small_run *run, const struct small_op *op, const char *what,
			  int8_t value)
{
	bool yes = op->kind != SMALL_SWITCH && op->kind != SMALL_ASSERT && holds(op, value);

	if (op->kind == SMALL_UNLESS)
		fprintf(run->out, yes ? "(< %s %d)" : "(>= %s %d)", what, op->constant);
	else if (op->kind == SMALL_UNLESS_SAME && !op->constant)
		fprintf(run->out, yes ? "(not %s)" : "%s", what);
	else if (op->kind == SMALL_UNLESS_SAME)
		fprintf(run->out, yes ? "(= %s %d)" : "(not (= %s %d))", what, op->constant);
	else if (op->kind == SMALL_ASSERT)
		fprintf(run->out, value != op->constant ? "(!= %s %d)" : "(= %s %d)", what,
			op->constant);
	else if (way_of(op, value) < 2)
		fprintf(run->out, "(= %s %d)", what, way_of(op, value) ? op->other : op->constant);
	else
		fprintf(run->out, "(not (in %s %d %d))", what, op->constant, op->other);
}

static void put_access(struct small_run *run, uint32_t thread, const struct small_op *op)
{
	struct state *s = &run->state;
	struct thread_state *t = &s->threads[thread];
	uint8_t variable = variable_of(op, t);
	const char *name = variable_name(variable);
	int8_t old = s->value[variable];
	char what[64];

	switch ((enum small_kind)op->kind) {
	case SMALL_LOAD:
	case SMALL_LOAD_INDEX:
		fprintf(run->out, "read %s %d", name, old);
		if (op->kind == SMALL_LOAD_INDEX)
			put_dependence(run, thread, op->reg, "at=");
		note_read(run, thread);
		break;
	case SMALL_STORE:
		fprintf(run->out, "write %s %d", name, (t->value[op->reg] + op->constant) & 7);
		if (put_register(run, thread, op->reg, op->constant, what, sizeof(what)))
			fprintf(run->out, " = %s", what);
		else
			fprintf(run->out, " reads=");
		break;
	case SMALL_STORE_CONST: fprintf(run->out, "write %s %d reads=", name, op->constant); break;
	case SMALL_STORE_UNTOLD:
		fprintf(run->out, "write %s %d", name, untold(t->value[op->reg]) & 7);
		put_dependence(run, thread, op->reg, "reads=");
		break;
	case SMALL_ADD:
		fprintf(run->out, "rmw %s %d %d = (& (+ %%%u %d) 7)", name, old,
			(old + op->constant) & 7, run->events, op->constant);
		note_read(run, thread);
		break;
	case SMALL_ADD_UNTOLD:
		fprintf(run->out, "rmw %s %d %d reads=%u", name, old, untold(old) & 7, run->events);
		note_read(run, thread);
		break;
	default: BUG("no access");
	}
}

static void put_wait(struct small_run *run, uint32_t thread, const struct small_op *op)
{
	uint8_t sleeps = run->state.threads[thread].sleeps;

	if (sleeps == AWAKE)
		fprintf(run->out, "wait c l%u", (unsigned)op->other);
	else if (sleeps == GAVE_UP)
		fprintf(run->out, "woken c l%u by=-", (unsigned)op->other);
	else
		fprintf(run->out, "woken c l%u by=%u%s", (unsigned)op->other, run->waker[thread],
			op->kind == SMALL_WAIT_LIMITED ? " try" : "");
}

static void put_event(struct small_run *run, uint32_t thread, const struct small_op *op)
{
	struct state *s = &run->state;
	char what[64];

	run->events++;
	fprintf(run->out, "t%u ", thread);
	switch ((enum small_kind)op->kind) {
	case SMALL_END: fputs("end", run->out); break;
	case SMALL_LOCK: fprintf(run->out, "acquire l%u", op->object); break;
	case SMALL_UNLOCK: fprintf(run->out, "release l%u", op->object); break;
	case SMALL_TRY:
		fprintf(run->out, s->holder[op->object] ? "try-fail l%u" : "acquire l%u try",
			op->object);
		break;
	case SMALL_FORK: fprintf(run->out, "fork t%u", op->object); break;
	case SMALL_JOIN: fprintf(run->out, "join t%u", op->object); break;
	case SMALL_UNLESS:
	case SMALL_UNLESS_SAME:
	case SMALL_SWITCH:
	case SMALL_ASSERT:
		if (put_register(run, thread, op->reg, 0, what, sizeof(what))) {
			fputs("branch if ", run->out);
			put_condition(run, op, what, s->threads[thread].value[op->reg]);
		} else {
			fputs("branch reads=", run->out);
		}
		break;
	case SMALL_UNLESS_UNTOLD:
		fputs("branch", run->out);
		put_dependence(run, thread, op->reg, "reads=");
		break;
	case SMALL_UNLESS_BARE: fputs("branch", run->out); break;
	case SMALL_WAIT:
	case SMALL_WAIT_LIMITED: put_wait(run, thread, op); break;
	case SMALL_SIGNAL: fputs("signal c", run->out); break;
	case SMALL_BROADCAST: fputs("broadcast c", run->out); break;
	case SMALL_POST: fputs("sem-post s", run->out); break;
	case SMALL_TAKE: fputs("sem-wait s", run->out); break;
	case SMALL_TRY_TAKE: fputs(s->tokens ? "sem-wait s try" : "sem-fail s", run->out); break;
	default: put_access(run, thread, op);
	}
	fprintf(run->out, " @t%u.c:%u\n", thread, s->threads[thread].pc + 1);
}

static const struct small_op *next_op(struct small_run *run, uint32_t thread)
{
	return skip_silent(run->p, &run->state.threads[thread], thread);
}

/* Those have given up that would have to be woken, and are not. False: somebody else sleeps. */
static bool give_up(struct small_run *run, const struct small_op *op, uint32_t wakes)
{
	uint32_t others = asleep(&run->state) & ~wakes;

	if (wakes & ~asleep(&run->state))
		return false;
	for (uint32_t u = 0; u < run->p->threads && !(op->kind == SMALL_SIGNAL && wakes); u++) {
		if (!(others & 1u << u))
			continue;
		if (next_op(run, u)->kind != SMALL_WAIT_LIMITED)
			return false;
		run->state.threads[u].sleeps = GAVE_UP;
	}
	return true;
}

static bool choose_wakes(struct small_run *run, uint32_t thread, uint32_t *wakes, struct random *r)
{
	uint32_t ways = 0, any;

	if (*wakes != SMALL_ANY)
		return give_up(run, next_op(run, thread), *wakes);
	while (way_to_wake(run->p, &run->state, thread, ways, &any))
		ways++;
	return way_to_wake(run->p, &run->state, thread, random_below(r, ways), wakes);
}

bool small_run_step(struct small_run *run, uint32_t thread, uint32_t wakes, struct random *r)
{
	struct thread_state *t = &run->state.threads[thread];

	if (!can_step(run->p, &run->state, thread))
		return false;
	bool signal = !t->failed && !t->sleeps && is_signal(next_op(run, thread));

	if (signal && !choose_wakes(run, thread, &wakes, r))
		return false;
	if (!t->failed && t->sleeps != ASLEEP)
		put_event(run, thread, next_op(run, thread));
	for (uint32_t u = 0; signal && u < SMALL_THREADS; u++)
		if (wakes & 1u << u)
			run->waker[u] = run->events;
	step(run->p, run->h, &run->state, thread, wakes);
	return true;
}

void small_run_on(struct small_run *run, uint32_t first, uint32_t wakes, struct random *r)
{
	uint32_t threads = run->p->threads;

	while (first < threads && small_run_step(run, first, wakes, r))
		wakes = SMALL_ANY;
	for (;;) {
		uint32_t thread = random_below(r, threads), tried = 0;

		while (tried < threads &&
		       !small_run_step(run, (thread + tried) % threads, SMALL_ANY, r))
			tried++;
		if (tried == threads)
			return;
	}
}

struct small_behaviour small_run_behaviour(const struct small_run *run)
{
	return behaviour_of(&run->state);
}

uint32_t small_run_events(const struct small_run *run)
{
	return run->events;
}

/* What threads wait for in the end, and which of them crashed. */
static void put_ends(struct small_run *run)
{
	for (uint32_t t = 0; t < run->p->threads; t++) {
		struct thread_state *thread = &run->state.threads[t];
		const char *key = run->state.over ? "waits" : "seen stuck ;";

		if (!thread->forked || thread->ended)
			continue;
		if (thread->failed) {
			fprintf(run->out, "meta seen crash ; t%u SIGABRT abort\n", t);
			continue;
		}
		const struct small_op *op = skip_silent(run->p, thread, t);

		bool waits = thread->sleeps != AWAKE && thread->sleeps != ASLEEP;

		if (waits)
			fprintf(run->out, "meta woken t%u %u\n", t,
				thread->sleeps == WOKEN ? run->waker[t] : 0);
		if (waits && run->state.holder[op->other])
			fprintf(run->out, "meta %s t%u acquire l%u\n", key, t, op->other);
		if (thread->sleeps == ASLEEP && op->kind == SMALL_WAIT)
			fprintf(run->out, "meta %s t%u woken c\n", key, t);
		if (op->kind == SMALL_TAKE && !run->state.tokens)
			fprintf(run->out, "meta %s t%u sem-wait s\n", key, t);
		if (op->kind == SMALL_LOCK && run->state.holder[op->object])
			fprintf(run->out, "meta %s t%u acquire l%u\n", key, t, op->object);
		if (op->kind == SMALL_JOIN && !run->state.threads[op->object].ended)
			fprintf(run->out, "meta %s t%u join t%u\n", key, t, op->object);
	}
}

char *small_run_trace(struct small_run *run)
{
	put_ends(run);
	fclose(run->out);
	run->out = NULL;
	char *text = run->text;

	run->text = NULL;
	return text;
}
