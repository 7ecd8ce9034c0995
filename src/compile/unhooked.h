/* SPDX-License-Identifier: MIT */
/* Functions that are to have no hooks: __attribute__((no_sanitize("thread"))) and its like. */
#ifndef COMPILE_UNHOOKED_H
#define COMPILE_UNHOOKED_H

#include "compile/words.h"

#include <stdbool.h>

/* Whether a preprocessed source may have such. */
bool unhooked_are_in(const char *path);
/* What clang calls preprocessed text of this source; NULL: another language than C and C++. */
const char *unhooked_language(const char *source, const char *language, bool cplusplus);

#endif
