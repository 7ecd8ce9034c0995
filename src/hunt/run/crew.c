/* SPDX-License-Identifier: MIT */
#include "hunt/run/crew.h"

#include "base/seconds.h"
#include "base/transfer.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define JOBS_MOST 256
#define POLL_MS 100   /* until a stop is seen */
#define DEATHS_MOST 5 /* of those that are to make one run */

struct worker {
	pid_t pid; /* 0: none */
	int socket;
	struct crew_run *run; /* that it is at; or NULL */
};

struct crew {
	struct crew_options options;
	struct worker workers[JOBS_MOST];
	VEC(struct crew_run *) runs; /* that were begun */
	size_t given;		     /* so many of them were given to somebody */
};

/* Messages: what to make, and what came of it. Pointers in them mean nothing to the other side. */

struct order {
	struct crew_run run;
	struct hunt_task task;
	char from[PATH_MAX];
};

#define NO_TEXT SIZE_MAX

struct answer_sent {
	struct crew_run run;
	size_t output, errors; /* bytes that follow */
};

static bool send_order(int fd, const struct crew_run *run)
{
	struct order o = {.run = *run};

	if (!run->task)
		return transfer_send(fd, &o, sizeof(o));
	o.task = *run->task;
	snprintf(o.from, sizeof(o.from), "%s", run->from);
	const struct witness *w = &o.task.witness;

	return transfer_send(fd, &o, sizeof(o)) &&
	       transfer_send(fd, w->bug_events.at, w->bug_events.n * sizeof(*w->bug_events.at)) &&
	       transfer_send(fd, w->run.at, w->run.n * sizeof(*w->run.at));
}

static bool receive_order(int fd, struct order *o)
{
	if (!transfer_receive(fd, o, sizeof(*o)))
		return false;
	if (!o->run.task)
		return true;
	const struct witness *sent = &o->task.witness;
	struct witness w = {.model = sent->model, .bug = sent->bug, .recorded = sent->recorded};

	vec_extend(&w.bug_events, sent->bug_events.n);
	vec_extend(&w.run, sent->run.n);
	o->task.witness = w;
	o->task.name = NULL;
	o->run.task = &o->task;
	o->run.from = o->from;
	return transfer_receive(fd, w.bug_events.at, w.bug_events.n * sizeof(*w.bug_events.at)) &&
	       transfer_receive(fd, w.run.at, w.run.n * sizeof(*w.run.at));
}

static bool send_answer(int fd, const struct crew_run *run)
{
	const struct attempt *a = &run->attempt;
	struct answer_sent sent = {.run = *run,
				   .output = a->output ? strlen(a->output) : NO_TEXT,
				   .errors = a->errors ? strlen(a->errors) : NO_TEXT};

	return transfer_send(fd, &sent, sizeof(sent)) &&
	       transfer_send(fd, a->output, a->output ? sent.output : 0) &&
	       transfer_send(fd, a->errors, a->errors ? sent.errors : 0);
}

static bool receive_text(int fd, size_t size, char **text)
{
	*text = NULL;
	if (size == NO_TEXT)
		return true;
	*text = mem_alloc(size + 1);
	(*text)[size] = '\0';
	return transfer_receive(fd, *text, size);
}

static bool receive_answer(int fd, struct crew_run *run)
{
	struct answer_sent sent;

	if (!transfer_receive(fd, &sent, sizeof(sent)))
		return false;
	run->end = sent.run.end;
	run->times = sent.run.times;
	run->code = sent.run.code;
	run->err = sent.run.err;
	memcpy(run->choice, sent.run.choice, sizeof(run->choice));
	run->attempt = sent.run.attempt;
	run->attempt.output = run->attempt.errors = NULL;
	memset(&run->attempt.decisions, 0, sizeof(run->attempt.decisions));
	if (receive_text(fd, sent.output, &run->attempt.output) &&
	    receive_text(fd, sent.errors, &run->attempt.errors))
		return true;
	crew_run_release(run);
	return false;
}

void crew_run_release(struct crew_run *run)
{
	attempt_release(&run->attempt);
	run->attempt = (struct attempt){0};
}

/* A worker */

static void work(const struct crew_options *options, int fd)
{
	struct order o;

	while (receive_order(fd, &o)) {
		crew_make(options, &o.run);
		bool sent = send_answer(fd, &o.run);

		crew_run_release(&o.run);
		if (o.run.task)
			hunt_task_release(&o.task);
		if (!sent)
			break;
	}
	_exit(0);
}

