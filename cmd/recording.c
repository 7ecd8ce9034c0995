/* SPDX-License-Identifier: MIT */
#include "cmd/recording.h"

#include "cmd/cmd.h"
#include "cmd/progress.h"
#include "compile/parts.h"
#include "record/record.h"
#include "record/run/children.h"
#include "record/run/launch.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static void show_merging(void *context, int pass, uint64_t records)
{
	(void)pass;
	progress_show(context, records);
}

/* What the user should know of the recording */

static void tell(const char *path, const struct record_result *r, const struct recording_options *o)
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
	if (r->host)
		say("%s: the program was not built by norn cc; recorded from where it loaded a "
		    "library that was, and itself as code without hooks",
		    path);
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

int recording_merge(const char *directory, const char *path, const struct symbols *metas,
		    const struct recording_options *o, struct err *err)
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

/* Takes the recording away when it is a trace */

int recording_take(const char *directory, const char *path, const struct symbols *metas,
		   const struct recording_options *o, struct recording_traces *traces)
{
	struct err err = {0};

	if (recording_merge(directory, path, metas, o, &err) < 0) {
		int status = say_failure(&err);

		say("the recording is kept; to try again: norn merge %s", directory);
		return status;
	}
	if (!o->keep)
		launch_remove(directory);
	vec_push(&traces->at, strcpy(mem_alloc(strlen(path) + 1), path));
	return 0;
}

static size_t stem_of(const char *path)
{
	size_t length = strlen(path);

	return length > 5 && !strcmp(path + length - 5, ".norn") ? length - 5 : length;
}

int recording_take_children(const char *directory, const char *path, const struct symbols *metas,
			    const struct recording_options *o, struct recording_traces *traces)
{
	char parent[PATH_MAX], child[PATH_MAX + 300], child_path[PATH_MAX + 300];
	const char *slash = strrchr(directory, '/');
	size_t length = strlen(slash + 1);
	struct dirent *entry;
	int status = 0;

	snprintf(parent, sizeof(parent), "%.*s", (int)(slash - directory), directory);
	DIR *d = opendir(parent);

	while (d && (entry = readdir(d))) {
		if (strncmp(entry->d_name, slash + 1, length) || entry->d_name[length] != '.')
			continue;
		snprintf(child, sizeof(child), "%s/%s", parent, entry->d_name);
		snprintf(child_path, sizeof(child_path), "%.*s%s.norn", (int)stem_of(path), path,
			 entry->d_name + length);
		children_end_recording(child);
		int failed = recording_take(child, child_path, metas, o, traces);

		status = failed ? failed : status;
	}
	if (d)
		closedir(d);
	return status;
}

void recording_traces_release(struct recording_traces *traces)
{
	for (size_t i = 0; i < traces->at.n; i++)
		mem_free(traces->at.at[i]);
	vec_release(&traces->at);
}
