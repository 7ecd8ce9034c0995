/* SPDX-License-Identifier: MIT */
#include "trace/text_parse.h"

#include <string.h>

#define BATCH_EVENTS 4096

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

		if (!text_parse_u64(c, length, &number) || !number || number > last)
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
	part->variable = text_add_object(t, CLASS_VARIABLE, name);
	vec_extend(&t->last_access, (size_t)part->variable + 1);
	if (t->last_access.at[part->variable] == t->next_number)
		return FAIL(t, "%.*s is named twice in one access", SHOWN(name));
	t->last_access.at[part->variable] = t->next_number;
	if (event_is(e, EV_VALUE) && text_take_value(t, &part->value, err) < 0)
		return err->code;
	if (e->kind == EV_RMW && text_take_value(t, &part->written, err) < 0)
		return err->code;
	return 0;
}

bool text_is_annotation(const char *text, size_t length)
{
	struct token token = {text, length};

	return token.text[0] == '@' || text_token_is(token, "=") ||
	       text_token_starts(token, "reads=") || text_token_starts(token, "at=") ||
	       text_token_starts(token, "order=") || text_token_starts(token, "skip=");
}

/* The operands of an access; the first token that is none of them is left in *token. */
static int parse_parts(struct text_source *t, struct event *e, struct token *token, bool *left,
		       struct err *err)
{
	struct part first, part;

	if (!text_next_token(t, token))
		return FAIL(t, "the name of a variable is missing");
	if (take_part(t, e, *token, &first, err) < 0)
		return err->code;
	e->object = first.variable;
	e->value = first.value;
	if (e->kind == EV_RMW)
		get_more(t, e)->written = first.written;
	t->parts.n = 0;
	while ((*left = text_next_token(t, token)) &&
	       !text_is_annotation(token->text, token->length)) {
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

	if (text_take_object(t, CLASS_LOCK, &more->lock, err) < 0)
		return err->code;
	if (e->kind == EV_WAIT)
		return 0;
	if (!text_next_token(t, &token) || !text_token_starts(token, "by="))
		return FAIL(t, "by= is missing: the signal that woke the thread, or -");
	if (text_token_is(token, "by=-"))
		return 0;
	if (!text_parse_u64(token.text + 3, token.length - 3, &more->by) || !more->by ||
	    more->by >= t->next_number)
		return FAIL(t, "'%.*s' is not the number of an earlier event", SHOWN(token));
	return 0;
}

/* skip=N or skip=-; false if it is neither. */
static bool parse_skip(struct token token, struct event *e)
{
	uint64_t skip;

	if (e->skip || !text_token_starts(token, "skip="))
		return false;
	if (text_token_is(token, "skip=-")) {
		e->skip = EVENT_NO_RECORD;
		return true;
	}
	if (!text_parse_u64(token.text + 5, token.length - 5, &skip) || !skip ||
	    skip > EVENT_SKIP_MOST)
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

	while (text_next_token(t, &token))
		vec_push(&words, token);
	n = words.n;
	if (n && words.at[n - 1].text[0] == '@' && words.at[n - 1].length > 1)
		t->c = words.at[--n].text; /* the location: for parse_annotations */
	if (n && text_token_starts(words.at[n - 1], "skip=") && !parse_skip(words.at[--n], e)) {
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

		if (text_token_is(name, memory_order_text[order]) && memory_order_fits(e, order)) {
			e->order = (uint8_t)order;
			return 0;
		}
	}
	return FAIL(t, "'%.*s' is not a memory order", SHOWN(token));
}

static int parse_scope(struct text_source *t, struct event *e, struct token token, struct err *err)
{
	uint64_t scope;

	if (!text_parse_u64(token.text + 6, token.length - 6, &scope) || !scope ||
	    scope > UINT32_MAX)
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

	for (; left; left = text_next_token(t, &token)) {
		const char *expr_word = e->kind == EV_BRANCH ? "if" : "=";
		int code = 0;

		if (token.text[0] == '@' && token.length > 1 && !e->location) {
			e->location = intern_add(&t->source.symbols->locations, token.text + 1,
						 token.length - 1);
		} else if (event_is(e, EV_DEPENDS) && text_token_is(token, expr_word) &&
			   !get_more(t, e)->expr) {
			code = text_parse_expr(t, last, &get_more(t, e)->expr, err);
		} else if (event_is(e, EV_DEPENDS) && text_token_starts(token, "reads=") &&
			   !get_more(t, e)->reads_given) {
			struct event_more *more = get_more(t, e);

			more->reads_given = true;
			code = parse_numbers(t, token, 6, last, &more->reads, &more->read_count,
					     err);
		} else if (e->kind != EV_MARK && text_token_starts(token, "at=") &&
			   !get_more(t, e)->at_count) {
			struct event_more *more = get_more(t, e);

			code = parse_numbers(t, token, 3, t->next_number - 1, &more->at,
					     &more->at_count, err);
			if (!code && !more->at_count)
				code = FAIL(t, "at= names no event");
		} else if (e->kind == EV_BRANCH && text_token_starts(token, "scope=") &&
			   !get_more(t, e)->scope) {
			code = parse_scope(t, e, token, err);
		} else if (e->kind == EV_BRANCH && text_token_is(token, "opaque") &&
			   !get_more(t, e)->opaque) {
			get_more(t, e)->opaque = true;
		} else if (atomic && text_token_starts(token, "order=") && !e->order) {
			code = parse_order(t, e, token, err);
		} else if (event_is(e, EV_BLOCKS) && text_token_is(token, "try") && !e->order) {
			e->order = EVENT_TRIES;
		} else if (e->kind != EV_MARK && text_token_starts(token, "skip=") && !e->skip) {
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
		if (text_token_is(op, event_kind_text[kind]))
			return kind;
	return -1;
}

static int parse_event(struct text_source *t, struct token thread, struct event *e, struct err *err)
{
	struct token token = {0};
	bool left = false;
	int code = 0;

	if (text_take_token(t, "what the thread did", &token, err) < 0)
		return err->code;
	int kind = parse_kind(token);

	if (kind < 0)
		return FAIL(t, "'%.*s' is not an operation", SHOWN(token));
	*e = (struct event){.kind = (uint8_t)kind};
	e->thread = text_add_object(t, CLASS_THREAD, thread);
	if (event_is(e, EV_ACCESS)) {
		code = parse_parts(t, e, &token, &left, err);
	} else {
		enum object_class class = event_kind_class[kind];

		if (class != CLASS_NONE)
			code = text_take_object(t, class, &e->object, err);
		if (!code && (kind == EV_WAIT || kind == EV_WOKEN))
			code = parse_woken(t, e, err);
		if (!code && kind == EV_MARK)
			code = parse_mark(t, e, err);
		if (!code)
			left = text_next_token(t, &token);
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
	if (!text_next_token(t, &first))
		return 0;
	int code = text_parse_declaration(t, first, line + length, err);

	if (code)
		return code < 0 ? code : 0;
	code = parse_event(t, first, e, err);
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
