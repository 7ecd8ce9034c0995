/* SPDX-License-Identifier: MIT */
/*
 * Any solver that reads SMT-LIB 2 from its input and answers on its output. Each query is a
 * process of its own: not every solver can be reset, and what one query did to it (it ran out
 * of memory, it was killed) is over with the next.
 *
 * What it prints is not to be trusted. That an execution exists is seen by running it; that
 * there is none has to be believed.
 */
#include "search/smt/child.h"
#include "search/run.h"
#include "search/smt/smt.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* If nobody names one. */
#define DEFAULT_COMMAND "cvc5 --lang smt2"

struct pipe_engine {
	struct engine engine;
	const char *command;
	struct smt *smt;
	struct run *run; /* to check what it found */
	char *text;
	size_t length;
	struct child_output output;
};

static struct engine *start_pipe(const struct index *index, const struct engine_options *options,
				 struct err *err)
{
	if (options->command && !*options->command) {
		err_set(err, ERR_USAGE, "engine smt: the command is empty");
		return NULL;
	}
	struct pipe_engine *p = mem_alloc_zero(1, sizeof(*p));

	p->command = options->command ? options->command : DEFAULT_COMMAND;
	p->smt = smt_new(index, options->model);
	p->run = run_new(index, options->model);
	return &p->engine;
}

/*
 * All of the conversation at once. If there is no model to get values from, the solver
 * complains, behind its answer.
 */
static void write_text(struct pipe_engine *p, const char *query)
{
	FILE *out;

	free(p->text);
	out = open_memstream(&p->text, &p->length);
	ASSERT(out);
	fputs(query, out);
	fputs("(get-value (o0", out);
	for (uint32_t n = 1; n <= p->engine.index->count; n++) {
		if (smt_has_place(p->smt, n))
			fprintf(out, " o%u", n);
		if (smt_is_open(p->smt, n))
			fprintf(out, " i%u", n);
	}
	fputs("))\n(exit)\n", out);
	fclose(out);
}

static const char *skip_blanks(const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

/* `text`, then no more of a word; NULL if it is not there. */
static const char *skip_word(const char *at, const char *text)
{
	size_t length = strlen(text);

	at = skip_blanks(at);
	if (strncmp(at, text, length) != 0 || isalnum((unsigned char)at[length]))
		return NULL;
	return at + length;
}

/* 17, or (- 17) */
static const char *read_number(const char *at, int64_t *value)
{
	bool negative = *at == '(';
	char *end;

	if (negative && !(at = skip_word(at + 1, "-")))
		return NULL;
	at = skip_blanks(at);
	if (!isdigit((unsigned char)*at))
		return NULL;
	*value = strtoll(at, &end, 10);
	at = skip_blanks(end);
	if (!negative)
		return at;
	*value = -*value;
	return *at == ')' ? at + 1 : NULL;
}

struct found {
	bool given, open, happens;
	int64_t place;
};

/* One `(o3 17)` or `(i3 true)`. */
static const char *read_pair(const char *at, struct found *found, uint32_t count)
{
	char letter = at[0] == '(' ? *(at = skip_blanks(at + 1)) : '\0';
	char *end;

	if ((letter != 'o' && letter != 'i') || !isdigit((unsigned char)at[1]))
		return NULL;
	unsigned long n = strtoul(at + 1, &end, 10);

	at = skip_blanks(end);
	if (n > count)
		return NULL;
	if (letter == 'o') {
		found[n].given = true;
		at = read_number(at, &found[n].place);
	} else {
		const char *yes = skip_word(at, "true");

		found[n].open = true;
		found[n].happens = yes != NULL;
		at = yes ? yes : skip_word(at, "false");
	}
	at = at ? skip_blanks(at) : NULL;
	return at && *at == ')' ? at + 1 : NULL;
}

static bool read_values(const char *at, struct found *found, uint32_t count)
{
	at = skip_blanks(at);
	if (*at++ != '(')
		return false;
	for (at = skip_blanks(at); *at && *at != ')'; at = skip_blanks(at)) {
		at = read_pair(at, found, count);
		if (!at)
			return false;
	}
	return *at == ')';
}

static bool make_witness(struct pipe_engine *p, const struct found *found, struct witness *w)
{
	VEC(struct smt_place) places = {0};
	bool good = true;

	for (uint32_t n = 1; good && n <= p->engine.index->count; n++) {
		struct smt_place place = {.place = found[n].place, .event = n};
		bool has_place = smt_has_place(p->smt, n), is_open = smt_is_open(p->smt, n);

		good = found[n].given == has_place && found[n].open == is_open;
		if (has_place && (!is_open || found[n].happens))
			vec_push(&places, place);
	}
	if (good) {
		smt_make_witness(p->smt, places.at, places.n, w);
		good = run_accepts(p->run, w);
	}
	vec_release(&places);
	return good;
}

static enum answer undecided(struct pipe_engine *p, const char *what)
{
	char *text = p->output.text.at;

	text[strcspn(text, "\n")] = '\0';
	err_set(&p->engine.why, ERR_LIMIT, "%s: %s \"%.100s\"", p->command, what, text);
	return UNDECIDED;
}

static enum answer read_answer(struct pipe_engine *p, struct witness *w)
{
	const char *text = p->output.text.at, *at;
	uint32_t count = p->engine.index->count;

	if (skip_word(text, "unsat"))
		return REFUTED;
	at = skip_word(text, "sat");
	if (!at)
		return undecided(p, "it answers");
	struct found *found = mem_alloc_zero((size_t)count + 1, sizeof(*found));
	bool good = read_values(at, found, count) && make_witness(p, found, w);

	mem_free(found);
	return good ? PROVED : undecided(p, "what it found is no execution, after");
}

static enum answer ask_pipe(struct engine *engine, const struct query *q, struct witness *w)
{
	struct pipe_engine *p = (struct pipe_engine *)engine;
	struct err err = {0};
	const char *logic;
	size_t length;
	const char *query = smt_write(p->smt, q, &length, &logic);
	/* a name, a number, brackets: far less than that for each event */
	size_t most = ((size_t)1 << 20) + 256 * (size_t)engine->index->count;

	if (engine->options.dump && smt_dump(p->smt, engine->options.dump, &engine->why) < 0)
		return UNDECIDED;
	write_text(p, query);
	if (!child_ask(p->command, p->text, p->length, &engine->options.budget, most, &p->output,
		       &err))
		return read_answer(p, w);
	err_set(&engine->why, err.code, "%s: %s", p->command, err.message);
	return UNDECIDED;
}

static void finish_pipe(struct engine *engine)
{
	struct pipe_engine *p = (struct pipe_engine *)engine;

	smt_free(p->smt);
	run_free(p->run);
	free(p->text);
	vec_release(&p->output.text);
	mem_free(p);
}

const struct engine_kind engine_smt = {
	.name = "smt",
	.title = "one SMT-LIB 2 formula for each question",
	.bugs = BUG_BIT(BUG_RACE) | BUG_BIT(BUG_DEADLOCK) | BUG_BIT(BUG_ATOMICITY),
	.start = start_pipe,
	.ask = ask_pipe,
	.finish = finish_pipe,
};
