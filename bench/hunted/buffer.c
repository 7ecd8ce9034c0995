/* SPDX-License-Identifier: MIT */
/* A bounded buffer whose producers look for room before they take the lock. */
#include "lib.h"

static int slots[2], count;

static void *produce(void *n)
{
	if (get(&count) < 2) {
		pthread_mutex_lock(&lock);
		assert(count < 2);
		slots[count++] = (int)(long)n;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	start(3, produce);
	join(3);
	return 0;
}
