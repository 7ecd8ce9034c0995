/*
 * A loop over a container: each element is one thread's.
 *
 * expect: nothing
 */
#include <cstdio>
#include <vector>

int main()
{
	std::vector<int> v(12, 1);
	long sum = 0;
#pragma omp parallel for
	for (int &x : v)
		x += 2;
#pragma omp parallel for reduction(+ : sum) schedule(guided)
	for (auto i = v.begin(); i < v.end(); ++i)
		sum += *i;
	printf("%ld\n", sum);
	return 0;
}
