/*
 * An object is deleted by one thread and used by another, which deletes it again.
 *
 * expect: seen-use-after-free @use @delete
 * expect: seen-double-free @again @delete
 */
#include <thread>

struct Item {
	long a[4];
};

static Item *item;
static volatile long seen;

int main()
{
	item = new Item;
	item->a[1] = item->a[2] = 1;
	std::thread t([] {
		delete item; /* @delete */
	});
	t.join();
	seen = *(volatile long *)&item->a[2]; /* @use */
	delete item; /* @again */
	return 0;
}
