/* SPDX-License-Identifier: MIT */
#include "compile/compile.h"

#include "base/scratch.h"
#include "compile/driver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void driver_start(const struct driver *d, struct words *command)
{
	words_add(command, d->parts.clang);
	if (d->request->cplusplus)
		words_add(command, "--driver-mode=g++");
}

/* norn.h is found, behind all other headers, and __NORN__ tells that it does something. Of
 * libstdc++, as much as can be is in the program. */
void driver_define(const struct driver *d, struct words *command)
{
	words_add_all(command, "-D__NORN__", "-idirafter", d->parts.include, "-isystem",
		      d->parts.libstdcxx);
}

static int say_no_clang(const struct driver *d, struct err *err)
{
	return err_set(err, ERR_SYSTEM,
		       "%s: %s; install clang-%d, or set NORN_CLANG to the clang of LLVM %d",
		       d->parts.clang, strerror(errno), PARTS_LLVM, PARTS_LLVM);
}

/* Becomes clang. With something to preprocess, macros are as if it were compiled. */
static int pass(struct driver *d, struct err *err)
{
	struct words command = {0};
	const char *first = d->request->argv[0];

	driver_start(d, &command);
	if (d->line.preprocessed && !(first && !strncmp(first, "-cc1", 4)))
		driver_define(d, &command);
	words_add_list(&command, d->line.events.n ? d->words.at : d->request->argv);
	execvp(command.at[0], (char *const *)command.at);
	words_release(&command);
	return say_no_clang(d, err);
}

int driver_spawn(const struct driver *d, struct words *command, struct err *err)
{
	int status = spawn_wait(command->at, err);

	if (status < 0 && command->at[0] == d->parts.clang)
		say_no_clang(d, err);
	words_release(command);
	return status;
}

int driver_spawn_both(const struct driver *d, struct words *command, struct words *other,
		      int *beside, struct err *err)
{
	int status = spawn_wait_both(command->at, other->at, beside, err);

	if (status < 0)
		say_no_clang(d, err);
	words_release(command);
	words_release(other);
	return status;
}

/* Returns the exit status, or negative. */
static int make(struct driver *d, struct err *err)
{
	int status = 0;

	if (d->line.lto)
		d->request->note("-flto is ignored: hooks are inserted into each object");
	for (size_t i = 0; i < d->line.items.n; i++) {
		struct line_item *item = &d->line.items.at[i];

		if (!item->input || (!item->source && d->line.goal == LINE_LINK))
			continue;
		int this_status = driver_compile(d, item, err);

		if (this_status < 0)
			return this_status;
		status = status ? status : this_status;
	}
	if (status || d->line.goal != LINE_LINK)
		return status;
	status = driver_link(d, err);
	if (!status)
		driver_check_events(d);
	return status;
}

static bool one_output_for_many(const struct line *line)
{
	return line->goal == LINE_COMPILE && line->output && line->inputs > 1;
}

/* clang does not know them. */
static void leave_out_events(const struct words *from, struct words *to)
{
	for (size_t i = 0; i < from->n; i++)
		if (!line_is_events(from->at[i]))
			words_add(to, from->at[i]);
		else if (!strchr(from->at[i], '='))
			i++;
}

int compile_run(const struct compile_request *request, struct err *err)
{
	struct driver d = {.request = request};
	struct words words = {0};
	int status = parts_find(&d.parts, &d.arena, err);

	if (!status)
		status = words_expand(&words, request->argv, &d.arena, err);
	if (!status)
		status = line_parse(&d.line, &words, err);
	leave_out_events(&words, &d.words);
	if (!status)
		status = driver_find_events(&d, err);
	if (!status && (d.line.goal == LINE_PASS || one_output_for_many(&d.line)))
		status = pass(&d, err);
	if (!status)
		status = scratch_open("norn-cc", err);
	if (!status) {
		status = make(&d, err);
		scratch_close();
	}
	line_release(&d.line);
	words_release(&words);
	words_release(&d.words);
	words_release(&d.models);
	words_release(&d.said);
	events_release(&d.events);
	ignore_release(&d.ignore);
	arena_release(&d.arena);
	return status;
}
