/* THREADS DEPTH: each thread adds up a tree of its own that deep by small functions that call each other, once under a lock. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
	struct node *left, *right;
	long value;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long sum;
static int depth;

static struct node *grow(int left)
{
	struct node *node = calloc(1, sizeof(*node));

	node->value = left;
	if (left) {
		node->left = grow(left - 1);
		node->right = grow(left - 1);
	}
	return node;
}

__attribute__((noinline)) static long add_up(const struct node *node);

__attribute__((noinline)) static long side(const struct node *node)
{
	return node ? add_up(node) : 0;
}

static long add_up(const struct node *node)
{
	return node->value + side(node->left) + side(node->right);
}

static void *work(void *unused)
{
	struct node *tree = grow(depth);
	long mine = add_up(tree);

	pthread_mutex_lock(&lock);
	sum += mine;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 2;
	pthread_t threads[64];

	depth = argc > 2 ? atoi(argv[2]) : 10;
	for (int i = 0; i < n && i < 64; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < n && i < 64; i++)
		pthread_join(threads[i], NULL);
	printf("%ld\n", sum);
	return 0;
}
