/*
 * Classes and exceptions: copies that a loop and tasks have of objects, what a region throws and
 * catches, objects of each thread, and a region of a std::thread.
 *
 * expect: nothing
 */
#include <cstdio>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>


struct state {
	int n = 1;
	std::string text = "x";
};
static state mine;
#pragma omp threadprivate(mine)

static int caught, total, used;
static std::mutex lock;

static void risky(int i)
{
	if (i % 3 == 0)
		throw std::runtime_error("three");
}

int main()
{
	std::vector<int> from(8, 2), to(8);
	std::shared_ptr<int> shared(new int(3));
#pragma omp parallel for
	for (auto it = from.begin(); it < from.end(); ++it)
		to[it - from.begin()] = *it;
#pragma omp parallel for
	for (int i = 0; i < 9; i++) {
		try {
			risky(i);
		} catch (const std::exception &) {
#pragma omp atomic
			caught++;
		}
	}
#pragma omp parallel num_threads(2)
	{
		mine.n++;
		mine.text += "y";
#pragma omp atomic
		total += mine.n;
	}
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 3; i++)
#pragma omp task firstprivate(shared)
	{
#pragma omp critical
		used += *shared;
	}
	std::thread other([] {
#pragma omp parallel for num_threads(2)
		for (int i = 0; i < 4; i++) {
			std::lock_guard<std::mutex> guard(lock);
			used += i;
		}
	});
#pragma omp parallel num_threads(2)
	{
		std::lock_guard<std::mutex> guard(lock);
		used++;
	}
	other.join();
	std::printf("%d %d %d %d\n", to[3], caught, total, used);
	return 0;
}
