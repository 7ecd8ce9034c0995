/*
 * A pool of threads that take tasks from a list; the last one wakes the main thread.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct task {
	struct task *next;
	int (*run)(int);
	int argument, result;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER, finished = PTHREAD_COND_INITIALIZER;
static struct task *todo;
static int left, closing;

static int square(int n)
{
	return n * n;
}

static int twice(int n)
{
	return 2 * n;
}

static void *worker(void *unused)
{
	pthread_mutex_lock(&lock);
	for (;;) {
		while (!todo && !closing)
			pthread_cond_wait(&more, &lock);
		if (!todo)
			break;
		struct task *task = todo;

		todo = task->next;
		pthread_mutex_unlock(&lock);
		task->result = task->run(task->argument);
		pthread_mutex_lock(&lock);
		if (!--left)
			pthread_cond_signal(&finished);
	}
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t threads[3];
	struct task *tasks = calloc(20, sizeof(*tasks));
	int sum = 0;

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, worker, NULL);
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&lock);
		tasks[i] = (struct task){todo, i % 2 ? square : twice, i, 0};
		todo = &tasks[i];
		left++;
		pthread_cond_signal(&more);
		pthread_mutex_unlock(&lock);
	}
	pthread_mutex_lock(&lock);
	while (left)
		pthread_cond_wait(&finished, &lock);
	closing = 1;
	pthread_cond_broadcast(&more);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 20; i++)
		sum += tasks[i].result;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	free(tasks);
	printf("%d\n", sum);
	return 0;
}
