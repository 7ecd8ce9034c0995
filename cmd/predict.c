/* SPDX-License-Identifier: MIT */
/*
 * norn predict TRACE: every race and deadlock that the trace proves possible, each with a
 * certified witness, and how complete that is.
 */
#include "base/digest.h"
#include "base/seconds.h"
#include "base/strbuf.h"
#include "cmd/baseline.h"
#include "cmd/predict_replay.h"
#include "cmd/progress.h"
#include "cmd/report_files.h"
#include "cmd/second_chance.h"
#include "cmd/trace_file.h"
#include "cmd/verbose.h"
#include "cmd/verbs.h"
#include "deadlock/tune.h"
#include "predict/candidates.h"
#include "predict/suppress.h"
#include "property/property.h"
#include "property/tune.h"
#include "predict/tune.h"
#include "report/story.h"
#include "sat/tune.h"
#include "search/greedy/tune.h"
#include "search/monitor/tune.h"
#include "search/smt/tune.h"
#include "search/solver/tune.h"
#include "trace/format.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct predict_command_options {
	int model;  /* -1: not given */
	int format; /* a row of report_kinds; -1: not given */
	int colour; /* of colours */
	bool json, sarif, no_greedy, replay, trust, keep, why, no_optimism, verbose;
	const char *output, *solver, *dump, *witness, *baseline;
	struct option_list suppressions, bugs, tunes, properties;
	uint64_t jobs, seconds, time, bytes, cone, replay_timeout, most;
	struct report_files files;
};

enum colour { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };
static const struct option_choice colours[] = {
	{"auto", "on a terminal, unless NO_COLOR is set (the default)"},
	{"always", "also in files and pipes"},
	{"never", "no colours"},
};

/*
 * Set by the first interrupt: from then on what is known is reported. The next one ends the
 * program, if it is not the same: who types it at a terminal sends it to norn try as well, which
 * sends it on.
 */
static volatile bool interrupted;
static double interrupted_at; /* by seconds_now() */

#define SAME_INTERRUPT 0.5 /* s */

static const int interrupts[] = {SIGINT, SIGTERM};
#define INTERRUPTS (sizeof(interrupts) / sizeof(*interrupts))
static struct sigaction before_interrupts[INTERRUPTS];

static void on_interrupt(int number)
{
	double now = seconds_now();

	if (!interrupted) {
		interrupted_at = now;
		interrupted = true;
		return;
	}
	if (now - interrupted_at < SAME_INTERRUPT)
		return;
	for (size_t i = 0; i < INTERRUPTS; i++)
		sigaction(interrupts[i], &before_interrupts[i], NULL);
	raise(number); /* it comes when we return */
}

/* What is ignored stays so, as behind nohup. Until the end: a report is lost by none. */
static void catch_interrupts(void)
{
	const struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};

	for (size_t i = 0; i < INTERRUPTS; i++)
		if (!sigaction(interrupts[i], NULL, &before_interrupts[i]) &&
		    before_interrupts[i].sa_handler != SIG_IGN)
			sigaction(interrupts[i], &action, NULL);
}

struct predicting {
	const struct predict_command_options *options;
	uint32_t bugs; /* as predict_options has them */
	struct trace_file source;
	struct index *index;
	struct properties *properties; /* NULL: none are asked for */
	struct suppressions suppressions;
	struct prediction prediction;
	struct progress progress;
	double deadline; /* by seconds_now(); 0: none */
};

static struct reader *open_again(void *context, struct err *err)
{
	const struct predicting *p = context;

	return trace_file_open(&p->source, err);
}

static void show_progress(void *context, uint64_t done, uint64_t all, uint64_t proved)
{
	struct predicting *p = context;

	double left = p->deadline > 0 ? p->deadline - seconds_now() : 0;

	progress_show_parts(&p->progress, done, all, proved, left > 0 ? left : 0);
}

