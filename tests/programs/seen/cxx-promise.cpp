/*
 * Nobody keeps the promise.
 *
 * expect: seen-stuck @get @join
 */
#include <future>
#include <thread>

int main()
{
	std::promise<int> promise;
	std::future<int> future = promise.get_future();
	std::thread t([&] {
		future.get(); /* @get */
	});
	t.join(); /* @join */
	return 0;
}
