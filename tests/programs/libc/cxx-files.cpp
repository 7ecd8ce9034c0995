/*
 * Files by the library of C++, which calls libc itself: what was done before one was written, or
 * moved to its place, comes before what is done by who finds it.
 *
 * expect: nothing
 */
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <unistd.h>

static std::string directory, name, other;
static int data;

static void write_it()
{
	data = 1;
	std::ofstream(name) << 6 << std::endl;
}

static void read_it()
{
	int number = 0;

	while (number != 6) {
		std::ifstream file(name);
		if (!(file >> number))
			number = 0;
		usleep(100);
	}
	data++;
}

static void move_it()
{
	data = 3;
	std::ofstream(other) << 6;
	std::filesystem::rename(other, name);
}

static void look_for_it()
{
	while (!std::filesystem::exists(name))
		usleep(100);
	data++;
}

static void make_directory()
{
	data = 5;
	std::filesystem::create_directory(name);
}

static void list_it()
{
	while (std::filesystem::is_empty(directory))
		usleep(100);
	data++;
}

static void resolve_it()
{
	std::error_code error;

	do {
		usleep(100);
		std::filesystem::canonical(name, error);
	} while (error);
	data++;
}

static void go_there()
{
	data = 7;
	std::filesystem::current_path("/usr");
}

static void be_there()
{
	while (std::filesystem::current_path() != "/usr")
		usleep(100);
	data++;
}

static void pair(void (*first)(), void (*second)())
{
	std::thread b(second), a(first);

	a.join();
	b.join();
	std::filesystem::remove(name);
}

int main()
{
	char pattern[] = "/tmp/norn-cxx-files.XXXXXX";

	directory = mkdtemp(pattern);
	name = directory + "/name";
	other = directory + "/other";
	pair(write_it, read_it);
	int sum = data;
	pair(move_it, look_for_it);
	sum += data;
	pair(make_directory, look_for_it);
	sum += data;
	pair(make_directory, list_it);
	sum += data;
	pair(make_directory, resolve_it);
	sum += data;
	pair(go_there, be_there);
	sum += data;
	std::filesystem::remove(directory);
	std::printf("%d\n", sum);
	return 0;
}
