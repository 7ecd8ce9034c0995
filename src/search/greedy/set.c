/* SPDX-License-Identifier: MIT */
/* The closure of a set: program order, needs, and the reads that have to keep their value. */
#include "search/greedy/set.h"

#include "base/seconds.h"
#include "model/only.h"

#include <string.h>

bool greedy_is_over(const struct greedy_clock *clock)
{
	if (clock->stop && *clock->stop)
		return true;
	return clock->end && seconds_spent() > clock->end;
}

void greedy_set_init(struct greedy_set *s, const struct greedy_facts *facts, enum model model)
{
	const struct index *index = facts->index;
	const struct symbols *symbols = index->symbols;
	uint32_t threads = index->thread_count;

	memset(s, 0, sizeof(*s));
	s->facts = facts;
	s->index = index;
	s->model = model;
	s->trial = mem_alloc_zero(1, sizeof(*s->trial));
	s->first = mem_alloc_zero(threads, sizeof(*s->first));
	s->near_first = mem_alloc_zero(threads, sizeof(*s->near_first));
	s->cut = mem_alloc_zero(threads, sizeof(*s->cut));
	s->limit = mem_alloc_zero(threads, sizeof(*s->limit));
	s->all_end = mem_alloc_zero(threads, sizeof(*s->all_end));
	s->last_cause = mem_alloc_zero(threads, sizeof(*s->last_cause));
	s->kept = mem_alloc_zero((size_t)index->count / 64 + 1, sizeof(*s->kept));
	s->locks = mem_alloc_zero(symbols_count(symbols, CLASS_LOCK), sizeof(*s->locks));
	s->semaphores =
		mem_alloc_zero(symbols_count(symbols, CLASS_SEMAPHORE), sizeof(*s->semaphores));
	s->conditions =
		mem_alloc_zero(symbols_count(symbols, CLASS_CONDITION), sizeof(*s->conditions));
	s->rounds = mem_alloc_zero(symbols_count(symbols, CLASS_BARRIER), sizeof(*s->rounds));
}

void greedy_set_release(struct greedy_set *s)
{
	for (size_t i = 0; i < symbols_count(s->index->symbols, CLASS_LOCK); i++)
		vec_release(&s->locks[i].uses);
	vec_release(&s->trial->branches);
	mem_free(s->trial);
	mem_free(s->first);
	mem_free(s->near_first);
	mem_free(s->cut);
	mem_free(s->limit);
	mem_free(s->all_end);
	mem_free(s->kept);
	mem_free(s->last_cause);
	vec_release(&s->causes);
	vec_release(&s->avoided);
	mem_free(s->locks);
	mem_free(s->semaphores);
	mem_free(s->conditions);
	mem_free(s->rounds);
	vec_release(&s->work);
	vec_release(&s->keeps);
	vec_release(&s->kept_list);
	vec_release(&s->sources);
	vec_release(&s->strays);
	vec_release(&s->used_locks);
	vec_release(&s->dirty);
	vec_release(&s->dirty_semaphores);
	vec_release(&s->depends.named);
	pins_release(&s->pins);
}

void greedy_set_start(struct greedy_set *s, enum greedy_set_kind kind, const struct query *q,
		      const struct run *run)
{
	const struct index *index = s->index;

	s->kind = kind;
	s->query = q;
	s->failed = 0;
	s->trial->read = 0;
	s->work.n = s->keeps.n = s->sources.n = s->dirty.n = s->dirty_semaphores.n = s->strays.n =
		0;
	s->base = 1;
	for (uint32_t t = 0; t < index->thread_count; t++) {
		uint32_t next = run_next(run, t);
		uint32_t first = next ? index->position[next] : index->threads[t].count;

		s->base += first;
		s->first[t] = s->cut[t] = s->all_end[t] = first;
		s->limit[t] = index->threads[t].count;
		s->near_first[t] =
			kind == SET_MUST && s->near ? index_come_by(index, t, s->near - 1) : 0;
		s->last_cause[t] = 0;
	}
	s->causes.n = 0;
	s->now = (struct greedy_set_cause){.part = NO_PART};
	for (uint32_t i = 0; i < q->count; i++) {
		uint32_t n = q->events[i], thread = index->events[n].thread;

		if (index->position[n] < s->limit[thread])
			s->limit[thread] = index->position[n];
	}
	for (size_t i = 0; i < s->kept_list.n; i++)
		s->kept[s->kept_list.at[i] / 64] = 0;
	for (size_t i = 0; i < s->used_locks.n; i++) {
		s->locks[s->used_locks.at[i]].uses.n = 0;
		s->locks[s->used_locks.at[i]].dirty = false;
	}
	s->kept_list.n = s->used_locks.n = 0;
	greedy_set_start_rules(s, run);
}

