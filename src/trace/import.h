/* SPDX-License-Identifier: MIT */
/* Traces of other tools; each format is described at the head of its file. */
#ifndef TRACE_IMPORT_H
#define TRACE_IMPORT_H

#include "trace/format.h"

int std_probe(const char *head, size_t size);
struct source *std_open_source(struct input *in, struct symbols *symbols, struct err *err);
struct sink *std_open_sink(struct output *out, const struct symbols *symbols, struct err *err);

int rapid_csv_probe(const char *head, size_t size);
struct source *rapid_csv_open_source(struct input *in, struct symbols *symbols, struct err *err);

int roadrunner_probe(const char *head, size_t size);
struct source *roadrunner_open_source(struct input *in, struct symbols *symbols, struct err *err);

int focs_probe(const char *head, size_t size);
struct source *focs_open_source(struct input *in, struct symbols *symbols, struct err *err);

#endif
