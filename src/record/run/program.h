/* SPDX-License-Identifier: MIT */
/* What is recorded, before it runs: whether it has the runtime, and what can be done if not. */
#ifndef RECORD_RUN_PROGRAM_H
#define RECORD_RUN_PROGRAM_H

#include <stdbool.h>

/* Whether it was linked by norn cc. A script that runs such a program was not. */
bool program_has_runtime(const char *program);
/*
 * Why the runtime cannot be loaded into a program that has none, which then runs without it; NULL:
 * it can be, or the file is no program.
 */
const char *program_refuses_runtime(const char *program);
/* In the environment: programs that are executed load the runtime before all other libraries. */
void program_preload(void);

#endif
