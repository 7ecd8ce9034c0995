/* SPDX-License-Identifier: MIT */
/* norn check TRACE…: can every event happen where it stands? */
#include "cmd/progress.h"
#include "cmd/verbs.h"
#include "trace/check.h"

#include <stddef.h>

struct check_options {
	bool json;
};

int cmd_check_events(struct reader *r, uint64_t *events, struct err *err)
{
	struct check *c = check_new(r);
	struct progress progress;
	struct batch batch;
	int code;

	progress_start(&progress, reader_name(r));
	*events = 0;
	while ((code = reader_next(r, &batch, err)) > 0) {
		check_batch(c, &batch);
		*events += batch.n;
		progress_show(&progress, *events);
	}
	if (!code)
		code = check_finish(c, err);
	progress_end(&progress);
	check_free(c);
	return code;
}

/* Returns the exit status for this trace. */
static int check_trace(const char *path, struct output *out, struct json *json)
{
	struct err err = {0};
	uint64_t events = 0;
	struct reader *r = reader_open(path, NULL, &err);
	int code = r ? cmd_check_events(r, &events, &err) : err.code;

	if (json) {
		json_open(json, NULL, '{');
		json_string(json, "trace", path);
		json_bool(json, "consistent", !code);
		if (code)
			json_string(json, "message", err.message);
		else
			json_u64(json, "events", events);
		if (r && reader_cut(r))
			json_string(json, "cut", reader_cut(r));
		json_close(json, '}');
	} else if (!code && (events || !reader_cut(r))) {
		output_text(out, reader_name(r));
		output_format(out, ": consistent, %llu event%s\n", (unsigned long long)events,
			      events == 1 ? "" : "s");
		output_flush(out); /* before what is said of the next one */
	}
	int status = r ? say_if_cut(r, !events) : 0;

	if (code)
		status = say_failure(&err);
	reader_close(r);
	return status;
}

static int run_check(const void *options, char **operands)
{
	const struct check_options *o = options;
	struct output *out = cmd_open_output();
	struct json json = {.out = out};
	int status = 0;

	if (o->json)
		json_open(&json, NULL, '[');
	for (; *operands; operands++) {
		int this_status = check_trace(*operands, out, o->json ? &json : NULL);

		status = status ? status : this_status;
	}
	if (o->json)
		json_close(&json, ']');
	return cmd_close_output(out, status);
}

static const struct option check_rows[] = {
	{.name = "json",
	 .help = "print the results as JSON",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct check_options, json)},
	{0},
};

const struct command check_command = {
	.name = "check",
	.summary = "Check that traces are consistent.",
	.usage = "[--json] TRACE...",
	.details = "A trace is consistent if every event can happen at its place and every read\n"
		   "returns the recorded value. If it is not, standard error says which event\n"
		   "cannot happen and why, and the exit status is 3.\n",
	.options = check_rows,
	.options_size = sizeof(struct check_options),
	.operands_least = 1,
	.operands_most = -1,
	.run = run_check,
};
