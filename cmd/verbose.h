/* SPDX-License-Identifier: MIT */
/* norn predict --verbose: a line on standard error for each candidate. */
#ifndef CMD_VERBOSE_H
#define CMD_VERBOSE_H

#include "predict/search.h"

void verbose_tell(enum bug_kind bug, const struct search_result *r);

#endif
