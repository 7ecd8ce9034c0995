/* SPDX-License-Identifier: MIT */
#include "predict/pairs.h"

#include "base/sorted.h"
#include "deadlock/cycles.h"
#include "deadlock/waits.h"
#include "model/sections.h"
#include "order/order.h"
#include "search/explore/stuck.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_finding(struct pairs *p, const struct witness *w)
{
	struct pairs_finding f = {p->numbers.n, w->bug_events.n, w};

	for (size_t i = 0; i < f.count; i++)
		vec_push(&p->numbers, w->bug_events.at[i]);
	qsort(p->numbers.at + f.first, f.count, sizeof(*p->numbers.at), sorted_compare_u64);
	vec_push(&p->found, f);
}

static int run_explorer(struct pairs *p, struct err *err)
{
	return explore(p->index, p->model, &p->limits, &p->explored, err);
}

static int explore_races(struct pairs *p, struct err *err)
{
	int code = run_explorer(p, err);

	for (size_t i = 0; i < p->explored.bugs[BUG_RACE].n; i++)
		add_finding(p, &p->explored.bugs[BUG_RACE].at[i].witness);
	return code;
}

/* True: it is decided, and if it is a bug there is a finding. */
static bool ask_engine(struct pairs *p, struct engine *e, const struct query *q)
{
	struct witness w;
	enum answer answer = engine_ask(e, q, &w);

	if (answer == PROVED) {
		struct witness *kept = mem_alloc(sizeof(*kept));

		*kept = w;
		vec_push(&p->proved, kept);
		add_finding(p, kept);
	}
	return answer != UNDECIDED;
}

/* What may be a bug, as its events: those of query i end at ends[i]. */
struct nominated {
	VEC(uint32_t) events;
	VEC(size_t) ends;
	struct intern seen;  /* sets of events */
	uint64_t bytes_most; /* 0: no limit */
	bool too_many;
};

static void nominate(struct nominated *n, const uint32_t *events, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		vec_push(&n->events, events[i]);
	vec_push(&n->ends, n->events.n);
}

static void nominated_release(struct nominated *n)
{
	vec_release(&n->events);
	vec_release(&n->ends);
	intern_release(&n->seen);
}

static int set_undecided(const struct pairs *p, const struct query *q, const struct err *why,
			 struct err *err)
{
	char second[20] = "";

	if (q->count > 1)
		snprintf(second, sizeof(second), "%c%u", p->analysis.between, q->events[1]);
	return err_set(err, ERR_LIMIT, "%u%s%s is undecided: %.400s", q->events[0], second,
		       q->count > 2 ? ",…" : "", why->message);
}

static int ask_all(struct pairs *p, enum bug_kind bug, const struct nominated *n, struct err *err)
{
	struct engine_options options = {
		.model = p->model,
		.budget.bytes = p->limits.bytes,
	};
	struct engine *e = engine_start(p->engine, p->index, &options, err);

	if (!e)
		return err->code;
	int code = 0;

	for (size_t i = 0; !code && i < n->ends.n; i++) {
		size_t first = i ? n->ends.at[i - 1] : 0;
		struct query q = {bug, (uint32_t)(n->ends.at[i] - first), n->events.at + first};

		if (!ask_engine(p, e, &q))
			code = set_undecided(p, &q, &e->why, err);
	}
	engine_finish(e);
	return code;
}

/* Asks about each pair that quick nominates: every race is among them. */
static int ask_races(struct pairs *p, struct err *err)
{
	struct order_pairs candidates = {0};
	struct nominated n = {0};
	int code = order_pairs(order_by_name("quick"), p->index, 0, &candidates, err);

	for (size_t i = 0; i < candidates.pairs.n; i++)
		nominate(&n, (uint32_t[]){candidates.pairs.at[i].a, candidates.pairs.at[i].b}, 2);
	vec_release(&candidates.pairs);
	if (code >= 0)
		code = ask_all(p, BUG_RACE, &n, err);
	nominated_release(&n);
	return code;
}

