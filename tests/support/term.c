#include "tests/support/term.h"

#include <stdlib.h>
#include <string.h>

static const struct op {
	const char *name;
	int least, most;
} ops[] = {
	{"+", 2, 64},   {"-", 1, 2},       {"*", 2, 64},     {"/", 2, 2},       {"%", 2, 2},
	{"&", 2, 64},   {"|", 2, 64},      {"^", 2, 64},     {"~", 1, 1},       {"<<", 2, 2},
	{">>", 2, 2},   {">>u", 2, 2},     {"<", 2, 2},      {"<=", 2, 2},      {">", 2, 2},
	{">=", 2, 2},   {"<u", 2, 2},      {"<=u", 2, 2},    {">u", 2, 2},      {">=u", 2, 2},
	{"=", 2, 2},    {"!=", 2, 2},      {"and", 2, 64},   {"or", 2, 64},     {"not", 1, 1},
	{"ite", 3, 3},  {"trunc8", 1, 1},  {"trunc16", 1, 1}, {"trunc32", 1, 1}, {"sext8", 1, 1},
	{"sext16", 1, 1}, {"sext32", 1, 1},
};

#define OPS ((int)(sizeof(ops) / sizeof(*ops)))

static int find_op(const char *name, size_t length)
{
	for (int i = 0; i < OPS; i++)
		if (strlen(ops[i].name) == length && !memcmp(ops[i].name, name, length))
			return i;
	return -1;
}

static struct term *new_term(int kind, int arg_count)
{
	struct term *term = calloc(1, sizeof(*term) + (size_t)arg_count * sizeof(struct term *));

	term->kind = kind;
	term->arg_count = arg_count;
	return term;
}

struct term *term_number(int64_t number)
{
	struct term *term = new_term(TERM_NUMBER, 0);

	term->number = number;
	return term;
}

static int64_t random_number(struct random *r)
{
	static const int64_t odd[] = {-1,        -2,         64,        63,        255,
				      256,       65535,      INT32_MAX, INT32_MIN, UINT32_MAX,
				      INT64_MAX, INT64_MIN,  128,       32768};

	if (random_percent(r, 80))
		return random_below(r, 4);
	return odd[random_below(r, sizeof(odd) / sizeof(*odd))];
}

struct term *term_random(struct random *r, int depth, const struct term_read *reads, size_t n)
{
	if (depth == 0 || random_percent(r, 15)) {
		if (!n || random_percent(r, 35))
			return term_number(random_number(r));
		struct term *leaf = new_term(TERM_READ, 0);

		leaf->number = (int64_t)reads[random_below(r, (uint32_t)n)].event;
		return leaf;
	}
	int op = (int)random_below(r, OPS);
	int args = ops[op].least;

	if (ops[op].most == 2)
		args += (int)random_below(r, (uint32_t)(3 - args));
	else if (ops[op].most > 3 && random_percent(r, 20))
		args += (int)random_below(r, 3);
	struct term *term = new_term(TERM_APPLY, args);

	term->op = op;
	for (int i = 0; i < args; i++)
		term->args[i] = term_random(r, depth - 1, reads, n);
	return term;
}

struct term *term_wrap(const char *name, struct term *inner, int64_t a, int64_t b)
{
	int op = find_op(name, strlen(name));
	struct term *term = new_term(TERM_APPLY, ops[op].least);

	term->op = op;
	term->args[0] = inner;
	if (term->arg_count > 1)
		term->args[1] = term_number(a);
	if (term->arg_count > 2)
		term->args[2] = term_number(b);
	return term;
}

/* The bits of v below `bits`, with or without their sign. */
static int64_t cut(int64_t v, int bits, bool with_sign)
{
	uint64_t mask = ((uint64_t)1 << bits) - 1;
	uint64_t low = (uint64_t)v & mask;

	if (with_sign && low >> (bits - 1))
		low |= ~mask;
	return (int64_t)low;
}

