/* SPDX-License-Identifier: MIT */
/* What the recorded run itself did wrong (predict/seen.h): words and places for every report. */
#ifndef REPORT_SEEN_H
#define REPORT_SEEN_H

#include "base/output.h"
#include "predict/seen.h"

/* What stands between "waits" and the object: "for lock", "on condition". */
const char *seen_waits(const char *op);
/* "Thread T1 waits for lock m", "write of x by thread T2"; to is filled. */
void seen_describe(const struct seen_step *step, char *to, size_t room);
/* FILE:LINE in FUNCTION, or "an unknown place" */
void seen_place(const struct seen_step *step, char *to, size_t room);
/* "deadlock of 2 threads", "crash by SIGSEGV", "use after free of x" */
void seen_title(const struct seen *f, char *to, size_t room);

/* norn-report(5): the member `seen`. */
void seen_json(struct json *json, const struct seen_list *list);

#endif
