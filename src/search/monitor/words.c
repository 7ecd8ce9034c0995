/* SPDX-License-Identifier: MIT */
#include "search/monitor/words.h"
#include "search/monitor/tune.h"

#include "base/log.h"
#include "base/seconds.h"

#include <string.h>

#define SECONDS_LEAST 0.001

/* The events of one thread that are heard. */
struct listener {
	uint32_t thread;
	VEC(uint32_t) events;
};

/* That these hold together is no execution's: pairs as in search/engine.h. */
struct core {
	VEC(uint32_t) pairs;
};

enum hope { HOPE_UNKNOWN, HOPE_NONE, HOPE_SOME };

struct words {
	const struct index *index;
	const struct words_options *options;
	struct monitor *monitor;
	VEC(struct listener) listeners;
	/* How far each is, then the monitor's state. */
	uint32_t *at;
	struct intern states; /* of these, numbered as: */
	VEC(uint8_t) hopes;
	bool too_many;
	VEC(uint32_t) word;
	uint32_t *place; /* of each event: 1 + its place in the word, or 0 */
	VEC(struct core) cores;
	VEC(uint32_t) lasts; /* of words that were asked about at a glance */
	uint64_t visits, asked;
	enum answer answer;
	bool open; /* something was not decided */
	struct witness *w;
	struct err *why;
	int code;
};

static void find_listeners(struct words *x)
{
	uint32_t *number = mem_alloc_zero(x->index->thread_count + 1, sizeof(*number));

	for (uint32_t n = 1; n <= x->index->count; n++) {
		uint32_t thread = x->index->events[n].thread;
		struct listener fresh = {.thread = thread};

		if (!monitor_hears(x->monitor, n))
			continue;
		if (!number[thread]) {
			vec_push(&x->listeners, fresh);
			number[thread] = (uint32_t)x->listeners.n;
		}
		vec_push(&x->listeners.at[number[thread] - 1].events, n);
	}
	mem_free(number);
}

static uint32_t next_of(const struct words *x, size_t i)
{
	const struct listener *l = &x->listeners.at[i];

	return x->at[i] < l->events.n ? l->events.at[x->at[i]] : 0;
}

/* Has the first come, or been skipped, before the second in every execution that has this? */
static bool is_before(const struct words *x, uint32_t first, uint32_t second)
{
	const struct causes *causes = x->options->causes;
	const struct event *e = &x->index->events[first];

	return past_has(x->options->past, x->index, second, first) ||
	       (causes && causes_count(causes, second, e->thread) > x->index->position[first]);
}

/* All that comes before it in every execution has been passed. */
static bool may_come(const struct words *x, uint32_t event)
{
	for (size_t i = 0; i < x->listeners.n; i++) {
		uint32_t next = next_of(x, i);

		if (next && next != event && is_before(x, next, event))
			return false;
	}
	return true;
}

/* It may be passed without being heard. */
static bool may_be_skipped(const struct words *x, uint32_t event)
{
	return x->options->model == MODEL_VALUES && index_arm(x->index, event);
}

static uint32_t *monitor_state(const struct words *x)
{
	return &x->at[x->listeners.n];
}

static bool is_over(const struct words *x)
{
	return budget_ended(&x->options->budget, x->options->deadline);
}

static uint32_t state_number(struct words *x)
{
	uint32_t number =
		intern_add(&x->states, (const char *)x->at, (x->listeners.n + 1) * sizeof(*x->at));

	vec_extend(&x->hopes, (size_t)number + 1);
	return number;
}

/* Where all threads may have ended, the end itself may be bad: that is not for the solver. */
static bool ends_badly(struct words *x)
{
	bool bad = false;

	for (size_t i = 0; i < x->listeners.n; i++)
		if (next_of(x, i))
			return false;
	if (monitor_if_ended(x->monitor, *monitor_state(x), &bad, x->why) < 0)
		x->code = x->why->code;
	return bad;
}

