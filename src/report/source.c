/* SPDX-License-Identifier: MIT */
#include "report/source.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WANTED_MOST 40000    /* lines */
#define LINE_MOST 240	     /* bytes of a line */
#define BYTES_MOST (1 << 20) /* of all lines */
#define FILE_MOST (16 << 20) /* bytes of a file */

static bool is_source(const char *file)
{
	static const char *const suffixes[] = {".c",  ".h",   ".cc",  ".cpp", ".cxx", ".c++", ".C",
					       ".hh", ".hpp", ".hxx", ".inl", ".ipp", ".inc", ".S"};
	const char *dot = strrchr(file, '.');

	for (size_t i = 0; dot && i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if (!strcmp(dot, suffixes[i]))
			return true;
	return false;
}

void sources_want(struct sources *s, const char *file, uint64_t line, uint64_t around)
{
	if (!line || line > UINT32_MAX / 2 || !is_source(file) || s->wanted > WANTED_MOST)
		return;
	uint32_t number = intern_add(&s->files, file, strlen(file));

	vec_extend(&s->lines, (size_t)number + 1);
	for (uint64_t i = line > around ? line - around : 1; i <= line + around; i++) {
		vec_push(&s->lines.at[number], (uint32_t)i);
		s->wanted++;
	}
}

static int compare_lines(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static FILE *open_source(const char *file)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > FILE_MOST) {
		close(fd);
		return NULL;
	}
	return fdopen(fd, "r");
}

static void put_line(struct json *json, uint32_t number, char *line, ssize_t length)
{
	char key[12];

	while (length && (line[length - 1] == '\n' || line[length - 1] == '\r'))
		line[--length] = '\0';
	if (length > LINE_MOST)
		line[LINE_MOST] = '\0';
	snprintf(key, sizeof(key), "%u", number);
	json_string(json, key, line);
}

static void put_file(struct json *json, const char *file, source_lines *wanted)
{
	FILE *in = open_source(file);
	uint32_t number = 0;
	char *line = NULL;
	size_t room = 0, next = 0;
	ssize_t length;

	if (!in)
		return;
	qsort(wanted->at, wanted->n, sizeof(*wanted->at), compare_lines);
	json_open(json, file, '{');
	while (next < wanted->n && (length = getline(&line, &room, in)) >= 0) {
		number++;
		if (wanted->at[next] != number)
			continue;
		put_line(json, number, line, length);
		while (next < wanted->n && wanted->at[next] == number)
			next++;
	}
	json_close(json, '}');
	free(line);
	fclose(in);
}

void sources_put(struct sources *s, struct json *json)
{
	uint64_t start = output_size(json->out);

	json_open(json, "files", '{');
	for (size_t i = 0; i < s->lines.n && output_size(json->out) - start < BYTES_MOST; i++)
		put_file(json, intern_text(&s->files, (uint32_t)i), &s->lines.at[i]);
	json_close(json, '}');
}

void sources_release(struct sources *s)
{
	for (size_t i = 0; i < s->lines.n; i++)
		vec_release(&s->lines.at[i]);
	vec_release(&s->lines);
	intern_release(&s->files);
}
