/*
 * pthread_once orders what is made before all uses; a flag that is made by hand does not.
 *
 * expect: race @set @test
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int made, by_hand;

static void make(void)
{
	made = 3;
}

static void *first(void *unused)
{
	pthread_once(&once, make);
	by_hand = made; /* @set */
	return unused;
}

static void *second(void *unused)
{
	usleep(100000);
	pthread_once(&once, make);
	return (void *)(long)(by_hand + made + (unused != NULL)); /* @test */
}

int main(void)
{
	pthread_t a, b;
	void *sum;

	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, &sum);
	printf("%ld\n", (long)sum);
	return 0;
}
