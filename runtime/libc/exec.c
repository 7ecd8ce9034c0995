/* SPDX-License-Identifier: MIT */
/*
 * Other programs: what is said to them is read. One that takes the place of this one is not
 * recorded: the run says so, unless the call fails. They get our settings, which the program itself
 * does not have in its environment. They get them from code without hooks, too: so there are
 * functions of libc's own names, but not in static programs. Weak, as in counted.c.
 */
#include "runtime/exit.h"
#include "runtime/libc/libc.h"
#include "runtime/libc/preloads.h"
#include "runtime/process.h"
#include "runtime/real.h"
#include "runtime/libc/replaced.h"
#include "runtime/settings.h"

#include <errno.h>
#include <unistd.h>

#ifdef NORN_STATIC
#define LIBC(name) name
#else
#define LIBC(name) NORN_REAL(name)
#endif

static size_t length(char *const *list)
{
	size_t n = 0;
	while (list && (!norn_ranges_on() || norn_can_read(list + n, sizeof *list)) && list[n])
		n++;
	return n;
}

/* A list of strings, with the NULL behind it. */
static void see_strings(const void *pc, char *const *list)
{
	size_t n = length(list);
	norn_see(pc, list, list ? (n + 1) * sizeof *list : 0);
	for (size_t i = 0; i < n; i++)
		norn_see_name(pc, list[i]);
}

/* On the stack: a child of vfork has its parent's memory. */
#define WITH_SETTINGS(env)                  \
	size_t n_ = length(env);            \
	char *full[n_ + NORN_SETTINGS + 1]; \
	norn_settings_add(full, env, n_)

#define TELL(call)                        \
	({                                \
		norn_before_sudden_end(); \
		norn_exec_begins(true);   \
		int result_ = (call);     \
		norn_exec_begins(false);  \
		result_;                  \
	})

typedef int execute(const char *path, char *const *arguments, char *const *environment);

static int do_execute(const void *pc, execute *libc, const char *path, char *const *arguments,
		      char *const *environment)
{
	norn_see_name(pc, path);
	see_strings(pc, arguments);
	WITH_SETTINGS(environment);
	norn_preloads_fit(full, path, true);
	norn_children_change(); /* it may be a child of vfork */
	norn_names_look();
	return TELL(libc(path, arguments, full));
}

int __norn_execve(const char *path, char *const *arguments, char *const *environment)
{
	see_strings(NORN_CALLER, environment);
	return do_execute(NORN_CALLER, LIBC(execve), path, arguments, environment);
}

int __norn_execvpe(const char *path, char *const *arguments, char *const *environment)
{
	see_strings(NORN_CALLER, environment);
	return do_execute(NORN_CALLER, LIBC(execvpe), path, arguments, environment);
}

int __norn_execv(const char *path, char *const *arguments)
{
	return do_execute(NORN_CALLER, LIBC(execve), path, arguments, environ);
}

int __norn_execvp(const char *path, char *const *arguments)
{
	return do_execute(NORN_CALLER, LIBC(execvpe), path, arguments, environ);
}

int __norn_fexecve(int fd, char *const *arguments, char *const *environment)
{
	see_strings(NORN_CALLER, arguments);
	see_strings(NORN_CALLER, environment);
	WITH_SETTINGS(environment);
	return TELL(LIBC(fexecve)(fd, arguments, full));
}

/* Arguments up to a NULL; `list` is behind it then. */
static size_t count_arguments(const char *first, va_list list)
{
	size_t n = 0;
	for (const char *p = first; p; p = va_arg(list, const char *))
		n++;
	return n;
}

static void take_arguments(char **to, const char *first, va_list list)
{
	for (const char *p = first; p; p = va_arg(list, const char *))
		*to++ = (char *)p;
	*to = NULL;
}

#define EXECUTE_LIST(name, libc, environment_of)                                    \
	int __norn_##name(const char *path, const char *first, ...)                 \
	{                                                                           \
		va_list list;                                                       \
		va_start(list, first);                                              \
		char *arguments[count_arguments(first, list) + 1];                  \
		va_end(list);                                                       \
		va_start(list, first);                                              \
		take_arguments(arguments, first, list);                             \
		char *const *environment = environment_of;                          \
		va_end(list);                                                       \
		return do_execute(NORN_CALLER, libc, path, arguments, environment); \
	}
EXECUTE_LIST(execl, LIBC(execve), environ)
EXECUTE_LIST(execlp, LIBC(execvpe), environ)
EXECUTE_LIST(execle, LIBC(execve), va_arg(list, char *const *))

