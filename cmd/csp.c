/* SPDX-License-Identifier: MIT */
/* norn csp FILE: decide the assertions of a script in CSP_M. */
#include "cmd/verbs.h"
#include "csp/csp.h"

#include <stddef.h>

struct csp_options {
	const char *aut;
	bool json;
	struct csp_limits limits;
};

static void print_events(struct csp *csp, struct output *out, const uint32_t *events, size_t n,
			 const char *open, const char *close)
{
	output_text(out, open);
	for (size_t i = 0; i < n; i++) {
		output_text(out, i ? ", " : "");
		output_text(out, csp_event_text(csp, events[i]));
	}
	output_text(out, close);
}

static const char *const failure_text[] = {
	[CSP_TRACE] = "the last event is not allowed",
	[CSP_REFUSAL] = "too little is accepted there",
	[CSP_DEADLOCK] = "nothing is accepted there",
	[CSP_DIVERGENCE] = "silent steps may go on for ever there",
	[CSP_NONDETERMINISM] = "the last event may be refused as well",
	[CSP_TRACE_MISSING] = "the last event is not possible, or not sure",
};

static void print_process(struct csp *csp, struct output *out, const char *what,
			  const struct csp_process *p)
{
	if (p)
		output_format(out, "  %s: %s\n", what, csp_process_text(csp, p));
}

static void print_failure(struct csp *csp, struct output *out, const struct csp_answer *a)
{
	print_events(csp, out, a->trace, a->trace_length, "  trace: <", ">\n");
	if (a->path_length > a->trace_length)
		print_events(csp, out, a->path, a->path_length, "  with what is hidden: <", ">\n");
	output_format(out, "  %s\n", failure_text[a->failure]);
	if (a->specification)
		print_events(csp, out, a->allowed, a->allowed_count, "  allowed: {", "}\n");
	if (a->implementation)
		print_events(csp, out, a->accepted, a->accepted_count, "  accepted: {", "}\n");
	print_process(csp, out, "specification", a->specification);
	print_process(csp, out, "implementation", a->implementation);
}

static void print_answer(struct csp *csp, struct output *out, const struct csp_assertion *told,
			 const struct csp_answer *a)
{
	output_format(out, "%s:%u:%u: ", told->file, told->line, told->column);
	output_text(out, told->text);
	output_format(out, ": %s (%llu state%s)\n", a->holds ? "holds" : "fails",
		      (unsigned long long)a->states, a->states == 1 ? "" : "s");
	if (a->failure)
		print_failure(csp, out, a);
}

static void json_events(struct csp *csp, struct json *json, const char *key, const uint32_t *events,
			size_t n)
{
	json_open(json, key, '[');
	for (size_t i = 0; i < n; i++)
		json_string(json, NULL, csp_event_text(csp, events[i]));
	json_close(json, ']');
}

static void json_answer(struct csp *csp, struct json *json, const struct csp_answer *a)
{
	json_bool(json, "holds", a->holds);
	json_u64(json, "states", a->states);
	if (!a->failure)
		return;
	json_string(json, "reason", failure_text[a->failure]);
	json_events(csp, json, "trace", a->trace, a->trace_length);
	json_events(csp, json, "path", a->path, a->path_length);
	if (a->specification) {
		json_events(csp, json, "allowed", a->allowed, a->allowed_count);
		json_string(json, "specification", csp_process_text(csp, a->specification));
	}
	if (a->implementation) {
		json_events(csp, json, "accepted", a->accepted, a->accepted_count);
		json_string(json, "implementation", csp_process_text(csp, a->implementation));
	}
}

static void json_place(struct json *json, const struct csp_assertion *told)
{
	json_string(json, "text", told->text);
	json_string(json, "file", told->file);
	json_u64(json, "line", told->line);
	json_u64(json, "column", told->column);
}

