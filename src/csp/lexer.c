/* SPDX-License-Identifier: MIT */
/* Characters to words. */
#include "csp/token.h"

#include "base/input.h"

#include <ctype.h>
#include <string.h>

#define DEEPEST_INCLUDE 16
#define LARGEST_FILE ((size_t)64 << 20)

const char *const csp_token_text[T_COUNT] = {
#define CSP_TOKEN_ROW(name, text) text,
	CSP_TOKENS(CSP_TOKEN_ROW)
#undef CSP_TOKEN_ROW
};

struct lexer {
	struct csp *csp;
	const char *path;
	int depth; /* of includes */
	uint32_t file;
	const char *at, *end, *line_start;
	uint32_t line;
	bool first;
	struct csp_token *out;
	size_t n, capacity;
};

static struct csp_pos place(const struct lexer *l, const char *at)
{
	return (struct csp_pos){l->file, l->line, (uint32_t)(at - l->line_start) + 1};
}

static bool starts(const struct lexer *l, const char *text)
{
	size_t n = strlen(text);

	return (size_t)(l->end - l->at) >= n && !memcmp(l->at, text, n);
}

static struct csp_token *push(struct lexer *l, enum csp_token_kind kind, const char *from)
{
	l->out = csp_grown(l->csp, l->out, l->n, &l->capacity, sizeof(*l->out));
	struct csp_token *t = &l->out[l->n++];

	*t = (struct csp_token){
		.kind = kind, .first = l->first, .pos = place(l, from), .from = from, .end = l->at};
	l->first = false;
	return t;
}

static void new_line(struct lexer *l)
{
	l->line++;
	l->line_start = l->at + 1;
	l->first = true;
}

static void skip_comment(struct lexer *l)
{
	struct csp_pos pos = place(l, l->at);
	int depth = 0;

	do {
		if (l->at == l->end)
			csp_fail(l->csp, pos, "this comment has no end: -} is expected");
		if (*l->at == '\n')
			new_line(l);
		if (starts(l, "{-"))
			depth++, l->at++;
		else if (starts(l, "-}"))
			depth--, l->at++;
		l->at++;
	} while (depth);
}

static void skip_space(struct lexer *l)
{
	while (l->at < l->end) {
		if (*l->at == '\n')
			new_line(l);
		if (isspace((unsigned char)*l->at)) {
			l->at++;
		} else if (starts(l, "--")) {
			while (l->at < l->end && *l->at != '\n')
				l->at++;
		} else if (starts(l, "{-")) {
			skip_comment(l);
		} else {
			return;
		}
	}
}

static void read_number(struct lexer *l)
{
	const char *from = l->at;
	int64_t number = 0;

	for (; l->at < l->end && isdigit((unsigned char)*l->at); l->at++)
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, *l->at - '0', &number))
			csp_fail(l->csp, place(l, from), "this number is too large");
	push(l, T_NUMBER, from)->number = number;
}

static int read_escaped(struct lexer *l)
{
	char c = *l->at++;

	if (c == '\n')
		csp_fail(l->csp, place(l, l->at - 1),
			 "a closing quote is expected before the end of the line");
	if (c != '\\' || l->at == l->end)
		return (unsigned char)c;
	c = *l->at++;
	return c == 'n' ? '\n' : c == 't' ? '\t' : (unsigned char)c;
}

static void read_char(struct lexer *l)
{
	const char *from = l->at++;
	int c = l->at < l->end ? read_escaped(l) : 0;

	if (l->at == l->end || *l->at != '\'')
		csp_fail(l->csp, place(l, from), "one character and a quote are expected after '");
	l->at++;
	push(l, T_CHAR, from)->number = c;
}

static void read_string(struct lexer *l)
{
	const char *from = l->at++;
	char *text = csp_alloc(l->csp,
			       (size_t)(l->end - from) < 4096 ? (size_t)(l->end - from) + 1 : 4097);
	size_t n = 0;

	while (l->at < l->end && *l->at != '"' && n < 4096)
		text[n++] = (char)read_escaped(l);
	if (l->at == l->end || *l->at != '"')
		csp_fail(l->csp, place(l, from),
			 "this string has no end, or more than 4096 characters");
	l->at++;
	push(l, T_STRING, from)->name = intern_add(&l->csp->names, text, n);
}

static enum csp_token_kind word_kind(const char *from, size_t n)
{
	for (int kind = T_ASSERT; kind <= T_WILD; kind++)
		if (strlen(csp_token_text[kind]) == n && !memcmp(csp_token_text[kind], from, n))
			return kind == T_PRINT || kind == T_INCLUDE ? T_NAME
								    : (enum csp_token_kind)kind;
	return T_NAME;
}

static void read_word(struct lexer *l)
{
	const char *from = l->at;

	while (l->at < l->end && (isalnum((unsigned char)*l->at) || *l->at == '_'))
		l->at++;
	while (l->at < l->end && *l->at == '\'')
		l->at++;
	size_t n = (size_t)(l->at - from);
	enum csp_token_kind kind = word_kind(from, n);
	bool begins = l->first;
	struct csp_token *t = push(l, kind, from);

	if (kind == T_NAME)
		t->name = intern_add(&l->csp->names, from, n);
	if (begins && n == 5 && !memcmp(from, "print", 5) && l->at < l->end &&
	    (*l->at == ' ' || *l->at == '\t'))
		t->kind = T_PRINT;
}

static bool is_blank(const struct lexer *l, const char *at)
{
	return at < l->line_start || at >= l->end || isspace((unsigned char)*at);
}

