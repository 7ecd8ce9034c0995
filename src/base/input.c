/* SPDX-License-Identifier: MIT */
#include "base/input.h"

#include "base/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define BUFFER_SIZE ((size_t)256 << 10)
/* A copy of gzip data has at most so many bytes, and so many more for each of its bytes. */
#define COPY_MOST ((uint64_t)64 << 20)
#define COPY_TIMES 100

struct input {
	char *name;
	int fd;
	char *buffer; /* decoded bytes; start..end are not yet taken */
	size_t capacity, start, end;
	uint64_t behind; /* of the bytes of a seekable input, those up to here are in the buffer */
	bool at_end;
	bool memory; /* buffer is the caller's */
	bool seekable;
	uint64_t size;
	uint64_t line_number;
	bool gzip;
	bool member_done; /* one gzip member ended; another may follow */
	z_stream inflater;
	unsigned char *packed;
	uint64_t packed_size; /* of all gzip data so far */
};

static struct input *new_input(const char *name)
{
	struct input *in = mem_alloc_zero(1, sizeof(*in));

	in->name = mem_alloc(strlen(name) + 1);
	strcpy(in->name, name);
	in->fd = -1;
	return in;
}

static int64_t read_raw(struct input *in, void *to, size_t want, struct err *err)
{
	for (;;) {
		ssize_t got = read(in->fd, to, want);

		if (got >= 0)
			return got;
		if (errno != EINTR)
			return err_set(err, ERR_SYSTEM, "%s: %s", in->name, strerror(errno));
	}
}

/* Decodes some gzip bytes to `to`; 0 at the end. */
static int64_t read_gzip(struct input *in, void *to, size_t want, struct err *err)
{
	z_stream *z = &in->inflater;

	z->next_out = to;
	z->avail_out = (uInt)want;
	while (z->avail_out == want) {
		if (!z->avail_in) {
			int64_t got = read_raw(in, in->packed, BUFFER_SIZE, err);

			if (got < 0)
				return got;
			if (!got) {
				if (in->member_done)
					return 0;
				return err_set(err, ERR_INPUT, "%s: the gzip data is cut short",
					       in->name);
			}
			z->next_in = in->packed;
			z->avail_in = (uInt)got;
			in->packed_size += (uint64_t)got;
		}
		if (in->member_done) {
			inflateReset(z);
			in->member_done = false;
		}
		int state = inflate(z, Z_NO_FLUSH);

		if (state == Z_STREAM_END)
			in->member_done = true;
		else if (state != Z_OK && state != Z_BUF_ERROR)
			return err_set(err, ERR_INPUT, "%s: bad gzip data: %s", in->name,
				       z->msg ? z->msg : "it is damaged");
	}
	return (int64_t)(want - z->avail_out);
}

/* Gets more bytes behind `end`; 0 at the end of the input. */
static int fill(struct input *in, struct err *err)
{
	if (in->at_end || in->memory)
		return 0;
	if (in->start > 0) {
		memmove(in->buffer, in->buffer + in->start, in->end - in->start);
		in->end -= in->start;
		in->start = 0;
	}
	if (in->capacity - in->end < BUFFER_SIZE) {
		in->capacity = in->end + BUFFER_SIZE * 2;
		in->buffer = mem_resize(in->buffer, in->capacity);
	}
	size_t room = in->capacity - in->end;
	int64_t got = in->gzip ? read_gzip(in, in->buffer + in->end, room, err)
			       : read_raw(in, in->buffer + in->end, room, err);

	if (got < 0)
		return (int)got;
	in->end += (size_t)got;
	in->behind += (uint64_t)got;
	in->at_end = !got;
	return got > 0;
}

static int look_for_gzip(struct input *in, struct err *err)
{
	const char *head;

	if (input_peek(in, &head, 2, err) < 2 || memcmp(head, "\x1f\x8b", 2))
		return err->code;
	in->packed = mem_alloc(BUFFER_SIZE > in->end ? BUFFER_SIZE : in->end);
	memcpy(in->packed, in->buffer, in->end);
	if (inflateInit2(&in->inflater, 15 + 16) != Z_OK)
		return err_set(err, ERR_SYSTEM, "%s: zlib cannot be initialised", in->name);
	in->inflater.next_in = in->packed;
	in->inflater.avail_in = (uInt)in->end;
	in->packed_size = in->end;
	in->end = 0;
	in->at_end = false;
	in->gzip = true;
	in->seekable = false;
	return 0;
}

struct input *input_open(const char *path, struct err *err)
{
	bool standard = !strcmp(path, "-");
	struct input *in = new_input(standard ? "standard input" : path);
	struct stat st;

	err->code = 0;
	in->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (in->fd < 0 || fstat(in->fd, &st) < 0) {
		err_set(err, ERR_SYSTEM, "%s: %s", in->name, strerror(errno));
	} else if (S_ISDIR(st.st_mode)) {
		err_set(err, ERR_SYSTEM, "%s: is a directory", in->name);
	} else {
		in->seekable = S_ISREG(st.st_mode) && lseek(in->fd, 0, SEEK_CUR) == 0;
		in->size = (uint64_t)st.st_size;
		look_for_gzip(in, err);
	}
	if (err->code) {
		input_close(in);
		return NULL;
	}
	return in;
}

struct input *input_open_memory(const void *data, size_t size, const char *name)
{
	struct input *in = new_input(name);

	in->memory = true;
	in->buffer = mem_alloc(size + 1); /* lines are ended in place */
	memcpy(in->buffer, data, size);
	in->capacity = in->end = size;
	in->size = size;
	in->seekable = true;
	return in;
}

