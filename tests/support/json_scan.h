/*
 * JSON as a stream of its scalars, each with the way to it: `findings[].events[].event` and its
 * text (of a string, without the quotes; \uXXXX stays as it is). For reports that are too long to
 * keep; it takes for granted that the text is JSON, and stops where it cannot be.
 */
#ifndef SUPPORT_JSON_SCAN_H
#define SUPPORT_JSON_SCAN_H

#include <stdbool.h>
#include <stdio.h>

typedef void json_visit(void *context, const char *path, const char *text);

bool json_scan(FILE *in, json_visit *visit, void *context);

#endif
