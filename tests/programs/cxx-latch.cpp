/*
 * C++20: latch, barrier, counting_semaphore, atomic wait and notify, jthread. The main thread reads
 * what is already being written again.
 *
 * flags: -std=c++20
 * expect: race @again @sum
 */
#include <atomic>
#include <barrier>
#include <cstdio>
#include <latch>
#include <semaphore>
#include <thread>

static std::latch ready(2);
static std::barrier<> phase(2);
static std::counting_semaphore<4> items(0);
static std::atomic<int> turn;
static int made[2], handed, waited;
int shared_sum;

static void work(int mine)
{
	made[mine] = mine + 1;
	ready.count_down();
	phase.arrive_and_wait();
	int other = made[1 - mine];
	phase.arrive_and_wait();
	made[mine] = other * 10; /* @again */
}

int main()
{
	{
		std::jthread one(work, 0), two(work, 1);
		ready.wait();
		shared_sum = made[0] + made[1]; /* @sum */
	}
	std::jthread giver([] {
		handed = 4;
		items.release();
		waited = 5;
		turn = 1;
		turn.notify_all();
	});
	items.acquire();
	int got = handed;
	turn.wait(0);
	got += waited;
	giver.join();
	std::printf("%d %d %d\n", made[0], made[1], got);
}
