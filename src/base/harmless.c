/* SPDX-License-Identifier: MIT */
#include "base/harmless.h"

#include <string.h>

/* By its first byte; 0: no character starts so, or a terminal obeys it. */
static size_t length_by_first(unsigned char first)
{
	if (first < 0x80)
		return (first >= ' ' && first != 0x7f) || first == '\t';
	if (first < 0xc2 || first > 0xf4)
		return 0;
	return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* How many bytes the character at text has, of `left`; 0: it is not harmless. */
static size_t harmless_length(const char *text, size_t left)
{
	const unsigned char *c = (const unsigned char *)text;
	size_t length = length_by_first(c[0]);

	if (length > left)
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((c[i] & 0xc0) != 0x80)
			return 0;
	return length == 2 && c[0] == 0xc2 && c[1] < 0xa0 ? 0 : length;
}

void harmless_make(char *text)
{
	size_t left = strlen(text);

	while (left) {
		size_t length = harmless_length(text, left);

		if (!length)
			*text = '?';
		text += length ? length : 1;
		left -= length ? length : 1;
	}
}

void harmless_put(struct output *out, const char *text, size_t length)
{
	while (length) {
		size_t bytes = harmless_length(text, length);

		if (bytes)
			output_bytes(out, text, bytes);
		else
			output_char(out, '?');
		text += bytes ? bytes : 1;
		length -= bytes ? bytes : 1;
	}
}
