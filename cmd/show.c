/* SPDX-License-Identifier: MIT */
/* norn show TRACE: its events as text, or counts of them. */
#include "cmd/filter.h"
#include "cmd/progress.h"
#include "cmd/stat.h"
#include "cmd/trace_file.h"
#include "cmd/verbs.h"
#include "property/property.h"
#include "search/solver/slice.h"
#include "trace/text.h"

#include <stddef.h>
#include <stdio.h>

struct show_options {
	struct option_list threads, variables, locks, slices;
	uint64_t from, to; /* to 0: the end */
	bool stat, json;
};

#define FILTERS 3

struct show {
	const struct show_options *options;
	struct reader *reader;
	struct filter filters[FILTERS];
	struct stat_counts counts;
	struct output *out;
	bool *slice; /* of each event; NULL: all */
	bool any;    /* events were read, wanted or not */
};

static bool is_wanted(const struct show *s, const struct event *e, uint64_t number)
{
	if (s->slice && !s->slice[number])
		return false;
	for (int i = 0; i < FILTERS; i++)
		if (!filter_matches(&s->filters[i], e))
			return false;
	return true;
}

static void show_event(struct show *s, const struct event *e, uint64_t number)
{
	const struct symbols *symbols = reader_symbols(s->reader);

	if (!is_wanted(s, e, number))
		return;
	if (s->options->stat) {
		stat_count(&s->counts, symbols, e);
		return;
	}
	output_format(s->out, "%8llu  ", (unsigned long long)number);
	text_put_event(s->out, symbols, e);
	output_char(s->out, '\n');
}

static int show_events(struct show *s, struct progress *progress, struct err *err)
{
	uint64_t to = s->options->to ? s->options->to : UINT64_MAX;
	struct batch batch;
	int got;

	while ((got = reader_next(s->reader, &batch, err)) > 0) {
		for (int i = 0; i < FILTERS; i++)
			filter_update(&s->filters[i], reader_symbols(s->reader));
		s->any = true;
		for (size_t i = 0; i < batch.n && batch.first + i <= to; i++)
			show_event(s, &batch.at[i], batch.first + i);
		if (batch.first + batch.n > to)
			return 0;
		if (s->options->stat)
			progress_show(progress, batch.first + batch.n - 1);
	}
	return got;
}

/* A name that does not occur is more likely mistyped than meant. */
static int check_names(const struct show *s, struct err *err)
{
	char where[400];
	int code = 0;

	snprintf(where, sizeof(where), "%s", reader_name(s->reader));
	if (s->options->to)
		snprintf(where, sizeof(where), "%.300s: up to event %llu", reader_name(s->reader),
			 (unsigned long long)s->options->to);
	for (int i = 0; i < FILTERS && !code; i++)
		code = filter_check_names(&s->filters[i], reader_symbols(s->reader), where, err);
	return code;
}

static void print_stat(const struct show *s, const char *path)
{
	const struct show_options *o = s->options;
	bool all = !o->threads.n && !o->variables.n && !o->locks.n && !o->slices.n &&
		   o->from <= 1 && !o->to;

	if (o->json)
		stat_print_json(&s->counts, s->reader, path, s->out);
	else
		stat_print(&s->counts, s->reader, path, all, s->out);
}

static int show(struct show *s, const char *path, struct err *err)
{
	struct progress progress;
	int code = s->options->from > 1 ? reader_seek(s->reader, s->options->from, err) : 0;

	progress_start(&progress, reader_name(s->reader));
	if (!code)
		code = show_events(s, &progress, err);
	progress_end(&progress);
	if (!code)
		code = check_names(s, err);
	if (!code && s->options->stat)
		print_stat(s, path);
	return code;
}

/* The events that a property of these scripts depends on; all of the trace is in memory. */
static int find_slice(struct show *s, const struct trace_file *file, struct err *err)
{
	const struct show_options *o = s->options;
	struct reader *r = trace_file_open(file, err);
	struct index *index = r ? index_new(r, err) : NULL;
	struct properties *all = index ? properties_new(index, 0, err) : NULL;
	int code = all ? 0 : err->code;

	for (size_t i = 0; !code && i < o->slices.n; i++)
		code = properties_add(all, o->slices.at[i], err);
	if (!code)
		s->slice = mem_alloc_zero((size_t)index->count + 1, sizeof(*s->slice));
	for (size_t i = 0; !code && i < properties_count(all); i++)
		slice_add(index, MODEL_VALUES, properties_at(all, i)->monitor, s->slice);
	properties_free(all);
	index_free(index);
	return code;
}

