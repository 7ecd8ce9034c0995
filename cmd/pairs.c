/* SPDX-License-Identifier: MIT */
/*
 * norn pairs --by ANALYSIS TRACE: every pair of events that races, every set that
 * deadlocks, or every event at which a thread may wait forever. What a search finds is printed only
 * after the certifier has accepted its witness.
 */
#include "cmd/trace_file.h"

#include "cmd/verbs.h"
#include "predict/pairs.h"
#include "witness/certify.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct pairs_options {
	int by;	    /* as pairs_analysis_at counts; -1: not given */
	int model;  /* -1: not given */
	int engine; /* a row of engine_kinds; -1: not given */
	const char *witness;
	bool json;
	struct explore_limits limits;
};

/* The verb at work. */
struct asking {
	const struct pairs_options *options;
	struct trace_file file;
	struct index *index;
	struct pairs pairs;
};

static bool choose_analysis(size_t i, struct option_choice *choice)
{
	struct pairs_analysis analysis;

	if (!pairs_analysis_at(i, &analysis))
		return false;
	*choice = (struct option_choice){analysis.name, analysis.help};
	return true;
}

static int find_all(struct asking *a, struct err *err)
{
	struct reader *r = trace_file_open(&a->file, err);

	a->index = r ? index_new(r, err) : NULL;
	if (!a->index)
		return err->code;
	if (say_if_cut(a->index->reader, !a->index->count))
		return err_set(err, ERR_INPUT, "%s: no events", a->file.path);
	if (a->pairs.analysis.proves)
		say_if_no_branches(a->index->reader, a->pairs.model);
	a->pairs.index = a->index;
	return pairs_find(&a->pairs, err);
}

/* Returns 0, or EXIT_INTERNAL: search and certifier disagree, and one of them is wrong. */
static int certify_finding(const struct pairs *p, struct certifier *c,
			   const struct pairs_finding *f)
{
	struct err err = {0};

	if (certifier_judge(c, f->witness, &err))
		return 0;
	char *name = pairs_finding_name(p, f);

	say("internal error: the certifier rejected the witness of %s: %s", name, err.message);
	mem_free(name);
	return EXIT_INTERNAL;
}

static int certify_all(const struct asking *a)
{
	const struct pairs *p = &a->pairs;
	struct err err = {0};

	if (!p->found.n || !p->analysis.proves)
		return 0;
	struct reader *r = trace_file_open(&a->file, &err);
	struct certifier *c = r ? certifier_new(r, &err) : NULL;
	int status = c ? 0 : say_failure(&err);

	for (size_t i = 0; i < p->found.n && !status; i++)
		status = certify_finding(p, c, &p->found.at[i]);
	certifier_free(c);
	reader_close(r);
	return status;
}

static int write_witness(const struct pairs *p, const struct pairs_finding *f,
			 const char *directory, struct err *err)
{
	char *name = pairs_finding_name(p, f);
	size_t room = strlen(directory) + strlen(name) + sizeof("/.witness");
	char *path = mem_alloc(room);

	snprintf(path, room, "%s/%s.witness", directory, name);
	struct output *out = output_open(path, OUTPUT_REPLACE, err);

	mem_free(path);
	mem_free(name);
	if (!out)
		return err->code;
	witness_write(f->witness, out);
	return output_close(out, err);
}

static int write_witnesses(const struct pairs *p, const char *directory, struct err *err)
{
	int code = 0;

	if (!directory)
		return 0;
	if (mkdir(directory, 0777) < 0 && errno != EEXIST)
		return err_set(err, ERR_SYSTEM, "%s: %s", directory, strerror(errno));
	for (size_t i = 0; i < p->found.n && !code; i++)
		code = write_witness(p, &p->found.at[i], directory, err);
	return code;
}

static void print_findings(const struct pairs *p, struct output *out)
{
	for (size_t i = 0; i < p->found.n; i++) {
		char *name = pairs_finding_name(p, &p->found.at[i]);

		output_text(out, name);
		output_char(out, '\n');
		mem_free(name);
	}
}

static void print_findings_json(const struct pairs *p, struct output *out)
{
	struct json json = {.out = out};

	json_open(&json, NULL, '{');
	json_string(&json, "by", p->analysis.name);
	json_open(&json, "findings", '[');
	for (size_t i = 0; i < p->found.n; i++) {
		const struct pairs_finding *f = &p->found.at[i];

		json_open(&json, NULL, '[');
		for (size_t k = 0; k < f->count; k++)
			json_u64(&json, NULL, p->numbers.at[f->first + k]);
		json_close(&json, ']');
	}
	json_close(&json, ']');
	json_close(&json, '}');
}

