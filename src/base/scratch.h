/* SPDX-License-Identifier: MIT */
/*
 * A directory for temporary files, under TMPDIR. Files in it are named through it, so that they
 * can be removed at a sudden end as well. There is at most one at a time. What was left by a
 * process that was killed is removed by the next one that opens a directory of that name.
 */
#ifndef BASE_SCRATCH_H
#define BASE_SCRATCH_H

#include "base/err.h"

/* name: what its own name starts with. */
int scratch_open(const char *name, struct err *err);
/* Likewise, where memory is used as a disk, if TMPDIR says nothing else: for many small files. */
int scratch_open_quick(const char *name, struct err *err);
/* A file that has no name, under TMPDIR, to read and write: its descriptor, or negative and errno.
 */
int scratch_nameless(void);
/* The path of a file in it, which need not be there; valid until that is closed or kept. */
const char *scratch_file(const char *name);
/* The path of the directory. */
const char *scratch_directory(void);
/* Removes it and all that is in it. */
void scratch_close(void);
/* Leaves it where it is, and forgets it. */
void scratch_keep(void);
/* Removes the files that were named, and the directory; a signal handler may call it. */
void scratch_abandon(void);

#endif
