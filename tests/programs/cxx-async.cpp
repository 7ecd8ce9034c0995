/*
 * std::call_once, async, promise, exceptions between threads, function-local statics.
 *
 * expect: nothing
 */
#include <cstdio>
#include <future>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

static std::once_flag flag;
static int made;

static const std::string &constant()
{
	static const std::string text = "a text that is longer than what fits inside";
	return text;
}

static int work(int n)
{
	std::call_once(flag, [] { made = 1; });
	if (n == 3)
		throw std::runtime_error("three");
	return n * made + (int)constant().size();
}

int main()
{
	std::promise<int> promise;
	auto value = promise.get_future();
	std::thread giver([&] { promise.set_value(4); });
	auto a = std::async(std::launch::async, work, 1);
	auto b = std::async(std::launch::async, work, 2);
	auto c = std::async(std::launch::async, work, 3);
	int sum = a.get() + b.get() + value.get();

	giver.join();
	try {
		c.get();
	} catch (const std::runtime_error &e) {
		std::printf("%s ", e.what());
	}
	std::printf("%d\n", sum);
}
