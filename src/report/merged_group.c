/* SPDX-License-Identifier: MIT */
#include "report/alike.h"
#include "report/merged.h"

#include <string.h>

static char apart_of(const struct merged_finding *f)
{
	if (f->suppressed)
		return 's';
	return strcmp(merged_verdict(f), "conditional") ? '-' : 'c';
}

void merged_number_groups(const struct merged *m, uint32_t *numbers)
{
	struct alike g = {0};

	for (size_t i = 0; i < m->findings.n; i++) {
		const struct merged_finding *f = &m->findings.at[i];

		alike_add(&g, json_text(f->node, "title"), apart_of(f),
			  json_text(f->node, "variable"));
		for (const struct json_node *n = merged_events(f); n; n = n->next) {
			struct merged_place place = merged_place_of(n);

			alike_side(&g, json_text(json_member(n, "location"), "text"), place.file,
				   place.function);
		}
	}
	alike_number(&g, numbers);
}
