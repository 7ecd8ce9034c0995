/* SPDX-License-Identifier: MIT */
/* A wait with a time limit: what is done when that is over forgets that the item may be there. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int item, taken;

static void *take(void *unused)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 1000;
	pthread_mutex_lock(&m);
	if (!item && pthread_cond_timedwait(&c, &m, &until) == ETIMEDOUT) {
#ifdef RIGHT
		taken = 1;
#endif
	} else {
		taken = item;
	}
	pthread_mutex_unlock(&m);
	return unused;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, 0, take, 0);
	pthread_mutex_lock(&m);
	item = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	pthread_join(t, 0);
	assert(taken);
	return 0;
}
