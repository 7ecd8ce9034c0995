/* SPDX-License-Identifier: MIT */
#include "predict/packed.h"

/* Seven bits a byte, the lowest first; the sign comes last of all, as the lowest bit. */
void packed_init(struct packed *p, const uint64_t *numbers, size_t n)
{
	VEC(unsigned char) bytes = {0};
	uint64_t last = 0;

	vec_reserve(&bytes, n + 1);
	for (size_t i = 0; i < n; i++) {
		int64_t step = (int64_t)(numbers[i] - last);
		uint64_t left = (uint64_t)step << 1 ^ (uint64_t)(step >> 63);

		for (; left >= 0x80; left >>= 7)
			vec_push(&bytes, (unsigned char)(left | 0x80));
		vec_push(&bytes, (unsigned char)left);
		last = numbers[i];
	}
	*p = (struct packed){mem_resize(bytes.at, bytes.n + 1), bytes.n, n};
}

void packed_release(struct packed *p)
{
	mem_free(p->at);
	*p = (struct packed){0};
}

void packed_read(const struct packed *p, uint64_t *numbers)
{
	const unsigned char *at = p->at;
	uint64_t last = 0;

	for (size_t i = 0; i < p->count; i++) {
		uint64_t left = 0;
		unsigned shift = 0;

		for (; *at & 0x80; shift += 7)
			left |= (uint64_t)(*at++ & 0x7f) << shift;
		left |= (uint64_t)*at++ << shift;
		last += left >> 1 ^ -(left & 1);
		numbers[i] = last;
	}
}
