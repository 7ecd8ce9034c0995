/* SPDX-License-Identifier: MIT */
#include "cmd/hunt_findings.h"

#include "base/harmless.h"
#include "base/seconds.h"
#include "cmd/cmd.h"
#include "cmd/step.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char *copy_of(const char *text)
{
	return memcpy(mem_alloc(strlen(text) + 1), text, strlen(text) + 1);
}

/* Failures */

static struct hunt_finding *find_known(struct hunt_findings *f, const struct failure *failure)
{
	for (size_t i = 0; i < f->at.n; i++)
		if (f->at.at[i].failure.kind == failure->kind &&
		    !strcmp(f->at.at[i].failure.text, failure->text))
			return &f->at.at[i];
	return NULL;
}

static void add_failure(struct hunt_findings *f, const struct hunter_run *run)
{
	struct hunt_finding *known = find_known(f, run->failure);
	uint32_t steps = run->attempt->steps;

	if (known) {
		known->times++;
		if (steps >= known->steps)
			return;
		mem_free(known->choice);
		mem_free(known->errors);
	} else {
		vec_push(&f->at, ((struct hunt_finding){
					 .failure = *run->failure, .runs = run->runs, .times = 1}));
		known = &f->at.at[f->at.n - 1];
	}
	known->number = run->number;
	known->steps = steps;
	known->choice = copy_of(run->choice);
	known->errors = copy_of(run->attempt->errors ? run->attempt->errors : "");
}

/* The user's own judge: it reads what the run printed. */
static int run_check(const struct hunt_findings *f, const struct hunter_run *run, bool *fails,
		     struct err *err)
{
	const char *output = run->attempt->output ? run->attempt->output : "";
	char status[16], trace[PATH_MAX];
	int input = memfd_create("output", MFD_CLOEXEC), ended;

	if (input < 0 || write(input, output, strlen(output)) < 0 || lseek(input, 0, SEEK_SET) < 0)
		return err_set(err, ERR_SYSTEM, "--check: %s", strerror(errno));
	snprintf(status, sizeof(status), "%d", run->attempt->status);
	snprintf(trace, sizeof(trace), "%s", run->trace);
	pid_t child = fork();

	if (child < 0)
		return err_set(err, ERR_SYSTEM, "--check: %s", strerror(errno));
	if (!child) {
		dup2(input, STDIN_FILENO);
		dup2(STDERR_FILENO, STDOUT_FILENO);
		setenv("NORN_STATUS", status, 1);
		setenv("NORN_TRACE", trace, 1);
		execl("/bin/sh", "sh", "-c", f->check, (char *)NULL);
		_exit(127);
	}
	close(input);
	while (waitpid(child, &ended, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(ended) && WEXITSTATUS(ended) == 127)
		return err_set(err, ERR_USAGE, "--check: cannot run %s", f->check);
	*fails = !WIFEXITED(ended) || WEXITSTATUS(ended) != 0;
	return 0;
}

static bool is_other_output(struct hunt_findings *f, const struct attempt *a)
{
	const char *output = a->output ? a->output : "";

	if (f->first_output)
		return strcmp(f->first_output, output) != 0;
	f->first_output = copy_of(output);
	return false;
}

/* Whether the user sees something wrong in a run that went well. */
static int judge(struct hunt_findings *f, struct hunter_run *run, struct err *err)
{
	struct failure *failure = run->failure;
	bool fails = false;
	bool other = f->compare_output && is_other_output(f, run->attempt);

	if (failure->kind != FAILURE_NONE || run->attempt->end != ATTEMPT_ENDED)
		return 0;
	if (f->check && run_check(f, run, &fails, err) < 0)
		return err->code;
	if (fails) {
		failure->kind = FAILURE_CHECK;
		snprintf(failure->text, sizeof(failure->text), "the check fails: %s", f->check);
	} else if (other) {
		failure->kind = FAILURE_OUTPUT;
		snprintf(failure->text, sizeof(failure->text),
			 "prints something else than the "
			 "first run");
	}
	return 0;
}

/* Prediction, by the verb: what is new goes to N.report */

/* Of a report, the findings; not the counts behind them. */
static void cut_counts(char *report)
{
	static const char rule[] = "==================\n";
	char *end = NULL;

	for (char *at = report; (at = strstr(at, rule)); at += sizeof(rule) - 1)
		end = at + sizeof(rule) - 1;
	if (end)
		*end = '\0';
}

/* What the run itself did, and how it failed, is one finding. */
static void add_report(struct hunt_findings *f, const struct hunter_run *run, char *report)
{
	struct hunt_finding *last = f->at.n ? &f->at.at[f->at.n - 1] : NULL;

	if (report && !f->json)
		cut_counts(report);
	if (last && last->failure.kind != FAILURE_NONE && last->number == run->number &&
	    !last->report) {
		last->report = report;
		last->reported = run->number;
		return;
	}
	vec_push(&f->at, ((struct hunt_finding){.number = run->number,
						.runs = run->runs,
						.times = 1,
						.steps = run->attempt->steps,
						.choice = copy_of(run->choice),
						.errors = copy_of(""),
						.report = report,
						.reported = run->number}));
}

static char *read_whole(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) < 0)
		return NULL;
	char *text = mem_alloc((size_t)st.st_size + 1);
	ssize_t got = read(fd, text, (size_t)st.st_size);

	text[got < 0 ? 0 : got] = '\0';
	close(fd);
	return text;
}

