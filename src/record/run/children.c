/* SPDX-License-Identifier: MIT */
#include "record/run/children.h"

#include "record/run/launch.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define NAP_NS 5000000
#define NAPS 40	      /* for those that are about to end, or to become another program */
#define LONG_NAPS 200 /* for one that is recorded */

static void nap(void)
{
	nanosleep(&(const struct timespec){.tv_nsec = NAP_NS}, NULL);
}

/* A zombie is over. */
static bool is_running(uint32_t process)
{
	char path[64], text[512] = "";

	snprintf(path, sizeof(path), "/proc/%u/stat", process);
	FILE *f = process ? fopen(path, "re") : NULL;

	if (!f)
		return false;
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	const char *name_end = strrchr(text, ')');

	return name_end && strncmp(name_end, ") Z", 3) && strncmp(name_end, ") X", 3);
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
