/*
 * Code without hooks that writes, calls back, takes a lock, and writes again: what it wrote behind
 * the call comes after what was done there. And it has a thread of its own.
 *
 * expect: race @a @b
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define UNSEEN __attribute__((noinline, disable_sanitizer_instrumentation))

static volatile int begun, done, unlocked, passed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int before, inside, guarded, by_thread, racy;

UNSEEN static void work(void (*callback)(void))
{
	begun = 1;
	callback();
	done = 1;
	pthread_mutex_lock(&lock);
	callback();
	pthread_mutex_unlock(&lock);
	unlocked = 1;
}

/* It runs code with hooks, and none before or behind that. */
UNSEEN static void *run_unseen(void *callback)
{
	((void (*)(void))callback)();
	passed = 1;
	return NULL;
}

static void count(void)
{
	inside++;
	guarded++;
}

static void count_by_thread(void)
{
	by_thread++;
}

static void *writer(void *p)
{
	before = 1;
	racy = 1; /* @a */
	work(count);
	return p;
}

static void wait_for(volatile int *flag)
{
	while (!*flag)
		usleep(1000);
}

static void *reader(void *p)
{
	racy = 2; /* @b */
	wait_for(&begun);
	before = 2;
	wait_for(&unlocked);
	inside += 10;
	wait_for(&passed);
	by_thread += 10;
	return p;
}

int main(void)
{
	pthread_t first, second, third;

	pthread_create(&second, NULL, reader, NULL);
	usleep(30000);
	pthread_create(&first, NULL, writer, NULL);
	usleep(30000);
	pthread_create(&third, NULL, run_unseen, (void *)count_by_thread);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	pthread_join(third, NULL);
	printf("%d %d %d %d %d\n", before, inside, guarded, by_thread, racy);
	return 0;
}
