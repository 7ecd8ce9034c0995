/* SPDX-License-Identifier: MIT */
#include "trace/text.h"

#include "trace/expr_build.h"

#include <string.h>

#define BATCH_EVENTS 4096

struct text_source {
	struct source source;
	uint64_t next_number; /* of the next event */
	struct event *events;
	uint64_t *lines;
	struct arena more;   /* what the events of the batch point to */
	const char *c, *end; /* the rest of the line */
	/* For each class, the next event's number when an object was first mentioned. */
	VEC(uint64_t) known_since[CLASS_COUNT];
	VEC(uint64_t) last_access; /* of each variable: no access names it twice */
	VEC(struct part) parts;
	VEC(uint64_t) numbers;
	struct expr_reader expr;
	VEC(uint32_t) labels; /* of the expression: 1 + node, or 0 until that part is complete */
};

struct token {
	const char *text;
	size_t length;
};

#define FAIL(t, ...) input_error((t)->source.in, err, __VA_ARGS__)
/* For "%.*s": a token may be as long as the longest line. */
#define SHOWN(token) ((token).length < 60 ? (int)(token).length : 60), (token).text

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool next_token(struct text_source *t, struct token *token)
{
	while (t->c < t->end && is_blank(*t->c))
		t->c++;
	token->text = t->c;
	while (t->c < t->end && !is_blank(*t->c))
		t->c++;
	token->length = (size_t)(t->c - token->text);
	return token->length > 0;
}

static bool token_is(struct token token, const char *word)
{
	return strlen(word) == token.length && !memcmp(token.text, word, token.length);
}

static bool token_starts(struct token token, const char *prefix)
{
	size_t length = strlen(prefix);

	return token.length >= length && !memcmp(token.text, prefix, length);
}

/* An unsigned number, decimal or hexadecimal, of at most 64 bits. */
static bool parse_u64(const char *text, size_t length, uint64_t *value)
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

/* -2^63 … 2^64 - 1; the upper half wraps, so that addresses can be written as they are. */
static bool parse_i64(const char *text, size_t length, int64_t *value)
{
	bool negative = length && text[0] == '-';
	uint64_t v;

	if (!parse_u64(text + negative, length - negative, &v))
		return false;
	if (negative && v > (uint64_t)INT64_MAX + 1)
		return false;
	*value = (int64_t)(negative ? -v : v);
	return true;
}

static int take_token(struct text_source *t, const char *what, struct token *token, struct err *err)
{
	if (!next_token(t, token))
		return FAIL(t, "%s is missing", what);
	return 0;
}

static int take_u64(struct text_source *t, const char *what, uint64_t least, uint64_t most,
		    uint64_t *value, struct err *err)
{
	struct token token;

	if (take_token(t, what, &token, err) < 0)
		return err->code;
	if (!parse_u64(token.text, token.length, value) || *value < least || *value > most)
		return FAIL(t, "%s is a number from %llu to %llu, not '%.*s'", what,
			    (unsigned long long)least, (unsigned long long)most, SHOWN(token));
	return 0;
}

static int take_value(struct text_source *t, int64_t *value, struct err *err)
{
	struct token token;

	if (take_token(t, "a value", &token, err) < 0)
		return err->code;
	if (!parse_i64(token.text, token.length, value))
		return FAIL(t, "'%.*s' is not a 64-bit number", SHOWN(token));
	return 0;
}

static uint32_t add_object(struct text_source *t, enum object_class class, struct token name)
{
	uint32_t number = symbols_add(t->source.symbols, class, name.text, name.length);

	/* more than one at a time if the reader cut variables of which we know nothing */
	while (t->known_since[class].n <= number)
		vec_push(&t->known_since[class], t->next_number);
	return number;
}

static int take_object(struct text_source *t, enum object_class class, uint32_t *number,
		       struct err *err)
{
	struct token token;

	if (!next_token(t, &token))
		return FAIL(t, "the name of a %s is missing", object_class_singular[class]);
	*number = add_object(t, class, token);
	return 0;
}

/* Declarations */

/* An object to declare: no event may stand between its first mention and this. */
static int take_declared(struct text_source *t, enum object_class class, uint32_t *number,
			 struct err *err)
{
	if (take_object(t, class, number, err) < 0)
		return err->code;
	if (t->known_since[class].at[*number] != t->next_number)
		return FAIL(t, "%s %s is declared too late: it is known since event %llu",
			    object_class_singular[class],
			    symbols_name(t->source.symbols, class, *number),
			    (unsigned long long)t->known_since[class].at[*number]);
	return 0;
}

