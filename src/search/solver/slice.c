/* SPDX-License-Identifier: MIT */
#include "search/solver/slice.h"

#include "search/solver/cone.h"

#include <string.h>

static struct cone *cone_of(const struct index *index, enum model model,
			    const struct monitor *monitor)
{
	struct needs *needs = needs_new(index);
	const struct cone_facts facts = {
		.index = index, .needs = needs, .sections = sections_of(index), .model = model};
	VEC(uint32_t) heard = {0};

	for (uint32_t n = 1; n <= index->count; n++)
		if (monitor_hears(monitor, n))
			vec_push(&heard, n);
	struct cone *cone = cone_enough(&facts, heard.at, (uint32_t)heard.n, UINT32_MAX - 1);

	vec_release(&heard);
	needs_free(needs);
	return cone;
}

void slice_add(const struct index *index, enum model model, const struct monitor *monitor, bool *in)
{
	/* every event can matter for where threads wait, or whether all have ended */
	if (model == MODEL_SAID || monitor_minds_stuck(monitor) || monitor_minds_end(monitor)) {
		memset(in + 1, true, index->count);
		return;
	}
	struct cone *cone = cone_of(index, model, monitor);

	for (uint32_t n = 1; n <= index->count; n++)
		in[n] = in[n] || cone_node(cone, n) != NODE_NONE;
	cone_free(cone);
}
