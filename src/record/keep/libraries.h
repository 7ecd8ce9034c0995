/* SPDX-License-Identifier: MIT */
/*
 * What the modules of a run may do that is code without hooks (doc/recording.md): order threads by
 * themselves, keep what they were given, or reach any global of the program. It is seen in their
 * ELF files. The C and C++ libraries are known function by function and do none of these.
 */
#ifndef RECORD_KEEP_LIBRARIES_H
#define RECORD_KEEP_LIBRARIES_H

#include "record/log/modules.h"

#define LIBRARY_GROUPS 64
#define LIBRARY_NONE UINT32_MAX

struct library {
	bool orders;	 /* it, or what it needs, has atomic instructions or makes system calls */
	bool keeps;	 /* it has memory of its own, in which a pointer may stay */
	bool globals;	 /* it can name globals of the program, which nobody gives it */
	bool anything;	 /* nothing is known of it */
	uint64_t groups; /* bits: modules that do not need each other have none in common */
};

struct libraries;

/*
 * What loads libraries may call them, though it does not need them. Where the program has hooks,
 * that is the program. A host has none: so all that is loaded without hooks is as one library
 * there; and if not all that it has loaded is listed, nothing is known of it.
 */
enum libraries_host { LIBRARIES_PROGRAM, LIBRARIES_LISTED, LIBRARIES_UNKNOWN };

/* scanner: the program norn-instrument; NULL: whatever is not known may order. */
struct libraries *libraries_new(struct modules *modules, const char *scanner,
				enum libraries_host host);
void libraries_free(struct libraries *l);

/* The number of the one that the function is of; LIBRARY_NONE if there is none. */
uint32_t libraries_at(struct libraries *l, uint64_t function);
/* Of LIBRARY_NONE, the worst. */
const struct library *libraries_get(const struct libraries *l, uint32_t number);
size_t libraries_count(const struct libraries *l);
/* Is this address in a module that has hooks? */
bool libraries_is_program(const struct libraries *l, uint64_t address);

#endif
