/* SPDX-License-Identifier: MIT */
/* What the environment says, once. */
#include "runtime/openmp/openmp.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "runtime/openmp/abi.h"

static struct omp_settings settings;
static uint32_t known;
static struct norn_spin lock;

static bool is_true(const char *name)
{
	const char *text = getenv(name);
	return text && (!strcasecmp(text, "true") || !strcmp(text, "1") ||
			!strcasecmp(text, "yes") || !strcasecmp(text, "on"));
}

static int number(const char *name, int otherwise)
{
	const char *text = getenv(name);
	int value = text ? atoi(text) : 0;
	return value > 0 ? value : otherwise;
}

static void take_threads(void)
{
	const char *text = getenv("OMP_NUM_THREADS");
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	while (text && *text && settings.levels < 8) {
		int value = atoi(text);
		if (value > 0)
			settings.threads[settings.levels++] = value;
		text = strchr(text, ',');
		text += text != NULL;
	}
	/* One thread would show nothing. */
	if (!settings.levels)
		settings.threads[settings.levels++] = processors > 2 ? (int)processors : 2;
}

static void take_schedule(void)
{
	static const struct {
		const char *name;
		int kind;
	} kinds[] = {{"static", OMP_STATIC},
		     {"dynamic", OMP_DYNAMIC},
		     {"guided", OMP_GUIDED},
		     {"auto", OMP_STATIC}};
	const char *text = getenv("OMP_SCHEDULE"), *chunk;
	settings.kind = OMP_STATIC;
	if (!text)
		return;
	if (strchr(text, ':'))
		text = strchr(text, ':') + 1;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strncasecmp(text, kinds[i].name, strlen(kinds[i].name)))
			settings.kind = kinds[i].kind;
	chunk = strchr(text, ',');
	settings.chunk = chunk ? atoi(chunk + 1) : 0;
}

const struct omp_settings *omp_settings(void)
{
	if (__atomic_load_n(&known, __ATOMIC_ACQUIRE))
		return &settings;
	norn_spin_lock(&lock);
	if (!known) {
		take_threads();
		take_schedule();
		settings.thread_limit = number("OMP_THREAD_LIMIT", INT_MAX);
		settings.max_levels =
			number("OMP_MAX_ACTIVE_LEVELS",
			       is_true("OMP_NESTED") || settings.levels > 1 ? INT_MAX : 1);
		settings.dynamic = is_true("OMP_DYNAMIC");
		settings.cancels = is_true("OMP_CANCELLATION");
		__atomic_store_n(&known, 1, __ATOMIC_RELEASE);
	}
	norn_spin_unlock(&lock);
	return &settings;
}
