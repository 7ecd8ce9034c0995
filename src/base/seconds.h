/* SPDX-License-Identifier: MIT */
/*
 * Seconds of clocks that only go forward: the one on the wall, and what this process has worked. A
 * search is limited by its work, so that its answer does not depend on what else the machine does.
 */
#ifndef BASE_SECONDS_H
#define BASE_SECONDS_H

double seconds_now(void);
/* Processor time, and what was waited for others that work for it. */
double seconds_spent(void);
void seconds_add_waited(double seconds);

#endif
