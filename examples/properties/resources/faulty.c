/*
 * Tasks request resources. The camera and the drill exclude each other; but the manager looks only
 * at the resource that is asked for.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

struct resource {
	const char *name;
	int granted;
	struct resource *other; /* it conflicts with that */
};

static struct resource camera = {"camera", 0, NULL}, drill = {"drill", 0, NULL};
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static int request(struct resource *r)
{
	int granted;

	pthread_mutex_lock(&m);
	granted = !r->granted;
	if (granted)
		r->granted = 1;
	pthread_mutex_unlock(&m);
	return granted;
}

static void rescind(struct resource *r)
{
	printf("please give the %s back\n", r->name);
}

static void cancel(struct resource *r)
{
	pthread_mutex_lock(&m);
	r->granted = 0;
	pthread_mutex_unlock(&m);
}

static void conflict(struct resource *a, struct resource *b)
{
	a->other = b;
	b->other = a;
}

static void *dig(void *unused)
{
	usleep(20000);
	if (request(&drill))
		cancel(&drill);
	return unused;
}

int main(void)
{
	pthread_t thread;

	conflict(&camera, &drill);
	pthread_create(&thread, NULL, dig, NULL);
	if (request(&camera)) {
		rescind(&camera);
		cancel(&camera);
	}
	pthread_join(thread, NULL);
	return 0;
}
