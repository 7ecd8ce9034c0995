/*
 * A latch for three, and two who come. libstdc++ waits by a futex that other processes could share.
 *
 * expect: seen-stuck @main @thread
 * flags: -std=c++20
 */
#include <latch>
#include <thread>

static std::latch all(3);

static void arrive()
{
	all.arrive_and_wait(); /* @thread */
}

int main()
{
	std::thread thread(arrive);

	all.arrive_and_wait(); /* @main */
	thread.join();
	return 0;
}
