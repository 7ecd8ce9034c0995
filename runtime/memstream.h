/* SPDX-License-Identifier: MIT */
#ifndef RUNTIME_MEMSTREAM_H
#define RUNTIME_MEMSTREAM_H

#include <stdio.h>

struct memory;

/* Of a stream that open_memstream has made: before it is flushed or closed; NULL: it is no such
 * one. Then: behind that. */
struct memory *norn_memory_of(FILE *f);
struct memory *norn_memory_closes(FILE *f);
void norn_memory_told(const void *pc, struct memory *m);
void norn_memory_closed(const void *pc, struct memory *m);

#endif
