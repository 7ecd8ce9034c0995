/* SPDX-License-Identifier: MIT */
/* A writer that looks whether somebody reads, and a reader that comes meanwhile. */
#include "lib.h"

static int readers, writing;

static void *reader(void *n)
{
	(void)n;
	set(&readers, 1);
	assert(!get(&writing));
	set(&readers, 0);
	return NULL;
}

static void *writer(void *n)
{
	(void)n;
	if (get(&readers) == 0) {
		set(&writing, 1);
		set(&writing, 0);
	}
	return NULL;
}

int main(void)
{
	pthread_create(&threads[0], NULL, reader, NULL);
	pthread_create(&threads[1], NULL, writer, NULL);
	join(2);
	return 0;
}