/* With a slice it is read twice. */
static int open_trace(struct show *s, struct trace_file *file, const char *path, struct err *err)
{
	if (!s->options->slices.n)
		s->reader = reader_open(path, NULL, err);
	else if (!trace_file_init(file, path, err) && !find_slice(s, file, err))
		s->reader = trace_file_open(file, err);
	return s->reader ? 0 : err->code;
}

static int run_show(const void *options, char **operands)
{
	const struct show_options *o = options;
	struct trace_file file = {0};
	struct err err = {0};

	if (o->json && !o->stat) {
		say("show: --json needs --stat");
		return EXIT_USAGE;
	}
	if (o->to && o->from > o->to) {
		say("show: --from is after --to");
		return EXIT_USAGE;
	}
	struct show s = {.options = o,
			 .filters = {{.class = CLASS_THREAD, .names = &o->threads},
				     {.class = CLASS_VARIABLE, .names = &o->variables},
				     {.class = CLASS_LOCK, .names = &o->locks}}};

	if (open_trace(&s, &file, operands[0], &err) < 0) {
		trace_file_release(&file);
		mem_free(s.slice);
		return say_failure(&err);
	}
	s.out = cmd_open_output();
	int code = show(&s, operands[0], &err);
	/* the events before a bad one are shown all the same */
	int status = cmd_close_output(s.out, 0);

	if (!status)
		status = say_if_cut(s.reader, !s.any && o->from <= 1);
	if (code < 0)
		status = say_failure(&err);
	for (int i = 0; i < FILTERS; i++)
		filter_release(&s.filters[i]);
	stat_release(&s.counts);
	reader_close(s.reader);
	trace_file_release(&file);
	mem_free(s.slice);
	return status;
}

static const struct option show_rows[] = {
	{.name = "thread",
	 .letter = 't',
	 .argument = "NAME",
	 .help = "only events of this thread; this and the next two may be repeated",
	 .kind = OPTION_LIST,
	 .offset = offsetof(struct show_options, threads)},
	{.name = "var",
	 .letter = 'v',
	 .argument = "NAME",
	 .help = "only accesses to this variable, or to memory that it overlaps",
	 .kind = OPTION_LIST,
	 .offset = offsetof(struct show_options, variables)},
	{.name = "lock",
	 .letter = 'l',
	 .argument = "NAME",
	 .help = "only operations on this lock, including waits that release it",
	 .kind = OPTION_LIST,
	 .offset = offsetof(struct show_options, locks)},
	{.name = "slice",
	 .argument = "SCRIPT",
	 .help = "only events that can matter for a property of this script; may be repeated",
	 .kind = OPTION_LIST,
	 .offset = offsetof(struct show_options, slices)},
	{.name = "from",
	 .argument = "N",
	 .help = "start at event N",
	 .kind = OPTION_COUNT,
	 .least = 1,
	 .offset = offsetof(struct show_options, from)},
	{.name = "to",
	 .argument = "N",
	 .help = "stop after event N",
	 .kind = OPTION_COUNT,
	 .least = 1,
	 .offset = offsetof(struct show_options, to)},
	{.name = "stat",
	 .letter = 's',
	 .help = "print counts by kind, thread, size and dependence instead of the events",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct show_options, stat)},
	{.name = "json",
	 .help = "with --stat: print the counts as JSON",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct show_options, json)},
	{0},
};

const struct command show_command = {
	.name = "show",
	.summary = "Print the events of a trace, or count them.",
	.usage = "[--thread NAME] [--var NAME] [--lock NAME] [--slice SCRIPT] [--from N] [--to N]\n"
		 "                 [--stat [--json]] TRACE",
	.details = "An event is shown if it matches every kind of filter that is given. --stat "
		   "counts\n"
		   "the objects of the whole trace, or with --to, of the part that was read.\n",
	.options = show_rows,
	.options_size = sizeof(struct show_options),
	.operands_least = 1,
	.operands_most = 1,
	.run = run_show,
};
