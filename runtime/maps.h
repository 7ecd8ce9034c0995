/* SPDX-License-Identifier: MIT */
/*
 * Memory that the program has in another way, too: a file that is mapped at two addresses, or
 * mapped and written by descriptor as well. The log knows places by their addresses: it takes the
 * same lock at two addresses for two locks. So the run says what it was (log_run.twofold), and what
 * is predicted from its trace is conditional.
 *
 * Only what can change counts: of a file that nobody can write through a mapping, two mappings are
 * no more than two copies of constants.
 */
#ifndef RUNTIME_MAPS_H
#define RUNTIME_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/self.h"

/* Behind a mapping that is no private memory of the program; of nothing, fd is -1. */
NORN_HIDDEN void norn_maps_add(const void *p, size_t size, int flags, int fd, off_t offset);
/* A segment of shmget. */
NORN_HIDDEN void norn_maps_add_segment(const void *p, size_t size, int segment);
/* These addresses are something else from here on. */
NORN_HIDDEN void norn_maps_remove(const void *p, size_t size);
/* Segments are detached by their address alone: what begins there. Its size, or 0. */
NORN_HIDDEN size_t norn_maps_size(const void *p);
/* mremap: what was there is here now; or here as well, if `old` is 0. */
NORN_HIDDEN void norn_maps_move(const void *from, size_t old, const void *to, size_t size);

/* Whether some of it is shared, or in a file. */
NORN_HIDDEN bool norn_maps_has(const void *p, size_t size);
/* Before a file that was mapped is read or written by this descriptor, while there are other
 * threads. */
NORN_HIDDEN void norn_maps_note_access(int fd, bool writes);
NORN_HIDDEN void norn_maps_in_child(void);

#endif
