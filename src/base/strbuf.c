/* SPDX-License-Identifier: MIT */
#include "base/strbuf.h"

#include <stdarg.h>
#include <stdio.h>

void strbuf_add(struct strbuf *b, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	int length = vsnprintf(b->at + b->n, b->size - b->n, format, list);

	va_end(list);
	if (length < 0)
		return;
	b->n += (size_t)length < b->size - b->n ? (size_t)length : b->size - b->n - 1;
}
