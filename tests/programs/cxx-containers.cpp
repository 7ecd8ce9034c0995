/*
 * Trees and lists, whose links libstdc++ itself changes, and strings: they are as they should be after
 * each of many changes; and who comes second sees that another thread was there, so that x, y and z
 * are not written by both at the same time.
 *
 * flags: -std=c++17
 * expect: nothing
 */
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

static unsigned state = 1;

static int next(int most)
{
	state = state * 1103515245 + 12345;
	return (int)(state >> 16) % most;
}

static void check(bool good, const char *what)
{
	if (good)
		return;
	std::printf("%s\n", what);
	std::abort();
}

/* The same numbers as libstdc++ gives: what is printed is compared. */
static void hashes()
{
	std::string text;
	for (int i = 0; i < 30; i++) {
		std::printf("%zx ", std::hash<std::string>()(text));
		text += (char)('a' + 7 * i);
	}
	std::printf("\n");
}

static void trees()
{
	std::multiset<int> tree;
	std::vector<int> sorted;
	for (int i = 0; i < 400; i++) {
		int n = next(100);
		auto at = tree.find(n);
		if (at != tree.end() && next(2)) {
			tree.erase(at);
			sorted.erase(std::find(sorted.begin(), sorted.end(), n));
		} else {
			tree.insert(n);
			sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), n), n);
		}
		if (i % 10)
			continue;
		check(std::equal(tree.begin(), tree.end(), sorted.begin(), sorted.end()), "forwards");
		check(std::equal(tree.rbegin(), tree.rend(), sorted.rbegin(), sorted.rend()), "backwards");
	}
	while (!tree.empty())
		tree.erase(next(2) ? tree.begin() : std::prev(tree.end()));
	tree.insert(1);
	check(*tree.begin() == 1 && *tree.rbegin() == 1, "begun again");
}

static void lists()
{
	std::list<int> list, others;
	std::vector<int> same;
	for (int i = 0; i < 200; i++) {
		int place = next((int)same.size() + 1);
		if (!same.empty() && next(3) == 0) {
			place %= (int)same.size();
			list.erase(std::next(list.begin(), place));
			same.erase(same.begin() + place);
		} else {
			list.insert(std::next(list.begin(), place), i);
			same.insert(same.begin() + place, i);
		}
	}
	others.splice(others.end(), list, std::next(list.begin(), 2), list.end());
	check(list.size() == 2 && std::equal(others.begin(), others.end(), same.begin() + 2, same.end()),
	      "spliced");
	others.sort();
	std::sort(same.begin() + 2, same.end());
	check(std::equal(others.begin(), others.end(), same.begin() + 2, same.end()), "sorted");
}

static std::mutex lock;
static std::map<int, int> table;
static std::list<int> list;
static std::string text;
int x, y, z;

int main()
{
	hashes();
	trees();
	lists();
	std::thread t([] {
		std::this_thread::sleep_for(std::chrono::milliseconds(50));
		lock.lock();
		table.emplace(7, 1);
		list.push_back(7);
		text.append("a text that is long enough");
		lock.unlock();
		x = 2;
		y = 2;
		z = 2;
	});
	lock.lock();
	if (!table.count(7))
		x = 1;
	if (list.begin() == list.end())
		y = 1;
	if (text.empty())
		z = 1;
	lock.unlock();
	t.join();
	std::printf("%d %d %d\n", x, y, z);
}
