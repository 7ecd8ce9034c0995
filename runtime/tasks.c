/* SPDX-License-Identifier: MIT */
#include "runtime/tasks.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <string.h>

#include "runtime/sys.h"

/* All of DIRECTORY/TASK/NAME that there is room for, as a string. */
static bool read_file(long directory, const char *task, const char *name, char *text, size_t room)
{
	char path[64];
	size_t length = strlen(task);
	if (length + strlen(name) + 2 > sizeof path)
		return false;
	memcpy(path, task, length);
	path[length] = '/';
	strcpy(path + length + 1, name);
	long fd = NORN_SYS(openat, directory, path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
	if (fd < 0)
		return false;
	long got = NORN_SYS(read, fd, text, room - 1, 0, 0, 0);
	norn_sys_close(fd);
	text[got > 0 ? got : 0] = 0;
	return got > 0;
}

/* A number, decimal or with 0x before it, and `text` moves behind it. */
static uint64_t next_number(const char **text)
{
	const char *at = *text;
	uint64_t number = 0;
	while (*at == ' ')
		at++;
	unsigned base = at[0] == '0' && at[1] == 'x' ? 16 : 10;
	for (at += base == 16 ? 2 : 0;; at++) {
		unsigned digit = *at >= '0' && *at <= '9'   ? (unsigned)(*at - '0')
				 : *at >= 'a' && *at <= 'f' ? (unsigned)(*at - 'a') + 10
							    : 16;
		if (digit >= base)
			break;
		number = number * base + digit;
	}
	*text = at;
	return number;
}

/* Whether "NUMBER ARGUMENTS…" is a call that waits for another thread, for ever. */
static bool waits_for_ever(const char *call)
{
	uint64_t number = next_number(&call), arguments[4];
	for (int i = 0; i < 4; i++)
		arguments[i] = next_number(&call);
	if (arguments[3]) /* the limit, in both */
		return false;
#ifdef SYS_futex_waitv
	if (number == SYS_futex_waitv)
		return true;
#endif
	if (number != SYS_futex)
		return false;
	switch (arguments[1] & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_LOCK_PI:
	case FUTEX_WAIT_REQUEUE_PI: return true;
	default: return false;
	}
}

/* How often it has gone to sleep: if that is the same later, it slept all the time. */
static uint64_t sleeps_of(long directory, const char *task)
{
	static const char key[] = "\nvoluntary_ctxt_switches:";
	char text[4096];
	const char *at =
		read_file(directory, task, "status", text, sizeof text) ? strstr(text, key) : NULL;
	if (!at)
		return 0;
	at += sizeof key - 1;
	at += *at == '\t';
	return next_number(&at);
}

static uint64_t mix(uint64_t digest, uint64_t value)
{
	return (digest ^ value) * UINT64_C(0x9e3779b97f4a7c15) + (digest >> 29);
}

static void look_at(long directory, const char *task, struct norn_tasks *tasks)
{
	static const char is_over[] = "-1 0x0 0x0"; /* the first thread, as long as others run */
	char call[256];
	const char *number = task;
	bool read = read_file(directory, task, "syscall", call, sizeof call);
	if (read && !strncmp(call, is_over, sizeof is_over - 1))
		return;
	tasks->others++;
	if (!read || !waits_for_ever(call))
		tasks->all_wait = false;
	if (!tasks->all_wait)
		return;
	tasks->digest = mix(tasks->digest, next_number(&number));
	tasks->digest = mix(tasks->digest, sleeps_of(directory, task));
}

void norn_tasks_look(struct norn_tasks *tasks)
{
	char buffer[2048] __attribute__((aligned(8)));
	uint64_t self = (uint64_t)NORN_SYS(gettid, 0, 0, 0, 0, 0, 0);
	long got, directory = norn_sys_open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*tasks = (struct norn_tasks){.known = directory >= 0, .all_wait = true};
	if (directory < 0)
		return;
	while ((got = NORN_SYS(getdents64, directory, buffer, sizeof buffer, 0, 0, 0)) > 0)
		for (long at = 0; at < got; at += ((struct norn_entry *)(buffer + at))->length) {
			const char *name = ((struct norn_entry *)(buffer + at))->name,
				   *number = name;
			if (*name != '.' && next_number(&number) != self)
				look_at(directory, name, tasks);
		}
	norn_sys_close(directory);
}
