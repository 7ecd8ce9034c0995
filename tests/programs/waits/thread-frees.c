/*
 * A thread detaches itself and frees the memory that its number is in, which is written before it
 * runs. (The race on that number is for others to tell.)
 *
 * expect: nothing
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct item {
	long value;
	pthread_t thread;
};

static void *run(void *argument)
{
	struct item *item = argument;

	pthread_detach(pthread_self());
	item->value = 1;
	free(item);
	return NULL;
}

int main(void)
{
	for (int i = 0; i < 50; i++) {
		struct item *item = malloc(sizeof(*item));

		item->value = 0;
		pthread_create(&item->thread, NULL, run, item);
		usleep(200);
	}
	usleep(100000);
	return 0;
}
