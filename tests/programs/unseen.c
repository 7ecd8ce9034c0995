/*
 * Code without hooks sets flags; by these, threads keep apart. What is read of a flag was written
 * in such a call, and comes after it; what was read before comes before it.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define UNSEEN __attribute__((noinline, disable_sanitizer_instrumentation))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready, other_ready, closed, *box;
static int data, other_data, open_data, boxed_data;

UNSEEN static void set(volatile int *flag)
{
	*flag = 1;
}

UNSEEN static void put_into_box(int **volatile to, int *what)
{
	*to = what;
}

static int get(int *flag)
{
	pthread_mutex_lock(&lock);
	int value = *flag;
	pthread_mutex_unlock(&lock);
	return value;
}

static void *writer(void *p)
{
	data = 1;
	other_data = 1;
	boxed_data = 1;
	pthread_mutex_lock(&lock);
	set(&ready);
	set(&other_ready); /* nobody has looked at it before */
	set(&closed);
	put_into_box(&box, &boxed_data);
	pthread_mutex_unlock(&lock);
	open_data = 2; /* nobody writes it from here on */
	return p;
}

static void *reader(void *p)
{
	pthread_mutex_lock(&lock);
	if (!closed)
		open_data = 1;
	pthread_mutex_unlock(&lock);
	while (!get(&ready))
		usleep(1000);
	data = 2;
	if (get(&other_ready))
		other_data = 2;
	if (get(&closed))
		data = 3;
	pthread_mutex_lock(&lock);
	int *found = box;
	pthread_mutex_unlock(&lock);
	if (found)
		*found = 2;
	return p;
}

int main(void)
{
	pthread_t first, second;

	ready = 0;
	pthread_create(&second, NULL, reader, NULL);
	usleep(30000);
	pthread_create(&first, NULL, writer, NULL);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	printf("%d %d %d %d\n", data, other_data, open_data, boxed_data);
	return 0;
}
