/* SPDX-License-Identifier: MIT */
/*
 * Order properties: scripts in CSP_M that speak of PROGRAM, which is every feasible execution of a
 * trace (doc/model.md, Properties). Each assertion of a script is a property with a monitor.
 */
#ifndef PROPERTY_PROPERTY_H
#define PROPERTY_PROPERTY_H

#include "property/monitor.h"
#include "model/index.h"

struct property {
	const char *script; /* the path of its file */
	uint32_t number;    /* of its assertion in the script, from 0; `print` counts */
	const char *text;   /* the assertion, in one line */
	const char *file;
	unsigned line, column;
	struct monitor *monitor;
};

struct properties;

/* bytes: what all scripts together may use; 0: as much as they like. The index outlives it. */
struct properties *properties_new(const struct index *index, uint64_t bytes, struct err *err);
void properties_free(struct properties *all);

/* Reads a script and adds its assertions; wrong ones are errors with file, line and column. */
int properties_add(struct properties *all, const char *path, struct err *err);

/* The same of a text, which has that name in messages. */
int properties_add_text(struct properties *all, const char *name, const char *text, size_t size,
			struct err *err);

size_t properties_count(const struct properties *all);
const struct property *properties_at(const struct properties *all, size_t i);
/* The one of a witness; NULL: it is none of these. */
const struct property *properties_find(const struct properties *all, const char *script,
				       uint32_t number);

/* What is declared before each script. */
const char *properties_prelude(const struct properties *all);
/* What the event is called in a script, its first letter; NULL: it has no name there. */
const char *properties_event(const struct properties *all, uint32_t event);

#endif
