/* SPDX-License-Identifier: MIT */
#include "cmd/unrecorded.h"

#include "base/err.h"
#include "cmd/cmd.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* As execvp looks for it; program itself if it is nowhere. */
static void find_program(char *path, size_t room, const char *program)
{
	const char *at = strchr(program, '/') ? NULL : getenv("PATH");

	for (; at && *at; at += strcspn(at, ":"), at += *at == ':') {
		size_t length = strcspn(at, ":");

		snprintf(path, room, "%.*s/%s", (int)length, at, program);
		if (!access(path, X_OK))
			return;
	}
	snprintf(path, room, "%s", program);
}

/* The runtime asks the environment by this name, so it is in every program that has it. */
static bool has_runtime(const char *path)
{
	static const char name[] = "NORN_RECORD=";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	bool found = false;

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0) {
		size_t size = (size_t)st.st_size;
		void *map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);

		if (map != MAP_FAILED) {
			found = memmem(map, size, name, sizeof(name));
			munmap(map, size);
		}
	}
	if (fd >= 0)
		close(fd);
	return found;
}

bool program_has_runtime(const char *program)
{
	char path[PATH_MAX];

	find_program(path, sizeof(path), program);
	return has_runtime(path);
}

void say_unrecorded(const char *program, const struct launch_result *run)
{
	if (!program_has_runtime(program)) {
		say("%s was not built by norn cc, so nothing was recorded; build it with:",
		    program);
		say("    norn cc -g -o PROGRAM FILE.c…     or, for a project, CC=norn-cc "
		    "CXX=norn-c++ make");
		return;
	}
	if (run->signal)
		say("%s was ended by signal %d (%s) before the recording began", program,
		    run->signal, strsignal(run->signal));
	else
		say("%s ended with exit status %d before the recording began", program,
		    run->status);
	say("    either it could not be loaded (see its messages), or it could not open the "
	    "recording (check ulimit -n and -v, and its privileges)");
}
