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

/* SIZE_MAX: it was known, and that one is shorter. */
static size_t add_failure(struct hunt_findings *f, const struct hunter_run *run)
{
	struct hunt_finding *known = find_known(f, run->failure);
	uint32_t steps = run->attempt->steps;

	if (known) {
		known->times++;
		if (steps >= known->steps)
			return SIZE_MAX;
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
	return (size_t)(known - f->at.at);
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

int hunt_findings_look(void *context, struct hunter_run *run, struct err *err)
{
	struct hunt_findings *f = context;
	size_t finding = SIZE_MAX;

	if (judge(f, run, err) < 0)
		return err->code;
	if (run->failure->kind != FAILURE_NONE)
		finding = add_failure(f, run);
	return f->predicts && run->is_new ? hunt_predict(f, run, finding, err) : 0;
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

static void put_report(const struct hunt_findings *f, const struct hunt_finding *h,
		       struct output *out)
{
	char *text = h->report && f->page ? hunt_report_text(h->report) : NULL;

	if (text)
		hunt_cut_counts(text);
	output_text(out, text ? text : h->report ? h->report : "");
	mem_free(text);
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
	put_report(f, h, out);
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
		put_report(f, h, out);
	}
}

void hunt_findings_release(struct hunt_findings *f)
{
	struct err ignored;

	hunt_findings_settle(f, &ignored); /* if the hunt ended in an error */
	vec_release(&f->predictions);
	for (size_t i = 0; i < f->at.n; i++) {
		mem_free(f->at.at[i].choice);
		mem_free(f->at.at[i].errors);
		mem_free(f->at.at[i].report);
	}
	vec_release(&f->at);
	mem_free(f->first_output);
}
