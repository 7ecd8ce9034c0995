/* The program ends before a thread that nobody waits for has done its work. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int saved;

static void *save(void *argument)
{
	(void)argument;
	atomic_store(&saved, 1);
	return NULL;
}

int main(void)
{
	pthread_t a;

	pthread_create(&a, NULL, save, NULL);
#ifdef RIGHT
	pthread_join(a, NULL);
#else
	pthread_detach(a);
#endif
	return atomic_load(&saved) ? 0 : 1;
}
