/* SPDX-License-Identifier: MIT */
/*
 * The environment. libc changes it under a lock of its own, and looks at it without one: told as
 * accesses of a variable that stands for it, under a lock that stands for that one.
 */
#include "runtime/libc/libc.h"
#include "runtime/libc/replaced.h"
#include "runtime/pthread/sync.h"

#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t libc_environment; /* as reports call it: how often it was changed */

static void before_change(const void *pc)
{
	norn_mutex_lock(&lock, NULL);
	uint64_t next = libc_environment + 1;
	norn_put(pc, &libc_environment, &next, sizeof next);
}

static int after_change(int r)
{
	norn_mutex_unlock(&lock, NULL);
	return r;
}

int __norn_setenv(const char *name, const char *value, int replace)
{
	norn_string(NORN_CALLER, name);
	norn_string(NORN_CALLER, value);
	before_change(NORN_CALLER);
	return after_change(setenv(name, value, replace));
}

/* The string itself becomes part of the environment. */
int __norn_putenv(char *s)
{
	norn_string(NORN_CALLER, s);
	before_change(NORN_CALLER);
	return after_change(putenv(s));
}

int __norn_unsetenv(const char *name)
{
	norn_string(NORN_CALLER, name);
	before_change(NORN_CALLER);
	return after_change(unsetenv(name));
}

int __norn_clearenv(void)
{
	before_change(NORN_CALLER);
	return after_change(clearenv());
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
