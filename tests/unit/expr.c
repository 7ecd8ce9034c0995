/* SPDX-License-Identifier: MIT */
/*
 * Expressions: src/trace/expr.c, the certifier's own evaluator, the terms of tests/support (the
 * compiler's arithmetic) and Z3 give the same values to random ones. Graphs that share their parts
 * cost what their parts do.
 *
 * SOAK=1000000	so many random terms for each of them
 * SEED=7	these alone
 */
#include "search/smt/parts.h"
#include "tests/support/explored.h"
#include "tests/support/tap.h"
#include "tests/support/term.h"
#include "tests/support/traces.h"
#include "trace/expr_build.h"
#include "trace/text.h"
#include "witness/evaluate.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <z3.h>

#define READS 4
#define TERMS 200 /* in one trace */

/* A trace of reads, numbered from 1, and then of writes with random terms over these. */
struct terms {
	struct random r;
	struct term_read reads[READS];
	struct term *terms[TERMS];
	struct index *index;
};

/* Words, floats and doubles, most of them near something odd. */
static int64_t random_value(struct random *r)
{
	static const double numbers[] = {0,	1,	-1,	1.5,	-2.5,  0.1,    3,    1e10,
					 -1e19, 0x1p63, 0x1p24, 0x1p53, 1e-40, 1e-310, 1e38, 1e308};
	double wide = numbers[random_below(r, sizeof(numbers) / sizeof(*numbers))];
	float narrow = (float)wide;
	uint32_t low;
	int64_t word;

	memcpy(&low, &narrow, sizeof(low));
	memcpy(&word, &wide, sizeof(word));
	switch (random_below(r, 6)) {
	case 0: return random_below(r, 30);
	case 1: return -(int64_t)random_below(r, 5);
	case 2: return low + random_below(r, 2);
	case 3: return word + random_below(r, 2);
	case 4: return (int64_t)random_next(r);
	default: return (int64_t)((uint64_t)1 << random_below(r, 64));
	}
}

/* One that has a value: else the trace makes no sense. */
static struct term *random_term(struct terms *t, int64_t *value)
{
	for (;;) {
		struct term *term =
			term_random(&t->r, 1 + (int)random_below(&t->r, 4), t->reads, READS);

		if (term_value(term, t->reads, READS, value))
			return term;
		term_free(term);
	}
}

static void terms_init(struct terms *t, uint64_t seed)
{
	int64_t value;
	char *text;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	t->r = random_seeded(seed);
	fputs(TERM_CONSTANT, out);
	for (uint64_t i = 0; i < READS; i++) {
		t->reads[i] = (struct term_read){i + 1, random_value(&t->r)};
		fprintf(out, "init x%d %lld\nA read x%d %lld\n", (int)i,
			(long long)t->reads[i].value, (int)i, (long long)t->reads[i].value);
	}
	for (int i = 0; i < TERMS; i++) {
		t->terms[i] = random_term(t, &value);
		fprintf(out, "A write y %lld = ", (long long)value);
		term_print(t->terms[i], out);
		fputc('\n', out);
	}
	fclose(out);
	t->index = index_of_text(text);
	free(text);
}

static void terms_release(struct terms *t)
{
	for (int i = 0; i < TERMS; i++)
		term_free(t->terms[i]);
	index_free(t->index);
}

static const struct expr *expr_of(const struct terms *t, int i)
{
	return t->index->events[READS + 1 + i].more->expr;
}

static bool look_up(void *context, uint64_t read, int64_t *value)
{
	const struct terms *t = context;

	*value = t->reads[read - 1].value;
	return true;
}

static uint64_t rounds(uint64_t usual)
{
	const char *soak = getenv("SOAK");

	if (soak)
		alarm(0);
	return soak ? strtoull(soak, NULL, 10) : TAP_PART(usual);
}

/* Calls check for each trace of terms; the values of reads are its to change. */
static void for_terms(uint64_t count, void (*check)(struct terms *t))
{
	const char *only = getenv("SEED");
	uint64_t first = only ? strtoull(only, NULL, 10) : 1;
	uint64_t last = only ? first : (count + TERMS - 1) / TERMS;

	for (uint64_t seed = first; seed <= last; seed++) {
		struct terms t;

		tap_at("SEED=%llu", (unsigned long long)seed);
		terms_init(&t, seed);
		check(&t);
		terms_release(&t);
	}
}

