/* SPDX-License-Identifier: MIT */
/*
 * What threads can do if values, branches and memory do not matter: by how far each of them is, in
 * the plainest way. For traces whose events say at most one thing, without scopes.
 */
#ifndef SUPPORT_NAIVE_PROGRAM_H
#define SUPPORT_NAIVE_PROGRAM_H

#include "property/property.h"

struct naive_program {
	char *script;  /* S0 is the process; to be freed */
	bool deadlock; /* some state cannot go on, and not all threads are through */
	uint32_t states;
};

/* False: there are more than `most` states. */
bool naive_program(const struct index *index, const struct properties *names, uint32_t most,
		   struct naive_program *result);

#endif
