/* SPDX-License-Identifier: MIT */
/*
 * Options as tables. One row says everything about an option; the same rows
 * parse the command line, print the help and make the completion script, so
 * that these three cannot disagree. A row's value goes into the verb's own
 * struct, at `offset`; what the struct holds before is the default.
 *
 * `--name=V`, `--name V`, `-n V` and `-nV` mean the same; `--` ends the options;
 * options and operands may be mixed. Each verb also knows --help and -h.
 */
#ifndef CMD_OPTIONS_H
#define CMD_OPTIONS_H

#include "base/err.h"
#include "base/mem.h"
#include "base/output.h"

enum option_kind {
	OPTION_FLAG,	/* bool */
	OPTION_STRING,	/* const char * */
	OPTION_LIST,	/* struct option_list: may be repeated; with choices, each may be "a,b" */
	OPTION_COUNT,	/* uint64_t; k, M, G behind it are powers of 1000 */
	OPTION_SIZE,	/* uint64_t, bytes; k, M, G are powers of 1024 */
	OPTION_SECONDS, /* uint64_t, in thousandths; 2 or 0.25 */
	OPTION_CHOICE,	/* int: the number of the chosen row */
};

struct option_list {
	const char **at;
	size_t n, capacity;
};

struct option_choice {
	const char *name, *help;
};
/* Fills in choice i; false if there are not so many. */
typedef bool option_choices(size_t i, struct option_choice *choice);

struct option {
	const char *name;     /* without the dashes; NULL ends a table */
	char letter;	      /* 0: none */
	const char *argument; /* what the help calls it; NULL for flags */
	const char *help;
	enum option_kind kind;
	size_t offset;
	uint64_t least, most; /* of numbers; most 0: any */
	option_choices *choices;
	bool hidden; /* from the help: for experiments, and in the manual alone */
};

/*
 * Fills target and leaves the operands alone in args, NULL behind them. Returns how many
 * there are, or ERR_USAGE. args ends with NULL.
 */
int options_parse(const struct option *table, void *target, char **args, struct err *err);
/* Frees what options_parse put into target. */
void options_release(const struct option *table, void *target);

/* How many words there are before the first operand, with a `--`. */
size_t options_count(const struct option *table, char *const *args);

/* How many words the first of them takes, as a long option with its argument: 0 if it is none. */
size_t options_words(const struct option *table, char *const *args);

/* Do these ask for the help? */
bool options_want_help(char *const *args);
/* taken: options of another table, without their letters; or NULL. */
void options_print_help(const struct option *table, const struct option *taken, struct output *out);

#endif
