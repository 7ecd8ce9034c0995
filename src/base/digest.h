/* SPDX-License-Identifier: MIT */
/* A file in one number: whether it is still the one that something was said of. */
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H

#include "base/err.h"

#include <stdint.h>

#define DIGEST_TEXT 17

/* Of its bytes (XXH3), as 16 hexadecimal digits. */
int digest_file(const char *path, char text[DIGEST_TEXT], struct err *err);

#endif
