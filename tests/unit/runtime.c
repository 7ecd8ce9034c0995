/* SPDX-License-Identifier: MIT */
/*
 * The runtime, under programs that call its hooks as instrumented code does (tests/runtime). What
 * they leave is checked by tests/support/raw_log.h.
 */
#include "tests/support/raw_log.h"
#include "tests/support/tap.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char scratch[] = "/tmp/norn-runtime.XXXXXX";

static void clean(void)
{
	char command[256];
	snprintf(command, sizeof command, "rm -rf %s", scratch);
	if (system(command) != 0)
		fprintf(stderr, "%s is left behind\n", scratch);
}

static const char *in_scratch(const char *name)
{
	static char paths[4][256];
	static unsigned next;
	char *path = paths[next++ % 4];
	snprintf(path, sizeof paths[0], "%s/%s", scratch, name);
	return path;
}

static void build(const char *name)
{
	char command[2048];
	const char *directory = getenv("BUILD");
	if (!mkdtemp(scratch))
		FAIL("no temporary directory");
	atexit(clean);
	snprintf(command, sizeof command,
		 "cc -std=gnu11 -D_GNU_SOURCE -O1 -fno-builtin -fexceptions -g -I. "
		 "tests/runtime/%s.c -o %s -Wl,--whole-archive %s/libnorn-runtime.a "
		 "-Wl,--no-whole-archive -lpthread -lrt",
		 name, in_scratch("program"), directory ? directory : "build");
	ASSERT_EQ(system(command), 0);
}

static pid_t start(const char *first, const char *second)
{
	setenv("NORN_RECORD", in_scratch("log"), 1);
	pid_t child = fork();
	if (child == 0) {
		alarm(120);
		execl(in_scratch("program"), "program", first, second, (char *)NULL);
		_exit(127);
	}
	return child;
}

static void new_log(uint64_t limit, uint64_t bytes)
{
	char command[512];
	snprintf(command, sizeof command, "rm -rf %s*", in_scratch("log"));
	ASSERT_EQ(system(command), 0);
	raw_log_make(in_scratch("log"), limit, bytes);
}

static struct raw_log check(void)
{
	struct raw_log log = raw_log_check(in_scratch("log"));
	ASSERT_STR_EQ(log.message, "");
	return log;
}

static struct raw_log run(const char *first, const char *second, int want)
{
	int status;
	new_log(0, 0);
	waitpid(start(first, second), &status, 0);
	ASSERT_TRUE(WIFEXITED(status));
	ASSERT_EQ(WEXITSTATUS(status), want);
	return check();
}

/* The end looks which handlers there are. */
#define AT_EXIT 1

TAP_CASE(increments_of_eight_threads)
{
	build("increments");
	for (int i = 0; i < TAP_PART(100); i++) {
		tap_at("run %d", i);
		struct raw_log log = run("3000", NULL, 0);
		ASSERT_EQ(log.count[LOG_BRANCH], 8 * 3000 + AT_EXIT);
		ASSERT_EQ(log.count[LOG_BEGIN], 9);
		ASSERT_EQ(log.count[LOG_END], 8);
		ASSERT_EQ(log.count[LOG_JOIN], 8);
	}
}

TAP_CASE(signals_all_the_time)
{
	build("increments");
	for (int i = 0; i < TAP_PART(10); i++) {
		struct raw_log log = run("30000", "signals", 0);
		ASSERT_TRUE(log.count[LOG_BRANCH] > 8 * 30000);
	}
}

TAP_CASE(killed_in_the_middle)
{
	build("increments");
	for (int i = 0; i < TAP_PART(20); i++) {
		int status;
		new_log(0, 0);
		pid_t child = start("1", "forever");
		usleep(3000 + (useconds_t)i * 1000);
		kill(child, SIGKILL);
		waitpid(child, &status, 0);
		struct raw_log log = check();
		ASSERT_TRUE(log.records == 0 || log.run.pid == (uint32_t)child);
	}
}

TAP_CASE(forks_in_the_middle)
{
	build("increments");
	for (int i = 0; i < TAP_PART(10); i++) {
		struct raw_log log = run("2000", "fork", 0);
		/* each thread's fork and wait ask what other processes may know, too, and
		 * its wait is one of code without hooks */
		ASSERT_EQ(log.count[LOG_BRANCH], 8 * (2000 + 6) + AT_EXIT);
	}
}

