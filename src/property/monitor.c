/* SPDX-License-Identifier: MIT */
#include "property/script.h"
#include "property/split.h"
#include "property/tune.h"

#include "base/keyed.h"
#include "base/sorted.h"

#include <stdlib.h>
#include <string.h>

struct pair {
	struct csp_process *program; /* C, with PROGRAM in it */
	uint64_t node;		     /* of the specification */
};

struct known_step {
	uint64_t key; /* state and sound, not 0 */
	uint32_t after;
};

struct known_end {
	uint64_t key;	      /* 1 + state */
	uint8_t stuck, ended; /* 0: not known, 1: fine, 2: bad */
};

typedef VEC(struct pair) pair_list;

struct monitor {
	struct script *script;
	struct csp_assertion told;
	size_t assertion;
	struct csp_normal *normal; /* NULL: deadlock freedom */
	/* Of a part: what it can do, and what all can; NULL: it is the whole. */
	const struct event_bits *own, *possible;
	const struct monitor *whole;
	struct split split;	     /* of the whole, */
	VEC(struct monitor *) parts; /* for which these are made when they are asked for */
	bool was_split;
	struct intern pairs; /* of struct pair */
	struct intern sets;  /* of numbers of pairs, ascending; by the states, from MONITOR_START */
	uint32_t start;
	KEYED(struct known_step) known;
	KEYED(struct known_end) ends;
	bool *silent; /* letters */
	bool minds_end;
	struct arena memory; /* of what is told */
	/* scratch */
	pair_list work;
	struct intern seen;
	VEC(uint32_t) events, set;
};

static bool minds_refusals(const struct monitor *m)
{
	return !m->normal || m->told.model != CSP_TRACES;
}

/* Else nobody asks what the visible events are. */
static bool is_refinement(const struct monitor *m)
{
	return m->told.property == CSP_REFINES;
}

bool monitor_minds_stuck(const struct monitor *m)
{
	return minds_refusals(m);
}

bool monitor_minds_end(const struct monitor *m)
{
	return m->minds_end;
}

/* C with PROGRAM in that state; NULL: PROGRAM is not there. */
static int with_program(struct monitor *m, struct csp_process *p, uint64_t state,
			struct csp_process **with, struct err *err)
{
	uint32_t count;
	int code = csp_process_set_outside(m->script->csp, p, state, with, &count, err);

	if (!code && count & CSP_OUTSIDE_MASKED)
		return err_set(err, ERR_INPUT,
			       "%s:%u:%u: PROGRAM cannot stand in chase or prioritise, nor with "
			       "tau priority: what else it could do is not known",
			       m->told.file, m->told.line, m->told.column);
	if (!code && count > 1)
		return err_set(err, ERR_INPUT,
			       "%s:%u:%u: PROGRAM is there more than once; an assertion is about "
			       "one execution of it",
			       m->told.file, m->told.line, m->told.column);
	if (!code && !count)
		*with = NULL;
	return code;
}

/* Does a state of C that makes no step of its own refuse more than it may? */
static int refuses_too_much(struct monitor *m, const struct pair *pair, bool *bad, struct err *err)
{
	const struct csp_step *steps;
	size_t count, n = 0;
	bool stable = true, ends = false, good = true;
	int code = csp_process_steps(m->script->csp, pair->program, &steps, &count, err);

	*bad = false;
	if (code)
		return code;
	m->events.n = 0;
	for (size_t i = 0; i < count; i++) { /* by event */
		stable = stable && steps[i].event != CSP_TAU;
		ends = ends || steps[i].event == CSP_TICK;
		if (steps[i].event != CSP_TAU && (!n || m->events.at[n - 1] != steps[i].event)) {
			vec_push(&m->events, steps[i].event);
			n++;
		}
	}
	if (!stable && !ends)
		return 0;
	if (!m->normal) {
		*bad = !n && !csp_process_ended(pair->program);
		return 0;
	}
	if (csp_process_ended(pair->program))
		return 0;
	code = csp_normal_allows(m->normal, (uint32_t)pair->node, m->events.at, n, ends, &good,
				 err);
	*bad = !code && !good;
	return code;
}