static void change_reads(struct terms *t)
{
	for (int i = 0; i < READS; i++)
		t->reads[i].value = random_value(&t->r);
}

static uint64_t looked_at, with_value;

static void check_term(struct terms *t, int i)
{
	int64_t a = 0, b = 0, c = 0;
	bool known = term_value(t->terms[i], t->reads, READS, &a);

	tap_at("term %d of a trace, reads %lld %lld %lld %lld", i, (long long)t->reads[0].value,
	       (long long)t->reads[1].value, (long long)t->reads[2].value,
	       (long long)t->reads[3].value);
	ASSERT_EQ(expr_value(expr_of(t, i), look_up, t, &b), known);
	ASSERT_EQ(evaluate_expr(expr_of(t, i), look_up, t, &c), known);
	if (known) {
		ASSERT_EQ(b, a);
		ASSERT_EQ(c, a);
	}
	looked_at++;
	with_value += known;
}

static void check_values(struct terms *t)
{
	for (int round = 0; round < 3; round++) {
		change_reads(t);
		for (int i = 0; i < TERMS; i++)
			check_term(t, i);
	}
}

TAP_CASE(the_certifier_and_the_compiler_agree)
{
	for_terms(rounds(60000) / 3, check_values);
	tap_note("%llu terms, %llu of them have a value", (unsigned long long)looked_at,
		 (unsigned long long)with_value);
}

/*
 * Z3, on the text that engines write for an expression. All numbers in it are given, those of its
 * parts as we have them: then every assertion has to be plainly true. What has no value is left
 * open, and with it what is said of that.
 */

struct part_value {
	bool has;
	int64_t value;
};

/* False: a division traps; what is made of it has a value for Z3. */
static bool find_part_values(struct terms *t, const struct expr *expr, struct part_value *parts)
{
	bool traps = false;

	for (uint32_t i = 0; i < expr->count; i++) {
		const struct expr_node *node = &expr->nodes[i];
		const uint32_t *operands = expr_operands(expr, node);
		int64_t args[TERM_ARGS_MAX];

		parts[i] = (struct part_value){true, (int64_t)node->value};
		if (node->op == OP_READ)
			look_up(t, node->value, &parts[i].value);
		for (uint32_t k = 0; k < node->args; k++) {
			args[k] = parts[operands[k]].value;
			parts[i].has &= parts[operands[k]].has;
		}
		if (node->op == OP_ITE)
			parts[i].has =
				parts[operands[0]].has && parts[operands[args[0] ? 1 : 2]].has;
		if (parts[i].has && expr_op_loads(node->op))
			parts[i].has = constants_load(expr->constants, (uint64_t)args[0],
						      expr_op_loads(node->op),
						      (uint64_t *)&parts[i].value);
		else if (node->args && parts[i].has)
			parts[i].has = expr_apply(node->op, args, node->args, &parts[i].value);
		traps |= expr_op_traps(node->op) && !parts[i].has;
	}
	return !traps;
}

static void say_number(FILE *out, const char *name, struct part_value v)
{
	if (v.has)
		fprintf(out, "(define-fun %s () (_ BitVec 64) #x%016llx)\n", name,
			(unsigned long long)v.value);
	else
		fprintf(out, "(declare-const %s (_ BitVec 64))\n", name);
}

static void define_constants(FILE *out, const struct constant *range)
{
	static const char sort[] = "(Array (_ BitVec 64) (_ BitVec 8))";

	fprintf(out, "(define-fun constants () %s ", sort);
	for (uint32_t i = 0; i < range->size; i++)
		fputs("(store ", out);
	fprintf(out, "((as const %s) #x55)", sort);
	for (uint32_t i = 0; i < range->size; i++)
		fprintf(out, " #x%016llx #x%02x)", (unsigned long long)range->address + i,
			range->bytes[i]);
	fputs(")\n", out);
}

