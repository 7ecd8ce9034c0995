/* SPDX-License-Identifier: MIT */
#include "runtime/start.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include "runtime/settings.h"
#include "runtime/sys.h"

#define COMMAND "norn"
#define SELF "/proc/self/exe"

static const char *value_of(char *const *environment, const char *name)
{
	size_t length = strlen(name);
	for (; *environment; environment++)
		if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
			return *environment + length + 1;
	return NULL;
}

/* The next DIRECTORY/NAME of the list; false: it is at its end. Those that are too long are
 * passed by, an empty one is the current directory. */
static bool next_path(const char **list, const char *name, char *path, size_t room)
{
	while (*list) {
		const char *from = *list;
		size_t length = strcspn(from, ":"), rest = strlen(name) + 1;
		*list = from[length] ? from + length + 1 : NULL;
		if (length == 0)
			from = ".", length = 1;
		if (length + 1 + rest > room)
			continue;
		memcpy(path, from, length);
		path[length] = '/';
		memcpy(path + length + 1, name, rest);
		return true;
	}
	return false;
}

static bool is_self(const char *path)
{
	struct stat self, other;
	return NORN_SYS(stat, SELF, &self, 0, 0, 0, 0) == 0 &&
	       NORN_SYS(stat, path, &other, 0, 0, 0, 0) == 0 && self.st_dev == other.st_dev &&
	       self.st_ino == other.st_ino;
}

/* Whether norn record finds this program under the name that it was called by. */
static bool is_found(const char *name, const char *list)
{
	char path[PATH_MAX];
	if (strchr(name, '/'))
		return is_self(name);
	while (*name && next_path(&list, name, path, sizeof path))
		if (NORN_SYS(access, path, 1 /* X_OK */, 0, 0, 0, 0) == 0)
			return is_self(path);
	return false;
}

static void execute(const char *list, char **arguments, char **environment)
{
	static const char complaint[] = COMMAND ": NORN_OPTIONS is set, but " COMMAND
						" is not in PATH: this run is not recorded\n";
	char path[PATH_MAX];
	while (next_path(&list, COMMAND, path, sizeof path))
		NORN_SYS(execve, path, arguments, environment, 0, 0, 0);
	NORN_SYS(write, 2, complaint, sizeof complaint - 1, 0, 0, 0);
}

void norn_begin_program(int count, char **arguments, char **environment)
{
	const char *list = value_of(environment, "PATH");
	/* norn record has started it, and may have been noticed already: in a static program libc
	 * allocates before this. Or it has more rights than its caller, who says what runs. */
	if (!value_of(environment, "NORN_OPTIONS") || value_of(environment, "NORN_RECORD") ||
	    norn_setting(NORN_DIRECTORY) || getauxval(AT_SECURE) || count < 1 || !list)
		return;
	char self[PATH_MAX];
	long length = NORN_SYS(readlink, SELF, self, sizeof self - 1, 0, 0, 0);
	if (length <= 0)
		return;
	self[length] = 0;
	char *full[count + 4];
	size_t n = 0;
	full[n++] = (char *)COMMAND;
	full[n++] = (char *)"record";
	full[n++] = (char *)"--";
	full[n++] = is_found(arguments[0], list) ? arguments[0] : self;
	for (int i = 1; i < count; i++)
		full[n++] = arguments[i];
	full[n] = NULL;
	execute(list, full, environment);
}
