/* SPDX-License-Identifier: MIT */
/* What is missing in a recording, and why, in words: as its trace says it, `stopped-by`. */
#ifndef RECORD_STOPS_H
#define RECORD_STOPS_H

#include "runtime/log.h"

#include <stdbool.h>
#include <stddef.h>

#define STOPS_TEXT 512

struct stops {
	char text[LOG_STOP_COUNT][STOPS_TEXT];
	size_t n;
};

/* damaged: what was logged does not fit together, and nothing else explains it. */
void stops_find(struct stops *s, const struct log_run *run, bool damaged);

#endif
