/* THREADS LINES: words of made-up lines, counted by threads that share a queue of lines and a map
 * of words. */
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

class lines
{
	std::mutex lock;
	std::condition_variable changed;
	std::deque<std::unique_ptr<std::string>> waiting;
	bool over = false;

      public:
	void put(std::string line)
	{
		std::lock_guard<std::mutex> guard(lock);
		waiting.push_back(std::make_unique<std::string>(std::move(line)));
		changed.notify_one();
	}

	void end()
	{
		std::lock_guard<std::mutex> guard(lock);
		over = true;
		changed.notify_all();
	}

	std::unique_ptr<std::string> take()
	{
		std::unique_lock<std::mutex> guard(lock);
		changed.wait(guard, [this] { return over || !waiting.empty(); });
		if (waiting.empty())
			return nullptr;
		auto line = std::move(waiting.front());
		waiting.pop_front();
		return line;
	}
};

class words
{
	std::mutex lock;
	std::map<std::string, long> counts;
	size_t longest = 0;

      public:
	void add(const std::vector<std::string> &some)
	{
		std::lock_guard<std::mutex> guard(lock);
		for (const auto &word : some) {
			counts[word]++;
			longest = std::max(longest, word.size());
		}
	}

	void print() const
	{
		long all = 0;

		for (const auto &[word, count] : counts)
			all += count;
		std::printf("%zu words, %ld in all, of up to %zu letters\n", counts.size(), all,
			    longest);
	}
};

static void count(lines &from, words &to)
{
	while (auto line = from.take()) {
		std::vector<std::string> some;
		std::string word;

		for (char c : *line)
			if (c != ' ') {
				word += c;
			} else if (!word.empty()) {
				some.push_back(word);
				word.clear();
			}
		to.add(some);
	}
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? std::atoi(argv[1]) : 4;
	long n = argc > 2 ? std::atol(argv[2]) : 1000;
	unsigned seed = 1;
	lines queue;
	words counted;
	std::vector<std::thread> workers;

	for (int i = 0; i < threads; i++)
		workers.emplace_back(count, std::ref(queue), std::ref(counted));
	for (long i = 0; i < n; i++) {
		std::string line;

		for (int k = 0; k < 8; k++) {
			seed = seed * 1103515245 + 12345;
			line += std::string(1 + seed / 65536 % 5, (char)('a' + seed / 4096 % 26)) +
				' ';
		}
		queue.put(line);
	}
	queue.end();
	for (auto &worker : workers)
		worker.join();
	counted.print();
}
