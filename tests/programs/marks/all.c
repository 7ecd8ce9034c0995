/* Every sort of place that an event can have, with the number of the line in its name. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct item {
	int id;
	long size;
	struct item *next;
};

struct pair {
	int first;
	long second;
};

int counter, unread;
struct pair both;
static struct item items[] = {{7, 70, NULL}, {8, 80, &items[0]}};

static struct item *find(int id)
{
	for (int i = 0; i < 2; i++)
		if (items[i].id == id)
			return &items[i];
	return NULL;
}

static int measure(struct item *item, int **out)
{
	static int measured;

	measured = (int)item->size;
	*out = &measured;
	return item->id > 7;
}

static void count(short step)
{
	counter += step;
}

static void leave(void)
{
	both.second = 5;
}

static void run(void)
{
	struct item *seven = find(7), *none = find(9);
	int *out = NULL;

	measure(seven, &out);
	measure(seven->next ? seven->next : &items[1], &out);
	count(-2);
	count(3);
	both.first = counter;
	leave();
	puts("here"); /* @line */
	free(none);
}

int main(void)
{
	run();
	printf("%d %s\n", counter, "end");
	return 0;
}
