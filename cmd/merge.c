/* SPDX-License-Identifier: MIT */
#include "cmd/merge.h"

#include "cmd/cmd.h"
#include "cmd/progress.h"
#include "compile/parts.h"
#include "record/record.h"

static void show_merging(void *context, int pass, uint64_t records)
{
	(void)pass;
	progress_show(context, records);
}

/* What the user should know of the recording */

static void tell(const char *path, const struct record_result *r, const struct merge_options *o)
{
	for (size_t i = 0; i < r->stops.n; i++)
		say("%s: the recording is not complete: %s", path, r->stops.text[i]);
	if (r->left)
		say("%s: %llu records at the end could not be put in order and are left out", path,
		    (unsigned long long)r->left);
	if (r->damaged)
		say("%s: the log of %u threads is damaged; they end early", path, r->damaged);
	if (r->dangling)
		say("%s: the program used freed memory %llu times: at %s", path,
		    (unsigned long long)r->dangling, r->dangling_places);
	if (!r->sites)
		say("%s: no part of the program was compiled by norn cc: only calls are recorded, "
		    "no memory accesses",
		    path);
	if (!o->verbose)
		return;
	if (r->counts.wrong_expressions || r->bad_templates)
		say("%s: %llu expressions do not give the recorded value, %u are invalid: a bug "
		    "of norn-instrument",
		    path, (unsigned long long)r->counts.wrong_expressions, r->bad_templates);
	say("%s: %llu records, %llu events, %llu variables; dropped: %llu private, %llu constant, "
	    "%llu branches, %llu contradictory",
	    path, (unsigned long long)r->counts.records, (unsigned long long)r->counts.events,
	    (unsigned long long)r->variables, (unsigned long long)r->counts.private,
	    (unsigned long long)r->counts.constant, (unsigned long long)r->counts.branches,
	    (unsigned long long)r->counts.misfits);
}

int merge_recording(const char *directory, const char *path, const struct symbols *metas,
		    const struct merge_options *o, struct err *err)
{
	struct progress progress;
	struct record_options options = {
		.keep_all = o->keep_all, .progress = show_merging, .context = &progress};
	struct record_result result;
	struct output *out = output_open(path, OUTPUT_PRIVATE, err);
	struct arena arena = {0};
	struct parts parts;
	struct err ignored;

	if (!out)
		return err->code;
	if (!parts_find(&parts, &arena, &ignored))
		options.scanner = parts.instrument;
	progress_start(&progress, path);
	int code = record_write(directory, &options, metas, out, &result, err);

	arena_release(&arena);

	progress_end(&progress);
	if (code < 0) {
		output_abandon(out);
		return code;
	}
	code = output_close(out, err);
	if (!code)
		tell(path, &result, o);
	return code;
}