static void add_work(struct monitor *m, struct csp_process *p, uint64_t node)
{
	struct pair pair = {p, node};
	size_t before = m->seen.strings.n;

	intern_add(&m->seen, (const char *)&pair, sizeof(pair));
	if (m->seen.strings.n > before)
		vec_push(&m->work, pair);
}

/* Of a part: an event that other parts decide about, or nobody can do. */
static bool is_for_others(const struct monitor *m, uint32_t event)
{
	return m->own && event > CSP_TICK && !event_bits_has(m->own, event);
}

static int follow(struct monitor *m, const struct csp_step *step, uint64_t node, bool *bad,
		  struct err *err)
{
	uint32_t after = (uint32_t)node;
	int code = 0;

	if (is_for_others(m, step->event))
		after = event_bits_has(m->possible, step->event) ? after : CSP_NODE_NONE;
	else if (step->event != CSP_TAU && m->normal)
		code = csp_normal_after(m->normal, (uint32_t)node, step->event, &after, err);
	if (!code && after == CSP_NODE_NONE)
		*bad = true;
	else if (!code)
		add_work(m, step->to, after);
	return code;
}

/* All that C may come to by steps of its own from the pairs in work. */
static int close_work(struct monitor *m, bool *bad, struct err *err)
{
	int code = 0;

	for (size_t i = 0; !code && !*bad && i < m->work.n; i++) {
		struct pair pair = m->work.at[i];
		const struct csp_step *steps;
		size_t count = 0;

		code = csp_process_steps(m->script->csp, pair.program, &steps, &count, err);
		for (size_t k = 0; !code && !*bad && k < count; k++) {
			/* the list may move */
			struct csp_step step = steps[k];

			code = follow(m, &step, pair.node, bad, err);
			if (!code && !*bad)
				code = csp_process_steps(m->script->csp, pair.program, &steps,
							 &count, err);
		}
	}
	return code;
}

static void begin_work(struct monitor *m)
{
	m->work.n = 0;
	intern_release(&m->seen);
	memset(&m->seen, 0, sizeof(m->seen));
}

/* Those that refuse too much: without PROGRAM any, else only if that is stuck. */
static int look_at_refusals(struct monitor *m, bool stuck, bool *bad, struct err *err)
{
	for (size_t i = 0; minds_refusals(m) && !*bad && i < m->work.n; i++) {
		bool without = csp_process_outside_state(m->script->csp, m->work.at[i].program) ==
			       UINT64_MAX;

		if ((stuck || without) && refuses_too_much(m, &m->work.at[i], bad, err) < 0)
			return err->code;
	}
	return 0;
}

/* The state of the pairs in work, which are closed. What is without PROGRAM hears nothing more. */
static uint32_t state_of_work(struct monitor *m)
{
	m->set.n = 0;
	for (size_t i = 0; i < m->work.n; i++)
		if (csp_process_outside_state(m->script->csp, m->work.at[i].program) != UINT64_MAX)
			vec_push(&m->set, intern_add(&m->pairs, (const char *)&m->work.at[i],
						     sizeof(struct pair)));
	if (!m->set.n)
		return MONITOR_DEAD;
	qsort(m->set.at, m->set.n, sizeof(*m->set.at), sorted_compare_u32);
	return MONITOR_START +
	       intern_add(&m->sets, (const char *)m->set.at, m->set.n * sizeof(*m->set.at));
}

static int finish_work(struct monitor *m, uint32_t *state, struct err *err)
{
	bool bad = false;
	int code = close_work(m, &bad, err);

	if (!code)
		code = look_at_refusals(m, false, &bad, err);
	if (!code)
		*state = bad ? MONITOR_BAD : state_of_work(m);
	return code;
}