static int declare_init(struct text_source *t, struct err *err)
{
	uint32_t x;
	int64_t value;

	if (take_declared(t, CLASS_VARIABLE, &x, err) < 0 || take_value(t, &value, err) < 0)
		return err->code;
	struct variable *v = symbols_describe(t->source.symbols, x);

	if (v->flags & VARIABLE_INIT && v->init != value)
		return FAIL(t, "%s has two initial values",
			    symbols_name(t->source.symbols, CLASS_VARIABLE, x));
	v->init = value;
	v->flags |= VARIABLE_INIT;
	return 0;
}

static int declare_volatile(struct text_source *t, struct err *err)
{
	uint32_t x;

	if (take_declared(t, CLASS_VARIABLE, &x, err) < 0)
		return err->code;
	symbols_describe(t->source.symbols, x)->flags |= VARIABLE_VOLATILE;
	return 0;
}

static int declare_memory(struct text_source *t, struct err *err)
{
	struct token base;
	uint64_t address, size;
	uint32_t x;

	if (t->next_number > 1)
		return FAIL(t, "'memory' stands before the first event");
	if (take_declared(t, CLASS_VARIABLE, &x, err) < 0 ||
	    take_token(t, "the base", &base, err) < 0 ||
	    take_u64(t, "the address", 0, UINT64_MAX, &address, err) < 0 ||
	    take_u64(t, "the size", 1, UINT64_MAX - address, &size, err) < 0)
		return err->code;
	struct variable *v = symbols_describe(t->source.symbols, x);

	if (v->flags & VARIABLE_MEMORY)
		return FAIL(t, "%s has two places in memory",
			    symbols_name(t->source.symbols, CLASS_VARIABLE, x));
	v->base = intern_add(&t->source.symbols->bases, base.text, base.length);
	v->address = address;
	v->size = size;
	v->flags |= VARIABLE_MEMORY;
	return 0;
}

static int declare_semaphore(struct text_source *t, struct err *err)
{
	uint64_t count;
	uint32_t s;

	if (take_declared(t, CLASS_SEMAPHORE, &s, err) < 0 ||
	    take_u64(t, "the count", 0, INT32_MAX, &count, err) < 0)
		return err->code;
	struct semaphore *semaphore = &t->source.symbols->semaphores.at[s];

	if (semaphore->declared)
		return FAIL(t, "%s is declared twice",
			    symbols_name(t->source.symbols, CLASS_SEMAPHORE, s));
	*semaphore = (struct semaphore){.count = count, .declared = true};
	return 0;
}

static int declare_barrier(struct text_source *t, struct err *err)
{
	uint64_t parties;
	uint32_t b;

	if (take_declared(t, CLASS_BARRIER, &b, err) < 0 ||
	    take_u64(t, "the number of parties", 1, INT32_MAX, &parties, err) < 0)
		return err->code;
	struct barrier *barrier = &t->source.symbols->barriers.at[b];

	if (barrier->parties)
		return FAIL(t, "%s is declared twice",
			    symbols_name(t->source.symbols, CLASS_BARRIER, b));
	barrier->parties = (uint32_t)parties;
	return 0;
}

