/*
 * main returns while threads are at work; what they share is guarded, also against what runs at
 * exit.
 *
 * expect: nothing
 */
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

static std::mutex &guard = *new std::mutex;
static std::string &text = *new std::string("none");

static void at_exit()
{
	std::lock_guard<std::mutex> hold(guard);
	text += "!";
}

static void work(int n)
{
	std::this_thread::sleep_for(std::chrono::milliseconds(20 * n));
	std::lock_guard<std::mutex> hold(guard);
	text += std::to_string(n);
}

int main()
{
	std::atexit(at_exit);
	for (int n = 1; n <= 3; n++)
		std::thread(work, n).detach();
	return 0;
}
