/* SPDX-License-Identifier: MIT */
#include "trace/text_parse.h"

#include <string.h>

bool text_next_token(struct text_source *t, struct token *token)
{
	while (t->c < t->end && text_is_blank(*t->c))
		t->c++;
	token->text = t->c;
	while (t->c < t->end && !text_is_blank(*t->c))
		t->c++;
	token->length = (size_t)(t->c - token->text);
	return token->length > 0;
}

bool text_token_is(struct token token, const char *word)
{
	return strlen(word) == token.length && !memcmp(token.text, word, token.length);
}

bool text_token_starts(struct token token, const char *prefix)
{
	size_t length = strlen(prefix);

	return token.length >= length && !memcmp(token.text, prefix, length);
}

bool text_parse_u64(const char *text, size_t length, uint64_t *value)
{
	uint64_t base = 10, v = 0;

	if (length > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		text += 2;
		length -= 2;
	}
	if (!length)
		return false;
	for (size_t i = 0; i < length; i++) {
		char c = text[i];
		uint64_t digit = c >= '0' && c <= '9'	? (uint64_t)(c - '0')
				 : c >= 'a' && c <= 'f' ? (uint64_t)(c - 'a' + 10)
				 : c >= 'A' && c <= 'F' ? (uint64_t)(c - 'A' + 10)
							: 16;

		if (digit >= base || __builtin_mul_overflow(v, base, &v) ||
		    __builtin_add_overflow(v, digit, &v))
			return false;
	}
	*value = v;
	return true;
}

bool text_parse_i64(const char *text, size_t length, int64_t *value)
{
	bool negative = length && text[0] == '-';
	uint64_t v;

	if (!text_parse_u64(text + negative, length - negative, &v))
		return false;
	if (negative && v > (uint64_t)INT64_MAX + 1)
		return false;
	*value = (int64_t)(negative ? -v : v);
	return true;
}

int text_take_token(struct text_source *t, const char *what, struct token *token, struct err *err)
{
	if (!text_next_token(t, token))
		return FAIL(t, "%s is missing", what);
	return 0;
}

int text_take_u64(struct text_source *t, const char *what, uint64_t least, uint64_t most,
		  uint64_t *value, struct err *err)
{
	struct token token;

	if (text_take_token(t, what, &token, err) < 0)
		return err->code;
	if (!text_parse_u64(token.text, token.length, value) || *value < least || *value > most)
		return FAIL(t, "%s is a number from %llu to %llu, not '%.*s'", what,
			    (unsigned long long)least, (unsigned long long)most, SHOWN(token));
	return 0;
}

int text_take_value(struct text_source *t, int64_t *value, struct err *err)
{
	struct token token;

	if (text_take_token(t, "a value", &token, err) < 0)
		return err->code;
	if (!text_parse_i64(token.text, token.length, value))
		return FAIL(t, "'%.*s' is not a 64-bit number", SHOWN(token));
	return 0;
}

uint32_t text_add_object(struct text_source *t, enum object_class class, struct token name)
{
	uint32_t number = symbols_add(t->source.symbols, class, name.text, name.length);

	/* more than one at a time if the reader cut variables of which we know nothing */
	while (t->known_since[class].n <= number)
		vec_push(&t->known_since[class], t->next_number);
	return number;
}

int text_take_object(struct text_source *t, enum object_class class, uint32_t *number,
		     struct err *err)
{
	struct token token;

	if (!text_next_token(t, &token))
		return FAIL(t, "the name of a %s is missing", object_class_singular[class]);
	*number = text_add_object(t, class, token);
	return 0;
}
