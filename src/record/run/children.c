/* SPDX-License-Identifier: MIT */
#include "record/run/children.h"

#include "record/run/launch.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define NAP_NS 5000000
#define NAPS 40	      /* for those that are about to end, or to become another program */
#define LONG_NAPS 200 /* for one that is recorded */

static void nap(void)
{
	nanosleep(&(const struct timespec){.tv_nsec = NAP_NS}, NULL);
}

/* Its parent; 0: it is over, as a zombie is. */
static pid_t parent_of(uint32_t process)
{
	char path[64], text[512] = "", state;
	pid_t parent = 0;

	snprintf(path, sizeof(path), "/proc/%u/stat", process);
	FILE *f = process ? fopen(path, "re") : NULL;

	if (!f)
		return 0;
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	const char *name_end = strrchr(text, ')');

	if (!name_end || sscanf(name_end, ") %c %d", &state, &parent) != 2)
		return 0;
	/* nobody's child is one of the kernel's */
	return state == 'Z' || state == 'X' ? 0 : parent;
}

static bool is_running(uint32_t process)
{
	return parent_of(process) != 0;
}

static uint32_t one_that_runs(const struct log_run *run)
{
	for (size_t i = 0; i < LOG_CHILDREN; i++) {
		uint32_t child = __atomic_load_n(&run->children[i], __ATOMIC_SEQ_CST);

		if (is_running(child))
			return child;
	}
	return 0;
}

static bool are_all_born(const struct log_run *run)
{
	return __atomic_load_n(&run->born, __ATOMIC_SEQ_CST) >=
	       __atomic_load_n(&run->forks, __ATOMIC_SEQ_CST);
}

pid_t children_followed(const char *directory)
{
	const char *slash = strrchr(directory, '/');
	size_t length = strlen(slash + 1);
	char above[PATH_MAX];
	pid_t found = 0, us = getpid();
	struct dirent *entry;

	snprintf(above, sizeof(above), "%.*s/", (int)(slash - directory), directory);
	DIR *d = opendir(above);

	while (d && (entry = readdir(d))) {
		if (strncmp(entry->d_name, slash + 1, length) || entry->d_name[length] != '.')
			continue;
		pid_t process = atoi(entry->d_name + length + 1);
		pid_t parent = parent_of((uint32_t)process);

		if (parent == us || (parent && !found))
			found = process;
		if (parent == us)
			break;
	}
	if (d)
		closedir(d);
	return found;
}

void children_look(struct log_run *run)
{
	for (int i = 0; i < NAPS && (!are_all_born(run) || one_that_runs(run)); i++)
		nap();
	run->child_away = one_that_runs(run);
}

void children_end_recording(const char *directory)
{
	struct log_run *run = launch_map(directory);

	if (!run)
		return;
	for (int i = 0; i < LONG_NAPS && is_running(run->pid); i++)
		nap();
	if (is_running(run->pid)) {
		run->running = 1;
		__atomic_store_n(&run->stop, 1, __ATOMIC_RELEASE);
	}
	children_look(run);
	munmap(run, sizeof(*run));
}
