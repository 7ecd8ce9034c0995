/* SPDX-License-Identifier: MIT */
/*
 * The driver: a compiler that takes clang's command line. What it compiles gets hooks, what it
 * links gets the runtime, and all else is clang's. See norn-cc(1).
 *
 *	source ──clang──▶ bitcode ──norn-instrument──▶ bitcode ──clang──▶ object ──clang──▶ program
 *
 * Optimisations are all made in the first step, hooks are put into their result, and
 * the third makes code of what it gets.
 */
#ifndef COMPILE_COMPILE_H
#define COMPILE_COMPILE_H

#include "base/err.h"

#include <stdbool.h>

struct compile_request {
	const char *const *argv; /* without the name of the compiler; NULL ends it */
	bool cplusplus;
	/* Tells the user what is done otherwise than asked for. */
	void (*note)(const char *format, ...) __attribute__((format(printf, 1, 2)));
};

/*
 * Returns the exit status: that of the first step that failed, or 0. Negative: err says why it
 * could not be done. If nothing is ours to do it becomes clang and does not return.
 * What a step prints goes where ours goes.
 */
int compile_run(const struct compile_request *request, struct err *err);

#endif
