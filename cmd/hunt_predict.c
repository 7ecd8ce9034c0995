/* SPDX-License-Identifier: MIT */
/*
 * Predictions from the traces of a hunt, by the verb, several at the same time. What is new goes to
 * N.report. A finding is reported for the first run in which it is: so predictions are taken in the
 * order of the runs, and one that knew less than it would have known alone is made again if it has
 * found something.
 */
#include "base/seconds.h"
#include "base/spawn.h"
#include "cmd/cmd.h"
#include "cmd/hunt_findings.h"
#include "cmd/step.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREDICT_SECONDS 10
#define REPLAY_SECONDS "5"
#define PATH_ROOM (PATH_MAX + 32)

static char *copy_of(const char *text)
{
	return memcpy(mem_alloc(strlen(text) + 1), text, strlen(text) + 1);
}

static void release(struct hunt_prediction *p)
{
	mem_free(p->trace);
	mem_free(p->choice);
}

/* DIRECTORY/N.ENDING */
static void name_file(const struct hunt_findings *f, const struct hunt_prediction *p,
		      const char *ending, char *path)
{
	snprintf(path, PATH_ROOM, "%s/%llu.%s", f->directory, (unsigned long long)p->number,
		 ending);
}

static void name_known(const struct hunt_findings *f, char *path)
{
	snprintf(path, PATH_ROOM, "%s/known", f->directory);
}

/* NULL: there is none. */
static char *read_whole(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = NULL;

	if (fd >= 0 && !fstat(fd, &st)) {
		text = mem_alloc((size_t)st.st_size + 1);
		ssize_t got = read(fd, text, (size_t)st.st_size);

		text[got < 0 ? 0 : got] = '\0';
	}
	if (fd >= 0)
		close(fd);
	return text;
}

static off_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) < 0 ? 0 : st.st_size;
}

/* What is known when it begins: it adds what it finds to that. */
static int copy_known(const struct hunt_findings *f, struct hunt_prediction *p, const char *path,
		      struct err *err)
{
	char known[PATH_ROOM];

	name_known(f, known);
	char *text = read_whole(known);
	struct output *out = output_open(path, OUTPUT_PRIVATE, err);

	p->known = text ? strlen(text) : 0;
	if (out)
		output_text(out, text ? text : "");
	mem_free(text);
	return out ? output_close(out, err) : err->code;
}

void hunt_cut_counts(char *report)
{
	static const char rule[] = "==================\n";
	char *end = NULL;

	for (char *at = report; (at = strstr(at, rule)); at += sizeof(rule) - 1)
		end = at + sizeof(rule) - 1;
	if (end)
		*end = '\0';
}

/* What the run itself did, and how it failed, is one finding. */
static void add_report(struct hunt_findings *f, const struct hunt_prediction *p, char *report)
{
	if (report && !f->json && !f->page)
		hunt_cut_counts(report);
	if (p->finding != SIZE_MAX && !f->at.at[p->finding].report) {
		f->at.at[p->finding].report = report;
		f->at.at[p->finding].reported = p->number;
		return;
	}
	vec_push(&f->at, ((struct hunt_finding){.number = p->number,
						.runs = p->runs,
						.times = 1,
						.steps = p->steps,
						.choice = copy_of(p->choice),
						.errors = copy_of(""),
						.report = report,
						.reported = p->number}));
}

static double seconds_left(const struct hunt_findings *f)
{
	return f->deadline > 0 ? f->deadline - seconds_now() : PREDICT_SECONDS;
}

