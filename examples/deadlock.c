/*
 * Two accounts, each with a lock; a transfer takes both, in the order of its arguments. Two
 * transfers in opposite directions went well here, because the second came later.
 *
 * expect: deadlock @second @second
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

struct account {
	pthread_mutex_t lock;
	int money;
};

static struct account x = {PTHREAD_MUTEX_INITIALIZER, 100};
static struct account y = {PTHREAD_MUTEX_INITIALIZER, 100};

static void transfer(struct account *from, struct account *to, int money)
{
	pthread_mutex_lock(&from->lock);
	pthread_mutex_lock(&to->lock); /* @second */
	from->money -= money;
	to->money += money;
	pthread_mutex_unlock(&to->lock);
	pthread_mutex_unlock(&from->lock);
}

static void *there(void *unused)
{
	transfer(&x, &y, 10);
	return unused;
}

static void *back(void *unused)
{
	usleep(100000);
	transfer(&y, &x, 20);
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, there, NULL);
	pthread_create(&b, NULL, back, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d %d\n", x.money, y.money);
	return 0;
}
