/* A thread ends the program with a status that is computed, without a branch, of what another one writes. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *works(void *unused)
{
	pthread_mutex_lock(&lock);
	done = 1;
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *ends(void *worker)
{
#ifdef RIGHT
	pthread_join(*(pthread_t *)worker, NULL);
#else
	(void)worker;
#endif
	pthread_mutex_lock(&lock);
	int status = done ^ 1;
	pthread_mutex_unlock(&lock);
	exit(status);
}

int main(void)
{
	pthread_t worker, last;

	pthread_create(&worker, NULL, works, NULL);
	pthread_create(&last, NULL, ends, &worker);
	pthread_join(last, NULL);
	return 0;
}
