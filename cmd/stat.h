/* SPDX-License-Identifier: MIT */
/* What `norn show --stat` counts. */
#ifndef CMD_STAT_H
#define CMD_STAT_H

#include "base/output.h"
#include "trace/reader.h"

#define STAT_SIZE_MAX 64

/* Whose dependence is told, and how well (doc/model.md, What an event depends on). */
enum stat_depends { STAT_BRANCHES, STAT_WRITES, STAT_DEPENDS };
enum stat_known { STAT_EXPRESSION, STAT_OPAQUE, STAT_READS, STAT_ALL, STAT_KNOWN };

struct stat_counts {
	uint64_t events;
	uint64_t kinds[EV_COUNT];
	VEC(uint64_t) threads;
	/* reads, writes and rmws by bytes, where `memory` is known; the last: more than that */
	uint64_t sizes[STAT_SIZE_MAX + 2];
	uint64_t several; /* accesses to more than one variable */
	uint64_t atomic;  /* order= */
	uint64_t expressions;
	uint64_t reads;				    /* reads= */
	uint64_t at;				    /* at= */
	uint64_t depends[STAT_DEPENDS][STAT_KNOWN]; /* an rmw counts as a write */
	uint64_t located;
};

void stat_count(struct stat_counts *counts, const struct symbols *symbols, const struct event *e);
/* path: of the file, for its size; all: every event was counted. */
void stat_print(const struct stat_counts *counts, const struct reader *r, const char *path,
		bool all, struct output *out);
void stat_print_json(const struct stat_counts *counts, const struct reader *r, const char *path,
		     struct output *out);
void stat_release(struct stat_counts *counts);

#endif
