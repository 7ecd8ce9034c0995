/* SPDX-License-Identifier: MIT */
#include "base/spawn.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Of the programs that run; 0: none. */
static volatile pid_t running[SPAWN_MOST];

void spawn_stop(int number)
{
	for (int i = 0; i < SPAWN_MOST; i++)
		if (running[i])
			kill(running[i], number);
	for (int i = 0; i < SPAWN_MOST; i++)
		while (running[i] && waitpid(running[i], NULL, 0) < 0 && errno == EINTR)
			;
}

/* No signal may come between the start of the program and the note of its number. */
static int start(const char *const *argv, int place)
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

	running[place] = code ? 0 : child;
	posix_spawnattr_destroy(&attributes);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return code;
}

int spawn_begin(const char *const *argv, struct err *err)
{
	int place = 0;

	while (place < SPAWN_MOST && running[place])
		place++;
	ASSERT(place < SPAWN_MOST);
	int code = start(argv, place);

	return code ? err_set(err, ERR_SYSTEM, "%s: %s", argv[0], strerror(code)) : place;
}

int spawn_end(int place, struct err *err)
{
	int status = 0;

	while (waitpid(running[place], &status, 0) < 0)
		if (errno != EINTR)
			return err_set(err, ERR_SYSTEM, "waitpid: %s", strerror(errno));
	running[place] = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int spawn_wait(const char *const *argv, struct err *err)
{
	int place = spawn_begin(argv, err);

	return place < 0 ? place : spawn_end(place, err);
}

int spawn_wait_both(const char *const *argv, const char *const *other, int *beside, struct err *err)
{
	struct err ignored = {0};
	int place = spawn_begin(other, &ignored), status = spawn_wait(argv, err);

	*beside = place < 0 ? -1 : spawn_end(place, &ignored);
	return status;
}
