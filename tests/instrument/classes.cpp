// Virtual calls, bases, members by pointer, static initialisation, lambdas, maps.
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>

static int made;

struct shape {
	int id = ++made;
	virtual ~shape() = default;
	virtual int area() const = 0;
};
struct named {
	std::string name;
	virtual std::string call() const { return "<" + name + ">"; }
	virtual ~named() = default;
};
struct square : shape, named {
	int side;
	explicit square(int n) : side(n) { name = "square"; }
	int area() const override { return side * side; }
};
struct box final : virtual square {
	int height;
	explicit box(int n) : square(n), height(n + 1) { name += "box"; }
	int area() const override { return square::area() * height; }
	std::string call() const override { return name; }
};

static std::map<std::string, int> &totals()
{
	static std::map<std::string, int> map{{"start", 1}};
	return map;
}

template <typename T> struct twice {
	T value[2];
	T sum() const { return value[0] + value[1]; }
};

int main()
{
	int square::*member = &square::side;
	int (shape::*method)() const = &shape::area;
	for (int i = 0; i < 10; i++) {
		std::unique_ptr<square> s(i % 3 ? new square(i) : nullptr);
		if (!s)
			s = std::make_unique<box>(i);
		s.get()->*member += 1;
		std::function<int(int)> add = [&s, i](int n) { return n + i + s->id; };
		totals()[s->call()] += add((*s.*method)());
	}
	for (const auto &[name, total] : totals())
		std::printf("%s %d\n", name.c_str(), total);
	twice<long> l{{made, 5}};
	twice<std::string> t{{"a", "b"}};
	std::printf("%ld %s\n", l.sum(), t.sum().c_str());
}