static int find_and_print(struct asking *a, const char *path)
{
	const struct pairs_options *o = a->options;
	const struct pairs *p = &a->pairs;
	struct err err = {0};

	if (trace_file_init(&a->file, path, &err) < 0 || find_all(a, &err) < 0)
		return say_failure(&err);
	int status = certify_all(a);

	if (status)
		return status;
	if (write_witnesses(p, o->witness, &err) < 0)
		return say_failure(&err);
	struct output *out = cmd_open_output();

	(o->json ? print_findings_json : print_findings)(p, out);
	return cmd_close_output(out, p->found.n ? EXIT_FINDINGS : 0);
}

static int check_usage(const struct pairs_options *o, const struct pairs_analysis *a)
{
	if (o->model >= 0 && !a->takes_model) {
		say("pairs: --model cannot be used with --by %s", a->name);
		return EXIT_USAGE;
	}
	if (o->engine >= 0 && !a->proves) {
		say("pairs: --engine cannot be used with --by %s", a->name);
		return EXIT_USAGE;
	}
	if (o->witness && !a->proves) {
		say("pairs: --witness cannot be used with --by %s, which proves nothing", a->name);
		return EXIT_USAGE;
	}
	return 0;
}

static int run_pairs(const void *options, char **operands)
{
	const struct pairs_options *o = options;
	struct asking a = {.options = o, .pairs.limits = o->limits};
	struct pairs_analysis *analysis = &a.pairs.analysis;

	if (o->by < 0 || !pairs_analysis_at((size_t)o->by, analysis)) {
		say("pairs: --by is required; norn help pairs lists the analyses");
		return EXIT_USAGE;
	}
	int status = check_usage(o, analysis);

	if (status)
		return status;
	a.pairs.model = o->model < 0 ? analysis->model : (enum model)o->model;
	a.pairs.engine = o->engine < 0 ? &engine_solver : engine_kinds[o->engine];
	status = find_and_print(&a, operands[0]);
	pairs_release(&a.pairs);
	index_free(a.index);
	trace_file_release(&a.file);
	return status;
}

static bool choose_engine(size_t i, struct option_choice *choice)
{
	if (i >= engine_kind_count)
		return false;
	*choice = (struct option_choice){engine_kinds[i]->name, engine_kinds[i]->title};
	return true;
}

static const struct option pairs_rows[] = {
	{.name = "by",
	 .letter = 'b',
	 .argument = "ANALYSIS",
	 .help = "the analysis (required)",
	 .kind = OPTION_CHOICE,
	 .choices = choose_analysis,
	 .offset = offsetof(struct pairs_options, by)},
	{.name = "model",
	 .letter = 'm',
	 .argument = "MODEL",
	 .help = "with --by deadlock or stuck: the model; values by default",
	 .kind = OPTION_CHOICE,
	 .choices = cmd_choose_model,
	 .offset = offsetof(struct pairs_options, model)},
	{.name = "witness",
	 .letter = 'w',
	 .argument = "DIR",
	 .help = "write the witness of each finding to DIR, as A-B.witness",
	 .kind = OPTION_STRING,
	 .offset = offsetof(struct pairs_options, witness)},
	{.name = "engine",
	 .letter = 'e',
	 .argument = "ENGINE",
	 .help = "the search engine; solver by default",
	 .kind = OPTION_CHOICE,
	 .choices = choose_engine,
	 .offset = offsetof(struct pairs_options, engine)},
	{.name = "max-states",
	 .argument = "N",
	 .help = "with explore: stop after N states; 0 (the default): no limit",
	 .kind = OPTION_COUNT,
	 .offset = offsetof(struct pairs_options, limits.states)},
	{.name = "max-memory",
	 .argument = "SIZE",
	 .help = "stop when the search needs more than SIZE; 2G by default, 0: no limit",
	 .kind = OPTION_SIZE,
	 .offset = offsetof(struct pairs_options, limits.bytes)},
	{.name = "json",
	 .help = "print the findings as JSON",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct pairs_options, json)},
	{0},
};

const struct command pairs_command = {
	.name = "pairs",
	.summary = "Print every race, deadlock or stuck thread of a small trace.",
	.usage = "--by ANALYSIS [--engine ENGINE] [--model MODEL] [--witness DIR] [--json]\n"
		 "                  [--max-states N] [--max-memory SIZE] TRACE",
	.details = "Prints one finding per line: A-B for a race, A,B,... for a deadlock, and the "
		   "event\n"
		   "at which a thread waits for a stuck thread. Each finding is certified. The\n"
		   "orders (hb to quick) prove nothing: they print candidates.\n"
		   "Exit status: 0 none, 66 some, 4 undecided at a limit.\n",
	.options = pairs_rows,
	.options_size = sizeof(struct pairs_options),
	.defaults =
		&(const struct pairs_options){
			.by = -1, .model = -1, .engine = -1, .limits.bytes = (uint64_t)2 << 30},
	.operands_least = 1,
	.operands_most = 1,
	.run = run_pairs,
};
