/* SPDX-License-Identifier: MIT */
/* The runtime as a part of the program, which norn cc has linked. */
#include "runtime/host.h"
#include "runtime/start.h"
#include "runtime/weak.h"

const bool norn_is_preloaded = false, norn_has_hooks_alone = false;

/* It is bound with the program, which has all that its hooks need. */
void norn_bind_weak(void) {}

typedef void initialiser(int, char **, char **);
__attribute__((section(".preinit_array"), used)) static initialiser *const first =
	norn_begin_program;
