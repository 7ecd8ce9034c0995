/* SPDX-License-Identifier: MIT */
#include "runtime/settings.h"

#include <string.h>
#include <unistd.h>

static const char *const names[NORN_SETTINGS] = {"NORN_RECORD=", "NORN_FOLLOW="};
static char *entries[NORN_SETTINGS]; /* NAME=VALUE, where the kernel has put it */

static bool is_ours(char *entry)
{
	for (int i = 0; i < NORN_SETTINGS; i++)
		if (strncmp(entry, names[i], strlen(names[i])) == 0) {
			entries[i] = entry;
			return true;
		}
	return false;
}

/* In its place: main has the same array. */
void norn_settings_take(void)
{
	char **to = environ;
	for (char **from = environ; from && *from; from++)
		if (!is_ours(*from))
			*to++ = *from;
	if (to)
		*to = NULL;
}

const char *norn_setting(enum norn_setting which)
{
	return entries[which] ? entries[which] + strlen(names[which]) : NULL;
}

void norn_settings_add(char **to, char *const *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		*to++ = from[i];
	for (int i = 0; i < NORN_SETTINGS; i++)
		if (entries[i])
			*to++ = entries[i];
	*to = NULL;
}
