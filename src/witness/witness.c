/* SPDX-License-Identifier: MIT */
#include "witness/witness.h"

#include <string.h>

#define NUMBERS_A_LINE 20

static const char *next_word(char **at, const char *end, size_t *length)
{
	char *c = *at;

	while (c < end && (*c == ' ' || *c == '\t'))
		c++;
	char *word = c;

	while (c < end && *c != ' ' && *c != '\t')
		c++;
	*length = (size_t)(c - word);
	*at = c;
	return *length ? word : NULL;
}

static bool word_is(const char *word, size_t length, const char *text)
{
	return word && strlen(text) == length && !memcmp(word, text, length);
}

static int take_numbers(struct input *in, char *at, const char *end, uint64_t **numbers, size_t *n,
			size_t *capacity, struct err *err)
{
	const char *word;
	size_t length;

	while ((word = next_word(&at, end, &length))) {
		uint64_t number = 0;

		for (size_t i = 0; i < length; i++) {
			if (word[i] < '0' || word[i] > '9' || number > UINT64_MAX / 10 - 1)
				return input_error(in, err, "'%.*s' is not the number of an event",
						   length < 40 ? (int)length : 40, word);
			number = number * 10 + (uint64_t)(word[i] - '0');
		}
		if (!number)
			return input_error(in, err, "events are numbered from 1");
		if (*n == *capacity)
			*numbers = vec_grown(*numbers, capacity, *n + 1, sizeof(uint64_t));
		(*numbers)[(*n)++] = number;
	}
	return 0;
}

#define TAKE_NUMBERS(in, at, end, vec, err) \
	take_numbers(in, at, end, &(vec)->at, &(vec)->n, &(vec)->capacity, err)

static const char bug_names[] =
#define BUG_ROW(name, text, ...) ", " text
	BUG_KINDS(BUG_ROW);
#undef BUG_ROW

static int take_bug(struct witness *w, struct input *in, char *at, const char *end, struct err *err)
{
	size_t length;
	const char *word = next_word(&at, end, &length);
	int bug = 0;

	while (bug < BUG_COUNT && !word_is(word, length, bug_kind_text[bug]))
		bug++;
	if (bug == BUG_COUNT)
		return input_error(in, err, "'bug' is one of %s", bug_names + strlen(", "));
	w->bug = (enum bug_kind)bug;
	if (TAKE_NUMBERS(in, at, end, &w->bug_events, err) < 0)
		return err->code;
	const struct bug_facts *facts = &bug_facts[bug];

	if (w->bug_events.n < facts->least || (facts->most && w->bug_events.n > facts->most))
		return input_error(in, err, "a %s is between %s", bug_kind_text[bug],
				   facts->events);
	return 0;
}

static int take_model(struct witness *w, struct input *in, char *at, const char *end,
		      struct err *err)
{
	size_t length;
	const char *word = next_word(&at, end, &length);

	for (int m = 0; m < MODEL_COUNT; m++)
		if (word_is(word, length, model_text[m]) && !next_word(&at, end, &length)) {
			w->model = (enum model)m;
			return 0;
		}
	return input_error(in, err, "'model' is one of values, maximal, predictable, mcm, said");
}

static int take_recorded(struct witness *w, struct input *in, char *at, const char *end,
			 struct err *err)
{
	VEC(uint64_t) numbers = {0};
	int code = TAKE_NUMBERS(in, at, end, &numbers, err);

	if (!code && numbers.n != 1)
		code = input_error(in, err, "'recorded' is the number of one event");
	if (!code)
		w->recorded = numbers.at[0];
	vec_release(&numbers);
	return code;
}

static int take_breaks(struct witness *w, struct input *in, char *at, const char *end,
		       struct err *err)
{
	size_t length;
	const char *word = next_word(&at, end, &length);
	uint64_t number = 0;

	for (size_t i = 0; word && i < length; i++) {
		if (word[i] < '0' || word[i] > '9' || number > UINT32_MAX)
			return input_error(in, err, "'breaks' is 'breaks NUMBER FILE'");
		number = number * 10 + (uint64_t)(word[i] - '0');
	}
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	if (!word || number > UINT32_MAX || at == end || w->script)
		return input_error(in, err, "'breaks' is 'breaks NUMBER FILE', once");
	if (memchr(at, '\0', (size_t)(end - at)))
		return input_error(in, err, "no name of a file has a NUL in it");
	w->assertion = (uint32_t)number;
	w->script = mem_alloc((size_t)(end - at) + 1);
	memcpy(w->script, at, (size_t)(end - at));
	w->script[end - at] = '\0';
	return 0;
}

