/* SPDX-License-Identifier: MIT */
#include "search/smt/child.h"

#include "base/seconds.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define SLICE_MILLISECONDS 20 /* how often deadline and stop flag are looked at */
#define COMPLAINT_SIZE 200

struct child {
	pid_t pid;	   /* and its process group */
	int in, out, errs; /* our ends; -1: closed */
	const char *text;  /* what is left to write */
	size_t length;
	char complaint[COMPLAINT_SIZE]; /* the start of what it printed as errors */
	size_t complained;
};

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int spawn(struct child *c, const char *command, const int ends[3])
{
	const char *const argv[] = {"sh", "-c", command, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;

	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	for (int i = 0; i < 3; i++)
		posix_spawn_file_actions_adddup2(&actions, ends[i], i);
	/* a group of its own: the shell may have started more, and all of it has to go */
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
	posix_spawnattr_setpgroup(&attributes, 0);
	int status = posix_spawn(&c->pid, "/bin/sh", &actions, &attributes, (char *const *)argv,
				 environ);

	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return status;
}

static int start(struct child *c, const char *command, struct err *err)
{
	int in[2], out[2], errs[2];

	/* a socket: writing to one whose reader is gone need not raise a signal */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) < 0)
		return err_set(err, ERR_SYSTEM, "no socket for a solver: %s", strerror(errno));
	if (pipe2(out, O_CLOEXEC) < 0) {
		err_set(err, ERR_SYSTEM, "no pipe for a solver: %s", strerror(errno));
		close(in[0]);
		close(in[1]);
		return err->code;
	}
	if (pipe2(errs, O_CLOEXEC) < 0) {
		err_set(err, ERR_SYSTEM, "no pipe for a solver: %s", strerror(errno));
		close(in[0]);
		close(in[1]);
		close(out[0]);
		close(out[1]);
		return err->code;
	}
	const int ends[3] = {in[1], out[1], errs[1]};
	int status = spawn(c, command, ends);

	close(in[1]);
	close(out[1]);
	close(errs[1]);
	c->in = in[0];
	c->out = out[0];
	c->errs = errs[0];
	if (status) {
		c->pid = 0;
		return err_set(err, ERR_SYSTEM, "a solver cannot be started: %s", strerror(status));
	}
	return 0;
}

/* Writes what the child takes at once; behind the end it sees the end. */
static void write_some(struct child *c)
{
	ssize_t sent = send(c->in, c->text, c->length, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (sent < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (sent > 0) {
		c->text += sent;
		c->length -= (size_t)sent;
	}
	if (sent < 0 || !c->length)
		close_end(&c->in);
}

/* Returns how many bytes came; 0: no more will. */
static size_t read_some(int *fd, char *at, size_t size)
{
	ssize_t got = read(*fd, at, size);

	if (got > 0)
		return (size_t)got;
	if (got == 0 || errno != EINTR)
		close_end(fd);
	return 0;
}

static void read_complaint(struct child *c)
{
	char part[4096];
	size_t got = read_some(&c->errs, part, sizeof(part));
	size_t room = COMPLAINT_SIZE - 1 - c->complained;

	memcpy(c->complaint + c->complained, part, got < room ? got : room);
	c->complained += got < room ? got : room;
}

static void read_output(struct child *c, struct child_output *output)
{
	char part[65536];
	size_t got = read_some(&c->out, part, sizeof(part));

	vec_reserve(&output->text, output->text.n + got + 1);
	memcpy(output->text.at + output->text.n, part, got);
	output->text.n += got;
	output->text.at[output->text.n] = '\0';
}

static int talk(struct child *c, const struct budget *budget, size_t most,
		struct child_output *output, struct err *err)
{
	double end = seconds_now() + budget->seconds;

	while (c->out >= 0) {
		struct pollfd fds[3] = {{.fd = c->in, .events = POLLOUT},
					{.fd = c->out, .events = POLLIN},
					{.fd = c->errs, .events = POLLIN}};

		poll(fds, 3, SLICE_MILLISECONDS);
		if (budget->stop && *budget->stop)
			return err_set(err, ERR_LIMIT, "stopped");
		if (budget->seconds > 0 && seconds_now() > end)
			return err_set(err, ERR_LIMIT, "no answer within %.3g seconds",
				       budget->seconds);
		if (fds[0].revents)
			write_some(c);
		if (fds[1].revents)
			read_output(c, output);
		if (c->errs >= 0 && fds[2].revents)
			read_complaint(c);
		if (output->text.n > most)
			return err_set(err, ERR_LIMIT, "it prints too much");
	}
	return 0;
}

/* Ends it and all that it started; gives it a moment to end by itself, if its status matters. */
static int end(struct child *c, bool patient)
{
	siginfo_t info = {0};
	int status = 0;

	/* not reaped before the kill: until then its number is nobody else's */
	for (int i = 0; patient && i < 200 && !info.si_pid; i++) {
		waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT);
		if (!info.si_pid)
			usleep(500);
	}
	kill(-c->pid, SIGKILL);
	while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

/* It has printed nothing: why? */
static int explain(struct child *c, int status, struct err *err)
{
	c->complaint[strcspn(c->complaint, "\n")] = '\0';
	const char *said = c->complaint;

	if (WIFSIGNALED(status))
		return err_set(err, ERR_LIMIT, "ended by signal %d%s%s", WTERMSIG(status),
			       *said ? ": " : "", said);
	return err_set(err, ERR_LIMIT, "no answer, exit status %d%s%s", WEXITSTATUS(status),
		       *said ? ": " : "", said);
}

int child_ask(const char *command, const char *text, size_t length, const struct budget *budget,
	      size_t most, struct child_output *output, struct err *err)
{
	struct child c = {.in = -1, .out = -1, .errs = -1, .text = text, .length = length};
	char limit[64] = "";
	char *line = NULL;

	if (budget->bytes)
		snprintf(limit, sizeof(limit), "ulimit -v %llu && ",
			 (unsigned long long)(budget->bytes >> 10) + 1);
	line = mem_alloc(strlen(limit) + strlen(command) + 8);
	sprintf(line, "%s%s", limit, command);
	output->text.n = 0;
	double began = seconds_now();
	int code = start(&c, line, err);

	if (!code)
		code = talk(&c, budget, most, output, err);
	while (!code && c.errs >= 0 && poll(&(struct pollfd){c.errs, POLLIN, 0}, 1, 0) > 0)
		read_complaint(&c);
	int status = c.pid ? end(&c, !code) : 0;

	seconds_add_waited(seconds_now() - began);
	if (!code && !output->text.n)
		code = explain(&c, status, err);
	close_end(&c.in);
	close_end(&c.out);
	close_end(&c.errs);
	mem_free(line);
	return code;
}
