/* SPDX-License-Identifier: MIT */
#include "base/protobuf.h"

#include "base/err.h"

#include <string.h>

enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };

#define VARINT_MOST 10 /* bytes */

/* Seven bits a byte, the lowest first; the top bit says that there are more. */
static size_t encode_varint(uint64_t value, uint8_t *bytes)
{
	size_t n = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[n++] = (uint8_t)(value | 0x80);
	bytes[n++] = (uint8_t)value;
	return n;
}

static void put_bytes(struct protobuf *p, const void *bytes, size_t n)
{
	vec_reserve(&p->bytes, p->bytes.n + n);
	memcpy(p->bytes.at + p->bytes.n, bytes, n);
	p->bytes.n += n;
}

static void put_varint(struct protobuf *p, uint64_t value)
{
	uint8_t bytes[VARINT_MOST];

	put_bytes(p, bytes, encode_varint(value, bytes));
}

static void put_tag(struct protobuf *p, uint32_t field, enum wire_type type)
{
	put_varint(p, (uint64_t)field << 3 | type);
}

void protobuf_number(struct protobuf *p, uint32_t field, uint64_t value)
{
	put_tag(p, field, WIRE_VARINT);
	put_varint(p, value);
}

void protobuf_fixed64(struct protobuf *p, uint32_t field, uint64_t value)
{
	put_tag(p, field, WIRE_FIXED64);
	for (int i = 0; i < 8; i++, value >>= 8)
		vec_push(&p->bytes, (uint8_t)value);
}

void protobuf_text(struct protobuf *p, uint32_t field, const char *text)
{
	protobuf_open(p, field);
	while (*text) {
		size_t length = utf8_length((const unsigned char *)text);

		put_bytes(p, length ? text : "\xef\xbf\xbd", length ? length : 3);
		text += length ? length : 1;
	}
	protobuf_close(p);
}

void protobuf_open(struct protobuf *p, uint32_t field)
{
	ASSERT(p->depth < PROTOBUF_DEPTH_MOST);
	put_tag(p, field, WIRE_BYTES);
	p->starts[p->depth++] = p->bytes.n;
}

/* Its length comes before it, in as many bytes as that needs. */
void protobuf_close(struct protobuf *p)
{
	ASSERT(p->depth);
	size_t start = p->starts[--p->depth], length = p->bytes.n - start;
	uint8_t bytes[VARINT_MOST];
	size_t n = encode_varint(length, bytes);

	put_bytes(p, bytes, n);
	memmove(p->bytes.at + start + n, p->bytes.at + start, length);
	memcpy(p->bytes.at + start, bytes, n);
}

void protobuf_flush(struct protobuf *p, struct output *out)
{
	ASSERT(!p->depth);
	output_bytes(out, p->bytes.at, p->bytes.n);
	p->bytes.n = 0;
}

void protobuf_release(struct protobuf *p)
{
	vec_release(&p->bytes);
}
