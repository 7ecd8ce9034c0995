/* SPDX-License-Identifier: MIT */
/* Where in the source things are: locations in the trace's symbols for sites and for calls. */
#ifndef RECORD_WRITE_PLACES_H
#define RECORD_WRITE_PLACES_H

#include "record/log/modules.h"
#include "base/counts.h"
#include "record/log/tables.h"
#include "trace/symbols.h"

struct places {
	struct tables *sites;
	struct modules *modules;
	struct symbols *symbols;
	struct counts calls;	   /* by pc: location + 1 */
	struct intern sync_names;  /* of synchronisation objects, without their numbers */
	VEC(uint32_t) sync_counts; /* how many have that name */
};

void places_init(struct places *p, struct tables *sites, struct modules *modules,
		 struct symbols *symbols);
void places_release(struct places *p);

/* 0: not known. */
uint32_t places_site(struct places *p, uint32_t site);
uint32_t places_call(struct places *p, uint64_t pc);

/* Of a call that is somebody's own: not of the runtime, nor in a system header; else 0. */
uint32_t places_frame(struct places *p, const char *text);

/* The innermost of the frames (pcs) that is the user's own: not of the runtime, not in a system
 * header. 0: none, as far as is known. */
uint64_t places_own_frame(struct places *p, const uint64_t *frames, uint32_t n);

/* Makes text a name that a trace can hold: blanks and such become '_'. */
void places_clean(char *text);

#endif
