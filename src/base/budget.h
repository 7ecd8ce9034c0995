/* SPDX-License-Identifier: MIT */
/* What a search may take. */
#ifndef BASE_BUDGET_H
#define BASE_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct budget {
	double seconds; /* for one query; 0: no limit */
	uint64_t bytes; /* for the engine; 0: no limit */
	/* Set from elsewhere (a signal): give up at once. NULL: nobody does. */
	const volatile bool *stop;
};

/* No time is left, or somebody says stop. Deadlines are by seconds_spent(); 0: none. */
bool budget_ended(const struct budget *budget, double deadline);

#endif
