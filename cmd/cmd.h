/* SPDX-License-Identifier: MIT */
/*
 * The verbs. Each has a file of its own with one `struct command`, and a row in
 * main.c; main parses what the table says and calls run. Only here does Norn
 * print and exit: results go to standard output, everything else to standard error.
 */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include "base/output.h"
#include "cmd/options.h"
#include "trace/models.h"
#include "trace/reader.h"

#define EXIT_USAGE 2
#define EXIT_BAD_INPUT 3
#define EXIT_FINDINGS 66
#define EXIT_NO_START 126
#define EXIT_NOT_FOUND 127

struct command {
	const char *name;
	const char *summary;	      /* for the list of verbs */
	const char *usage;	      /* what follows `norn NAME` */
	const char *details;	      /* for its help, each line with its end; NULL: none */
	const struct option *options; /* NULL: none */
	size_t options_size;	      /* of the struct that the rows fill; 0 without rows */
	const void *defaults;	      /* what that struct holds first; NULL: zeros */
	/* All words behind it are operands, also those that look like options; but for --help, and
	 * without a struct for its rows for a first --help alone. */
	bool raw;
	const struct command *takes; /* whose long options it has as well; NULL: nobody's */
	bool program; /* options end at the first operand: the rest is a command of its own */
	const char *variable; /* of the environment: options that come first; NULL: none */
	int operands_least, operands_most; /* -1: any number */
	option_choices *operands;	   /* what an operand may be; NULL: a file */
	/* Returns the exit status. operands ends with NULL. */
	int (*run)(const void *options, char **operands);
};

extern const struct command *const commands[]; /* NULL ends it */

const struct command *command_by_name(const char *name);
void command_print_help(const struct command *command, struct output *out);
void command_print_overview(struct output *out);

/* A line on standard error, "norn: " before it, control characters made harmless. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Says what is in err, and returns the exit status for it. */
int say_failure(const struct err *err);
/*
 * Says it if the trace ends early, or was mended, and returns the exit status: what is left can be
 * used, but if that is nothing (empty) the input is bad.
 */
int say_if_cut(const struct reader *r, bool empty);

/* Says it if the format cannot tell of branches and the model goes by them. */
void say_if_no_branches(const struct reader *r, enum model model);

/* Is it a file that can be opened again, and no pipe? */
bool cmd_is_file(const char *path);
/* check_reader (trace/check.h) with progress. */
int cmd_check_events(struct reader *r, uint64_t *events, struct err *err);

/* Standard output, for results. */
struct output *cmd_open_output(void);
/* Closes it; returns status, or that of a failed write. */
int cmd_close_output(struct output *out, int status);

/* Choices of options that more than one verb has. */
bool cmd_choose_model(size_t i, struct option_choice *choice);
bool cmd_choose_format(size_t i, struct option_choice *choice);

#endif