static int declare_meta(struct text_source *t, struct err *err)
{
	struct token key;

	if (take_token(t, "the key", &key, err) < 0)
		return err->code;
	if (memchr(key.text, '#', key.length))
		return FAIL(t, "a key holds no '#'");
	while (t->c < t->end && is_blank(*t->c))
		t->c++;
	while (t->c < t->end && is_blank(t->end[-1]))
		t->end--;
	symbols_add_meta(t->source.symbols, key.text, key.length, t->c, (size_t)(t->end - t->c));
	t->c = t->end;
	return 0;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Bytes as pairs of digits. */
static int declare_constant(struct text_source *t, struct err *err)
{
	uint8_t bytes[CONSTANT_SIZE_MAX];
	struct token digits;
	uint64_t address;

	if (take_u64(t, "the address", 0, UINT64_MAX, &address, err) < 0 ||
	    take_token(t, "the bytes", &digits, err) < 0)
		return err->code;
	if (digits.length % 2 || digits.length / 2 > CONSTANT_SIZE_MAX)
		return FAIL(t, "'%.*s' is not up to %d bytes, two digits each", SHOWN(digits),
			    CONSTANT_SIZE_MAX);
	for (size_t i = 0; i < digits.length; i += 2) {
		int high = hex_digit(digits.text[i]), low = hex_digit(digits.text[i + 1]);

		if (high < 0 || low < 0)
			return FAIL(t, "'%.*s' has characters other than hexadecimal digits",
				    SHOWN(digits));
		bytes[i / 2] = (uint8_t)(high << 4 | low);
	}
	if (!constants_add(&t->source.symbols->constants, address, bytes, digits.length / 2))
		return FAIL(t,
			    "bytes from %llu on are declared twice, or end after the last address",
			    (unsigned long long)address);
	return 0;
}

static const struct {
	const char *word;
	int (*parse)(struct text_source *t, struct err *err);
} declarations[] = {
	{"init", declare_init},		{"volatile", declare_volatile}, {"memory", declare_memory},
	{"sem", declare_semaphore},	{"barrier", declare_barrier},	{"meta", declare_meta},
	{"constant", declare_constant},
};

bool text_thread_name_is_good(const char *name)
{
	for (size_t i = 0; i < sizeof(declarations) / sizeof(*declarations); i++)
		if (!strcmp(name, declarations[i].word))
			return false;
	return true;
}

/* Expressions */

static bool is_expr_end(char c)
{
	return is_blank(c) || c == '(' || c == ')';
}

/* $N, a part that stands before this one. */
static int parse_again(struct text_source *t, struct token atom, struct err *err)
{
	uint64_t label;

	if (!parse_u64(atom.text + 1, atom.length - 1, &label) || !label || label > t->labels.n ||
	    !t->labels.at[label - 1])
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
		if (!parse_u64(atom.text + 1, atom.length - 1, &read))
			return FAIL(t, "'%.*s' is not the number of a read", SHOWN(atom));
		if (!read || read > last)
			return FAIL(t, "%%%llu is not an earlier event", (unsigned long long)read);
		expr_read_atom(&t->expr, OP_READ, read);
	} else if (parse_i64(atom.text, atom.length, &number)) {
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
		if (token_is(word, expr_op_text[op]))
			return op;
	return -1;
}

static void skip_blanks(struct text_source *t)
{
	while (t->c < t->end && is_blank(*t->c))
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

	if (!parse_u64(word.text + 1, word.length - 2, &label) || label != t->labels.n + 1)
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

/* Parses one expression; `last` is the highest event number that it may name. */
static int parse_expr(struct text_source *t, uint64_t last, const struct expr **expr,
		      struct err *err)
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
	if (t->c < t->end && !is_blank(*t->c))
		return FAIL(t, "a blank is missing after the expression");
	*expr = expr_read_end(&t->expr, &t->more);
	return 0;
}

/* Events */

/* "4,7" or nothing: numbers of events up to last. */
static int parse_numbers(struct text_source *t, struct token list, size_t skip, uint64_t last,
			 const uint64_t **numbers, uint32_t *count, struct err *err)
{
	const char *c = list.text + skip, *end = list.text + list.length;

	t->numbers.n = 0;
	while (c < end) {
		const char *comma = memchr(c, ',', (size_t)(end - c));
		size_t length = (size_t)((comma ? comma : end) - c);
		uint64_t number;

		if (!parse_u64(c, length, &number) || !number || number > last)
			return FAIL(t, "'%.*s' in '%.*s' is not the number of an earlier event",
				    length < 60 ? (int)length : 60, c, SHOWN(list));
		vec_push(&t->numbers, number);
		c += length + (comma != NULL);
		if (comma && c == end)
			return FAIL(t, "'%.*s' ends with a comma", SHOWN(list));
	}
	*count = (uint32_t)t->numbers.n;
	*numbers = arena_copy(&t->more, t->numbers.at, t->numbers.n * sizeof(uint64_t));
	return 0;
}

static struct event_more *get_more(struct text_source *t, struct event *e)
{
	if (!e->more) {
		struct event_more *more = arena_alloc(&t->more, sizeof(*more));

		memset(more, 0, sizeof(*more));
		e->more = more;
	}
	return (struct event_more *)e->more;
}

static int take_part(struct text_source *t, struct event *e, struct token name, struct part *part,
		     struct err *err)
{
	memset(part, 0, sizeof(*part));
	part->variable = add_object(t, CLASS_VARIABLE, name);
	vec_extend(&t->last_access, (size_t)part->variable + 1);
	if (t->last_access.at[part->variable] == t->next_number)
		return FAIL(t, "%.*s is named twice in one access", SHOWN(name));
	t->last_access.at[part->variable] = t->next_number;
	if (event_is(e, EV_VALUE) && take_value(t, &part->value, err) < 0)
		return err->code;
	if (e->kind == EV_RMW && take_value(t, &part->written, err) < 0)
		return err->code;
	return 0;
}

bool text_is_annotation(const char *text, size_t length)
{
	struct token token = {text, length};

	return token.text[0] == '@' || token_is(token, "=") || token_starts(token, "reads=") ||
	       token_starts(token, "at=") || token_starts(token, "order=") ||
	       token_starts(token, "skip=");
}

/* The operands of an access; the first token that is none of them is left in *token. */
static int parse_parts(struct text_source *t, struct event *e, struct token *token, bool *left,
		       struct err *err)
{
	struct part first, part;

	if (!next_token(t, token))
		return FAIL(t, "the name of a variable is missing");
	if (take_part(t, e, *token, &first, err) < 0)
		return err->code;
	e->object = first.variable;
	e->value = first.value;
	if (e->kind == EV_RMW)
		get_more(t, e)->written = first.written;
	t->parts.n = 0;
	while ((*left = next_token(t, token)) && !text_is_annotation(token->text, token->length)) {
		if (take_part(t, e, *token, &part, err) < 0)
			return err->code;
		vec_push(&t->parts, part);
	}
	if (t->parts.n) {
		struct event_more *more = get_more(t, e);

		more->part_count = (uint32_t)t->parts.n;
		more->parts = arena_copy(&t->more, t->parts.at, t->parts.n * sizeof(*t->parts.at));
	}
	return 0;
}

static int parse_woken(struct text_source *t, struct event *e, struct err *err)
{
	struct event_more *more = get_more(t, e);
	struct token token;

	if (take_object(t, CLASS_LOCK, &more->lock, err) < 0)
		return err->code;
	if (e->kind == EV_WAIT)
		return 0;
	if (!next_token(t, &token) || !token_starts(token, "by="))
		return FAIL(t, "by= is missing: the signal that woke the thread, or -");
	if (token_is(token, "by=-"))
		return 0;
	if (!parse_u64(token.text + 3, token.length - 3, &more->by) || !more->by ||
	    more->by >= t->next_number)
		return FAIL(t, "'%.*s' is not the number of an earlier event", SHOWN(token));
	return 0;
}

/* skip=N or skip=-; false if it is neither. */
static bool parse_skip(struct token token, struct event *e)
{
	uint64_t skip;

	if (e->skip || !token_starts(token, "skip="))
		return false;
	if (token_is(token, "skip=-")) {
		e->skip = EVENT_NO_RECORD;
		return true;
	}
	if (!parse_u64(token.text + 5, token.length - 5, &skip) || !skip || skip > EVENT_SKIP_MOST)
		return false;
	e->skip = (uint16_t)skip;
	return true;
}

/* Everything up to a last token with '@', and skip= before it, is arguments. */
static int parse_mark(struct text_source *t, struct event *e, struct err *err)
{
	char *joined = arena_alloc(&t->more, (size_t)(t->end - t->c) + 2);
	size_t length = 0, n;
	struct token token;
	VEC(struct token) words = {0};

	while (next_token(t, &token))
		vec_push(&words, token);
	n = words.n;
	if (n && words.at[n - 1].text[0] == '@' && words.at[n - 1].length > 1)
		t->c = words.at[--n].text; /* the location: for parse_annotations */
	if (n && token_starts(words.at[n - 1], "skip=") && !parse_skip(words.at[--n], e)) {
		token = words.at[n];
		vec_release(&words);
		return FAIL(t, "'%.*s' is no number of records from 1 to %d, or -", SHOWN(token),
			    EVENT_SKIP_MOST);
	}
	for (size_t i = 0; i < n; i++) {
		if (length)
			joined[length++] = ' ';
		memcpy(joined + length, words.at[i].text, words.at[i].length);
		length += words.at[i].length;
	}
	vec_release(&words);
	joined[length] = '\0';
	if (length) {
		struct event_more *more = get_more(t, e);

		more->args = joined;
		more->args_length = (uint32_t)length;
	}
	return 0;
}

static int parse_order(struct text_source *t, struct event *e, struct token token, struct err *err)
{
	for (int order = ORDER_RELAXED; order < ORDER_COUNT; order++) {
		struct token name = {token.text + 6, token.length - 6};

		if (token_is(name, memory_order_text[order]) && memory_order_fits(e, order)) {
			e->order = (uint8_t)order;
			return 0;
		}
	}
	return FAIL(t, "'%.*s' is not a memory order", SHOWN(token));
}

static int parse_scope(struct text_source *t, struct event *e, struct token token, struct err *err)
{
	uint64_t scope;

	if (!parse_u64(token.text + 6, token.length - 6, &scope) || !scope || scope > UINT32_MAX)
		return FAIL(t, "'%.*s' is no number of events from 1 to %u", SHOWN(token),
			    UINT32_MAX);
	get_more(t, e)->scope = (uint32_t)scope;
	return 0;
}

/* token is the first annotation if `left`. */
static int parse_annotations(struct text_source *t, struct event *e, struct token token, bool left,
			     struct err *err)
{
	uint64_t last = e->kind == EV_RMW ? t->next_number : t->next_number - 1;
	bool atomic = e->kind == EV_READ || e->kind == EV_WRITE || e->kind == EV_RMW;

	for (; left; left = next_token(t, &token)) {
		const char *expr_word = e->kind == EV_BRANCH ? "if" : "=";
		int code = 0;

		if (token.text[0] == '@' && token.length > 1 && !e->location) {
			e->location = intern_add(&t->source.symbols->locations, token.text + 1,
						 token.length - 1);
		} else if (event_is(e, EV_DEPENDS) && token_is(token, expr_word) &&
			   !get_more(t, e)->expr) {
			code = parse_expr(t, last, &get_more(t, e)->expr, err);
		} else if (event_is(e, EV_DEPENDS) && token_starts(token, "reads=") &&
			   !get_more(t, e)->reads_given) {
			struct event_more *more = get_more(t, e);

			more->reads_given = true;
			code = parse_numbers(t, token, 6, last, &more->reads, &more->read_count,
					     err);
		} else if (e->kind != EV_MARK && token_starts(token, "at=") &&
			   !get_more(t, e)->at_count) {
			struct event_more *more = get_more(t, e);

			code = parse_numbers(t, token, 3, t->next_number - 1, &more->at,
					     &more->at_count, err);
			if (!code && !more->at_count)
				code = FAIL(t, "at= names no event");
		} else if (e->kind == EV_BRANCH && token_starts(token, "scope=") &&
			   !get_more(t, e)->scope) {
			code = parse_scope(t, e, token, err);
		} else if (e->kind == EV_BRANCH && token_is(token, "opaque") &&
			   !get_more(t, e)->opaque) {
			get_more(t, e)->opaque = true;
		} else if (atomic && token_starts(token, "order=") && !e->order) {
			code = parse_order(t, e, token, err);
		} else if (event_is(e, EV_BLOCKS) && token_is(token, "try") && !e->order) {
			e->order = EVENT_TRIES;
		} else if (e->kind != EV_MARK && token_starts(token, "skip=") && !e->skip) {
			if (!parse_skip(token, e))
				code = FAIL(t, "'%.*s' is no number of records from 1 to %d, or -",
					    SHOWN(token), EVENT_SKIP_MOST);
		} else {
			code = FAIL(t, "'%.*s' is not allowed after '%s'", SHOWN(token),
				    event_kind_text[e->kind]);
		}
		if (code)
			return code;
	}
	if (e->more && e->more->expr && e->more->reads_given)
		return FAIL(t, "an expression and reads= exclude each other");
	if (event_scope(e) && !e->more->expr)
		return FAIL(t, "scope= without an expression");
	if (event_scope(e) && e->more->opaque)
		return FAIL(t, "scope= and opaque exclude each other");
	return 0;
}

static int parse_kind(struct token op)
{
	for (int kind = 0; kind < EV_COUNT; kind++)
		if (token_is(op, event_kind_text[kind]))
			return kind;
	return -1;
}

static int parse_event(struct text_source *t, struct token thread, struct event *e, struct err *err)
{
	struct token token = {0};
	bool left = false;
	int code = 0;

	if (take_token(t, "what the thread did", &token, err) < 0)
		return err->code;
	int kind = parse_kind(token);

	if (kind < 0)
		return FAIL(t, "'%.*s' is not an operation", SHOWN(token));
	*e = (struct event){.kind = (uint8_t)kind};
	e->thread = add_object(t, CLASS_THREAD, thread);
	if (event_is(e, EV_ACCESS)) {
		code = parse_parts(t, e, &token, &left, err);
	} else {
		enum object_class class = event_kind_class[kind];

		if (class != CLASS_NONE)
			code = take_object(t, class, &e->object, err);
		if (!code && (kind == EV_WAIT || kind == EV_WOKEN))
			code = parse_woken(t, e, err);
		if (!code && kind == EV_MARK)
			code = parse_mark(t, e, err);
		if (!code)
			left = next_token(t, &token);
	}
	return code ? code : parse_annotations(t, e, token, left, err);
}

/* 1: an event in *e; 0: something else; negative: an error. */
static int parse_line(struct text_source *t, char *line, size_t length, struct event *e,
		      struct err *err)
{
	struct token first;

	t->c = line;
	t->end = line + length;
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)line[i];

		if ((c < ' ' && c != '\t') || c == 0x7f)
			return FAIL(t, "byte %zu of the line, 0x%02x, is not text", i + 1, c);
	}
	char *comment = memchr(line, '#', length);

	if (comment)
		t->end = comment;
	if (!next_token(t, &first))
		return 0;
	for (size_t i = 0; i < sizeof(declarations) / sizeof(*declarations); i++) {
		if (!token_is(first, declarations[i].word))
			continue;
		if (declarations[i].parse == declare_meta)
			t->end = line + length; /* its text may hold a '#' */
		if (declarations[i].parse(t, err) < 0)
			return err->code;
		struct token extra;

		if (next_token(t, &extra))
			return FAIL(t, "'%.*s' is not allowed after '%s'", SHOWN(extra),
				    declarations[i].word);
		return 0;
	}
	int code = parse_event(t, first, e, err);

	return code ? code : 1;
}

