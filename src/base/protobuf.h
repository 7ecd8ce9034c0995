/* SPDX-License-Identifier: MIT */
/*
 * Messages of Protocol Buffers, as bytes: fields one after the other, messages in them opened and
 * closed. Whoever reads them needs the schema.
 */
#ifndef BASE_PROTOBUF_H
#define BASE_PROTOBUF_H

#include "base/mem.h"
#include "base/output.h"

#define PROTOBUF_DEPTH_MOST 8

struct protobuf {
	VEC(uint8_t) bytes;
	size_t starts[PROTOBUF_DEPTH_MOST]; /* of the messages that are open */
	unsigned depth;
};

/* uint64, int64, enum, bool; a negative one as its two's complement */
void protobuf_number(struct protobuf *p, uint32_t field, uint64_t value);
void protobuf_fixed64(struct protobuf *p, uint32_t field, uint64_t value);
/* A string: bytes that are none of UTF-8 become U+FFFD. */
void protobuf_text(struct protobuf *p, uint32_t field, const char *text);

void protobuf_open(struct protobuf *p, uint32_t field);
void protobuf_close(struct protobuf *p);

/* What is there, all of it closed, goes out; and the next message begins. */
void protobuf_flush(struct protobuf *p, struct output *out);
void protobuf_release(struct protobuf *p);

#endif
