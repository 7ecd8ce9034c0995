/* SPDX-License-Identifier: MIT */
#include "tests/support/term.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct op {
	const char *name;
	int least, most;
} ops[] = {
	{"+", 2, 64},	  {"-", 1, 2},	    {"*", 2, 64},      {"/", 2, 2},	  {"%", 2, 2},
	{"&", 2, 64},	  {"|", 2, 64},	    {"^", 2, 64},      {"~", 1, 1},	  {"<<", 2, 2},
	{">>", 2, 2},	  {">>u", 2, 2},    {"<", 2, 2},       {"<=", 2, 2},	  {">", 2, 2},
	{">=", 2, 2},	  {"<u", 2, 2},	    {"<=u", 2, 2},     {">u", 2, 2},	  {">=u", 2, 2},
	{"=", 2, 2},	  {"!=", 2, 2},	    {"and", 2, 64},    {"or", 2, 64},	  {"not", 1, 1},
	{"ite", 3, 3},	  {"trunc8", 1, 1}, {"trunc16", 1, 1}, {"trunc32", 1, 1}, {"sext8", 1, 1},
	{"sext16", 1, 1}, {"sext32", 1, 1}, {"/u", 2, 2},      {"%u", 2, 2},	  {"below", 2, 2},
	{"in", 2, 64},	  {"+f", 2, 2},	    {"-f", 2, 2},      {"*f", 2, 2},	  {"/f", 2, 2},
	{"sqrtf", 1, 1},  {"fmaf", 3, 3},   {"<f", 2, 2},      {"<=f", 2, 2},	  {"=f", 2, 2},
	{"+d", 2, 2},	  {"-d", 2, 2},	    {"*d", 2, 2},      {"/d", 2, 2},	  {"sqrtd", 1, 1},
	{"fmad", 3, 3},	  {"<d", 2, 2},	    {"<=d", 2, 2},     {"=d", 2, 2},	  {"f2d", 1, 1},
	{"d2f", 1, 1},	  {"s2f", 1, 1},    {"u2f", 1, 1},     {"s2d", 1, 1},	  {"u2d", 1, 1},
	{"f2s", 1, 1},	  {"f2u", 1, 1},    {"d2s", 1, 1},     {"d2u", 1, 1},	  {"load1", 1, 1},
	{"load2", 1, 1},  {"load4", 1, 1},  {"load8", 1, 1},
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
	term->uses = 1;
	term->arg_count = arg_count;
	return term;
}

struct term *term_number(int64_t number)
{
	struct term *term = new_term(TERM_NUMBER, 0);

	term->number = number;
	return term;
}

/* Near the edges of words, and of floats and doubles: -0, 1.5, -2.5, 1e-310, 2^63, infinite, NaN.
 */
static const int64_t odd_numbers[] = {
	-1,
	-2,
	64,
	63,
	255,
	256,
	65535,
	INT32_MAX,
	INT32_MIN,
	UINT32_MAX,
	INT64_MAX,
	INT64_MIN,
	128,
	32768,
	0x80000000,
	0x3f800000,
	0x3fc00000,
	0xc0200000,
	0x5f000000,
	0xdf000000,
	0x7f800000,
	0x7fc00001,
	0xff800000,
	0x00000001,
	0x00ffffff,
	0x7f7fffff,
	0x4b7fffff,
	0x3ff0000000000000,
	0x3ff8000000000000,
	-0x3ffc000000000000,
	0x00001268acf4fe80,
	0x43e0000000000000,
	0x43f0000000000000,
	0x7ff0000000000000,
	0x7ff8000000000001,
	-0x0010000000000000,
	0x7fefffffffffffff,
	0x433fffffffffffff,
	0x36a0000000000000,
	0x47efffffe0000000,
};

static int64_t random_number(struct random *r)
{
	if (random_percent(r, 70))
		return random_below(r, 4);
	if (random_percent(r, 20))
		return (int64_t)random_next(r) >> random_below(r, 64);
	return odd_numbers[random_below(r, sizeof(odd_numbers) / sizeof(*odd_numbers))];
}

/* What is made, and parts of it that were made already. */
struct making {
	struct random *r;
	const struct term_read *reads;
	size_t n;
	struct term *parts[8];
	uint32_t part_count;
};

static struct term *random_leaf(struct making *m)
{
	if (!m->n || random_percent(m->r, 35))
		return term_number(random_number(m->r));
	struct term *leaf = new_term(TERM_READ, 0);

