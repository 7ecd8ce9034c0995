/* SPDX-License-Identifier: MIT */
#include "trace/text_parse.h"

static bool is_expr_end(char c)
{
	return text_is_blank(c) || c == '(' || c == ')';
}

/* $N, a part that stands before this one. */
static int parse_again(struct text_source *t, struct token atom, struct err *err)
{
	uint64_t label;

	if (!text_parse_u64(atom.text + 1, atom.length - 1, &label) || !label ||
	    label > t->labels.n || !t->labels.at[label - 1])
		return FAIL(t, "'%.*s' is not a part that stands before it", SHOWN(atom));
	expr_read_again(&t->expr, t->labels.at[label - 1] - 1);
	return 0;
}

static int parse_atom(struct text_source *t, struct token atom, uint64_t last, struct err *err)
{
	uint64_t read;
	int64_t number;

	if (atom.length && atom.text[0] == '$')
		return parse_again(t, atom, err);
	if (atom.length && atom.text[0] == '%') {
		if (!text_parse_u64(atom.text + 1, atom.length - 1, &read))
			return FAIL(t, "'%.*s' is not the number of a read", SHOWN(atom));
		if (!read || read > last)
			return FAIL(t, "%%%llu is not an earlier event", (unsigned long long)read);
		expr_read_atom(&t->expr, OP_READ, read);
	} else if (text_parse_i64(atom.text, atom.length, &number)) {
		expr_read_atom(&t->expr, OP_CONST, (uint64_t)number);
	} else {
		return FAIL(t, "'%.*s' in an expression is neither a number nor a read (%%N)",
			    SHOWN(atom));
	}
	return 0;
}

static int find_operator(struct token word)
{
	for (int op = OP_READ + 1; op < OP_COUNT; op++)
		if (text_token_is(word, expr_op_text[op]))
			return op;
	return -1;
}

static void skip_blanks(struct text_source *t)
{
	while (t->c < t->end && text_is_blank(*t->c))
		t->c++;
}

static struct token expr_word(struct text_source *t)
{
	struct token word = {.text = t->c};

	while (t->c < t->end && !is_expr_end(*t->c))
		t->c++;
	word.length = (size_t)(t->c - word.text);
	return word;
}

/* The operator behind a '('. */
static int open_part(struct text_source *t, size_t label, struct err *err)
{
	t->c++;
	skip_blanks(t);
	struct token word = expr_word(t);
	int op = find_operator(word);

	if (op < 0)
		return FAIL(t, "'%.*s' is not an operator", SHOWN(word));
	expr_read_open(&t->expr, (enum expr_op)op, label);
	return 0;
}

static int close_part(struct text_source *t, struct err *err)
{
	struct expr_reader *r = &t->expr;

	t->c++;
	if (!r->open.n)
		return FAIL(t, "')' without '(' in an expression");
	struct expr_open open = r->open.at[r->open.n - 1];

	if (!expr_arity_fits(open.op, expr_read_args(r)))
		return FAIL(t, "'%s' does not take %u arguments", expr_op_text[open.op],
			    expr_read_args(r));
	if (open.label)
		t->labels.at[open.label - 1] = (uint32_t)r->nodes.n + 1;
	expr_read_close(r);
	return 0;
}

/* "$N=", in front of a '(': names the part that follows. Numbers count up. */
static int parse_label(struct text_source *t, struct token word, struct err *err)
{
	uint64_t label;

	if (!text_parse_u64(word.text + 1, word.length - 2, &label) || label != t->labels.n + 1)
		return FAIL(t, "'%.*s' is not the next part to be named, $%zu=", SHOWN(word),
			    t->labels.n + 1);
	vec_push(&t->labels, 0);
	return open_part(t, label, err);
}

static int parse_part(struct text_source *t, uint64_t last, struct err *err)
{
	if (expr_reader_is_full(&t->expr))
		return FAIL(t, "the expression has more than %u parts", EXPR_NODES_MAX);
	if (*t->c == '(')
		return open_part(t, 0, err);
	struct token word = expr_word(t);

	if (word.length > 2 && word.text[0] == '$' && word.text[word.length - 1] == '=' &&
	    t->c < t->end && *t->c == '(')
		return parse_label(t, word, err);
	return parse_atom(t, word, last, err);
}

int text_parse_expr(struct text_source *t, uint64_t last, const struct expr **expr, struct err *err)
{
	int code;

	expr_reader_start(&t->expr);
	t->labels.n = 0;
	do {
		skip_blanks(t);
		if (t->c == t->end)
			return FAIL(t, "the expression is not complete");
		code = *t->c == ')' ? close_part(t, err) : parse_part(t, last, err);
		if (code)
			return code;
	} while (t->expr.open.n);
	if (t->c < t->end && !text_is_blank(*t->c))
		return FAIL(t, "a blank is missing after the expression");
	*expr = expr_read_end(&t->expr, &t->more);
	return 0;
}
