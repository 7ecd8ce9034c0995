/* SPDX-License-Identifier: MIT */
/* Completion scripts, one file a shell. All are made from the tables of the verbs. */
#ifndef CMD_COMPLETION_H
#define CMD_COMPLETION_H

#include "cmd/cmd.h"

void completion_bash(struct output *out);
void completion_fish(struct output *out);
void completion_zsh(struct output *out);

/* The names of all choices, with a space between; none if choices is NULL. */
void completion_choices(struct output *out, option_choices *choices);
/* The text, with a backslash before each character that stands in special. */
void completion_quote(struct output *out, const char *text, const char *special);

#endif