/* Where somebody is there to see it: the report comes when all is done. */
static void tell_finding(void *context, const struct finding *f)
{
	struct predicting *p = context;
	const struct witness *w = &f->witness;

	if (!p->progress.terminal)
		return;
	progress_end(&p->progress);
	fprintf(stderr, "predict: proved: %s", bug_kind_text[w->bug]);
	for (size_t i = 0; i < w->bug_events.n; i++) {
		uint32_t location = p->index->events[w->bug_events.at[i]].location;

		fprintf(stderr, "%s %s", i ? "," : "",
			location ? intern_text(&p->index->symbols->locations, location) : "?");
	}
	fputc('\n', stderr);
}

static void tell_candidate(void *context, enum bug_kind bug, const struct search_result *r)
{
	struct predicting *p = context;

	progress_end(&p->progress);
	verbose_tell(bug, r);
}

/* Without branches in the trace, only mcm takes it that reads decide something. */
static enum model choose_predict_model(const struct predicting *p)
{
	const struct format *format = format_by_name(reader_format(p->index->reader));

	if (p->options->model >= 0) {
		say_if_no_branches(p->index->reader, (enum model)p->options->model);
		return (enum model)p->options->model;
	}
	if (format->knows & FORMAT_BRANCHES)
		return MODEL_VALUES;
	say("%s: %s has no branches: model mcm is used, as if a branch followed every read",
	    reader_name(p->index->reader), reader_format(p->index->reader));
	return MODEL_MCM;
}

static bool add_bug(const char *name, size_t length, uint32_t *bugs)
{
	for (size_t i = 0; i < predict_kind_count; i++) {
		enum bug_kind bug = predict_kinds[i]->bug;

		if (strlen(bug_kind_text[bug]) != length ||
		    memcmp(bug_kind_text[bug], name, length))
			continue;
		*bugs |= BUG_BIT(bug);
		return true;
	}
	return false;
}

static int unknown_bug(const char *name, size_t length, struct err *err)
{
	char names[100];
	struct strbuf list = STRBUF(names);

	for (size_t i = 0; i < predict_kind_count; i++)
		strbuf_add(&list, "%s%s", i ? ", " : "", bug_kind_text[predict_kinds[i]->bug]);
	return err_set(err, ERR_USAGE, "--bugs: no kind of bug \"%.*s\"; the kinds are %s",
		       (int)(length < 60 ? length : 60), name, names);
}

/* Of each "a,b" that was given; else the default. */
static int choose_bugs(const struct predict_command_options *o, uint32_t *bugs, struct err *err)
{
	*bugs = o->properties.n ? BUG_BIT(BUG_PROPERTY) : o->bugs.n ? 0 : predict_default_bugs();
	for (size_t i = 0; i < o->bugs.n; i++) {
		const char *at = o->bugs.at[i];

		for (;;) {
			size_t length = strcspn(at, ",");

			if (!add_bug(at, length, bugs))
				return unknown_bug(at, length, err);
			if (!at[length])
				break;
			at += length + 1;
		}
	}
	return 0;
}

static int make_directory(const char *path, struct err *err)
{
	if (path && mkdir(path, 0777) < 0 && errno != EEXIST)
		return err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(errno));
	return 0;
}

static int set_tunes(const struct option_list *tunes, struct err *err)
{
	static const struct tune_table *const tables[] = {
		&sat_tune_table,      &solver_tune_table,   &greedy_tune_table,
		&deadlock_tune_table, &predict_tune_table,  &smt_tune_table,
		&monitor_tune_table,  &property_tune_table, NULL};

	for (size_t i = 0; i < tunes->n; i++)
		if (tune_set(tables, tunes->at[i], err) < 0)
			return err->code;
	return 0;
}

static bool asks_for_run(const struct predict_command_options *o)
{
	const struct report_kind *kind = o->format < 0 ? NULL : report_kinds[o->format];

	return o->files.html || o->files.perfetto || kind == &report_html ||
	       kind == &report_perfetto;
}

/* Long traces are first read without their accesses: most that have no candidate need no more, and
 * may be larger than memory. */
