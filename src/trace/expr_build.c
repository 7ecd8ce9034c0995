/* SPDX-License-Identifier: MIT */
#include "trace/expr_build.h"

#include "base/err.h"

#include <string.h>

/* Most expressions are this small: no allocation for these. */
#define FEW 64

void expr_builder_reset(struct expr_builder *b)
{
	b->nodes.n = b->operands.n = b->places.n = 0;
	if (b->table)
		memset(b->table, 0, b->table_size * sizeof(*b->table));
}

void expr_builder_release(struct expr_builder *b)
{
	vec_release(&b->nodes);
	vec_release(&b->operands);
	vec_release(&b->places);
	vec_release(&b->taken);
	vec_release(&b->steps);
	mem_free(b->table);
	*b = (struct expr_builder){0};
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

/* value counts for atoms alone. */
static uint32_t hash_of(uint8_t op, uint64_t value, const uint32_t *parts, uint32_t n)
{
	uint64_t hash = mix(op, n ? n : value);

	for (uint32_t i = 0; i < n; i++)
		hash = mix(hash, parts[i]);
	return (uint32_t)(hash >> 32);
}

static const uint32_t *parts_of(const struct expr_builder *b, const struct expr_node *node)
{
	return node->args ? b->operands.at + node->value : NULL;
}

static bool is_same(const struct expr_builder *b, const struct expr_node *node, uint8_t op,
		    uint64_t value, const uint32_t *parts, uint32_t n)
{
	if (node->op != op || node->args != n)
		return false;
	return n ? !memcmp(parts_of(b, node), parts, n * sizeof(*parts)) : node->value == value;
}

static void put_in_table(struct expr_builder *b, uint32_t node)
{
	const struct expr_node *at = &b->nodes.at[node];
	uint32_t slot = hash_of(at->op, at->value, parts_of(b, at), at->args);

	while (b->table[slot &= b->table_size - 1])
		slot++;
	b->table[slot] = node + 1;
}

/* Half of the table stays free. */
static void make_room(struct expr_builder *b)
{
	if (2 * (b->nodes.n + 1) <= b->table_size)
		return;
	mem_free(b->table);
	b->table_size = b->table_size ? 2 * b->table_size : 64;
	b->table = mem_alloc_zero(b->table_size, sizeof(*b->table));
	for (uint32_t i = 0; i < b->nodes.n; i++)
		put_in_table(b, i);
}

static uint32_t add_node(struct expr_builder *b, uint8_t op, uint64_t value, const uint32_t *parts,
			 uint32_t n)
{
	make_room(b);
	uint32_t slot = hash_of(op, value, parts, n);

	while (b->table[slot &= b->table_size - 1]) {
		uint32_t node = b->table[slot++] - 1;

		if (is_same(b, &b->nodes.at[node], op, value, parts, n))
			return node;
	}
	struct expr_node node = {.op = op, .args = n, .value = n ? b->operands.n : value};

	for (uint32_t i = 0; i < n; i++)
		vec_push(&b->operands, parts[i]);
	ASSERT(b->nodes.n < EXPR_NONE);
	b->table[slot] = (uint32_t)b->nodes.n + 1;
	vec_push(&b->nodes, node);
	vec_push(&b->places, 0);
	return (uint32_t)b->nodes.n - 1;
}

uint32_t expr_add_const(struct expr_builder *b, int64_t value)
{
	return add_node(b, OP_CONST, (uint64_t)value, NULL, 0);
}

uint32_t expr_add_read(struct expr_builder *b, uint64_t read)
{
	return add_node(b, OP_READ, read, NULL, 0);
}

/* Of an operator over few constants: its value. */
static bool fold(const struct expr_builder *b, enum expr_op op, const uint32_t *parts, uint32_t n,
		 int64_t *value)
{
	int64_t args[3];

	if (n > sizeof(args) / sizeof(*args) || expr_op_loads(op))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		if (b->nodes.at[parts[i]].op != OP_CONST)
			return false;
		args[i] = (int64_t)b->nodes.at[parts[i]].value;
	}
	return expr_apply(op, args, n, value);
}

