/* SPDX-License-Identifier: MIT */
/* norn explore TRACE: count or list every feasible execution of a small trace. */
#include "cmd/verbs.h"
#include "search/explore/explore.h"

#include <stddef.h>

struct explore_options {
	int model;
	bool list, json;
	struct explore_limits limits;
};

/* Prints one proper execution; the context of explore_list. */
struct lister {
	struct output *out;
	struct json *json; /* NULL: text */
};

static bool print_execution(void *context, const uint32_t *events, size_t n)
{
	struct lister *lister = context;

	if (lister->json)
		json_open(lister->json, NULL, '[');
	for (size_t i = 0; i < n; i++) {
		if (lister->json) {
			json_u64(lister->json, NULL, events[i]);
			continue;
		}
		if (i)
			output_char(lister->out, ' ');
		output_u64(lister->out, events[i]);
	}
	if (lister->json)
		json_close(lister->json, ']');
	else
		output_char(lister->out, '\n');
	return true;
}

static int list(const struct index *index, const struct explore_options *o, struct output *out,
		struct err *err)
{
	struct json json = {.out = out};
	struct lister lister = {.out = out, .json = o->json ? &json : NULL};

	if (o->json)
		json_open(&json, NULL, '[');
	int code = explore_list(index, (enum model)o->model, &o->limits, print_execution, &lister,
				err);

	if (o->json)
		json_close(&json, ']');
	return code;
}

static void print_count(struct output *out, const char *name, uint64_t count)
{
	output_format(out, "%-11s %llu%s\n", name, (unsigned long long)count,
		      count == UINT64_MAX ? " or more" : "");
}

static void print_counts(struct output *out, const struct explore_result *found)
{
	print_count(out, "executions", found->executions);
	print_count(out, "proper", found->proper);
	print_count(out, "states", found->states);
	print_count(out, "races", found->bugs[BUG_RACE].n);
	print_count(out, "deadlocks", found->bugs[BUG_DEADLOCK].n);
	print_count(out, "stuck", found->bugs[BUG_STUCK].n);
	if (found->bugs[BUG_ATOMICITY].n)
		print_count(out, "atomicity", found->bugs[BUG_ATOMICITY].n);
}

static void print_counts_json(struct output *out, const struct explore_result *found)
{
	struct json json = {.out = out};

	json_open(&json, NULL, '{');
	json_u64(&json, "executions", found->executions);
	json_u64(&json, "proper", found->proper);
	json_bool(&json, "or_more", found->executions == UINT64_MAX || found->proper == UINT64_MAX);
	json_u64(&json, "states", found->states);
	json_u64(&json, "races", found->bugs[BUG_RACE].n);
	json_u64(&json, "deadlocks", found->bugs[BUG_DEADLOCK].n);
	json_u64(&json, "stuck", found->bugs[BUG_STUCK].n);
	if (found->bugs[BUG_ATOMICITY].n)
		json_u64(&json, "atomicity", found->bugs[BUG_ATOMICITY].n);
	json_close(&json, '}');
}

static int count(const struct index *index, const struct explore_options *o, struct output *out,
		 struct err *err)
{
	struct explore_result found = {0};
	int code = explore(index, (enum model)o->model, &o->limits, &found, err);

	if (!code)
		(o->json ? print_counts_json : print_counts)(out, &found);
	explore_result_release(&found);
	return code;
}

static int run_explore(const void *options, char **operands)
{
	const struct explore_options *o = options;
	struct err err = {0};
	struct reader *r = reader_open(operands[0], NULL, &err);
	struct index *index = r ? index_new(r, &err) : NULL;

	if (!index)
		return say_failure(&err);
	int status = say_if_cut(index->reader, !index->count);
	say_if_no_branches(index->reader, (enum model)o->model);
	struct output *out = cmd_open_output();
	int code = (o->list ? list : count)(index, o, out, &err);

	index_free(index);
	if (code < 0) {
		output_abandon(out);
		return say_failure(&err);
	}
	return cmd_close_output(out, status);
}

static const struct option explore_rows[] = {
	{.name = "model",
	 .letter = 'm',
	 .argument = "MODEL",
	 .help = "which executions are feasible; values by default",
	 .kind = OPTION_CHOICE,
	 .choices = cmd_choose_model,
	 .offset = offsetof(struct explore_options, model)},
	{.name = "list",
	 .letter = 'l',
	 .help = "list the proper executions as event numbers, one per line",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct explore_options, list)},
	{.name = "max-states",
	 .argument = "N",
	 .help = "stop after N states; 0 (the default): no limit",
	 .kind = OPTION_COUNT,
	 .offset = offsetof(struct explore_options, limits.states)},
	{.name = "max-memory",
	 .argument = "SIZE",
	 .help = "stop when the states need more than SIZE; 2G by default, 0: no limit",
	 .kind = OPTION_SIZE,
	 .offset = offsetof(struct explore_options, limits.bytes)},
	{.name = "json",
	 .help = "print the counts or the list as JSON",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct explore_options, json)},
	{0},
};

const struct command explore_command = {
	.name = "explore",
	.summary = "Count or list every feasible execution of a small trace.",
	.usage = "[--model MODEL] [--list] [--json] [--max-states N] [--max-memory SIZE] TRACE",
	.details = "An execution is proper if it cannot continue. At a limit, `undecided: ...` is\n"
		   "printed on standard error, and the exit status is 4.\n",
	.options = explore_rows,
	.options_size = sizeof(struct explore_options),
	.defaults = &(const struct explore_options){.model = MODEL_VALUES,
						    .limits.bytes = (uint64_t)2 << 30},
	.operands_least = 1,
	.operands_most = 1,
	.run = run_explore,
};
