/* THREADS SIZE: a product of two matrices, rows by threads. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS_MOST 64

static double *a, *b, *c;
static int size, threads;

static void *work(void *number)
{
	int first = (int)((long)number * size / threads);
	int last = (int)(((long)number + 1) * size / threads);

	for (int i = first; i < last; i++)
		for (int j = 0; j < size; j++) {
			double sum = 0;

			for (int k = 0; k < size; k++)
				sum += a[i * size + k] * b[k * size + j];
			c[i * size + j] = sum;
		}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t workers[THREADS_MOST];
	double trace = 0;

	threads = argc > 1 ? atoi(argv[1]) : 4;
	size = argc > 2 ? atoi(argv[2]) : 20;
	if (threads > THREADS_MOST)
		return 2;
	a = malloc(sizeof(*a) * size * size);
	b = malloc(sizeof(*b) * size * size);
	c = malloc(sizeof(*c) * size * size);
	for (int i = 0; i < size * size; i++) {
		a[i] = i % 17;
		b[i] = i % 13;
	}
	for (long i = 0; i < threads; i++)
		pthread_create(&workers[i], NULL, work, (void *)i);
	for (int i = 0; i < threads; i++)
		pthread_join(workers[i], NULL);
	for (int i = 0; i < size; i++)
		trace += c[i * size + i];
	printf("%.0f\n", trace);
	return 0;
}
