/* SPDX-License-Identifier: MIT */
#include "model/sites.h"

struct site_key {
	uint32_t location, thread, object, kind;
};

static struct site_key key_of(const struct event *e)
{
	if (e->location)
		return (struct site_key){.location = e->location};
	return (struct site_key){0, e->thread, e->object, e->kind};
}

void sites_release(struct sites *s)
{
	intern_release(&s->keys);
	vec_release(&s->of_location);
}

uint32_t sites_add(struct sites *s, const struct event *e)
{
	struct site_key key = key_of(e);

	if (!e->location)
		return intern_add(&s->keys, (const char *)&key, sizeof(key));
	vec_extend(&s->of_location, (size_t)e->location + 1);
	uint32_t *site = &s->of_location.at[e->location];

	if (!*site)
		*site = intern_add(&s->keys, (const char *)&key, sizeof(key)) + 1;
	return *site - 1;
}

uint32_t sites_find(const struct sites *s, const struct event *e)
{
	struct site_key key = key_of(e);

	if (!e->location)
		return intern_find(&s->keys, (const char *)&key, sizeof(key));
	if (e->location >= s->of_location.n || !s->of_location.at[e->location])
		return SITE_NONE;
	return s->of_location.at[e->location] - 1;
}