size_t greedy_set_size(const struct greedy_set *s)
{
	size_t size = 0;

	for (uint32_t t = 0; t < s->index->thread_count; t++)
		size += s->cut[t] - s->first[t];
	return size;
}

static void put_work(struct greedy_set *s, uint32_t thread, uint32_t from, uint32_t to, bool reads)
{
	struct greedy_set_range range = {s->index->threads[thread].events[to - 1], thread, from, to,
					 reads};
	size_t i = s->work.n;

	vec_push(&s->work, range);
	for (; i && s->work.at[(i - 1) / 2].last < range.last; i = (i - 1) / 2)
		s->work.at[i] = s->work.at[(i - 1) / 2];
	s->work.at[i] = range;
}

/* The last event that is to be looked at; no more of it. */
static uint32_t take_work(struct greedy_set *s, bool *reads)
{
	struct greedy_set_range range = s->work.at[0];
	uint32_t n = range.last;
	size_t i = 0;

	*reads = range.reads;
	if (--range.to > range.from)
		range.last = s->index->threads[range.thread].events[range.to - 1];
	else
		range = s->work.at[--s->work.n];
	for (;;) {
		size_t child = 2 * i + 1;

		if (child + 1 < s->work.n && s->work.at[child + 1].last > s->work.at[child].last)
			child++;
		if (child >= s->work.n || s->work.at[child].last <= range.last)
			break;
		s->work.at[i] = s->work.at[child];
		i = child;
	}
	if (s->work.n)
		s->work.at[i] = range;
	return n;
}

bool greedy_set_may_skip(const struct greedy_set *s, uint32_t n)
{
	const struct index_thread *t = &s->index->threads[s->index->events[n].thread];
	uint32_t target = s->limit[s->index->events[n].thread];

	if (s->kind != SET_MUST || s->model != MODEL_VALUES || !index_arm(s->index, n))
		return false;
	if (s->facts->causes && causes_happened(s->facts->causes, n, s->cut))
		return false;
	return target == t->count || !index_is_sure(s->index, n, t->events[target]);
}

bool greedy_set_include(struct greedy_set *s, uint32_t n)
{
	uint32_t thread = s->index->events[n].thread, end = s->index->position[n] + 1;

	if (end <= s->cut[thread])
		return true;
	if (end > s->limit[thread]) {
		s->failed = n;
		return false;
	}
	uint32_t from = s->near_first[thread];

	from = s->cut[thread] > from ? s->cut[thread] : from;
	if (from < end)
		put_work(s, thread, from, end, false);
	s->cut[thread] = end;
	if (s->kind == SET_MOVED && s->model != MODEL_PREDICTABLE) {
		s->now.end = end;
		s->now.before = s->last_cause[thread];
		vec_push(&s->causes, s->now);
		s->last_cause[thread] = (uint32_t)s->causes.n;
	}
	return true;
}

static void keep(struct greedy_set *s, uint32_t read)
{
	if (read < s->base || greedy_set_keeps(s, read) ||
	    !event_is(&s->index->events[read], EV_RETURNS))
		return;
	s->kept[read / 64] |= (uint64_t)1 << read % 64;
	vec_push(&s->kept_list, read);
	if (s->index->position[read] >= s->near_first[s->index->events[read].thread])
		vec_push(&s->keeps, read);
}

/* Every read of the thread before this position; no list, since there may be millions. */
static void keep_all(struct greedy_set *s, uint32_t thread, uint32_t end)
{
	if (end <= s->all_end[thread])
		return;
	put_work(s, thread, s->all_end[thread], end, true);
	s->all_end[thread] = end;
}

/* Model values evaluates: what such an event depends on may change. */
static bool is_free(const struct greedy_set *s, const struct event *e)
{
	return s->kind == SET_MUST && s->model == MODEL_VALUES && e->more && e->more->expr;
}

/* A must set: what the expression of a branch asks for, even where it is evaluated. */
static void keep_pinned(struct greedy_set *s, uint32_t branch)
{
	if (!is_free(s, &s->index->events[branch]) || index_scope(s->index, branch))
		return;
	pins_of(s->index, branch, &s->pins);
	for (size_t i = 0; i < s->pins.reads.n; i++)
		keep(s, s->pins.reads.at[i]);
}