static int find_races(struct pairs *p, struct err *err)
{
	return p->engine == &engine_explore ? explore_races(p, err) : ask_races(p, err);
}

/* A set that waits in two cycles waits in both at once: one is enough. */
static bool nominate_ring(void *context, const uint32_t *events, uint32_t n)
{
	struct nominated *nominated = context;
	size_t before = nominated->seen.strings.n;
	uint32_t *set = mem_alloc(n * sizeof(*set));

	memcpy(set, events, n * sizeof(*set));
	qsort(set, n, sizeof(*set), sorted_compare_u32);
	intern_add(&nominated->seen, (const char *)set, n * sizeof(*set));
	mem_free(set);
	if (nominated->seen.strings.n > before)
		nominate(nominated, events, n);
	/* of each event here and in the set, of each set where it stands and its hash */
	uint64_t bytes = 4 * sizeof(uint32_t) * nominated->events.n +
			 2 *
				 (sizeof(struct interned) + 4 * sizeof(*nominated->seen.slots) +
				  sizeof(size_t)) *
				 nominated->ends.n;

	nominated->too_many = nominated->bytes_most && bytes > nominated->bytes_most;
	return !nominated->too_many;
}

static int compare_findings(const void *a, const void *b, void *context)
{
	const struct pairs_finding *x = a, *y = b;
	const uint64_t *numbers = context;

	for (size_t i = 0; i < x->count && i < y->count; i++)
		if (numbers[x->first + i] != numbers[y->first + i])
			return numbers[x->first + i] < numbers[y->first + i] ? -1 : 1;
	return x->count < y->count ? -1 : x->count > y->count;
}

static void sort_findings(struct pairs *p)
{
	if (p->found.n)
		qsort_r(p->found.at, p->found.n, sizeof(*p->found.at), compare_findings,
			p->numbers.at);
}

/* Asks about each ring of acquires: every deadlock is one. */
static int ask_deadlocks(struct pairs *p, struct err *err)
{
	struct cycles *cycles = cycles_new(p->index);
	struct nominated n = {.bytes_most = p->limits.bytes};

	cycles_all_rings(cycles, 0, nominate_ring, &n);
	cycles_free(cycles);
	int code = n.too_many ? err_set(err, ERR_LIMIT,
					"more than %zu cycles of acquires; --max-memory would have "
					"to be more",
					n.ends.n)
			      : ask_all(p, BUG_DEADLOCK, &n, err);

	nominated_release(&n);
	sort_findings(p);
	return code;
}

static int explore_deadlocks(struct pairs *p, struct err *err)
{
	int code = run_explorer(p, err);

	for (size_t i = 0; i < p->explored.bugs[BUG_DEADLOCK].n; i++)
		add_finding(p, &p->explored.bugs[BUG_DEADLOCK].at[i].witness);
	return code;
}

static int find_deadlocks(struct pairs *p, struct err *err)
{
	return p->engine == &engine_explore ? explore_deadlocks(p, err) : ask_deadlocks(p, err);
}

/* Asks about each wait that may never end: those of every stuck state are among them. */
static int ask_stuck(struct pairs *p, struct err *err)
{
	const struct sections *sections = sections_of(p->index);
	struct waits waits = {0};
	struct nominated n = {0};

	waits_find(p->index, sections, &waits);
	for (size_t i = 0; i < waits.events.n; i++)
		nominate(&n, &waits.events.at[i], 1);
	vec_release(&waits.events);
	int code = ask_all(p, BUG_STUCK, &n, err);

	nominated_release(&n);
	return code;
}

/* The event alone, with a witness of its own. */
static void add_wait(struct pairs *p, const struct witness *w, uint64_t event)
{
	struct witness *kept = mem_alloc_zero(1, sizeof(*kept));

	witness_copy(kept, w);
	kept->bug_events.n = 0;
	vec_push(&kept->bug_events, event);
	vec_push(&p->proved, kept);
	add_finding(p, kept);
}

