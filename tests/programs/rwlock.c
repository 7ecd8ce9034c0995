/*
 * Readers and writers of a table; one reader forgets the lock.
 *
 * expect: race @write @forgot
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int table[4], seen[2];

static void *reader(void *number)
{
	int i = (int)(long)number;

	for (int round = 0; round < 3; round++) {
		pthread_rwlock_rdlock(&lock);
		for (int j = 0; j < 3; j++)
			seen[i] |= table[j];
		pthread_rwlock_unlock(&lock);
	}
	return NULL;
}

static void *writer(void *unused)
{
	pthread_rwlock_wrlock(&lock);
	for (int j = 0; j < 3; j++)
		table[j] = 1;
	table[3] = 5; /* @write */
	pthread_rwlock_unlock(&lock);
	return unused;
}

static void *careless(void *unused)
{
	usleep(100000);
	if (pthread_rwlock_tryrdlock(&lock) == 0)
		pthread_rwlock_unlock(&lock);
	return (void *)(long)(table[3] + (unused != NULL)); /* @forgot */
}

int main(void)
{
	pthread_t threads[4];
	void *result;

	pthread_create(&threads[0], NULL, reader, (void *)0);
	pthread_create(&threads[1], NULL, writer, NULL);
	pthread_create(&threads[2], NULL, reader, (void *)1);
	pthread_create(&threads[3], NULL, careless, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	pthread_join(threads[3], &result);
	printf("%d %ld\n", table[0] + table[1] + table[2], (long)result);
	return 0;
}
