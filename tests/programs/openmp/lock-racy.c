/*
 * One thread has another lock than the others.
 *
 * expect: race @a @b
 */
#include <omp.h>
#include <stdio.h>

int x;
omp_lock_t lock, other;

__attribute__((noinline)) static void one(void)
{
	x++; /* @a */
}

__attribute__((noinline)) static void two(void)
{
	x += 2; /* @b */
}

int main(void)
{
	omp_init_lock(&lock);
	omp_init_lock(&other);
#pragma omp parallel sections
	{
#pragma omp section
		{
			omp_set_lock(&lock);
			one();
			omp_unset_lock(&lock);
		}
#pragma omp section
		if (omp_test_lock(&other)) {
			two();
			omp_unset_lock(&other);
		}
	}
	omp_destroy_lock(&lock);
	omp_destroy_lock(&other);
	printf("%d\n", x > 0);
	return 0;
}
