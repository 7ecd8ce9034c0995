/*
 * std::thread, mutex, lock_guard, scoped_lock, recursive and timed mutexes. The count is guarded
 * twice, each time by other locks.
 *
 * expect: race @both @again
 * expect: race @one @two
 * output: varies
 */
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex a, b;
static std::recursive_mutex again;
static std::timed_mutex timed;
static int count, unguarded;

static void add(int n)
{
	for (int i = 0; i < n; i++) {
		std::scoped_lock both(a, b);
		count++; /* @both */
	}
	std::lock_guard<std::recursive_mutex> outer(again);
	std::lock_guard<std::recursive_mutex> inner(again);
	count += timed.try_lock_for(std::chrono::seconds(5)); /* @again */
	timed.unlock();
}

int main()
{
	std::vector<std::thread> threads;

	for (int i = 0; i < 2; i++)
		threads.emplace_back(add, 10);
	for (auto &t : threads)
		t.join();
	threads.clear();
	threads.emplace_back([] {
		unguarded = 1; /* @one */
	});
	threads.emplace_back([] {
		std::this_thread::sleep_for(std::chrono::milliseconds(100));
		unguarded = 2; /* @two */
	});
	for (auto &t : threads)
		t.join();
	std::printf("%d %d\n", count, unguarded);
}
