// Exceptions through frames with and without something to clean up.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

static int alive, thrown;

struct counted {
	int n;
	explicit counted(int k) : n(k)
	{
		alive++;
		if (k == 13)
			throw std::runtime_error("thirteen");
	}
	counted(const counted &o) : n(o.n) { alive++; }
	~counted() { alive--; }
};

static int deep(int n, std::vector<counted> &all)
{
	counted here(n);
	all.push_back(here);
	if (n % 7 == 6)
		throw n;
	if (n > 20)
		throw std::string("too deep");
	return n < 4 ? here.n : deep(n - 2, all) + all.back().n;
}

int main()
{
	std::vector<counted> all;
	int sum = 0;
	for (int i = 0; i < 26; i++) {
		try {
			sum += deep(i, all);
		} catch (int n) {
			thrown += n;
		} catch (const std::string &s) {
			thrown += (int)s.size();
		} catch (const std::exception &e) {
			std::printf("%s\n", e.what());
			try {
				throw;
			} catch (...) {
				thrown++;
			}
		}
	}
	std::printf("%d %d %d %zu\n", sum, thrown, alive, all.size());
}
