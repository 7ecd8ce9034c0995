/*
 * A runtime for tests of the instrumenter, for programs of one thread: performs the accesses,
 * checks every expression of a write against what is written, and prints the hooks as text to the
 * file that NORN_PRINT names. Positions are the numbers of reads.
 */
#include "runtime/hooks.h"
#include "runtime/known.h"
#include "runtime/sites.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What goes to the runtime goes on to the library. */
#define FORWARD(name) \
	__asm__(".weak " #name "\n.globl __norn_" #name "\n__norn_" #name ": jmp " #name "@PLT");
NORN_REPLACED(FORWARD)

#define TABLES_MAX 64
#define READS_KEPT (1u << 22)

static struct {
	const struct site_table *head;
	uint32_t base;
} tables[TABLES_MAX];
static unsigned table_count;
static uint32_t next_base = 1;
static struct norn_read *latest; /* the last READS_KEPT reads, by position */
static uint64_t reads;
static FILE *out;

void __norn_register(const void *table, uint32_t *base)
{
	if (!latest) {
		latest = calloc(READS_KEPT, sizeof(*latest));
		out = getenv("NORN_PRINT") ? fopen(getenv("NORN_PRINT"), "w") : NULL;
	}
	tables[table_count].head = table;
	tables[table_count++].base = *base = next_base;
	next_base += ((const struct site_table *)table)->sites;
}

static const struct site_table *table_of(uint32_t number, uint32_t *index)
{
	for (unsigned i = 0; i < table_count; i++)
		if (number - tables[i].base < tables[i].head->sites) {
			*index = number - tables[i].base;
			return tables[i].head;
		}
	fprintf(stderr, "site %u is in no table\n", number);
	abort();
}

static const struct site *site_of(uint32_t number)
{
	uint32_t index;
	const struct site_table *table = table_of(number, &index);
	return (const struct site *)(table + 1) + index;
}

static const char *text_of(uint32_t number, uint32_t offset)
{
	uint32_t index;
	const struct site_table *t = table_of(number, &index);
	const char *after = (const char *)((const struct site *)(t + 1) + t->sites);
	return after + 4 * ((size_t)t->defined + t->called) + offset;
}

/* Expressions: a small reader of its own, that evaluates as it reads. */
struct reader {
	const char *at;
	const uint64_t *positions;
	uint64_t self;
	bool forgotten; /* a read that is too long ago */
};

static uint64_t evaluate(struct reader *r);

static uint64_t apply(const char *op, const uint64_t *a, unsigned n)
{
	int64_t x = (int64_t)a[0], y = n > 1 ? (int64_t)a[1] : 0;
	uint64_t sum = a[0];
#define IS(text) (!strcmp(op, text))
	if (IS("+") || IS("*") || IS("&") || IS("|") || IS("^")) {
		for (unsigned i = 1; i < n; i++)
			sum = *op == '+'   ? sum + a[i]
			      : *op == '*' ? sum * a[i]
			      : *op == '&' ? (sum & a[i])
			      : *op == '|' ? (sum | a[i])
					   : (sum ^ a[i]);
		return sum;
	}
	if (IS("-"))
		return n == 1 ? -a[0] : a[0] - a[1];
	if (IS("/"))
		return (uint64_t)(x / y);
	if (IS("%"))
		return (uint64_t)(x % y);
	if (IS("~"))
		return ~a[0];
	if (IS("<<"))
		return a[1] < 64 ? a[0] << a[1] : 0;
	if (IS(">>"))
		return (uint64_t)(x >> (a[1] < 64 ? a[1] : 63));
	if (IS(">>u"))
		return a[1] < 64 ? a[0] >> a[1] : 0;
	if (IS("<"))
		return x < y;
	if (IS("<="))
		return x <= y;
	if (IS(">"))
		return x > y;
	if (IS(">="))
		return x >= y;
	if (IS("<u"))
		return a[0] < a[1];
	if (IS("<=u"))
		return a[0] <= a[1];
	if (IS(">u"))
		return a[0] > a[1];
	if (IS(">=u"))
		return a[0] >= a[1];
	if (IS("="))
		return a[0] == a[1];
	if (IS("!="))
		return a[0] != a[1];
	if (IS("ite"))
		return a[0] ? a[1] : a[2];
	if (IS("trunc8"))
		return (uint8_t)a[0];
	if (IS("trunc16"))
		return (uint16_t)a[0];
	if (IS("trunc32"))
		return (uint32_t)a[0];
	if (IS("sext8"))
		return (uint64_t)(int8_t)a[0];
	if (IS("sext16"))
		return (uint64_t)(int16_t)a[0];
	if (IS("sext32"))
		return (uint64_t)(int32_t)a[0];
#undef IS
	fprintf(stderr, "no such operator: %s\n", op);
	abort();
}

static uint64_t evaluate_list(struct reader *r)
{
	char op[16];
	unsigned n = 0, length = 0;
	uint64_t arguments[64];
	for (r->at++; *r->at != ' '; r->at++)
		op[length++] = *r->at;
	op[length] = '\0';
	while (*r->at == ' ') {
		r->at++;
		arguments[n++] = evaluate(r);
	}
	r->at++;
	return apply(op, arguments, n);
}

static uint64_t evaluate(struct reader *r)
{
	if (*r->at == '(')
		return evaluate_list(r);
	if (*r->at == '%') {
		char which = r->at[1];
		r->at += 2;
		if (which == 's')
			return r->self;
		uint64_t position = r->positions[which - '0'];
		if (!position || position > reads) {
			fprintf(stderr, "an expression names a read that was not made\n");
			abort();
		}
		const struct norn_read *read = &latest[position % READS_KEPT];
		r->forgotten |= read->position != position;
		return read->value;
	}
	char *end;
	bool negative = *r->at == '-';
	uint64_t value = negative ? (uint64_t)strtoll(r->at, &end, 10) : strtoull(r->at, &end, 10);
	r->at = end;
	return value;
}

static void check(uint32_t number, uint64_t value, uint64_t self, const uint64_t *positions)
{
	const struct site *site = site_of(number);
	if (!site->expression)
		return;
	struct reader r = {text_of(number, site->expression), positions, self, false};
	uint64_t got = evaluate(&r);
	if (got != value && !r.forgotten) {
		fprintf(stderr, "%s:%u: %s is %llu, not %llu\n", text_of(number, site->file),
			site->line, text_of(number, site->expression), (unsigned long long)got,
			(unsigned long long)value);
		abort();
	}
}

/* KIND NAME @FUNCTION:LINE [order=N] [exact] [values] [at] [= EXPRESSION] */
static void print(const char *what, uint32_t number, const uint64_t *positions)
{
	const struct site *site = site_of(number);
	if (site->values + site->addresses > SITE_DEPENDS_MAX || site->kind >= SITE_KIND_COUNT) {
		fprintf(stderr, "site %u is nonsense\n", number);
		abort();
	}
	if (!out)
		return;
	fprintf(out, "%s", what);
	if (site->name)
		fprintf(out, " %s", text_of(number, site->name));
	fprintf(out, " @%s:%u", text_of(number, site->function), site->line);
	if (site->order)
		fprintf(out, " order=%u", site->order);
	if (site->kind != SITE_READ && site->kind != SITE_STACK) {
		fprintf(out, site->flags & SITE_EXACT ? " reads=" : " any");
		for (unsigned i = 0; positions && i < site->values; i++)
			if (positions[i])
				fprintf(out, "%s%llu", i ? "," : "",
					(unsigned long long)positions[i]);
	}
	for (unsigned i = site->values; positions && i < site->values + site->addresses; i++)
		if (positions[i])
			fprintf(out, " at=%llu", (unsigned long long)positions[i]);
	if (site->expression)
		fprintf(out, " = %s", text_of(number, site->expression));
	fprintf(out, "\n");
	fflush(out);
}

static struct norn_read logged(const char *what, uint64_t value, uint32_t site,
			       const uint64_t *positions)
{
	char text[40];
	reads++;
	struct norn_read read = {value, reads};
	latest[reads % READS_KEPT] = read;
	snprintf(text, sizeof(text), "%llu %s", (unsigned long long)reads, what);
	print(text, site, positions);
	return read;
}

static uint64_t changed(uint64_t old, uint64_t operand, uint32_t op, unsigned size)
{
	unsigned shift = 64 - 8 * size;
	int64_t x = (int64_t)(old << shift), y = (int64_t)(operand << shift);
	switch (op) {
	case NORN_XCHG: return operand;
	case NORN_ADD: return old + operand;
	case NORN_SUB: return old - operand;
	case NORN_AND: return old & operand;
	case NORN_NAND: return ~(old & operand);
	case NORN_OR: return old | operand;
	case NORN_XOR: return old ^ operand;
	case NORN_MAX: return x > y ? old : operand;
	case NORN_MIN: return x < y ? old : operand;
	case NORN_UMAX: return old > operand ? old : operand;
	case NORN_UMIN: return old < operand ? old : operand;
	case NORN_FADD:
	case NORN_FSUB:
		if (size == 4) {
			float a, b;
			uint32_t i = (uint32_t)old, j = (uint32_t)operand;
			memcpy(&a, &i, 4);
			memcpy(&b, &j, 4);
			a = op == NORN_FADD ? a + b : a - b;
			memcpy(&i, &a, 4);
			return i;
		} else {
			double a, b;
			memcpy(&a, &old, 8);
			memcpy(&b, &operand, 8);
			a = op == NORN_FADD ? a + b : a - b;
			memcpy(&old, &a, 8);
			return old;
		}
	}
	abort();
}

#define SIZED(size, type)                                                                        \
	typedef type unaligned##size __attribute__((aligned(1), may_alias));                     \
	struct norn_read __norn_read##size(const void *p, uint32_t site)                         \
	{                                                                                        \
		const uint64_t none[3] = {0};                                                    \
		return logged("read", *(const unaligned##size *)p, site, none);                  \
	}                                                                                        \
	struct norn_read __norn_read##size##_at(const void *p, uint32_t site, uint64_t a,        \
						uint64_t b, uint64_t c)                          \
	{                                                                                        \
		const uint64_t all[3] = {a, b, c};                                               \
		return logged("read", *(const unaligned##size *)p, site, all);                   \
	}                                                                                        \
	struct norn_read __norn_load##size(const void *p, uint32_t site, uint64_t a, uint64_t b) \
	{                                                                                        \
		const uint64_t all[3] = {a, b, 0};                                               \
		return logged("load", *(const unaligned##size *)p, site, all);                   \
	}                                                                                        \
	static void write##size(const char *what, void *p, uint64_t value, uint32_t site,        \
				uint64_t a, uint64_t b, uint64_t c)                              \
	{                                                                                        \
		const uint64_t all[3] = {a, b, c};                                               \
		check(site, value, 0, all);                                                      \
		print(what, site, all);                                                          \
		*(unaligned##size *)p = (type)value;                                             \
	}                                                                                        \
	void __norn_write##size(void *p, uint64_t value, uint32_t site)                          \
	{                                                                                        \
		write##size("write", p, value, site, 0, 0, 0);                                   \
	}                                                                                        \
	void __norn_write##size##_from(void *p, uint64_t value, uint32_t site, uint64_t a,       \
				       uint64_t b, uint64_t c)                                   \
	{                                                                                        \
		write##size("write", p, value, site, a, b, c);                                   \
	}                                                                                        \
	void __norn_store##size(void *p, uint64_t value, uint32_t site, uint64_t a, uint64_t b,  \
				uint64_t c)                                                      \
	{                                                                                        \
		write##size("store", p, value, site, a, b, c);                                   \
	}                                                                                        \
	struct norn_read __norn_rmw##size(void *p, uint64_t operand, uint32_t op, uint32_t site, \
					  uint64_t a, uint64_t b)                                \
	{                                                                                        \
		const uint64_t all[3] = {a, b, 0};                                               \
		type old = *(unaligned##size *)p;                                                \
		*(unaligned##size *)p = (type)changed(old, operand, op, size);                   \
		check(site, *(unaligned##size *)p, old, all);                                    \
		return logged("rmw", old, site, all);                                            \
	}                                                                                        \
	struct norn_read __norn_swap##size(void *p, uint64_t expected, uint64_t desired,         \
					   uint32_t site, uint64_t a, uint64_t b)                \
	{                                                                                        \
		const uint64_t all[3] = {a, b, 0};                                               \
		type old = *(unaligned##size *)p;                                                \
		if (old == expected)                                                             \
			*(unaligned##size *)p = (type)desired;                                   \
		check(site, *(unaligned##size *)p, old, all);                                    \
		return logged("swap", old, site, all);                                           \
	}
SIZED(1, uint8_t)
SIZED(2, uint16_t)
SIZED(4, uint32_t)
SIZED(8, uint64_t)

void __norn_branch(uint32_t site)
{
	print(site_of(site)->kind == SITE_PIN ? "pin" : "branch", site, NULL);
}

void __norn_branch_from(uint32_t site, uint64_t a, uint64_t b, uint64_t c)
{
	const uint64_t all[3] = {a, b, c};
	const struct site *place = site_of(site);
	if (place->expression) {
		struct reader r = {text_of(site, place->expression), all, 0, false};
		evaluate(&r);
	}
	print(place->kind == SITE_CALL ? "call" : "branch", site, all);
}

void __norn_read_range(void *mine, const void *p, size_t n, uint32_t site)
{
	print("read-range", site, NULL);
	memmove(mine, p, n);
}

void __norn_write_range(void *p, const void *mine, size_t n, uint32_t site)
{
	print("write-range", site, NULL);
	memmove(p, mine, n);
}

void __norn_copy(void *to, const void *from, size_t n, uint32_t read_site, uint32_t write_site)
{
	print("copy-from", read_site, NULL);
	print("copy-to", write_site, NULL);
	memmove(to, from, n);
}

void __norn_fill(void *to, int byte, size_t n, uint32_t site)
{
	print("fill", site, NULL);
	memset(to, byte, n);
}

void __norn_stack(void *p, size_t n, uint32_t site)
{
	(void)p, (void)n;
	print("stack", site, NULL);
}

void __norn_stack_end(void *p, size_t n, uint32_t site)
{
	(void)p, (void)n;
	print("stack-end", site, NULL);
}
