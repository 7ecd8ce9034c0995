/*
 * Expressions: src/trace/expr.c, the certifier's own evaluator, the terms of tests/support (the
 * compiler's arithmetic) and Z3 give the same values to random ones. Graphs that share their parts
 * cost what their parts do.
 *
 * SOAK=1000000	so many random terms for each of them
 * SEED=7	these alone
 */
#include "search/smt_parts.h"
#include "tests/support/explored.h"
#include "tests/support/tap.h"
#include "tests/support/term.h"
#include "tests/support/traces.h"
#include "trace/expr_build.h"
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
	default: return (int64_t)1 << random_below(r, 64);
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
