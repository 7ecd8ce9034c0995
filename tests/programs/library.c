/*
 * Functions of the C library that read and write the caller's memory, with callbacks: strings,
 * printf and scanf families, qsort: what it does depends on what its callback has read.
 *
 * expect: race @write @compare
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char text[100];
static int numbers[5] = {5, 3, 4, 1, 2};

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b; /* @compare */
}

static int format(char *to, size_t size, const char *pattern, ...)
{
	va_list args;

	va_start(args, pattern);
	int length = vsnprintf(to, size, pattern, args);
	va_end(args);
	return length;
}

static void *one(void *unused)
{
	char line[20] = "12 abc";
	int number;
	char word[8];

	pthread_mutex_lock(&lock);
	sscanf(line, "%d %7s", &number, word);
	format(text, sizeof(text), "%d-%s-%.2f|", number, word, 0.5);
	strncat(text, "tail", 4);
	pthread_mutex_unlock(&lock);
	numbers[0] = 6; /* @write */
	return unused;
}

static void *two(void *unused)
{
	usleep(100000);
	qsort(numbers, 5, sizeof(*numbers), compare);
	pthread_mutex_lock(&lock);
	char *found = strstr(text, "abc");

	printf("%s %d %d %zu\n", found, numbers[0], numbers[4], strcspn(text, "|"));
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, two, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
