/* SPDX-License-Identifier: MIT */
#include "base/base64.h"

#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_encode(const uint8_t *bytes, size_t size, char *to)
{
	for (size_t i = 0; i < size; i += 3, to += 4) {
		size_t n = size - i < 3 ? size - i : 3;
		uint32_t group = 0;

		for (size_t k = 0; k < 3; k++)
			group = group << 8 | (k < n ? bytes[i + k] : 0);
		for (size_t k = 0; k < 4; k++)
			to[k] = k <= n ? digits[group >> (18 - 6 * k) & 63] : '=';
	}
}

/* The value of each digit and 1, or 0. */
static void make_table(uint8_t table[256])
{
	memset(table, 0, 256);
	for (uint8_t i = 0; i < 64; i++)
		table[(uint8_t)digits[i]] = i + 1;
}

bool base64_decode(const char *text, size_t length, uint8_t *to, size_t *size)
{
	uint8_t table[256];
	size_t done = 0;

	if (length % 4)
		return false;
	make_table(table);
	for (size_t i = 0; i < length; i += 4) {
		bool last = i + 4 == length;
		size_t n = !last || text[i + 3] != '=' ? 3 : text[i + 2] != '=' ? 2 : 1;
		uint32_t group = 0;

		for (size_t k = 0; k < 4; k++) {
			uint8_t value = k <= n ? table[(uint8_t)text[i + k]] : 1;

			if (!value)
				return false;
			group = group << 6 | (uint32_t)(value - 1);
		}
		if (group & ((1u << 8 * (3 - n)) - 1))
			return false; /* bits that belong to no byte */
		for (size_t k = 0; k < n; k++)
			to[done++] = (uint8_t)(group >> (16 - 8 * k));
	}
	*size = done;
	return true;
}
