/* SPDX-License-Identifier: MIT */
/*
 * JSON as a tree, for what fits into memory. Strings are UTF-8 without a NUL: what is none becomes
 * U+FFFD. An error names the line and the column.
 */
#ifndef BASE_JSON_TREE_H
#define BASE_JSON_TREE_H

#include "base/err.h"
#include "base/mem.h"
#include "base/output.h"

enum json_kind { JSON_OBJECT, JSON_ARRAY, JSON_STRING, JSON_PLAIN };

struct json_node {
	enum json_kind kind;
	const char *key;		/* in an object; else NULL */
	const char *text;		/* of a string; of a number or word as it stands */
	struct json_node *first, *next; /* of an object or array; the one behind this one */
};

/* data[size] is a NUL; NULL: it is no JSON, or goes too deep. All of it is in the arena. */
struct json_node *json_parse(struct arena *arena, const char *data, size_t size, struct err *err);

/* All may be asked of NULL, and of nodes of another kind. */
struct json_node *json_member(const struct json_node *node, const char *key);
struct json_node *json_first(const struct json_node *node);
size_t json_count(const struct json_node *node);
/* "" if there is none, or it is no string, or no number. */
const char *json_text(const struct json_node *node, const char *key);
uint64_t json_number(const struct json_node *node, const char *key);
bool json_true(const struct json_node *node, const char *key);

/* The node, with what is in it. */
void json_put(struct json *json, const char *key, const struct json_node *node);

#endif