static bool may_be_bare(const struct predicting *p)
{
	const struct predict_command_options *o = p->options;
	struct stat s;

	return !p->source.kept && !o->properties.n && !o->bugs.n && !asks_for_run(o) &&
	       stat(p->source.path, &s) == 0 && S_ISREG(s.st_mode) &&
	       s.st_size > (off_t)predict_tune.whole_most;
}

static int open_index(struct predicting *p, bool bare, struct err *err)
{
	struct reader *r = trace_file_open(&p->source, err);

	if (!r)
		return err->code;
	reader_set_deadline(r, p->deadline);
	p->index = bare ? index_new_bare(r, err) : index_new(r, err);
	if (!p->index && bare && !err->code)
		return open_index(p, false, err);
	return p->index ? 0 : err->code;
}

static int prepare(struct predicting *p, const char *path, struct err *err)
{
	const struct option_list *files = &p->options->suppressions;

	for (size_t i = 0; i < files->n; i++)
		if (suppressions_load(&p->suppressions, files->at[i], err) < 0)
			return err->code;
	if (set_tunes(&p->options->tunes, err) < 0 || choose_bugs(p->options, &p->bugs, err) < 0 ||
	    make_directory(p->options->dump, err) < 0 ||
	    make_directory(p->options->witness, err) < 0 ||
	    trace_file_init(&p->source, path, err) < 0 || open_index(p, may_be_bare(p), err) < 0)
		return err->code;
	if (say_if_cut(p->index->reader, !p->index->count && !p->index->left_out))
		return err_set(err, ERR_INPUT, "%s: no events", path);
	return 0;
}

/* Half of what the machine has, unless it was given; 0: no limit. */
static uint64_t memory_of(const struct predict_command_options *o)
{
	uint64_t pages = (uint64_t)sysconf(_SC_PHYS_PAGES);
	uint64_t half = pages * (uint64_t)sysconf(_SC_PAGESIZE) / 2;

	return o->bytes == UINT64_MAX ? half : o->bytes;
}

static int read_properties(struct predicting *p, struct err *err)
{
	const struct option_list *files = &p->options->properties;

	if (!files->n)
		return 0;
	/* the rest is for the search */
	p->properties = properties_new(p->index, memory_of(p->options) / 2, err);
	if (!p->properties)
		return err->code;
	for (size_t i = 0; i < files->n; i++)
		if (properties_add(p->properties, files->at[i], err) < 0)
			return err->code;
	return 0;
}

static int run_prediction(struct predicting *p, struct err *err)
{
	const struct predict_command_options *o = p->options;
	struct predict_options options = {
		.model = choose_predict_model(p),
		.bugs = p->bugs,
		.infer = p->options->bugs.n, /* who asks by name wants more */
		.budget = {.seconds = (double)o->seconds,
			   .bytes = memory_of(o),
			   .stop = &interrupted},
		.jobs = o->jobs ? (uint32_t)o->jobs : (uint32_t)sysconf(_SC_NPROCESSORS_ONLN),
		.solver = o->solver,
		.no_greedy = o->no_greedy,
		.why = o->why,
		.properties = p->properties,
		.cone = (uint32_t)o->cone,
		.dump = o->dump,
		.open = open_again,
		.progress = show_progress,
		.told = o->verbose ? tell_candidate : NULL,
		.found = tell_finding,
		.deadline = p->deadline,
		.context = p,
	};

	progress_start(&p->progress, "predict");
	catch_interrupts();
	int code = predict(p->index, &options, &p->prediction, err);

	if (!code && p->prediction.needs_all) {
		index_free(p->index);
		p->index = NULL;
		code = open_index(p, false, err);
		if (!code)
			code = predict(p->index, &options, &p->prediction, err);
	}
	progress_end(&p->progress);
	for (size_t i = 0; !code && i < p->prediction.findings.n; i++)
		suppressions_match(&p->suppressions, p->index, &p->prediction.findings.at[i]);
	for (size_t i = 0; !code && i < p->prediction.seen.at.n; i++)
		suppressions_match_seen(&p->suppressions, &p->prediction.seen.at.at[i]);
	return code;
}