static struct pair pair_of(const struct monitor *m, uint32_t state, uint32_t i)
{
	const uint32_t *set = (const uint32_t *)intern_text(&m->sets, state - MONITOR_START);
	struct pair pair;

	memcpy(&pair, intern_text(&m->pairs, set[i]), sizeof(pair));
	return pair;
}

static uint32_t pair_count(const struct monitor *m, uint32_t state)
{
	return m->sets.strings.at[state - MONITOR_START].length / (uint32_t)sizeof(uint32_t);
}

/*
 * Is the step one that C makes whether PROGRAM has something to say or not? PROGRAM is about to do
 * it behind the step, too; or C threw PROGRAM away, as it can while that waits. (Where PROGRAM has
 * done it, C may come to the same place by a step of its own: that is another one.)
 */
static int is_own_step(struct monitor *m, struct csp_process *waits, uint64_t does,
		       struct csp_step step, bool *own, struct err *err)
{
	uint64_t now = csp_process_outside_state(m->script->csp, step.to);
	const struct csp_step *steps;
	size_t count = 0;
	int code = 0;

	*own = now == does;
	if (now == UINT64_MAX)
		code = csp_process_steps(m->script->csp, waits, &steps, &count, err);
	for (size_t i = 0; !code && i < count; i++)
		*own = *own || (steps[i].event == step.event && steps[i].to == step.to);
	return code;
}

/* The steps by which PROGRAM does what it is about to do, for each: told to `take`. */
typedef int take_step(struct monitor *m, const struct csp_step *step, uint64_t node, bool *bad,
		      struct err *err);

static int program_steps(struct monitor *m, struct pair pair, uint64_t does, take_step *take,
			 bool *bad, struct err *err)
{
	struct csp_process *ready;
	const struct csp_step *steps;
	size_t count = 0;
	int code = with_program(m, pair.program, does, &ready, err);

	for (size_t i = 0; !code && !*bad && (!i || i < count) && ready; i++) {
		code = csp_process_steps(m->script->csp, ready, &steps, &count, err);
		if (code || i >= count)
			break;
		struct csp_step step = steps[i];
		bool own;

		code = is_own_step(m, pair.program, does, step, &own, err);
		if (!code && !own)
			code = take(m, &step, pair.node, bad, err);
	}
	return code;
}

/* PROGRAM does one thing in all pairs of the state; then the pairs in work are closed. */
static int do_in_all(struct monitor *m, uint32_t state, uint64_t does, bool *bad, struct err *err)
{
	int code = 0;

	begin_work(m);
	for (uint32_t i = 0; !code && !*bad && i < pair_count(m, state); i++)
		code = program_steps(m, pair_of(m, state, i), does, follow, bad, err);
	return code;
}

static int after_letter(struct monitor *m, uint32_t *state, uint32_t letter, struct err *err)
{
	bool bad = false;
	int code = do_in_all(m, *state, PROGRAM_DOES(letter), &bad, err);

	if (!code && bad)
		*state = MONITOR_BAD;
	return code || bad ? code : finish_work(m, state, err);
}

int monitor_after(struct monitor *m, uint32_t state, uint32_t event, uint32_t *after,
		  struct err *err)
{
	uint32_t number = m->script->given->sound_of[event];

	*after = state;
	if (state < MONITOR_START || !number)
		return 0;
	uint64_t key = (uint64_t)state << 32 | number;
	struct known_step *known = keyed_find(&m->known, key);

	if (known) {
		*after = known->after;
		return 0;
	}
	const struct sound *sound = given_sound(m->script->given, number - 1);
	int code = 0;

	for (uint32_t i = 0; !code && *after >= MONITOR_START && i < sound->count; i++)
		if (!m->silent[sound->letters[i]])
			code = after_letter(m, after, sound->letters[i], err);
	if (code)
		return code;
	known = keyed_slot(&m->known, key);
	*known = (struct known_step){key, *after};
	m->known.n++;
	return 0;
}

