/* SPDX-License-Identifier: MIT */
/* A token that goes round; who has it may be in two places. */
#include "lib.h"

static int token, holders;

static void *pass(void *n)
{
	int me = (int)(long)n;
	if (get(&token) == me) {
		set(&token, (me + 1) % 3);
		pthread_mutex_lock(&lock);
		int now = ++holders;
		pthread_mutex_unlock(&lock);
		assert(now == 1);
		pthread_mutex_lock(&lock);
		holders--;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	start(3, pass);
	join(3);
	return 0;
}
