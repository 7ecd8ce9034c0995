/* SPDX-License-Identifier: MIT */
/* The pieces of the SARIF report. */
#ifndef REPORT_SARIF_H
#define REPORT_SARIF_H

#include "report/story.h"

struct sarif {
	struct story story;
	const struct report_options *options;
	struct json json;
	struct intern places;	/* what line hashes are made of, */
	VEC(uint64_t) repeated; /* and how often each came so far */
};

struct sarif_rule {
	const char *id, *name, *title, *text, *help;
};

/* A message object. */
void sarif_text(struct json *json, const char *key, const char *text);
/* Text that is made of pieces. */
typedef VEC(char) characters;
void sarif_append(characters *to, const char *text);

/* The file below the root as it is, others as they were recorded. */
const char *sarif_file(const struct sarif *s, const char *file);
/* What stands in a location object; message may be NULL. */
void sarif_location(struct sarif *s, uint32_t event, const char *message);
void sarif_place(struct sarif *s, const struct place *place, const char *message);
/* "write of x by thread t1" */
const char *sarif_describe(struct story *s, uint32_t event);

/* "write of x by thread t1 at a.c:3" */
void sarif_append_event(struct sarif *s, uint32_t event, characters *text);
/* One of the related locations, which are numbered from 1. */
void sarif_related(struct sarif *s, uint64_t id, uint32_t event, const char *message);

/* What the recorded run did wrong, as a result of that rule. */
/* Of a result. */
void sarif_put_line_hash(struct sarif *s, uint64_t likeness);
void sarif_seen(struct sarif *s, const struct seen *f, const char *rule, uint64_t index);

/* stacks: of these events, of acquisitions and creations of threads, where they are known. */
void sarif_stacks(struct sarif *s, const event_numbers *events);

/* codeFlows: the witness and the events that come next, in their order, then by threads. */
void sarif_code_flow(struct sarif *s, const struct finding *f, const event_numbers *events);

#endif
