/* SPDX-License-Identifier: MIT */
/* Logs of the programs in value_program.h: of thread 1, with another thread that writes what it
 * reads. */
#ifndef SUPPORT_VALUE_LOG_H
#define SUPPORT_VALUE_LOG_H

#include "tests/support/raw_maker.h"
#include "tests/support/traces.h"
#include "tests/support/value_program.h"

struct value_log {
	struct raw_run *run;
	uint32_t versions[LOG_SHARDS];
	uint64_t position[ALL_OPS];
	VEC(char) text;
	VEC(struct site) sites;
	uint64_t passed; /* once merged: records that were passed by */
};

/* A whole run; value_log_merge releases it. It is merged twice, the second time record by record:
 * both have to be the same. */
void value_log_run(struct value_log *l, const struct value_program *p,
		   const struct value_outcome *o);
struct bytes value_log_merge(struct value_log *l);

/* For logs by hand, record by record. The first thread forks the other. */
void value_log_start(struct value_log *l);
void value_log_end(struct value_log *l);
/* A record does not cross the end of a block. */
void value_log_room(struct raw_run *run, uint32_t thread, unsigned n);
void value_log_words(struct value_log *l, uint32_t thread, const uint64_t *words, unsigned n);
uint32_t value_log_text(struct value_log *l, const char *text);
void value_log_depend(struct value_log *l, unsigned which, uint64_t position);
void value_log_access(struct value_log *l, uint32_t thread, uint8_t kind, uint32_t site,
		      uint64_t address, unsigned size, const void *bytes);

#endif
