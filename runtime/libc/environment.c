/* SPDX-License-Identifier: MIT */
/*
 * The environment. libc changes it under a lock of its own, and looks at it without one: told as
 * accesses of a variable that stands for it, under a lock that stands for that one.
 */
#include "runtime/libc/libc.h"
#include "runtime/libc/replaced.h"
#include "runtime/pthread/sync.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t libc_environment; /* as reports call it: how often it was changed */

/* As it was: the program may look at it itself, and then what libc has changed is written. */
struct change {
	char **was;
	size_t n;
	struct norn_scratch copy; /* of the pointers, NULL among them */
};

static size_t size_of_environment(void)
{
	size_t n = 0;
	while (environ && environ[n])
		n++;
	return environ ? (n + 1) * sizeof *environ : 0;
}

static void before_change(const void *pc, struct change *c)
{
	norn_mutex_lock(&lock, NULL);
	uint64_t next = libc_environment + 1;
	norn_put(pc, &libc_environment, &next, sizeof next);
	c->was = environ;
	c->n = size_of_environment();
	norn_scratch_init(&c->copy);
	if (norn_scratch_grow(&c->copy, c->n))
		memcpy(c->copy.data, environ, c->n);
	else
		c->n = 0;
}

static void note_strings(const void *pc, const struct change *c)
{
	char **old = (char **)c->copy.data;
	size_t n = size_of_environment() / sizeof *environ;
	for (size_t i = 0; i < n; i++) {
		bool same = i < c->n / sizeof *old && environ[i] == old[i];
		if (!same || environ != c->was)
			norn_filled(pc, &environ[i], sizeof *environ);
		if (!same && environ[i])
			norn_filled(pc, environ[i], strlen(environ[i]) + 1);
	}
}

static int after_change(const void *pc, struct change *c, int r)
{
	if (environ != c->was)
		norn_filled(pc, &environ, sizeof environ);
	note_strings(pc, c);
	norn_scratch_release(&c->copy);
	norn_mutex_unlock(&lock, NULL);
	return r;
}

int __norn_setenv(const char *name, const char *value, int replace)
{
	norn_string(NORN_CALLER, name);
	norn_string(NORN_CALLER, value);
	struct change c;
	before_change(NORN_CALLER, &c);
	return after_change(NORN_CALLER, &c, setenv(name, value, replace));
}

/* The string itself becomes part of the environment. */
int __norn_putenv(char *s)
{
	norn_string(NORN_CALLER, s);
	struct change c;
	before_change(NORN_CALLER, &c);
	return after_change(NORN_CALLER, &c, putenv(s));
}

int __norn_unsetenv(const char *name)
{
	norn_string(NORN_CALLER, name);
	struct change c;
	before_change(NORN_CALLER, &c);
	return after_change(NORN_CALLER, &c, unsetenv(name));
}

int __norn_clearenv(void)
{
	struct change c;
	before_change(NORN_CALLER, &c);
	return after_change(NORN_CALLER, &c, clearenv());
}

char *__norn_getenv(const char *name)
{
	norn_gather();
	norn_string(NORN_CALLER, name);
	norn_see(NORN_CALLER, &libc_environment, sizeof libc_environment);
	return getenv(name);
}

char *__norn_secure_getenv(const char *name)
{
	norn_gather();
	norn_string(NORN_CALLER, name);
	norn_see(NORN_CALLER, &libc_environment, sizeof libc_environment);
	return secure_getenv(name);
}
