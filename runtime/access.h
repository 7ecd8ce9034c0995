/* SPDX-License-Identifier: MIT */
/*
 * Accesses that are not within one line. The caller is busy and has room.
 */
#ifndef RUNTIME_ACCESS_H
#define RUNTIME_ACCESS_H

#include "runtime/self.h"

/* Of up to 8 bytes that cross a line: one access, at one moment. The position is of its first part.
 */
NORN_HIDDEN uint64_t norn_read_across(struct norn_self *me, uint64_t *value, const void *p,
				      unsigned size, uint32_t site, const uint64_t depends[3]);
NORN_HIDDEN void norn_write_across(struct norn_self *me, void *p, const uint64_t *value,
				   unsigned size, uint32_t site, const uint64_t depends[3]);

#endif
