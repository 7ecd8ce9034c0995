/*
 * Thread-local variables, by keyword and by key, are not shared, also where a later thread has the
 * same memory; a pointer to one is.
 *
 * expect: race @mine @theirs
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static _Thread_local int local;
static pthread_key_t key;
static int *published, destroyed;
static sem_t there, done;

static void count_destroyed(void *p)
{
	__atomic_fetch_add(&destroyed, 1, __ATOMIC_SEQ_CST);
	free(p);
}

static void *work(void *unused)
{
	int *own = malloc(sizeof(*own));

	*own = 0;
	pthread_setspecific(key, own);
	for (int i = 0; i < 10; i++) {
		local++;
		++*(int *)pthread_getspecific(key);
	}
	return (void *)(long)(local + *own + (unused != NULL));
}

static void *publish(void *unused)
{
	published = &local;
	sem_post(&there);
	local = 7; /* @mine */
	sem_wait(&done);
	return unused;
}

static void *look(void *unused)
{
	sem_wait(&there);
	usleep(100000);
	int seen = *published; /* @theirs */
	sem_post(&done);
	return (void *)(long)(seen + (unused != NULL));
}

int main(void)
{
	pthread_t a, b;
	void *one, *two;

	sem_init(&there, 0, 0);
	sem_init(&done, 0, 0);
	pthread_key_create(&key, count_destroyed);
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, &one);
	pthread_join(b, &two);
	printf("%ld %ld %d\n", (long)one, (long)two, destroyed);
	pthread_create(&a, NULL, publish, NULL);
	pthread_create(&b, NULL, look, NULL);
	pthread_join(a, NULL);
	pthread_join(b, &two);
	printf("%ld\n", (long)two);
	return 0;
}
