/*
 * std::shared_mutex and condition_variable: a queue that several threads fill and one empties.
 *
 * expect: nothing
 */
#include <condition_variable>
#include <cstdio>
#include <map>
#include <mutex>
#include <queue>
#include <shared_mutex>
#include <string>
#include <thread>

static std::shared_mutex names_lock;
static std::map<int, std::string> names;
static std::mutex lock;
static std::condition_variable changed;
static std::queue<int> queue;

static void produce(int from)
{
	for (int i = from; i < from + 5; i++) {
		{
			std::unique_lock<std::shared_mutex> hold(names_lock);
			names[i] = std::string(20 + i, 'x');
		}
		std::lock_guard<std::mutex> hold(lock);
		queue.push(i);
		changed.notify_one();
	}
}

int main()
{
	std::thread one(produce, 0), two(produce, 5);
	size_t sum = 0;

	for (int i = 0; i < 10; i++) {
		std::unique_lock<std::mutex> hold(lock);
		changed.wait(hold, [] { return !queue.empty(); });
		int number = queue.front();
		queue.pop();
		hold.unlock();
		std::shared_lock<std::shared_mutex> read(names_lock);
		sum += names[number].size();
	}
	one.join();
	two.join();
	std::printf("%zu\n", sum);
}
