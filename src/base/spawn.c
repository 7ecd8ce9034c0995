/* SPDX-License-Identifier: MIT */
#include "base/spawn.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Of the program that runs; 0: none. */
static volatile pid_t running;

void spawn_stop(int number)
{
	pid_t child = running;

	if (!child)
		return;
	kill(child, number);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

/* No signal may come between the start of the program and the note of its number. */
static int start(const char *const *argv)
{
	posix_spawnattr_t attributes;
	sigset_t all, old;
	pid_t child = 0;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &old);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	int code = posix_spawnp(&child, argv[0], NULL, &attributes, (char *const *)argv, environ);

	running = code ? 0 : child;
	posix_spawnattr_destroy(&attributes);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return code;
}

int spawn_wait(const char *const *argv, struct err *err)
{
	int code = start(argv), status = 0;

	if (code)
		return err_set(err, ERR_SYSTEM, "%s: %s", argv[0], strerror(code));
	while (waitpid(running, &status, 0) < 0)
		if (errno != EINTR)
			return err_set(err, ERR_SYSTEM, "%s: %s", argv[0], strerror(errno));
	running = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
