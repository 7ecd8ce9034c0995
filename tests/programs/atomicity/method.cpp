// A method that should be atomic, and that an exception leaves: the region ends there, too.
#include <atomic>
#include <stdexcept>
#include <thread>

struct Counter {
	std::atomic<int> value{0}, late{0};

	void add(int n)
	{
		int now = value.load();

		if (n > 1)
			throw std::runtime_error("too much");
		value.store(now + n);
	}
};

static Counter counter;

static void work()
{
	counter.add(1);
	int late = counter.late.load();
	try {
		counter.add(2);
	} catch (const std::runtime_error &) {
	}
	counter.late.store(late + 1);
}

int main()
{
	std::thread a(work), b(work);

	a.join();
	b.join();
	return 0;
}
