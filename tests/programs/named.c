/*
 * A semaphore with a name, and mutexes that processes share.
 *
 * expect: race @one @two
 */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static sem_t *named;
static pthread_mutex_t *mutex;
static int *count;
int message, plain;

static void *one(void *unused)
{
	message = 8;
	pthread_mutex_lock(mutex);
	++*count;
	pthread_mutex_unlock(mutex);
	sem_post(named);
	plain = 1; /* @one */
	return unused;
}

int main(void)
{
	pthread_mutexattr_t shared;
	pthread_t thread;
	char name[40];
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	mutex = (pthread_mutex_t *)page;
	count = (int *)(page + 1024);
	pthread_mutexattr_init(&shared);
	pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(mutex, &shared);
	snprintf(name, sizeof(name), "/norn-test-%d", getpid());
	named = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
	sem_unlink(name);
	pthread_create(&thread, NULL, one, NULL);
	pthread_mutex_lock(mutex);
	++*count;
	pthread_mutex_unlock(mutex);
	sem_wait(named);
	int got = message;

	usleep(100000);
	got += plain; /* @two */
	pthread_join(thread, NULL);
	sem_close(named);
	printf("%d %d\n", got, *count);
	return 0;
}
