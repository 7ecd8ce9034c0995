/* SPDX-License-Identifier: MIT */
#include "predict/fingerprint.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

uint64_t fingerprint_of(const char *kind, const char **texts, size_t count, bool once)
{
	uint64_t hash = XXH3_64bits(kind, strlen(kind));

	if (count)
		qsort(texts, count, sizeof(*texts), compare_texts);
	for (size_t i = 0; i < count; i++)
		if (!once || !i || strcmp(texts[i - 1], texts[i]))
			hash = XXH3_64bits_withSeed(texts[i], strlen(texts[i]), hash);
	return hash;
}
