/* SPDX-License-Identifier: MIT */
/*
 * Inputs: what calls return that ask the outside (clocks, random numbers, devices). They are kept
 * in a file of their own for each thread (log.h, input.N), and in replay they are given back:
 * each call of a function gets what the thread's call of that function with the same number got.
 * Functions are counted apart, so that a handler of a signal that comes elsewhere does not shift
 * all that follows.
 *
 * For the files of runtime/libc. A wrapper asks norn_input_given first, makes the real call if
 * nothing is given, and hands what came of it to norn_input_keep in any case: a replay may be
 * recorded, too.
 */
#ifndef RUNTIME_INPUTS_H
#define RUNTIME_INPUTS_H

#include "runtime/log.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <time.h>

struct norn_input {
	int64_t result;
	const void *bytes; /* stay where they are */
	size_t size;
};

/* False: the real call has to be made. If the result is negative, errno is set. */
bool norn_input_given(enum log_input_function function, struct norn_input *in);
/* errno belongs to it, and is left alone. */
void norn_input_keep(enum log_input_function function, int64_t result, const void *bytes,
		     size_t size);

/*
 * Sockets that lead out of the process (libc/remote.h). Whether what they gave is given back: else
 * the other side is there, or the record does not have it.
 */
bool norn_gives_sockets(void);
/* Whether this thread keeps what it gets. */
bool norn_keeps_inputs(void);
/* Of what sockets gave, the next one. What is not there did not come in the recorded run either, as
 * far as that went: then the thread waits for it, for good. */
void norn_input_await(enum log_input_function function, struct norn_input *in);
/* The thread waits, for what others do; what it waits for may not come. */
void norn_input_waits(void);
void norn_input_lacks(void);

/* An input that is a number: what was recorded, or else this. */
int64_t norn_input_number(enum log_input_function function, int64_t real);
/* One of n bytes at `ours`, which hold what the real call gave, and its result. */
int64_t norn_input_bytes(enum log_input_function function, int64_t real, void *ours, size_t n);

/* The thread's files are not needed any more. For a thread that is busy. */
void norn_inputs_end(void);
/* In a child of fork: nothing is given, and what is kept is kept apart. */
void norn_inputs_in_child(void);

/*
 * Clocks of a replay (libc/clock.c): they show what was recorded, for as long as there is
 * something, and go on from there at the pace of the real ones, never back.
 */

/* The program is told that this clock shows so much, in ns. */
void norn_clock_given(clockid_t clock, int64_t shown);
/* What the clock shows, when nothing is given: `real` is what the real one does. */
int64_t norn_clock_shows(clockid_t clock, int64_t real);
/* When the real clock shows what this one does at `until`: that, or *ours. NULL stays NULL. */
const struct timespec *norn_clock_until(clockid_t clock, const struct timespec *until,
					struct timespec *ours);

/* Likewise, for a call that returns to pc: code that is not instrumented knows the real clocks,
 * unless it is given recorded ones. */
const struct timespec *norn_real_until(clockid_t clock, const struct timespec *until,
				       struct timespec *ours, const void *pc);

/* What a clock shows to a library, in ns: `real` is what the real one does (libc/time.c). */
int64_t norn_library_clock(clockid_t clock, int64_t real);

/* Where the bytes of a descriptor come from (libc/outside.c). */
enum norn_origin {
	NORN_INSIDE, /* files, which are as they were; what the program makes itself */
	NORN_SAVED,  /* standard input, LOG_STDIN_SAVED */
	NORN_OUTSIDE,
};
/* Looks at standard input, before the program can change it. */
void norn_origin_begin(enum log_stdin standard_input);
enum norn_origin norn_origin_of(int fd);
/* What there is known of a process: of its threads, its memory, its descriptors. */
bool norn_tells_of_a_process(int fd, const struct stat *is);

#endif
