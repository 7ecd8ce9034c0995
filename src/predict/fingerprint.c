/* SPDX-License-Identifier: MIT */
#include "predict/fingerprint.h"

#include "trace/symbols.h"

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

/* The number of characters of an address or a number behind one of these signs, or 0. */
static size_t number_at(const char *at)
{
	if (!strncmp(at, "0x", 2))
		return 2 + strspn(at + 2, "0123456789abcdef");
	return strchr(":~+[", *at) && strspn(at + 1, "0123456789")
		       ? 1 + strspn(at + 1, "0123456789")
		       : 0;
}

/* `heap:/home/a/b.c:31~2+8` is `b.c`, `a[3]` is `a]`: names are compared, not read. */
static char *put_object(char *to, const char *object)
{
	if (!strncmp(object, "heap:", 5))
		object = strrchr(object, '/') ? strrchr(object, '/') + 1 : object + 5;
	while (*object) {
		size_t number = number_at(object);

		if (!number)
			*to++ = *object++;
		object += number;
	}
	return to;
}

const char *fingerprint_likeness(struct arena *arena, const char *location, const char *op,
				 const char *object)
{
	struct location l = location_split(location ? location : "");
	const char *function = l.function ? l.function : "";
	size_t directory = l.file_length;

	while (directory && l.file[directory - 1] != '/')
		directory--;
	size_t file = l.file_length - directory;
	char *text = arena_alloc(arena, file + strlen(function) + strlen(op) +
						(object ? strlen(object) : 0) + 4);
	char *to = mempcpy(text, l.file + directory, file);

	*to++ = '\n';
	to = stpcpy(to, function);
	*to++ = '\n';
	to = stpcpy(to, op);
	*to++ = '\n';
	to = object ? put_object(to, object) : to;
	*to = '\0';
	return text;
}
