/* SPDX-License-Identifier: MIT */
/* Tickets that are checked, and then sold. */
#include "lib.h"

static int tickets = 2, sold;

static void *sell(void *n)
{
	(void)n;
	if (get(&tickets) > 0) {
		pthread_mutex_lock(&lock);
		tickets--;
		sold++;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	start(3, sell);
	join(3);
	assert(sold <= 2);
	return 0;
}