/* Can something bad come from here, as far as what always comes first tells? */
static bool has_hope(struct words *x)
{
	uint32_t number = state_number(x), before = *monitor_state(x);
	bool hope = false;

	if (before == MONITOR_BAD)
		return true;
	if (before == MONITOR_DEAD || x->code)
		return false;
	if (x->hopes.at[number] != HOPE_UNKNOWN)
		return x->hopes.at[number] == HOPE_SOME;
	if (x->states.strings.n > monitor_tune.word_states || (number % 1024 == 0 && is_over(x))) {
		x->too_many = true;
		return true;
	}
	hope = ends_badly(x);
	for (size_t i = 0; !hope && !x->code && i < x->listeners.n; i++) {
		uint32_t event = next_of(x, i), after;

		if (!event || !may_come(x, event))
			continue;
		x->code = monitor_after(x->monitor, before, event, &after, x->why);
		if (x->code)
			break;
		x->at[i]++;
		*monitor_state(x) = after;
		hope = has_hope(x);
		*monitor_state(x) = before;
		hope = hope || (may_be_skipped(x, event) && has_hope(x));
		x->at[i]--;
	}
	x->hopes.at[number] = hope ? HOPE_SOME : HOPE_NONE;
	return hope;
}

/* Cores */

static bool holds(const struct words *x, uint32_t first, uint32_t second, bool at_end)
{
	if (!second)
		return at_end && !x->place[first];
	return x->place[second] &&
	       (!first || (x->place[first] && x->place[first] < x->place[second]));
}

/* Is something in the word that no execution has? at_end: nothing comes behind it. */
static bool is_blocked(const struct words *x, bool at_end)
{
	for (size_t i = 0; i < x->cores.n; i++) {
		const struct core *c = &x->cores.at[i];
		size_t k = 0;

		while (k < c->pairs.n && holds(x, c->pairs.at[k], c->pairs.at[k + 1], at_end))
			k += 2;
		if (k >= c->pairs.n)
			return true;
	}
	return false;
}

static void put_pair(struct core *c, uint32_t first, uint32_t second)
{
	vec_push(&c->pairs, first);
	vec_push(&c->pairs, second);
}

/* The word, and that of each thread the next one that is heard has not happened, nor what it
 * skipped. */
static void describe(const struct words *x, struct core *c)
{
	put_pair(c, 0, x->word.at[0]);
	for (size_t i = 0; i + 1 < x->word.n; i++)
		put_pair(c, x->word.at[i], x->word.at[i + 1]);
	for (size_t i = 0; i < x->listeners.n; i++) {
		const struct listener *l = &x->listeners.at[i];

		for (uint32_t k = 0; k <= x->at[i] && k < l->events.n; k++)
			if (!x->place[l->events.at[k]])
				put_pair(c, l->events.at[k], 0);
	}
}

static enum answer ask(struct words *x, const struct core *c, struct witness *w)
{
	struct query q = {BUG_PROPERTY, (uint32_t)c->pairs.n, c->pairs.at};
	double left = x->options->deadline > 0 ? x->options->deadline - seconds_spent() : 0;

	if (!x->options->order || x->asked >= x->options->asked_most || is_over(x))
		return UNDECIDED;
	x->asked++;
	/* more than 0, which would be no limit */
	x->options->order->options.budget.seconds =
		x->options->deadline > 0 && left < SECONDS_LEAST ? SECONDS_LEAST : left;
	return engine_ask(x->options->order, &q, w);
}

/* The same without what is not needed for that it is impossible. */
static void make_small(struct words *x, struct core *c)
{
	for (size_t i = c->pairs.n; i >= 2 && c->pairs.n > 2; i -= 2) {
		struct core less = {0};
		struct witness w = {0};

		for (size_t k = 0; k < c->pairs.n; k++)
			if (k != i - 2 && k != i - 1)
				vec_push(&less.pairs, c->pairs.at[k]);
		enum answer answer = ask(x, &less, &w);

		witness_release(&w);
		if (answer == REFUTED) {
			vec_release(&c->pairs);
			*c = less;
		} else {
			vec_release(&less.pairs);
		}
	}
}

/* Was a word asked about before that ends with the same event? */
static bool was_last(struct words *x)
{
	uint32_t last = x->word.at[x->word.n - 1];

	for (size_t i = 0; i < x->lasts.n; i++)
		if (x->lasts.at[i] == last)
			return true;
	vec_push(&x->lasts, last);
	return false;
}

static bool is_heard(const void *context, uint32_t event)
{
	return monitor_hears(context, event);
}

/* A bad word: is it that of an execution? */
static void try_word(struct words *x)
{
	struct core c = {0};

	if (is_blocked(x, true))
		return;
	if (x->options->realiser &&
	    realise(x->options->realiser, is_heard, x->monitor, x->word.at, x->word.n, x->w)) {
		x->answer = PROVED;
		return;
	}
	if (x->options->glance && was_last(x)) {
		x->open = true;
		return;
	}
	describe(x, &c);
	enum answer answer = ask(x, &c, x->w);

	if (answer == REFUTED) {
		if (!x->options->glance)
			make_small(x, &c);
		vec_push(&x->cores, c);
		return;
	}
	vec_release(&c.pairs);
	if (answer == PROVED)
		x->answer = PROVED;
	else
		x->open = true;
}

