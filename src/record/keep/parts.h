/* SPDX-License-Identifier: MIT */
/* What the files of the survey share. */
#ifndef RECORD_KEEP_PARTS_H
#define RECORD_KEEP_PARTS_H

#include "base/pages.h"
#include "base/spans.h"
#include "record/keep/granule.h"
#include "record/keep/graves.h"
#include "record/keep/survey.h"
#include "record/keep/unsure.h"

#define BURIED_WHOLE 4096 /* of larger blocks, only pages that somebody touched: graves.h */

/* A region's granule while a block stands above it. */
struct stashed {
	uint32_t region;
	uint64_t address;
	struct granule granule;
};

struct survey {
	struct layout *layout;
	struct handed *handed;
	const struct image *image;
	bool keep_all;
	struct pages pages;
	struct spans benign;
	struct objects *objects;
	struct sync *sync;
	uint64_t signals; /* stand-ins for numbers of events */
	VEC(struct stashed) stash;
	VEC(uint64_t) pcs; /* by thread: LOG_PC */
	/* the object that is being closed, and the thread that gives it back (+ 1; 0: none) */
	const struct object *closing;
	uint16_t ended_by;
	bool ended_alone; /* and no other thread is left */
	struct layout_object closed;
	uint64_t freed; /* where that was, pc */
	struct graves graves;
	VEC(uint64_t) again; /* by thread: where it last freed what was free, pc; 0: it did not */
	/* early: all so far was done by the first thread, before any other was made */
	bool early;
	VEC(bool) forked;    /* by thread */
	VEC(uint64_t) forks; /* by thread: where it last made one, pc */
	bool marked;	     /* the run has marks: */
	struct unsure unsure;
};

/* Memory that is free: accidents.c */

/* The block that is being closed. */
struct layout_block survey_closing_block(const struct survey *s);
/* Nobody had touched the page. */
void survey_open_page(struct survey *s, uint64_t address);
/* An access to free memory; `pc`: of the call, if the record has no site. */
void survey_note_dangling(struct survey *s, const struct merged *r, struct granule *g,
			  uint64_t address, uint32_t site, uint64_t pc);
/* A lock or the like that stands there. */
void survey_look_at_object(struct survey *s, const struct merged *r);
/* Is it free already? */
void survey_note_free(struct survey *s, const struct merged *r);
void survey_note_crash(struct survey *s, const struct merged *r);

#endif
