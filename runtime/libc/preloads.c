/* SPDX-License-Identifier: MIT */
/*
 * A program with a sanitizer in a library of its own refuses to start where another library is
 * loaded before that. It gets the list of the user's own preloaded libraries, without ours.
 */
#include "runtime/libc/preloads.h"

#include "runtime/sanitizers.h"
#include "runtime/sys.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define VARIABLE "LD_PRELOAD="
#define RUNTIME "/libnorn-runtime.so"
#define LOOK_MOST ((size_t)16 << 20) /* names of needed libraries stand near the start */

/* Behind our own library, which comes first; NULL: it is not in the list. */
static const char *others_in(const char *entry)
{
	if (strncmp(entry, VARIABLE, sizeof VARIABLE - 1) != 0)
		return NULL;
	const char *list = entry + sizeof VARIABLE - 1;
	size_t length = strcspn(list, ": ");
	size_t name = sizeof RUNTIME - 1;
	if (length < name || memcmp(list + length - name, RUNTIME, name) != 0)
		return NULL;
	return list + length + (list[length] != '\0');
}

static bool has_sanitizer(int fd)
{
	struct stat st;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size <= 0)
		return false;
	size_t size = (size_t)st.st_size < LOOK_MOST ? (size_t)st.st_size : LOOK_MOST;
	const char *at = (const char *)NORN_SYS(mmap, 0, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if ((uintptr_t)at > -(uintptr_t)4096)
		return false;
	bool found = size > 4 && memcmp(at, "\177ELF", 4) == 0 && norn_names_sanitizer(at, size);
	NORN_SYS(munmap, at, size, 0, 0, 0, 0);
	return found;
}

static bool is_sanitized(const char *path)
{
	int fd = (int)norn_sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool found = fd >= 0 && has_sanitizer(fd);
	if (fd >= 0)
		norn_sys_close(fd);
	return found;
}

/* As execvp looks for it: the first that can be executed. */
static bool is_sanitized_in_path(const char *name)
{
	const char *at = getenv("PATH");
	char path[PATH_MAX];
	for (size_t length; at && *at; at += length + (at[length] == ':')) {
		length = strcspn(at, ":");
		if (length + strlen(name) + 2 > sizeof path)
			continue;
		memcpy(path, at, length);
		path[length] = '/';
		strcpy(path + length + 1, name);
		if (NORN_SYS(access, path, X_OK, 0, 0, 0, 0) == 0)
			return is_sanitized(path);
	}
	return false;
}

void norn_preloads_fit(char **list, const char *path, bool search)
{
	static char entry[PATH_MAX];
	const char *others = NULL;
	while (*list && !(others = others_in(*list)))
		list++;
	if (!others || !path ||
	    !(search && !strchr(path, '/') ? is_sanitized_in_path(path) : is_sanitized(path)))
		return;
	if (*others && sizeof VARIABLE + strlen(others) <= sizeof entry) {
		strcpy(entry, VARIABLE);
		strcpy(entry + sizeof VARIABLE - 1, others);
		*list = entry;
		return;
	}
	do
		list[0] = list[1];
	while (*list++);
}
