/* SPDX-License-Identifier: MIT */
#include "base/budget.h"

#include "base/seconds.h"

#include <stddef.h>

bool budget_ended(const struct budget *budget, double deadline)
{
	if (budget->stop && *budget->stop)
		return true;
	return deadline > 0 && seconds_spent() > deadline;
}
