/* SPDX-License-Identifier: MIT */
/* The hooks of libraries in a process without a runtime, libnorn-hooks.so. */
#include "runtime/host.h"

const bool norn_is_preloaded = true, norn_has_hooks_alone = true;
