/* SPDX-License-Identifier: MIT */
/* Lines of the program's source, as far as its files are there. */
#ifndef TRACE_SOURCE_H
#define TRACE_SOURCE_H

#include "trace/symbols.h"

/*
 * The line at that location, without blanks around it, cut if there is no room. "" if the file is
 * not there, is not a regular one, or has no such line: names of files come from strangers.
 */
void source_line(const struct location *l, char *text, size_t room);

#endif
