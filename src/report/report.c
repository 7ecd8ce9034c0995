/* SPDX-License-Identifier: MIT */
#include "report/report.h"

#include "report/merged.h"

#include <string.h>

const struct report_kind *const report_kinds[] = {&report_text,	 &report_json,	  &report_html,
						  &report_junit, &report_gitlab,  &report_lines,
						  &report_sarif, &report_perfetto};
const size_t report_kind_count = sizeof(report_kinds) / sizeof(*report_kinds);

const struct report_kind *report_by_name(const char *name)
{
	for (size_t i = 0; i < report_kind_count; i++)
		if (!strcmp(report_kinds[i]->name, name))
			return report_kinds[i];
	return NULL;
}

/* By way of the JSON report, which has all that these need. */
static void render(const struct report_kind *kind, const struct prediction *p,
		   const struct report_options *options, struct output *out)
{
	struct output *json = output_memory();
	struct merged m = {0};
	struct err err = {0};
	size_t size;

	report_json.write(p, options, json);
	char *text = output_take(json, &size);

	if (merged_add(&m, NULL, text, size, &err) < 0)
		BUG("a report that cannot be read");
	mem_free(text);
	merged_end(&m);
	kind->render(&m, options, out);
	merged_release(&m);
}

void report_write(const struct report_kind *kind, const struct prediction *p,
		  const struct report_options *options, struct output *out)
{
	if (kind->write)
		kind->write(p, options, out);
	else
		render(kind, p, options, out);
}

const char *report_file(const char *root, const char *file)
{
	size_t length = root ? strlen(root) : 0;

	while (length && root[length - 1] == '/')
		length--;
	if (length && !strncmp(file, root, length) && file[length] == '/')
		file += length + 1;
	while (!strncmp(file, "./", 2) && file[2])
		file += 2;
	return file;
}
