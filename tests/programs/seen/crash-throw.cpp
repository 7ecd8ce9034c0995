/*
 * Nobody catches the exception.
 *
 * status: 134
 * expect: seen-crash @throw
 */
#include <stdexcept>
#include <thread>

static void run()
{
	throw std::runtime_error("nobody catches it"); /* @throw */
}

int main()
{
	std::thread t(run);

	t.join();
	return 0;
}
