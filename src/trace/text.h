/* SPDX-License-Identifier: MIT */
/* Norn's text format, norn-trace(5). */
#ifndef TRACE_TEXT_H
#define TRACE_TEXT_H

#include "trace/format.h"

int text_probe(const char *head, size_t size);
struct source *text_open_source(struct input *in, struct symbols *symbols, struct err *err);
struct sink *text_open_sink(struct output *out, const struct symbols *symbols, struct err *err);

/* One event as a line without its end; for `norn show` and messages too. */
void text_put_event(struct output *out, const struct symbols *symbols, const struct event *e);

/* What the syntax cannot hold: a thread named like a declaration, and, as a second
 * variable of an access, a name that reads as an annotation. */
bool text_thread_name_is_good(const char *name);
bool text_is_annotation(const char *text, size_t length);

#endif
