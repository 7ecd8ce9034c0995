/* SPDX-License-Identifier: MIT */
/* The pieces of the JSON report. */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include "report/story.h"

/* The place of an event, as an object; nothing if it has none. */
void story_put_place(struct story *s, struct json *json, const char *key, uint32_t event);

/* Event, thread and place of a fork or an allocation. */
void story_put_origin(struct story *s, struct json *json, const char *key, uint32_t event);

/* `last` of a witness: its last events. */
void story_put_last(struct story *s, struct json *json, const struct witness *w,
		    const struct steps *steps);

#endif
