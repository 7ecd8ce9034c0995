/* SPDX-License-Identifier: MIT */
/* A queue whose last item is taken by its owner and by a thief. */
#include "lib.h"

static atomic_int head, tail = 1, taken;

static void *owner(void *n)
{
	(void)n;
	int t = atomic_load(&tail) - 1;
	atomic_store(&tail, t);
	if (atomic_load(&head) <= t)
		atomic_fetch_add(&taken, 1);
	return NULL;
}

static void *thief(void *n)
{
	(void)n;
	int h = atomic_load(&head);
	if (h < atomic_load(&tail)) {
		atomic_store(&head, h + 1);
		atomic_fetch_add(&taken, 1);
	}
	return NULL;
}

int main(void)
{
	pthread_create(&threads[0], NULL, owner, NULL);
	pthread_create(&threads[1], NULL, thief, NULL);
	join(2);
	assert(atomic_load(&taken) <= 1);
	return 0;
}
