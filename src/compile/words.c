/* SPDX-License-Identifier: MIT */
#include "compile/words.h"

#include "base/input.h"
#include "base/output.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* As deep as response files may name each other; deeper, they name themselves. */
#define DEPTH_MAX 20

void words_add(struct words *words, const char *word)
{
	vec_reserve(words, words->n + 2);
	words->at[words->n++] = word;
	words->at[words->n] = NULL;
}

void words_add_list(struct words *words, const char *const *list)
{
	for (; *list; list++)
		words_add(words, *list);
}

void words_release(struct words *words)
{
	vec_release(words);
}

const char *words_format(struct arena *arena, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int length = vsnprintf(NULL, 0, format, args);

	va_end(args);
	char *text = arena_alloc(arena, (size_t)length + 1);

	va_start(args, format);
	vsnprintf(text, (size_t)length + 1, format, args);
	va_end(args);
	return text;
}

/* All of a file, with a NUL behind it. */
static char *read_all(const char *path, struct arena *arena, struct err *err)
{
	struct input *in = input_open(path, err);
	VEC(char) text = {0};
	int64_t got = -1;

	if (!in)
		return NULL;
	do {
		vec_reserve(&text, text.n + 65537);
		got = input_read(in, text.at + text.n, 65536, err);
		text.n += got > 0 ? (size_t)got : 0;
	} while (got > 0);
	input_close(in);
	char *copy = NULL;

	if (!got) {
		text.at[text.n] = '\0';
		copy = arena_copy(arena, text.at, text.n + 1);
	}
	vec_release(&text);
	return copy;
}

/* Cuts the next word off, in place: quotes and backslashes as GNU programs read them. */
static char *next_word(char **rest)
{
	char *from = *rest, *to, *word, quote = 0;

	while (isspace((unsigned char)*from))
		from++;
	if (!*from)
		return NULL;
	for (word = to = from; *from && (quote || !isspace((unsigned char)*from)); from++) {
		if (*from == '\\' && from[1])
			*to++ = *++from;
		else if (quote ? *from == quote : *from == '\'' || *from == '"')
			quote = quote ? 0 : *from;
		else
			*to++ = *from;
	}
	*rest = *from ? from + 1 : from;
	*to = '\0';
	return word;
}

static int expand(struct words *words, const char *word, int depth, struct arena *arena,
		  struct err *err)
{
	if (*word != '@' || access(word + 1, R_OK)) {
		words_add(words, word);
		return 0;
	}
	if (depth == DEPTH_MAX)
		return err_set(err, ERR_USAGE, "%s: this response file names itself", word);
	char *rest = read_all(word + 1, arena, err), *inner;

	if (!rest)
		return err->code;
	while ((inner = next_word(&rest)))
		if (expand(words, inner, depth + 1, arena, err) < 0)
			return err->code;
	return 0;
}

int words_expand(struct words *words, const char *const *argv, struct arena *arena, struct err *err)
{
	for (; *argv; argv++)
		if (expand(words, *argv, 0, arena, err) < 0)
			return err->code;
	return 0;
}

int words_write(const struct words *words, size_t first, const char *path, struct err *err)
{
	struct output *out = output_open(path, OUTPUT_IN_PLACE, err);

	if (!out)
		return err->code;
	for (size_t i = first; i < words->n; i++) {
		output_char(out, '"');
		for (const char *c = words->at[i]; *c; c++) {
			if (*c == '"' || *c == '\\')
				output_char(out, '\\');
			output_char(out, *c);
		}
		output_text(out, "\"\n");
	}
	return output_close(out, err);
}

size_t words_length(const struct words *words)
{
	size_t length = 0;

	for (size_t i = 0; i < words->n; i++)
		length += strlen(words->at[i]) + 1;
	return length;
}
