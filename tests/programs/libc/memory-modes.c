/*
 * What fmemopen does in all its modes: what is written where, what is told, when it fails. The runtime has functions
 * of its own for that, and nothing may differ from libc.
 *
 * expect: nothing
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define SIZE 16
static char memory[SIZE];

static void show(const char *what, int result, int error)
{
	printf("%s %d %d [", what, result, error);
	for (int i = 0; i < SIZE; i++)
		putchar(memory[i] ? memory[i] : '.');
	puts("]");
}

#define SHOW(what, call)                                         \
	do {                                                     \
		errno = 0;                                       \
		int result = call;                               \
		show(what, result, result < 0 ? errno : 0);      \
	} while (0)

static void use(FILE *f)
{
	char text[2 * SIZE] = "";

	SHOW("puts", fputs("ab", f));
	SHOW("flush", fflush(f));
	SHOW("seek", fseek(f, 1, SEEK_SET));
	SHOW("getc", fgetc(f));
	SHOW("tell", (int)ftell(f));
	SHOW("end", fseek(f, 0, SEEK_END));
	SHOW("tell", (int)ftell(f));
	SHOW("back", fseek(f, -3, SEEK_END));
	SHOW("long", fputs("0123456789", f));
	SHOW("flush", fflush(f));
	SHOW("far", fseek(f, SIZE + 4, SEEK_SET));
	rewind(f);
	SHOW("read", (int)fread(text, 1, sizeof text - 1, f));
	printf("%s %d %d\n", text, feof(f), ferror(f));
	rewind(f);
	SHOW("write", (int)fwrite("x", 1, 2, f));
}

static void try(const char *mode, int filled, size_t size, int buffered)
{
	memset(memory, 0, SIZE);
	memset(memory, '#', filled);
	printf("%s %d %zu %d\n", mode, filled, size, buffered);
	FILE *f = fmemopen(memory, size, mode);
	show("open", f != NULL, f ? 0 : errno);
	if (!f)
		return;
	if (!buffered)
		setvbuf(f, NULL, _IONBF, 0);
	use(f);
	SHOW("close", fclose(f));
}

int main(void)
{
	static const char *const modes[] = {"r", "r+", "w", "w+", "a", "a+", "wb+", "x"};
	static const int filled[] = {0, 6, SIZE};
	static const size_t sizes[] = {0, 4, 12, SIZE};
	char text[SIZE] = "";

	for (int m = 0; m < 8; m++)
		for (int i = 0; i < 3; i++)
			for (int s = 0; s < 4; s++)
				for (int buffered = 0; buffered < 2; buffered++)
					if (filled[i] < SIZE || s == 3)
						try(modes[m], filled[i], sizes[s], buffered);
	FILE *f = fmemopen(NULL, 10, "w+");
	fputs("own", f);
	rewind(f);
	printf("%s\n", fgets(text, SIZE, f));
	fclose(f);
	f = fmemopen((void *)-5, 10, "w+");
	printf("%d %d\n", f != NULL, errno);
	f = fmemopen(NULL, 0, "w+");
	printf("%d\n", f != NULL);
	return 0;
}
