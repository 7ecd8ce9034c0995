// Whoever comes first makes it.
#include <thread>

static int get(int name)
{
#ifdef RIGHT
	static int maker = name > 0;
#else
	static int maker = name;
#endif
	return maker;
}

int main()
{
	std::thread a(get, 1), b(get, 2);

	a.join();
	b.join();
	return get(3) != 1;
}