/* Event n: its expression and its parts. Returns whether all of these have values. */
static bool define_term(struct terms *t, FILE *out, uint32_t n)
{
	const struct expr *expr = t->index->events[n].more->expr;
	struct part_value *parts = mem_alloc_zero(expr->count, sizeof(*parts)), whole;
	bool goes_on = find_part_values(t, expr, parts), all = goes_on;
	char name[40];

	for (uint32_t i = 0; i < expr->count; i++) {
		snprintf(name, sizeof(name), "t%u_%u", n, i);
		parts[i].has &= goes_on;
		say_number(out, name, parts[i]);
		if (goes_on)
			fprintf(out, "(define-fun h%u_%u () Bool %s)\n", n, i,
				parts[i].has ? "true" : "false");
		else
			fprintf(out, "(declare-const h%u_%u Bool)\n", n, i);
		all &= parts[i].has;
	}
	whole.has = expr_value(expr, look_up, t, &whole.value);
	snprintf(name, sizeof(name), "e%u", n);
	say_number(out, name, whole);
	fprintf(out, "(define-fun k%u () Bool %s)\n", n, whole.has ? "true" : "false");
	with_value += whole.has;
	mem_free(parts);
	return all;
}

/* eN is the value, kN that there is one. */
static void say_term(struct smt *s, uint32_t n)
{
	smt_say_term(s, n);
	smt_say(s, "(assert (= k%u (and true", n);
	smt_say_has_value(s, n);
	smt_say(s, ")))\n");
}

static void check_assertions(Z3_context z, const char *text, bool all_have_values)
{
	Z3_ast_vector all = Z3_parse_smtlib2_string(z, text, 0, NULL, NULL, 0, NULL, NULL);

	if (Z3_get_error_code(z) != Z3_OK)
		FAIL("%s in %s", Z3_get_error_msg(z, Z3_get_error_code(z)), text);
	Z3_ast_vector_inc_ref(z, all);
	for (unsigned i = 0; i < Z3_ast_vector_size(z, all); i++) {
		Z3_ast plain = Z3_simplify(z, Z3_ast_vector_get(z, all, i));
		Z3_lbool is = Z3_get_bool_value(z, plain);

		if (is == Z3_L_FALSE || (is == Z3_L_UNDEF && all_have_values))
			FAIL("Z3 says %s of assertion %u in %s", Z3_ast_to_string(z, plain), i + 1,
			     text);
	}
	Z3_ast_vector_dec_ref(z, all);
}

static void check_z3_term(struct terms *t, Z3_context z, struct smt *s, uint32_t n)
{
	char *defined, *declared, *asserted, *text;
	size_t size;
	FILE *out = open_memstream(&defined, &size);

	s->declared = open_memstream(&declared, &size);
	s->asserted = open_memstream(&asserted, &size);
	for (uint32_t read = 1; read <= READS; read++)
		fprintf(out, "(define-fun v%u_0 () (_ BitVec 64) #x%016llx)\n", read,
			(unsigned long long)t->reads[read - 1].value);
	define_constants(out, &t->index->symbols->constants.ranges.at[0]);
	bool all_have_values = define_term(t, out, n);

	say_term(s, n);
	fclose(out);
	fclose(s->declared);
	fclose(s->asserted);
	if (asprintf(&text, "%s%s", defined, asserted) < 0)
		FAIL("no memory");
	check_assertions(z, text, all_have_values);
	looked_at++;
	free(defined);
	free(declared);
	free(asserted);
	free(text);
}

static void ignore_error(Z3_context z, Z3_error_code code)
{
	(void)z;
	(void)code;
}

static void check_z3(struct terms *t)
{
	Z3_config config = Z3_mk_config();
	Z3_context z = Z3_mk_context(config);
	struct smt *s = smt_new(t->index, MODEL_VALUES);

	Z3_set_error_handler(z, ignore_error);
	change_reads(t);
	for (uint32_t n = READS + 1; n <= t->index->count; n++)
		check_z3_term(t, z, s, n);
	smt_free(s);
	Z3_del_context(z);
	Z3_del_config(config);
}

TAP_CASE(z3_agrees)
{
	for_terms(rounds(10000), check_z3);
	tap_note("%llu terms, %llu of them have a value", (unsigned long long)looked_at,
		 (unsigned long long)with_value);
}

/* Builders */

static bool one_value(void *context, uint64_t read, int64_t *value)
{
	(void)read;
	*value = *(const int64_t *)context;
	return true;
}

