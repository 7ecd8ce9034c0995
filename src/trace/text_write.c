/* SPDX-License-Identifier: MIT */
#include "trace/text.h"

#include "trace/expr_build.h"

struct text_sink {
	struct sink sink;
	/* how many of each were there when we last looked: all before are written */
	size_t variables, semaphores, barriers, constants, metas, threads;
};

static void put_numbers(struct output *out, const char *word, const uint64_t *numbers, uint32_t n)
{
	output_text(out, word);
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			output_char(out, ',');
		output_u64(out, numbers[i]);
	}
}

static void put_atom(struct output *out, const struct expr_node *node)
{
	if (node->op == OP_CONST) {
		output_i64(out, (int64_t)node->value);
	} else {
		output_char(out, '%');
		output_u64(out, node->value);
	}
}

/* Whether each node is an operand more than once. */
static bool *find_shared(const struct expr *expr)
{
	const uint32_t *operands = (const uint32_t *)(expr->nodes + expr->count);
	uint8_t *uses = mem_alloc_zero(expr->count, sizeof(*uses));

	for (uint32_t i = 0; i < expr->operand_count; i++)
		uses[operands[i]] = uses[operands[i]] ? 2 : 1;
	for (uint32_t i = 0; i < expr->count; i++)
		uses[i] = uses[i] == 2;
	return (bool *)uses;
}

static void put_part_name(struct output *out, uint32_t label)
{
	output_char(out, '$');
	output_u64(out, label);
}

static void put_item(struct output *out, struct expr_walk *w, enum expr_item item, uint32_t node,
		     const bool *shared, uint32_t *labels)
{
	if (item == EXPR_CLOSE) {
		output_char(out, ')');
	} else if (item == EXPR_ATOM) {
		put_atom(out, &w->expr->nodes[node]);
	} else if (item == EXPR_AGAIN) {
		put_part_name(out, w->marks[node]);
	} else {
		if (shared[node]) {
			put_part_name(out, w->marks[node] = ++*labels);
			output_char(out, '=');
		}
		output_char(out, '(');
		output_text(out, expr_op_text[w->expr->nodes[node].op]);
	}
}

static void put_expr(struct output *out, const struct expr *expr)
{
	bool *shared = find_shared(expr);
	enum expr_item item;
	struct expr_walk w;
	uint32_t node, labels = 0;
	bool first = true;

	expr_walk_init(&w, expr);
	while ((item = expr_walk_next(&w, &node)) != EXPR_END) {
		if (!first && item != EXPR_CLOSE)
			output_char(out, ' ');
		first = false;
		put_item(out, &w, item, node, shared, &labels);
	}
	expr_walk_release(&w);
	mem_free(shared);
}

void text_put_event(struct output *out, const struct symbols *symbols, const struct event *e)
{
	const struct event_more *more = e->more;
	enum object_class class = event_kind_class[e->kind];

	output_text(out, symbols_name(symbols, CLASS_THREAD, e->thread));
	output_char(out, ' ');
	output_text(out, event_kind_text[e->kind]);
	if (event_is(e, EV_ACCESS)) {
		for (uint32_t i = 0; i < event_part_count(e); i++) {
			struct part part = event_part(e, i);

			output_char(out, ' ');
			output_text(out, symbols_name(symbols, class, part.variable));
			if (event_is(e, EV_VALUE)) {
				output_char(out, ' ');
				output_i64(out, part.value);
			}
			if (e->kind == EV_RMW) {
				output_char(out, ' ');
				output_i64(out, part.written);
			}
		}
	} else if (class != CLASS_NONE) {
		output_char(out, ' ');
		output_text(out, symbols_name(symbols, class, e->object));
	}
	if (e->kind == EV_WAIT || e->kind == EV_WOKEN) {
		output_char(out, ' ');
		output_text(out, symbols_name(symbols, CLASS_LOCK, more->lock));
		if (e->kind == EV_WOKEN && more->by)
			put_numbers(out, " by=", &more->by, 1);
		else if (e->kind == EV_WOKEN)
			output_text(out, " by=-");
	}
	if (more && more->args_length) {
		output_char(out, ' ');
		output_text(out, more->args);
	}
	if (more && more->expr) {
		output_text(out, e->kind == EV_BRANCH ? " if " : " = ");
		put_expr(out, more->expr);
	}
	if (more && more->reads_given)
		put_numbers(out, " reads=", more->reads, more->read_count);
	if (more && more->at_count)
		put_numbers(out, " at=", more->at, more->at_count);
	if (event_scope(e)) {
		output_text(out, " scope=");
		output_u64(out, more->scope);
	}
	if (more && more->opaque)
		output_text(out, " opaque");
	if (e->order && event_is(e, EV_BLOCKS)) {
		output_text(out, " try");
	} else if (e->order) {
		output_text(out, " order=");
		output_text(out, memory_order_text[e->order]);
	}
	if (e->skip == EVENT_NO_RECORD) {
		output_text(out, " skip=-");
	} else if (e->skip) {
		output_text(out, " skip=");
		output_u64(out, e->skip);
	}
	if (e->location) {
		output_text(out, " @");
		output_text(out, intern_text(&symbols->locations, e->location));
	}
}

