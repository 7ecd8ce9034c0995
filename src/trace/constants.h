/* SPDX-License-Identifier: MIT */
/*
 * Bytes that never change, as a trace declares them: what the load operators of expressions look
 * at. Ranges do not overlap; they may touch.
 */
#ifndef TRACE_CONSTANTS_H
#define TRACE_CONSTANTS_H

#include "base/mem.h"

#include <stdbool.h>

#define CONSTANT_SIZE_MAX 4096

struct constant {
	uint64_t address;
	uint32_t size; /* 1 … CONSTANT_SIZE_MAX */
	const uint8_t *bytes;
};

struct constants {
	VEC(struct constant) ranges;	 /* as they were declared */
	VEC(struct constant) by_address; /* the same */
	struct arena bytes;
};

void constants_release(struct constants *c);

/* Copies the bytes. False: there are none or too many, or some of them are declared already. */
bool constants_add(struct constants *c, uint64_t address, const uint8_t *bytes, size_t size);

/* The range that the byte is in, or NULL. */
const struct constant *constants_find(const struct constants *c, uint64_t address);

/* So many bytes from there, up to 8, the lowest first; false if one of them is not declared. */
bool constants_load(const struct constants *c, uint64_t address, unsigned size, uint64_t *value);

#endif
