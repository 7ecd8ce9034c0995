/* SPDX-License-Identifier: MIT */
#include "compile/unhooked.h"

#include "base/input.h"
#include "base/mem.h"

#include <string.h>

bool unhooked_are_in(const char *path)
{
	static const char attribute[] = "no_sanitize";
	struct err err = {0};
	struct input *in = input_open(path, &err);
	uint64_t size = 0;

	if (!in)
		return false;
	input_seekable(in, &size);
	char *text = mem_alloc(size + 1);
	int64_t got = input_read(in, text, size, &err);
	bool found = got > 0 && memmem(text, (size_t)got, attribute, sizeof(attribute) - 1);

	mem_free(text);
	input_close(in);
	return found;
}

static bool is_one_of(const char *word, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(word, list[i]))
			return true;
	return false;
}

#define IS_ONE_OF(word, list) is_one_of(word, list, sizeof(list) / sizeof(*(list)))

const char *unhooked_language(const char *source, const char *language, bool cplusplus)
{
	static const char *const c[] = {"c", "cpp-output", ".c", ".i"};
	static const char *const cxx[] = {"c++",  "c++-cpp-output", ".cc",  ".cp", ".cxx",
					  ".cpp", ".CPP",	    ".c++", ".C",  ".ii"};
	const char *dot = strrchr(source, '.'), *word = language ? language : dot ? dot : "";

	if (IS_ONE_OF(word, cxx) || (cplusplus && !strcmp(word, ".c")))
		return "c++-cpp-output";
	return IS_ONE_OF(word, c) ? "cpp-output" : NULL;
}
