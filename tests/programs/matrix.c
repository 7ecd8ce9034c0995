/*
 * A product of matrices, rows by threads; the sum of all is not guarded.
 *
 * expect: race @sum @sum
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define N 12
#define THREADS 3

static double a[N][N], b[N][N], c[N][N];
double sum;

static void *work(void *number)
{
	int first = (int)(long)number * N / THREADS;
	double mine = 0;

	for (int i = first; i < first + N / THREADS; i++)
		for (int j = 0; j < N; j++) {
			for (int k = 0; k < N; k++)
				c[i][j] += a[i][k] * b[k][j];
			mine += c[i][j];
		}
	usleep(50000 * (int)(long)number);
	sum += mine; /* @sum */
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			a[i][j] = i + j;
			b[i][j] = i - j;
		}
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%.0f\n", sum);
	return 0;
}
