/*
 * What libuv has of locks, conditions, semaphores, barriers and threads.
 *
 * flags: -luv -pthread
 * expect: race @a @b
 */
#include <stdio.h>
#include <uv.h>

static uv_mutex_t mutex;
static uv_rwlock_t shared;
static uv_cond_t cond;
static uv_sem_t sem;
static uv_barrier_t barrier;
static uv_once_t once = UV_ONCE_INIT;
static int a, b, c, d, made, ready;
static volatile int racy;

static void make(void)
{
	made = 1;
}

static void work(void *p)
{
	(void)p;
	uv_once(&once, make);
	uv_mutex_lock(&mutex);
	a += made;
	uv_mutex_unlock(&mutex);
	uv_rwlock_wrlock(&shared);
	b++;
	uv_rwlock_wrunlock(&shared);
	c = 1;
	racy = 1; /* @a */
	uv_sem_post(&sem);
	uv_barrier_wait(&barrier);
	uv_mutex_lock(&mutex);
	d = 1;
	ready = 1;
	uv_cond_signal(&cond);
	uv_mutex_unlock(&mutex);
}

int main(void)
{
	uv_thread_t t;
	uv_mutex_init(&mutex);
	uv_rwlock_init(&shared);
	uv_cond_init(&cond);
	uv_sem_init(&sem, 0);
	uv_barrier_init(&barrier, 2);
	uv_thread_create(&t, work, NULL);
	uv_once(&once, make);
	uv_mutex_lock(&mutex);
	a += made;
	uv_mutex_unlock(&mutex);
	uv_rwlock_rdlock(&shared);
	int seen = b;
	uv_rwlock_rdunlock(&shared);
	int early = racy; /* @b */
	uv_sem_wait(&sem);
	seen = c;
	uv_barrier_wait(&barrier);
	uv_mutex_lock(&mutex);
	while (!ready)
		uv_cond_wait(&cond, &mutex);
	seen += d;
	uv_mutex_unlock(&mutex);
	uv_thread_join(&t);
	printf("%d %d %d\n", a, b, seen + (early > 1));
	return 0;
}
