/* SPDX-License-Identifier: MIT */
#include "record/write/places.h"

#include <string.h>

#define TEXT_MAX 1024

void places_init(struct places *p, struct tables *sites, struct modules *modules,
		 struct symbols *symbols)
{
	*p = (struct places){.sites = sites, .modules = modules, .symbols = symbols};
	counts_init(&p->calls);
}

void places_release(struct places *p)
{
	counts_release(&p->calls);
	intern_release(&p->sync_names);
	vec_release(&p->sync_counts);
}

void places_clean(char *text)
{
	for (char *c = text; *c; c++)
		if ((unsigned char)*c <= ' ' || *c == 0x7f || *c == '#')
			*c = '_';
}

static uint32_t add(struct places *p, char *text)
{
	places_clean(text);
	return intern_add(&p->symbols->locations, text, __builtin_strlen(text));
}

uint32_t places_site(struct places *p, uint32_t site)
{
	struct site_info *info = tables_get(p->sites, site);
	char text[TEXT_MAX];

	if (!info)
		return 0;
	if (!info->asked) {
		info->asked = true;
		if (tables_location(p->sites, info, text, sizeof(text)))
			info->location = add(p, text);
	}
	return info->location;
}

uint32_t places_call(struct places *p, uint64_t pc)
{
	uint64_t known = pc ? counts_count(&p->calls, pc) : 1;
	char text[TEXT_MAX];

	if (known)
		return (uint32_t)known - 1;
	uint32_t location = modules_call(p->modules, pc, text, sizeof(text)) ? add(p, text) : 0;

	counts_add(&p->calls, pc);
	p->calls.slots[counts_find(&p->calls, pc)].count = (uint64_t)location + 1;
	return location;
}

static bool is_own(const char *text)
{
	static const char runtime[] = "norn-runtime/";

	return *text && strncmp(text, runtime, strlen(runtime)) && !modules_is_system(text);
}

/* What clang puts around a region or task of OpenMP, at the same place. */
static bool is_of_clang(const char *text)
{
	const char *function = location_split(text).function;

	return function && !strncmp(function, ".omp_", 5);
}

uint32_t places_frame(struct places *p, const char *text)
{
	char plain[TEXT_MAX];

	if (!is_own(text) || is_of_clang(text) || strlen(text) >= sizeof(plain))
		return 0;
	memcpy(plain, text, strlen(text) + 1);
	return add(p, plain);
}

uint64_t places_own_frame(struct places *p, const uint64_t *frames, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t location = places_call(p, frames[i]);

		if (location && is_own(intern_text(&p->symbols->locations, location)))
			return frames[i];
	}
	return 0;
}
