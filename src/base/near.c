/* SPDX-License-Identifier: MIT */
#include "base/near.h"

#include <string.h>

#define LONGEST 40

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Characters to insert, drop, replace or swap with their neighbour to get from a to b. */
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
	size_t row[LONGEST + 1][LONGEST + 1];

	for (size_t i = 0; i <= a_length; i++) {
		for (size_t j = 0; j <= b_length; j++) {
			if (!i || !j) {
				row[i][j] = i + j;
				continue;
			}
			size_t best = row[i - 1][j - 1] + (a[i - 1] != b[j - 1]);

			best = least(best, least(row[i - 1][j], row[i][j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				best = least(best, row[i - 2][j - 2] + 1);
			row[i][j] = best;
		}
	}
	return row[a_length][b_length];
}

void near_try(struct near *near, const char *candidate)
{
	size_t a = strlen(near->word), b = strlen(candidate);

	if (!a || a > LONGEST || b > LONGEST)
		return;
	/* an abbreviation is near however much is missing */
	size_t distance = a < b && !strncmp(near->word, candidate, a)
				  ? 1
				  : edit_distance(near->word, a, candidate, b);

	if (distance > b / 3 + (b < 3) || (near->best && distance >= near->distance))
		return;
	near->best = candidate;
	near->distance = distance;
}