void input_close(struct input *in)
{
	if (!in)
		return;
	if (in->gzip)
		inflateEnd(&in->inflater);
	if (in->fd > STDIN_FILENO)
		close(in->fd);
	mem_free(in->packed);
	mem_free(in->buffer);
	mem_free(in->name);
	mem_free(in);
}

const char *input_name(const struct input *in)
{
	return in->name;
}

uint64_t input_line_number(const struct input *in)
{
	return in->line_number;
}

int input_line(struct input *in, char **line, size_t *length, struct err *err)
{
	size_t seen = 0; /* bytes known to hold no newline */
	char *newline;

	while (!(newline = in->end > in->start + seen ? memchr(in->buffer + in->start + seen, '\n',
							       in->end - in->start - seen)
						      : NULL)) {
		seen = in->end - in->start;
		if (seen > INPUT_LINE_MAX)
			break;
		int more = fill(in, err);

		if (more < 0)
			return more;
		if (!more)
			break;
	}
	if (!newline && !seen)
		return 0;
	in->line_number++;
	size_t size = newline ? (size_t)(newline - (in->buffer + in->start)) : seen;

	if (size > INPUT_LINE_MAX)
		return input_error(in, err, "the line is longer than %zu bytes", INPUT_LINE_MAX);
	*line = in->buffer + in->start;
	*length = size;
	in->start += size + (newline != NULL);
	if (size && (*line)[size - 1] == '\r')
		--*length;
	return 1;
}

size_t input_peek(struct input *in, const char **data, size_t want, struct err *err)
{
	while (in->end - in->start < want && fill(in, err) > 0)
		;
	*data = in->buffer + in->start;
	size_t have = in->end - in->start;

	return have < want ? have : want;
}

int64_t input_read(struct input *in, void *to, size_t want, struct err *err)
{
	size_t done = 0;

	while (done < want) {
		size_t have = in->end - in->start;
		size_t take = have < want - done ? have : want - done;

		if (take) {
			memcpy((char *)to + done, in->buffer + in->start, take);
			in->start += take;
			done += take;
			continue;
		}
		int more = fill(in, err);

		if (more < 0)
			return more;
		if (!more)
			break;
	}
	return (int64_t)done;
}

bool input_seekable(const struct input *in, uint64_t *size)
{
	*size = in->size;
	return in->seekable;
}

int input_seek(struct input *in, uint64_t offset, struct err *err)
{
	if (in->memory) {
		in->start = offset < in->end ? (size_t)offset : in->end;
		return 0;
	}
	if (in->seekable && in->end && offset <= in->behind && in->behind - offset <= in->end) {
		in->start = in->end - (size_t)(in->behind - offset);
		return 0;
	}
	if (!in->seekable || lseek(in->fd, (off_t)offset, SEEK_SET) < 0)
		return err_set(err, ERR_SYSTEM, "%s: cannot seek", in->name);
	in->start = in->end = 0;
	in->behind = offset;
	in->at_end = false;
	return 0;
}

static int no_room(const struct input *in, struct err *err)
{
	return err_set(err, ERR_SYSTEM, "%s: no space for a copy: %s; TMPDIR says where it goes",
		       in->name, strerror(errno));
}

static int write_copy(const struct input *in, int fd, const char *at, size_t n, struct err *err)
{
	while (n) {
		ssize_t written = write(fd, at, n);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return no_room(in, err);
		at += written;
		n -= (size_t)written;
	}
	return 0;
}

/* All that is left; *size becomes how much that was. */
static int copy_to(struct input *in, int fd, uint64_t *size, struct err *err)
{
	int code, more;

	do {
		size_t have = in->end - in->start;

		code = write_copy(in, fd, in->buffer + in->start, have, err);
		if (code)
			return code;
		*size += have;
		in->start = in->end;
		if (in->gzip && *size > COPY_MOST + COPY_TIMES * in->packed_size)
			return err_set(err, ERR_INPUT,
				       "%s: the gzip data becomes more than %d times as large; "
				       "gunzip it first if that is right",
				       in->name, COPY_TIMES);
		more = fill(in, err);
	} while (more > 0);
	return more;
}

static void become_copy(struct input *in, int fd, uint64_t size)
{
	if (in->gzip)
		inflateEnd(&in->inflater);
	if (in->fd > STDIN_FILENO)
		close(in->fd);
	in->gzip = false;
	in->fd = fd;
	in->size = size;
	in->seekable = true;
	in->start = in->end = 0;
}

int input_make_seekable(struct input *in, struct err *err)
{
	uint64_t size = 0;

	if (in->seekable)
		return 0;
	int fd = scratch_nameless();

	if (fd < 0)
		return no_room(in, err);
	int code = copy_to(in, fd, &size, err);

	if (code) {
		close(fd);
		return code;
	}
	become_copy(in, fd, size);
	return input_seek(in, 0, err);
}

struct input *input_again(const struct input *in, struct err *err)
{
	struct input *again = new_input(in->name);

	char path[64];

	/* with a place of its own to read at: other processes may read too */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", in->fd);
	again->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (again->fd < 0)
		again->fd = dup(in->fd);
	again->size = in->size;
	again->seekable = in->seekable;
	if (input_seek(again, 0, err) < 0) {
		input_close(again);
		return NULL;
	}
	return again;
}

int input_error(const struct input *in, struct err *err, const char *format, ...)
{
	char what[500];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	return err_set(err, ERR_INPUT, "%s:%llu: %s", in->name, (unsigned long long)in->line_number,
		       what);
}
