/* SPDX-License-Identifier: MIT */
/*
 * What memory held before the recording decides: a gate is shut, in a global, on the heap, on a
 * stack and in a variable of a thread's own. One thread opens it behind a write, by the first thing
 * that it does with it in the recording; the other looks at it only then. That the gate might never
 * have been shut would be a race.
 */
#include <norn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_int global, *heap, *stack, *own;
static atomic_int looks;
static _Thread_local atomic_int local;
static int data[4];
static pthread_barrier_t barrier;

static void *look(void *arg)
{
	int sum = 0;

	(void)arg;
	pthread_barrier_wait(&barrier);
	while (!atomic_load(&looks))
		;
	if (atomic_load(&global) == 0)
		sum += data[0];
	if (atomic_load(heap) == 0)
		sum += data[1];
	if (atomic_load(stack) == 0)
		sum += data[2];
	if (atomic_load(own) == 0)
		sum += data[3];
	printf("%d\n", sum);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	atomic_int here = 1;

	pthread_barrier_init(&barrier, NULL, 2);
	heap = malloc(sizeof *heap);
	*heap = global = local = 1;
	stack = &here;
	own = &local;
	pthread_create(&thread, NULL, look, NULL);
	pthread_barrier_wait(&barrier);
	NORN_START();
	data[0] = data[1] = data[2] = data[3] = 1;
	atomic_store(&global, 0);
	atomic_store(heap, 0);
	atomic_store(stack, 0);
	atomic_store(own, 0);
	atomic_store(&looks, 1);
	pthread_join(thread, NULL);
	return 0;
}
