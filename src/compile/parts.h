/* SPDX-License-Identifier: MIT */
/*
 * Where the parts of recording are: beside our own executable, as in build/, or as make install
 * puts them (../lib/norn, ../include). And which clang is used.
 */
#ifndef COMPILE_PARTS_H
#define COMPILE_PARTS_H

#include "compile/words.h"

/* Bitcode is read and written by this version of LLVM: clang has to be of it, too. */
#define PARTS_LLVM 14

struct parts {
	const char *clang;	/* NORN_CLANG, or "clang" */
	const char *instrument; /* the program norn-instrument */
	const char *runtime;	/* libnorn-runtime.a */
	const char *hooks;	/* libnorn-hooks.so, by its absolute path */
	const char *exports;	/* its symbols, as a dynamic list for the linker */
	const char *include;	/* the directory of norn.h */
	const char *libstdcxx;	/* that of headers which stand before those of libstdc++ */
	const char *events;	/* the directory of what Norn knows of libraries, norn-events(5) */
	const char *runtime_static, *wraps; /* for -static: the archive, the linker's options */
};

int parts_find(struct parts *parts, struct arena *arena, struct err *err);

#endif
