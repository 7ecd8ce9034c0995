/* SPDX-License-Identifier: MIT */
#include "record/stops.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const char *const texts[LOG_STOP_COUNT] = {
#define TEXT_ROW(name, text) [name] = text,
	LOG_STOPS(TEXT_ROW)
#undef TEXT_ROW
};

/* What to do about it. */
static const struct {
	int error;
	const char *advice;
} advices[] = {
	{ENOSPC, "use --output with a file on a disk with more space"},
	{EDQUOT, "use --output with a file on a disk with more space"},
	{EFBIG, "see ulimit -f (RLIMIT_FSIZE)"},
	{EMFILE, "see ulimit -n (RLIMIT_NOFILE)"},
	{ENOMEM, "see ulimit -v (RLIMIT_AS)"},
	{EACCES, "the program dropped its privileges"},
	{EPERM, "the program dropped its privileges"},
	{ENOENT, "the directory of the recording was removed, or the root directory was changed"},
};

static const char *advice_for(int error)
{
	for (size_t i = 0; i < sizeof(advices) / sizeof(*advices); i++)
		if (advices[i].error == error)
			return advices[i].advice;
	return NULL;
}

static void add(struct stops *s, enum log_stop why)
{
	if (s->n < LOG_STOP_COUNT)
		snprintf(s->text[s->n++], STOPS_TEXT, "%s", texts[why]);
}

static void add_failure(struct stops *s, const struct log_run *run)
{
	const char *advice = advice_for((int)run->error);

	snprintf(s->text[s->n++], STOPS_TEXT, "%s: %.*s%s%s%s%s%s", texts[LOG_FAILED],
		 (int)sizeof(run->failed), run->failed, run->error ? ": " : "",
		 run->error ? strerror((int)run->error) : "", advice ? " (" : "",
		 advice ? advice : "", advice ? ")" : "");
}

/* Of children: who it was, and what to do. */
static void add_child(struct stops *s, enum log_stop why, uint32_t child)
{
	if (child && s->n < LOG_STOP_COUNT)
		snprintf(s->text[s->n++], STOPS_TEXT,
			 "%s (process %u; --follow records it, or keep the program in one process)",
			 texts[why], child);
}

/* A crash of which the log says nothing, neither that it came from outside. */
static bool ended_untold(const struct log_run *run)
{
	switch (run->ended_by) {
	case SIGSEGV:
	case SIGBUS:
	case SIGFPE:
	case SIGILL:
	case SIGABRT:
	case SIGTRAP:
	case SIGSYS: return run->signal != run->ended_by;
	default: return false;
	}
}

static void add_untold(struct stops *s, const struct log_run *run)
{
	snprintf(s->text[s->n++], STOPS_TEXT, "%s (SIG%s%s)", texts[LOG_UNTOLD],
		 sigabbrev_np((int)run->ended_by),
		 run->ended_by == SIGSYS ? ": it allows no system calls that Norn needs" : "");
}

void stops_find(struct stops *s, const struct log_run *run, bool damaged)
{
	s->n = 0;
	if (run->why == LOG_FAILED)
		add_failure(s, run);
	else if (run->why && run->why != LOG_HANG && run->why < LOG_STOP_COUNT)
		add(s, (enum log_stop)run->why);
	else if (damaged)
		add(s, LOG_DAMAGED);
	if (run->begin == LOG_WAITS)
		add(s, LOG_NOT_BEGUN);
	if (run->begin == LOG_LATE)
		add(s, LOG_BEGUN_LATE);
	if (ended_untold(run) && !s->n)
		add_untold(s, run);
	if (run->exec)
		add(s, LOG_EXEC);
	if (run->running)
		add(s, LOG_RUNNING);
	if (run->others)
		add(s, LOG_OTHERS);
	if (run->tasks)
		add(s, LOG_TASKS);
	add_child(s, LOG_CHILD_AWAY, run->child_away);
	if (run->child_threads != run->child_away)
		add_child(s, LOG_CHILD_THREADS, run->child_threads);
	add_child(s, LOG_CHILD_FAILED, run->child_failed);
	if (run->twofold)
		add(s, LOG_TWOFOLD);
	if (run->host == LOG_HOST_THREADS)
		add(s, LOG_HOST_RAN);
}