/* DIR/SCRIPT-N.witness, of a property */
static char *property_path(const char *directory, const struct witness *w)
{
	const char *slash = strrchr(w->script, '/'), *name = slash ? slash + 1 : w->script;
	size_t room = strlen(directory) + strlen(name) + sizeof("/-4294967295.witness");
	char *path = mem_alloc(room);

	snprintf(path, room, "%s/%s-%u.witness", directory, name, w->assertion);
	return path;
}

/* DIR/3-10.witness; the caller frees it. */
static char *witness_path(const char *directory, const struct witness *w)
{
	if (w->script)
		return property_path(directory, w);
	size_t room = strlen(directory) + sizeof("/.witness") +
		      w->bug_events.n * sizeof("-18446744073709551615");
	char *path = mem_alloc(room), *end = path + sprintf(path, "%s/", directory);

	for (size_t i = 0; i < w->bug_events.n; i++) {
		if (i)
			*end++ = predict_kind_of(w->bug)->between;
		end += sprintf(end, "%llu", (unsigned long long)w->bug_events.at[i]);
	}
	if (!w->bug_events.n)
		end = stpcpy(end, bug_kind_text[w->bug]);
	strcpy(end, ".witness");
	return path;
}

static int write_witnesses(const struct predicting *p, struct err *err)
{
	const char *directory = p->options->witness;
	int code = 0;

	for (size_t i = 0; directory && !code && i < p->prediction.findings.n; i++) {
		struct finding *f = &p->prediction.findings.at[i];
		char *path = witness_path(directory, &f->witness);
		struct output *out = output_open(path, OUTPUT_REPLACE, err);

		mem_free(path);
		if (!out)
			return err->code;
		finding_open(f);
		witness_write(&f->witness, out);
		finding_close(f);
		code = output_close(out, err);
	}
	return code;
}

static int give_second_chance(struct predicting *p, struct err *err)
{
	const struct predict_command_options *o = p->options;
	const struct second_chance_options options = {.trace = reader_name(p->index->reader),
						      .open = open_again,
						      .context = p,
						      .timeout = o->replay_timeout,
						      .trust = o->trust,
						      .stop = &interrupted,
						      .budget = {.seconds = (double)o->seconds,
								 .bytes = memory_of(o),
								 .stop = &interrupted}};
	size_t before = p->prediction.findings.n;

	if (!o->replay || o->no_optimism || interrupted)
		return 0;
	if (second_chance(&p->prediction, &options, err) < 0)
		return err->code;
	for (size_t i = 0; i < p->prediction.findings.n && p->prediction.findings.n > before; i++) {
		struct finding *f = &p->prediction.findings.at[i];

		if (f->evidence)
			suppressions_match(&p->suppressions, f->evidence->index, f);
	}
	return 0;
}

static int replay_all(struct predicting *p, struct err *err)
{
	const struct predict_command_options *o = p->options;
	const struct predict_replay_options options = {.trace = reader_name(p->index->reader),
						       .open = open_again,
						       .context = p,
						       .timeout = o->replay_timeout,
						       .trust = o->trust,
						       .keep = o->keep,
						       .stop = &interrupted};

	mem_limit(0, NULL); /* the program has its own */
	if (give_second_chance(p, err) < 0)
		return err->code;
	if (o->baseline && baseline_mark(&p->prediction, o->baseline, err) < 0)
		return err->code;
	if (o->replay && predict_replay_findings(&p->prediction, &options, err) < 0)
		return err->code;
	return o->keep ? predict_keep_witnesses(&p->prediction, options.trace, err) : 0;
}

static int exit_status(const struct prediction *p)
{
	struct counts c = story_counts(p, BUG_COUNT);

	for (size_t i = 0; i < p->seen.at.n; i++)
		if (!p->seen.at.at[i].suppressed)
			return EXIT_FINDINGS;
	if (c.shown)
		return EXIT_FINDINGS;
	return c.complete ? 0 : err_exit_status(ERR_LIMIT);
}