static void read_symbol(struct lexer *l)
{
	const char *from = l->at;

	if (*from == '<') { /* an empty sequence may have space in it */
		const char *next = from + 1;

		while (next < l->end && isspace((unsigned char)*next) && *next != '\n')
			next++;
		if (next < l->end && *next == '>') {
			l->at = next + 1;
			push(l, T_EMPTY, from);
			return;
		}
	}
	if (starts(l, ">==")) { /* `<x>==y` */
		l->at++;
		push(l, T_GREATER, from);
		return;
	}
	for (int kind = T_REFINES_T; kind < T_COUNT; kind++) {
		if (!starts(l, csp_token_text[kind]))
			continue;
		size_t n = strlen(csp_token_text[kind]);

		/* `(|||x:S @ …)`, `(|| …)` and `(|~| …)` */
		if (kind == T_OPEN_MAP && from + n < l->end && (from[n] == '|' || from[n] == '~'))
			continue;
		l->at += n;
		/* `f :: T` is a type, `M::f` a name of a module */
		if (kind == T_SCOPE && (is_blank(l, from - 1) || is_blank(l, l->at)))
			kind = T_OF_TYPE;
		push(l, (enum csp_token_kind)kind, from);
		return;
	}
	csp_fail(l->csp, place(l, from), "this character means nothing here");
}

static void lex(struct lexer *l);

static const char *beside(struct csp *csp, const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	if (*name == '/' || !slash)
		return name;
	return csp_text(csp, "%.*s/%s", (int)(slash - path), path, name);
}

/* `include "name"`: its words come here. */
static void include(struct lexer *l)
{
	struct csp_pos pos = place(l, l->at);
	enum csp_token_kind before = l->n ? l->out[l->n - 1].kind : T_END;

	/* the operators are the last kinds */
	if (before >= T_ARROW && before != T_EMPTY && before != T_GREATER)
		csp_fail(l->csp, pos, "include cannot stand in a declaration");
	l->at += strlen("include");
	while (l->at < l->end && (*l->at == ' ' || *l->at == '\t'))
		l->at++;
	const char *name = ++l->at;

	while (l->at < l->end && *l->at != '"' && *l->at != '\n')
		l->at++;
	if (name > l->end || name[-1] != '"' || l->at >= l->end || *l->at != '"')
		csp_fail(l->csp, pos, "a file name in quotes is expected after include");
	if (!l->path)
		csp_fail(l->csp, pos, "nothing can be included here");
	if (l->depth == DEEPEST_INCLUDE)
		csp_fail(l->csp, pos, "files include each other too deeply");
	const char *path =
		beside(l->csp, l->path, csp_text(l->csp, "%.*s", (int)(l->at - name), name));
	uint32_t file = csp_load(l->csp, path, pos);
	const struct csp_file *f = &l->csp->files.at[file];
	struct lexer inner = {.csp = l->csp,
			      .path = path,
			      .depth = l->depth + 1,
			      .file = file,
			      .at = f->text,
			      .end = f->text + f->size,
			      .line_start = f->text,
			      .line = 1,
			      .first = true,
			      .out = l->out,
			      .n = l->n,
			      .capacity = l->capacity};

	l->at++;
	lex(&inner);
	l->out = inner.out;
	l->n = inner.n;
	l->capacity = inner.capacity;
	l->first = true;
}

static void lex(struct lexer *l)
{
	for (skip_space(l); l->at < l->end; skip_space(l)) {
		unsigned char c = (unsigned char)*l->at;

		if (l->first && starts(l, "include") && l->at + 7 < l->end &&
		    (l->at[7] == ' ' || l->at[7] == '\t'))
			include(l);
		else if (isdigit(c))
			read_number(l);
		else if (isalpha(c) || c == '_')
			read_word(l);
		else if (c == '\'')
			read_char(l);
		else if (c == '"')
			read_string(l);
		else
			read_symbol(l);
	}
}

struct csp_tokens csp_tokens(struct csp *csp, uint32_t file, const char *path)
{
	const struct csp_file *f = &csp->files.at[file];
	struct lexer l = {.csp = csp,
			  .path = path,
			  .file = file,
			  .at = f->text,
			  .end = f->text + f->size,
			  .line_start = f->text,
			  .line = 1,
			  .first = true};

	lex(&l);
	l.first = true;
	push(&l, T_END, l.at);
	return (struct csp_tokens){l.out, l.n};
}

uint32_t csp_add_file(struct csp *csp, const char *name, char *text, size_t size)
{
	struct csp_file file = {.text = text, .size = size};

	vec_push(&csp->files, file);
	csp->files.at[csp->files.n - 1].name = csp_text(csp, "%s", name);
	csp_charge(csp, size);
	return (uint32_t)csp->files.n - 1;
}

uint32_t csp_load(struct csp *csp, const char *path, struct csp_pos pos)
{
	struct err err = {0};
	struct input *in = input_open(path, &err);
	char *text = NULL;
	size_t size = 0, capacity = 0;
	int64_t got = in ? 1 : -1;

	while (got > 0 && size < LARGEST_FILE) {
		if (capacity - size < 65536)
			text = mem_resize(text, capacity = 2 * capacity + 65536);
		got = input_read(in, text + size, 65536, &err);
		size += got > 0 ? (size_t)got : 0;
	}
	if (in)
		input_close(in);
	if (got < 0 || size >= LARGEST_FILE)
		mem_free(text);
	if (got < 0)
		csp_fail(csp, pos, "%s", err.message);
	if (size >= LARGEST_FILE)
		csp_fail(csp, pos, "%s is too large", path);
	return csp_add_file(csp, path, text, size);
}
