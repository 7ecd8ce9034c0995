/* What is done once depends on who does it. */
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static __thread int name;
static int maker;

static void make(void)
{
#ifdef RIGHT
	maker = 1;
#else
	maker = name;
#endif
}

static void *get(void *argument)
{
	name = (int)(long)argument;
	pthread_once(&once, make);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, get, (void *)1);
	pthread_create(&b, NULL, get, (void *)2);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return maker != 1;
}
