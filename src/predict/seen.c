/* SPDX-License-Identifier: MIT */
#include "predict/seen.h"

#include "base/err.h"
#include "predict/fingerprint.h"

#include <string.h>

const char *const seen_kind_text[SEEN_KIND_COUNT] = {
#define SEEN_ROW(name, text, title) [name] = text,
	SEEN_KINDS(SEEN_ROW)
#undef SEEN_ROW
};

const char *const seen_kind_title[SEEN_KIND_COUNT] = {
#define SEEN_ROW(name, text, title) [name] = title,
	SEEN_KINDS(SEEN_ROW)
#undef SEEN_ROW
};

/* Reading */

/* The next word, NULL at the end; its end is marked. */
static char *next_word(char **at)
{
	char *word = *at + strspn(*at, " \t"), *end = word + strcspn(word, " \t");

	if (!*word)
		return NULL;
	*at = *end ? end + 1 : end;
	*end = '\0';
	return word;
}

static int bad(const char *trace, const char *value, const char *expected, struct err *err)
{
	return err_set(err, ERR_INPUT, "%s: meta seen %.200s: expected %s", trace, value, expected);
}

static int kind_of(const char *word)
{
	for (int kind = 0; word && kind < SEEN_KIND_COUNT; kind++)
		if (!strcmp(seen_kind_text[kind], word))
			return kind;
	return -1;
}

static bool is_step_word(const char *word)
{
	return word && strcmp(word, ";");
}

/* What stands behind a semicolon; and whether another one follows. */
static bool read_step(char **at, struct seen_step *step, bool *more)
{
	step->thread = next_word(at);
	step->op = is_step_word(step->thread) ? next_word(at) : NULL;
	step->object = is_step_word(step->op) ? next_word(at) : NULL;
	if (!is_step_word(step->object))
		return false;
	const char *word = next_word(at);

	if (word && *word == '@' && word[1]) {
		step->location = word + 1;
		word = next_word(at);
	}
	*more = word;
	return !word || !strcmp(word, ";");
}

static int read_one(struct seen_list *list, const struct symbols *symbols, const char *value,
		    const char *trace, struct err *err)
{
	static const char steps[] = "; THREAD OP OBJECT [@LOCATION], once or more";
	char *at = arena_copy(&list->text, value, strlen(value) + 1);
	int kind = kind_of(next_word(&at));

	if (kind < 0)
		return bad(trace, value,
			   "deadlock, stuck, use-after-free, double-free or crash first", err);
	const char *first = next_word(&at);
	struct seen f = {.kind = (enum seen_kind)kind};

	for (bool more = first && !strcmp(first, ";"); more;) {
		struct seen_step step = {0};

		if (!read_step(&at, &step, &more)) {
			f.steps.n = 0;
			break;
		}
		step.name = symbols_given_name(symbols, step.thread);
		vec_push(&f.steps, step);
	}
	if (!f.steps.n) {
		vec_release(&f.steps);
		return bad(trace, value, steps, err);
	}
	vec_push(&list->at, f);
	return 0;
}

int seen_read(struct seen_list *list, const struct symbols *symbols, const char *trace,
	      struct err *err)
{
	for (size_t i = 0; i < symbols->metas.n; i++) {
		const struct meta *meta = &symbols->metas.at[i];

		if (!strcmp(meta->key, "seen") &&
		    read_one(list, symbols, meta->value, trace, err) < 0)
			return err->code;
	}
	return 0;
}

void seen_release(struct seen_list *list)
{
	for (size_t i = 0; i < list->at.n; i++)
		vec_release(&list->at.at[i].steps);
	vec_release(&list->at);
	arena_release(&list->text);
}

/* Looking */

bool seen_is_main(const struct seen *f, size_t step)
{
	const char *op = f->steps.at[step].op;

	if (f->kind == SEEN_DEADLOCK || f->kind == SEEN_STUCK)
		return strncmp(op, "holds", strlen("holds")) && strcmp(op, "signal");
	return !step || (f->kind != SEEN_CRASH && !strcmp(op, "free"));
}

uint64_t seen_fingerprint(const struct seen *f)
{
	VEC(const char *) places = {0};

	for (size_t i = 0; i < f->steps.n; i++)
		if (seen_is_main(f, i))
			vec_push(&places, f->steps.at[i].location ? f->steps.at[i].location
								  : f->steps.at[i].op);
	uint64_t fingerprint = fingerprint_of(seen_kind_text[f->kind], places.at, places.n, false);

	vec_release(&places);
	return fingerprint;
}

uint64_t seen_likeness(const struct seen *f)
{
	VEC(const char *) texts = {0};
	struct arena arena = {0};

	for (size_t i = 0; i < f->steps.n; i++)
		if (seen_is_main(f, i))
			vec_push(&texts,
				 fingerprint_likeness(&arena, f->steps.at[i].location,
						      f->steps.at[i].op, f->steps.at[i].object));
	uint64_t likeness = fingerprint_of(seen_kind_text[f->kind], texts.at, texts.n, false);

	vec_release(&texts);
	arena_release(&arena);
	return likeness;
}
