/* SPDX-License-Identifier: MIT */
/*
 * The sites of a recording (runtime/sites.h): where in the source each hook is, and what its event
 * depends on. Tables are checked as they are read; a site that no table has is unknown.
 */
#ifndef RECORD_LOG_TABLES_H
#define RECORD_LOG_TABLES_H

#include "base/err.h"
#include "base/intern.h"
#include "runtime/sites.h"
#include "trace/expr_build.h"

/* Values of a switch that go one way. */
struct site_way {
	uint64_t low, high;
	uint32_t way; /* in site_info.ways */
};

struct site_info {
	const struct site *site; /* NULL: unknown */
	uint32_t table;
	uint32_t location; /* in symbols, once asked for */
	bool asked, parsed;
	const struct expr *template; /* OP_READ's value: 0, 1, 2, or SITE_ITSELF; NULL: none */
	/* SITE_SWITCH, once asked for: values in ascending order; when each way is taken, once
	 * asked for, the default one first */
	const struct site_way *values;
	uint32_t value_count;
	const struct expr **ways;
	const struct expr *negation; /* SITE_BRANCH, once asked for */
	const struct expr *load;     /* SITE_READ, once asked for */
};

#define SITE_ITSELF 3

/* A constant that a template looks into; how many loads lead from there to others. */
struct site_constant {
	uint64_t address, size;
	unsigned beyond;
};

struct tables {
	char *data;
	const struct constants *constants; /* for the loads */
	VEC(const char *) texts;	   /* by table */
	VEC(uint32_t) text_sizes;
	VEC(const char *) directories;
	VEC(const struct site_address *) addresses;
	VEC(uint32_t) address_counts;
	VEC(struct site_constant) wanted; /* those of templates that were parsed: the caller's */
	VEC(struct site_info) at;	  /* by number */
	struct intern defined, called;
	struct arena memory;
	struct expr_builder exprs;
	uint32_t bad_templates;
};

/* Takes data. Tables behind one that makes no sense are not read. */
void tables_init(struct tables *s, char *data, size_t size, const struct constants *constants);
void tables_release(struct tables *s);

/* A string of the site's table. */
const char *tables_text(const struct tables *s, const struct site_info *info, uint32_t offset);
/* FILE:LINE:COLUMN:FUNCTION as far as it is known, in text; false if nothing is. */
bool tables_location(const struct tables *s, const struct site_info *info, char *text, size_t room);
/* Where the function of the site was inlined, the innermost first; see modules_frames. */
void tables_callers(const struct tables *s, uint32_t number,
		    bool (*frame)(void *context, const char *text), void *context);
/* The expression of the site, parsed; NULL if it has none. */
const struct expr *tables_template(struct tables *s, struct site_info *info);

/* Of a read with an address: what is there, if that is a constant. NULL: no size of a load. */
const struct expr *tables_load(struct tables *s, struct site_info *info, unsigned size);
/* Likewise, of a branch or a switch: when it goes the way that it goes for this value. */
const struct expr *tables_way(struct tables *s, struct site_info *info, uint64_t value);

static inline struct site_info *tables_get(const struct tables *s, uint32_t number)
{
	return number < s->at.n && s->at.at[number].site ? &s->at.at[number] : NULL;
}

#endif