int witness_read(struct witness *w, struct input *in, struct err *err)
{
	enum { START, MODEL = 1, BUG_LINE = 2, END = 4 };
	unsigned seen = 0;
	bool first = true;
	char *line;
	size_t size, length;
	int got;

	memset(w, 0, sizeof(*w));
	while ((got = input_line(in, &line, &size, err)) > 0) {
		char *at = line, *comment = memchr(line, '#', size);
		const char *end = comment ? comment : line + size;
		const char *word = next_word(&at, end, &length);
		int code;

		if (!word)
			continue;
		if (first) {
			const char *version = next_word(&at, end, &size);

			if (!word_is(word, length, "norn-witness") ||
			    !(word_is(version, size, "1") || word_is(version, size, "2")) ||
			    next_word(&at, end, &size))
				return input_error(
					in, err,
					"this is not a 'norn-witness 1' or 'norn-witness 2' file");
			first = false;
			continue;
		}
		if (seen & END)
			return input_error(in, err, "nothing comes after 'end'");
		if (word_is(word, length, "model") && !(seen & MODEL)) {
			code = take_model(w, in, at, end, err);
			seen |= MODEL;
		} else if (word_is(word, length, "bug") && !(seen & BUG_LINE)) {
			code = take_bug(w, in, at, end, err);
			seen |= BUG_LINE;
		} else if (word_is(word, length, "recorded") && !w->recorded && !w->run.n) {
			code = take_recorded(w, in, at, end, err);
		} else if (word_is(word, length, "breaks")) {
			/* a path may have a # in it */
			code = take_breaks(w, in, at, line + size, err);
		} else if (word_is(word, length, "run")) {
			code = TAKE_NUMBERS(in, at, end, &w->run, err);
		} else if (word_is(word, length, "rest")) {
			code = TAKE_NUMBERS(in, at, end, &w->rest, err);
		} else if (word_is(word, length, "end") && !next_word(&at, end, &length)) {
			code = 0;
			seen |= END;
		} else {
			code = input_error(in, err,
					   "'%.*s' is not expected here: model, bug, breaks, "
					   "recorded, run, rest or "
					   "end",
					   length < 40 ? (int)length : 40, word);
		}
		if (code < 0)
			return code;
	}
	if (got < 0)
		return got;
	if (seen != (MODEL | BUG_LINE | END))
		return input_error(in, err,
				   "the witness is cut short: model, bug and end are required");
	return 0;
}

int witness_read_file(struct witness *w, const char *path, struct err *err)
{
	struct input *in = input_open(path, err);

	if (!in)
		return err->code;
	int code = witness_read(w, in, err);

	input_close(in);
	return code;
}

static void put_numbers(struct output *out, const char *word, const uint64_t *numbers, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i % NUMBERS_A_LINE == 0) {
			if (i)
				output_char(out, '\n');
			output_text(out, word);
		}
		output_char(out, ' ');
		output_u64(out, numbers[i]);
	}
	if (n)
		output_char(out, '\n');
}

void witness_write(const struct witness *w, struct output *out)
{
	output_format(out, "norn-witness %d\nmodel %s\nbug %s", w->recorded ? 2 : 1,
		      model_text[w->model], bug_kind_text[w->bug]);
	for (size_t i = 0; i < w->bug_events.n; i++) {
		output_char(out, ' ');
		output_u64(out, w->bug_events.at[i]);
	}
	output_char(out, '\n');
	if (w->script)
		output_format(out, "breaks %u %s\n", w->assertion, w->script);
	if (w->recorded)
		put_numbers(out, "recorded", &w->recorded, 1);
	put_numbers(out, "run", w->run.at, w->run.n);
	put_numbers(out, "rest", w->rest.at, w->rest.n);
	output_text(out, "end\n");
}

void witness_release(struct witness *w)
{
	vec_release(&w->bug_events);
	vec_release(&w->run);
	vec_release(&w->rest);
	mem_free(w->script);
	w->script = NULL;
}

void witness_set_breaks(struct witness *w, const char *script, uint32_t assertion)
{
	mem_free(w->script);
	w->script = NULL;
	w->assertion = assertion;
	if (!script)
		return;
	w->script = mem_alloc(strlen(script) + 1);
	strcpy(w->script, script);
}

void witness_copy(struct witness *to, const struct witness *from)
{
	to->model = from->model;
	to->bug = from->bug;
	to->recorded = from->recorded;
	to->monitor = from->monitor;
	witness_set_breaks(to, from->script, from->assertion);
	for (size_t i = 0; i < from->bug_events.n; i++)
		vec_push(&to->bug_events, from->bug_events.at[i]);
	for (size_t i = 0; i < from->run.n; i++)
		vec_push(&to->run, from->run.at[i]);
	for (size_t i = 0; i < from->rest.n; i++)
		vec_push(&to->rest, from->rest.at[i]);
}

void witness_fold(struct witness *w)
{
	size_t n = 0;

	while (n < w->run.n && w->run.at[n] == w->recorded + n + 1)
		n++;
	w->recorded += n;
	w->run.n -= n;
	if (n && w->run.n)
		memmove(w->run.at, w->run.at + n, w->run.n * sizeof(*w->run.at));
}

void witness_spell(struct witness *w)
{
	size_t n = w->recorded;

	if (!n)
		return;
	vec_reserve(&w->run, n + w->run.n);
	if (w->run.n)
		memmove(w->run.at + n, w->run.at, w->run.n * sizeof(*w->run.at));
	w->run.n += n;
	for (size_t i = 0; i < n; i++)
		w->run.at[i] = i + 1;
	w->recorded = 0;
}
