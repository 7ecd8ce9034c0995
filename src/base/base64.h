/* SPDX-License-Identifier: MIT */
/* Bytes as text, by RFC 4648: A-Z, a-z, 0-9, + and /, padded with =. */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Characters for so many bytes. */
static inline size_t base64_length(size_t bytes)
{
	return (bytes + 2) / 3 * 4;
}

/* `to` has room for base64_length(size); no NUL is added. */
void base64_encode(const uint8_t *bytes, size_t size, char *to);

/*
 * `to` has room for length / 4 * 3 bytes, *size becomes how many there are. False if the text is
 * not what base64_encode would write.
 */
bool base64_decode(const char *text, size_t length, uint8_t *to, size_t *size);

#endif
