/* SPDX-License-Identifier: MIT */
/*
 * Options in a variable of the environment: those of a table, without dashes, with blanks or colons
 * between them: "output=/tmp/traces/%e.%p.norn:follow". What has such characters stands in quotes,
 * single or double ones.
 */
#ifndef CMD_VARIABLE_H
#define CMD_VARIABLE_H

#include "cmd/options.h"

struct from_variable {
	struct arena text;
};

/* 0, or ERR_USAGE. The target may point into the variable's words: release it last. */
int variable_parse(struct from_variable *v, const char *name, const struct option *table,
		   void *target, struct err *err);
void variable_release(struct from_variable *v);

#endif
