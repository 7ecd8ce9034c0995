/* SPDX-License-Identifier: MIT */
/* What variables held when the program began. */
#include "record/log/image.h"
#include "runtime/log.h"
#include "tests/support/tap.h"

#include <string.h>

static const struct {
	struct log_image first;
	char a[8]; /* 5 of them count */
	struct log_image second;
	char b[8];
} file = {{1000, 5}, "abcde", {2000, 8}, "ABCDEFGH"};

static const struct image image = {.at = (const char *)&file, .size = sizeof(file)};

TAP_CASE(bytes_are_found)
{
	uint64_t value;

	ASSERT_EQ(image_find(&image, 1001, 2, &value), true);
	ASSERT_EQ(value, 'b' | 'c' << 8);
	ASSERT_EQ(image_find(&image, 1004, 1, &value), true);
	ASSERT_EQ(value, 'e');
	ASSERT_EQ(image_find(&image, 2000, 8, &value), true);
	ASSERT_EQ(!memcmp(&value, "ABCDEFGH", 8), true);
}

TAP_CASE(what_is_not_there_is_not_known)
{
	const struct image none = {0}, cut = {.at = image.at, .size = image.size - 1};
	uint64_t value;

	ASSERT_EQ(image_find(&image, 999, 1, &value), false);
	ASSERT_EQ(image_find(&image, 1004, 2, &value), false);
	ASSERT_EQ(image_find(&image, 1005, 1, &value), false);
	ASSERT_EQ(image_find(&image, 2004, 8, &value), false);
	ASSERT_EQ(image_find(&none, 1000, 1, &value), false);
	ASSERT_EQ(image_find(&cut, 2000, 1, &value), false);
	ASSERT_EQ(image_find(&cut, 1000, 1, &value), true);
}

TAP_CASE(an_index_finds_the_same)
{
	static const struct {
		struct log_image first;
		char a[8];
		struct log_image second;
		char b[8];
	} backwards = {{2000, 8}, "ABCDEFGH", {1000, 5}, "abcde"};
	struct image sorted = {.at = (const char *)&backwards, .size = sizeof(backwards)};
	uint64_t value, other;

	image_sort(&sorted);
	ASSERT_EQ(sorted.count, 2);
	for (uint64_t at = 990; at < 2020; at++)
		for (unsigned size = 1; size <= 8; size++) {
			bool found = image_find(&image, at, size, &value);

			ASSERT_EQ(image_find(&sorted, at, size, &other), found);
			if (found)
				ASSERT_EQ(other, value);
		}
	image_release_index(&sorted);
}
