/*
 * Memory that nobody writes, behind what somebody does: a swapped pointer, an index, a table of
 * functions, libc's tables of characters. What it shows was decided by what its address came from.
 *
 * expect: race @a @b
 */
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct config {
	int enabled;
	const struct config *next;
};

static int never(void)
{
	return 0;
}

static int always(void)
{
	return 1;
}

static const struct config off, on = {1, &on};
static struct config *made_off, *made_on;
static int table[4] = {0, 0, 1, 0};
static int (*const functions[2])(void) = {never, always};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct config *current = &off;
static struct config *made;
static int row, text = 'x', upper = '-';
static int *slot;
static int slots[2];
static int data[8];
static int racy;

static void *writer(void *unused)
{
	for (int i = 0; i < 8; i++)
		data[i] = 1;
	racy = 1; /* @a */
	pthread_mutex_lock(&lock);
	current = &on;
	made = made_on;
	row = 2;
	text = '7';
	upper = 'a';
	slot = &slots[1];
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *reader(void *unused)
{
	usleep(20000);
	racy = 2; /* @b */
	pthread_mutex_lock(&lock);
	const struct config *c = current, *m = made;
	int y = row, character = text, low = upper;
	int *mine = slot;
	pthread_mutex_unlock(&lock);
	if (c->enabled)
		data[0] = 2;
	if (c->next && c->next->enabled)
		data[1] = 2;
	if (m->enabled)
		data[2] = 2;
	if (table[y])
		data[3] = 2;
	if (functions[y / 2]())
		data[4] = 2;
	if (isdigit(character))
		data[5] = 2;
	if (toupper(low) == 'A')
		data[6] = 2;
	/* a write to memory of this thread alone, unless the pointer is another one */
	*mine = 1;
	if (slots[1])
		data[7] = 2;
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	int sum = 0;
	made_off = calloc(1, sizeof(*made_off));
	made_on = calloc(1, sizeof(*made_on));
	made_on->enabled = 1;
	made = made_off;
	slot = &slots[0];
	pthread_create(&threads[0], NULL, writer, NULL);
	pthread_create(&threads[1], NULL, reader, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	for (int i = 0; i < 8; i++)
		sum += data[i];
	printf("%d %d\n", sum, racy > 0);
	return 0;
}
