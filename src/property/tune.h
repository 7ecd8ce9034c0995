/* SPDX-License-Identifier: MIT */
/* How much is looked at to know what a specification hears (base/tune.h). */
#ifndef PROPERTY_TUNE_H
#define PROPERTY_TUNE_H

#include "base/tune.h"

/* clang-format off */
#define PROPERTY_TUNES(row) \
	row(property, terms_most, 256, 1, 1000000, "terms of the program's side, behind which it hears everything") \
	row(property, looks_most, 2000000, 1, 1000000000, "steps of it") \
	row(property, part_states, 2000, 1, 10000000, "states of one part; one with more is not split off") \
	row(property, parts_most, 20000, 1, 10000000, "parts of a parallel specification")
/* clang-format on */

TUNE_DECLARE(property, PROPERTY_TUNES)

#endif
