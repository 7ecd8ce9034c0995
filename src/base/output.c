/* SPDX-License-Identifier: MIT */
#include "base/output.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_SIZE ((size_t)256 << 10)

struct output {
	int fd;
	char *path;		     /* NULL for standard output */
	char *temporary;	     /* becomes path at close, or NULL */
	struct output *_Atomic next; /* with a temporary file */
	uint64_t written;
	int failure; /* errno of the first failed write */
	bool keeps;  /* in memory, what was written */
	VEC(char) kept;
	size_t used;
	char buffer[BUFFER_SIZE];
};

/*
 * All that have a temporary file. A signal may come at any moment: what is reached from here is
 * whole, and one is freed only when it no longer is.
 */
static struct output *_Atomic temporaries;

void output_remove_temporaries(void)
{
	for (struct output *out = temporaries; out; out = out->next)
		unlink(out->temporary);
}

static void forget_temporary(struct output *out)
{
	struct output *_Atomic *link = &temporaries;

	while (*link != out)
		link = &(*link)->next;
	*link = out->next;
}

static char *copy_string(const char *text, const char *more)
{
	char *copy = mem_alloc(strlen(text) + strlen(more) + 1);

	strcpy(copy, text);
	return strcat(copy, more);
}

struct output *output_open(const char *path, enum output_mode mode, struct err *err)
{
	struct output *out = mem_alloc(sizeof(*out));
	struct stat st;

	memset(out, 0, offsetof(struct output, buffer));
	if (!strcmp(path, "-")) {
		out->fd = STDOUT_FILENO;
		return out;
	}
	out->path = copy_string(path, "");
	/* a pipe or device is written as it stands: a rename would replace it */
	bool special = stat(path, &st) == 0 && !S_ISREG(st.st_mode);

	if (mode != OUTPUT_IN_PLACE && !special) {
		out->temporary = copy_string(path, ".XXXXXX");
		out->fd = mkstemp(out->temporary);
		if (out->fd >= 0) {
			mode_t mask = umask(0);

			umask(mask);
			fchmod(out->fd, (mode == OUTPUT_PRIVATE ? 0600 : 0666) & ~mask);
			out->next = temporaries;
			temporaries = out;
		}
	} else {
		out->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	}
	if (out->fd < 0) {
		err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(errno));
		mem_free(out->temporary);
		mem_free(out->path);
		mem_free(out);
		return NULL;
	}
	return out;
}

struct output *output_memory(void)
{
	struct output *out = mem_alloc(sizeof(*out));

	memset(out, 0, offsetof(struct output, buffer));
	out->keeps = true;
	return out;
}

static void keep(struct output *out)
{
	vec_reserve(&out->kept, out->kept.n + out->used + 1);
	memcpy(out->kept.at + out->kept.n, out->buffer, out->used);
	out->kept.n += out->used;
}

char *output_take(struct output *out, size_t *size)
{
	output_flush(out);
	char *bytes = out->kept.at;

	*size = out->kept.n;
	bytes[*size] = '\0';
	mem_free(out);
	return bytes;
}

int output_flush(struct output *out)
{
	size_t done = 0;

	if (out->keeps)
		keep(out);
	while (!out->keeps && done < out->used && !out->failure) {
		ssize_t put = write(out->fd, out->buffer + done, out->used - done);

		if (put >= 0)
			done += (size_t)put;
		else if (errno != EINTR)
			out->failure = errno;
	}
	out->written += out->used;
	out->used = 0;
	return out->failure ? ERR_SYSTEM : 0;
}

static void finish(struct output *out)
{
	if (out->temporary) {
		unlink(out->temporary);
		forget_temporary(out);
	}
	mem_free(out->temporary);
	mem_free(out->path);
	mem_free(out);
}

int output_close(struct output *out, struct err *err)
{
	int code = 0;

	output_flush(out);
	if (out->path && close(out->fd) < 0 && !out->failure)
		out->failure = errno;
	if (out->temporary && !out->failure) {
		if (rename(out->temporary, out->path) < 0)
			out->failure = errno;
		else
			*out->temporary = '\0';
	}
	if (out->failure)
		code = err_set(err, ERR_SYSTEM, "%s: %s", out->path ? out->path : "standard output",
			       strerror(out->failure));
	finish(out);
	return code;
}

void output_abandon(struct output *out)
{
	if (!out)
		return;
	if (out->path)
		close(out->fd);
	finish(out);
}

