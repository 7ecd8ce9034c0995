/* Lists, trees, pointers to pointers and to functions. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
	struct node *left, *right;
	int key, count;
};
struct list {
	struct list *next;
	int (*apply)(int);
};

static struct node *root;
static struct list *head;
static int half(int n)
{
	return n / 2;
}
static int plus(int n)
{
	return n + 7;
}

static void insert(struct node **where, int key)
{
	while (*where && (*where)->key != key)
		where = key < (*where)->key ? &(*where)->left : &(*where)->right;
	if (!*where) {
		*where = calloc(1, sizeof(**where));
		(*where)->key = key;
	}
	(*where)->count++;
}

static int depth(const struct node *n)
{
	if (!n)
		return 0;
	int l = depth(n->left), r = depth(n->right);
	return 1 + (l > r ? l : r);
}

static void reverse(void)
{
	struct list *done = NULL;
	while (head) {
		struct list *next = head->next;
		head->next = done;
		done = head;
		head = next;
	}
	head = done;
}

static void drop(struct node *n)
{
	if (!n)
		return;
	drop(n->left);
	drop(n->right);
	free(n);
}

int main(void)
{
	int value = 100;
	for (int i = 0; i < 40; i++) {
		insert(&root, i * 37 % 23);
		struct list *l = malloc(sizeof(*l));
		l->next = head;
		l->apply = i % 3 ? half : plus;
		head = l;
		if (i % 5 == 0)
			reverse();
	}
	for (struct list *l = head; l; l = l->next)
		value = l->apply(value) + ((uintptr_t)l->next & 1);
	printf("%d %d %d\n", depth(root), root->left->count, value);
	while (head) {
		struct list *next = head->next;
		free(head);
		head = next;
	}
	drop(root);
	return 0;
}
