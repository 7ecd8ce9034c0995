/* SPDX-License-Identifier: MIT */
/*
 * Words of a command line, in order, with a NULL behind them when they are run. The vector owns
 * the array, not the words; those that are made live in an arena.
 */
#ifndef COMPILE_WORDS_H
#define COMPILE_WORDS_H

#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>

struct words {
	const char **at;
	size_t n, capacity;
};

void words_add(struct words *words, const char *word);
#define words_add_all(words, ...) words_add_list(words, (const char *const[]){__VA_ARGS__, NULL})
void words_add_list(struct words *words, const char *const *list);
void words_release(struct words *words);

/* Adds argv, with each @FILE that can be read replaced by the words in it. */
int words_expand(struct words *words, const char *const *argv, struct arena *arena,
		 struct err *err);
/* Writes words from `first` on as a response file. */
int words_write(const struct words *words, size_t first, const char *path, struct err *err);
/* How long are they as a command line? */
size_t words_length(const struct words *words);

const char *words_format(struct arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