static bool wants_colour(const struct predict_command_options *o)
{
	if (o->colour != COLOUR_AUTO)
		return o->colour == COLOUR_ALWAYS;
	return !o->output && isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
}

/* Negative: a file could not be written. */
static int write_report(const char *path, const struct report_kind *kind,
			const struct prediction *p, const struct report_options *options,
			struct err *err)
{
	struct output *out = output_open(path, OUTPUT_REPLACE, err);

	if (!out)
		return err->code;
	report_write(kind, p, options, out);
	return output_close(out, err);
}

static int print_report(const struct predicting *p, struct err *err)
{
	const struct predict_command_options *o = p->options;
	int status = exit_status(&p->prediction);
	char here[PATH_MAX], digest[DIGEST_TEXT];
	struct report_options options = {
		.trace = reader_name(p->index->reader),
		.version = NORN_VERSION,
		.root = getcwd(here, sizeof(here)),
		.suppressions = o->suppressions.n ? &p->suppressions : NULL,
		.exit_status = status,
		.colour = wants_colour(o),
		.most = o->most,
	};
	const struct report_kind *kind = o->json	 ? &report_json
					 : o->sarif	 ? &report_sarif
					 : o->format < 0 ? &report_text
							 : report_kinds[o->format];

	if (kind == &report_json && cmd_is_file(options.trace)) {
		if (digest_file(options.trace, digest, err) < 0)
			return say_failure(err);
		options.digest = digest;
	}
	struct report_file file;

	for (size_t i = 0; report_files_get(&o->files, i, &file); i++)
		if (write_report(file.path, file.kind, &p->prediction, &options, err) < 0)
			return say_failure(err);
	if (!o->output) {
		struct output *out = cmd_open_output();

		report_write(kind, &p->prediction, &options, out);
		return cmd_close_output(out, status);
	}
	return write_report(o->output, kind, &p->prediction, &options, err) < 0 ? say_failure(err)
										: status;
}

static bool asks_for_properties(const struct predict_command_options *o)
{
	uint32_t bugs;
	struct err err;

	return !choose_bugs(o, &bugs, &err) && bugs & BUG_BIT(BUG_PROPERTY);
}

static int check_usage(const struct predict_command_options *o, const char *trace)
{
	bool is_stream = !cmd_is_file(trace) && (!strcmp(trace, "-") || !access(trace, F_OK));

	if ((o->replay || o->keep) && is_stream) {
		say("predict: --replay and --keep need a trace that is a file");
		return EXIT_USAGE;
	}
	if ((o->json != 0) + (o->sarif != 0) + (o->format >= 0) > 1) {
		say("predict: use only one of --json, --sarif and --format");
		return EXIT_USAGE;
	}
	if (!o->properties.n && asks_for_properties(o)) {
		say("predict: --bugs property needs --property FILE");
		return EXIT_USAGE;
	}
	if (!*o->solver) {
		say("predict: --solver needs a name or a command");
		return EXIT_USAGE;
	}
	const struct engine_kind *kind = engine_by_name(o->solver);

	if (o->dump && kind && kind != &engine_z3 && kind != &engine_smt) {
		say("predict: --dump-smt needs --solver z3 or a command");
		return EXIT_USAGE;
	}
	return 0;
}

static int run_predict(const void *options, char **operands)
{
	const struct predict_command_options *o = options;
	struct predicting p = {.options = o};
	struct err err = {0};
	int status = check_usage(o, operands[0]);

	mem_limit(memory_of(o), "--max-memory");
	if (o->time)
		p.deadline = seconds_now() + (double)o->time;

	if (status)
		return status;
	if (prepare(&p, operands[0], &err) < 0 || read_properties(&p, &err) < 0 ||
	    run_prediction(&p, &err) < 0 || write_witnesses(&p, &err) < 0 ||
	    replay_all(&p, &err) < 0)
		status = say_failure(&err);
	else
		status = print_report(&p, &err);
	prediction_release(&p.prediction);
	properties_free(p.properties);
	suppressions_release(&p.suppressions);
	index_free(p.index);
	trace_file_release(&p.source);
	return status;
}