TAP_CASE(equal_parts_are_one)
{
	struct expr_builder b = {0};
	uint32_t read = expr_add_read(&b, 4), two = expr_add_const(&b, 2);
	uint32_t sum = expr_add2(&b, OP_ADD, read, two);

	ASSERT_EQ(expr_add_read(&b, 4), read);
	ASSERT_EQ(expr_add2(&b, OP_ADD, read, two), sum);
	ASSERT_TRUE(expr_add2(&b, OP_ADD, two, read) != sum);
	ASSERT_TRUE(expr_add2(&b, OP_SUB, read, two) != sum);
	ASSERT_TRUE(expr_add_read(&b, 2) != two);
	/* over constants it is one, if it has a value */
	ASSERT_EQ(expr_add2(&b, OP_MUL, two, two), expr_add_const(&b, 4));
	ASSERT_TRUE(expr_add2(&b, OP_DIV, two, expr_add_const(&b, 0)) != expr_add_const(&b, 0));
	expr_builder_release(&b);
}

static uint32_t same_read(void *context, uint64_t read)
{
	return expr_add_read(context, read);
}

/* Read 1 becomes a sum; the others stay. */
static uint32_t sum_for_first(void *context, uint64_t read)
{
	struct expr_builder *b = context;

	return read == 1 ? expr_add2(b, OP_ADD, expr_add_read(b, 2), expr_add_read(b, 3))
			 : expr_add_read(b, read);
}

static uint32_t nothing_for_first(void *context, uint64_t read)
{
	return read == 1 ? EXPR_NONE : expr_add_read(context, read);
}

static bool names_first(const struct expr *expr)
{
	for (uint32_t i = 0; i < expr->count; i++)
		if (expr->nodes[i].op == OP_READ && expr->nodes[i].value == 1)
			return true;
	return false;
}

static void check_part(struct terms *t, struct expr_builder *b, uint32_t part, uint32_t most, int i)
{
	struct arena memory = {0};
	const struct expr *taken = expr_take(b, part, EXPR_NODES_MAX, &memory);
	int64_t x = 0, y = 0;
	bool known = expr_value(expr_of(t, i), look_up, t, &x);

	ASSERT_TRUE(taken->count <= most);
	ASSERT_EQ(expr_value(taken, look_up, t, &y), known);
	if (known)
		ASSERT_EQ(y, x);
	ASSERT_TRUE(!expr_take(b, part, taken->count - 1, &memory));
	arena_release(&memory);
	looked_at++;
}

static void check_builder(struct terms *t)
{
	struct expr_builder b = {.constants = &t->index->symbols->constants};
	uint32_t same[TERMS], summed[TERMS];

	for (int i = 0; i < TERMS; i++) {
		same[i] = expr_add_all(&b, expr_of(t, i), same_read, &b);
		summed[i] = expr_add_all(&b, expr_of(t, i), sum_for_first, &b);
		ASSERT_EQ(expr_add_all(&b, expr_of(t, i), nothing_for_first, &b) == EXPR_NONE,
			  names_first(expr_of(t, i)));
	}
	change_reads(t);
	t->reads[0].value = (int64_t)((uint64_t)t->reads[1].value + (uint64_t)t->reads[2].value);
	for (int i = 0; i < TERMS; i++) {
		check_part(t, &b, same[i], expr_of(t, i)->count, i);
		check_part(t, &b, summed[i], expr_of(t, i)->count + 3, i);
	}
	expr_builder_release(&b);
}

TAP_CASE(what_is_taken_from_a_builder_has_the_same_value)
{
	for_terms(rounds(20000), check_builder);
	tap_note("%llu parts", (unsigned long long)looked_at);
}

/* Large ones */