void output_bytes(struct output *out, const void *data, size_t size)
{
	while (size > BUFFER_SIZE - out->used) {
		size_t part = BUFFER_SIZE - out->used;

		memcpy(out->buffer + out->used, data, part);
		out->used += part;
		data = (const char *)data + part;
		size -= part;
		output_flush(out);
	}
	if (size)
		memcpy(out->buffer + out->used, data, size);
	out->used += size;
}

void output_text(struct output *out, const char *text)
{
	output_bytes(out, text, strlen(text));
}

void output_char(struct output *out, char c)
{
	if (out->used == BUFFER_SIZE)
		output_flush(out);
	out->buffer[out->used++] = c;
}

void output_u64(struct output *out, uint64_t value)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	output_bytes(out, digits + at, sizeof(digits) - at);
}

void output_i64(struct output *out, int64_t value)
{
	if (value < 0)
		output_char(out, '-');
	output_u64(out, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void output_format(struct output *out, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	int length = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	ASSERT(length >= 0 && (size_t)length < sizeof(text));
	output_bytes(out, text, (size_t)length);
}

uint64_t output_size(const struct output *out)
{
	return out->written + out->used;
}

size_t utf8_length(const unsigned char *c)
{
	/* the least second byte: a shorter form would do otherwise; and the greatest */
	unsigned char least = *c == 0xe0 ? 0xa0 : *c == 0xf0 ? 0x90 : 0x80;
	unsigned char most = *c == 0xed ? 0x9f : *c == 0xf4 ? 0x8f : 0xbf;
	size_t length = *c < 0x80 ? 1 : *c < 0xc2 ? 0 : *c < 0xe0 ? 2 : *c < 0xf0 ? 3 : 4;

	if (*c > 0xf4 || (length > 1 && (c[1] < least || c[1] > most)))
		return 0;
	for (size_t i = 2; i < length; i++)
		if ((c[i] & 0xc0) != 0x80)
			return 0;
	return length;
}

/* A page could take these for its own. */
static bool means_something(unsigned char c)
{
	return c == '<' || c == '>' || c == '&' || c == '\'';
}

static void put_quoted(const struct json *json, const char *value)
{
	const unsigned char *c = (const unsigned char *)value;

	output_char(json->out, '"');
	while (*c) {
		size_t length = utf8_length(c);

		if (*c == '"' || *c == '\\')
			output_char(json->out, '\\');
		if (!length)
			output_text(json->out, "\\ufffd");
		else if (*c < 0x20 || (json->page && means_something(*c)))
			output_format(json->out, "\\u%04x", *c);
		else
			output_bytes(json->out, c, length);
		c += length ? length : 1;
	}
	output_char(json->out, '"');
}

/* JSON */

static void json_next(struct json *json, const char *key)
{
	if (!json->first)
		output_char(json->out, ',');
	json->first = false;
	if (json->depth && !json->page) {
		output_char(json->out, '\n');
		for (int i = 0; i < json->depth; i++)
			output_text(json->out, "  ");
	}
	if (key) {
		put_quoted(json, key);
		output_text(json->out, json->page ? ":" : ": ");
	}
}

void json_open(struct json *json, const char *key, char bracket)
{
	if (!json->depth)
		json->first = true;
	json_next(json, key);
	output_char(json->out, bracket);
	json->depth++;
	json->first = true;
}

void json_close(struct json *json, char bracket)
{
	bool empty = json->first;

	json->depth--;
	json->first = true;
	if (!empty) {
		json_next(json, NULL);
		if (!json->depth && !json->page)
			output_char(json->out, '\n');
	}
	output_char(json->out, bracket);
	json->first = false;
	if (!json->depth)
		output_char(json->out, '\n');
}

void json_string(struct json *json, const char *key, const char *value)
{
	json_next(json, key);
	put_quoted(json, value);
}

void json_u64(struct json *json, const char *key, uint64_t value)
{
	json_next(json, key);
	output_u64(json->out, value);
}

void json_i64(struct json *json, const char *key, int64_t value)
{
	json_next(json, key);
	output_i64(json->out, value);
}

void json_double(struct json *json, const char *key, double value)
{
	json_next(json, key);
	output_format(json->out, "%.6f", value);
}

void json_bool(struct json *json, const char *key, bool value)
{
	json_next(json, key);
	output_text(json->out, value ? "true" : "false");
}

void json_plain(struct json *json, const char *key, const char *value)
{
	json_next(json, key);
	output_text(json->out, value);
}