TAP_CASE(limits)
{
	build("increments");
	int status;
	new_log(20000, 0);
	waitpid(start("20000", NULL), &status, 0);
	ASSERT_EQ(status, 0);
	struct raw_log log = check();
	ASSERT_EQ(log.run.why, LOG_LIMIT);
	ASSERT_TRUE(log.records >= 20000 && log.records < 20000 + 10 * LOG_BLOCK / 8);

	new_log(0, 20 * LOG_BLOCK);
	waitpid(start("40000", NULL), &status, 0);
	ASSERT_EQ(status, 0);
	log = check();
	ASSERT_EQ(log.run.why, LOG_SIZE);
	ASSERT_TRUE(log.run.written > 20 * LOG_BLOCK && log.run.written < 40 * LOG_BLOCK);
	ASSERT_TRUE(log.run.written < log.run.blocks * LOG_BLOCK / 2);
}

TAP_CASE(not_recorded)
{
	build("increments");
	int status;
	new_log(0, 0);
	unlink(in_scratch("log/run"));
	waitpid(start("1000", NULL), &status, 0);
	ASSERT_EQ(status, 0);
	ASSERT_TRUE(access(in_scratch("log/thread.0"), F_OK) != 0);
}

TAP_CASE(locks_of_all_sorts)
{
	build("locks");
	for (int i = 0; i < TAP_PART(20); i++) {
		struct raw_log log = run(NULL, NULL, 0);
		ASSERT_TRUE(log.count[LOG_ACQUIRE] && log.count[LOG_ACQUIRE_SHARED]);
		ASSERT_TRUE(log.count[LOG_INIT] >= 5);
	}
}

TAP_CASE(waits_of_all_sorts)
{
	build("waits");
	for (int i = 0; i < TAP_PART(20); i++) {
		struct raw_log log = run(NULL, NULL, 0);
		ASSERT_EQ(log.count[LOG_WAIT], log.count[LOG_WOKEN]);
		ASSERT_EQ(log.count[LOG_BARRIER_ENTER], 4 * 1200);
		ASSERT_EQ(log.count[LOG_BARRIER_EXIT], 4 * 1200);
		/* libc has some of its own. */
		ASSERT_TRUE(log.count[LOG_ONCE_BEGIN] >= 2);
		ASSERT_TRUE(log.count[LOG_ONCE_PASS] >= 2 * 4 * 1200 - 2);
		ASSERT_EQ(log.count[LOG_SEM_WAIT], 6 * 1200);
	}
}

TAP_CASE(memory_of_all_sorts)
{
	build("memory");
	struct raw_log log = run(NULL, NULL, 0);
	ASSERT_TRUE(log.count[LOG_ALLOC] > 8000);
	ASSERT_TRUE(log.count[LOG_RMW] >= 8);
	ASSERT_TRUE(log.count[LOG_UNMAP] >= 2);
}

TAP_CASE(faults)
{
	build("faults");
	run(NULL, NULL, 0);
}

TAP_CASE(beginnings_and_ends)
{
	build("edges");
	for (int i = 0; i < TAP_PART(10); i++) {
		struct raw_log log = run(NULL, NULL, 0);
		/* One thread could not be made: it has no number. */
		ASSERT_EQ(log.threads, 33);
		ASSERT_EQ(log.files, 33);
		ASSERT_EQ(log.count[LOG_END], 32);
		ASSERT_EQ(log.count[LOG_FORK], 32);
	}
}

static unsigned logs_apart(void)
{
	char command[512], line[32] = "";
	snprintf(command, sizeof command, "ls -d %s.* 2>/dev/null | wc -l", in_scratch("log"));
	FILE *pipe = popen(command, "r");
	if (!fgets(line, sizeof line, pipe))
		line[0] = 0;
	pclose(pipe);
	return (unsigned)atoi(line);
}

TAP_CASE(children_are_not_recorded)
{
	build("processes");
	struct raw_log log = run(NULL, NULL, 5);
	ASSERT_EQ(log.threads, 1);
	ASSERT_EQ(logs_apart(), 0);
}

TAP_CASE(children_are_recorded_apart)
{
	build("processes");
	setenv("NORN_FOLLOW", "1", 1);
	run(NULL, NULL, 5);
	/* fork, _Fork, vfork and exec, exec */
	ASSERT_EQ(logs_apart(), 4);
	char command[512], path[512];
	snprintf(command, sizeof command, "ls -d %s.*", in_scratch("log"));
	FILE *pipe = popen(command, "r");
	unsigned with_thread = 0;
	while (fgets(path, sizeof path, pipe)) {
		path[strcspn(path, "\n")] = 0;
		struct raw_log log = raw_log_check(path);
		tap_at("%s", path);
		ASSERT_STR_EQ(log.message, "");
		ASSERT_TRUE(log.count[LOG_WRITE] > 0);
		with_thread += log.threads == 2;
	}
	pclose(pipe);
	ASSERT_EQ(with_thread, 2);
}
