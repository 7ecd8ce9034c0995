/* A plugin: what its functions share, and by what. The host is host.c. */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter, guarded;
static volatile int written;

volatile int *shown(void)
{
	return &written;
}

/* With time for the other thread to come, and without a word to it. */
void racy(int who)
{
	usleep(who == 1 ? 60000 : 50000);
	counter += who; /* @racy */
	usleep(100000);
	written = who; /* @written */
}

void right(int who)
{
	usleep(5000);
	pthread_mutex_lock(&lock);
	guarded += who;
	pthread_mutex_unlock(&lock);
	usleep(20000);
}

static void *run_racy(void *unused)
{
	counter++; /* @own */
	return unused;
}

static void *run_right(void *unused)
{
	pthread_mutex_lock(&lock);
	guarded++;
	pthread_mutex_unlock(&lock);
	return unused;
}

static void run_twice(void *(*run)(void *))
{
	pthread_t a, b;

	pthread_create(&a, NULL, run, NULL);
	pthread_create(&b, NULL, run, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}

void threads_racy(int who)
{
	(void)who;
	run_twice(run_racy);
}

void threads_right(int who)
{
	(void)who;
	run_twice(run_right);
}