/* What the guard of a branch, or the value of a write, depends on keeps its value. */
static void keep_depends(struct greedy_set *s, uint32_t n)
{
	const struct event *e = &s->index->events[n];

	if (is_free(s, e))
		return;
	depends_of(e, &s->depends);
	if (s->depends.on_all)
		keep_all(s, e->thread, s->index->position[n] + (e->kind == EV_RMW));
	for (size_t i = 0; i < s->depends.named.n; i++)
		keep(s, s->depends.named.at[i]);
}

static struct part part_of(const struct greedy_set *s, uint32_t n, uint32_t part)
{
	return event_part(&s->index->events[n], part - s->index->parts[n]);
}

/* The thread's last write of the variable before the read, or 0; false: it is too far to tell. */
static bool find_own_write(const struct greedy_set *s, uint32_t read, uint32_t variable,
			   uint32_t *own)
{
	struct greedy_writes_list all = greedy_writes_all(s->facts->writes, variable);
	struct index_list list = {(uint32_t *)all.events, all.count};
	uint32_t place = index_place(&list, read), looked_at = 0;

	for (*own = 0; place && looked_at < greedy_tune.writes_most; looked_at++)
		if (s->index->events[all.events[--place]].thread == s->index->events[read].thread) {
			*own = all.events[place];
			return true;
		}
	return !place;
}

/* What can give a kept read of a must set its value. */
struct origins {
	uint32_t only;	/* SOURCE_ANY: there are several; SOURCE_NONE */
	uint32_t first; /* if all of several are of one thread: the first of them, else 0 */
};

static void add_origin(const struct greedy_set *s, struct origins *o, uint32_t n)
{
	const struct index *index = s->index;

	if (o->only == SOURCE_NONE) {
		o->only = o->first = n;
		return;
	}
	o->only = SOURCE_ANY;
	if (o->first && index->events[o->first].thread != index->events[n].thread)
		o->first = 0;
	else if (n < o->first)
		o->first = n;
}

/* Of the read's own thread only the last write before it, of others what is not behind a target. */
static bool is_origin(const struct greedy_set *s, uint32_t read, uint32_t own, uint32_t n)
{
	return (s->index->events[n].thread != s->index->events[read].thread || n == own) &&
	       greedy_set_can_have(s, n);
}

static struct origins find_origins(const struct greedy_set *s, uint32_t read, uint32_t part)
{
	static const struct origins any = {SOURCE_ANY, 0};
	struct greedy_writes *writes = s->facts->writes;
	struct part wanted = part_of(s, read, part);
	struct greedy_writes_list same = greedy_writes_of(writes, wanted.variable, wanted.value);
	struct greedy_writes_list computed = {0};
	struct origins o = {SOURCE_NONE, 0};
	uint32_t own;
	int64_t value;

	if (s->model == MODEL_VALUES)
		computed = greedy_writes_computed(writes, wanted.variable);
	if (same.count + computed.count > greedy_tune.writes_most ||
	    !find_own_write(s, read, wanted.variable, &own) ||
	    (s->model == MODEL_VALUES && own && !index_is_sure(s->index, own, read)))
		return any;
	if (!own && symbols_variable(s->index->symbols, wanted.variable)->init == wanted.value)
		o.only = 0;
	for (uint32_t i = 0; i < same.count; i++)
		if (is_origin(s, read, own, same.events[i]))
			add_origin(s, &o, same.events[i]);
	for (uint32_t i = 0; i < computed.count; i++) {
		const struct event *e = &s->index->events[computed.events[i]];

		if (greedy_writes_value(e, wanted.variable, &value) && value != wanted.value &&
		    is_origin(s, read, own, computed.events[i]))
			add_origin(s, &o, computed.events[i]);
	}
	return o;
}

uint32_t greedy_set_source(const struct greedy_set *s, uint32_t read, uint32_t part)
{
	for (size_t i = 0; i < s->sources.n; i++)
		if (s->sources.at[i].part == part)
			return s->sources.at[i].writer;
	if (s->kind == SET_MUST && s->model != MODEL_PREDICTABLE)
		return find_origins(s, read, part).only;
	return s->index->writer[part];
}

/* Could this write give the read, instead of the recorded one, what it wants? */
static bool is_another(const struct greedy_set *s, uint32_t read, uint32_t part, uint32_t n)
{
	const struct event *e = &s->index->events[n];
	struct part wanted = part_of(s, read, part);
	int64_t value;

	return (n < read || e->thread != s->index->events[read].thread) && n != read &&
	       n != s->index->writer[part] && greedy_writes_value(e, wanted.variable, &value) &&
	       (value == wanted.value || greedy_set_value_does(s, read, value)) &&
	       greedy_set_can_have(s, n);
}