static int begin(const struct hunt_findings *f, struct hunt_prediction *p, struct err *err)
{
	char report[PATH_ROOM], known[PATH_ROOM], seconds[24];
	struct step step;
	double left = seconds_left(f);

	name_file(f, p, "report", report);
	name_file(f, p, "known", known);
	if (copy_known(f, p, known, err) < 0)
		return err->code;
	left = left < 1 ? 1 : left < PREDICT_SECONDS ? left : PREDICT_SECONDS;
	snprintf(seconds, sizeof(seconds), "%d", (int)left);
	step_init(&step, "predict");
	step_add(&step, "--keep");
	step_add(&step, "--replay");
	step_add(&step, "--trust"); /* it is ours, also where no key can be kept */
	step_add_option(&step, "--replay-timeout", REPLAY_SECONDS);
	step_add_option(&step, "--output", report);
	step_add_option(&step, "--baseline", known);
	step_add_option(&step, "--time", seconds);
	step_add_option(&step, "--jobs", "1");
	if (f->json || f->page)
		step_add(&step, "--json");
	for (size_t i = 0; i < f->bugs->n; i++)
		step_add_option(&step, "--bugs", f->bugs->at[i]);
	for (size_t i = 0; i < f->properties->n; i++)
		step_add_option(&step, "--property", f->properties->at[i]);
	for (size_t i = 0; i < f->suppressions->n; i++)
		step_add_option(&step, "--suppressions", f->suppressions->at[i]);
	step_add(&step, p->trace);
	p->place = step_begin(&step, err);
	return p->place < 0 ? p->place : 0;
}

/* Its exit status, when it has seen all that the runs before it have found. */
static int end(const struct hunt_findings *f, struct hunt_prediction *p, struct err *err)
{
	char mine[PATH_ROOM], known[PATH_ROOM];
	int status = spawn_end(p->place, err);

	name_file(f, p, "known", mine);
	name_known(f, known);
	bool added = size_of(mine) != (off_t)p->known, late = size_of(known) != (off_t)p->known;

	if (status >= 0 && added && late)
		status = begin(f, p, err) < 0 ? err->code : spawn_end(p->place, err);
	if (status < 0 || !added)
		unlink(mine);
	else if (rename(mine, known) < 0)
		return err_set(err, ERR_SYSTEM, "%s: cannot be replaced", known);
	return status;
}

/* Of all that are under way, the first one. */
static int take_first(struct hunt_findings *f, bool *found, struct err *err)
{
	struct hunt_prediction p = f->predictions.at[0];
	char report[PATH_ROOM];

	memmove(f->predictions.at, f->predictions.at + 1,
		--f->predictions.n * sizeof(*f->predictions.at));
	name_file(f, &p, "report", report);
	int status = end(f, &p, err);

	*found = status == EXIT_FINDINGS;
	f->undecided += status == err_exit_status(ERR_LIMIT);
	if (*found)
		add_report(f, &p, read_whole(report));
	else
		unlink(report);
	release(&p);
	return status < 0 ? status : 0;
}

int hunt_predict(struct hunt_findings *f, struct hunter_run *run, size_t finding, struct err *err)
{
	if (seconds_left(f) < 1) { /* it is not said that all was looked at */
		f->unpredicted++;
		return 0;
	}
	while (f->predictions.n >= (f->jobs ? f->jobs : 1))
		if (take_first(f, &run->found, err) < 0)
			return err->code;
	struct hunt_prediction p = {.trace = copy_of(run->trace),
				    .choice = copy_of(run->choice),
				    .number = run->number,
				    .runs = run->runs,
				    .steps = run->attempt->steps,
				    .finding = finding};

	run->found = false;
	if (begin(f, &p, err) < 0) {
		release(&p);
		return err->code;
	}
	vec_push(&f->predictions, p);
	return f->at_once ? take_first(f, &run->found, err) : 0;
}

/* By the runs in which they were found first; the failure of a run before what is predicted. */
static int compare(const void *a, const void *b)
{
	const struct hunt_finding *x = a, *y = b;

	if (x->runs != y->runs)
		return x->runs < y->runs ? -1 : 1;
	return (x->failure.kind == FAILURE_NONE) - (y->failure.kind == FAILURE_NONE);
}

int hunt_findings_settle(struct hunt_findings *f, struct err *err)
{
	bool found;
	int code = 0;

	while (f->predictions.n) {
		int taken = take_first(f, &found, err);

		code = code < 0 ? code : taken;
	}
	qsort(f->at.at, f->at.n, sizeof(*f->at.at), compare);
	return code;
}