bool monitor_hears(const struct monitor *m, uint32_t event)
{
	uint32_t number = m->script->given->sound_of[event];

	if (!number)
		return false;
	const struct sound *sound = given_sound(m->script->given, number - 1);

	for (uint32_t i = 0; i < sound->count; i++)
		if (!m->silent[sound->letters[i]])
			return true;
	return false;
}

uint32_t monitor_start(const struct monitor *m)
{
	return m->start;
}

uint32_t monitor_states(const struct monitor *m)
{
	return (uint32_t)m->sets.strings.n;
}

/* Ends */

static int find_stuck(struct monitor *m, uint32_t state, bool *bad, struct err *err)
{
	begin_work(m);
	for (uint32_t i = 0; i < pair_count(m, state); i++) {
		struct pair pair = pair_of(m, state, i);

		add_work(m, pair.program, pair.node);
	}
	return look_at_refusals(m, true, bad, err);
}

static int find_ended(struct monitor *m, uint32_t state, bool *bad, struct err *err)
{
	int code = do_in_all(m, state, PROGRAM_ENDS, bad, err);

	if (!code && !*bad)
		code = close_work(m, bad, err);
	if (!code && !*bad)
		code = look_at_refusals(m, false, bad, err);
	return code;
}

static int end_of(struct monitor *m, uint32_t state, bool ended, bool *bad, struct err *err)
{
	*bad = state == MONITOR_BAD;
	if (state < MONITOR_START || (!ended && !minds_refusals(m)))
		return 0;
	struct known_end *known = keyed_slot(&m->ends, (uint64_t)state + 1);

	if (!known->key) {
		*known = (struct known_end){.key = (uint64_t)state + 1};
		m->ends.n++;
	}
	uint8_t *answer = ended ? &known->ended : &known->stuck;
	int code = 0;

	if (!*answer) {
		code = ended ? find_ended(m, state, bad, err) : find_stuck(m, state, bad, err);
		if (!code)
			*answer = *bad ? 2 : 1;
	}
	*bad = *answer == 2;
	return code;
}

int monitor_if_stuck(struct monitor *m, uint32_t state, bool *bad, struct err *err)
{
	return end_of(m, state, false, bad, err);
}

int monitor_if_ended(struct monitor *m, uint32_t state, bool *bad, struct err *err)
{
	return end_of(m, state, true, bad, err);
}

/* For people */

bool monitor_place(struct monitor *m, uint32_t state, struct monitor_place *place)
{
	struct csp *csp = m->script->csp;
	struct err err;
	const uint32_t *events;
	size_t count;

	*place = (struct monitor_place){0};
	if (state < MONITOR_START || !m->normal)
		return false;
	uint32_t node = (uint32_t)pair_of(m, state, 0).node;

	if (csp_normal_initials(m->normal, node, &events, &count, &err) < 0)
		return false;
	uint32_t listed = count < MONITOR_ALLOWED_MOST ? (uint32_t)count : MONITOR_ALLOWED_MOST;

	place->at = csp_process_text(csp, csp_normal_state(m->normal, node));
	place->allowed = arena_alloc(&m->memory, (listed + 1) * sizeof(*place->allowed));
	for (; place->count < listed; place->count++)
		place->allowed[place->count] = csp_event_text(csp, events[place->count]);
	place->more = (uint32_t)count - listed;
	return true;
}

/* What C hears, whatever the specification */

struct listening {
	VEC(struct csp_process *) terms;
	struct intern known;
	struct csp_process *term; /* at hand */
	bool found;		  /* PROGRAM is there */
};

static void add_term(struct listening *l, struct csp_process *p)
{
	size_t before = l->known.strings.n;

	intern_add(&l->known, (const char *)&p, sizeof(p));
	if (l->known.strings.n > before)
		vec_push(&l->terms, p);
}

