/*
 * A list on which two threads put an element each, found again by address: who is at its head may change
 * between two looks.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct element {
	struct element *next;
	int value;
};

static struct element *head;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *push(void *first)
{
	struct element *e = malloc(sizeof(*e));

	e->value = first ? 1 : 2;
	pthread_mutex_lock(&lock);
	e->next = head;
	head = e;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static struct element *look(void)
{
	pthread_mutex_lock(&lock);
	struct element *e = head;
	pthread_mutex_unlock(&lock);
	return e;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, push, NULL);
	pthread_create(&b, NULL, push, &a);
	struct element *e = look();

	if (e && e->value == 1) {
#ifndef RIGHT
		e = look();
#endif
		assert(e->value == 1);
	}
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
