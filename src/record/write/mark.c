/* SPDX-License-Identifier: MIT */
/* Marks: words, and addresses that name objects. */
#include "record/write/parts.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ADDRESS_LEAST UINT64_C(4096)
#define ADDRESS_END (UINT64_C(1) << LOG_ADDRESS_BITS)

/*
 * In another order of the threads a block that was freed may not have been: then the next one lies
 * elsewhere. So of two objects that had the same address one after the other, the second one is
 * another number. What was freed is still the object that was there last.
 */
static uint64_t name_address(struct writer *w, uint64_t address)
{
	struct object found;

	if (address < ADDRESS_LEAST || address >= ADDRESS_END)
		return address;
	bool lives = objects_find(w->objects, address, &found);
	struct named_address *a = keyed_find(&w->named, address);

	if (!lives && !a)
		return address;
	if (!a) {
		a = keyed_slot(&w->named, address);
		*a = (struct named_address){.key = address, .object = found.id};
		w->named.n++;
	}
	if (lives && a->object != found.id) {
		a->object = found.id;
		a->number++;
	}
	return address + a->number * ADDRESS_END;
}

/* The word there if it is a number, which it may not be. */
static size_t put_word(struct writer *w, const char *word, size_t length, char *to)
{
	char *end;
	uint64_t value = strtoull(word, &end, 10);

	if (isdigit((unsigned char)*word) && end == word + length) {
		uint64_t named = name_address(w, value);

		if (named != value)
			return (size_t)sprintf(to, "%" PRIu64, named);
	}
	memcpy(to, word, length);
	return length;
}

/* Words with one blank between them; how many bytes. */
static size_t put_words(struct writer *w, const char *from, char *to)
{
	static const char blanks[] = " \t\n";
	size_t n = 0;

	for (from += strspn(from, blanks); *from; from += strspn(from, blanks)) {
		size_t length = strcspn(from, blanks);

		if (n)
			to[n++] = ' ';
		n += put_word(w, from, length, to + n);
		from += length;
	}
	to[n] = '\0';
	return n;
}

/* What the format would take for something else. */
static void clean_arguments(char *args)
{
	char *last = strrchr(args, ' ');

	last = last ? last + 1 : args;
	if (*last == '@')
		*last = '_'; /* it would be taken for the location */
	for (char *c = args; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f || *c == '#')
			*c = '_';
}

/* "NAME ARGS…" */
void mark_follow(struct writer *w, const struct merged *r)
{
	size_t length = r->w[1];
	char *from = arena_alloc(&w->more, length + 1);
	/* a word of two characters and more may become one of 20 */
	char *text = arena_alloc(&w->more, 20 * (length / 2 + 1) + 2);
	struct event_more *more = NULL;

	memcpy(from, r->w + 3, length);
	from[length] = '\0';
	if (!put_words(w, from, text))
		strcpy(text, "-");
	char *args = strchr(text, ' ');

	if (args) {
		*args++ = '\0';
		clean_arguments(args);
		more = writer_more(w);
		more->args = args;
		more->args_length = (uint32_t)strlen(args);
	}
	places_clean(text);
	writer_begin(w, r->thread, false);
	writer_put(w,
		   (struct event){.kind = EV_MARK,
				  .thread = r->thread,
				  .object = symbols_add(w->symbols, CLASS_MARK, text, strlen(text)),
				  .location = places_call(w->places, r->w[2])},
		   more, false);
}