static int text_next(struct source *s, struct batch *batch, struct err *err)
{
	struct text_source *t = (struct text_source *)s;
	size_t n = 0;

	arena_reset(&t->more);
	*batch = (struct batch){.at = t->events, .first = t->next_number, .lines = t->lines};
	while (n < BATCH_EVENTS) {
		char *line;
		size_t length;
		int got = input_line(s->in, &line, &length, err);

		if (got > 0)
			got = parse_line(t, line, length, &t->events[n], err);
		else if (!got)
			break;
		if (got < 0)
			return got;
		if (got) {
			t->lines[n++] = input_line_number(s->in);
			t->next_number++;
		}
	}
	batch->n = n;
	return n > 0;
}

static void text_close(struct source *s)
{
	struct text_source *t = (struct text_source *)s;

	mem_free(t->events);
	mem_free(t->lines);
	arena_release(&t->more);
	for (int class = 0; class < CLASS_COUNT; class ++)
		vec_release(&t->known_since[class]);
	vec_release(&t->last_access);
	vec_release(&t->parts);
	vec_release(&t->numbers);
	expr_reader_release(&t->expr);
	vec_release(&t->labels);
	mem_free(t);
}

static const struct source_ops text_source_ops = {.next = text_next, .close = text_close};

struct source *text_open_source(struct input *in, struct symbols *symbols, struct err *err)
{
	struct text_source *t = mem_alloc_zero(1, sizeof(*t));

	(void)err;
	t->source = (struct source){&text_source_ops, in, symbols};
	t->next_number = 1;
	t->expr.constants = &symbols->constants;
	t->events = mem_alloc(BATCH_EVENTS * sizeof(*t->events));
	t->lines = mem_alloc(BATCH_EVENTS * sizeof(*t->lines));
	return &t->source;
}

int text_probe(const char *head, size_t size)
{
	/* anything without control characters may be meant as our text: the parser will tell */
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)head[i];

		if ((c < ' ' && !strchr("\t\r\n", c)) || !c || c == 0x7f)
			return 0;
	}
	return 1;
}
