/* SPDX-License-Identifier: MIT */
#include "record/run/hang.h"

#include "base/seconds.h"

#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define BIT(signal) ((uint64_t)1 << ((signal)-1))

/* Faults come from what a thread does, and none of them does anything; 32 and 33 are glibc's own.
 */
static const uint64_t harmless = BIT(SIGSEGV) | BIT(SIGBUS) | BIT(SIGFPE) | BIT(SIGILL) |
				 BIT(SIGTRAP) | BIT(SIGSYS) | BIT(SIGABRT) | BIT(32) | BIT(33);

static uint32_t get(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

/* Whether some signal has a handler; if that cannot be seen, one has. */
static bool handles_signals(uint32_t pid)
{
	char path[64], line[256];
	unsigned long long caught = ~0ull;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	FILE *f = fopen(path, "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "SigCgt: %llx", &caught) == 1)
			break;
	if (f)
		fclose(f);
	return caught & ~harmless;
}

/* As /proc has it: 'S' sleeps, 'R' runs; 0: it is not there any more. */
static char state_of(uint32_t pid, const char *task)
{
	char path[300], line[512];
	size_t length = 0;

	snprintf(path, sizeof(path), "/proc/%u/task/%s/stat", pid, task);
	FILE *f = fopen(path, "r");

	if (f) {
		length = fread(line, 1, sizeof(line) - 1, f);
		fclose(f);
	}
	line[length] = '\0';
	const char *behind = strrchr(line, ')'); /* a name may hold anything */

	return behind && behind[1] == ' ' ? behind[2] : 0;
}

struct tasks {
	uint32_t asleep, running, others;
};

static struct tasks tasks_of(uint32_t pid)
{
	struct tasks tasks = {0};
	struct dirent *entry;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	DIR *d = opendir(path);

	while (d && (entry = readdir(d))) {
		if (*entry->d_name == '.')
			continue;
		switch (state_of(pid, entry->d_name)) {
		case 'S': tasks.asleep++; break;
		case 'R': tasks.running++; break;
		case 'Z':
		case 'X': break; /* it has ended */
		default: tasks.others++;
		}
	}
	if (d)
		closedir(d);
	return tasks;
}

/* Whether other processes may write to some of its memory; if that cannot be seen, they may. */
static bool shares_memory(uint32_t pid, const char *directory)
{
	char path[64], line[PATH_MAX + 128], rights[8] = "";
	bool shared = false;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	FILE *f = fopen(path, "r");

	while (f && !shared && fgets(line, sizeof(line), f))
		shared = sscanf(line, "%*s %7s", rights) != 1 ||
			 (rights[1] == 'w' && rights[3] == 's' && !strstr(line, directory));
	if (f)
		fclose(f);
	return shared || !*rights;
}

static uint64_t blocked_now(const struct log_run *run)
{
	return __atomic_load_n(&run->blocked, __ATOMIC_SEQ_CST);
}

static bool nobody_can_move(const struct log_run *run, const char *directory)
{
	uint32_t alive = get(&run->alive), spinning = get(&run->spinning);

	if (!run->pid || !alive || (uint32_t)blocked_now(run) != alive)
		return false;
	struct tasks tasks = tasks_of(run->pid);

	return !tasks.others && tasks.running <= spinning &&
	       tasks.asleep + tasks.running == alive && !handles_signals(run->pid) &&
	       (!get(&run->sharing) || !shares_memory(run->pid, directory));
}

bool hang_all_sleep(const struct log_run *run)
{
	struct tasks tasks = tasks_of(run->pid);

	return !tasks.others && !tasks.running && tasks.asleep == get(&run->alive) &&
	       !handles_signals(run->pid);
}

bool hang_look(struct hang *h, const struct log_run *run, double seconds)
{
	uint64_t blocked = blocked_now(run);
	double now = seconds_now();

	if (!nobody_can_move(run, h->directory) || blocked_now(run) != blocked) {
		h->since = 0;
		return false;
	}
	if (!h->since || h->blocked != blocked) {
		h->since = now;
		h->blocked = blocked;
	}
	return now - h->since >= seconds;
}

/* The end */

#define TELL_TRIES 50
#define TELL_NS 10000000

static void ask_all(uint32_t pid)
{
	struct dirent *entry;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	DIR *d = opendir(path);

	while (d && (entry = readdir(d)))
		if (atoi(entry->d_name) > 0)
			syscall(SYS_tgkill, (pid_t)pid, atoi(entry->d_name), SIGABRT);
	if (d)
		closedir(d);
}

void hang_end(struct log_run *run)
{
	static const struct timespec moment = {.tv_nsec = TELL_NS};

	if (!__atomic_load_n(&run->stop, __ATOMIC_SEQ_CST))
		__atomic_store_n(&run->why, (uint32_t)LOG_HANG, __ATOMIC_SEQ_CST);
	if (get(&run->can_tell) && get(&run->why) == LOG_HANG)
		ask_all(run->pid);
	for (int i = 0; get(&run->can_tell) && get(&run->told) < get(&run->alive) && i < TELL_TRIES;
	     i++)
		nanosleep(&moment, NULL);
	kill((pid_t)run->pid, SIGKILL);
}
