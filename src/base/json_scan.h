/* SPDX-License-Identifier: MIT */
/*
 * JSON as a stream of its scalars, each with the way to it: `findings[].events[].event` and its
 * text (of a string, without the quotes, in UTF-8). For reports that are too long to keep. It stops
 * where the text cannot be JSON, or goes too deep, and returns false; it does not look behind the
 * value. Texts and paths of more than 4 KB are cut or refused.
 */
#ifndef BASE_JSON_SCAN_H
#define BASE_JSON_SCAN_H

#include <stdbool.h>
#include <stdio.h>

typedef void json_visit(void *context, const char *path, const char *text);

bool json_scan(FILE *in, json_visit *visit, void *context);

#endif
