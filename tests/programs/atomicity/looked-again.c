/*
 * Right programs with two critical sections: a look before work that is worth it only then, and a
 * second look at what was read; a flag that keeps others away between them; a statistic that nobody
 * uses again; a wait in between, with a loop around it.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int cached, version, seen, turn;
static bool busy;

static void compute_once(void)
{
	pthread_mutex_lock(&lock);
	bool known = cached;
	pthread_mutex_unlock(&lock);
	if (known)
		return;
	pthread_mutex_lock(&lock);
	if (!cached)
		cached = 42;
	pthread_mutex_unlock(&lock);
}

/* Optimistic: it is tried again if somebody else came first. */
static void compare_and_set(void)
{
	for (bool done = false; !done;) {
		pthread_mutex_lock(&lock);
		int old = version;
		pthread_mutex_unlock(&lock);
		pthread_mutex_lock(&lock);
		if (version == old) {
			version = old + 1;
			done = true;
		}
		pthread_mutex_unlock(&lock);
	}
}

static void claim(void)
{
	pthread_mutex_lock(&lock);
	bool mine = !busy;
	if (mine)
		busy = true;
	pthread_mutex_unlock(&lock);
	if (!mine)
		return;
	pthread_mutex_lock(&lock);
	busy = false;
	pthread_mutex_unlock(&lock);
}

static void count(void)
{
	pthread_mutex_lock(&lock);
	int before = seen;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	seen++;
	pthread_mutex_unlock(&lock);
	if (before > 1)
		puts("often");
}

static void take_turn(int mine)
{
	pthread_mutex_lock(&lock);
	while (turn != mine)
		pthread_cond_wait(&changed, &lock);
	turn++;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static void *work(void *number)
{
	compute_once();
	compare_and_set();
	claim();
	count();
	take_turn(number != NULL);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, &b);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d %d %d\n", cached, version, turn);
	return 0;
}