#define PREDICT_SECONDS 10
#define REPLAY_SECONDS "5"

static int predict(struct hunt_findings *f, struct hunter_run *run, struct err *err)
{
	char report[PATH_MAX + 32], known[PATH_MAX + 32];
	struct step step;
	char seconds[24];
	double left = f->deadline > 0 ? f->deadline - seconds_now() : PREDICT_SECONDS;

	if (left < 1) { /* it is not said that all was looked at */
		f->unpredicted++;
		return 0;
	}
	snprintf(seconds, sizeof(seconds), "%d",
		 left < PREDICT_SECONDS ? (int)left : PREDICT_SECONDS);
	snprintf(report, sizeof(report), "%s/%llu.report", f->directory,
		 (unsigned long long)run->number);
	snprintf(known, sizeof(known), "%s/known", f->directory);
	step_init(&step, "predict");
	step_add(&step, "--keep");
	step_add(&step, "--replay");
	step_add(&step, "--trust"); /* it is ours, also where no key can be kept */
	step_add_option(&step, "--replay-timeout", REPLAY_SECONDS);
	step_add_option(&step, "--output", report);
	step_add_option(&step, "--baseline", known);
	step_add_option(&step, "--time", seconds);
	step_add_option(&step, "--jobs", "1");
	if (f->json)
		step_add(&step, "--json");
	for (size_t i = 0; i < f->bugs->n; i++)
		step_add_option(&step, "--bugs", f->bugs->at[i]);
	for (size_t i = 0; i < f->properties->n; i++)
		step_add_option(&step, "--property", f->properties->at[i]);
	for (size_t i = 0; i < f->suppressions->n; i++)
		step_add_option(&step, "--suppressions", f->suppressions->at[i]);
	step_add(&step, run->trace);
	int status = step_run(&step, err);

	if (status == err_exit_status(ERR_LIMIT))
		f->undecided++;
	run->found = status == EXIT_FINDINGS;
	if (run->found)
		add_report(f, run, read_whole(report));
	else
		unlink(report);
	return status < 0 ? status : 0;
}

int hunt_findings_look(void *context, struct hunter_run *run, struct err *err)
{
	struct hunt_findings *f = context;

	if (judge(f, run, err) < 0)
		return err->code;
	if (run->failure->kind != FAILURE_NONE)
		add_failure(f, run);
	return f->predicts && run->is_new ? predict(f, run, err) : 0;
}

/* Telling */

static void put_again(const struct hunt_findings *f, const struct hunt_finding *h,
		      struct output *out)
{
	output_format(out, "  again: norn replay --recorded %s/%llu.norn\n", f->directory,
		      (unsigned long long)h->number);
	output_format(out, "         norn replay --recorded --gdb %s/%llu.norn\n", f->directory,
		      (unsigned long long)h->number);
}

static void put_choice(const struct hunt_finding *h, struct output *out)
{
	if (!h->choice || !*h->choice)
		return;
	output_text(out, "  the difference: ");
	harmless_put(out, h->choice, strlen(h->choice));
	output_char(out, '\n');
}

static void put_failure(const struct hunt_findings *f, const struct hunt_finding *h,
			struct output *out)
{
	output_format(out, "FAILURE: Norn: %s: ", failure_kind_text[h->failure.kind]);
	harmless_put(out, h->failure.text, strlen(h->failure.text));
	output_format(out, "\n  in run %llu%s\n", (unsigned long long)h->runs,
		      h->times > 1 ? ", and others" : "");
	put_choice(h, out);
	put_again(f, h, out);
	output_text(out, h->report ? h->report : "");
}

void hunt_findings_put(const struct hunt_findings *f, struct output *out)
{
	for (size_t i = 0; i < f->at.n; i++) {
		const struct hunt_finding *h = &f->at.at[i];

		if (h->failure.kind != FAILURE_NONE) {
			put_failure(f, h, out);
			continue;
		}
		output_format(out, "Predicted from %s/%llu.norn, run %llu:\n", f->directory,
			      (unsigned long long)h->number, (unsigned long long)h->runs);
		put_choice(h, out);
		output_text(out, h->report ? h->report : "");
	}
}

void hunt_findings_release(struct hunt_findings *f)
{
	for (size_t i = 0; i < f->at.n; i++) {
		mem_free(f->at.at[i].choice);
		mem_free(f->at.at[i].errors);
		mem_free(f->at.at[i].report);
	}
	vec_release(&f->at);
	mem_free(f->first_output);
}
