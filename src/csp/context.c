/* SPDX-License-Identifier: MIT */
/* Counted memory, and the way out. */
#include "csp/context.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

void csp_charge(struct csp *csp, uint64_t bytes)
{
	csp->bytes += bytes;
	if (csp->limits.bytes && csp->bytes > csp->limits.bytes)
		csp_give_up(csp, "more than %llu MB of memory are needed (--max-memory)",
			    (unsigned long long)(csp->limits.bytes >> 20));
}

void *csp_alloc(struct csp *csp, size_t size)
{
	csp_charge(csp, size + 8);
	return memset(arena_alloc(&csp->arena, size), 0, size);
}

void *csp_copy(struct csp *csp, const void *data, size_t size)
{
	void *to = csp_alloc(csp, size);

	return size ? memcpy(to, data, size) : to;
}

void *csp_grown(struct csp *csp, void *at, size_t n, size_t *capacity, size_t item)
{
	if (n < *capacity)
		return at;
	*capacity = n ? 2 * n : 4;
	void *more = csp_alloc(csp, *capacity * item);

	return n ? memcpy(more, at, n * item) : more;
}

const char *csp_text(struct csp *csp, const char *format, ...)
{
	char text[600];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return csp_copy(csp, text, strlen(text) + 1);
}

void csp_fail(struct csp *csp, struct csp_pos pos, const char *format, ...)
{
	char text[500];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (pos.line)
		err_set(csp->err, ERR_INPUT, "%s:%u:%u: %s", csp->files.at[pos.file].name, pos.line,
			pos.column, text);
	else
		err_set(csp->err, ERR_INPUT, "%s", text);
	longjmp(*csp->way_out, 1);
}

void csp_give_up(struct csp *csp, const char *format, ...)
{
	char text[500];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	err_set(csp->err, ERR_LIMIT, "%s", text);
	longjmp(*csp->way_out, 1);
}

void csp_set_stack(struct csp *csp, const char *here)
{
	struct rlimit limit;

	csp->stack = here;
	csp->stack_most = (size_t)6 << 20;
	if (!getrlimit(RLIMIT_STACK, &limit) && limit.rlim_cur != RLIM_INFINITY)
		csp->stack_most = limit.rlim_cur / 4 * 3;
}

void csp_check_depth(struct csp *csp, struct csp_pos pos)
{
	const char *here = __builtin_frame_address(0);

	if ((size_t)(csp->stack - here) > csp->stack_most)
		csp_fail(csp, pos, "this is nested, or calls itself, too deeply");
}
