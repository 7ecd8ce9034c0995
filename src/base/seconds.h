/* SPDX-License-Identifier: MIT */
/* Seconds of a clock that only goes forward. */
#ifndef BASE_SECONDS_H
#define BASE_SECONDS_H

double seconds_now(void);

#endif