uint32_t expr_add(struct expr_builder *b, enum expr_op op, const uint32_t *parts, uint32_t n)
{
	int64_t value;

	ASSERT(expr_arity_fits(op, n));
	return fold(b, op, parts, n, &value) ? expr_add_const(b, value)
					     : add_node(b, (uint8_t)op, 0, parts, n);
}

uint32_t expr_add1(struct expr_builder *b, enum expr_op op, uint32_t x)
{
	return expr_add(b, op, &x, 1);
}

uint32_t expr_add2(struct expr_builder *b, enum expr_op op, uint32_t x, uint32_t y)
{
	return expr_add(b, op, (uint32_t[]){x, y}, 2);
}

static uint32_t add_mapped(struct expr_builder *b, const struct expr *expr,
			   const struct expr_node *node, const uint32_t *map, uint32_t *parts)
{
	const uint32_t *operands = expr_operands(expr, node);

	for (uint32_t i = 0; i < node->args; i++)
		parts[i] = map[operands[i]];
	return expr_add(b, node->op, parts, node->args);
}

uint32_t expr_add_all(struct expr_builder *b, const struct expr *expr, expr_part_of *part_of,
		      void *context)
{
	size_t words = (size_t)expr->count + expr->operand_count;
	uint32_t few[FEW], *map = words > FEW ? mem_alloc(words * sizeof(*map)) : few;
	uint32_t part = EXPR_NONE;

	for (uint32_t i = 0; i < expr->count; i++) {
		const struct expr_node *node = &expr->nodes[i];

		if (node->op == OP_CONST)
			part = expr_add_const(b, (int64_t)node->value);
		else if (node->op == OP_READ)
			part = part_of(context, node->value);
		else
			part = add_mapped(b, expr, node, map, map + expr->count);
		if (part == EXPR_NONE)
			break;
		map[i] = part;
	}
	if (map != few)
		mem_free(map);
	return part;
}

/* Lists what the part is made of, operands first; false if that is too much. */
static bool list_parts(struct expr_builder *b, uint32_t part, uint32_t most)
{
	struct expr_step first = {part, 0};

	vec_push(&b->steps, first);
	while (b->steps.n) {
		if (b->taken.n + b->steps.n > most)
			return false;
		struct expr_step *top = &b->steps.at[b->steps.n - 1];
		const struct expr_node *node = &b->nodes.at[top->node];

		if (top->next < node->args) {
			struct expr_step below = {parts_of(b, node)[top->next++], 0};

			if (!b->places.at[below.node])
				vec_push(&b->steps, below);
			continue;
		}
		b->steps.n--;
		vec_push(&b->taken, top->node);
		b->places.at[top->node] = (uint32_t)b->taken.n;
	}
	return true;
}

static struct expr *new_expr(struct arena *memory, const struct constants *constants, size_t count,
			     size_t operand_count)
{
	struct expr *expr = arena_alloc(memory, sizeof(*expr) + count * sizeof(*expr->nodes) +
							operand_count * sizeof(uint32_t));

	expr->count = (uint32_t)count;
	expr->operand_count = (uint32_t)operand_count;
	expr->constants = constants;
	return expr;
}

static const struct expr *copy_taken(const struct expr_builder *b, struct arena *memory)
{
	size_t operand_count = 0, next = 0;

	for (size_t i = 0; i < b->taken.n; i++)
		operand_count += b->nodes.at[b->taken.at[i]].args;
	struct expr *expr = new_expr(memory, b->constants, b->taken.n, operand_count);
	uint32_t *operands = (uint32_t *)(expr->nodes + expr->count);

	for (size_t i = 0; i < b->taken.n; i++) {
		struct expr_node node = b->nodes.at[b->taken.at[i]];
		const uint32_t *parts = parts_of(b, &node);

		expr->nodes[i] = node;
		if (node.args)
			expr->nodes[i].value = next;
		for (uint32_t k = 0; k < node.args; k++)
			operands[next++] = b->places.at[parts[k]] - 1;
	}
	return expr;
}

