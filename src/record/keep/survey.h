/* SPDX-License-Identifier: MIT */
/*
 * The first pass: follows all accesses and finds what has to be kept (layout.h). Data that only one
 * thread touches, or that nobody writes, is not. What is known of a private object is dropped
 * when it dies, so that memory follows what lives and what is kept.
 *
 * What the first thread does before it forks any is the same in every feasible execution, and comes
 * before all that others do. So data that is written only then counts as never written. That
 * does not hold if some thread is forked by nobody (layout.foreign): then the survey has to be made
 * again, without `early`.
 */
#ifndef RECORD_KEEP_SURVEY_H
#define RECORD_KEEP_SURVEY_H

#include "record/keep/handed.h"
#include "record/log/image.h"
#include "record/log/modules.h"
#include "record/keep/layout.h"
#include "record/merge/sync.h"

struct survey;

/* Gathers facts of synchronisation as well. Records are of threads below `threads`; `marked`: some
 * are marks, and these are the program's modules; else NULL. The image stays the caller's, and so
 * does what is handed over: of the survey before, if that was `again`. */
struct survey *survey_new(struct layout *layout, struct sync_facts *facts, uint32_t threads,
			  bool keep_all, bool early, struct modules *marked,
			  const struct image *image, struct handed *handed);
void survey_follow(struct survey *s, const struct merged *r);
/* The same for plain accesses that come next, one after the other (merge_take). */
void survey_pass(struct survey *s, const struct stretch *stretch);
/* All that still lives ends; the layout is complete. */
void survey_finish(struct survey *s);
void survey_free(struct survey *s);

#endif
