/*
 * Jumps out of functions that have objects on the stack which others see.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

static _Thread_local jmp_buf back;
static _Thread_local int *kept;

static void deep(int depth, char *text)
{
	char local[16];
	int value = depth;

	kept = &value;
	snprintf(local, sizeof(local), "%d", depth);
	strcat(text, local);
	if (!depth)
		longjmp(back, *kept + 1);
	deep(depth - 1, text);
}

static void *work(void *text)
{
	for (volatile int i = 0; i < 10; i++) {
		*(char *)text = '\0';
		if (!setjmp(back))
			deep(3, text);
	}
	return NULL;
}

int main(void)
{
	char one[16], two[16];
	pthread_t a, b;

	pthread_create(&a, NULL, work, one);
	pthread_create(&b, NULL, work, two);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%s %s\n", one, two);
	return 0;
}