/* The last such write before the read, or the first, that asks for least; or any after it. */
uint32_t greedy_set_another(const struct greedy_set *s, uint32_t read, uint32_t part)
{
	const struct index *index = s->index;
	struct part wanted = part_of(s, read, part);
	const struct index_list *list = &index->uses[CLASS_VARIABLE][wanted.variable];
	uint32_t place = index_place(list, read), behind = place + greedy_tune.others_most;

	for (uint32_t i = 0; i < place && i < greedy_tune.others_most; i++) {
		uint32_t n = list->events[s->first_sources ? i : place - 1 - i];

		if (is_another(s, read, part, n))
			return n;
	}
	for (uint32_t i = place; i < list->count && i < behind; i++)
		if (is_another(s, read, part, list->events[i]))
			return list->events[i];
	if (index->writer[part] &&
	    symbols_variable(index->symbols, wanted.variable)->init == wanted.value)
		return 0;
	return SOURCE_NONE;
}

/* Where a read may take an equal value, and has to: it cannot have that of the recorded writer. */
static bool take_another(struct greedy_set *s, uint32_t read, uint32_t part)
{
	struct greedy_set_source source = {read, part, 0};

	if (s->kind != SET_MOVED || s->model == MODEL_PREDICTABLE ||
	    s->sources.n == greedy_tune.sources_most ||
	    (greedy_set_can_have(s, s->index->writer[part]) && !greedy_set_avoids(s, part)))
		return false;
	source.writer = greedy_set_another(s, read, part);
	if (source.writer == SOURCE_NONE)
		return false;
	vec_push(&s->sources, source);
	return true;
}

/* A must set: so many events of each thread come before. */
static bool include_counts(struct greedy_set *s, const uint32_t *counts)
{
	for (uint32_t t = 0; t < s->index->thread_count; t++)
		if (counts[t] && !greedy_set_include(s, s->index->threads[t].events[counts[t] - 1]))
			return false;
	return true;
}

/* The write has happened. If the read before it was in an arm, so was it. */
void greedy_set_keep_copied(struct greedy_set *s, uint32_t write, int64_t value)
{
	uint32_t input = is_free(s, &s->index->events[write]) ? only_read(s->index, write) : 0;

	if (input && event_part_count(&s->index->events[write]) == 1 &&
	    only_copies(s->index, write, input) &&
	    event_part(&s->index->events[input], 0).value == value &&
	    index_is_sure(s->index, input, write))
		keep(s, input);
}

/* A must set: what all writes have in common that may give a part of a kept read its value. */
static bool include_sources(struct greedy_set *s, uint32_t read, uint32_t part)
{
	struct causes_frame frame = {s->cut, s->limit};
	struct causes_list list;
	const uint32_t *common;

	if (!causes_of_read(s->facts->causes, read, part - s->index->parts[read], &frame,
			    &common)) {
		s->failed = read;
		return false;
	}
	if (common && !include_counts(s, common))
		return false;
	if (causes_sources(s->facts->causes, read, part - s->index->parts[read], &frame, &list) &&
	    list.count == 1 && list.writes[0])
		greedy_set_keep_copied(s, list.writes[0], part_of(s, read, part).value);
	return true;
}

/* A must set: what all writes have in common with which the guard of a branch holds. */
static bool include_guard(struct greedy_set *s, uint32_t branch)
{
	struct causes_frame frame = {s->cut, s->limit};
	const uint32_t *common;

	if (!s->facts->causes || !is_free(s, &s->index->events[branch]) ||
	    index_scope(s->index, branch))
		return true;
	if (!causes_of_guard(s->facts->causes, branch, &frame, &common)) {
		s->failed = branch;
		return false;
	}
	return !common || include_counts(s, common);
}

static void note_stray(struct greedy_set *s, uint32_t read, uint32_t part)
{
	uint32_t writer = s->index->writer[part];

	if (s->kind == SET_MUST && writer && !greedy_set_can_have(s, writer) &&
	    s->strays.n < greedy_tune.strays_most)
		vec_push(&s->strays, ((struct greedy_set_source){read, part, writer}));
}

