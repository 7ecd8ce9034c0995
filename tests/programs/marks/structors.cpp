/* Functions of which the compiler makes several: constructors, destructors, virtual functions of a
 * second or virtual base. */
struct First {
	long a = 1;
	virtual ~First();
};

struct Second {
	long b = 2;
	virtual ~Second();
	virtual int get(int n) { return n; }
	virtual Second *self() { return this; }
};

struct Shared {
	int n;
	explicit Shared(int n);
	~Shared();
};

struct Both : First, Second, virtual Shared {
	explicit Both(int n);
	~Both() override;
	int get(int n) override;
	Both *self() override { return this; }
};

struct Plain {
	int n;
	explicit Plain(int n);
	~Plain();
};

struct Inherits : Plain {
	using Plain::Plain;
};

First::~First() {}
Second::~Second() {}
Shared::Shared(int n) : n(n) {}
Shared::~Shared() {}
Both::Both(int n) : Shared(n) {}
int Both::get(int n) { return n + 1; }
Both::~Both() { b = 0; }
Plain::Plain(int n) : n(n) {}
Plain::~Plain()
{
	if (n == 3)
		Plain other(4);
}

int main()
{
	Second *second = new Both(1);
	int n = second->self()->get(5);
	delete second;
	{
		Both both(2);
	}
	{
		Plain plain(3);
	}
	{
		Inherits inherits(6);
	}
	return n - 6;
}
