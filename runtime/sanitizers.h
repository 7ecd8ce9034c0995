/* SPDX-License-Identifier: MIT */
/* Sanitizers that are libraries of their own: programs with one refuse to start if another library
 * is loaded before it. Shared with norn record. */
#ifndef RUNTIME_SANITIZERS_H
#define RUNTIME_SANITIZERS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Whether a program with these bytes needs one. */
static inline bool norn_names_sanitizer(const void *at, size_t size)
{
	static const char *const names[] = {"libasan.so", "libtsan.so", "libhwasan.so"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (memmem(at, size, names[i], strlen(names[i])))
			return true;
	return false;
}

#endif
