/* SPDX-License-Identifier: MIT */
#include "trace/source.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static FILE *open_regular(const char *path)
{
	struct stat s;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	FILE *f = fd >= 0 && !fstat(fd, &s) && S_ISREG(s.st_mode) ? fdopen(fd, "r") : NULL;

	if (fd >= 0 && !f)
		close(fd);
	return f;
}

/* A line may be longer than the room; then the rest of it is no line of its own. */
static bool read_line(FILE *f, char *line, size_t room)
{
	if (!fgets(line, (int)room, f))
		return false;
	if (!strchr(line, '\n'))
		for (int c = fgetc(f); c != EOF && c != '\n';)
			c = fgetc(f);
	return true;
}

void source_line(const struct location *l, char *text, size_t room)
{
	char path[4096], line[1000];
	uint32_t number = 0;

	*text = '\0';
	snprintf(path, sizeof(path), "%.*s", (int)l->file_length, l->file);
	FILE *f = l->line ? open_regular(path) : NULL;

	while (f && number < l->line && read_line(f, line, sizeof(line)))
		number++;
	if (f)
		fclose(f);
	if (!number || number != l->line)
		return;
	char *from = line;

	while (isspace((unsigned char)*from))
		from++;
	size_t length = strlen(from);

	while (length && isspace((unsigned char)from[length - 1]))
		length--;
	snprintf(text, room, "%.*s", (int)length, from);
}