#define SPAWN(name)                                                                               \
	int __norn_##name(pid_t *to, const char *path, const posix_spawn_file_actions_t *actions, \
			  const posix_spawnattr_t *attributes, char *const *arguments,            \
			  char *const *environment)                                               \
	{                                                                                         \
		pid_t ours;                                                                       \
		norn_see_name(NORN_CALLER, path);                                                 \
		see_strings(NORN_CALLER, arguments);                                              \
		see_strings(NORN_CALLER, environment);                                            \
		WITH_SETTINGS(environment ? environment : environ);                               \
		norn_preloads_fit(full, path, true);                                              \
		norn_names_look();                                                                \
		norn_children_change();                                                           \
		int r = LIBC(name)(&ours, path, actions, attributes, arguments, full);            \
		if (!r && to)                                                                     \
			norn_put(NORN_CALLER, to, &ours, sizeof ours);                            \
		return r;                                                                         \
	}
SPAWN(posix_spawn)
SPAWN(posix_spawnp)

/*
 * A shell gets the environment that is there. With --follow it is to be recorded: then our settings
 * are in it while the call lasts. (A thread that changes the environment at the same time does so
 * in vain.)
 */
#define WITH_ENVIRONMENT(type, call)             \
	char **own = environ;                    \
	WITH_SETTINGS(own);                      \
	bool shown = norn_setting(NORN_FOLLOWS); \
	if (shown)                               \
		environ = full;                  \
	type r = call;                           \
	if (shown)                               \
		environ = own;                   \
	norn_children_change();                  \
	norn_names_change();                     \
	return r

int __norn_system(const char *command)
{
	norn_see_name(NORN_CALLER, command);
	norn_names_change();
	norn_children_change();
	norn_long_call();
	WITH_ENVIRONMENT(int, LIBC(system)(command));
}

FILE *__norn_popen(const char *command, const char *mode)
{
	norn_see_name(NORN_CALLER, command);
	norn_see_name(NORN_CALLER, mode);
	norn_names_change();
	norn_children_change();
	WITH_ENVIRONMENT(FILE *, LIBC(popen)(command, mode));
}

#ifndef NORN_STATIC

#define WEAK __attribute__((weak))

WEAK int execve(const char *path, char *const *arguments, char *const *environment)
{
	WITH_SETTINGS(environment);
	norn_preloads_fit(full, path, false);
	return TELL(NORN_REAL(execve)(path, arguments, full));
}

WEAK int execvpe(const char *path, char *const *arguments, char *const *environment)
{
	WITH_SETTINGS(environment);
	norn_preloads_fit(full, path, true);
	return TELL(NORN_REAL(execvpe)(path, arguments, full));
}

WEAK int execv(const char *path, char *const *arguments)
{
	return execve(path, arguments, environ);
}

WEAK int execvp(const char *path, char *const *arguments)
{
	return execvpe(path, arguments, environ);
}

WEAK int fexecve(int fd, char *const *arguments, char *const *environment)
{
	WITH_SETTINGS(environment);
	return TELL(NORN_REAL(fexecve)(fd, arguments, full));
}

#define WEAK_LIST(name, libc, environment_of)                      \
	WEAK int name(const char *path, const char *first, ...)    \
	{                                                          \
		va_list list;                                      \
		va_start(list, first);                             \
		char *arguments[count_arguments(first, list) + 1]; \
		va_end(list);                                      \
		va_start(list, first);                             \
		take_arguments(arguments, first, list);            \
		char *const *environment = environment_of;         \
		va_end(list);                                      \
		return libc(path, arguments, environment);         \
	}
WEAK_LIST(execl, execve, environ)
WEAK_LIST(execlp, execvpe, environ)
WEAK_LIST(execle, execve, va_arg(list, char *const *))

#define WEAK_SPAWN(name)                                                                      \
	WEAK int name(pid_t *to, const char *path, const posix_spawn_file_actions_t *actions, \
		      const posix_spawnattr_t *attributes, char *const *arguments,            \
		      char *const *environment)                                               \
	{                                                                                     \
		WITH_SETTINGS(environment ? environment : environ);                           \
		norn_preloads_fit(full, path, true);                                          \
		return NORN_REAL(name)(to, path, actions, attributes, arguments, full);       \
	}
WEAK_SPAWN(posix_spawn)
WEAK_SPAWN(posix_spawnp)

WEAK int system(const char *command)
{
	WITH_ENVIRONMENT(int, NORN_REAL(system)(command));
}

WEAK FILE *popen(const char *command, const char *mode)
{
	WITH_ENVIRONMENT(FILE *, NORN_REAL(popen)(command, mode));
}

#endif