/* The steps that C makes alone. */
static int add_own_steps(struct monitor *m, struct listening *l, struct err *err)
{
	const struct csp_step *steps;
	size_t count;
	int code = csp_process_steps(m->script->csp, l->term, &steps, &count, err);

	for (size_t i = 0; !code && i < count; i++)
		add_term(l, steps[i].to);
	return code;
}

/* Does the specification not mind the event? */
static bool is_without_effect(const struct monitor *m, uint32_t event)
{
	return event == CSP_TAU || !is_refinement(m) ||
	       (is_for_others(m, event) && event_bits_has(m->possible, event));
}

static int listen_letter(struct monitor *m, struct listening *l, uint32_t letter, struct err *err)
{
	uint64_t does = PROGRAM_DOES(letter);
	uint32_t by_program = 0;
	struct csp_process *ready;
	const struct csp_step *steps;
	size_t count = 0;
	int code = with_program(m, l->term, does, &ready, err);

	if (code || !ready)
		return code;
	l->found = true;
	for (size_t i = 0; !code && (!i || i < count); i++) {
		code = csp_process_steps(m->script->csp, ready, &steps, &count, err);
		if (code || i >= count)
			break;
		struct csp_step step = steps[i];
		bool own;

		code = is_own_step(m, l->term, does, step, &own, err);
		if (code || own)
			continue;
		by_program++;
		add_term(l, step.to);
		if (step.to != l->term || !is_without_effect(m, step.event))
			m->silent[letter] = false;
	}
	if (by_program != 1)
		m->silent[letter] = false;
	return code;
}

/* The same for `endthreads`, behind which PROGRAM is another one. */
static int listen_end(struct monitor *m, struct csp_process *term, struct err *err)
{
	struct csp_process *ready, *ended = NULL;
	const struct csp_step *steps;
	size_t count = 0;
	uint32_t by_program = 0;
	int code = with_program(m, term, PROGRAM_ENDS, &ready, err);

	if (!code && ready)
		code = with_program(m, term, PROGRAM_ENDED, &ended, err);
	for (size_t i = 0; !code && ready && (!i || i < count); i++) {
		code = csp_process_steps(m->script->csp, ready, &steps, &count, err);
		if (code || i >= count)
			break;
		struct csp_step step = steps[i];
		bool own;

		code = is_own_step(m, term, PROGRAM_ENDS, step, &own, err);
		if (code || own)
			continue;
		by_program++;
		if (step.to != ended || !is_without_effect(m, step.event))
			m->minds_end = true;
	}
	if (ready && by_program != 1)
		m->minds_end = true;
	return code;
}

static int listen(struct monitor *m, struct csp_process *impl, bool *found, struct err *err)
{
	uint32_t letters = (uint32_t)m->script->given->letters.strings.n;
	struct listening l = {0};
	uint64_t looks = 0;
	int code = 0;

	memset(m->silent, true, letters * sizeof(*m->silent));
	add_term(&l, impl);
	for (size_t i = 0; !code && i < l.terms.n; i++) {
		l.term = l.terms.at[i];
		code = add_own_steps(m, &l, err);
		if (!code)
			code = listen_end(m, l.term, err);
		/* what the whole does not hear, no part does */
		for (uint32_t k = 0; !code && k < letters; k++)
			if (!m->whole || !m->whole->silent[k]) {
				code = listen_letter(m, &l, k, err);
				looks++;
			}
		if (l.terms.n > property_tune.terms_most || looks > property_tune.looks_most) {
			memset(m->silent, false, letters * sizeof(*m->silent));
			m->minds_end = true;
			break;
		}
	}
	*found = l.found || !letters || m->whole;
	vec_release(&l.terms);
	intern_release(&l.known);
	return code;
}

