/* SPDX-License-Identifier: MIT */
/* See hooks.h. */
#include "tests/support/hooks/hooks.h"

#include "runtime/hooks.h"
#include "runtime/known.h"

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
static struct norn_read
	*latest; /* the last READS_KEPT reads and values that are known, by position */
__thread struct norn_slots __norn_slots;
#define FUNCTIONS_MAX 100000
static const void *hooked[FUNCTIONS_MAX];
static size_t hooked_count;
static uint64_t reads;

/* Of results of the library, whose reads have no hooks here: they may come from any. */
#define SEEN_SITE 0x7fffffffu
static const struct {
	struct site_table head;
	struct site site;
	char text[4];
} seen_table = {{SITE_MAGIC, SITE_VERSION, 1, 0, 0, 4, 0, 0}, {.kind = SITE_VALUE}, ""};

void __norn_register(const void *table, uint32_t *base)
{
	bool first = !latest;
	if (first) {
		latest = calloc(READS_KEPT, sizeof(*latest));
		tables[table_count].head = &seen_table.head;
		tables[table_count++].base = SEEN_SITE;
	}
	tables[table_count].head = table;
	tables[table_count++].base = *base = next_base;
	next_base += ((const struct site_table *)table)->sites;
	if (first)
		observe_start();
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

const struct site *hooks_site(uint32_t number)
{
	uint32_t index;
	const struct site_table *table = table_of(number, &index);
	return (const struct site *)(table + 1) + index;
}

const char *hooks_text(uint32_t number, uint32_t offset)
{
	uint32_t index;
	const struct site_table *t = table_of(number, &index);
	const char *after = (const char *)((const struct site *)(t + 1) + t->sites);
	return after + 4 * ((size_t)t->defined + t->called) + offset;
}

static const struct site_address *addresses_of(const struct site_table *t)
{
	const char *text = (const char *)((const struct site *)(t + 1) + t->sites) +
			   4 * ((size_t)t->defined + t->called);
	return (const void *)(((uintptr_t)text + t->text + 7) & ~(uintptr_t)7);
}

static uint64_t address_at(uint32_t number, unsigned long which)
{
	uint32_t index;
	return addresses_of(table_of(number, &index))[which].address;
}

static bool is_constant(uint64_t from, unsigned size)
{
	for (unsigned t = 0; t < table_count; t++)
		for (uint32_t i = 0; i < tables[t].head->addresses; i++) {
			const struct site_address *a = &addresses_of(tables[t].head)[i];
			if (from >= a->address && from - a->address < a->size &&
			    size <= a->size - (from - a->address))
				return true;
		}
	return false;
}

/* Of constants alone: with another value the program might not have come here. */
static uint64_t load(uint64_t from, unsigned size, bool *none)
{
	uint64_t value = 0;
	*none |= !is_constant(from, size);
	if (!*none)
		memcpy(&value, (const void *)from, size);
	return value;
}

/* Expressions: a small reader of its own, that evaluates as it reads. */
struct reader {
	uint32_t site;
	const char *at;
	const uint64_t *depends;
	uint64_t self;
	hooks_lookup *lookup;
	void *context;
	bool forgotten; /* a read that is too long ago */
	bool none;	/* what was just evaluated has no value */
	bool trapped;	/* nothing has one: the machine would not have got past it */
};

static uint64_t evaluate(struct reader *r);

static uint64_t real_bits(double x, bool single, bool *none)
{
	float narrow = (float)x;
	uint32_t low;
	uint64_t bits;
	memcpy(&low, &narrow, 4);
	memcpy(&bits, &x, 8);
	*none |= x != x;
	return single ? low : bits;
}

/* The operators whose last letter is f or d. */
static uint64_t apply_real(const char *op, const uint64_t *a, bool *none)
{
	bool single = op[strlen(op) - 1] == 'f';
	double x[3];
	float narrow[3];
	for (unsigned i = 0; i < 3; i++) {
		uint32_t low = (uint32_t)a[i];
		memcpy(&narrow[i], &low, 4);
		memcpy(&x[i], &a[i], 8);
		if (single)
			x[i] = narrow[i];
	}
	switch (op[0]) {
	case '<': return op[1] == '=' ? x[0] <= x[1] : x[0] < x[1];
	case '=': return x[0] == x[1];
	case '+': return real_bits(x[0] + x[1], single, none);
	case '-': return real_bits(x[0] - x[1], single, none);
	case '*': return real_bits(x[0] * x[1], single, none);
	case '/': return real_bits(x[0] / x[1], single, none);
	case 's': return real_bits(__builtin_sqrt(x[0]), single, none);
	default:
		return real_bits(single ? __builtin_fmaf(narrow[0], narrow[1], narrow[2])
					: __builtin_fma(x[0], x[1], x[2]),
				 single, none);
	}
}

static uint64_t convert(const char *op, uint64_t word, bool *none)
{
	uint32_t low = (uint32_t)word;
	float narrow;
	double x;
	memcpy(&narrow, &low, 4);
	memcpy(&x, &word, 8);
	x = op[0] == 'f' ? narrow : x;
	if (op[2] == 's') {
		*none |= !(x >= -0x1p63 && x < 0x1p63);
		return *none ? 0 : (uint64_t)(int64_t)x;
	}
	if (op[2] == 'u') {
		*none |= !(x > -1 && x < 0x1p64);
		return *none || x < 0 ? 0 : (uint64_t)x;
	}
	if (op[2] == 'f')
		return real_bits(op[0] == 's'	? (float)(int64_t)word
				 : op[0] == 'u' ? (float)word
						: (float)x,
				 true, none);
	return real_bits(op[0] == 's'	? (double)(int64_t)word
			 : op[0] == 'u' ? (double)word
					: x,
			 false, none);
}

static uint64_t divide(const char *op, const uint64_t *a, bool *none)
{
	bool with_sign = !op[1];
	int64_t x = (int64_t)a[0], y = (int64_t)a[1];
	if (!y || (with_sign && y == -1 && x == INT64_MIN)) {
		*none = true;
		return 0;
	}
	if (with_sign)
		return (uint64_t)(*op == '/' ? x / y : x % y);
	return *op == '/' ? a[0] / a[1] : a[0] % a[1];
}

static bool divides(const char *op)
{
	return (*op == '/' || *op == '%') && (!op[1] || op[1] == 'u');
}

static uint64_t apply(const char *op, const uint64_t *a, unsigned n, bool *none)
{
	size_t length = strlen(op);
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
	if (divides(op))
		return divide(op, a, none);
	if (length == 3 && op[1] == '2')
		return convert(op, a[0], none);
	if (IS("and"))
		return a[0] && a[1];
	if (IS("or"))
		return a[0] || a[1];
	if (IS("not"))
		return !a[0];
	if (IS("below")) {
		*none |= a[0] >= a[1];
		return a[0];
	}
	if (op[length - 1] == 'f' || op[length - 1] == 'd')
		return apply_real(op, a, none);
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
	if (length == 5 && !memcmp(op, "load", 4))
		return load(a[0], (unsigned)(op[4] - '0'), none);
#undef IS
	fprintf(stderr, "no such operator: %s\n", op);
	abort();
}

static uint64_t evaluate_list(struct reader *r)
{
	char op[16];
	unsigned n = 0, length = 0;
	uint64_t arguments[64] = {0};
	bool none[64], any = false;
	for (r->at++; *r->at != ' '; r->at++)
		op[length++] = *r->at;
	op[length] = '\0';
	while (*r->at == ' ') {
		r->at++;
		arguments[n] = evaluate(r);
		any |= r->none;
		none[n++] = r->none;
	}
	r->at++;
	if (!strcmp(op, "ite"))
		any = none[0] || none[arguments[0] ? 1 : 2];
	uint64_t value = apply(op, arguments, n, &any);
	r->none = any;
	r->trapped |= any && divides(op);
	return value;
}

static uint64_t evaluate(struct reader *r)
{
	r->none = false;
	if (*r->at == '(')
		return evaluate_list(r);
	if (*r->at == '%') {
		char which = r->at[1];
		r->at += 2;
		if (which == 's')
			return r->self;
		uint64_t position = r->depends[which - '0'], value = 0;
		if (position & NORN_HERE)
			return (uint32_t)position;
		/* 0: on this way it depends on nothing that has a record */
		r->forgotten |= !position || !r->lookup(r->context, position, &value);
		return value;
	}
	char *end;
	if (*r->at == '@') {
		unsigned long which = strtoul(r->at + 1, &end, 10);
		r->at = end;
		return address_at(r->site, which);
	}
	bool negative = *r->at == '-';
	uint64_t value = negative ? (uint64_t)strtoll(r->at, &end, 10) : strtoull(r->at, &end, 10);
	r->at = end;
	return value;
}

bool hooks_evaluate(uint32_t site, const uint64_t *depends, uint64_t self, hooks_lookup *lookup,
		    void *context, uint64_t *value)
{
	struct reader r = {site,    hooks_text(site, hooks_site(site)->expression),
			   depends, self,
			   lookup,  context,
			   false,   false,
			   false};
	*value = evaluate(&r);
	return !r.forgotten && !r.none && !r.trapped;
}

static bool look_up_latest(void *context, uint64_t position, uint64_t *value)
{
	(void)context;
	*value = latest[position % READS_KEPT].value;
	return latest[position % READS_KEPT].position == position;
}

static void check(const struct event *event)
{
	const struct site *site = hooks_site(event->site);
	uint64_t got;
	if (site->values + site->addresses > SITE_DEPENDS_MAX || site->kind >= SITE_KIND_COUNT) {
		fprintf(stderr, "site %u is nonsense\n", event->site);
		abort();
	}
	if (!site->expression ||
	    !hooks_evaluate(event->site, event->depends, event->read, look_up_latest, NULL, &got))
		return;
	uint64_t right = event->what == WHAT_READ ? event->address : event->written;
	if (event->what != WHAT_BRANCH && event->what != WHAT_VALUE && got != right) {
		fprintf(stderr, "%s:%u: %s is %llu, not %llu\n",
			hooks_text(event->site, site->file), site->line,
			hooks_text(event->site, site->expression), (unsigned long long)got,
			(unsigned long long)right);
		abort();
	}
}

static struct norn_read finish_read(struct event *event)
{
	struct norn_read read = {event->read, ++reads};
	latest[reads % READS_KEPT] = read;
	event->position = reads;
	event->known = true;
	check(event);
	observe(event);
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

#define SIZED(bytes, type)                                                                        \
	typedef type unaligned##bytes __attribute__((aligned(1), may_alias));                     \
	static struct norn_read do_read##bytes(const void *p, uint32_t site, uint64_t a,          \
					       uint64_t b, uint64_t c)                            \
	{                                                                                         \
		observe_before(reads + 1, (void *)p, bytes);                                      \
		struct event event = {.what = WHAT_READ,                                          \
				      .site = site,                                               \
				      .address = (uint64_t)p,                                     \
				      .size = bytes,                                              \
				      .read = *(const unaligned##bytes *)p,                       \
				      .depends = {a, b, c}};                                      \
		return finish_read(&event);                                                       \
	}                                                                                         \
	struct norn_read __norn_read##bytes(const void *p, uint32_t site)                         \
	{                                                                                         \
		return do_read##bytes(p, site, 0, 0, 0);                                          \
	}                                                                                         \
	struct norn_read __norn_read##bytes##_at(const void *p, uint32_t site, uint64_t a,        \
						 uint64_t b, uint64_t c)                          \
	{                                                                                         \
		return do_read##bytes(p, site, a, b, c);                                          \
	}                                                                                         \
	struct norn_read __norn_read##bytes##_look(const void *p, uint32_t site, uint64_t a,      \
						   uint64_t b, uint64_t c)                        \
	{                                                                                         \
		return do_read##bytes(p, site, a, b, c);                                          \
	}                                                                                         \
	struct norn_read __norn_load##bytes(const void *p, uint32_t site, uint64_t a, uint64_t b) \
	{                                                                                         \
		return do_read##bytes(p, site, a, b, 0);                                          \
	}                                                                                         \
	static void do_write##bytes(void *p, uint64_t value, uint32_t site, uint64_t a,           \
				    uint64_t b, uint64_t c)                                       \
	{                                                                                         \
		struct event event = {.what = WHAT_WRITE,                                         \
				      .site = site,                                               \
				      .address = (uint64_t)p,                                     \
				      .size = bytes,                                              \
				      .written = value,                                           \
				      .depends = {a, b, c}};                                      \
		check(&event);                                                                    \
		observe(&event);                                                                  \
		*(unaligned##bytes *)p = (type)value;                                             \
	}                                                                                         \
	void __norn_write##bytes(void *p, uint64_t value, uint32_t site)                          \
	{                                                                                         \
		do_write##bytes(p, value, site, 0, 0, 0);                                         \
	}                                                                                         \
	void __norn_write##bytes##_from(void *p, uint64_t value, uint32_t site, uint64_t a,       \
					uint64_t b, uint64_t c)                                   \
	{                                                                                         \
		do_write##bytes(p, value, site, a, b, c);                                         \
	}                                                                                         \
	void __norn_write##bytes##_at(void *p, uint64_t value, uint32_t site, uint64_t a,         \
				      uint64_t b, uint64_t c)                                     \
	{                                                                                         \
		do_write##bytes(p, value, site, a, b, c);                                         \
	}                                                                                         \
	void __norn_store##bytes(void *p, uint64_t value, uint32_t site, uint64_t a, uint64_t b,  \
				 uint64_t c)                                                      \
	{                                                                                         \
		do_write##bytes(p, value, site, a, b, c);                                         \
	}                                                                                         \
	struct norn_read __norn_rmw##bytes(void *p, uint64_t operand, uint32_t op, uint32_t site, \
					   uint64_t a, uint64_t b)                                \
	{                                                                                         \
		observe_before(reads + 1, p, bytes);                                              \
		struct event event = {.what = WHAT_RMW,                                           \
				      .site = site,                                               \
				      .address = (uint64_t)p,                                     \
				      .size = bytes,                                              \
				      .read = *(unaligned##bytes *)p,                             \
				      .depends = {a, b, 0}};                                      \
		event.written = (type)changed(event.read, operand, op, bytes);                    \
		*(unaligned##bytes *)p = (type)event.written;                                     \
		return finish_read(&event);                                                       \
	}                                                                                         \
	struct norn_read __norn_swap##bytes(void *p, uint64_t expected, uint64_t desired,         \
					    uint32_t site, uint64_t a, uint64_t b)                \
	{                                                                                         \
		observe_before(reads + 1, p, bytes);                                              \
		struct event event = {.what = WHAT_SWAP,                                          \
				      .site = site,                                               \
				      .address = (uint64_t)p,                                     \
				      .size = bytes,                                              \
				      .read = *(unaligned##bytes *)p,                             \
				      .depends = {a, b, 0}};                                      \
		event.written = event.read == expected ? desired : event.read;                    \
		*(unaligned##bytes *)p = (type)event.written;                                     \
		return finish_read(&event);                                                       \
	}
SIZED(1, uint8_t)
SIZED(2, uint16_t)
SIZED(4, uint32_t)
SIZED(8, uint64_t)

void __norn_branch_from(uint32_t site, uint64_t a, uint64_t b, uint64_t c)
{
	struct event event = {.what = WHAT_BRANCH, .site = site, .depends = {a, b, c}};
	check(&event);
	observe(&event);
}

void __norn_branch(uint32_t site)
{
	__norn_branch_from(site, 0, 0, 0);
}

/* Here each branch decides over all that follows: no arm is ever skipped. */
uint64_t __norn_branch_arm(uint32_t site, uint64_t a, uint64_t b, uint64_t c)
{
	__norn_branch_from(site, a, b, c);
	return 0;
}

void __norn_rejoin(uint64_t branch)
{
	(void)branch;
}

uint64_t __norn_either(uint64_t branch, uint64_t value, uint64_t other)
{
	(void)branch, (void)other;
	return value;
}

uint32_t __norn_takes(const void *function)
{
	for (size_t i = 0; i < hooked_count; i++)
		if (hooked[i] == function)
			return 1;
	return 0;
}

void __norn_guard(uint32_t takes, uint32_t site, uint64_t a, uint64_t b, uint64_t c)
{
	if (!takes)
		__norn_branch_from(site, a, b, c);
}

static uint64_t tell(struct event *event)
{
	event->position = ++reads;
	if (event->known)
		latest[reads % READS_KEPT] = (struct norn_read){event->read, reads};
	observe(event);
	return reads;
}

uint64_t __norn_value_opaque(uint32_t site)
{
	return tell(&(struct event){.what = WHAT_VALUE, .site = site});
}

uint64_t __norn_value(uint32_t site, uint64_t a, uint64_t b, uint64_t c)
{
	struct event event = {.what = WHAT_VALUE, .site = site, .depends = {a, b, c}};
	if (!(a | b | c))
		return 0;
	check(&event);
	event.known = hooks_site(site)->expression &&
		      hooks_evaluate(site, event.depends, 0, look_up_latest, NULL, &event.read);
	return tell(&event);
}

uint64_t __norn_seen(void)
{
	return __norn_value_opaque(SEEN_SITE);
}

void __norn_list(uint64_t position)
{
	(void)position;
}

void __norn_printed(uint64_t position)
{
	(void)position;
}

uint64_t __norn_fixed(uint64_t value)
{
	return tell(&(struct event){.what = WHAT_FIXED, .read = value, .known = true});
}

static uint64_t hash(const void *p, size_t n)
{
	uint64_t h = 14695981039346656037u;
	for (size_t i = 0; i < n; i++)
		h = (h ^ ((const unsigned char *)p)[i]) * 1099511628211u;
	return h;
}

static void range(enum what what, uint32_t site, uint32_t second, const void *to, const void *from,
		  size_t n)
{
	struct event event = {.what = what,
			      .site = site,
			      .second = second,
			      .address = (uint64_t)to,
			      .from = (uint64_t)from,
			      .size = n,
			      .read = hash(from, n)};
	event.written = event.read;
	observe(&event);
}

void __norn_read_range(void *mine, const void *p, size_t n, uint32_t site)
{
	range(WHAT_READ_RANGE, site, 0, mine, p, n);
	memmove(mine, p, n);
}

void __norn_write_range(void *p, const void *mine, size_t n, uint32_t site)
{
	range(WHAT_WRITE_RANGE, site, 0, p, mine, n);
	memmove(p, mine, n);
}

void __norn_copy(void *to, const void *from, size_t n, uint32_t read_site, uint32_t write_site)
{
	range(WHAT_COPY, read_site, write_site, to, from, n);
	memmove(to, from, n);
}

void __norn_passed(void *argument, uint64_t from, size_t n, uint32_t read_site, uint32_t write_site,
		   uint32_t fixed_site)
{
	if (from == NORN_UNKNOWN_COPY)
		return;
	if (from)
		__norn_copy(argument, (const void *)from, n, read_site, write_site);
	else
		__norn_write_range(argument, argument, n, fixed_site);
}

void __norn_arguments(void *list, const uint64_t *kept, uint32_t seen)
{
	(void)list, (void)kept, (void)seen;
}

void __norn_passes(const void *function, const void *from, size_t n)
{
	(void)function, (void)from, (void)n;
}

void __norn_fill(void *to, int byte, size_t n, uint32_t site)
{
	struct event event = {.what = WHAT_FILL,
			      .site = site,
			      .address = (uint64_t)to,
			      .size = n,
			      .written = (unsigned char)byte};
	observe(&event);
	memset(to, byte, n);
}

void __norn_stack(void *p, size_t n, uint32_t site)
{
	struct event event = {.what = WHAT_STACK, .site = site, .address = (uint64_t)p, .size = n};
	observe(&event);
}

void __norn_stack_end(void *p, size_t n, uint32_t site)
{
	struct event event = {
		.what = WHAT_STACK_END, .site = site, .address = (uint64_t)p, .size = n};
	observe(&event);
}

void __norn_assembly_begin(void) {}
void __norn_assembly_end(void) {}
void __norn_new(void) {}
void __norn_process_changes(void) {}
void __norn_process_looks(void) {}
void __norn_memory_looks(void) {}
void __norn_locale_changes(void) {}
void __norn_locale_looks(void) {}
void __norn_stream_changes(void *f)
{
	(void)f;
}
void __norn_descriptor_changes(int fd)
{
	(void)fd;
}
void __norn_orders(void) {}
void __norn_serial(void) {}
void __norn_asks_semaphores(void) {}
void __norn_wide_begin(const void *p)
{
	(void)p;
}
void __norn_wide_end(const void *p)
{
	(void)p;
}
uint32_t __norn_call(const void *function, const uint64_t *given, uint32_t n)
{
	(void)given;
	(void)n;
	(void)function;
	return 0;
}
void __norn_called(uint32_t call)
{
	(void)call;
}
uint32_t __norn_entered(const void *a, const void *b, const void *c, const void *d)
{
	(void)a, (void)b, (void)c, (void)d;
	return 0;
}
void __norn_leaves(uint32_t entered, const void *a, const void *b, const void *c, const void *d)
{
	(void)entered, (void)a, (void)b, (void)c, (void)d;
}
void __norn_leaves_others(uint32_t entered, const void *a, const void *b, const void *c,
			  const void *d)
{
	(void)entered, (void)a, (void)b, (void)c, (void)d;
}
/* Each call is left by who entered it, or somebody further out goes on. */
static __thread uint64_t calls;

uint64_t __norn_enter(const void *pc)
{
	(void)pc;
	return ++calls;
}

void __norn_leave(uint64_t call)
{
	if (call != calls)
		printf("call %llu is left, and %llu is under way\n", (unsigned long long)call,
		       (unsigned long long)calls);
	calls = call - 1;
}

void __norn_back(uint64_t call)
{
	if (call > calls)
		printf("call %llu goes on, and is over\n", (unsigned long long)call);
	calls = call;
}

uint32_t __norn_state(void)
{
	return 0;
}
void __norn_restore(uint32_t state)
{
	(void)state;
}

void __norn_returned_again(uint32_t state)
{
	(void)state;
}

void __norn_gives(uint32_t entered, uint64_t result)
{
	(void)entered;
	(void)result;
}
void __norn_functions(const void *const *functions, uint64_t n, uint64_t with_hooks)
{
	(void)n;
	for (uint64_t i = 0; i < with_hooks && hooked_count < FUNCTIONS_MAX; i++)
		hooked[hooked_count++] = functions[i];
}