static bool choose_bug(size_t i, struct option_choice *choice)
{
	if (i >= predict_kind_count)
		return false;
	*choice = (struct option_choice){bug_kind_text[predict_kinds[i]->bug],
					 predict_kinds[i]->help};
	return true;
}

static bool choose_colour(size_t i, struct option_choice *choice)
{
	if (i >= sizeof(colours) / sizeof(*colours))
		return false;
	*choice = colours[i];
	return true;
}

static const struct option predict_rows[] = {
	{.name = "bugs",
	 .argument = "BUGS",
	 .help = "the kinds of bugs, separated by commas; all by default",
	 .kind = OPTION_LIST,
	 .choices = choose_bug,
	 .offset = offsetof(struct predict_command_options, bugs)},
	{.name = "property",
	 .letter = 'p',
	 .argument = "FILE",
	 .help = "a script in CSP_M: which of its assertions does an execution break? may be "
		 "repeated; then no other bugs, unless --bugs names them",
	 .kind = OPTION_LIST,
	 .offset = offsetof(struct predict_command_options, properties)},
	{.name = "model",
	 .letter = 'm',
	 .argument = "MODEL",
	 .help = "which executions are feasible; values by default",
	 .kind = OPTION_CHOICE,
	 .choices = cmd_choose_model,
	 .offset = offsetof(struct predict_command_options, model)},
	{.name = "format",
	 .letter = 'f',
	 .argument = "FORMAT",
	 .help = "the format of the report; text by default",
	 .kind = OPTION_CHOICE,
	 .choices = cmd_choose_report,
	 .offset = offsetof(struct predict_command_options, format)},
	{.name = "json",
	 .help = "the same as --format json",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct predict_command_options, json)},
	{.name = "sarif",
	 .help = "the same as --format sarif",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct predict_command_options, sarif)},
	{.name = "output",
	 .letter = 'o',
	 .argument = "FILE",
	 .help = "write the report to FILE",
	 .kind = OPTION_STRING,
	 .offset = offsetof(struct predict_command_options, output)},
#define ROW(option, help) REPORT_FILE_OPTION(option, help, struct predict_command_options)
	REPORT_FILES(ROW)
