/*
 * Parallel quicksort: threads in a tree, each with its own part of the array.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <stdio.h>

#define LENGTH 200

static int numbers[LENGTH];

struct part {
	int from, to, depth;
};

static int split(int from, int to)
{
	int pivot = numbers[to - 1], i = from;

	for (int j = from; j < to - 1; j++)
		if (numbers[j] < pivot) {
			int swap = numbers[i];

			numbers[i++] = numbers[j];
			numbers[j] = swap;
		}
	numbers[to - 1] = numbers[i];
	numbers[i] = pivot;
	return i;
}

static void *sort(void *argument)
{
	struct part *p = argument;

	if (p->to - p->from < 2)
		return NULL;
	int middle = split(p->from, p->to);
	struct part low = {p->from, middle, p->depth - 1}, high = {middle + 1, p->to, p->depth - 1};

	if (p->depth > 0) {
		pthread_t thread;

		pthread_create(&thread, NULL, sort, &low);
		sort(&high);
		pthread_join(thread, NULL);
	} else {
		sort(&low);
		sort(&high);
	}
	return NULL;
}

int main(void)
{
	struct part all = {0, LENGTH, 3};
	unsigned seed = 1, wrong = 0;

	for (int i = 0; i < LENGTH; i++) {
		seed = seed * 1103515245 + 12345;
		numbers[i] = (int)(seed >> 16) % 1000;
	}
	sort(&all);
	for (int i = 1; i < LENGTH; i++)
		wrong += numbers[i - 1] > numbers[i];
	printf("%u %d\n", wrong, numbers[LENGTH / 2]);
	return 0;
}
