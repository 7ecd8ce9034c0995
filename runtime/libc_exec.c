/*
 * Other programs: what is said to them is read, and they get our settings, which the program itself
 * does not have in its environment.
 */
#include "runtime/libc.h"
#include "runtime/replaced.h"
#include "runtime/settings.h"

#include <errno.h>
#include <unistd.h>

static size_t length(char *const *list)
{
	size_t n = 0;
	while (list && list[n])
		n++;
	return n;
}

/* A list of strings, with the NULL behind it. */
static void see_strings(const void *pc, char *const *list)
{
	size_t n = length(list);
	norn_see(pc, list, list ? (n + 1) * sizeof *list : 0);
	for (size_t i = 0; i < n; i++)
		norn_string(pc, list[i]);
}

/* On the stack: a child of vfork has its parent's memory. */
#define WITH_SETTINGS(env)                  \
	size_t n_ = length(env);            \
	char *full[n_ + NORN_SETTINGS + 1]; \
	norn_settings_add(full, env, n_)

typedef int execute(const char *path, char *const *arguments, char *const *environment);

static int do_execute(const void *pc, execute *libc, const char *path, char *const *arguments,
		      char *const *environment)
{
	norn_string(pc, path);
	see_strings(pc, arguments);
	WITH_SETTINGS(environment);
	norn_names_look();
	return libc(path, arguments, full);
}

int __norn_execve(const char *path, char *const *arguments, char *const *environment)
{
	see_strings(NORN_CALLER, environment);
	return do_execute(NORN_CALLER, execve, path, arguments, environment);
}

int __norn_execvpe(const char *path, char *const *arguments, char *const *environment)
{
	see_strings(NORN_CALLER, environment);
	return do_execute(NORN_CALLER, execvpe, path, arguments, environment);
}

int __norn_execv(const char *path, char *const *arguments)
{
	return do_execute(NORN_CALLER, execve, path, arguments, environ);
}

int __norn_execvp(const char *path, char *const *arguments)
{
	return do_execute(NORN_CALLER, execvpe, path, arguments, environ);
}

int __norn_fexecve(int fd, char *const *arguments, char *const *environment)
{
	see_strings(NORN_CALLER, arguments);
	see_strings(NORN_CALLER, environment);
	WITH_SETTINGS(environment);
	return fexecve(fd, arguments, full);
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
EXECUTE_LIST(execl, execve, environ)
EXECUTE_LIST(execlp, execvpe, environ)
EXECUTE_LIST(execle, execve, va_arg(list, char *const *))

#define SPAWN(name)                                                                               \
	int __norn_##name(pid_t *to, const char *path, const posix_spawn_file_actions_t *actions, \
			  const posix_spawnattr_t *attributes, char *const *arguments,            \
			  char *const *environment)                                               \
	{                                                                                         \
		pid_t ours;                                                                       \
		norn_string(NORN_CALLER, path);                                                   \
		see_strings(NORN_CALLER, arguments);                                              \
		see_strings(NORN_CALLER, environment);                                            \
		WITH_SETTINGS(environment ? environment : environ);                               \
		norn_names_look();                                                                \
		int r = name(&ours, path, actions, attributes, arguments, full);                  \
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
	norn_names_change();                     \
	return r

int __norn_system(const char *command)
{
	norn_string(NORN_CALLER, command);
	norn_names_change();
	norn_long_call();
	WITH_ENVIRONMENT(int, system(command));
}

FILE *__norn_popen(const char *command, const char *mode)
{
	norn_string(NORN_CALLER, command);
	norn_string(NORN_CALLER, mode);
	norn_names_change();
	WITH_ENVIRONMENT(FILE *, popen(command, mode));
}
