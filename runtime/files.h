/* SPDX-License-Identifier: MIT */
/*
 * The files of a recording, by system calls: none of this can be noticed by the program, as long as
 * it does not look at its descriptors. A descriptor is open only while a file is written: programs
 * count on the numbers of theirs, or close all they find.
 *
 * A program that gives up its privileges, or changes its root directory, could not open them any
 * more: see norn_files_keep.
 */
#ifndef RUNTIME_FILES_H
#define RUNTIME_FILES_H

#include "runtime/self.h"

/* The descriptor of DIRECTORY/NAME, with a number behind it if that is not negative; or an error.
 */
NORN_HIDDEN long norn_file_open(const char *name, long number, int flags);
NORN_HIDDEN void norn_file_remove(const char *name, long number);

/*
 * Errors below 0. If the limit on the size of files is reached, that is -EFBIG, and no signal is
 * sent to the program. Space that is reserved is there: what is mapped from it can be written.
 */
NORN_HIDDEN long norn_file_write(long fd, const void *data, uint64_t size, uint64_t offset);
NORN_HIDDEN long norn_file_append(long fd, const void *data, uint64_t size);
NORN_HIDDEN long norn_file_reserve(long fd, uint64_t offset, uint64_t size);
/* It will have these bytes soon. Whether they are reserved then or not does not matter. */
NORN_HIDDEN void norn_file_expect(long fd, uint64_t offset, uint64_t size);

/* Before the directory gets out of reach: from here on its descriptor stays open, under a high
 * number. All files are given to `owner`, if that is not (uid_t)-1 and can be done. */
NORN_HIDDEN void norn_files_keep(uint32_t owner);
/* In a child of fork: that one is of no more use. */
NORN_HIDDEN void norn_files_in_child(void);

#endif
