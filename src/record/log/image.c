/* SPDX-License-Identifier: MIT */
#include "record/log/image.h"

#include "runtime/log.h"

#include <string.h>

bool image_find(const struct image *image, uint64_t address, unsigned size, uint64_t *value)
{
	struct log_image head;

	for (size_t at = 0; image->size - at >= sizeof(head);) {
		memcpy(&head, image->at + at, sizeof(head));
		at += sizeof(head);
		if (head.size > image->size - at)
			return false; /* it was cut */
		if (address >= head.address && address - head.address <= head.size &&
		    size <= head.size - (address - head.address)) {
			*value = 0;
			memcpy(value, image->at + at + (address - head.address), size);
			return true;
		}
		at += head.size + (-head.size & 7);
		if (at > image->size)
			return false;
	}
	return false;
}
