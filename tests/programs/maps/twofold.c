/*
 * Memory that has two names: it is mapped at two addresses, or it is the contents of a file that is
 * also read or written. `data` is guarded by a lock or handed over by a flag that is such memory;
 * that is right. `twin` is not guarded: it races with -DRACY.
 *
 *	twofold WAY
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

struct page {
	pthread_mutex_t lock;
	atomic_int flag;
};

static struct page *one, *other;
static int data, fd;
static volatile int twin;
static const char *way;

static int is(const char *name)
{
	return strcmp(way, name) == 0;
}

static struct page *map(void)
{
	return mmap(NULL, sizeof(struct page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

static void map_file(void)
{
	fd = memfd_create("twofold", 0);
	if (ftruncate(fd, sizeof(struct page)))
		abort();
	one = other = map();
	if (is("lock") || is("flag"))
		other = map();
	if (is("again")) { /* one after the other */
		munmap(one, sizeof(struct page));
		one = other = map();
	}
}

static void map_pages(void)
{
	if (is("remap")) {
		one = mmap(NULL, sizeof(struct page), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		other = mremap(one, 0, sizeof(struct page), MREMAP_MAYMOVE);
	} else if (is("segment")) {
		int segment = shmget(IPC_PRIVATE, sizeof(struct page), 0600);

		one = shmat(segment, NULL, 0);
		other = shmat(segment, NULL, 0);
		shmctl(segment, IPC_RMID, NULL);
	} else {
		map_file();
	}
	if (one == MAP_FAILED || other == MAP_FAILED)
		abort();
}

static void set(void)
{
	int yes = 1;

	if (!is("write"))
		one->flag = 1;
	else if (pwrite(fd, &yes, sizeof yes, offsetof(struct page, flag)) != sizeof yes)
		abort();
}

static int is_set(void)
{
	int now;

	if (!is("read"))
		return other->flag;
	if (pread(fd, &now, sizeof now, offsetof(struct page, flag)) != sizeof now)
		abort();
	return now;
}

static int locks(void)
{
	return is("lock") || is("again");
}

static void add_locked(pthread_mutex_t *lock)
{
	pthread_mutex_lock(lock);
	data++;
	pthread_mutex_unlock(lock);
}

static void *first(void *unused)
{
	if (locks()) {
		add_locked(&one->lock);
	} else {
		data = 1;
		set();
	}
	twin = 1;
	return unused;
}

static void *second(void *unused)
{
#ifdef RACY
	twin = 2;
#endif
	if (locks()) {
		add_locked(&other->lock);
	} else {
		while (!is_set())
			usleep(100);
		data++;
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_mutexattr_t shared;
	pthread_t a, b;

	way = argc > 1 ? argv[1] : "once";
	map_pages();
	pthread_mutexattr_init(&shared);
	pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&one->lock, &shared);
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", data);
	return 0;
}
