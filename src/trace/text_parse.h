/* SPDX-License-Identifier: MIT */
/* Reading Norn's text format: what its parts have in common. */
#ifndef TRACE_TEXT_PARSE_H
#define TRACE_TEXT_PARSE_H

#include "trace/expr_build.h"
#include "trace/text.h"

struct text_source {
	struct source source;
	uint64_t next_number; /* of the next event */
	struct event *events;
	uint64_t *lines;
	struct arena more;   /* what the events of the batch point to */
	const char *c, *end; /* the rest of the line */
	/* For each class, the next event's number when an object was first mentioned. */
	VEC(uint64_t) known_since[CLASS_COUNT];
	VEC(uint64_t) last_access; /* of each variable: no access names it twice */
	VEC(struct part) parts;
	VEC(uint64_t) numbers;
	struct expr_reader expr;
	VEC(uint32_t) labels; /* of the expression: 1 + node, or 0 until that part is complete */
};

struct token {
	const char *text;
	size_t length;
};

#define FAIL(t, ...) input_error((t)->source.in, err, __VA_ARGS__)
/* For "%.*s": a token may be as long as the longest line. */
#define SHOWN(token) ((token).length < 60 ? (int)(token).length : 60), (token).text

static inline bool text_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

bool text_next_token(struct text_source *t, struct token *token);
bool text_token_is(struct token token, const char *word);
bool text_token_starts(struct token token, const char *prefix);

/* An unsigned number, decimal or hexadecimal, of at most 64 bits. */
bool text_parse_u64(const char *text, size_t length, uint64_t *value);
/* -2^63 … 2^64 - 1; the upper half wraps, so that addresses can be written as they are. */
bool text_parse_i64(const char *text, size_t length, int64_t *value);

/* The next token of the line, which must be there; what names it in the message. */
int text_take_token(struct text_source *t, const char *what, struct token *token, struct err *err);
int text_take_u64(struct text_source *t, const char *what, uint64_t least, uint64_t most,
		  uint64_t *value, struct err *err);
int text_take_value(struct text_source *t, int64_t *value, struct err *err);
uint32_t text_add_object(struct text_source *t, enum object_class class, struct token name);
int text_take_object(struct text_source *t, enum object_class class, uint32_t *number,
		     struct err *err);

/* A declaration that starts with word: 1, and the line is read; 0: it is none. */
int text_parse_declaration(struct text_source *t, struct token word, const char *line_end,
			   struct err *err);
/* Parses one expression; `last` is the highest event number that it may name. */
int text_parse_expr(struct text_source *t, uint64_t last, const struct expr **expr,
		    struct err *err);

#endif
