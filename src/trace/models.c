/* SPDX-License-Identifier: MIT */
#include "trace/models.h"

#include <string.h>

const char *const model_text[MODEL_COUNT] = {
#define MODEL_ROW(name, text, help) [name] = text,
	MODELS(MODEL_ROW)
#undef MODEL_ROW
};

const char *const model_help[MODEL_COUNT] = {
#define MODEL_ROW(name, text, help) [name] = help,
	MODELS(MODEL_ROW)
#undef MODEL_ROW
};

const char *const bug_kind_text[BUG_COUNT] = {
#define BUG_ROW(name, text, ...) [name] = text,
	BUG_KINDS(BUG_ROW)
#undef BUG_ROW
};

const struct bug_facts bug_facts[BUG_COUNT] = {
#define BUG_ROW(name, text, ...) [name] = {__VA_ARGS__},
	BUG_KINDS(BUG_ROW)
#undef BUG_ROW
};

int model_by_name(const char *name)
{
	for (int m = 0; m < MODEL_COUNT; m++)
		if (!strcmp(name, model_text[m]))
			return m;
	return -1;
}
