/*
 * <threads.h>: mutex, condition, once, thread-specific storage.
 *
 * expect: race @plain @plain
 */
#include <stdio.h>
#include <threads.h>
#include <time.h>

static mtx_t lock, timed;
static cnd_t changed;
static once_flag flag = ONCE_FLAG_INIT;
static tss_t key;
static int count, made, ready, plain;

static void make(void)
{
	made++;
}

static int work(void *number)
{
	call_once(&flag, make);
	thrd_sleep(&(struct timespec){.tv_nsec = 50000000 * *(int *)number}, NULL);
	plain++; /* @plain */
	for (int i = 0; i < 20; i++) {
		mtx_lock(&lock);
		count++;
		mtx_unlock(&lock);
	}
	tss_set(key, number);
	mtx_lock(&lock);
	ready++;
	cnd_signal(&changed);
	mtx_unlock(&lock);
	return *(int *)tss_get(key) + made;
}

int main(void)
{
	thrd_t threads[2];
	int numbers[2] = {0, 2}, results[2];

	mtx_init(&lock, mtx_plain);
	mtx_init(&timed, mtx_timed | mtx_recursive);
	cnd_init(&changed);
	tss_create(&key, NULL);
	for (int i = 0; i < 2; i++)
		thrd_create(&threads[i], work, &numbers[i]);
	mtx_lock(&lock);
	while (ready < 2)
		cnd_wait(&changed, &lock);
	mtx_unlock(&lock);
	for (int i = 0; i < 2; i++)
		thrd_join(threads[i], &results[i]);
	int busy = mtx_trylock(&timed) == thrd_success && mtx_trylock(&timed) == thrd_success;

	mtx_unlock(&timed);
	mtx_unlock(&timed);
	printf("%d %d %d %d %d\n", count, results[0], results[1], plain, busy);
	return 0;
}
