/* SPDX-License-Identifier: MIT */
#include "base/json_tree.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 100

struct parsing {
	struct arena *arena;
	const char *data, *at, *end;
	VEC(char) text;
	unsigned depth;
	struct err *err;
};

static void *complain(struct parsing *p, const char *what)
{
	size_t line = 1;
	const char *start = p->data;

	for (const char *c = p->data; c < p->at; c++)
		if (*c == '\n') {
			line++;
			start = c + 1;
		}
	err_set(p->err, ERR_INPUT, "line %zu, column %zu: %s", line, (size_t)(p->at - start) + 1,
		p->at < p->end ? what : "it ends early");
	return NULL;
}

static void skip_space(struct parsing *p)
{
	while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r')
		p->at++;
}

/* Strings */

static void push_code(struct parsing *p, unsigned code)
{
	static const unsigned char heads[] = {0, 0, 0xc0, 0xe0, 0xf0};
	int length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

	if (!code || (code >= 0xd800 && code < 0xe000)) {
		push_code(p, 0xfffd);
		return;
	}
	vec_push(&p->text, (char)(length == 1 ? code : heads[length] | code >> 6 * (length - 1)));
	for (int i = length - 2; i >= 0; i--)
		vec_push(&p->text, (char)(0x80 | (code >> 6 * i & 0x3f)));
}

/* The four digits behind \u; -1: there are none. */
static int get_code(const char *at)
{
	char digits[5] = "";

	if (strspn(at, "0123456789abcdefABCDEF") < 4)
		return -1;
	memcpy(digits, at, 4);
	return (int)strtoul(digits, NULL, 16);
}

/* At the u. */
static bool push_unicode(struct parsing *p)
{
	int code = get_code(p->at + 1);

	if (code < 0)
		return false;
	p->at += 5;
	if (code >= 0xd800 && code < 0xdc00 && p->at[0] == '\\' && p->at[1] == 'u') {
		int low = get_code(p->at + 2);

		if (low >= 0xdc00 && low < 0xe000) {
			p->at += 6;
			code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
		}
	}
	push_code(p, (unsigned)code);
	return true;
}

/* Behind the backslash. */
static bool push_escape(struct parsing *p)
{
	static const char letters[] = "bfnrt\"\\/", stand_for[] = "\b\f\n\r\t\"\\/";
	const char *letter = *p->at ? strchr(letters, *p->at) : NULL;

	if (*p->at == 'u')
		return push_unicode(p);
	if (!letter)
		return false;
	vec_push(&p->text, stand_for[letter - letters]);
	p->at++;
	return true;
}

/* At the opening quote. */
static const char *parse_string(struct parsing *p)
{
	p->text.n = 0;
	p->at++;
	while (*p->at != '"') {
		size_t length = utf8_length((const unsigned char *)p->at);

		if (*p->at == '\\') {
			p->at++;
			if (!push_escape(p))
				return complain(p, "no such escape");
			continue;
		}
		if ((unsigned char)*p->at < 0x20)
			return complain(p, "a control character in a string");
		if (!length)
			push_code(p, 0xfffd);
		for (size_t i = 0; i < length; i++)
			vec_push(&p->text, p->at[i]);
		p->at += length ? length : 1;
	}
	p->at++;
	vec_push(&p->text, '\0');
	return arena_copy(p->arena, p->text.at, p->text.n);
}

/* Values */

static bool is_number(const char *text)
{
	text += *text == '-';
	size_t whole = strspn(text, "0123456789");

	if (!whole || (whole > 1 && *text == '0'))
		return false;
	text += whole;
	if (*text == '.') {
		size_t digits = strspn(++text, "0123456789");

		if (!digits)
			return false;
		text += digits;
	}
	if (*text == 'e' || *text == 'E') {
		text += 1 + (text[1] == '+' || text[1] == '-');
		if (!*text || strspn(text, "0123456789") != strlen(text))
			return false;
		return true;
	}
	return !*text;
}

static struct json_node *parse_plain(struct parsing *p, struct json_node *node)
{
	size_t length = strspn(p->at, "+-.0123456789abcdefghijklmnopqrstuvwxyzE");
	char *text = arena_alloc(p->arena, length + 1);