/* An assertion that one execution can break. */
static int check_kind(const struct csp_assertion *told, struct err *err)
{
	const char *why = NULL;

	if (told->negated)
		why = "`not` is not shown by one execution";
	else if (told->property != CSP_REFINES && told->property != CSP_DEADLOCK_FREE)
		why = "of a program, only refinement and deadlock freedom can be asked";
	else if (told->model == CSP_FAILURES_DIVERGENCES && told->property == CSP_REFINES)
		why = "no program diverges here: ask with [F=";
	return why ? err_set(err, ERR_INPUT, "%s:%u:%u: %s", told->file, told->line, told->column,
			     why)
		   : 0;
}

/* part: of the specification; NULL: all of it. */
static int start(struct monitor *m, struct csp_process *part, struct err *err)
{
	struct csp *csp = m->script->csp;
	struct csp_process *left, *right, *impl;
	bool found;

	if (check_kind(&m->told, err) < 0 ||
	    csp_assertion_sides(csp, m->assertion, &left, &right, err) < 0 ||
	    with_program(m, right ? right : left, PROGRAM_WAITS, &impl, err) < 0)
		return err->code;
	impl = impl ? impl : right ? right : left;
	if (listen(m, impl, &found, err) < 0)
		return err->code;
	if (!found)
		return err_set(err, ERR_INPUT,
			       "%s:%u:%u: this assertion does not speak of PROGRAM: norn csp "
			       "decides it",
			       m->told.file, m->told.line, m->told.column);
	if (right && csp_normal_new(csp, part ? part : left, m->told.model, &m->normal, err) < 0)
		return err->code;
	begin_work(m);
	add_work(m, impl, 0);
	return finish_work(m, &m->start, err);
}

static struct monitor *new_monitor(struct script *script, size_t assertion)
{
	struct monitor *m = mem_alloc_zero(1, sizeof(*m));

	m->script = script;
	m->assertion = assertion;
	m->told = csp_assertion(script->csp, assertion);
	m->silent = mem_alloc_zero(script->given->letters.strings.n + 1, sizeof(*m->silent));
	return m;
}

struct monitor *monitor_new(struct script *script, size_t assertion, struct err *err)
{
	struct monitor *m = new_monitor(script, assertion);

	if (!start(m, NULL, err))
		return m;
	monitor_free(m);
	return NULL;
}

/* Parts */

static int split(struct monitor *m, struct err *err)
{
	struct csp_process *left, *right;

	if (m->was_split)
		return 0;
	m->was_split = true;
	/* what is refused is not a matter of one part */
	if (!m->normal || m->told.model != CSP_TRACES)
		return 0;
	if (csp_assertion_sides(m->script->csp, m->assertion, &left, &right, err) < 0 ||
	    split_make(&m->split, m->script->csp, left, err) < 0)
		return err->code;
	if (m->split.parts.n > 1)
		vec_extend(&m->parts, m->split.parts.n);
	return 0;
}

int monitor_part_count(struct monitor *m, uint32_t *count, struct err *err)
{
	int code = split(m, err);

	*count = m->parts.n ? (uint32_t)m->parts.n : 1;
	return code;
}

struct monitor *monitor_part(struct monitor *m, uint32_t i, struct err *err)
{
	if (!m->parts.n)
		return m;
	struct monitor *part = m->parts.at[i];

	if (part)
		return part;
	part = new_monitor(m->script, m->assertion);
	part->own = &m->split.parts.at[i].events;
	part->possible = &m->split.possible;
	part->whole = m;
	if (start(part, m->split.parts.at[i].process, err) < 0) {
		monitor_free(part);
		return NULL;
	}
	return m->parts.at[i] = part;
}

void monitor_free(struct monitor *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->parts.n; i++)
		monitor_free(m->parts.at[i]);
	vec_release(&m->parts);
	split_release(&m->split);
	csp_normal_free(m->normal);
	intern_release(&m->pairs);
	intern_release(&m->sets);
	intern_release(&m->seen);
	mem_free(m->known.at);
	mem_free(m->ends.at);
	mem_free(m->silent);
	vec_release(&m->work);
	vec_release(&m->events);
	vec_release(&m->set);
	arena_release(&m->memory);
	mem_free(m);
}
