/*
 * exec: another program takes the place of this one, and is not recorded. The run says so, unless
 * the call fails and this program goes on. A child of fork that becomes another program is not ours
 * any more either.
 */
#include <alloca.h>
#include <stdarg.h>
#include <unistd.h>

#include "runtime/exit.h"
#include "runtime/process.h"
#include "runtime/real.h"

extern char **environ;

#define TELL(call)                        \
	({                                \
		norn_before_sudden_end(); \
		norn_exec_begins(true);   \
		int result_ = (call);     \
		norn_exec_begins(false);  \
		result_;                  \
	})

int NORN_WRAPPER(execve)(const char *path, char *const *words, char *const *variables)
{
	return TELL(NORN_REAL(execve)(path, words, variables));
}

int NORN_WRAPPER(execv)(const char *path, char *const *words)
{
	return TELL(NORN_REAL(execv)(path, words));
}

int NORN_WRAPPER(execvp)(const char *file, char *const *words)
{
	return TELL(NORN_REAL(execvp)(file, words));
}

int NORN_WRAPPER(execvpe)(const char *file, char *const *words, char *const *variables)
{
	return TELL(NORN_REAL(execvpe)(file, words, variables));
}

int NORN_WRAPPER(fexecve)(int fd, char *const *words, char *const *variables)
{
	return TELL(NORN_REAL(fexecve)(fd, words, variables));
}

/* The words of a list, and a NULL; what stands behind it is still in `list`. */
static size_t count_words(va_list list)
{
	size_t n = 1;
	while (va_arg(list, char *))
		n++;
	return n;
}

static void copy_words(char **to, const char *first, va_list list)
{
	*to++ = (char *)first;
	while ((*to++ = va_arg(list, char *)))
		;
}

#define LISTED(first)                                                   \
	va_list list;                                                   \
	va_start(list, first);                                          \
	char **words = alloca((count_words(list) + 1) * sizeof *words); \
	va_end(list);                                                   \
	va_start(list, first);                                          \
	copy_words(words, first, list)

int NORN_WRAPPER(execl)(const char *path, const char *first, ...)
{
	LISTED(first);
	va_end(list);
	return TELL(NORN_REAL(execv)(path, words));
}

int NORN_WRAPPER(execlp)(const char *file, const char *first, ...)
{
	LISTED(first);
	va_end(list);
	return TELL(NORN_REAL(execvp)(file, words));
}

int NORN_WRAPPER(execle)(const char *path, const char *first, ...)
{
	LISTED(first);
	char *const *variables = va_arg(list, char *const *);
	va_end(list);
	return TELL(NORN_REAL(execve)(path, words, variables));
}
