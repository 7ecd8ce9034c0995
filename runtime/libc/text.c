/* SPDX-License-Identifier: MIT */
/* Options, patterns, messages and parts of names. */
#include "runtime/libc/libc.h"
#include "runtime/libc/replaced.h"

#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <libgen.h>
#undef basename
#include <regex.h>
#include <string.h>

/* What they leave behind, for the caller and for the next call; arguments may change places. */
static int give_option(const void *pc, int r, int n, char *const *arguments)
{
	norn_filled(pc, &optind, sizeof optind);
	norn_filled(pc, &optarg, sizeof optarg);
	norn_filled(pc, &optopt, sizeof optopt);
	if (arguments && n > 0)
		norn_filled(pc, (void *)arguments, (size_t)n * sizeof *arguments);
	return r;
}

static void see_options(const void *pc, int n, char *const *arguments, const char *options)
{
	norn_see(pc, arguments, n > 0 ? (size_t)n * sizeof *arguments : 0);
	norn_see(pc, &optind, sizeof optind);
	norn_string(pc, options);
	norn_decided(pc);
}

int __norn_getopt(int n, char *const *arguments, const char *options)
{
	see_options(NORN_CALLER, n, arguments, options);
	return give_option(NORN_CALLER, getopt(n, arguments, options), n, arguments);
}

#define LONG_OPTIONS(name)                                                         \
	int __norn_##name(int n, char *const *arguments, const char *options,      \
			  const struct option *longer, int *to)                    \
	{                                                                          \
		int index = -1;                                                    \
		see_options(NORN_CALLER, n, arguments, options);                   \
		int r = name(n, arguments, options, longer, &index);               \
		if (index >= 0 && to)                                              \
			norn_put(NORN_CALLER, to, &index, sizeof index);           \
		if (index >= 0 && r == 0 && longer[index].flag)                    \
			norn_filled(NORN_CALLER, longer[index].flag, sizeof(int)); \
		return give_option(NORN_CALLER, r, n, arguments);                  \
	}
LONG_OPTIONS(getopt_long)
LONG_OPTIONS(getopt_long_only)

int __norn_fnmatch(const char *pattern, const char *text, int flags)
{
	norn_string(NORN_CALLER, pattern);
	norn_string(NORN_CALLER, text);
	return fnmatch(pattern, text, flags);
}

int __norn_regcomp(regex_t *to, const char *pattern, int flags)
{
	norn_string(NORN_CALLER, pattern);
	int r = regcomp(to, pattern, flags);
	norn_filled(NORN_CALLER, to, sizeof *to);
	return r;
}

/* What it keeps behind the expression has a lock of libc's. */
int __norn_regexec(const regex_t *expression, const char *text, size_t n, regmatch_t to[],
		   int flags)
{
	norn_see(NORN_CALLER, expression, sizeof *expression);
	if (flags & REG_STARTEND)
		norn_see(NORN_CALLER, to, sizeof *to);
	else
		norn_string(NORN_CALLER, text);
	int r = regexec(expression, text, n, to, flags);
	if (!r && n && !(expression->__REPB_PREFIX(no_sub)))
		norn_filled(NORN_CALLER, to, n * sizeof *to);
	return r;
}

void __norn_regfree(regex_t *expression)
{
	regfree(expression);
	norn_filled(NORN_CALLER, expression, sizeof *expression);
}

size_t __norn_regerror(int code, const regex_t *expression, char *to, size_t n)
{
	struct norn_inlet in;
	char *buffer = norn_inlet_begin(&in, to, n);
	size_t r = regerror(code, expression, buffer, n);
	norn_inlet_end(NORN_CALLER, &in, norn_least(r, n));
	return r;
}

/* One of them gives a text of its own, or that of the caller; the other writes it there. */
char *__norn_strerror_r(int error, char *to, size_t n)
{
	struct norn_inlet in;
	char *buffer = norn_inlet_begin(&in, to, n);
	char *r = strerror_r(error, buffer, n);
	bool theirs = r == buffer;
	norn_inlet_end(NORN_CALLER, &in, theirs && n ? strlen(buffer) + 1 : 0);
	return theirs ? to : r;
}

int __norn___xpg_strerror_r(int error, char *to, size_t n)
{
	struct norn_inlet in;
	char *buffer = norn_inlet_begin(&in, to, n);
	int r = __xpg_strerror_r(error, buffer, n);
	norn_inlet_end(NORN_CALLER, &in, n ? strnlen(buffer, n - 1) + 1 : 0);
	return r;
}

char *__norn_basename(const char *path)
{
	norn_string(NORN_CALLER, path);
	return basename(path);
}

/* They may put a NUL where a slash was. */
#define PART(name)                                                        \
	char *__norn_##name(char *path)                                   \
	{                                                                 \
		size_t n = norn_string(NORN_CALLER, path);                \
		char *r = name(path);                                     \
		if (path && strlen(path) < n)                             \
			norn_filled(NORN_CALLER, path + strlen(path), 1); \
		return r;                                                 \
	}
PART(dirname)
PART(__xpg_basename)
