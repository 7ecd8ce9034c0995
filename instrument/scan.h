/* SPDX-License-Identifier: MIT */
/*
 * Whether the code of an ELF file may order threads by itself: it has an atomic instruction (a lock
 * prefix, xchg with memory) or makes system calls of its own.
 */
#ifndef INSTRUMENT_SCAN_H
#define INSTRUMENT_SCAN_H

#include "base/err.h"

/* 1 if it may, 0 if not, negative if the file cannot be read. */
int scan_orders(const char *path, struct err *err);

#endif
