/* SPDX-License-Identifier: MIT */
#include "record/keep/reached.h"

#define NEVER UINT64_MAX

void reached_init(struct reached *r)
{
	*r = (struct reached){.anything = NEVER};
}

void reached_release(struct reached *r)
{
	mem_free(r->at.at);
}

/* Keys may be 0. */
static uint64_t place_of(uint64_t key)
{
	return key + 1;
}

bool reached_note(struct reached *r, uint64_t key, uint32_t thread, uint64_t time)
{
	struct reached_object *o = keyed_slot(&r->at, place_of(key));

	if (!o->key) {
		*o = (struct reached_object){place_of(key), time, NEVER, thread};
		if (thread == REACHED_BY_ALL)
			o->others = time;
		r->at.n++;
		return true;
	}
	if (o->thread == thread || o->others != NEVER)
		return false;
	o->others = time;
	return true;
}

void reached_note_anything(struct reached *r, uint64_t time)
{
	if (r->anything == NEVER)
		r->anything = time;
}

bool reached_note_as(struct reached *r, uint64_t key, uint64_t other, uint64_t time)
{
	const struct reached_object *o = keyed_find(&r->at, place_of(other));

	if (!o)
		return false;
	return reached_note(r, key, o->others == NEVER ? o->thread : REACHED_BY_ALL, time);
}

bool reached_is(const struct reached *r, uint64_t key)
{
	return keyed_find(&r->at, place_of(key));
}

enum reached_by reached_by(const struct reached *r, uint64_t key, uint32_t thread, uint64_t time)
{
	const struct reached_object *o = keyed_find(&r->at, place_of(key));

	if (r->anything <= time)
		return REACHED_BY_OTHERS;
	if (!o || o->time > time)
		return REACHED_BY_NOBODY;
	return o->thread == thread && o->others > time ? REACHED_BY_ITSELF : REACHED_BY_OTHERS;
}
