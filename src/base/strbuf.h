/* SPDX-License-Identifier: MIT */
/*
 * A text made piece by piece in memory of a fixed size, for messages: what does not fit is cut off.
 *
 *	char names[100];
 *	struct strbuf list = STRBUF(names);
 *	strbuf_add(&list, "%s, %s", a, b);
 */
#ifndef BASE_STRBUF_H
#define BASE_STRBUF_H

#include <stddef.h>

struct strbuf {
	char *at; /* always ends with a NUL */
	size_t size, n;
};

/* Of an array; empty. */
#define STRBUF(array) strbuf_of(array, sizeof(array))

static inline struct strbuf strbuf_of(char *at, size_t size)
{
	*at = '\0';
	return (struct strbuf){at, size, 0};
}

void strbuf_add(struct strbuf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
