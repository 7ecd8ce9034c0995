/*
 * A pointer is checked under a lock and used without it, while another thread takes it away. In the
 * run that is observed the user is done before, and its second section orders the two accesses. But
 * the pointer may be gone between the check and the use, and then the program crashes.
 *
 * expect: race @use @clear
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int value = 42;
static int *shared = &value;
static int used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *user(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	int there = shared != NULL;
	pthread_mutex_unlock(&lock);
	if (there) {
		printf("%d\n", *shared); /* @use */
		pthread_mutex_lock(&lock);
		used++;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void *closer(void *unused)
{
	(void)unused;
	usleep(100000); /* the user is done by then */
	pthread_mutex_lock(&lock);
	shared = NULL; /* @clear */
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, user, NULL);
	pthread_create(&b, NULL, closer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
