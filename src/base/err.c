/* SPDX-License-Identifier: MIT */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int err_set(struct err *err, int code, const char *format, ...)
{
	va_list args;

	err->code = code;
	va_start(args, format);
	vsnprintf(err->message, sizeof(err->message), format, args);
	va_end(args);
	return code;
}

int err_exit_status(int code)
{
	switch (code) {
	case ERR_OK: return 0;
#define ERR_ROW(name, number, exit_code) \
	case name: return exit_code;
		ERR_CODES(ERR_ROW)
#undef ERR_ROW
	}
	return EXIT_INTERNAL;
}

void bug_stop(const char *file, int line, const char *what)
{
	fflush(stdout);
	fprintf(stderr, "norn: internal error at %s:%d: %s\n", file, line, what);
	exit(EXIT_INTERNAL);
}
