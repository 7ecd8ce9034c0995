/* SPDX-License-Identifier: MIT */
/*
 * The binary format, .norn (norn-trace(5)): a header, then blocks, then an index
 * and a trailer. Each block is compressed and has a checksum, so that a file cut short
 * still reads up to its last whole block. Names and declarations have blocks of their
 * own, all of which are read first: with the index, reading can start anywhere. Names of
 * variables can wait until they are asked for: these blocks then are read once more.
 */
#ifndef TRACE_BINARY_H
#define TRACE_BINARY_H

#include "trace/format.h"

int binary_probe(const char *head, size_t size);
struct source *binary_open_source(struct input *in, struct symbols *symbols, struct err *err);
struct source *binary_open_unnamed(struct input *in, struct symbols *symbols, struct err *err);
struct sink *binary_open_sink(struct output *out, const struct symbols *symbols, struct err *err);

/* Events a block, 1 … BINARY_BLOCK_MAX; for tests, before the first put. */
#define BINARY_BLOCK_MAX 65536
void binary_set_block(struct sink *s, uint32_t events);

#endif
