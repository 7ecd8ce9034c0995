/* SPDX-License-Identifier: MIT */
/*
 * Memory of our own, which malloc never has: the addresses of barriers and locks in it are in the
 * log, and must not be those of blocks that the program has given back.
 */
#include <string.h>
#include <sys/mman.h>

#include "runtime/openmp/openmp.h"
#include "runtime/sys.h"

#define CHUNK (1u << 20)
#define CLASSES 48
#define LEAST 6 /* log2 of the smallest block, with its head */

struct head {
	union {
		struct head *next; /* of those that are free */
		uint64_t class;
	};
	uint64_t aligned;
};

static struct norn_spin lock;
static struct head *free_of[CLASSES];
static char *chunk, *chunk_end;

static char *map(size_t size)
{
	long p =
		NORN_SYS(mmap, 0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p < 0 && p > -4096) {
		norn_fail("no memory for OpenMP", -1, p);
		__builtin_trap();
	}
	return (char *)p;
}

static struct head *fresh(size_t size)
{
	if (size > CHUNK / 4)
		return (struct head *)map(size);
	if ((size_t)(chunk_end - chunk) < size) {
		chunk = map(CHUNK);
		chunk_end = chunk + CHUNK;
	}
	struct head *head = (struct head *)chunk;
	chunk += size;
	return head;
}

void *norn_omp_get_memory(size_t size)
{
	unsigned class = LEAST;
	while (((size_t)1 << class) < size + sizeof(struct head))
		class ++;
	norn_spin_lock(&lock);
	struct head *head = free_of[class];
	if (head)
		free_of[class] = head->next;
	else
		head = fresh((size_t)1 << class);
	norn_spin_unlock(&lock);
	head->class = class;
	return memset(head + 1, 0, size);
}

void norn_omp_free_memory(void *p)
{
	struct head *head = (struct head *)p - 1;
	if (!p)
		return;
	norn_spin_lock(&lock);
	uint64_t class = head->class;
	head->next = free_of[class];
	free_of[class] = head;
	norn_spin_unlock(&lock);
}
