/* SPDX-License-Identifier: MIT */
/*
 * What the threads synchronise by, as processes: each offers the events of one object in every
 * order that the object allows. A thread does each of its events once, so a process may offer at.N
 * again.
 */
#include "property/program_parts.h"

static void put_forks(const struct program *p, uint32_t thread, struct program_table *table)
{
	const struct index_thread *t = &p->index->threads[thread];

	if (!t->fork || !t->count)
		return;
	program_next(table);
	output_format(p->out, "(%s, ", program_letter(p, t->fork));
	if (program_begins(p, thread))
		output_format(p->out, "begins.%u)", p->given.thread[thread]);
	else
		output_format(p->out, "%s)", program_letter(p, t->events[0]));
}

/* Who joins a thread waits for its last event; for the fork, if it has none. */
static void put_joins(const struct program *p, uint32_t thread, struct program_table *table)
{
	const struct index_thread *t = &p->index->threads[thread];
	uint32_t last = t->count ? t->events[t->count - 1] : t->fork;

	if (!last || !program_is_joined(p, thread))
		return;
	program_next(table);
	if (program_stops(p, thread))
		output_format(p->out, "(stops.%u, ", p->given.thread[thread]);
	else
		output_format(p->out, "(%s, ", program_letter(p, last));
	output_format(p->out, "%u)", p->given.thread[thread]);
}

static uint32_t count_kind(const struct program *p, const struct index_list *list,
			   enum event_kind kind)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < list->count; i++)
		count += p->index->events[list->events[i]].kind == kind;
	return count;
}

static void put_mutexes(const struct program *p, uint32_t lock, struct program_table *table)
{
	program_next(table);
	output_format(p->out, "(%u, %u)", lock,
		      count_kind(p, &p->index->uses[CLASS_LOCK][lock], EV_ACQUIRE_SHARED));
}

static void put_lock_events(const struct program *p, uint32_t lock, enum event_kind kind,
			    struct program_table *table)
{
	const struct index_list *list = &p->index->uses[CLASS_LOCK][lock];

	for (uint32_t i = 0; i < list->count; i++) {
		const struct event *e = &p->index->events[list->events[i]];

		if (e->kind != kind)
			continue;
		program_next(table);
		output_format(p->out, "(%u, %u, %u)", lock, list->events[i],
			      p->given.thread[e->thread]);
	}
}

static void put_waits(const struct program *p, uint32_t lock, struct program_table *table)
{
	put_lock_events(p, lock, EV_WAIT, table);
}

static void put_wokens(const struct program *p, uint32_t lock, struct program_table *table)
{
	put_lock_events(p, lock, EV_WOKEN, table);
}

static void put_semaphores(const struct program *p, uint32_t s, struct program_table *table)
{
	uint64_t count = p->index->symbols->semaphores.at[s].count;

	program_next(table);
	output_format(p->out, "(%u, %llu, %llu)", s,
		      (unsigned long long)count +
			      count_kind(p, &p->index->uses[CLASS_SEMAPHORE][s], EV_SEM_POST),
		      (unsigned long long)count);
}

/* {5, 9}: the events of the list of this kind, of one round or of any (UINT32_MAX). */
static void put_numbers(const struct program *p, const struct index_list *list,
			enum event_kind kind, uint32_t round)
{
	const char *between = "{";

	for (uint32_t i = 0; i < list->count; i++) {
		uint32_t n = list->events[i];

		if (p->index->events[n].kind != kind ||
		    (round != UINT32_MAX && p->index->round[n] != round))
			continue;
		output_format(p->out, "%s%u", between, n);
		between = ", ";
	}
	output_text(p->out, *between == '{' ? "{}" : "}");
}

static void put_onces(const struct program *p, uint32_t once, struct program_table *table)
{
	const struct index_list *list = &p->index->uses[CLASS_ONCE][once];

	for (uint32_t i = 0; i < list->count; i++) {
		if (p->index->events[list->events[i]].kind != EV_ONCE_END)
			continue;
		program_next(table);
		output_format(p->out, "(%u, ", list->events[i]);
		put_numbers(p, list, EV_ONCE_PASS, UINT32_MAX);
		output_char(p->out, ')');
	}
}

static void put_rounds(const struct program *p, uint32_t barrier, struct program_table *table)
{
	const struct index_list *list = &p->index->uses[CLASS_BARRIER][barrier];
	uint32_t parties = p->index->symbols->barriers.at[barrier].parties;
	uint32_t enters = count_kind(p, list, EV_BARRIER_ENTER);

	for (uint32_t round = 0; round * parties < enters; round++) {
		program_next(table);
		output_format(p->out, "(%u, %u, ", barrier, parties);
		put_numbers(p, list, EV_BARRIER_ENTER, round);
		output_text(p->out, ", ");
		put_numbers(p, list, EV_BARRIER_EXIT, round);
		output_char(p->out, ')');
	}
}

static void put_signals(const struct program *p, uint32_t condition, struct program_table *table)
{
	const struct index_list *list = &p->index->uses[CLASS_CONDITION][condition];

	for (uint32_t i = 0; i < list->count; i++) {
		uint32_t n = list->events[i], wake = index_first_wake(p->index, n);
		const char *between = "{";

		if (wake >= p->index->wake_count || p->index->wakes[wake].by != n)
			continue;
		program_next(table);
		output_format(p->out, "(%u, ", n);
		for (; wake < p->index->wake_count && p->index->wakes[wake].by == n; wake++) {
			output_format(p->out, "%s%u", between, p->index->wakes[wake].woken);
			between = ", ";
		}
		output_text(p->out, "})");
	}
}

