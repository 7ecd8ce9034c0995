/* A table behind a read-write lock, used as it should be. */
#include <pthread.h>
#include <stdlib.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static long table[8];

static void *fill(void *number)
{
	pthread_rwlock_wrlock(&lock);
	table[(long)number % 8] = (long)number;
	pthread_rwlock_unlock(&lock);
	return NULL;
}

static void *look(void *number)
{
	pthread_rwlock_rdlock(&lock);
	long found = table[(long)number % 8];

	pthread_rwlock_unlock(&lock);
	return (void *)found;
}

int main(int argc, char **argv)
{
	long number = argc > 1 ? atol(argv[1]) : 0;
	pthread_t filler, looker;
	void *found;

	pthread_create(&filler, NULL, fill, (void *)number);
	pthread_create(&looker, NULL, look, (void *)number);
	pthread_join(filler, NULL);
	pthread_join(looker, &found);
	return !found || (long)found == number ? 0 : 1;
}