/* The writers of a kept read are in the set, and write what they did. */
static bool keep_sources(struct greedy_set *s, uint32_t read)
{
	for (uint32_t p = s->index->parts[read]; p < s->index->parts[read + 1]; p++) {
		uint32_t writer = greedy_set_source(s, read, p);

		s->now.event = read;
		s->now.part = p;
		note_stray(s, read, p);
		if (writer == SOURCE_ANY) {
			if (s->facts->causes && !include_sources(s, read, p))
				return false;
			uint32_t first = find_origins(s, read, p).first;

			if (first && !greedy_set_include(s, first))
				return false;
			continue;
		}
		if (writer < s->base)
			continue;
		if (writer == SOURCE_NONE) {
			s->failed = read;
			return false;
		}
		if (take_another(s, read, p))
			writer = s->sources.at[s->sources.n - 1].writer;
		if (writer < s->base)
			continue;
		if (!greedy_set_include(s, writer))
			return false;
		keep_depends(s, writer);
		if (writer)
			greedy_set_keep_copied(s, writer, part_of(s, read, p).value);
	}
	return true;
}

/* Of an event in the set, or of a target: what has to hold before it. */
static bool prepare(struct greedy_set *s, uint32_t n)
{
	const struct event *e = &s->index->events[n];
	const struct needs *needs = s->facts->needs;

	s->now.event = n;
	s->now.part = NO_PART;
	for (uint32_t i = needs->first[n]; i < needs->first[n + 1]; i++)
		if (!greedy_set_include(s, needs->events[i]))
			return false;
	for (uint32_t i = 0; e->more && i < e->more->at_count; i++)
		keep(s, (uint32_t)e->more->at[i]);
	if (s->model == MODEL_MCM || s->model == MODEL_SAID)
		keep_all(s, e->thread, s->index->position[n]);
	return true;
}

static bool apply_rules(struct greedy_set *s, uint32_t n)
{
	if (greedy_set_may_skip(s, n))
		return true;
	if (!prepare(s, n))
		return false;
	if (s->index->events[n].kind == EV_BRANCH) {
		keep_depends(s, n);
		keep_pinned(s, n);
		if (!include_guard(s, n))
			return false;
	}
	if (s->model == MODEL_SAID)
		keep_all(s, s->index->events[n].thread, s->index->position[n] + 1);
	return greedy_set_apply_object_rules(s, n);
}

static bool go_on(struct greedy_set *s)
{
	bool reads;
	uint32_t n = take_work(s, &reads);

	if (reads) {
		keep(s, n);
		return true;
	}
	return (n & 0xfff || !greedy_is_over(s->clock)) && apply_rules(s, n);
}

static bool settle(struct greedy_set *s)
{
	do {
		while (s->keeps.n || s->work.n) {
			if (s->keeps.n ? !keep_sources(s, s->keeps.at[--s->keeps.n]) : !go_on(s))
				return false;
		}
		if (!greedy_set_close_sections(s))
			return false;
	} while (s->keeps.n || s->work.n);
	return true;
}

/* An access among the targets cannot happen once its variable is freed. */
static bool is_freed(struct greedy_set *s)
{
	for (uint32_t i = 0; i < s->query->count; i++) {
		const struct event *e = &s->index->events[s->query->events[i]];

		for (uint32_t j = 0; j < event_part_count(e); j++) {
			uint32_t f = s->facts->needs->free[event_part(e, j).variable];

			if (f && greedy_set_has(s, f)) {
				s->failed = f;
				return true;
			}
		}
	}
	return false;
}

/* A must set: what comes before the target in every execution. */
static bool include_causes(struct greedy_set *s, uint32_t target)
{
	const struct causes *causes = s->facts->causes;

	for (uint32_t t = 0; causes && s->kind == SET_MUST && t < s->index->thread_count; t++) {
		uint32_t count = causes_count(causes, target, t);

		if (count && !greedy_set_include(s, s->index->threads[t].events[count - 1]))
			return false;
	}
	return true;
}

bool greedy_set_close(struct greedy_set *s)
{
	for (uint32_t i = 0; i < s->query->count; i++) {
		uint32_t n = s->query->events[i], position = s->index->position[n];
		uint32_t thread = s->index->events[n].thread;

		if (position &&
		    !greedy_set_include(s, s->index->threads[thread].events[position - 1]))
			return false;
		if (!include_causes(s, n) || !prepare(s, n))
			return false;
	}
	return settle(s) && !is_freed(s);
}

bool greedy_set_add(struct greedy_set *s, uint32_t event)
{
	return greedy_set_include(s, event) && settle(s) && !is_freed(s);
}

void greedy_set_fill(struct greedy_set *s)
{
	for (uint32_t t = 0; t < s->index->thread_count; t++)
		s->cut[t] = s->limit[t] = s->index->threads[t].count;
	for (uint32_t n = s->base; n <= s->index->count; n++)
		keep(s, n);
	s->keeps.n = 0;
}
