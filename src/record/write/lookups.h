/* SPDX-License-Identifier: MIT */
/*
 * Constants that expressions of the trace look into: bytes of the program's files that nothing can
 * change once it runs, so that what is there at another address than the recorded one is known as
 * well. They are declared once somebody looks there, as much around it as belongs to it.
 */
#ifndef RECORD_WRITE_LOOKUPS_H
#define RECORD_WRITE_LOOKUPS_H

#include "record/log/image.h"
#include "record/log/modules.h"
#include "trace/constants.h"

struct lookups {
	struct modules *modules;
	const struct image *image;
	struct constants *to;
	size_t declared; /* bytes, so far */
};

/* A constant of the program; `beyond`: what it points to, and so on, so many times. */
void lookups_declare(struct lookups *l, uint64_t address, uint64_t size, unsigned beyond);
/* What lies around these bytes; false: they may change, or are not known. */
bool lookups_declare_at(struct lookups *l, uint64_t address, unsigned size);

#endif
