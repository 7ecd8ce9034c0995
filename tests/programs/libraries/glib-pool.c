/*
 * What is given to a pool of threads is there when its function is called with it; what that
 * function does to anything else needs a lock.
 *
 * flags: -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0 -pthread
 * expect: race @a @a
 */
#include <glib.h>
#include <stdio.h>

struct task {
	int value, answer;
};

static GMutex mutex;
static GCond finished;
static int left = 4, sum;
static volatile int racy;

static void run(gpointer data, gpointer unused)
{
	struct task *task = data;
	(void)unused;
	task->answer = task->value * task->value;
	racy = 1; /* @a */
	g_mutex_lock(&mutex);
	sum += task->answer;
	if (!--left)
		g_cond_signal(&finished);
	g_mutex_unlock(&mutex);
	/* so that every task has a thread of its own */
	g_usleep(20000);
}

int main(void)
{
	struct task tasks[4];
	GThreadPool *pool = g_thread_pool_new(run, NULL, 4, TRUE, NULL);
	for (int i = 0; i < 4; i++) {
		tasks[i].value = i + 1;
		g_thread_pool_push(pool, &tasks[i], NULL);
	}
	g_mutex_lock(&mutex);
	while (left)
		g_cond_wait(&finished, &mutex);
	g_mutex_unlock(&mutex);
	printf("%d %d\n", sum, racy > 0);
	g_thread_pool_free(pool, FALSE, TRUE);
	return 0;
}
