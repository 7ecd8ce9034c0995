/* SPDX-License-Identifier: MIT */
/*
 * A long list of event numbers in few bytes. An execution of a long trace has millions of
 * events, mostly near each other, and there may be hundreds of findings.
 */
#ifndef PREDICT_PACKED_H
#define PREDICT_PACKED_H

#include "base/mem.h"

struct packed {
	unsigned char *at; /* of each number how far it is from the one before */
	size_t bytes;
	size_t count; /* of numbers */
};

void packed_init(struct packed *p, const uint64_t *numbers, size_t n);
void packed_release(struct packed *p);
void packed_read(const struct packed *p, uint64_t *numbers); /* count of them */

#endif
