/*
 * A thread that is not joined yet is over: the kernel says so who asks for it by its number, or looks in /proc. Then what
 * it has written is read, which is right. The twin is touched by both, and races.
 *
 * expect: race @thread @main
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static _Atomic pid_t number;
static int data, seen;
static volatile int twin;

static void *runs(void *p)
{
	number = gettid();
	data++;
	twin = 1; /* @thread */
	return p;
}

static int can_be_told(void)
{
	return !tgkill(getpid(), number, 0);
}

static int has_directory(void)
{
	char directory[64];
	snprintf(directory, sizeof directory, "/proc/self/task/%d", number);
	return !access(directory, F_OK);
}

static int is_listed(void)
{
	char name[16];
	int found = 0;
	DIR *tasks = opendir("/proc/self/task");

	snprintf(name, sizeof name, "%d", number);
	for (struct dirent *e; (e = readdir(tasks));)
		found |= !strcmp(e->d_name, name);
	closedir(tasks);
	return found;
}

static void try_way(int (*is_there)(void))
{
	pthread_t thread;

	number = 0;
	pthread_create(&thread, NULL, runs, NULL);
	twin = 2; /* @main */
	while (!number || is_there())
		usleep(500);
	seen += data;
	pthread_join(thread, NULL);
}

int main(void)
{
	try_way(can_be_told);
	try_way(has_directory);
	try_way(is_listed);
	return seen != 1 + 2 + 3;
}