/* Returns the exit status of this line of the script. */
static int decide(struct csp *csp, size_t i, struct output *out, struct json *json)
{
	struct csp_assertion told = csp_assertion(csp, i);
	struct csp_answer answer = {0};
	struct err err = {0};
	const char *text = NULL;
	int code = told.property == CSP_PRINT ? csp_print(csp, i, &text, &err)
					      : csp_assertion_decide(csp, i, &answer, &err);

	if (json) {
		json_open(json, NULL, '{');
		json_place(json, &told);
		if (code)
			json_string(json, "undecided", err.message);
		else if (text)
			json_string(json, "value", text);
		else
			json_answer(csp, json, &answer);
		json_close(json, '}');
	} else if (!code && text) {
		output_text(out, text);
		output_char(out, '\n');
	} else if (!code) {
		print_answer(csp, out, &told, &answer);
	}
	if (code == ERR_LIMIT) {
		output_flush(out);
		say("%s:%u:%u: undecided: %s", told.file, told.line, told.column, err.message);
		return err_exit_status(code);
	}
	if (code)
		return say_failure(&err);
	return told.property == CSP_PRINT || answer.holds ? 0 : EXIT_FINDINGS;
}

/* A bad script is worse than a failed assertion, which is worse than an undecided one. */
static int worse(int a, int b)
{
	static const int order[] = {EXIT_BAD_INPUT, EXIT_FINDINGS};

	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		if (a == order[i] || b == order[i])
			return order[i];
	return a ? a : b;
}

static int decide_all(struct csp *csp, bool as_json)
{
	struct output *out = cmd_open_output();
	struct json json = {.out = out};
	int status = 0;

	if (as_json)
		json_open(&json, NULL, '[');
	for (size_t i = 0; i < csp_assertion_count(csp); i++)
		status = worse(status, decide(csp, i, out, as_json ? &json : NULL));
	if (as_json)
		json_close(&json, ']');
	return cmd_close_output(out, status);
}

static int write_aut(struct csp *csp, const char *text)
{
	struct output *out = cmd_open_output();
	struct csp_process *process;
	struct err err = {0};
	int code = csp_process(csp, text, &process, &err);

	if (!code)
		code = csp_write_aut(csp, process, out, &err);
	if (code) {
		output_abandon(out);
		return say_failure(&err);
	}
	return cmd_close_output(out, 0);
}

static int run_csp(const void *options, char **operands)
{
	const struct csp_options *o = options;
	struct err err = {0};
	struct csp *csp = csp_new(&o->limits);
	int status;

	if (csp_read_file(csp, operands[0], &err) || csp_check(csp, &err))
		status = say_failure(&err);
	else if (o->aut)
		status = write_aut(csp, o->aut);
	else
		status = decide_all(csp, o->json);
	csp_free(csp);
	return status;
}

static const struct option csp_rows[] = {
	{.name = "aut",
	 .argument = "PROCESS",
	 .help = "write this process as a labelled transition system",
	 .kind = OPTION_STRING,
	 .offset = offsetof(struct csp_options, aut)},
	{.name = "max-states",
	 .argument = "N",
	 .help = "give up on an assertion after N states; 0, the default: never",
	 .kind = OPTION_COUNT,
	 .offset = offsetof(struct csp_options, limits.states)},
	{.name = "max-memory",
	 .argument = "SIZE",
	 .help = "give up when SIZE of memory is used; 2G by default, 0: never",
	 .kind = OPTION_SIZE,
	 .offset = offsetof(struct csp_options, limits.bytes)},
	{.name = "json",
	 .help = "print the answers as JSON",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct csp_options, json)},
	{0},
};

const struct command csp_command = {
	.name = "csp",
	.summary = "Decide the assertions of a script in CSP_M, the language of FDR.",
	.usage = "[--aut PROCESS] [--max-states N] [--max-memory SIZE] [--json] FILE",
	.details = "Exit status 66 if an assertion fails; each has a counterexample.\n"
		   "At a limit: `undecided: ...` on standard error, and exit status 4.\n",
	.options = csp_rows,
	.options_size = sizeof(struct csp_options),
	.defaults = &(const struct csp_options){.limits.bytes = (uint64_t)2 << 30},
	.operands_least = 1,
	.operands_most = 1,
	.run = run_csp,
};