const struct expr *expr_take(struct expr_builder *b, uint32_t part, uint32_t most,
			     struct arena *memory)
{
	b->taken.n = b->steps.n = 0;
	const struct expr *expr = list_parts(b, part, most) ? copy_taken(b, memory) : NULL;

	for (size_t i = 0; i < b->taken.n; i++)
		b->places.at[b->taken.at[i]] = 0;
	return expr;
}

/* Readers */

void expr_reader_start(struct expr_reader *r)
{
	r->nodes.n = r->operands.n = r->done.n = r->open.n = 0;
}

void expr_reader_release(struct expr_reader *r)
{
	vec_release(&r->nodes);
	vec_release(&r->operands);
	vec_release(&r->done);
	vec_release(&r->open);
}

bool expr_reader_is_full(const struct expr_reader *r)
{
	return r->operands.n + r->done.n + r->open.n >= EXPR_NODES_MAX;
}

void expr_read_atom(struct expr_reader *r, enum expr_op op, uint64_t value)
{
	struct expr_node node = {.op = (uint8_t)op, .value = value};

	vec_push(&r->done, (uint32_t)r->nodes.n);
	vec_push(&r->nodes, node);
}

void expr_read_again(struct expr_reader *r, uint32_t part)
{
	vec_push(&r->done, part);
}

void expr_read_open(struct expr_reader *r, enum expr_op op, size_t label)
{
	struct expr_open open = {(uint8_t)op, r->done.n, label};

	vec_push(&r->open, open);
}

uint32_t expr_read_args(const struct expr_reader *r)
{
	return (uint32_t)(r->done.n - r->open.at[r->open.n - 1].first);
}

void expr_read_close(struct expr_reader *r)
{
	struct expr_node node = {.args = expr_read_args(r), .value = r->operands.n};
	struct expr_open open = r->open.at[--r->open.n];

	node.op = open.op;
	for (size_t i = open.first; i < r->done.n; i++)
		vec_push(&r->operands, r->done.at[i]);
	r->done.n = open.first;
	vec_push(&r->done, (uint32_t)r->nodes.n);
	vec_push(&r->nodes, node);
}

struct expr *expr_read_end(struct expr_reader *r, struct arena *memory)
{
	struct expr *expr = new_expr(memory, r->constants, r->nodes.n, r->operands.n);

	ASSERT(!r->open.n && r->done.n == 1);
	memcpy(expr->nodes, r->nodes.at, r->nodes.n * sizeof(*r->nodes.at));
	if (r->operands.n)
		memcpy(expr->nodes + expr->count, r->operands.at,
		       r->operands.n * sizeof(*r->operands.at));
	return expr;
}

/* Walks */

void expr_walk_init(struct expr_walk *w, const struct expr *expr)
{
	size_t words = 3 * (size_t)expr->count;

	w->expr = expr;
	w->started = false;
	w->depth = 0;
	w->marks = words > sizeof(w->few) / sizeof(*w->few) ? mem_alloc(words * sizeof(*w->marks))
							    : w->few;
	w->steps = (struct expr_step *)(w->marks + expr->count);
	memset(w->marks, 0, expr->count * sizeof(*w->marks));
}

void expr_walk_release(struct expr_walk *w)
{
	if (w->marks != w->few)
		mem_free(w->marks);
}

static enum expr_item walk_into(struct expr_walk *w, uint32_t node)
{
	if (w->marks[node])
		return EXPR_AGAIN;
	if (!w->expr->nodes[node].args)
		return EXPR_ATOM;
	w->marks[node] = 1;
	w->steps[w->depth++] = (struct expr_step){node, 0};
	return EXPR_OPEN;
}

enum expr_item expr_walk_next(struct expr_walk *w, uint32_t *node)
{
	if (!w->started) {
		w->started = true;
		return walk_into(w, *node = w->expr->count - 1);
	}
	if (!w->depth)
		return EXPR_END;
	struct expr_step *top = &w->steps[w->depth - 1];
	const struct expr_node *at = &w->expr->nodes[top->node];

	if (top->next < at->args)
		return walk_into(w, *node = expr_operands(w->expr, at)[top->next++]);
	*node = top->node;
	w->depth--;
	return EXPR_CLOSE;
}
