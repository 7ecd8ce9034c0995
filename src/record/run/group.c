/* SPDX-License-Identifier: MIT */
#include "record/run/group.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The kernel goes through the group one by one. */
#define SETTLE_NS 5000000

/* They are blocked, and wait to be asked for: so it does not matter when this process runs. */
static uint64_t drain(const sigset_t *signals)
{
	const struct timespec now = {0};
	uint64_t came = 0;
	int number;

	while ((number = sigtimedwait(signals, NULL, &now)) > 0 || errno == EINTR)
		came |= number > 0 ? (uint64_t)1 << number : 0;
	return came;
}

static bool answer_one(int ask, int answer, const sigset_t *signals)
{
	char question;
	ssize_t got = read(ask, &question, 1);

	if (got < 0 && errno == EINTR)
		return true;
	uint64_t came = got == 1 ? drain(signals) : 0;

	return got == 1 && write(answer, &came, sizeof(came)) == (ssize_t)sizeof(came);
}

/* All that it has of ours is the two ends of pipes. */
static void keep_alone(int ask, int answer)
{
	unsigned low = (unsigned)(ask < answer ? ask : answer);
	unsigned high = (unsigned)(ask < answer ? answer : ask);

	if (low)
		close_range(0, low - 1, 0);
	if (high - low > 1)
		close_range(low + 1, high - 1, 0);
	close_range(high + 1, ~0u, 0);
}

static void be_member(int ask, int answer, const sigset_t *signals)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	keep_alone(ask, answer);
	while (answer_one(ask, answer, signals))
		;
	_exit(0);
}

void group_begin(struct group *g, const sigset_t *signals)
{
	int ask[2], answer[2];
	sigset_t mask;

	*g = (struct group){0};
	if (pipe2(ask, O_CLOEXEC) < 0)
		return;
	if (pipe2(answer, O_CLOEXEC) < 0) {
		close(ask[0]);
		close(ask[1]);
		return;
	}
	sigprocmask(SIG_BLOCK, signals, &mask);
	pid_t member = fork();

	if (!member)
		be_member(ask[0], answer[1], signals);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	close(ask[0]);
	close(answer[1]);
	*g = (struct group){member > 0 ? member : 0, ask[1], answer[0]};
}

uint64_t group_signals(const struct group *g)
{
	const struct timespec settle = {.tv_nsec = SETTLE_NS};
	uint64_t came = 0;

	nanosleep(&settle, NULL);
	if (!g->member || write(g->ask, "?", 1) != 1)
		return 0;
	ssize_t got;

	while ((got = read(g->answer, &came, sizeof(came))) < 0 && errno == EINTR)
		;
	return got == (ssize_t)sizeof(came) ? came : 0;
}

void group_end(struct group *g)
{
	if (!g->member)
		return;
	close(g->ask);
	close(g->answer);
	kill(g->member, SIGKILL);
	waitpid(g->member, NULL, 0);
	*g = (struct group){0};
}
