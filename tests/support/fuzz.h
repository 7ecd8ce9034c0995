/* SPDX-License-Identifier: MIT */
/*
 * What the fuzzers share. Each is a libFuzzer program over one reader; it stops with a BUG
 * when something comes back other than it was. With $FUZZ_SEEDS set to a directory it writes
 * its seeds there and ends.
 */
#ifndef SUPPORT_FUZZ_H
#define SUPPORT_FUZZ_H

#include "tests/support/traces.h"

/*
 * Reads the bytes as a trace, with names of variables and without, checks it, and writes it as text
 * and as binary, to read it again.
 */
void fuzz_trace(const uint8_t *data, size_t size, const char *format);
/* Writes it in its own format, which may lose something, but only once. */
void fuzz_rewrite(const uint8_t *data, size_t size, const char *format);

/* The directory for seeds, or NULL. */
const char *fuzz_seeds_wanted(void);
/* head, if any, comes before the bytes. */
void fuzz_write_seed(const char *name, int number, const char *head, struct bytes seed);
/* Conformance traces and random ones, in that format. */
void fuzz_write_traces(const char *format);

#endif