	memcpy(text, p->at, length);
	text[length] = '\0';
	if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0 && strcmp(text, "null") != 0 &&
	    !is_number(text))
		return complain(p, "a value is missing");
	p->at += length;
	node->kind = JSON_PLAIN;
	node->text = text;
	return node;
}

static struct json_node *parse_value(struct parsing *p);

/* At the bracket. */
static struct json_node *parse_list(struct parsing *p, struct json_node *node)
{
	char close = *p->at == '{' ? '}' : ']';
	struct json_node **end = &node->first;
	const char *key = NULL;

	node->kind = close == '}' ? JSON_OBJECT : JSON_ARRAY;
	if (++p->depth > DEPTH_MAX)
		return complain(p, "it goes too deep");
	p->at++;
	skip_space(p);
	while (*p->at != close) {
		if (node->first && *p->at++ != ',') {
			p->at--;
			return complain(p, "a comma is missing");
		}
		skip_space(p);
		if (node->kind == JSON_OBJECT) {
			if (*p->at != '"')
				return complain(p, "a name is missing");
			key = parse_string(p);
			if (!key)
				return NULL;
			skip_space(p);
			if (*p->at != ':')
				return complain(p, "a colon is missing");
			p->at++;
		}
		*end = parse_value(p);
		if (!*end)
			return NULL;
		(*end)->key = key;
		end = &(*end)->next;
		skip_space(p);
	}
	p->at++;
	p->depth--;
	return node;
}

static struct json_node *parse_value(struct parsing *p)
{
	struct json_node *node = arena_alloc(p->arena, sizeof(*node));

	*node = (struct json_node){0};
	skip_space(p);
	if (*p->at == '{' || *p->at == '[')
		return parse_list(p, node);
	if (*p->at != '"')
		return parse_plain(p, node);
	node->kind = JSON_STRING;
	node->text = parse_string(p);
	return node->text ? node : NULL;
}

struct json_node *json_parse(struct arena *arena, const char *data, size_t size, struct err *err)
{
	struct parsing p = {
		.arena = arena, .data = data, .at = data, .end = data + size, .err = err};
	struct json_node *node = parse_value(&p);

	skip_space(&p);
	if (node && p.at != p.end)
		node = complain(&p, "something behind the end");
	vec_release(&p.text);
	return node;
}

/* Asking */

struct json_node *json_first(const struct json_node *node)
{
	return node ? node->first : NULL;
}

struct json_node *json_member(const struct json_node *node, const char *key)
{
	struct json_node *member = node && node->kind == JSON_OBJECT ? node->first : NULL;

	while (member && strcmp(member->key, key) != 0)
		member = member->next;
	return member;
}

size_t json_count(const struct json_node *node)
{
	size_t count = 0;

	for (const struct json_node *n = json_first(node); n; n = n->next)
		count++;
	return count;
}

const char *json_text(const struct json_node *node, const char *key)
{
	const struct json_node *member = json_member(node, key);

	return member && member->kind == JSON_STRING ? member->text : "";
}

uint64_t json_number(const struct json_node *node, const char *key)
{
	const struct json_node *member = json_member(node, key);

	return member && member->kind == JSON_PLAIN ? strtoull(member->text, NULL, 10) : 0;
}

bool json_true(const struct json_node *node, const char *key)
{
	const struct json_node *member = json_member(node, key);

	return member && member->kind == JSON_PLAIN && !strcmp(member->text, "true");
}

void json_put(struct json *json, const char *key, const struct json_node *node)
{
	bool is_object = node->kind == JSON_OBJECT;

	if (node->kind == JSON_STRING) {
		json_string(json, key, node->text);
	} else if (node->kind == JSON_PLAIN) {
		json_plain(json, key, node->text);
	} else {
		json_open(json, key, is_object ? '{' : '[');
		for (const struct json_node *n = node->first; n; n = n->next)
			json_put(json, n->key, n);
		json_close(json, is_object ? '}' : ']');
	}
}
