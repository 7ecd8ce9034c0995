/*
 * Work stealing: tasks in arrays, each taken by a compare and swap of the array's index.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#define THREADS 3
#define TASKS 20

struct deque {
	atomic_int next;
	int tasks[TASKS];
};

static struct deque deques[THREADS];
static atomic_long total;

static int take(struct deque *d)
{
	int i = atomic_load(&d->next);

	while (i < TASKS)
		if (atomic_compare_exchange_weak(&d->next, &i, i + 1))
			return d->tasks[i];
	return -1;
}

static void *work(void *number)
{
	long mine = (long)number, sum = 0;

	for (int from = 0; from < THREADS; from++) {
		int task;

		while ((task = take(&deques[(mine + from) % THREADS])) >= 0)
			sum += task;
	}
	atomic_fetch_add(&total, sum);
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		for (int j = 0; j < TASKS; j++)
			deques[i].tasks[j] = i * 100 + j;
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%ld\n", atomic_load(&total));
	return 0;
}
