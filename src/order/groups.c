/* SPDX-License-Identifier: MIT */
#include "order/groups.h"

#include "order/mixed.h"
#include "order/signatures.h"

static uint32_t log2_of(uint32_t n) /* rounded up */
{
	return n > 1 ? 32 - (uint32_t)__builtin_clz(n - 1) : 0;
}

/* The accesses of a group */

/* Where that slot stands in the table, or would; NULL if it does not and the table is full. */
static struct slot_access *find_access(struct slot_access *table, uint32_t size, uint32_t slot)
{
	uint32_t mask = (1u << size) - 1;

	for (uint32_t i = 0; i <= mask; i++) {
		struct slot_access *a = &table[(slot + i) & mask];

		if (!a->time || who_slot(a->who) == slot)
			return a;
	}
	return NULL;
}

static void put_one(struct place p, uint32_t time, uint64_t who)
{
	p.line->times[p.way] = time;
	p.line->who[p.way] = (p.line->who[p.way] & SETTLED) | who;
}

/* Makes it these accesses, at least one; of several of one slot the last. */
static void put_accesses(struct groups_memory *m, struct place p, const struct slot_access *from,
			 uint32_t count)
{
	if (count == 1) {
		put_one(p, from->time, from->who);
		return;
	}
	uint32_t size = log2_of(count); /* the table may be full */
	struct slot_access *table = pool_take(&m->tables, size);

	if (count == 2) { /* as most often */
		uint32_t first = who_slot(from[0].who) & 1;

		table[first] = from[0];
		table[!first] = from[1];
		put_one(p, 0, array_of(table, size));
		return;
	}

	memset(table, 0, sizeof(*table) << size);
	for (uint32_t i = 0; i < count; i++) {
		struct slot_access *a = find_access(table, size, who_slot(from[i].who));

		if (who_number(a->who) < who_number(from[i].who))
			*a = from[i];
	}
	put_one(p, 0, array_of(table, size));
}

static void drop_table(struct groups_memory *m, struct line *l, uint32_t way)
{
	if (l->classes[way] & CLASS_MIXED)
		mixed_drop(m, l, way);
	else
		pool_give(&m->tables, array_at(l->who[way]), array_size(l->who[way]));
}

void groups_renew(struct groups_memory *m, struct place p, const struct now *now)
{
	uint64_t array = p.line->who[p.way];
	const struct slot_access *table = array_at(array);
	struct slot_access own = {.who = who_of(now), .time = now->time};

	m->kept.n = 0;
	for (uint32_t i = 0; i < 1u << array_size(array); i++)
		if (unordered(now, table[i].time, table[i].who))
			vec_push(&m->kept, table[i]);
	vec_push(&m->kept, own);
	drop_table(m, p.line, p.way);
	put_accesses(m, p, m->kept.at, (uint32_t)m->kept.n);
}

void groups_note(struct groups_memory *m, struct place p, const struct now *now)
{
	struct slot_access own = {.who = who_of(now), .time = now->time};
	uint64_t who = p.line->who[p.way] & ~SETTLED;
	uint32_t time = p.line->times[p.way];

	if (now->class & CLASS_MIXED) {
		mixed_note(m, p, now);
		return;
	}
	if (time && unordered(now, time, who)) {
		struct slot_access two[] = {{.who = who, .time = time}, own};

		put_accesses(m, p, two, 2);
		return;
	}
	if (time || !who) {
		put_one(p, own.time, own.who);
		return;
	}
	struct slot_access *a = find_access(array_at(who), array_size(who), now->slot);

	if (a)
		*a = own;
	else
		groups_renew(m, p, now);
}

uint64_t groups_unordered(struct groups_memory *m, const struct line *l, uint32_t way,
			  const struct now *now)
{
	uint64_t who = l->who[way] & ~SETTLED, found = 0;
	const struct slot_access *table = array_at(who);

	if (l->classes[way] & CLASS_MIXED)
		return mixed_unordered(m, l, way, now);
	if (l->times[way])
		return unordered(now, l->times[way], who) ? who_number(who) : 0;
	for (uint32_t i = 0; who && i < 1u << array_size(who); i++)
		if (unordered(now, table[i].time, table[i].who) && who_number(table[i].who) > found)
			found = who_number(table[i].who);
	return found;
}

/* The groups of a variable */

/* There is room. */
static struct place put_group(struct variable_groups *v, uint32_t class, uint32_t time,
			      uint64_t who)
{
	uint32_t mask = groups_line_count(v) - 1, home = groups_home(v, class);
	struct line *lines = groups_lines(v);
	struct place p;

	while (!(p = line_add(&lines[home], class)).line)
		home = (home + 1) & mask;
	p.line->times[p.way] = time;
	p.line->who[p.way] = who;
	return p;
}

