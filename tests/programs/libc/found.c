/*
 * Functions of libc that dlsym has found. One thread writes data and then tells by them, the other waits for that by
 * them, and reads: that is right in each of the ways. The twin is touched on both sides of it, and races.
 *
 * expect: race @before @behind
 * flags: -ldl
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "ways.h"

static int ends[2], flag, result;
static char byte;
static sem_t told;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t thread;
static int (*lock_found)(pthread_mutex_t *), (*unlock_found)(pthread_mutex_t *);
static int (*lock_next)(pthread_mutex_t *), (*unlock_next)(pthread_mutex_t *);
static int (*post_found)(sem_t *), (*wait_found)(sem_t *);
static ssize_t (*write_found)(int, const void *, size_t), (*read_found)(int, void *, size_t);
static int (*set_limit)(int, const struct rlimit *), (*get_limit)(int, struct rlimit *);
static int (*create_found)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
static int (*join_found)(pthread_t, void **);

static void behind(void)
{
	twin = 1; /* @behind */
}

static void before(void)
{
	twin = 2; /* @before */
}

static int get(int (*take)(pthread_mutex_t *), int (*give)(pthread_mutex_t *))
{
	take(&lock);
	int r = flag;
	give(&lock);
	return r;
}

static void set(int (*take)(pthread_mutex_t *), int (*give)(pthread_mutex_t *))
{
	take(&lock);
	flag = 1;
	give(&lock);
}

static int soft_limit(void)
{
	struct rlimit limit;
	get_limit(RLIMIT_CORE, &limit);
	return (int)limit.rlim_cur;
}

static void open_pipe(void)
{
	if (pipe(ends))
		abort();
}

static void *work(void *p)
{
	result = 1;
	return p;
}

WAY(locks, , set(lock_found, unlock_found), POLL(!get(lock_found, unlock_found)))
WAY(next, flag = 0, set(lock_next, unlock_next), POLL(!get(lock_next, unlock_next)))
WAY(mixed, flag = 0, set(pthread_mutex_lock, unlock_found), POLL(!get(lock_next, pthread_mutex_unlock)))
WAY(semaphore, sem_init(&told, 0, 0), post_found(&told), wait_found(&told))
WAY(data, open_pipe(), write_found(ends[1], "x", 1), read_found(ends[0], &byte, 1))
WAY(half, open_pipe(), write_found(ends[1], "x", 1), read(ends[0], &byte, 1))
WAY(limit, set_limit(RLIMIT_CORE, &(struct rlimit){30, 40}), set_limit(RLIMIT_CORE, &(struct rlimit){10, 40}), POLL(soft_limit() != 10))

static void *find(void *where, const char *name)
{
	dlerror();
	void *found = dlsym(where, name);
	if (!found || dlerror())
		abort();
	return found;
}

int main(void)
{
	void *libc = dlopen("libc.so.6", RTLD_NOW);
	lock_found = find(libc, "pthread_mutex_lock");
	unlock_found = find(RTLD_DEFAULT, "pthread_mutex_unlock");
	lock_next = find(RTLD_NEXT, "pthread_mutex_lock");
	unlock_next = find(RTLD_NEXT, "pthread_mutex_unlock");
	post_found = find(libc, "sem_post");
	wait_found = find(libc, "sem_wait");
	write_found = find(libc, "write");
	read_found = find(RTLD_DEFAULT, "read");
	set_limit = find(libc, "setrlimit");
	get_limit = find(libc, "getrlimit");
	create_found = find(libc, "pthread_create");
	join_found = find(libc, "pthread_join");
	RUN(locks);
	RUN(next);
	RUN(mixed);
	RUN(semaphore);
	RUN(data);
	RUN(half);
	RUN(limit);
	create_found(&thread, NULL, work, NULL);
	join_found(thread, NULL);
	result++;
	printf("%d\n", result);
	return 0;
}
