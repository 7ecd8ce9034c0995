/*
 * As in barrier-good.c, but without the second barrier: a thread may write its place for the next
 * round while its neighbour still reads that of this one.
 *
 * expect: race @write @read
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_barrier_t barrier;
static int place[2], sums[2];

static void *work(void *number)
{
	int i = (int)(long)number;

	for (int round = 1; round <= 2; round++) {
		usleep(100000);		    /* the other one has read by now, as a rule */
		place[i] = round * (i + 1); /* @write */
		pthread_barrier_wait(&barrier);
		sums[i] += place[1 - i]; /* @read */
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_barrier_init(&barrier, NULL, 2);
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d\n", sums[0], sums[1]);
	return 0;
}
