/* SPDX-License-Identifier: MIT */
/* What there is to say of a variable that a race is on, beyond its name. */
#include "report/story.h"

#include <stdio.h>
#include <string.h>

/* Memory of libc that several of its functions share. */
static const struct {
	const char *name, *advice;
} shared[] = {
	{"_tmbuf", "is the static buffer of gmtime(), localtime() and ctime(), which all threads "
		   "share; gmtime_r() and localtime_r() take one of the caller's"},
};

/* The variable that it is, or is a part of. */
static bool is_in(const char *name, const char *whole)
{
	size_t n = strlen(whole);

	return !strncmp(name, whole, n) && (!name[n] || strchr(".+[~", name[n]));
}

static bool is_volatile(const struct symbols *symbols, const char *name)
{
	const char *told;

	for (size_t i = 0; (told = symbols_meta(symbols, META_VOLATILE, i)); i++)
		if (!strcmp(told, name))
			return true;
	return false;
}

const char *story_advice(struct story *s, uint32_t variable)
{
	const char *name = symbols_name(s->symbols, CLASS_VARIABLE, variable), *advice = NULL;

	for (size_t i = 0; i < sizeof(shared) / sizeof(*shared) && !advice; i++)
		if (is_in(name, shared[i].name))
			advice = shared[i].advice;
	if (!advice && is_volatile(s->symbols, name))
		advice = "is volatile, which does not order threads in C and C++; atomics and "
			 "locks do";
	if (!advice)
		return NULL;
	size_t room = strlen(name) + strlen(advice) + 2;
	char *text = arena_alloc(&s->text, room);

	snprintf(text, room, "%s %s", name, advice);
	return text;
}
