#include "order/groups.h"

/* The accesses of a group */

static uint32_t log2_of(uint32_t n) /* rounded up */
{
	return n > 1 ? 32 - (uint32_t)__builtin_clz(n - 1) : 0;
}

/* Where that slot stands in the table, or would; NULL if it does not and the table is full. */
static struct last_access *find_access(struct last_access *table, uint32_t size, uint32_t slot)
{
	uint32_t mask = (1u << size) - 1;

	for (uint32_t i = 0; i <= mask; i++) {
		struct last_access *a = &table[(slot + i) & mask];

		if (a->slot == slot || !a->time)
			return a;
	}
	return NULL;
}

/* Makes it these accesses, at least one; of several of one slot the last. */
static void put_accesses(struct groups_memory *m, union last_accesses *to,
			 const struct last_access *from, uint32_t count)
{
	if (count == 1) {
		to->one = *from;
		return;
	}
	uint32_t size = log2_of(count); /* the table may be full */
	struct last_access *table = pool_take(&m->tables, size);

	memset(table, 0, sizeof(*table) << size);
	to->several.n = 0;
	to->several.size = size;
	to->several.none = 0;
	to->several.at = table;
	for (uint32_t i = 0; i < count; i++) {
		struct last_access *a = find_access(table, size, from[i].slot);

		to->several.n += !a->time;
		if (a->number < from[i].number)
			*a = from[i];
	}
}

static void drop_table(struct groups_memory *m, union last_accesses *all)
{
	pool_give(&m->tables, all->several.at, all->several.size);
}

void accesses_renew(struct groups_memory *m, union last_accesses *all, const struct now *now)
{
	m->kept.n = 0;
	for (uint32_t i = 0; i < 1u << all->several.size; i++)
		if (unordered(now, &all->several.at[i]))
			vec_push(&m->kept, all->several.at[i]);
	vec_push(&m->kept, now->access);
	drop_table(m, all);
	put_accesses(m, all, m->kept.at, (uint32_t)m->kept.n);
}

void accesses_note(struct groups_memory *m, union last_accesses *all, const struct now *now)
{
	if (all->one.time && unordered(now, &all->one)) {
		struct last_access two[] = {all->one, now->access};

		put_accesses(m, all, two, 2);
		return;
	}
	if (all->one.time || !all->several.n) {
		all->one = now->access;
		return;
	}
	struct last_access *a = find_access(all->several.at, all->several.size, now->access.slot);

	if (a) {
		all->several.n += !a->time;
		*a = now->access;
	} else {
		accesses_renew(m, all, now);
	}
}

const struct last_access *accesses_unordered(const union last_accesses *all, const struct now *now)
{
	const struct last_access *found = NULL;

	if (all->one.time)
		return unordered(now, &all->one) ? &all->one : NULL;
	for (uint32_t i = 0; all->several.n && i < 1u << all->several.size; i++) {
		const struct last_access *a = &all->several.at[i];

		if (unordered(now, a) && (!found || a->number > found->number))
			found = a;
	}
	return found;
}

/* The groups of a variable */

/* There is room. */
static struct place put_group(struct variable_groups *v, uint32_t class, bool settled,
			      union last_accesses accesses)
{
	uint32_t mask = (1u << v->size) - 1, home = groups_home(v, class);

	while (!matching_ways(&v->buckets[home], 0))
		home = (home + 1) & mask;
	struct place p = {&v->buckets[home],
			  (uint32_t)__builtin_ctz(matching_ways(&v->buckets[home], 0))};

	p.bucket->classes[p.way] = class;
	p.bucket->settled[p.way] = settled;
	p.bucket->accesses[p.way] = accesses;
	v->n++;
	return p;
}

/* One bucket may be full, of several three quarters. */
static uint32_t size_for(uint32_t groups)
{
	return groups <= GROUP_WAYS ? 0 : log2_of((groups * 4 + 8) / 9);
}

static void resize_groups(struct groups_memory *m, struct variable_groups *v, uint32_t size)
{
	struct variable_groups old = *v;

	v->buckets = pool_take(&m->buckets, size);
	v->size = size;
	v->n = 0;
	for (uint32_t i = 0; i < 1u << size; i++)
		memset(v->buckets[i].classes, 0, sizeof(v->buckets[i].classes));
	if (!old.buckets)
		return;
	for (uint32_t i = 0; i < GROUP_WAYS << old.size; i++) {
		const struct group_bucket *b = &old.buckets[i / GROUP_WAYS];
		uint32_t way = i % GROUP_WAYS;

		if (b->classes[way])
			put_group(v, b->classes[way], b->settled[way], b->accesses[way]);
	}
	pool_give(&m->buckets, old.buckets, old.size);
}

bool groups_full(const struct variable_groups *v)
{
	return size_for(v->n + 1) > v->size;
}

struct place groups_add(struct groups_memory *m, struct variable_groups *v, uint32_t class)
{
	if (!v->buckets || groups_full(v))
		resize_groups(m, v, size_for(v->n + 1));
	return put_group(v, class, false, (union last_accesses){0});
}

void groups_start(struct groups_memory *m, struct variable_groups *v)
{
	resize_groups(m, v, 0);
	put_group(v, v->last_class, false, (union last_accesses){.one = v->last});
}

/* Sweeping */

/* Drops the accesses that are not later; false if none is left. */
static bool sweep_accesses(struct groups_memory *m, union last_accesses *all,
			   const struct clock *known)
{
	if (all->one.time)
		return all->one.time > clock_get(known, all->one.slot);
	m->kept.n = 0;
	for (uint32_t i = 0; i < 1u << all->several.size; i++) {
		const struct last_access *a = &all->several.at[i];

		if (a->time > clock_get(known, a->slot))
			vec_push(&m->kept, *a);
	}
	if (m->kept.n == all->several.n)
		return true;
	drop_table(m, all);
	if (m->kept.n)
		put_accesses(m, all, m->kept.at, (uint32_t)m->kept.n);
	return m->kept.n;
}

void groups_forget(struct groups_memory *m, struct variable_groups *v)
{
	for (uint32_t i = 0; i < GROUP_WAYS << v->size; i++) {
		struct group_bucket *b = &v->buckets[i / GROUP_WAYS];
		uint32_t way = i % GROUP_WAYS;

		if (b->classes[way] && !b->accesses[way].one.time)
			drop_table(m, &b->accesses[way]);
	}
	pool_give(&m->buckets, v->buckets, v->size);
	v->buckets = NULL;
	v->n = v->size = 0;
}

void groups_sweep(struct groups_memory *m, struct variable_groups *v, const struct clock *known)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < GROUP_WAYS << v->size; i++) {
		struct group_bucket *b = &v->buckets[i / GROUP_WAYS];
		uint32_t way = i % GROUP_WAYS;

		if (b->classes[way] && !sweep_accesses(m, &b->accesses[way], known))
			b->classes[way] = 0;
		left += b->classes[way] != 0;
	}
	if (left == v->n)
		return;
	if (left)
		resize_groups(m, v, size_for(left));
	else
		groups_forget(m, v);
}

void groups_init(struct groups_memory *m)
{
	*m = (struct groups_memory){
		.buckets.item = sizeof(struct group_bucket),
		.tables.item = sizeof(struct last_access),
	};
}

void groups_release(struct groups_memory *m)
{
	pool_release(&m->buckets);
	pool_release(&m->tables);
	vec_release(&m->kept);
}
