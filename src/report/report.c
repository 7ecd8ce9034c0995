/* SPDX-License-Identifier: MIT */
#include "report/report.h"

#include <string.h>

const struct report_kind *const report_kinds[] = {&report_text, &report_json, &report_sarif};
const size_t report_kind_count = sizeof(report_kinds) / sizeof(*report_kinds);

const struct report_kind *report_by_name(const char *name)
{
	for (size_t i = 0; i < report_kind_count; i++)
		if (!strcmp(report_kinds[i]->name, name))
			return report_kinds[i];
	return NULL;
}

void report_write(const struct report_kind *kind, const struct prediction *p,
		  const struct report_options *options, struct output *out)
{
	kind->write(p, options, out);
}
