/* SPDX-License-Identifier: MIT */
#include "tests/support/predicted.h"

#include "base/json_scan.h"
#include "tests/support/measure.h"
#include "tests/support/planted.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARGUMENTS_MAX 32

static const char *norn(void)
{
	const char *path = getenv("NORN");

	return path ? path : "build/norn";
}

/* Starts norn with its output to that file; the limit is an alarm, which nobody catches. */
static pid_t start(const char *const *arguments, const char *output, unsigned limit)
{
	pid_t child = fork();

	if (child)
		return child;
	int fd = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	int null = open("/dev/null", O_RDWR);

	if (fd < 0 || null < 0 || dup2(fd, 1) < 0 || dup2(null, 2) < 0)
		_exit(127);
	alarm(limit);
	execv(norn(), (char *const *)arguments);
	_exit(127);
}

bool predicted_possible(void)
{
	const char *arguments[] = {"norn", "predict", "--help", NULL};
	pid_t child = start(arguments, "/dev/null", 10);
	int status;

	return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static void note_tier(struct predicted *p, const char *key, const char *text)
{
	uint64_t number = strtoull(text, NULL, 10);

	if (!strcmp(key, "engine") && p->tier_count < PREDICTED_TIERS_MAX)
		snprintf(p->tiers[p->tier_count++].engine, sizeof(p->tiers->engine), "%s", text);
	if (!p->tier_count)
		return;
	struct predicted_tier *tier = &p->tiers[p->tier_count - 1];

	if (!strcmp(key, "asked"))
		tier->asked = number;
	else if (!strcmp(key, "proved"))
		tier->proved = number;
	else if (!strcmp(key, "refuted"))
		tier->refuted = number;
	else if (!strcmp(key, "undecided"))
		tier->undecided = number;
	else if (!strcmp(key, "seconds"))
		tier->seconds = strtod(text, NULL);
}

static void note_finding(struct predicted *p, const char *key, const char *text)
{
	if (!strcmp(key, "bug"))
		vec_push(&p->findings, (struct predicted_finding){0});
	if (!p->findings.n)
		return;
	struct predicted_finding *f = &p->findings.at[p->findings.n - 1];

	if (!strcmp(key, "bug"))
		snprintf(f->bug, sizeof(f->bug), "%s", text);
	else if (!strcmp(key, "engine"))
		snprintf(f->engine, sizeof(f->engine), "%s", text);
	else if (!strcmp(key, "events[].event"))
		f->events++;
	else if (!strcmp(key, "events[].location.text") && f->events >= 1 && f->events <= 2)
		snprintf(f->places[f->events - 1], PREDICTED_PLACE_MAX, "%s", text);
	else if (!strcmp(key, "witness.events"))
		f->witness = strtoull(text, NULL, 10);
}

static void note(void *context, const char *path, const char *text)
{
	struct predicted *p = context;

	if (!strncmp(path, "findings[].", 11))
		note_finding(p, path + 11, text);
	else if (!strncmp(path, "tiers[].", 8))
		note_tier(p, path + 8, text);
	else if (!strcmp(path, "candidates.signatures"))
		p->candidates = strtoull(text, NULL, 10);
	else if (!strcmp(path, "candidates.refuted"))
		p->refuted = strtoull(text, NULL, 10);
	else if (!strcmp(path, "candidates.undecided"))
		p->undecided = strtoull(text, NULL, 10);
}

/* Memory of a process and of those that it started, in MiB; what they share counts once. */
static double memory_of(pid_t process)
{
	char name[64], line[256];
	double sum = 0;
	int child;

	snprintf(name, sizeof(name), "/proc/%d/smaps_rollup", (int)process);
	FILE *file = fopen(name, "r");

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, "Pss:", 4))
			sum += strtod(line + 4, NULL) / 1024;
	if (file)
		fclose(file);
	snprintf(name, sizeof(name), "/proc/%d/task/%d/children", (int)process, (int)process);
	file = fopen(name, "r");
	while (file && fscanf(file, "%d", &child) == 1)
		sum += memory_of(child);
	if (file)
		fclose(file);
	return sum;
}

/* Looks at the memory now and then, less and less often; the end is noticed at once. */
static double file_mebibytes(const char *path)
{
	struct stat s;

	return stat(path, &s) < 0 ? 0 : (double)s.st_size / (1 << 20);
}

static double watch(pid_t process)
{
	struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, process, 0), .events = POLLIN};
	double most = 0;
	int pause = 50;

	if (end.fd < 0)
		return 0;
	while (poll(&end, 1, pause) == 0) {
		double now = memory_of(process);

		pause = pause < 2000 ? pause * 2 : pause;
		if (now > most)
			most = now;
	}
	close(end.fd);
	return most;
}

void predicted_run(struct predicted *p, const char *trace, const char *const *arguments,
		   unsigned limit)
{
	const char *all[ARGUMENTS_MAX] = {"norn", "predict", "--json", trace};
	char output[4096];
	struct rusage usage;
	int status;

	*p = (struct predicted){0};
	for (size_t i = 0; arguments[i] && i + 5 < ARGUMENTS_MAX; i++)
		all[i + 4] = arguments[i];
	snprintf(output, sizeof(output), "%s.json", trace);
	double begin = measure_now();
	pid_t child = start(all, output, limit);

	if (child < 0)
		abort();
	p->mebibytes = watch(child);
	if (wait4(child, &status, 0, &usage) < 0)
		abort();
	p->seconds = measure_now() - begin;
	p->processor = (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec +
		       (double)usage.ru_stime.tv_sec + 1e-6 * (double)usage.ru_stime.tv_usec;
	/* the largest process alone, but nothing is missed */
	if ((double)usage.ru_maxrss / 1024 > p->mebibytes)
		p->mebibytes = (double)usage.ru_maxrss / 1024;
	p->status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
	FILE *file = fopen(output, "r");

	p->readable = file && json_scan(file, note, p);
	if (file)
		fclose(file);
	p->report = file_mebibytes(output);
	unlink(output);
}

void predicted_release(struct predicted *p)
{
	vec_release(&p->findings);
}

const struct predicted_tier *predicted_tier(const struct predicted *p, const char *engine)
{
	for (uint32_t i = 0; i < p->tier_count; i++)
		if (!strcmp(p->tiers[i].engine, engine))
			return &p->tiers[i];
	return NULL;
}

struct planted_score planted_judge(const struct predicted *p, uint32_t items, int model)
{
	struct planted_score score = {0};
	bool *found = mem_alloc_zero(items + 1, sizeof(*found));

	for (size_t i = 0; i < p->findings.n; i++) {
		const struct predicted_finding *f = &p->findings.at[i];
		long number = planted_find(f->places[0], f->places[1]);
		const struct predicted_tier *tier = predicted_tier(p, f->engine);

		if (number < 0 || number >= (long)items || found[number] ||
		    !planted_has((uint32_t)number, (enum model)model)) {
			score.wrong++;
			continue;
		}
		found[number] = true;
		score.found++;
		if (tier)
			score.by[tier - p->tiers]++;
	}
	for (uint32_t i = 0; i < items; i++) {
		bool there = planted_has(i, (enum model)model);

		score.there += there;
		if (there && !found[i] && !score.missed++)
			score.first_missed = i;
	}
	mem_free(found);
	return score;
}
