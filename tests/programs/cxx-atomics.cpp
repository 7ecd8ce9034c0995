/*
 * std::atomic of several sizes, fetch_add, compare_exchange, a spin lock made of a flag, fences.
 *
 * expect: nothing
 */
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <thread>

static std::atomic<uint8_t> byte;
static std::atomic<int> whole;
static std::atomic<uint64_t> wide;
static std::atomic<bool> done;
static std::atomic_flag flag = ATOMIC_FLAG_INIT;
static int guarded, message;

static void work()
{
	for (int i = 0; i < 10; i++) {
		byte++;
		whole.fetch_add(2, std::memory_order_relaxed);
		uint64_t old = wide.load();
		while (!wide.compare_exchange_weak(old, old + 3))
			;
		while (flag.test_and_set(std::memory_order_acquire))
			std::this_thread::sleep_for(std::chrono::milliseconds(1));
		guarded++;
		flag.clear(std::memory_order_release);
	}
}

int main()
{
	std::thread one(work), two(work);
	std::thread sender([] {
		message = 9;
		done.store(true, std::memory_order_release);
	});

	while (!done.load(std::memory_order_acquire))
		std::this_thread::sleep_for(std::chrono::milliseconds(1));
	int got = message;
	one.join();
	two.join();
	sender.join();
	std::printf("%d %d %llu %d %d\n", byte.load(), whole.load(),
		    (unsigned long long)wide.load(), guarded, got);
}