	leaf->number = (int64_t)m->reads[random_below(m->r, (uint32_t)m->n)].event;
	return leaf;
}

static struct term *make(struct making *m, int depth)
{
	struct random *r = m->r;

	if (m->part_count && random_percent(r, 10)) {
		struct term *again = m->parts[random_below(r, m->part_count)];

		again->uses++;
		return again;
	}
	if (depth == 0 || random_percent(r, 15))
		return random_leaf(m);
	int op = (int)random_below(r, OPS);
	int args = ops[op].least;

	if (ops[op].most == 2)
		args += (int)random_below(r, (uint32_t)(3 - args));
	else if (ops[op].most > 3 && random_percent(r, 20))
		args += (int)random_below(r, 3);
	struct term *term = new_term(TERM_APPLY, args);

	term->op = op;
	for (int i = 0; i < args; i++)
		term->args[i] = make(m, depth - 1);
	if (m->part_count < sizeof(m->parts) / sizeof(*m->parts))
		m->parts[m->part_count++] = term;
	return term;
}

struct term *term_random(struct random *r, int depth, const struct term_read *reads, size_t n)
{
	struct making m = {.r = r, .reads = reads, .n = n};

	return make(&m, depth);
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

static bool apply_word(const char *op, const int64_t *v, int n, int64_t *result)
{
	int64_t a = v[0], b = n > 1 ? v[1] : 0;
	uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
	int64_t sum = 0, product = 1, both = -1, any = 0, odd = 0;
	bool all_true = true, one_true = false, among = false;

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
	if ((IS("/") || IS("%")) && (b == 0 || (a == INT64_MIN && b == -1)))
		return false;
	if ((IS("/u") || IS("%u")) && b == 0)
		return false;
	if (IS("below") && ua >= ub)
		return false;
	for (int i = 1; i < n; i++)
		among = among || v[i] == a;
	*result = IS("+")	  ? sum
		  : IS("-")	  ? (int64_t)(n == 1 ? 0 - ua : ua - ub)
		  : IS("*")	  ? product
		  : IS("/")	  ? a / b
		  : IS("%")	  ? a % b
		  : IS("/u")	  ? (int64_t)(ua / ub)
		  : IS("%u")	  ? (int64_t)(ua % ub)
		  : IS("below")	  ? a
		  : IS("in")	  ? among
		  : IS("&")	  ? both
		  : IS("|")	  ? any
		  : IS("^")	  ? odd
		  : IS("~")	  ? -1 - a
		  : IS("<<")	  ? (ub > 63 ? 0 : (int64_t)(ua << ub))
		  : IS(">>")	  ? (ub > 63 ? -(a < 0) : a >> ub)
		  : IS(">>u")	  ? (ub > 63 ? 0 : (int64_t)(ua >> ub))
		  : IS("<")	  ? a < b
		  : IS("<=")	  ? a <= b
		  : IS(">")	  ? a > b
		  : IS(">=")	  ? a >= b
		  : IS("<u")	  ? ua < ub
		  : IS("<=u")	  ? ua <= ub
		  : IS(">u")	  ? ua > ub
		  : IS(">=u")	  ? ua >= ub
		  : IS("=")	  ? a == b
		  : IS("!=")	  ? a != b
		  : IS("and")	  ? all_true
		  : IS("or")	  ? one_true
		  : IS("not")	  ? !a
		  : IS("ite")	  ? (a ? b : v[2])
		  : IS("trunc8")  ? cut(a, 8, false)
		  : IS("trunc16") ? cut(a, 16, false)
		  : IS("trunc32") ? cut(a, 32, false)
		  : IS("sext8")	  ? cut(a, 8, true)
		  : IS("sext16")  ? cut(a, 16, true)
				  : cut(a, 32, true);
	return true;
}

/* Floating point, as the compiler does it. */

union single {
	uint32_t bits;
	float number;
};

union wide {
	int64_t bits;
	double number;
};

static bool apply_single(const char *op, const int64_t *v, int64_t *result)
{
	union single a = {(uint32_t)v[0]}, b = {(uint32_t)v[1]}, c = {(uint32_t)v[2]}, x;

	if (IS("<f") || IS("<=f") || IS("=f")) {
		*result = IS("<f")    ? a.number < b.number
			  : IS("<=f") ? a.number <= b.number
				      : a.number == b.number;
		return true;
	}
	x.number = IS("+f")	 ? a.number + b.number
		   : IS("-f")	 ? a.number - b.number
		   : IS("*f")	 ? a.number * b.number
		   : IS("/f")	 ? a.number / b.number
		   : IS("sqrtf") ? sqrtf(a.number)
				 : fmaf(a.number, b.number, c.number);
	*result = x.bits;
	return x.number == x.number;
}

static bool apply_wide(const char *op, const int64_t *v, int64_t *result)
{
	union wide a = {v[0]}, b = {v[1]}, c = {v[2]}, x;

	if (IS("<d") || IS("<=d") || IS("=d")) {
		*result = IS("<d")    ? a.number < b.number
			  : IS("<=d") ? a.number <= b.number
				      : a.number == b.number;
		return true;
	}
	x.number = IS("+d")	 ? a.number + b.number
		   : IS("-d")	 ? a.number - b.number
		   : IS("*d")	 ? a.number * b.number
		   : IS("/d")	 ? a.number / b.number
		   : IS("sqrtd") ? sqrt(a.number)
				 : fma(a.number, b.number, c.number);
	*result = x.bits;
	return x.number == x.number;
}

static bool convert(const char *op, int64_t v, int64_t *result)
{
	union single f = {(uint32_t)v}, narrow;
	union wide d = {v};
	double from = op[0] == 'f' ? f.number : d.number;

	if (op[2] == 's' || op[2] == 'u') {
		bool fits = op[2] == 's'
				    ? from >= -9223372036854775808.0 && from < 9223372036854775808.0
				    : from > -1.0 && from < 18446744073709551616.0;

		if (fits && op[2] == 's')
			*result = (int64_t)from;
		else if (fits)
			*result = from <= 0 ? 0 : (int64_t)(uint64_t)from;
		return fits;
	}
	if (op[2] == 'f') {
		narrow.number = op[0] == 'd'   ? (float)d.number
				: op[0] == 's' ? (float)v
					       : (float)(uint64_t)v;
		*result = narrow.bits;
		return narrow.number == narrow.number;
	}
	d.number = op[0] == 'f' ? (double)f.number : op[0] == 's' ? (double)v : (double)(uint64_t)v;
	*result = d.bits;
	return d.number == d.number;
}

static bool load(uint64_t address, unsigned size, int64_t *result)
{
	static const uint8_t bytes[] = {0, 1, 2, 3, 0, 0xff, 0x80, 1, 0, 0, 0,	  0,	1,
					0, 0, 0, 3, 0, 0,    0,	   0, 0, 0, 0xf0, 0x3f, 0x7f};
	uint64_t value = 0;

	if (address >= sizeof(bytes) || address + size > sizeof(bytes))
		return false;
	memcpy(&value, bytes + address, size);
	*result = (int64_t)value;
	return true;
}

static bool apply(const char *op, const int64_t *v, int n, int64_t *result)
{
	size_t length = strlen(op);

	if (length == 5 && !strncmp(op, "load", 4))
		return load((uint64_t)v[0], (unsigned)(op[4] - '0'), result);

	if (length == 3 && op[1] == '2')
		return convert(op, v[0], result);
	if (op[length - 1] == 'f')
		return apply_single(op, v, result);
	if (op[length - 1] == 'd' && !IS("and"))
		return apply_wide(op, v, result);
	return apply_word(op, v, n, result);
}

#undef IS

enum known { VALUE, NO_VALUE, TRAPPED };

static enum known value_of_read(uint64_t event, const struct term_read *reads, size_t n,
				int64_t *value)
{
	for (size_t i = 0; i < n; i++)
		if (reads[i].event == event) {
			*value = reads[i].value;
			return VALUE;
		}
	return TRAPPED;
}

static bool may_trap(const char *op)
{
	return !strncmp(op, "load", 4) || !strcmp(op, "/") || !strcmp(op, "%") ||
	       !strcmp(op, "/u") || !strcmp(op, "%u");
}

static enum known value_of(const struct term *term, const struct term_read *reads, size_t n,
			   int64_t *value)
{
	int64_t values[TERM_ARGS_MAX] = {0};
	enum known known[TERM_ARGS_MAX], all = VALUE;

	if (term->kind == TERM_NUMBER) {
		*value = term->number;
		return VALUE;
	}
	if (term->kind == TERM_READ)
		return value_of_read((uint64_t)term->number, reads, n, value);
	const char *name = ops[term->op].name;

	for (int i = 0; i < term->arg_count; i++) {
		known[i] = value_of(term->args[i], reads, n, &values[i]);
		if (known[i] > all)
			all = known[i];
	}
	if (all != TRAPPED && !strcmp(name, "ite")) {
		int arm = values[0] ? 1 : 2;

		*value = values[arm];
		return known[0] == VALUE ? known[arm] : NO_VALUE;
	}
	if (all == VALUE && !apply(name, values, term->arg_count, value))
		all = NO_VALUE;
	return all == NO_VALUE && may_trap(name) ? TRAPPED : all;
}

bool term_value(const struct term *term, const struct term_read *reads, size_t n, int64_t *value)
{
	return value_of(term, reads, n, value) == VALUE;
}

static void forget_labels(struct term *term)
{
	term->label = 0;
	for (int i = 0; i < term->arg_count; i++)
		forget_labels(term->args[i]);
}

/* Those that come twice get a name. */
static void find_labels(struct term *term)
{
	if (term->kind != TERM_APPLY)
		return;
	if (term->label) {
		term->label = -1;
		return;
	}
	term->label = -2;
	for (int i = 0; i < term->arg_count; i++)
		find_labels(term->args[i]);
}

static void print(struct term *term, int *labels, FILE *out)
{
	if (term->kind == TERM_NUMBER) {
		fprintf(out, "%lld", (long long)term->number);
	} else if (term->kind == TERM_READ) {
		fprintf(out, "%%%lld", (long long)term->number);
	} else if (term->label > 0) {
		fprintf(out, "$%d", term->label);
	} else {
		if (term->label == -1)
			fprintf(out, "$%d=", term->label = ++*labels);
		fprintf(out, "(%s", ops[term->op].name);
		for (int i = 0; i < term->arg_count; i++) {
			fputc(' ', out);
			print(term->args[i], labels, out);
		}
		fputc(')', out);
	}
}

void term_print(struct term *term, FILE *out)
{
	int labels = 0;

	forget_labels(term);
	find_labels(term);
	print(term, &labels, out);
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

#define LABELS_MAX 64

struct parsing {
	const char *c;
	struct term *parts[LABELS_MAX]; /* by label, from 1 */
	int labels;
};

static struct term *parse(struct parsing *p);

static struct term *parse_leaf(struct parsing *p)
{
	char first = *p->c;
	const char *end;

	p->c += first == '%' || first == '$';
	int64_t number = term_parse_number(p->c, &end);

	if (end == p->c)
		return NULL;
	p->c = end;
	if (first == '$') {
		struct term *again = number > 0 && number < LABELS_MAX ? p->parts[number] : NULL;

		if (again)
			again->uses++;
		return again;
	}
	struct term *leaf = new_term(first == '%' ? TERM_READ : TERM_NUMBER, 0);

	leaf->number = number;
	return leaf;
}

static struct term *parse_apply(struct parsing *p)
{
	size_t length = strcspn(++p->c, " ()");
	int op = find_op(p->c, length);

	if (op < 0)
		return NULL;
	struct term *term = new_term(TERM_APPLY, TERM_ARGS_MAX);

	term->op = op;
	term->arg_count = 0;
	for (p->c += length; *(p->c += strspn(p->c, " ")) != ')';) {
		struct term *arg = *p->c && term->arg_count < TERM_ARGS_MAX ? parse(p) : NULL;

		if (!arg) {
			term_free(term);
			return NULL;
		}
		term->args[term->arg_count++] = arg;
	}
	p->c++;
	if (term->arg_count < ops[op].least || term->arg_count > ops[op].most) {
		term_free(term);
		return NULL;
	}
	return term;
}

static struct term *parse(struct parsing *p)
{
	p->c += strspn(p->c, " ");
	size_t digits = *p->c == '$' ? strspn(p->c + 1, "0123456789") : 0;

	if (!digits || p->c[1 + digits] != '=')
		return *p->c == '(' ? parse_apply(p) : parse_leaf(p);
	int label = atoi(p->c + 1);

	p->c += digits + 2;
	if (label != ++p->labels || label >= LABELS_MAX || *p->c != '(')
		return NULL;
	return p->parts[label] = parse_apply(p);
}

struct term *term_parse(const char **text)
{
	struct parsing p = {.c = *text};
	struct term *term = parse(&p);

	*text = p.c;
	return term;
}

void term_free(struct term *term)
{
	if (!term || --term->uses)
		return;
	for (int i = 0; i < term->arg_count; i++)
		term_free(term->args[i]);
	free(term);
}
