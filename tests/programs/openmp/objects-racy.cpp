/*
 * A member that all threads add to, what is counted when something was thrown, and a region of a
 * std::thread beside one of the first thread.
 *
 * expect: race @add @add
 */
#include <cstdio>
#include <stdexcept>
#include <thread>


struct counter {
	int n = 0;
	__attribute__((noinline)) void add(int i)
	{
		n += i; /* @add */
	}
	void all()
	{
#pragma omp parallel for
		for (int i = 0; i < 8; i++)
			add(i);
	}
};

static counter first, thrown, both;

int main()
{
	first.all();
#pragma omp parallel for schedule(static, 1)
	for (int i = 0; i < 8; i++) {
		try {
			throw std::runtime_error("each");
		} catch (const std::exception &) {
			thrown.add(1);
		}
	}
	std::thread other([] {
#pragma omp parallel num_threads(2)
#pragma omp master
		both.add(1);
	});
	both.add(2);
	other.join();
	std::printf("%d\n", thrown.n > 0);
	return 0;
}