/* The expression in a trace of one read and one write, through text and binary and back. */
static void check_large(const struct expr *expr, int64_t read, int64_t want)
{
	struct memory_output m;
	struct output *out = memory_output_open(&m);
	struct event_more more = {.expr = expr};
	struct event e = {.kind = EV_WRITE, .value = want, .more = &more};
	struct symbols symbols;
	struct err err = {0};

	symbols_init(&symbols);
	symbols_add(&symbols, CLASS_THREAD, "A", 1);
	symbols_add(&symbols, CLASS_VARIABLE, "x", 1);
	char head[80];

	snprintf(head, sizeof(head), "init x %lld\nA read x %lld\n", (long long)read,
		 (long long)read);
	output_text(out, head);
	text_put_event(out, &symbols, &e);
	output_char(out, '\n');
	struct bytes text = memory_output_take(&m), binary, again;

	if (convert_memory(text.at, text.n, "text", "binary", 0, &binary, &err) < 0 ||
	    convert_memory(binary.at, binary.n, "binary", "text", 0, &again, &err) < 0)
		FAIL("%s", err.message);
	ASSERT_EQ(text.n, again.n);
	ASSERT_TRUE(!memcmp(text.at, again.at, text.n));
	struct index *index = index_of_text(text.at); /* which checks the value */
	int64_t value = 0;

	ASSERT_TRUE(evaluate_expr(index->events[2].more->expr, one_value, &read, &value));
	ASSERT_EQ(value, want);
	index_free(index);
	bytes_release(&text);
	bytes_release(&binary);
	bytes_release(&again);
	symbols_release(&symbols);
}

TAP_CASE(a_graph_costs_what_its_parts_do)
{
	struct expr_builder b = {0};
	struct arena memory = {0};
	uint32_t part = expr_add_read(&b, 1);

	/* as a tree it had 2^5000 leaves */
	for (int i = 0; i < 5000; i++)
		part = expr_add2(&b, i % 2 ? OP_ADD : OP_XOR_BITS, part,
				 i % 2 ? part
				       : expr_add2(&b, OP_SHR_U, part, expr_add_const(&b, 9)));
	const struct expr *expr = expr_take(&b, part, EXPR_NODES_MAX, &memory);
	int64_t read = -12345, value;

	ASSERT_TRUE(expr_value(expr, one_value, &read, &value));
	check_large(expr, read, value);
	arena_release(&memory);
	expr_builder_release(&b);
}

TAP_CASE(a_long_chain_takes_no_stack)
{
	struct expr_builder b = {0};
	struct arena memory = {0};
	uint32_t part = expr_add_read(&b, 1);

	for (int i = 0; i < 200000; i++)
		part = expr_add2(&b, OP_ADD, part, expr_add_const(&b, i % 7));
	const struct expr *expr = expr_take(&b, part, EXPR_NODES_MAX, &memory);
	int64_t read = 5, value;

	ASSERT_TRUE(expr_value(expr, one_value, &read, &value));
	check_large(expr, read, value);
	arena_release(&memory);
	expr_builder_release(&b);
}

TAP_CASE(too_large_is_refused)
{
	char *text;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	struct whole_trace whole;
	struct err err = {0};

	fputs("A read x 0\nA branch if (or", out);
	for (uint32_t i = 0; i < EXPR_NODES_MAX; i++)
		fputs(" 1", out);
	fputs(")\n", out);
	fclose(out);
	ASSERT_TRUE(whole_read_memory(&whole, text, length, "text", &err) < 0);
	ASSERT_CONTAINS(err.message, ":2: the expression has more than 1048576 parts");
	whole_release(&whole);
	free(text);
}

/* Solvers read each part once, and nothing deep. */
TAP_CASE(a_large_one_as_text_for_solvers)
{
	char *text, *declared;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	fputs("A read x 0\nA write y 0 = ", out);
	for (int i = 0; i < 20000; i++)
		fputs("(+ ", out);
	fputs("$1=(* %1 %1)", out);
	for (int i = 0; i < 20000; i++)
		fputs(" $1)", out);
	fputc('\n', out);
	fclose(out);
	struct index *index = index_of_text(text);
	struct smt *s = smt_new(index, MODEL_VALUES);

	free(text);
	s->declared = open_memstream(&declared, &length);
	s->asserted = open_memstream(&text, &length);
	smt_say_term(s, 2);
	fclose(s->declared);
	fclose(s->asserted);
	long depth = 0, deepest = 0;

	for (const char *c = text; *c; c++) {
		depth += *c == '(' ? 1 : *c == ')' ? -1 : 0;
		deepest = depth > deepest ? depth : deepest;
	}
	ASSERT_TRUE(deepest < 200);
	ASSERT_TRUE(length < 20000 * 40);
	free(declared);
	free(text);
	smt_free(s);
	index_free(index);
}
