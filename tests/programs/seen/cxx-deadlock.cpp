/*
 * The same in C++; and the one who waits for the result waits, too.
 *
 * expect: seen-deadlock @one @two
 */
#include <atomic>
#include <future>
#include <mutex>
#include <thread>

static std::mutex a, b;
static std::atomic<int> there;

static void meet()
{
	there++;
	while (there < 2)
		std::this_thread::yield();
}

int main()
{
	std::promise<int> result;
	std::thread t([&] {
		a.lock();
		meet();
		b.lock(); /* @one */
		result.set_value(1);
	});
	std::thread u([&] {
		b.lock();
		meet();
		a.lock(); /* @two */
		result.set_value(2);
	});
	int got = result.get_future().get();
	t.join();
	u.join();
	return got;
}