/*
 * Tables, sets of tuples, and the processes that they are for, the same for every trace. What the
 * trace has none of is left out: a process that has ended costs a silent step.
 */
static const struct sync_part {
	const char *name;
	enum object_class class;
	void (*put)(const struct program *p, uint32_t object, struct program_table *table);
	const char *processes;
	const char *beside; /* how the last of these stands beside those before */
	const char *shared; /* what they share with the threads */
} parts[] = {
	{"waits", CLASS_LOCK, put_waits, NULL, NULL, NULL},
	{"wokens", CLASS_LOCK, put_wokens, NULL, NULL, NULL},
	{"mutexes", CLASS_LOCK, put_mutexes,
	 "MUTEX(m, most, i) = i == 0 & lock?t!m -> HELD(m, most, t)\n"
	 "  [] i == 0 & ([] (k, n, t) : wokens @ k == m & at.n -> HELD(m, most, t))\n"
	 "  [] i < most & rdlock?t!m -> MUTEX(m, most, i + 1)\n"
	 "  [] i > 0 & rdunlock?t!m -> MUTEX(m, most, i - 1)\n"
	 "HELD(m, most, t) = unlock.t.m -> MUTEX(m, most, 0)\n"
	 "  [] ([] (k, n, u) : waits @ k == m and t == u & at.n -> MUTEX(m, most, 0))\n"
	 "MUTEXES = ||| (m, most) : mutexes @ MUTEX(m, most, 0)\n",
	 "||| MUTEXES", "{|lock, unlock, rdlock, rdunlock|}"},
	{"signals", CLASS_CONDITION, put_signals,
	 "SIGNALS = ||| (n, K) : signals @ at.n -> AFTER(K)\n",
	 "[| {at.k | (n, K) <- signals, k <- K} |] SIGNALS", NULL},
	{"forks", CLASS_THREAD, put_forks, "FORKS = ||| (f, s) : forks @ f -> s -> STOP\n",
	 "||| FORKS", "{f, s | (f, s) <- forks}"},
	{"joins", CLASS_THREAD, put_joins,
	 "JOINED(u) = join?t!u -> JOINED(u)\n"
	 "JOINS = ||| (e, u) : joins @ e -> JOINED(u)\n",
	 "||| JOINS", "{e | (e, u) <- joins}, {join.t.u | t <- thread, (e, u) <- joins}"},
	{"onces", CLASS_ONCE, put_onces, "ONCES = ||| (n, K) : onces @ at.n -> AFTER(K)\n",
	 "||| ONCES", NULL},
	{"semaphores", CLASS_SEMAPHORE, put_semaphores,
	 "SEMAPHORE(s, most, i) = i < most & sem_post?t!s -> SEMAPHORE(s, most, i + 1)\n"
	 "  [] i > 0 & sem_wait?t!s -> SEMAPHORE(s, most, i - 1)\n"
	 "SEMAPHORES = ||| (s, most, i) : semaphores @ SEMAPHORE(s, most, i)\n",
	 "||| SEMAPHORES", "{|sem_post, sem_wait|}"},
	{"rounds", CLASS_BARRIER, put_rounds,
	 "ROUND(E, X, left) =\n"
	 "  if left == 0 then AFTER(X) else [] n : E @ at.n -> ROUND(E, X, left - 1)\n"
	 "GATE(b) = [] (c, parties, E, X) : rounds @ b == c & ENTER(b, E, parties)\n"
	 "ENTER(b, E, left) =\n"
	 "  if left == 0 then GATE(b) else [] n : E @ at.n -> ENTER(b, E, left - 1)\n"
	 "BARRIERS = (||| b : {b | (b, parties, E, X) <- rounds} @ GATE(b))\n"
	 "  [| {at.n | (b, parties, E, X) <- rounds, n <- E} |]\n"
	 "  (||| (b, parties, E, X) : rounds @ ROUND(E, X, parties))\n",
	 "||| BARRIERS", NULL},
};

#define PARTS (sizeof(parts) / sizeof(*parts))

/* False: the table is empty. */
static bool put_part(const struct program *p, const struct sync_part *part)
{
	struct program_table table = {.out = p->out, .name = part->name};
	size_t count = symbols_count(p->index->symbols, part->class);

	for (uint32_t object = 0; object < count; object++)
		part->put(p, object, &table);
	if (!part->processes)
		program_close_with(&table, "{}");
	else
		program_close(&table);
	if (table.count && part->processes)
		output_text(p->out, part->processes);
	return table.count;
}

void program_put_sync(const struct program *p)
{
	bool there[PARTS];

	output_text(p->out, "\n-- What they synchronise by.\n"
			    "AFTER(K) = [] k : K @ at.k -> AFTER(K)\n");
	for (size_t i = 0; i < PARTS; i++)
		there[i] = put_part(p, &parts[i]);
	output_text(p->out, "SYNC = STOP");
	for (size_t i = 0; i < PARTS; i++)
		if (there[i] && parts[i].beside)
			output_format(p->out, "\n  %s", parts[i].beside);
	output_text(p->out, "\nsync_events = Union({{|at, begins, stops|}");
	for (size_t i = 0; i < PARTS; i++)
		if (there[i] && parts[i].shared)
			output_format(p->out, ",\n  %s", parts[i].shared);
	output_text(p->out, "})\n");
}
