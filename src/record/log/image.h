/* SPDX-License-Identifier: MIT */
/*
 * What variables held when the program began, or the recording, if that was later: the file `image`
 * of a recording (runtime/log.h).
 */
#ifndef RECORD_LOG_IMAGE_H
#define RECORD_LOG_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image_piece {
	uint64_t address, size;
	const char *bytes;
};

struct image {
	const char *at; /* NULL: it is not known */
	size_t size;
	struct image_piece *pieces; /* by address, if there is an index; else NULL */
	size_t count;
};

/* Makes an index: an image of all memory has very many pieces, by address. */
void image_sort(struct image *image);
void image_release_index(struct image *image);

/* The bytes there, 8 at most; false: they are not known. */
bool image_find(const struct image *image, uint64_t address, unsigned size, uint64_t *value);

#endif
