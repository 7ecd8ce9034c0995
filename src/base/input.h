/* SPDX-License-Identifier: MIT */
/*
 * Bytes in: a file, or standard input for "-", plain or gzip (seen by its first
 * bytes). Lines come without their end; a line longer than INPUT_LINE_MAX is an
 * error. Only one returned line or piece is valid at a time.
 */
#ifndef BASE_INPUT_H
#define BASE_INPUT_H

#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>

#define INPUT_LINE_MAX ((size_t)1 << 24)

struct input;

struct input *input_open(const char *path, struct err *err);
/* Reads from memory that outlives the input; name stands in messages. */
struct input *input_open_memory(const void *data, size_t size, const char *name);
void input_close(struct input *in);

const char *input_name(const struct input *in);
/* 1: a line, 0: the end, negative: an error. */
int input_line(struct input *in, char **line, size_t *length, struct err *err);
uint64_t input_line_number(const struct input *in); /* of the last line returned, from 1 */

/* Looks at the first bytes without taking them; returns how many there are, up to want. */
size_t input_peek(struct input *in, const char **data, size_t want, struct err *err);
/* Takes up to want bytes; fewer only at the end. Negative on error. */
int64_t input_read(struct input *in, void *to, size_t want, struct err *err);

/* For formats that start anywhere: size and position of an uncompressed, seekable input. */
bool input_seekable(const struct input *in, uint64_t *size);
int input_seek(struct input *in, uint64_t offset, struct err *err);
/* Copies a pipe or gzip data to a nameless file under TMPDIR first if need be. Nothing was taken
 * yet. Gzip data that becomes much larger than it is is an error: what is copied has been packed
 * before. */
int input_make_seekable(struct input *in, struct err *err);
/* The bytes of a seekable file once more, as an input of its own; only one of both is read. */
struct input *input_again(const struct input *in, struct err *err);

/* err_set with "NAME:LINE: " before the message. */
int input_error(const struct input *in, struct err *err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
