/* SPDX-License-Identifier: MIT */
/*
 * The page of a hunt: its failures and how far it came, and what was predicted from its traces. The
 * reports of the predictions are JSON then, and the text is made from these.
 */
#include "cmd/cmd.h"
#include "cmd/hunt_findings.h"
#include "report/merged.h"
#include "report/report.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

/* Reports of this Norn; one that cannot be read is left out, and it is said. */
static void add_report(struct merged *m, const char *report)
{
	struct err err = {0};

	if (merged_add(m, NULL, report, strlen(report), &err) < 0)
		say_failure(&err);
}

char *hunt_report_text(const char *report)
{
	const struct report_options options = {.trace = "", .version = NORN_VERSION};
	struct output *out = output_memory();
	struct merged m = {0};
	size_t size;

	add_report(&m, report);
	merged_end(&m);
	report_text.render(&m, &options, out);
	merged_release(&m);
	return output_take(out, &size);
}

static char *write_hunt(const struct hunt_findings *f, const struct hunter_result *r, bool complete)
{
	struct output *out = output_memory();
	size_t size;

	hunt_findings_put_json(f, r, complete, NORN_VERSION, out);
	return output_take(out, &size);
}

int hunt_page_write(const struct hunt_findings *f, const struct hunter_result *r, bool complete,
		    const char *path, struct err *err)
{
	char here[PATH_MAX], *hunt = write_hunt(f, r, complete);
	const struct report_options options = {.trace = f->directory,
					       .version = NORN_VERSION,
					       .root = getcwd(here, sizeof(here)),
					       .hunt = hunt};
	struct output *out = output_open(path, OUTPUT_REPLACE, err);
	struct merged m = {0};

	for (size_t i = 0; out && i < f->at.n; i++)
		if (f->at.at[i].report)
			add_report(&m, f->at.at[i].report);
	merged_end(&m);
	if (out)
		report_html.render(&m, &options, out);
	merged_release(&m);
	mem_free(hunt);
	return out ? output_close(out, err) : err->code;
}
