/* A plugin in C++, with threads of its own. The host is host.c. */
#include <mutex>
#include <thread>

namespace
{
std::mutex lock;
int counter, guarded;
volatile int written;
}

extern "C" volatile int *shown()
{
	return &written;
}

extern "C" void threads_racy(int)
{
	std::thread a([] { counter++; /* @own */ });
	std::thread b([] { counter += 2; /* @other */ });
	a.join();
	b.join();
}

extern "C" void threads_right(int)
{
	auto add = [] {
		std::lock_guard<std::mutex> held(lock);
		guarded++;
	};
	std::thread a(add), b(add);
	a.join();
	b.join();
}
