/*
 * std::thread's number is stored before the thread runs, and joining it changes it behind that.
 *
 * expect: nothing
 */
#include <cstdio>
#include <thread>

static std::thread thread;
static bool same;

int main()
{
	for (int i = 0; i < 2; i++) {
		thread = std::thread([] { same = true; });
		thread.join();
	}
	std::thread::id seen;
	std::thread other;
	other = std::thread([&] { seen = std::this_thread::get_id(); });
	std::thread::id known = other.get_id();
	other.join();
	std::printf("%d %d\n", same, seen == known);
	return 0;
}
