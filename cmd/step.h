/* SPDX-License-Identifier: MIT */
/* A step of norn run and norn try: another verb of this command, as a process of its own. */
#ifndef CMD_STEP_H
#define CMD_STEP_H

#include "base/err.h"
#include "base/mem.h"

#include <limits.h>

struct step {
	char self[PATH_MAX]; /* our own executable, the first of the words */
	VEC(const char *) words;
};

/* Must stay where it is until step_run. */
void step_init(struct step *s, const char *verb);
void step_add(struct step *s, const char *word);
/* NULL ends them. */
void step_add_all(struct step *s, char *const *words);
/* Nothing if the value is NULL. */
void step_add_option(struct step *s, const char *option, const char *value);
/* As spawn_wait and spawn_begin; and releases it. */
int step_run(struct step *s, struct err *err);
int step_begin(struct step *s, struct err *err);

#endif
