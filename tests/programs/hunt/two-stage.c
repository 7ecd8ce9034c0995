/* Two variables that belong together, written in two sections: a reader comes between. */
#include <assert.h>
#include <pthread.h>

static int first, second;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *argument)
{
	(void)argument;
	pthread_mutex_lock(&lock);
	first = 1;
#ifdef RIGHT
	pthread_mutex_lock(&other);
	second = first + 1;
	pthread_mutex_unlock(&other);
	pthread_mutex_unlock(&lock);
#else
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&other);
	second = first + 1;
	pthread_mutex_unlock(&other);
#endif
	return NULL;
}

static void *reader(void *argument)
{
	int one, two;

	(void)argument;
	pthread_mutex_lock(&lock);
	one = first;
	if (!one) {
		pthread_mutex_unlock(&lock);
		return NULL;
	}
#ifndef RIGHT
	pthread_mutex_unlock(&lock);
#endif
	pthread_mutex_lock(&other);
	two = second;
	pthread_mutex_unlock(&other);
#ifdef RIGHT
	pthread_mutex_unlock(&lock);
#endif
	assert(two == one + 1);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&b, NULL, reader, NULL);
	pthread_create(&a, NULL, writer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
