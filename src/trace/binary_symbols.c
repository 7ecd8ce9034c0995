/* SPDX-License-Identifier: MIT */
/* Blocks of symbols. */
#include "trace/binary_decode.h"

#include <string.h>

static bool take_name(struct cursor *c, const char **text, size_t *length)
{
	*length = take_varint(c);
	*text = (const char *)take_bytes(c, *length);
	return *text && symbols_name_is_good(*text, *length);
}

static bool take_details(struct cursor *c, struct symbols *symbols, uint32_t variable)
{
	uint8_t flags = take_byte(c);

	if (!flags)
		return true;
	if (flags & ~(VARIABLE_INIT | VARIABLE_VOLATILE | VARIABLE_MEMORY))
		return false;
	struct variable *v = symbols_describe(symbols, variable);

	v->flags = flags;
	if (flags & VARIABLE_INIT)
		v->init = unzigzag(take_varint(c));
	if (flags & VARIABLE_MEMORY) {
		uint64_t base = take_varint(c);

		v->address = take_varint(c);
		v->size = take_varint(c);
		v->base = (uint32_t)base;
		if (base >= symbols->bases.strings.n || !v->size ||
		    v->size > UINT64_MAX - v->address)
			return false;
	}
	return true;
}

/* A variable, but for its name. */
static bool take_unnamed(struct cursor *c, struct symbols *symbols)
{
	if (!take_bytes(c, take_varint(c)))
		return false;
	return take_details(c, symbols, symbols_add_unnamed(symbols, 1));
}

/* The same for those to come that have a short name and nothing else, as most: how many. */
static uint32_t skip_plain(struct cursor *c, struct symbols *symbols, uint32_t most)
{
	const uint8_t *at = c->at;
	uint32_t n = 0;

	while (n < most && c->end - at > 2 && at[0] == CLASS_VARIABLE && at[1] < 0x80) {
		const uint8_t *flags = at + 2 + at[1];

		if (flags >= c->end || *flags)
			break;
		at = flags + 1;
		n++;
	}
	c->at = at;
	symbols_add_unnamed(symbols, n);
	return n;
}

/* symbols is NULL: skips it. */
static bool take_constant(struct cursor *c, struct symbols *symbols)
{
	uint64_t address = take_varint(c), size = take_varint(c);
	const uint8_t *bytes = take_bytes(c, size);

	return bytes && (!symbols || constants_add(&symbols->constants, address, bytes, size));
}

/* The name of a variable; everything else is skipped. */
static bool take_name_alone(struct cursor *c, struct symbols *symbols, uint8_t tag)
{
	const char *text;
	size_t length;

	if (tag == TAG_CONSTANT)
		return take_constant(c, NULL);
	if (!take_name(c, &text, &length))
		return false;
	if (tag == CLASS_VARIABLE) {
		uint8_t flags = take_byte(c);

		symbols_add_name(symbols, text, length);
		if (flags & VARIABLE_INIT)
			take_varint(c);
		for (int i = 0; flags & VARIABLE_MEMORY && i < 3; i++)
			take_varint(c);
	} else if (tag == CLASS_SEMAPHORE || tag == CLASS_BARRIER) {
		take_varint(c);
	} else if (tag == TAG_META) {
		take_bytes(c, take_varint(c));
	}
	return true;
}

static bool take_object(struct cursor *c, struct symbols *symbols, enum object_class class)
{
	const char *text;
	size_t length, known = symbols_count(symbols, class);

	if (!take_name(c, &text, &length))
		return false;
	symbols_add_unchecked(symbols, class, text, length);
	if (class == CLASS_VARIABLE)
		return take_details(c, symbols, (uint32_t)known);
	if (class == CLASS_SEMAPHORE) {
		uint64_t count = take_varint(c);

		if (count > (uint64_t)INT32_MAX + 1)
			return false;
		symbols->semaphores.at[known].declared = count > 0;
		symbols->semaphores.at[known].count = count ? count - 1 : 0;
	} else if (class == CLASS_BARRIER) {
		uint64_t parties = take_varint(c);

		if (parties > INT32_MAX)
			return false;
		symbols->barriers.at[known].parties = (uint32_t)parties;
	}
	return true;
}

static bool meta_text_is_good(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (((unsigned char)text[i] < ' ' && text[i] != '\t') || text[i] == 0x7f)
			return false;
	return !length || (!strchr(" \t", text[0]) && !strchr(" \t", text[length - 1]));
}

static bool take_record(struct cursor *c, struct symbols *symbols, enum symbols_part part)
{
	const char *text, *value;
	size_t length, value_length;
	uint8_t tag = take_byte(c);

	if (part == SYMBOLS_NAMES)
		return take_name_alone(c, symbols, tag);
	if (part == SYMBOLS_UNNAMED && tag == CLASS_VARIABLE)
		return take_unnamed(c, symbols);
	if (tag < CLASS_COUNT)
		return take_object(c, symbols, tag);
	if (tag == TAG_CONSTANT)
		return take_constant(c, symbols);
	if (!take_name(c, &text, &length))
		return false;
	switch (tag) {
	case TAG_LOCATION: {
		size_t known = symbols->locations.strings.n;

		return intern_add(&symbols->locations, text, length) == known;
	}
	case TAG_BASE: {
		size_t known = symbols->bases.strings.n;

		return intern_add(&symbols->bases, text, length) == known;
	}
	case TAG_META:
		value_length = take_varint(c);
		value = (const char *)take_bytes(c, value_length);
		if (!value || !meta_text_is_good(value, value_length))
			return false;
		symbols_add_meta(symbols, text, length, value, value_length);
		return true;
	}
	return false;
}

/* A block of symbols: their size, then the records as one plane. */
bool decoder_symbols(struct decoder *d, struct cursor *c, uint32_t count, enum symbols_part part)
{
	uint64_t size = take_varint(c);

	/* a plane shrinks at most to a few bytes, but no writer puts so much into one block */
	if (size > BLOCK_STORED_MAX / 16)
		c->bad = true;
	/* without names they cost nothing, however many a damaged file has */
	if (part == SYMBOLS_UNNAMED &&
	    count > INTERN_MOST - symbols_count(d->symbols, CLASS_VARIABLE))
		c->bad = true;
	if (c->bad)
		return false;
	vec_reserve(&d->bytes, size + SLACK);
	if (size)
		decoder_plane(d, c, d->bytes.at, size);
	struct cursor records = {d->bytes.at, d->bytes.at + size, c->bad};

	for (uint32_t i = 0; i < count && !records.bad; i++) {
		if (part == SYMBOLS_UNNAMED)
			i += skip_plain(&records, d->symbols, count - i);
		if (i < count && !take_record(&records, d->symbols, part))
			records.bad = true;
	}
	return !records.bad && records.at == records.end && c->at == c->end;
}
