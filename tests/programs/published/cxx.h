/* What the ways of cxx.ways use. */
#include <algorithm>
#include <any>
#include <array>
#include <atomic>
#include <bitset>
#include <charconv>
#include <chrono>
#include <complex>
#include <cstdio>
#include <cstring>
#include <deque>
#include <forward_list>
#include <functional>
#include <iomanip>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <queue>
#include <set>
#include <shared_mutex>
#include <sstream>
#include <stack>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <tuple>
#include <typeinfo>
#include <unistd.h>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

static int failures;

static void fail(const char *way)
{
	std::fprintf(stderr, "%s: never published\n", way);
	failures = 1;
}

static void both(void *(*publishes)(void *), void *(*asks)(void *))
{
	std::thread a(publishes, nullptr), b(asks, nullptr);

	a.join();
	b.join();
}
