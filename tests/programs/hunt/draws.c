// SPDX-License-Identifier: MIT
/*
 * Numbers that follow from a seed: who draws first gets the first one. The threads print nothing
 * and share nothing else.
 */
#include <pthread.h>
#include <stdlib.h>

#ifdef RIGHT
#define DRAW(state) rand_r(state)
#else
#define DRAW(state) ((void)(state), rand())
#endif

static void *draw(void *to)
{
	unsigned state = 5;

	*(int *)to = DRAW(&state);
	return NULL;
}

int main(void)
{
	pthread_t one, two;
	int a, b;

	srand(7);
	pthread_create(&one, NULL, draw, &a);
	pthread_create(&two, NULL, draw, &b);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
#ifdef RIGHT
	return a != b;
#else
	srand(7);
	return a != rand();
#endif
}
