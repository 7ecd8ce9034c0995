/*
 * Structures copied by assignment, memcpy, memmove, memset and by value; one copy is not guarded.
 *
 * expect: race @set @copy
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct point {
	int x, y;
	char name[24];
	double weight;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct point shared, other, unguarded;

static int by_value(struct point p)
{
	return p.x + (int)strlen(p.name);
}

static void *writer(void *unused)
{
	struct point p;

	memset(&p, 0, sizeof(p));
	p.x = 4;
	strcpy(p.name, "here");
	p.weight = 1.5;
	pthread_mutex_lock(&lock);
	shared = p;
	memcpy(&other, &shared, sizeof(other));
	memmove(other.name + 1, other.name, 5);
	pthread_mutex_unlock(&lock);
	unguarded.y = 3; /* @set */
	return unused;
}

static void *reader(void *unused)
{
	usleep(100000);
	pthread_mutex_lock(&lock);
	struct point p = shared, q = other;
	pthread_mutex_unlock(&lock);
	struct point r = unguarded; /* @copy */
	printf("%d %d %s %.1f %d\n", by_value(p), by_value(q), q.name, q.weight, by_value(r) + r.y);
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, writer, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
