/*
 * A copy that libc made, looked at when it is freed: it is named by the call that asked for it.
 *
 * expect: seen-use-after-free @use @free
 */
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	char *copy = strdup(argv[0]);

	free(copy); /* @free */
	return strlen(copy) > 10000; /* @use */
}
