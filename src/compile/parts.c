/* SPDX-License-Identifier: MIT */
#include "compile/parts.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The first place under which the part is, or NULL. */
static const char *look(const char *here, const char *const *places, struct arena *arena)
{
	for (; *places; places++) {
		const char *path = words_format(arena, "%s/%s", here, *places);

		if (!access(path, R_OK))
			return path;
	}
	return NULL;
}

#define CONFIG "/bits/c++config.h"

#define LOOK(...) look(here, (const char *const[]){__VA_ARGS__, NULL}, arena)
#define LOOK_FOR(name) LOOK(name, "../lib/norn/" name)

static const char *directory_of_self(char *path, size_t size, struct err *err)
{
	ssize_t length = readlink("/proc/self/exe", path, size - 1);

	if (length < 0) {
		err_set(err, ERR_SYSTEM, "/proc/self/exe: %s", strerror(errno));
		return NULL;
	}
	path[length] = '\0';
	*strrchr(path, '/') = '\0';
	return path;
}

int parts_find(struct parts *parts, struct arena *arena, struct err *err)
{
	char path[PATH_MAX], resolved[PATH_MAX];
	const char *here = directory_of_self(path, sizeof(path), err);
	const char *clang = getenv("NORN_CLANG");

	if (!here)
		return err->code;
	*parts = (struct parts){
		.clang = clang && *clang ? clang : "clang",
		.instrument = LOOK_FOR("norn-instrument"),
		.runtime = LOOK_FOR("libnorn-runtime.a"),
		.exports = LOOK_FOR("libnorn-runtime.exports"),
		.runtime_static = LOOK_FOR("libnorn-runtime-static.a"),
		.wraps = LOOK_FOR("libnorn-runtime-static.wraps"),
		.events = LOOK_FOR("events"),
	};
	const char *hooks = LOOK_FOR("libnorn-hooks.so");

	parts->hooks = hooks ? realpath(hooks, resolved) : NULL;
	if (parts->hooks)
		parts->hooks = words_format(arena, "%s", parts->hooks);
	const char *header = LOOK("include/norn.h", "../include/norn.h");
	const char *config = LOOK_FOR("libstdc++" CONFIG);

	if (!parts->instrument || !parts->runtime || !parts->hooks || !parts->exports ||
	    !parts->runtime_static || !parts->wraps || !parts->events || !header || !config)
		return err_set(err, ERR_SYSTEM,
			       "%s: norn-instrument, the runtime or norn.h is not where norn is; "
			       "build all of Norn (make), or install it (make install)",
			       here);
	parts->include =
		words_format(arena, "%.*s", (int)(strlen(header) - strlen("/norn.h")), header);
	parts->libstdcxx =
		words_format(arena, "%.*s", (int)(strlen(config) - strlen(CONFIG)), config);
	return 0;
}
