/*
 * Instructions of the program itself that have no hooks: assembly, and atomic accesses of 16 bytes.
 * What they read and write decides what a thread does next, though memory may show what it showed
 * before. Only data that nothing decides over races.
 *
 * flags: -mcx16 -latomic
 * expect: race @early @late
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct pair {
	long first, second;
};

struct triple {
	long all[3];
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int copied, word, open_data, data[4];
static int mine; /* of the second thread */
static _Alignas(16) struct pair pair;
static struct triple triple;

static void put_pair(long first)
{
	__int128 both = (__int128)7 << 64 | first;

	__atomic_store_n((__int128 *)&pair, both, __ATOMIC_SEQ_CST);
}

static void put_triple(long first)
{
	struct triple t = {{first, 2, 3}};

	__atomic_store(&triple, &t, __ATOMIC_SEQ_CST);
}

static void *publish(void *unused)
{
	for (int i = 0; i < 4; i++)
		data[i] = 1;
	open_data = 1; /* @early */
	pthread_mutex_lock(&mutex);
	copied = 1;
	__asm__ volatile("movl $1, %0" : "=m"(word) : : "memory");
	put_pair(5);
	put_triple(5);
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void *ask(void *unused)
{
	int seen, local = 1;
	long first, last;

	usleep(100000);
	open_data++; /* @late */
	mine = 1;
	pthread_mutex_lock(&mutex);
	__asm__ volatile("movl %1, %%eax; movl %%eax, %0"
			 : "=m"(mine)
			 : "m"(copied)
			 : "eax", "memory");
	__asm__ volatile("movl (%1), %%eax; movl %%eax, (%0)"
			 :
			 : "r"(&local), "r"(&copied)
			 : "eax", "memory");
	seen = word;
	first = pair.first;
	last = triple.all[0];
	pthread_mutex_unlock(&mutex);
	if (mine && local)
		data[0]++;
	if (seen)
		data[1]++;
	if (first == 5)
		data[2]++;
	if (last == 5)
		data[3]++;
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, publish, NULL);
	pthread_create(&b, NULL, ask, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d %d %d %d\n", data[0], data[1], data[2], data[3]);
	return 0;
}
