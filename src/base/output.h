/* SPDX-License-Identifier: MIT */
/*
 * Bytes out, buffered. A failed write is remembered and reported by close, so
 * that callers need not look at every put. A file opened with
 * OUTPUT_REPLACE appears under its name only when close succeeds: a conversion
 * that fails half-way leaves what was there.
 */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include "base/err.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct output;

/* OUTPUT_PRIVATE: as OUTPUT_REPLACE, and only this user may read it. */
enum output_mode { OUTPUT_REPLACE, OUTPUT_PRIVATE, OUTPUT_IN_PLACE };

struct output *output_open(const char *path, enum output_mode mode,
			   struct err *err); /* "-": stdout */
/* Keeps the bytes until output_take, which also closes it; the caller frees them. */
struct output *output_memory(void);
char *output_take(struct output *out, size_t *size);
/* 0 if every byte arrived. */
int output_close(struct output *out, struct err *err);
/* Drops what was written; an OUTPUT_REPLACE file is not touched. */
void output_abandon(struct output *out);
/* Removes what OUTPUT_REPLACE files hold so far, at a sudden end; a signal handler may call it. */
void output_remove_temporaries(void);

void output_bytes(struct output *out, const void *data, size_t size);
void output_text(struct output *out, const char *text);
void output_char(struct output *out, char c);
void output_i64(struct output *out, int64_t value);
void output_u64(struct output *out, uint64_t value);
void output_format(struct output *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
uint64_t output_size(const struct output *out); /* bytes put so far */
int output_flush(struct output *out);		/* to the file; negative if any write failed */

/*
 * JSON: commas and quotes come by themselves; key is NULL inside arrays. Each byte of a string
 * that is not part of UTF-8 becomes U+FFFD.
 */
struct json {
	struct output *out;
	int depth;
	bool first;
	bool page; /* inside a page of HTML: no character that means something there, no indents */
};

void json_open(struct json *json, const char *key, char bracket); /* '{' or '[' */
void json_close(struct json *json, char bracket);		  /* '}' or ']' */
void json_string(struct json *json, const char *key, const char *value);
void json_u64(struct json *json, const char *key, uint64_t value);
void json_i64(struct json *json, const char *key, int64_t value);
void json_double(struct json *json, const char *key, double value);
void json_bool(struct json *json, const char *key, bool value);
/* A number or word of JSON, as it stands. */
void json_plain(struct json *json, const char *key, const char *value);

/* Bytes of the character of UTF-8 that c, which a NUL ends, starts with; 0 if it is none. */
size_t utf8_length(const unsigned char *c);

#endif