/* One line may be full, of several three quarters. */
static uint32_t size_for(uint32_t groups)
{
	return groups <= LINE_WAYS ? 0 : log2_of((groups + 2) / 3);
}

static uint32_t count_groups(const struct variable_groups *v)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < groups_line_count(v); i++)
		for (uint32_t way = 0; way < LINE_WAYS; way++)
			count += groups_lines(v)[i].classes[way] != 0;
	return count;
}

static void resize_groups(struct groups_memory *m, struct variable_groups *v, uint32_t size)
{
	const struct variable_groups old = *v;
	const struct line *from = groups_lines(&old);
	struct line *lines = pool_take(&m->lines, size);

	for (uint32_t i = 0; i < 1u << size; i++)
		memset(lines[i].classes, 0, sizeof(lines[i].classes));
	v->own[0].who = array_of(lines, size);
	for (uint32_t i = 0; i < groups_line_count(&old); i++)
		for (uint32_t way = 0; way < LINE_WAYS; way++)
			if (from[i].classes[way])
				put_group(v, from[i].classes[way], from[i].times[way],
					  from[i].who[way]);
	if (has_groups(&old))
		pool_give(&m->lines, groups_lines(&old), array_size(old.own[0].who));
}

bool groups_full(const struct variable_groups *v)
{
	return !has_groups(v) || size_for(count_groups(v) + 1) > array_size(v->own[0].who);
}

struct place groups_add(struct groups_memory *m, struct variable_groups *v, uint32_t class)
{
	if (groups_full(v))
		resize_groups(m, v, size_for(count_groups(v) + 1));
	return put_group(v, class, 0, 0);
}

void groups_start(struct groups_memory *m, struct variable_groups *v)
{
	struct line *l = pool_take(&m->lines, 0);

	*l = (struct line){0};
	for (int i = 0; i < OWN_ACCESSES; i++) {
		l->classes[i] = v->own[i].class;
		l->times[i] = v->own[i].time;
		l->who[i] = v->own[i].who;
	}
	*v = (struct variable_groups){.own[0].who = array_of(l, 0)};
}

void groups_forget(struct groups_memory *m, struct variable_groups *v)
{
	for (uint32_t i = 0; i < groups_line_count(v); i++) {
		struct line *l = &groups_lines(v)[i];

		for (uint32_t way = 0; way < LINE_WAYS; way++)
			if (l->classes[way] && !l->times[way])
				drop_table(m, l, way);
	}
	pool_give(&m->lines, groups_lines(v), array_size(v->own[0].who));
	*v = (struct variable_groups){0};
}

/* Sweeping */

/* Drops the accesses that are not later; false if none is left. */
static bool sweep_accesses(struct groups_memory *m, struct place p, const struct clock *known)
{
	uint64_t who = p.line->who[p.way];
	const struct slot_access *table = array_at(who);
	bool all = true;

	if (p.line->classes[p.way] & CLASS_MIXED)
		return mixed_sweep(m, p, known);
	if (p.line->times[p.way])
		return p.line->times[p.way] > clock_get(known, who_slot(who));
	m->kept.n = 0;
	for (uint32_t i = 0; i < 1u << array_size(who); i++)
		if (table[i].time > clock_get(known, who_slot(table[i].who)))
			vec_push(&m->kept, table[i]);
		else
			all &= !table[i].time;
	if (all)
		return true;
	drop_table(m, p.line, p.way);
	if (m->kept.n)
		put_accesses(m, p, m->kept.at, (uint32_t)m->kept.n);
	return m->kept.n;
}

void groups_sweep(struct groups_memory *m, struct variable_groups *v, const struct clock *known)
{
	uint32_t left = 0, dropped = 0;

	for (uint32_t i = 0; i < groups_line_count(v); i++) {
		struct line *l = &groups_lines(v)[i];

		for (uint32_t way = 0; way < LINE_WAYS; way++) {
			if (!l->classes[way])
				continue;
			if (sweep_accesses(m, (struct place){l, way}, known)) {
				left++;
			} else {
				l->classes[way] = 0;
				dropped++;
			}
		}
	}
	if (dropped && left)
		resize_groups(m, v, size_for(left));
	else if (dropped)
		groups_forget(m, v);
}

void groups_init(struct groups_memory *m, const struct lockset_table *locksets, bool filter)
{
	*m = (struct groups_memory){
		.lines.item = sizeof(struct line),
		.tables.item = sizeof(struct slot_access),
		.mixed.item = sizeof(struct mixed_access),
		.locksets = locksets,
		.filter = filter,
	};
}

void groups_release(struct groups_memory *m)
{
	pool_release(&m->lines);
	pool_release(&m->tables);
	pool_release(&m->mixed);
	vec_release(&m->kept);
}
