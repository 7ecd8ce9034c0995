/* SPDX-License-Identifier: MIT */
#include "base/tune.h"

#include "base/near.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct tune *find(const struct tune_table *const *tables, struct near *near)
{
	for (; *tables; tables++)
		for (size_t i = 0; i < (*tables)->n; i++) {
			if (!strcmp((*tables)->at[i].name, near->word))
				return &(*tables)->at[i];
			near_try(near, (*tables)->at[i].name);
		}
	return NULL;
}

static int set_value(const struct tune *t, const char *text, struct err *err)
{
	char *end;

	errno = 0;
	unsigned long long value = strtoull(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || errno || value < t->least || value > t->most)
		return err_set(err, ERR_USAGE,
			       "--tune: %s is a number from %u to %u, not \"%.60s\"", t->name,
			       t->least, t->most, text);
	*t->value = (uint32_t)value;
	return 0;
}

int tune_set(const struct tune_table *const *tables, const char *text, struct err *err)
{
	size_t length = strcspn(text, "=");
	char name[64];
	struct near near = {.word = name};

	if (!text[length] || !length || length >= sizeof(name))
		return err_set(err, ERR_USAGE, "--tune: \"%.60s\" is not NAME=VALUE", text);
	memcpy(name, text, length);
	name[length] = '\0';
	const struct tune *t = find(tables, &near);

	if (t)
		return set_value(t, text + length + 1, err);
	if (near.best)
		return err_set(err, ERR_USAGE, "--tune: no \"%s\"; did you mean %s?", name,
			       near.best);
	return err_set(err, ERR_USAGE, "--tune: no \"%s\"; norn-predict(1) lists what there is",
		       name);
}
