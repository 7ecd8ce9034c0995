/* SPDX-License-Identifier: MIT */
#include "order/order.h"

#include "order/kind.h"
#include "order/records.h"

#include <stdlib.h>

const struct order_kind *const order_kinds[] = {
	&order_hb, &order_cp,  &order_wcp, &order_sdp,
	&order_dc, &order_wdp, &order_drc, &order_quick,
};
const size_t order_kind_count = sizeof(order_kinds) / sizeof(*order_kinds);

const struct order_kind *order_by_name(const char *name)
{
	for (size_t i = 0; i < order_kind_count; i++)
		if (!strcmp(order_kinds[i]->name, name))
			return order_kinds[i];
	return NULL;
}

const char *order_name(const struct order_kind *kind)
{
	return kind->name;
}

const char *order_title(const struct order_kind *kind)
{
	return kind->title;
}

/* Exact */

struct exact {
	struct front front;
	struct order *order;
	struct records records;
	uint64_t limit;
	bool over; /* so far beyond the limit that the rest does not matter */
	struct order_pairs *result;
};

static void record_access(void *context, const struct actor *t, const struct event *e,
			  uint32_t variable, uint64_t number, bool atomic)
{
	struct exact *exact = context;

	records_add(&exact->records, &exact->front, exact->order, t, e, variable, number, 0,
		    atomic);
}

static int compare_pairs(const void *a, const void *b)
{
	const struct order_pair *x = a, *y = b;

	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return x->b < y->b ? -1 : x->b > y->b;
}

static void sort_pairs(struct order_pairs *result)
{
	size_t kept = 0;

	if (result->pairs.n)
		qsort(result->pairs.at, result->pairs.n, sizeof(*result->pairs.at), compare_pairs);
	for (size_t i = 0; i < result->pairs.n; i++)
		if (!kept || compare_pairs(&result->pairs.at[i], &result->pairs.at[kept - 1]))
			result->pairs.at[kept++] = result->pairs.at[i];
	result->pairs.n = kept;
}

static bool add_pair(void *context, const struct record *a, const struct record *b)
{
	struct exact *exact = context;
	struct order_pair pair = {(uint32_t)a->number, (uint32_t)b->number};

	/* two accesses of several variables may race by each of them */
	vec_push(&exact->result->pairs, pair);
	if (exact->limit && exact->result->pairs.n > 2 * exact->limit + 1024)
		sort_pairs(exact->result);
	exact->over = exact->limit && exact->result->pairs.n > 2 * exact->limit + 1024;
	return !exact->over;
}

int order_pairs(const struct order_kind *kind, const struct index *index, uint64_t limit,
		struct order_pairs *result, struct err *err)
{
	struct exact exact = {.limit = limit, .result = result};

	exact.order = order_new(kind, &(struct order_limits){0});
	front_init(&exact.front, index->symbols, exact.order);
	exact.front.accessed = record_access;
	exact.front.context = &exact;
	for (uint32_t n = 1; n <= index->count; n++)
		front_step(&exact.front, &index->events[n], n);
	if (kind->settle)
		kind->settle(exact.order, &exact.records);
	records_compare(&exact.records, &exact.front, add_pair, &exact);
	records_release(&exact.records);
	order_free(exact.order);
	front_release(&exact.front);
	sort_pairs(result);
	if (!limit || result->pairs.n <= limit)
		return 0;
	vec_release(&result->pairs);
	return err_set(err, ERR_LIMIT, "there are more than %llu pairs; raise the limit on memory",
		       (unsigned long long)limit);
}
