#include "order/quick.h"

#include "model/lockset.h"
#include "model/mhb.h"

#include <stdlib.h>

static int compare_pairs(const void *p, const void *q)
{
	const struct quick_pair *x = p, *y = q;

	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return x->b < y->b ? -1 : x->b > y->b;
}

/* Accesses that share several variables were found once for each. */
static void sort_and_unite(struct quick_pairs *result)
{
	size_t kept = 0;

	if (!result->pairs.n)
		return;
	qsort(result->pairs.at, result->pairs.n, sizeof(*result->pairs.at), compare_pairs);
	for (size_t i = 0; i < result->pairs.n; i++)
		if (!kept || compare_pairs(&result->pairs.at[kept - 1], &result->pairs.at[i]))
			result->pairs.at[kept++] = result->pairs.at[i];
	result->pairs.n = kept;
}

int quick_find(const struct index *index, uint64_t limit, struct quick_pairs *result,
	       struct err *err)
{
	struct locksets *locks = locksets_new(index);
	struct mhb *mhb = mhb_new(index);
	int status = 0;

	result->pairs.n = 0;
	for (size_t v = 0; v < symbols_count(index->symbols, CLASS_VARIABLE) && !status; v++) {
		const struct index_list *list = &index->uses[CLASS_VARIABLE][v];

		for (uint32_t j = 1; j < list->count && !status; j++) {
			for (uint32_t i = 0; i < j; i++) {
				struct quick_pair pair = {list->events[i], list->events[j]};

				if (!index_conflict(index, pair.a, pair.b) ||
				    mhb_before(mhb, pair.a, pair.b) ||
				    locksets_exclude(locks, locks->before[pair.a],
						     locks->before[pair.b]))
					continue;
				vec_push(&result->pairs, pair);
			}
			if (limit && result->pairs.n > limit) {
				sort_and_unite(result);
				if (result->pairs.n > limit)
					status = err_set(err, ERR_LIMIT,
							 "more than %llu pairs may race",
							 (unsigned long long)limit);
			}
		}
	}
	locksets_free(locks);
	mhb_free(mhb);
	if (status)
		vec_release(&result->pairs);
	else
		sort_and_unite(result);
	return status;
}
