/* SPDX-License-Identifier: MIT */
/* The runtime as a library of its own, libnorn-runtime.so. */
#include "runtime/host.h"

const bool norn_is_preloaded = true, norn_has_hooks_alone = false;
