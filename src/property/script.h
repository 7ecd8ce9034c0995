/* SPDX-License-Identifier: MIT */
/* A script that was read beside a trace; for the files of this room. */
#ifndef PROPERTY_SCRIPT_H
#define PROPERTY_SCRIPT_H

#include "csp/csp.h"
#include "property/given.h"
#include "property/monitor.h"

/* States of PROGRAM: it waits; its next event is letter N, or endthreads; that was it. */
#define PROGRAM_WAITS 0
#define PROGRAM_DOES(letter) ((uint64_t)(letter) + 1)
#define PROGRAM_ENDS ((uint64_t)1 << 40)
#define PROGRAM_ENDED (PROGRAM_ENDS + 1)

struct script {
	char *path;
	struct csp *csp;
	const struct given *given;
	uint32_t *events; /* of each letter: the event of the script */
	uint32_t endthreads;
};

/* NULL and err. The script outlives it. */
struct monitor *monitor_new(struct script *script, size_t assertion, struct err *err);
void monitor_free(struct monitor *m);

#endif
