/* SPDX-License-Identifier: MIT */
/* The link: objects and what the user says, and the runtime. */
#include "base/scratch.h"
#include "compile/driver.h"

#include <string.h>

/* Longer command lines go through a response file: the system has a limit. */
#define LENGTH_MAX 100000

static void add_items(const struct driver *d, struct words *command, struct arena *arena)
{
	const char *language = NULL;

	for (size_t i = 0; i < d->line.items.n; i++) {
		const struct line_item *item = &d->line.items.at[i];

		if (!item->input && !(item->steps & STEP_LINK))
			continue;
		if (item->input && item->language != language) {
			language = item->language;
			words_add_all(command, "-x", language ? language : "none");
		}
		words_add(command, item->input && *item->word == '-' && item->word[1]
					   ? words_format(arena, "./%s", item->word)
					   : item->word);
		if (item->argument)
			words_add(command, item->argument);
	}
	if (language)
		words_add_all(command, "-x", "none");
}

/* All of it, whether or not the program calls it, and seen by shared libraries. */
static void add_runtime(const struct driver *d, struct words *command, struct arena *arena)
{
	words_add_all(command, "-Wl,--whole-archive", d->parts.runtime, "-Wl,--no-whole-archive",
		      "-Xlinker", words_format(arena, "--dynamic-list=%s", d->parts.exports),
		      "-lpthread", "-ldl");
}

/* Of the program that loads the library, or the runtime that norn record loads into it; and where
 * there is neither, of a library that is needed for that alone. */
static void add_hooks(const struct driver *d, struct words *command, struct arena *arena)
{
	const char *slash = strrchr(d->parts.hooks, '/');

	words_add_all(command, "-Wl,--push-state,--no-as-needed", d->parts.hooks, "-Wl,--pop-state",
		      "-Xlinker", "-rpath", "-Xlinker",
		      words_format(arena, "%.*s", (int)(slash - d->parts.hooks), d->parts.hooks));
}

/* Nothing stands before libc there: the linker turns calls to the runtime, and asks for what it
 * turns them to. */
static void add_static_runtime(const struct driver *d, struct words *command, struct arena *arena)
{
	words_add_all(command, words_format(arena, "@%s", d->parts.wraps), d->parts.runtime_static,
		      "-lpthread", "-lm"); /* mode.c */
}

/* The runtime has what programs need of OpenMP (runtime/openmp): libomp is there for the rest, and
 * not at all if nothing of that is used. There is no static one. */
static void add_openmp(const struct line *line, struct words *command)
{
	if (line->openmp && !line->statically)
		words_add_all(command, "-fopenmp", "-Wl,--as-needed");
}

static void add_parts(const struct driver *d, struct words *command, struct arena *arena)
{
	const struct line *line = &d->line;

	if (line->bare)
		return;
	if (line->shared) {
		add_hooks(d, command, arena);
	} else if (line->statically) {
		add_static_runtime(d, command, arena);
	} else {
		add_runtime(d, command, arena);
	}
}

int driver_link(struct driver *d, struct err *err)
{
	struct words command = {0};

	driver_start(d, &command);
	size_t start = command.n;

	if (d->line.sources)
		words_add(&command, "-Qunused-arguments"); /* the steps before took theirs */
	if (d->line.preprocessed)
		driver_define(d, &command); /* for assembler, which is clang's alone */
	add_items(d, &command, &d->arena);
	if (d->line.output)
		words_add_all(&command, "-o", d->line.output);
	add_parts(d, &command, &d->arena);
	add_openmp(&d->line, &command);
	if (words_length(&command) > LENGTH_MAX) {
		const char *path = scratch_file("link.rsp");

		if (words_write(&command, start, path, err) < 0) {
			words_release(&command);
			return err->code;
		}
		command.n = start;
		words_add(&command, words_format(&d->arena, "@%s", path));
	}
	return driver_spawn(d, &command, err);
}