/* All stuck states at once; of each event that is in some the first. */
static int explore_stuck(struct pairs *p, struct err *err)
{
	struct stuck_options options = {.limits = p->limits};
	struct stuck_result stuck;
	bool *seen = mem_alloc_zero((size_t)p->index->count + 1, sizeof(*seen));

	int code = stuck_explore(p->index, p->model, &options, &stuck, err);

	for (size_t i = 0; i < stuck.found.n; i++) {
		const struct witness *w = &stuck.found.at[i].witness;

		for (size_t k = 0; k < w->bug_events.n; k++) {
			if (!seen[w->bug_events.at[k]])
				add_wait(p, w, w->bug_events.at[k]);
			seen[w->bug_events.at[k]] = true;
		}
	}
	stuck_result_release(&stuck);
	mem_free(seen);
	sort_findings(p);
	return code;
}

static int find_stuck(struct pairs *p, struct err *err)
{
	return p->engine == &engine_explore ? explore_stuck(p, err) : ask_stuck(p, err);
}

static int find_by_order(struct pairs *p, struct err *err)
{
	/* what a pair takes here and in the order, vectors grown by doubling */
	const uint64_t bytes_a_pair = 2 * (sizeof(struct pairs_finding) + 2 * sizeof(uint64_t) +
					   sizeof(struct order_pair));
	uint64_t bytes = p->limits.bytes;
	struct order_pairs by = {0};
	int code = order_pairs(order_by_name(p->analysis.name), p->index,
			       bytes ? bytes / bytes_a_pair + 1 : 0, &by, err);

	for (size_t i = 0; i < by.pairs.n; i++) {
		struct pairs_finding f = {p->numbers.n, 2, NULL};

		vec_push(&p->numbers, by.pairs.at[i].a);
		vec_push(&p->numbers, by.pairs.at[i].b);
		vec_push(&p->found, f);
	}
	vec_release(&by.pairs);
	return code;
}

/* A new analysis is a new row here, or an order of its own. */
static const struct pairs_analysis analyses[] = {
#define MODEL_ROW(model, text, help) {text, help, find_races, model, false, true, '-'},
	MODELS(MODEL_ROW)
#undef MODEL_ROW
		{"deadlock", "threads that wait for each other in a cycle", find_deadlocks,
		 MODEL_VALUES, true, true, ','},
	{"stuck", "waits that no thread can end, with all others waiting too or over", find_stuck,
	 MODEL_VALUES, true, true, ','},
};

bool pairs_analysis_at(size_t i, struct pairs_analysis *analysis)
{
	const size_t rows = sizeof(analyses) / sizeof(*analyses);

	if (i >= rows + order_kind_count)
		return false;
	*analysis = i < rows ? analyses[i]
			     : (struct pairs_analysis){order_name(order_kinds[i - rows]),
						       order_title(order_kinds[i - rows]),
						       find_by_order,
						       MODEL_VALUES,
						       false,
						       false,
						       '-'};
	return true;
}

char *pairs_finding_name(const struct pairs *p, const struct pairs_finding *f)
{
	char *name = mem_alloc(f->count * sizeof("-18446744073709551615") + 1);
	char *end = name;

	for (size_t i = 0; i < f->count; i++) {
		if (i)
			*end++ = p->analysis.between;
		end += sprintf(end, "%llu", (unsigned long long)p->numbers.at[f->first + i]);
	}
	*end = '\0';
	return name;
}

int pairs_find(struct pairs *p, struct err *err)
{
	return p->analysis.find(p, err);
}

void pairs_release(struct pairs *p)
{
	vec_release(&p->found);
	vec_release(&p->numbers);
	explore_result_release(&p->explored);
	for (size_t i = 0; i < p->proved.n; i++) {
		witness_release(p->proved.at[i]);
		mem_free(p->proved.at[i]);
	}
	vec_release(&p->proved);
}
