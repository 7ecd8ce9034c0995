/* SPDX-License-Identifier: MIT */
/* norn certify TRACE WITNESS: does the execution exist, and the bug at its end? */
#include "cmd/verbs.h"
#include "report/read.h"
#include "witness/certify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct certify_options {
	bool json;
};

static void print_bug(struct output *out, const struct witness *w)
{
	char between = bug_facts[w->bug].most == 2 ? '-' : ',';

	output_text(out, bug_kind_text[w->bug]);
	for (size_t i = 0; i < w->bug_events.n; i++) {
		output_char(out, i ? between : ' ');
		output_u64(out, w->bug_events.at[i]);
	}
}

static void print_verdict(struct output *out, const struct witness *w, bool certified,
			  const char *message)
{
	if (!certified) {
		output_text(out, "rejected: ");
		output_text(out, message);
		output_char(out, '\n');
		return;
	}
	output_text(out, "certified: ");
	print_bug(out, w);
	output_format(out, " (%s), %llu event%s\n", model_text[w->model],
		      (unsigned long long)witness_length(w), witness_length(w) == 1 ? "" : "s");
}

static void print_json(struct output *out, const struct witness *w, bool certified,
		       const char *message)
{
	struct json json = {.out = out};

	json_open(&json, NULL, '{');
	json_bool(&json, "certified", certified);
	if (!certified)
		json_string(&json, "message", message);
	json_string(&json, "bug", bug_kind_text[w->bug]);
	json_open(&json, "bug_events", '[');
	for (size_t i = 0; i < w->bug_events.n; i++)
		json_u64(&json, NULL, w->bug_events.at[i]);
	json_close(&json, ']');
	json_string(&json, "model", model_text[w->model]);
	json_u64(&json, "events", witness_length(w));
	json_close(&json, '}');
}

/* A finding of a report: REPORT#N. The schedule is spelled out by the trace, which is read for it.
 */
static int read_finding(struct witness *w, const char *trace, const char *report, uint64_t number,
			struct err *err)
{
	struct reported reported;
	struct reader *r = NULL;
	int code = reported_read(&reported, report, number, err);

	if (!code) {
		r = reader_open(trace, NULL, err);
		code = r ? reported_spell(&reported, r, err) : err->code;
	}
	witness_copy(w, &reported.witness);
	reported_release(&reported);
	reader_close(r);
	return code;
}

static int read_witness(struct witness *w, const char *trace, const char *name, struct err *err)
{
	const char *mark = strrchr(name, '#');

	if (mark && mark[1] && !mark[1 + strspn(mark + 1, "0123456789")] && access(name, F_OK)) {
		char *report = mem_alloc((size_t)(mark - name) + 1);

		memcpy(report, name, (size_t)(mark - name));
		report[mark - name] = '\0';
		int code = read_finding(w, trace, report, strtoull(mark + 1, NULL, 10), err);

		mem_free(report);
		return code;
	}
	return witness_read_file(w, name, err);
}

static int run_certify(const void *options, char **operands)
{
	const struct certify_options *o = options;
	struct witness w = {0};
	struct err err = {0};
	struct reader *r = NULL;
	int verdict = read_witness(&w, operands[0], operands[1], &err);

	if (!verdict) {
		r = reader_open(operands[0], NULL, &err);
		verdict = r ? certify(r, &w, &err) : err.code;
	}
	int status;

	if (verdict < 0) {
		status = say_failure(&err);
	} else {
		struct output *out = cmd_open_output();

		(o->json ? print_json : print_verdict)(out, &w, verdict, err.message);
		say_if_cut(r, false);
		status = cmd_close_output(out, verdict ? 0 : EXIT_BAD_INPUT);
	}
	reader_close(r);
	witness_release(&w);
	return status;
}

static const struct option certify_rows[] = {
	{.name = "json",
	 .help = "print the verdict as JSON",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct certify_options, json)},
	{0},
};

const struct command certify_command = {
	.name = "certify",
	.summary = "Check a witness against its trace, step by step.",
	.usage = "[--json] TRACE WITNESS",
	.details = "WITNESS is a file, or REPORT#N: finding N of a report of norn predict --json.\n"
		   "Prints `certified: ...`; or `rejected: ...` with the first event that cannot\n"
		   "happen, or what is missing at the end. Exit status: 0 certified, 3 rejected.\n",
	.options = certify_rows,
	.options_size = sizeof(struct certify_options),
	.operands_least = 2,
	.operands_most = 2,
	.run = run_certify,
};
