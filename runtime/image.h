/* SPDX-License-Identifier: MIT */
/*
 * What a module's variables hold when it is first seen: a variable that is written before anybody
 * reads it had a value, too, and in another order of events it is read.
 */
#ifndef RUNTIME_IMAGE_H
#define RUNTIME_IMAGE_H

#include <link.h>

#include "runtime/self.h"

NORN_HIDDEN void norn_write_image(const struct dl_phdr_info *module);

/* In place of all images so far: what all memory holds that can be written, but for pages of zeros,
 * by address. For a recording that begins late. */
NORN_HIDDEN void norn_write_memory(void);

#endif