static void look(struct words *x);

/* Goes on with the event, heard or not. */
static void go_on(struct words *x, size_t i, uint32_t event, bool heard)
{
	uint32_t before = *monitor_state(x);

	if (heard) {
		x->code = monitor_after(x->monitor, before, event, monitor_state(x), x->why);
		vec_push(&x->word, event);
		x->place[event] = (uint32_t)x->word.n;
	}
	x->at[i]++;
	if (!x->code)
		look(x);
	x->at[i]--;
	if (heard) {
		x->word.n--;
		x->place[event] = 0;
	}
	*monitor_state(x) = before;
}

/* All bad words that begin so, those in the recorded order first. */
static void look(struct words *x)
{
	uint32_t last = 0;

	if (*monitor_state(x) == MONITOR_BAD) {
		try_word(x);
		return;
	}
	if (!has_hope(x) || is_blocked(x, false))
		return;
	if (x->visits++ > monitor_tune.word_visits ||
	    (x->asked && x->asked >= x->options->asked_most) || is_over(x)) {
		x->open = true;
		return;
	}
	x->open = x->open || ends_badly(x);
	for (;;) {
		size_t best = x->listeners.n;

		for (size_t i = 0; i < x->listeners.n; i++) {
			uint32_t next = next_of(x, i);

			if (next > last && (best == x->listeners.n || next < next_of(x, best)) &&
			    may_come(x, next))
				best = i;
		}
		if (best == x->listeners.n || x->answer == PROVED || x->code)
			return;
		last = next_of(x, best);
		go_on(x, best, last, true);
		if (x->answer != PROVED && !x->code && may_be_skipped(x, last))
			go_on(x, best, last, false);
	}
}

static size_t count_heard(const struct words *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->listeners.n; i++)
		n += x->listeners.at[i].events.n;
	return n;
}

static enum answer search(struct words *x)
{
	*monitor_state(x) = monitor_start(x->monitor);
	if (*monitor_state(x) == MONITOR_BAD || count_heard(x) > monitor_tune.heard_most) {
		err_set(x->why, ERR_LIMIT, "too many events are heard");
		return UNDECIDED;
	}
	if (!has_hope(x) && !x->code && !x->too_many)
		return REFUTED;
	if (!x->code)
		look(x);
	if (x->code)
		return UNDECIDED;
	if (x->answer == PROVED)
		return PROVED;
	if (!x->open)
		return REFUTED;
	err_set(x->why, ERR_LIMIT, "%llu orders were asked about, and there are more",
		(unsigned long long)x->asked);
	return UNDECIDED;
}

static void release(struct words *x)
{
	for (size_t i = 0; i < x->listeners.n; i++)
		vec_release(&x->listeners.at[i].events);
	for (size_t i = 0; i < x->cores.n; i++)
		vec_release(&x->cores.at[i].pairs);
	vec_release(&x->listeners);
	vec_release(&x->cores);
	vec_release(&x->lasts);
	vec_release(&x->hopes);
	vec_release(&x->word);
	intern_release(&x->states);
	mem_free(x->at);
	mem_free(x->place);
}

enum answer words_search(const struct index *index, struct monitor *monitor,
			 const struct words_options *options, struct witness *w, struct err *why)
{
	struct words x = {.index = index,
			  .options = options,
			  .monitor = monitor,
			  .w = w,
			  .why = why,
			  .answer = UNDECIDED};

	find_listeners(&x);
	x.at = mem_alloc_zero(x.listeners.n + 1, sizeof(*x.at));
	x.place = mem_alloc_zero((size_t)index->count + 1, sizeof(*x.place));
	enum answer answer = search(&x);

	LOG(LOG_EXPLORE, 1, "words: %zu heard, %zu states, %llu asked, %zu learned: %s",
	    count_heard(&x), x.states.strings.n, (unsigned long long)x.asked, x.cores.n,
	    engine_answer_text[answer]);
	if (answer == PROVED) {
		w->bug = BUG_PROPERTY;
		w->model = options->model;
		w->monitor = monitor;
	}
	release(&x);
	return answer;
}
