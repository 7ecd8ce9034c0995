/* SPDX-License-Identifier: MIT */
/*
 * Text from a stranger, on its way to a terminal: control characters other than tabs become '?',
 * those beyond ASCII (C1, which some terminals obey) too, and bytes that are not UTF-8.
 */
#ifndef BASE_HARMLESS_H
#define BASE_HARMLESS_H

#include "base/output.h"

/* In place; no byte more or less. */
void harmless_make(char *text);
void harmless_put(struct output *out, const char *text, size_t length);

#endif
