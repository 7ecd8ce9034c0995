/* The program ends before a thread has printed. */
#include <pthread.h>
#include <stdio.h>

static void *print(void *text)
{
	puts(text);
	return NULL;
}

int main(void)
{
	pthread_t a;

	pthread_create(&a, NULL, print, "a");
#ifdef RIGHT
	pthread_join(a, NULL);
#endif
	return 0;
}
