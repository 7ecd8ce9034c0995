/*
 * A loop over a container: each element is one thread's, and the sum is everybody's.
 *
 * expect: race @a @a
 */
#include <cstdio>
#include <vector>


long sum;

__attribute__((noinline)) static void add(int x)
{
	sum += x; /* @a */
}

int main()
{
	std::vector<int> v(12, 1);
#pragma omp parallel for
	for (int x : v)
		add(x);
	printf("%d\n", sum > 0);
	return 0;
}
