/* The library's memory and string functions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char text[64] = "the quick brown fox", other[64];

static int compare(const void *a, const void *b)
{
	return *(const char *)a - *(const char *)b;
}

int main(void)
{
	char local[32];
	void *(*volatile copy)(void *, const void *, size_t) = memcpy;
	strcpy(other, text);
	strcat(other, " jumps");
	memmove(other + 4, other, 10);
	qsort(text, strlen(text), 1, compare);
	snprintf(local, sizeof(local), "%s/%zu", strchr(other, 'q'), strlen(other));
	copy(text + 20, local, 8);
	char *all = strdup(text);
	for (char *word = strtok(all, " "); word; word = strtok(NULL, " "))
		printf("[%s]", word);
	free(all);
	char *key = bsearch("t", text, 18, 1, compare);
	char *end = memset(memcpy(other + 30, text, 6), 'x', 3);
	printf("%s %s %s %d %s %ld\n", text, other, local, strcmp(text, other), key ? "yes" : "no",
	       (long)(end - other) + strtol("123z", &end, 10) + *end);
	return 0;
}
