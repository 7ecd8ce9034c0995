/*
 * Bit-fields that share a byte are one variable; what lies beside it is another.
 *
 * expect: race @left @right
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static struct {
	unsigned left : 3, right : 5;
	unsigned char beside;
} shared;

static void *one(void *unused)
{
	shared.left = 1; /* @left */
	return unused;
}

static void *two(void *unused)
{
	usleep(100000);
	shared.right = 2; /* @right */
	return unused;
}

static void *three(void *unused)
{
	shared.beside = 3;
	return unused;
}

int main(void)
{
	pthread_t threads[3];
	void *(*const bodies[3])(void *) = {one, two, three};

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, bodies[i], NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d %d\n", shared.left, shared.right, shared.beside);
	return 0;
}
