/* SPDX-License-Identifier: MIT */
/*
 * A runtime for tests of the instrumenter, for programs of one thread: hooks.c performs the
 * accesses, checks every expression of a write against what is written, and shows each event to an
 * observer, which is another file. Positions are the numbers of reads and of
 * values that are told or fixed.
 */
#ifndef TESTS_HOOKS_H
#define TESTS_HOOKS_H

#include "runtime/sites.h"

#include <stdbool.h>
#include <stdint.h>

enum what {
	WHAT_READ,
	WHAT_WRITE,
	WHAT_RMW,
	WHAT_SWAP,
	WHAT_BRANCH,
	WHAT_READ_RANGE,
	WHAT_WRITE_RANGE,
	WHAT_COPY,
	WHAT_FILL,
	WHAT_STACK,
	WHAT_STACK_END,
	WHAT_VALUE,
	WHAT_FIXED,
};

struct event {
	enum what what;
	uint32_t site;
	uint32_t second; /* of a copy: the site of its write */
	uint64_t address, from, size;
	uint64_t read;	   /* what was read; of a range, a hash of it; what is told or fixed */
	bool known;	   /* that is what the position stands for */
	uint64_t written;  /* likewise */
	uint64_t position; /* of a read that has one */
	uint64_t depends[SITE_DEPENDS_MAX];
};

const struct site *hooks_site(uint32_t number);
const char *hooks_text(uint32_t number, uint32_t offset);
/* An expression of this site, with what reads returned; false if one is too long ago. */
typedef bool hooks_lookup(void *context, uint64_t position, uint64_t *value);
bool hooks_evaluate(uint32_t site, const uint64_t *depends, uint64_t self, hooks_lookup *lookup,
		    void *context, uint64_t *value);

/* The observer's. */
void observe_start(void); /* before anything else */
void observe(const struct event *event);
/* Before the read of this number: may change the memory. */
void observe_before(uint64_t position, void *p, unsigned size);

#endif
