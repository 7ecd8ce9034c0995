/* SPDX-License-Identifier: MIT */
#include "record/log/image.h"

#include "base/mem.h"
#include "base/sorted.h"
#include "runtime/log.h"

#include <stdlib.h>
#include <string.h>

/* The piece behind *at; false: there is none, or it was cut. */
static bool next_piece(const struct image *image, size_t *at, struct image_piece *piece)
{
	struct log_image head;

	if (*at > image->size || image->size - *at < sizeof(head))
		return false;
	memcpy(&head, image->at + *at, sizeof(head));
	*at += sizeof(head);
	if (head.size > image->size - *at)
		return false;
	*piece = (struct image_piece){head.address, head.size, image->at + *at};
	*at += head.size + (-head.size & 7);
	return true;
}

static bool take_from(const struct image_piece *p, uint64_t address, unsigned size, uint64_t *value)
{
	if (address < p->address || address - p->address > p->size ||
	    size > p->size - (address - p->address))
		return false;
	*value = 0;
	memcpy(value, p->bytes + (address - p->address), size);
	return true;
}

bool image_find(const struct image *image, uint64_t address, unsigned size, uint64_t *value)
{
	struct image_piece piece;

	if (image->pieces) {
		size_t i = LOWER_BOUND(k, (size_t)0, image->count,
				       image->pieces[k].address <= address);

		return i && take_from(&image->pieces[i - 1], address, size, value);
	}
	for (size_t at = 0; next_piece(image, &at, &piece);)
		if (take_from(&piece, address, size, value))
			return true;
	return false;
}

static int compare_pieces(const void *a, const void *b)
{
	const struct image_piece *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

void image_sort(struct image *image)
{
	VEC(struct image_piece) pieces = {0};
	struct image_piece piece;

	for (size_t at = 0; next_piece(image, &at, &piece);)
		vec_push(&pieces, piece);
	if (pieces.n)
		qsort(pieces.at, pieces.n, sizeof(*pieces.at), compare_pieces);
	image->pieces = pieces.at;
	image->count = pieces.n;
}

void image_release_index(struct image *image)
{
	mem_free(image->pieces);
	image->pieces = NULL;
}