/* "WORD NAME", for names of any length */
static void put_constant(struct output *out, const struct constant *range)
{
	static const char digits[] = "0123456789abcdef";

	output_text(out, "constant ");
	output_u64(out, range->address);
	output_char(out, ' ');
	for (uint32_t i = 0; i < range->size; i++) {
		output_char(out, digits[range->bytes[i] >> 4]);
		output_char(out, digits[range->bytes[i] & 15]);
	}
	output_char(out, '\n');
}

static void put_declared(struct output *out, const char *word, const char *name)
{
	output_text(out, word);
	output_char(out, ' ');
	output_text(out, name);
	output_char(out, ' ');
}

static void put_variable(struct output *out, const struct symbols *symbols, uint32_t x)
{
	const struct variable *v = symbols_variable(symbols, x);
	const char *name = symbols_name(symbols, CLASS_VARIABLE, x);

	if (v->flags & VARIABLE_MEMORY) {
		put_declared(out, "memory", name);
		output_text(out, intern_text(&symbols->bases, v->base));
		output_format(out, " 0x%llx %llu\n", (unsigned long long)v->address,
			      (unsigned long long)v->size);
	}
	if (v->flags & VARIABLE_VOLATILE) {
		output_text(out, "volatile ");
		output_text(out, name);
		output_char(out, '\n');
	}
	if (v->flags & VARIABLE_INIT) {
		put_declared(out, "init", name);
		output_i64(out, v->init);
		output_char(out, '\n');
	}
}

/* Declares what is new. */
static int put_declarations(struct text_sink *t, struct err *err)
{
	const struct symbols *symbols = t->sink.symbols;
	struct output *out = t->sink.out;

	for (; t->threads < symbols_count(symbols, CLASS_THREAD); t->threads++) {
		const char *name = symbols_name(symbols, CLASS_THREAD, (uint32_t)t->threads);

		if (!text_thread_name_is_good(name))
			return err_set(err, ERR_INPUT,
				       "text cannot hold a thread named like the declaration '%s'",
				       name);
	}
	for (; t->constants < symbols->constants.ranges.n; t->constants++)
		put_constant(out, &symbols->constants.ranges.at[t->constants]);
	for (; t->metas < symbols->metas.n; t->metas++) {
		put_declared(out, "meta", symbols->metas.at[t->metas].key);
		output_text(out, symbols->metas.at[t->metas].value);
		output_char(out, '\n');
	}
	for (; t->variables < symbols_count(symbols, CLASS_VARIABLE); t->variables++)
		put_variable(out, symbols, (uint32_t)t->variables);
	for (; t->semaphores < symbols->semaphores.n; t->semaphores++)
		if (symbols->semaphores.at[t->semaphores].declared) {
			put_declared(
				out, "sem",
				symbols_name(symbols, CLASS_SEMAPHORE, (uint32_t)t->semaphores));
			output_u64(out, symbols->semaphores.at[t->semaphores].count);
			output_char(out, '\n');
		}
	for (; t->barriers < symbols->barriers.n; t->barriers++)
		if (symbols->barriers.at[t->barriers].parties) {
			put_declared(out, "barrier",
				     symbols_name(symbols, CLASS_BARRIER, (uint32_t)t->barriers));
			output_u64(out, symbols->barriers.at[t->barriers].parties);
			output_char(out, '\n');
		}
	return 0;
}

static int text_put(struct sink *s, const struct batch *batch, struct err *err)
{
	int code = put_declarations((struct text_sink *)s, err);

	for (size_t i = 0; !code && i < batch->n; i++) {
		const struct event *e = &batch->at[i];

		for (uint32_t k = 1; k < event_part_count(e); k++) {
			const struct interned *name =
				symbols_text(s->symbols, CLASS_VARIABLE, event_part(e, k).variable);

			if (text_is_annotation(name->text, name->length))
				return err_set(err, ERR_INPUT,
					       "text cannot hold '%s' as a further variable of an "
					       "access",
					       name->text);
		}
		text_put_event(s->out, s->symbols, e);
		output_char(s->out, '\n');
	}
	return code;
}

static void text_abandon(struct sink *s)
{
	mem_free(s);
}

static int text_finish(struct sink *s, struct err *err)
{
	int code = put_declarations((struct text_sink *)s, err);

	text_abandon(s);
	return code;
}

static const struct sink_ops text_sink_ops = {
	.put = text_put, .finish = text_finish, .abandon = text_abandon};

struct sink *text_open_sink(struct output *out, const struct symbols *symbols, struct err *err)
{
	struct text_sink *t = mem_alloc_zero(1, sizeof(*t));

	(void)err;
	t->sink = (struct sink){&text_sink_ops, out, symbols};
	return &t->sink;
}