static int start_worker(struct crew *c, struct worker *w, struct err *err)
{
	pid_t parent = getpid();
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return err_set(err, ERR_SYSTEM, "socketpair: %s", strerror(errno));
	pid_t pid = fork();

	if (pid < 0) {
		close(ends[0]);
		close(ends[1]);
		return err_set(err, ERR_SYSTEM, "fork: %s", strerror(errno));
	}
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(0);
		for (uint32_t i = 0; i < c->options.jobs; i++)
			if (c->workers[i].pid)
				close(c->workers[i].socket);
		close(ends[0]);
		work(&c->options, ends[1]);
	}
	close(ends[1]);
	*w = (struct worker){pid, ends[0], NULL};
	return 0;
}

static void end_worker(struct worker *w)
{
	close(w->socket);
	while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
		;
	w->pid = 0;
}

/* Its run is made by another one, unless that has killed several. */
static int replace_worker(struct crew *c, struct worker *w, struct err *err)
{
	struct crew_run *run = w->run;

	end_worker(w);
	if (start_worker(c, w, err) < 0)
		return err->code;
	if (++run->deaths >= DEATHS_MOST)
		run->end = CREW_LOST;
	else
		w->run = run;
	/* if that one is dead already, it is seen as soon as we listen */
	if (w->run)
		(void)send_order(w->socket, run);
	return 0;
}

/* Giving and taking */

static bool is_late(const struct crew *c)
{
	return c->options.deadline > 0 && seconds_now() >= c->options.deadline;
}

static bool is_stopped(const struct crew *c)
{
	return c->options.stop && *c->options.stop;
}

static void give_runs(struct crew *c)
{
	bool over = is_late(c) || is_stopped(c);

	for (uint32_t i = 0; i < c->options.jobs && c->given < c->runs.n; i++) {
		struct worker *w = &c->workers[i];

		if (w->run)
			continue;
		struct crew_run *run = c->runs.at[c->given++];

		run->end = CREW_LEFT;
		if (over) {
			i--;
			continue;
		}
		w->run = run;
		(void)send_order(w->socket, run);
	}
}

/* Takes what has come; waits for that if there is time. */
static int take_answers(struct crew *c, int milliseconds, struct err *err)
{
	struct pollfd polls[JOBS_MOST];

	for (uint32_t i = 0; i < c->options.jobs; i++)
		polls[i] =
			(struct pollfd){c->workers[i].run ? c->workers[i].socket : -1, POLLIN, 0};
	int ready = poll(polls, c->options.jobs, milliseconds);

	for (uint32_t i = 0; ready > 0 && i < c->options.jobs; i++) {
		struct worker *w = &c->workers[i];

		if (!polls[i].revents)
			continue;
		if (receive_answer(w->socket, w->run))
			w->run = NULL;
		else if (replace_worker(c, w, err) < 0)
			return err->code;
	}
	return 0;
}

static bool is_busy(const struct crew *c)
{
	for (uint32_t i = 0; i < c->options.jobs; i++)
		if (c->workers[i].run)
			return true;
	return c->given < c->runs.n;
}

/* Runs that are under way end at once. */
static void interrupt(const struct crew *c)
{
	for (uint32_t i = 0; i < c->options.jobs; i++)
		if (c->workers[i].run)
			kill(c->workers[i].pid, SIGTERM);
}

int crew_begin(struct crew *c, struct crew_run *run, struct err *err)
{
	run->deaths = 0;
	vec_push(&c->runs, run);
	int code = take_answers(c, 0, err);

	give_runs(c);
	return code;
}

int crew_wait(struct crew *c, struct err *err)
{
	int code = 0;

	while (!code && is_busy(c)) {
		if (is_stopped(c) && !is_late(c))
			interrupt(c);
		give_runs(c);
		code = take_answers(c, POLL_MS, err);
	}
	c->runs.n = c->given = 0;
	return code;
}

struct crew *crew_new(const struct crew_options *options, struct err *err)
{
	struct crew *c = mem_alloc_zero(1, sizeof(*c));

	c->options = *options;
	if (c->options.jobs < 1)
		c->options.jobs = 1;
	if (c->options.jobs > JOBS_MOST)
		c->options.jobs = JOBS_MOST;
	for (uint32_t i = 0; i < c->options.jobs; i++)
		if (start_worker(c, &c->workers[i], err) < 0) {
			crew_free(c);
			return NULL;
		}
	return c;
}

void crew_free(struct crew *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < c->options.jobs; i++)
		if (c->workers[i].pid && c->workers[i].run)
			kill(c->workers[i].pid, SIGKILL);
	for (uint32_t i = 0; i < c->options.jobs; i++)
		if (c->workers[i].pid)
			end_worker(&c->workers[i]);
	vec_release(&c->runs);
	mem_free(c);
}
