/* Methods, overloads, templates, namespaces, exceptions. */
#include <cstdio>
#include <stdexcept>

namespace lib
{
struct Pool {
	int id;
	static int total;
	explicit Pool(int n) : id(n) {}
	virtual ~Pool() {}
	int get(int n);
	int get(int n, int m) { return n + m + id; }
	virtual int put(int n) { return n; }
};

int Pool::total;

int Pool::get(int n)
{
	if (n > 3)
		throw std::runtime_error("too many");
	total += n;
	return n * 2;
}

template <class T> T twice(T x)
{
	return x + x;
}
} // namespace lib

static void outer(lib::Pool *p, int n)
{
	struct Goes {
		~Goes() { std::puts("goes"); }
	} goes;

	p->get(n);
}

int main()
{
	lib::Pool pool(5), *p = &pool;

	p->get(1);
	try {
		outer(p, 7);
	} catch (std::exception &e) {
		std::puts(e.what());
	}
	p->get(2, 3);
	p->put(4);
	std::printf("%d\n", lib::twice(4));
	return 0;
}