static bool apply(const char *op, const int64_t *v, int n, int64_t *result)
{
	int64_t a = v[0], b = n > 1 ? v[1] : 0;
	uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
	int64_t sum = 0, product = 1, both = -1, any = 0, odd = 0;
	bool all_true = true, one_true = false;

	for (int i = 0; i < n; i++) {
		sum = (int64_t)((uint64_t)sum + (uint64_t)v[i]);
		product = (int64_t)((uint64_t)product * (uint64_t)v[i]);
		both &= v[i];
		any |= v[i];
		odd ^= v[i];
		all_true = all_true && v[i];
		one_true = one_true || v[i];
	}
#define IS(name) (!strcmp(op, name))
	if ((IS("/") || IS("%")) && b == 0)
		return false;
	*result = IS("+")        ? sum
		  : IS("-")      ? (int64_t)(n == 1 ? 0 - ua : ua - ub)
		  : IS("*")      ? product
		  : IS("/")      ? (b == -1 ? (int64_t)(0 - ua) : a / b)
		  : IS("%")      ? (b == -1 ? 0 : a % b)
		  : IS("&")      ? both
		  : IS("|")      ? any
		  : IS("^")      ? odd
		  : IS("~")      ? -1 - a
		  : IS("<<")     ? (ub > 63 ? 0 : (int64_t)(ua << ub))
		  : IS(">>")     ? (ub > 63 ? -(a < 0) : a >> ub)
		  : IS(">>u")    ? (ub > 63 ? 0 : (int64_t)(ua >> ub))
		  : IS("<")      ? a < b
		  : IS("<=")     ? a <= b
		  : IS(">")      ? a > b
		  : IS(">=")     ? a >= b
		  : IS("<u")     ? ua < ub
		  : IS("<=u")    ? ua <= ub
		  : IS(">u")     ? ua > ub
		  : IS(">=u")    ? ua >= ub
		  : IS("=")      ? a == b
		  : IS("!=")     ? a != b
		  : IS("and")    ? all_true
		  : IS("or")     ? one_true
		  : IS("not")    ? !a
		  : IS("ite")    ? (a ? b : v[2])
		  : IS("trunc8") ? cut(a, 8, false)
		  : IS("trunc16") ? cut(a, 16, false)
		  : IS("trunc32") ? cut(a, 32, false)
		  : IS("sext8")   ? cut(a, 8, true)
		  : IS("sext16")  ? cut(a, 16, true)
				  : cut(a, 32, true);
#undef IS
	return true;
}

bool term_value(const struct term *term, const struct term_read *reads, size_t n, int64_t *value)
{
	int64_t values[TERM_ARGS_MAX] = {0};

	if (term->kind == TERM_NUMBER) {
		*value = term->number;
		return true;
	}
	if (term->kind == TERM_READ) {
		for (size_t i = 0; i < n; i++) {
			if (reads[i].event == (uint64_t)term->number) {
				*value = reads[i].value;
				return true;
			}
		}
		return false;
	}
	for (int i = 0; i < term->arg_count; i++)
		if (!term_value(term->args[i], reads, n, &values[i]))
			return false;
	return apply(ops[term->op].name, values, term->arg_count, value);
}

void term_print(const struct term *term, FILE *out)
{
	if (term->kind == TERM_NUMBER) {
		fprintf(out, "%lld", (long long)term->number);
	} else if (term->kind == TERM_READ) {
		fprintf(out, "%%%lld", (long long)term->number);
	} else {
		fprintf(out, "(%s", ops[term->op].name);
		for (int i = 0; i < term->arg_count; i++) {
			fputc(' ', out);
			term_print(term->args[i], out);
		}
		fputc(')', out);
	}
}

int64_t term_parse_number(const char *text, const char **end)
{
	bool negative = *text == '-';
	const char *digits = text + negative;
	bool hexadecimal = digits[0] == '0' && (digits[1] | 0x20) == 'x';
	char *behind;
	uint64_t value = strtoull(digits, &behind, hexadecimal ? 16 : 10);

	*end = behind == digits ? text : behind;
	return (int64_t)(negative ? 0 - value : value);
}

struct term *term_parse(const char **text)
{
	const char *c = *text + strspn(*text, " "), *end;

	if (*c != '(') {
		bool is_read = *c == '%';
		struct term *leaf = new_term(is_read ? TERM_READ : TERM_NUMBER, 0);

		c += is_read;
		leaf->number = term_parse_number(c, &end);
		*text = end;
		if (end == c) {
			term_free(leaf);
			return NULL;
		}
		return leaf;
	}
	c++;
	size_t length = strcspn(c, " ()");
	int op = find_op(c, length);

	if (op < 0)
		return NULL;
	struct term *term = new_term(TERM_APPLY, TERM_ARGS_MAX);

	term->op = op;
	term->arg_count = 0;
	for (c += length; *(c += strspn(c, " ")) != ')';) {
		struct term *arg = *c && term->arg_count < TERM_ARGS_MAX ? term_parse(&c) : NULL;

		if (!arg) {
			term_free(term);
			return NULL;
		}
		term->args[term->arg_count++] = arg;
	}
	*text = c + 1;
	if (term->arg_count < ops[op].least || term->arg_count > ops[op].most) {
		term_free(term);
		return NULL;
	}
	return term;
}

void term_free(struct term *term)
{
	if (!term)
		return;
	for (int i = 0; i < term->arg_count; i++)
		term_free(term->args[i]);
	free(term);
}
