/*
 * What the kernel tells of the process in /proc, and calls by number: one thread writes data, then changes something; the
 * other asks in such a way, and then reads the data. That is right. The twin is touched on both sides of it, and races.
 *
 * expect: race @before @behind
 * output: varies
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "ways.h"

#define PRIORITY 3

extern char **environ;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *place = (char *)0x10000000000;
static int called;

static void behind(void)
{
	twin = 1; /* @behind */
}

static void before(void)
{
	twin = 2; /* @before */
}

static int is_mapped(void)
{
	char line[256], wanted[32];
	int found = 0;
	FILE *maps = fopen("/proc/self/maps", "r");

	snprintf(wanted, sizeof wanted, "%lx-", (unsigned long)place);
	while (fgets(line, sizeof line, maps))
		found |= !strncmp(line, wanted, strlen(wanted));
	fclose(maps);
	return found;
}

static void make_variable(void)
{
	pthread_mutex_lock(&lock);
	putenv("NORN_KEPT=1");
	pthread_mutex_unlock(&lock);
}

static int has_variable(void)
{
	int found = 0;
	pthread_mutex_lock(&lock);
	for (char **e = environ; *e; e++)
		found |= !strcmp(*e, "NORN_KEPT=1");
	pthread_mutex_unlock(&lock);
	return found;
}

static void call(void)
{
	called = 1;
}

static int forks_and_calls(void)
{
	pid_t child = fork();
	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
	return called;
}

WAY(variable, , make_variable(), POLL(!has_variable()))
WAY(before_forks, , pthread_atfork(call, NULL, NULL), POLL(!forks_and_calls()))
WAY(mapped, , mmap(place, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0), POLL(!is_mapped()))
WAY(by_number, , setpriority(PRIO_PROCESS, getpid(), PRIORITY), POLL(syscall(SYS_getpriority, PRIO_PROCESS, getpid()) != 20 - PRIORITY))

int main(void)
{
	RUN(variable);
	RUN(by_number);
	RUN(before_forks);
	RUN(mapped);
	return seen == 0;
}
