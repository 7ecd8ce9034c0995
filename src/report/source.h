/* SPDX-License-Identifier: MIT */
/*
 * Lines of source files around the places of findings. Names of files come from strangers: only
 * regular files are read that are called as sources of C or C++ are.
 */
#ifndef REPORT_SOURCE_H
#define REPORT_SOURCE_H

#include "base/intern.h"
#include "base/output.h"

typedef VEC(uint32_t) source_lines;

struct sources {
	struct intern files;
	VEC(source_lines) lines; /* of each file, those wanted, in any order */
	uint64_t wanted;
};

/* So many lines before and behind it, too. Nothing if file is "" or the line 0. */
void sources_want(struct sources *s, const char *file, uint64_t line, uint64_t around);
/* The member `files`: for each file that is there its lines by their numbers. */
void sources_put(struct sources *s, struct json *json);
void sources_release(struct sources *s);

#endif
