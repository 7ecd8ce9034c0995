/*
 * A thread follows a null pointer.
 *
 * status: 139
 * expect: seen-crash @crash
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

struct node {
	struct node *next;
	int value;
};

static struct node *volatile head;

static int sum(struct node *n)
{
	int all = 0;

	for (int i = 0; i < 3; i++)
		all += n->value, n = n->next; /* @crash */
	return all;
}

static void *run(void *unused)
{
	head->value = sum(head);
	return unused;
}

int main(void)
{
	static struct node only;
	pthread_t t;

	head = &only;
	pthread_create(&t, NULL, run, NULL);
	pthread_join(t, NULL);
	return 0;
}
