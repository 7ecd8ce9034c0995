/*
 * Two locks in both orders, but one side only tries: it never waits for the second.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int both;

static void *patient(void *unused)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	both++;
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return unused;
}

static void *hasty(void *unused)
{
	usleep(20000);
	pthread_mutex_lock(&b);
	if (!pthread_mutex_trylock(&a)) {
		both++;
		pthread_mutex_unlock(&a);
	}
	pthread_mutex_unlock(&b);
	return unused;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, patient, NULL);
	pthread_create(&u, NULL, hasty, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	printf("%d\n", both);
	return 0;
}
