/* DEPTH LENGTH: parallel quicksort; down to that depth, one half goes to a thread of its own. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct part {
	int *from, *to;
	int depth;
};

static int *split(int *from, int *to)
{
	int pivot = to[-1], *low = from;

	for (int *p = from; p < to - 1; p++)
		if (*p < pivot) {
			int swap = *low;

			*low++ = *p;
			*p = swap;
		}
	to[-1] = *low;
	*low = pivot;
	return low;
}

static void *sort(void *argument)
{
	struct part *p = argument;

	if (p->to - p->from < 2)
		return NULL;
	int *middle = split(p->from, p->to);
	struct part low = {p->from, middle, p->depth - 1};
	struct part high = {middle + 1, p->to, p->depth - 1};

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

int main(int argc, char **argv)
{
	long length = argc > 2 ? atol(argv[2]) : 1000;
	int *numbers = malloc(sizeof(*numbers) * length);
	struct part all = {numbers, numbers + length, argc > 1 ? atoi(argv[1]) : 2};
	unsigned seed = 1;
	long wrong = 0;

	for (long i = 0; i < length; i++) {
		seed = seed * 1103515245 + 12345;
		numbers[i] = (int)(seed >> 1);
	}
	sort(&all);
	for (long i = 1; i < length; i++)
		wrong += numbers[i - 1] > numbers[i];
	printf("%ld\n", wrong);
	free(numbers);
	return 0;
}
