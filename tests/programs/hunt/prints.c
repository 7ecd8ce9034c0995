/* Two threads print; what stands first is a matter of luck. */
#include <pthread.h>
#include <stdio.h>

static void *print(void *text)
{
	puts(text);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, print, "a");
#ifdef RIGHT
	pthread_join(a, NULL);
	pthread_create(&b, NULL, print, "b");
#else
	pthread_create(&b, NULL, print, "b");
	pthread_join(a, NULL);
#endif
	pthread_join(b, NULL);
	return 0;
}