#undef ROW
		{.name = "witness",
		 .letter = 'w',
		 .argument = "DIR",
		 .help = "write the witness of each finding to DIR",
		 .kind = OPTION_STRING,
		 .offset = offsetof(struct predict_command_options, witness)},
	{.name = "keep",
	 .letter = 'k',
	 .help = "keep the witnesses as TRACE.1.witness and so on, for norn replay TRACE#1",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct predict_command_options, keep)},
	{.name = "why",
	 .help = "list the dependences that were not followed and that hold candidates back",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct predict_command_options, why)},
	{.name = "replay",
	 .letter = 'r',
	 .help = "run the recorded program along each witness, and report the result",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct predict_command_options, replay)},
	{.name = "trust",
	 .help = "with --replay: run the command of a trace that this user did not record here",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct predict_command_options, trust)},
	{.name = "no-optimism",
	 .help = "with --replay: do not replay candidates that are held back",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct predict_command_options, no_optimism)},
	{.name = "replay-timeout",
	 .argument = "SECONDS",
	 .help = "with --replay: the --timeout of norn replay; 10 by default",
	 .kind = OPTION_COUNT,
	 .least = 1,
	 .offset = offsetof(struct predict_command_options, replay_timeout)},
	{.name = "baseline",
	 .argument = "FILE",
	 .help = "suppress findings whose fingerprints are in FILE, and add new ones",
	 .kind = OPTION_STRING,
	 .offset = offsetof(struct predict_command_options, baseline)},
	{.name = "max-findings",
	 .argument = "N",
	 .help = "print at most N findings as text; 0, all, by default",
	 .kind = OPTION_COUNT,
	 .offset = offsetof(struct predict_command_options, most)},
	{.name = "suppressions",
	 .letter = 's',
	 .argument = "FILE",
	 .help = "suppressions in ThreadSanitizer's syntax; may be repeated",
	 .kind = OPTION_LIST,
	 .offset = offsetof(struct predict_command_options, suppressions)},
	{.name = "jobs",
	 .letter = 'j',
	 .argument = "N",
	 .help = "number of search processes; the number of processors by default",
	 .kind = OPTION_COUNT,
	 .most = 256,
	 .offset = offsetof(struct predict_command_options, jobs)},
	{.name = "budget",
	 .letter = 'b',
	 .argument = "SECONDS",
	 .help = "processor time limit for each candidate; 10 by default, 0: no limit",
	 .kind = OPTION_COUNT,
	 .offset = offsetof(struct predict_command_options, seconds)},
	{.name = "time",
	 .letter = 't',
	 .argument = "SECONDS",
	 .help = "time limit for all candidates; 0, no limit, by default",
	 .kind = OPTION_COUNT,
	 .offset = offsetof(struct predict_command_options, time)},
	{.name = "max-memory",
	 .argument = "SIZE",
	 .help = "memory limit of all processes; half of the machine's by default, 0: no limit",
	 .kind = OPTION_SIZE,
	 .offset = offsetof(struct predict_command_options, bytes)},
	{.name = "window",
	 .argument = "N",
	 .help = "maximum number of events in a solver query; 20000 by default",
	 .kind = OPTION_COUNT,
	 .most = 10000000,
	 .offset = offsetof(struct predict_command_options, cone)},
	{.name = "solver",
	 .argument = "SOLVER",
	 .help = "solver (built in, the default), z3, smt (cvc5), or a command that reads SMT-LIB "
		 "2",
	 .kind = OPTION_STRING,
	 .offset = offsetof(struct predict_command_options, solver)},
	{.name = "dump-smt",
	 .argument = "DIR",
	 .help = "with z3 or a command: write each query to DIR",
	 .kind = OPTION_STRING,
	 .offset = offsetof(struct predict_command_options, dump)},
	{.name = "no-greedy",
	 .help = "do not use the quick engine; ask the solver about every candidate",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct predict_command_options, no_greedy)},
	{.name = "tune",
	 .argument = "NAME=VALUE",
	 .help = "how much is tried before a search gives up, for experiments",
	 .kind = OPTION_LIST,
	 .hidden = true,
	 .offset = offsetof(struct predict_command_options, tunes)},
	{.name = "verbose",
	 .letter = 'v',
	 .help = "say of each candidate what engines did for it, and why they gave up",
	 .kind = OPTION_FLAG,
	 .offset = offsetof(struct predict_command_options, verbose)},
	{.name = "color",
	 .argument = "WHEN",
	 .help = "use colours in the text report",
	 .kind = OPTION_CHOICE,
	 .choices = choose_colour,
	 .offset = offsetof(struct predict_command_options, colour)},
	{0},
};

const struct command predict_command = {
	.name = "predict",
	.summary = "Find bugs that other schedules of the recorded run have.",
	.usage = "[OPTION...] TRACE",
	.details = "Each finding has a witness, a schedule that the certifier has checked. "
		   "Candidates\n"
		   "that could not be decided are counted at the end of the report.\n"
		   "Exit status: 0 no bug, 66 bugs, 4 no bug was proved and some candidates are\n"
		   "undecided, or the recording is not complete.\n",
	.options = predict_rows,
	.options_size = sizeof(struct predict_command_options),
	.defaults = &(const struct predict_command_options){.model = -1,
							    .format = -1,
							    .seconds = 10,
							    .bytes = UINT64_MAX,
							    .replay_timeout = 10,
							    .solver = "solver"},
	.operands_least = 1,
	.operands_most = 1,
	.run = run_predict,
};
