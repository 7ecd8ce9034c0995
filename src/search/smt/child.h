/* SPDX-License-Identifier: MIT */
/*
 * Asks another program: starts it, writes a text to its input, reads what it prints. It may do
 * whatever it likes (end early, print without end, hang): there is an answer or a reason.
 */
#ifndef SEARCH_SMT_CHILD_H
#define SEARCH_SMT_CHILD_H

#include "search/engine.h"

struct child_output {
	VEC(char) text; /* with a NUL behind it */
};

/*
 * 0, and all that it printed until it closed its output; negative: why not, and it is gone.
 * The command is for the shell. Reads no more than `most` bytes.
 */
int child_ask(const char *command, const char *text, size_t length, const struct budget *budget,
	      size_t most, struct child_output *output, struct err *err);

#endif
