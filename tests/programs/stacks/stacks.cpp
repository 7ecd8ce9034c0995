// SPDX-License-Identifier: MIT
// Two threads do the same without a lock. Each variable is written in calls of one shape.
#include <atomic>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>

#define KEPT __attribute__((noinline))

int deep, after_deep, after_throw, after_jump, in_callback, after_quiet, after_spin, inlined, tail;
int turn_taken;
static std::atomic<int> turn;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int zero;

KEPT static void recurse(int n)
{
	if (n)
		recurse(n - 1);
	else
		deep = 1;
	if (n == 1)
		after_deep = 1;
}

KEPT static void throws(int n)
{
	if (n)
		throws(n - 1);
	else if (!zero)
		throw n;
	turn_taken = zero;
}

KEPT static void catches()
{
	try {
		throws(3);
	} catch (int) {
		after_throw = 1;
	}
}

static __thread jmp_buf back;

KEPT static void jumps(int n)
{
	if (n)
		jumps(n - 1);
	else if (!zero)
		longjmp(back, 1);
	turn_taken = zero;
}

KEPT static void lands()
{
	if (!setjmp(back))
		jumps(2);
	after_jump = 1;
}

KEPT static int compare(const void *a, const void *b)
{
	in_callback = 1;
	return *(const int *)a - *(const int *)b;
}

KEPT static void sorts()
{
	int numbers[] = {2, 1};
	qsort(numbers, 2, sizeof *numbers, compare);
}

KEPT static int quiet(int n)
{
	return n ? quiet(n - 1) + zero : 0;
}

KEPT static void calls_quiet()
{
	after_quiet = quiet(5);
}

KEPT static int is_my_turn()
{
	return turn.load();
}

KEPT static void spins()
{
	while (!is_my_turn())
		;
	after_spin = 1;
}

static inline void innermost()
{
	inlined = 1;
}

static inline void between()
{
	innermost();
}

KEPT static void outermost()
{
	between();
}

KEPT static int last(int n)
{
	tail = n;
	return n;
}

KEPT static int calls_last(int n)
{
	return last(n + zero);
}

KEPT static void takes()
{
	pthread_mutex_lock(&lock);
}

int guarded, *block;

KEPT static void guards()
{
	takes();
	guarded = 1;
	pthread_mutex_unlock(&lock);
}

KEPT static void *work(void *arg)
{
	recurse(3);
	catches();
	lands();
	sorts();
	calls_quiet();
	spins();
	outermost();
	calls_last(1);
	return arg;
}

KEPT static void *guards_first(void *arg)
{
	guards();
	return work(arg);
}

KEPT static void *guards_not(void *arg)
{
	guarded = 2;
	*block = 1;
	return work(arg);
}

KEPT static void frees()
{
	free(block);
}

KEPT static void starts(pthread_t *thread, void *(*function)(void *))
{
	pthread_create(thread, nullptr, function, nullptr);
}

int main()
{
	pthread_t a, b;
	block = (int *)malloc(sizeof *block);
	starts(&a, guards_first);
	starts(&b, guards_not);
	turn = 1;
	pthread_join(a, nullptr);
	if (zero)
		frees();
	pthread_join(b, nullptr);
	frees();
	return 0;
}
