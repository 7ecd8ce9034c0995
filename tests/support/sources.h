/* SPDX-License-Identifier: MIT */
/*
 * Bytes, and everything that an input can get them from: for tests that compare what came out with
 * what went in. Whatever does not work fails the test. Files have no name any more once they are
 * open, and who fills a pipe ends when nobody reads it.
 */
#ifndef SUPPORT_SOURCES_H
#define SUPPORT_SOURCES_H

#include "base/input.h"
#include "tests/support/random.h"
#include "tests/support/traces.h"

/* That of input.c: sizes around it are drawn often. Were it another, all would still hold. */
#define SOURCE_BUFFER ((size_t)256 << 10)
#define SOURCE_FILE_NAME "/tmp/norn-test-XXXXXX"

enum source_kind {
	SOURCE_MEMORY,
	SOURCE_FILE,
	SOURCE_GZIP,
	SOURCE_PIPE, /* as standard input */
	SOURCE_GZIP_PIPE,
	SOURCE_REST, /* of a file that is standard input, not from its start */
	SOURCE_MADE_SEEKABLE,
	SOURCE_AGAIN,
	SOURCE_COUNT
};

struct source {
	const char *name;
	struct input *(*open)(struct random *r, struct bytes b);
	bool seekable;
};

extern const struct source sources[SOURCE_COUNT];

/* At most 6 * SOURCE_BUFFER. */
size_t source_random_size(struct random *r);
/* With lines of about that length, which end in all ways; it does not look like gzip. */
struct bytes source_random_bytes(struct random *r, size_t size, uint32_t line);
/* Adds one member of a gzip file. */
void source_pack(struct bytes *packed, const char *data, size_t size);

/* path: SOURCE_FILE_NAME, and then what it is called. */
void source_write_file(char *path, struct bytes b);
struct input *source_opened(const char *path);
/* The end of a pipe that another process fills, piece by piece. */
int source_piped(struct random *r, struct bytes b);
/* That as standard input. */
struct input *source_open_standard(int fd);

#endif
