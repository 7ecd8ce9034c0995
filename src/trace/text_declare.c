/* SPDX-License-Identifier: MIT */
#include "trace/text_parse.h"

#include <string.h>

/* An object to declare: no event may stand between its first mention and this. */
static int take_declared(struct text_source *t, enum object_class class, uint32_t *number,
			 struct err *err)
{
	if (text_take_object(t, class, number, err) < 0)
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

	if (take_declared(t, CLASS_VARIABLE, &x, err) < 0 || text_take_value(t, &value, err) < 0)
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
	    text_take_token(t, "the base", &base, err) < 0 ||
	    text_take_u64(t, "the address", 0, UINT64_MAX, &address, err) < 0 ||
	    text_take_u64(t, "the size", 1, UINT64_MAX - address, &size, err) < 0)
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
	    text_take_u64(t, "the count", 0, INT32_MAX, &count, err) < 0)
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
	    text_take_u64(t, "the number of parties", 1, INT32_MAX, &parties, err) < 0)
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

	if (text_take_token(t, "the key", &key, err) < 0)
		return err->code;
	if (memchr(key.text, '#', key.length))
		return FAIL(t, "a key holds no '#'");
	while (t->c < t->end && text_is_blank(*t->c))
		t->c++;
	while (t->c < t->end && text_is_blank(t->end[-1]))
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

	if (text_take_u64(t, "the address", 0, UINT64_MAX, &address, err) < 0 ||
	    text_take_token(t, "the bytes", &digits, err) < 0)
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

int text_parse_declaration(struct text_source *t, struct token word, const char *line_end,
			   struct err *err)
{
	struct token extra;

	for (size_t i = 0; i < sizeof(declarations) / sizeof(*declarations); i++) {
		if (!text_token_is(word, declarations[i].word))
			continue;
		if (declarations[i].parse == declare_meta)
			t->end = line_end; /* its text may hold a '#' */
		if (declarations[i].parse(t, err) < 0)
			return err->code;
		if (text_next_token(t, &extra))
			return FAIL(t, "'%.*s' is not allowed after '%s'", SHOWN(extra),
				    declarations[i].word);
		return 1;
	}
	return 0;
}
