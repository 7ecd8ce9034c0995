/* SPDX-License-Identifier: MIT */
/* What variables held when the program began: the file `image` of a recording (runtime/log.h). */
#ifndef RECORD_LOG_IMAGE_H
#define RECORD_LOG_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image {
	const char *at; /* NULL: it is not known */
	size_t size;
};

/* The bytes there, 8 at most; false: they are not known. */
bool image_find(const struct image *image, uint64_t address, unsigned size, uint64_t *value);

#endif
