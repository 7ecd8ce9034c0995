/* SPDX-License-Identifier: MIT */
/*
 * Blocks of a log, packed (log.h, struct log_packed): what a thread does in a loop is much the same
 * each time, and most of a record can be told from those before it. Words come out as they went
 * in, whatever they are. Each block is packed by itself.
 *
 * Words are taken as items: an access (a LOG_READ or LOG_WRITE of at most 8 bytes, three words), or
 * a single word. A slot holds the latest item of its kind and place, by their hash; and which slot
 * comes next has come next before. An item is
 *
 *	PACK_GO, slot	if it is another slot that is next
 *	PACK_NEW, slot, PACK_NEW_ACCESS, slot
 *			likewise, and the slot's item is of another kind or place:
 *			the item follows as it is, one word, or three of an access
 *
 * and, but for PACK_NEW, a byte of fields, each of which says how a part differs from the slot's
 * item, with what that needs behind it, in this order. Of an access
 *
 *	PACK_VERSION	the version: pack_version_sizes
 *	PACK_ADDRESS	the address: by as much as the last time; by as much as follows
 *	PACK_VALUE	the value: pack_value
 *
 * and of a single word PACK_VERSION of its upper half. Numbers that follow are little-endian.
 */
#ifndef RUNTIME_PACK_H
#define RUNTIME_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "runtime/log.h"

#define PACK_SLOTS 256u
#define PACK_GO 0xfdu
#define PACK_NEW 0xfeu
#define PACK_NEW_ACCESS 0xffu
#define PACK_FIELD(fields, shift) ((fields) >> (shift)&3)
#define PACK_VALUE(fields) ((fields) >> 4)
#define PACK_TOP_BYTES (UINT64_C(0xffff) << 48)
/* The most that an item takes: so many bytes can be read, and written, behind all. */
#define PACK_ITEM LOG_PADDING

enum pack_change { PACK_SAME, PACK_BYTE, PACK_TWO, PACK_MORE };

/* Of values beside these: the lower half, or the upper two bytes, are others; the value of the
 * access before, or of the one before that; another value. */
enum pack_value { PACK_LOW = PACK_MORE, PACK_TOP, PACK_LAST, PACK_OLDER, PACK_ALL };

struct pack_slot {
	uint64_t word, access, value; /* access: 0: a single word */
	uint64_t stride;
};

struct pack {
	struct pack_slot slots[PACK_SLOTS];
	uint8_t next[PACK_SLOTS];
	uint64_t last, older; /* values */
};

/* Where three numbers begin in a single word, and a fourth one would. */
struct pack_parts {
	uint8_t at[4];
};

static inline int pack_is_access(uint64_t word, uint64_t access)
{
	return (LOG_KIND_OF(word) == LOG_READ || LOG_KIND_OF(word) == LOG_WRITE) &&
	       (access >> 48 & 0xff) - 1 < 8;
}

static inline uint32_t pack_key(uint64_t word)
{
	return LOG_KIND_OF(word) == LOG_DEPENDS ? LOG_DEPENDS : (uint32_t)word;
}

static inline int pack_fits(const struct pack_slot *slot, uint64_t word, uint64_t access)
{
	return pack_key(slot->word) == pack_key(word) && slot->access >> 48 == access >> 48;
}

static inline void pack_note_value(struct pack *p, uint64_t value)
{
	p->older = p->last;
	p->last = value;
}

/* Packing */

static inline uint8_t *pack_put(uint8_t *out, uint64_t value, unsigned bytes)
{
	memcpy(out, &value, 8); /* what is too much is written over */
	return out + bytes;
}

/* Of at most 32 bits. */
static inline unsigned pack_put_change(uint8_t **out, uint32_t now, uint32_t before)
{
	int32_t change = (int32_t)(now - before);
	unsigned how = !change			   ? PACK_SAME
		       : change == (int8_t)change  ? PACK_BYTE
		       : change == (int16_t)change ? PACK_TWO
						   : PACK_MORE;
	*out = pack_put(*out, (uint32_t)change, how == PACK_MORE ? 4 : how);
	return how;
}

static inline unsigned pack_put_single(uint8_t **out, uint64_t word, uint64_t before)
{
	if (LOG_KIND_OF(word) != LOG_DEPENDS) {
		unsigned how = pack_put_change(out, word >> 32 & 0xffff, before >> 32 & 0xffff);
		return how | pack_put_change(out, word >> 48, before >> 48) << 2;
	}
	unsigned how = pack_put_change(out, word >> 8 & LOG_NEAR, before >> 8 & LOG_NEAR);
	how |= pack_put_change(out, word >> 26 & LOG_NEAR, before >> 26 & LOG_NEAR) << 2;
	return how | pack_put_change(out, (uint32_t)(word >> 44), (uint32_t)(before >> 44)) << 4;
}

static inline unsigned pack_put_address(uint8_t **out, uint64_t access, struct pack_slot *slot)
{
	int64_t change = (int64_t)(access - slot->access);
	if ((uint64_t)change == slot->stride)
		return PACK_SAME;
	slot->stride = (uint64_t)change;
	unsigned how = change == (int8_t)change	   ? PACK_BYTE
		       : change == (int16_t)change ? PACK_TWO
						   : PACK_MORE;
	*out = pack_put(*out, (uint64_t)change, how == PACK_MORE ? 8 : how);
	return how;
}

static inline unsigned pack_value_how(const struct pack *p, uint64_t value, uint64_t before)
{
	int64_t change = (int64_t)(value - before);
	uint64_t other = value ^ before;
	if (change == (int8_t)change)
		return change ? PACK_BYTE : PACK_SAME;
	if (value == p->last)
		return PACK_LAST;
	if (value == p->older)
		return PACK_OLDER;
	if (change == (int16_t)change)
		return PACK_TWO;
	if (!(other << 16))
		return PACK_TOP;
	return other >> 32 ? PACK_ALL : PACK_LOW;
}

static inline unsigned pack_put_value(struct pack *p, uint8_t **out, uint64_t value,
				      uint64_t before)
{
	static const uint8_t sizes[] = {0, 1, 2, 4, 2, 0, 0, 8};
	unsigned how = pack_value_how(p, value, before);
	uint64_t shown = value;
	if (how == PACK_BYTE || how == PACK_TWO)
		shown = value - before;
	else if (how == PACK_TOP)
		shown = value >> 48;
	*out = pack_put(*out, shown, sizes[how]);
	pack_note_value(p, value);
	return how;
}

static inline uint8_t *pack_put_new(struct pack *p, struct pack_slot *slot, const uint64_t *w,
				    uint64_t access, uint8_t *out)
{
	*slot = (struct pack_slot){.word = *w, .access = access, .value = access ? w[2] : 0};
	if (access)
		pack_note_value(p, w[2]);
	memcpy(out, w, access ? 24 : 8);
	return out + (access ? 24 : 8);
}

static inline uint8_t *pack_put_item(struct pack *p, struct pack_slot *slot, const uint64_t *w,
				     uint64_t access, uint8_t *out)
{
	uint8_t *fields = out++;
	if (access) {
		*fields = (uint8_t)pack_put_change(&out, (uint32_t)(*w >> 32),
						   (uint32_t)(slot->word >> 32));
		*fields |= (uint8_t)(pack_put_address(&out, access, slot) << 2);
		*fields |= (uint8_t)(pack_put_value(p, &out, w[2], slot->value) << 4);
		slot->access = access;
		slot->value = w[2];
	} else {
		*fields = (uint8_t)pack_put_single(&out, *w, slot->word);
	}
	slot->word = *w;
	return out;
}

/* Where such an item is, or may be from now on: slots that are wanted twice have neighbours. */
static inline uint8_t pack_find_slot(const struct pack *p, uint64_t word, uint64_t access)
{
	uint8_t slot = (uint8_t)(pack_key(word) * 0x9e3779b1u >> 24);
	for (unsigned i = 1;
	     i < 4 && p->slots[slot].word && !pack_fits(&p->slots[slot], word, access); i++)
		slot ^= (uint8_t)i;
	return slot;
}

/* How many bytes n words take, or 0 if that were more than there is room for; PACK_ITEM less. */
static inline uint32_t pack_words(struct pack *p, const uint64_t *words, uint32_t n, uint8_t *out,
				  uint32_t room)
{
	const uint64_t *w = words, *end = words + n;
	uint8_t *first = out, *most = out + room - 2 * PACK_ITEM, slot = 0;

	memset(p, 0, sizeof(*p));
	while (w < end) {
		uint64_t access = end - w > 2 && pack_is_access(*w, w[1]) ? w[1] : 0;
		struct pack_slot *s = &p->slots[p->next[slot]];
		bool fits = pack_fits(s, *w, access);
		if (out > most)
			return 0;
		if (!fits) {
			p->next[slot] = pack_find_slot(p, *w, access);
			s = &p->slots[p->next[slot]];
			fits = pack_fits(s, *w, access);
			*out++ = fits ? PACK_GO : access ? PACK_NEW_ACCESS : PACK_NEW;
			*out++ = p->next[slot];
		}
		slot = p->next[slot];
		out = fits ? pack_put_item(p, s, w, access, out)
			   : pack_put_new(p, s, w, access, out);
		w += access ? 3 : 1;
	}
	return (uint32_t)(out - first);
}

/* Unpacking */

static inline uint64_t pack_peek(const uint8_t *in)
{
	uint64_t value;
	memcpy(&value, in, 8);
	return value;
}

static inline uint64_t pack_get(const uint8_t **in)
{
	uint64_t value = pack_peek(*in);
	*in += 8;
	return value;
}

/* Which way a number is told can hardly be foreseen, so none of this branches on it: the bytes that
 * `mask` leaves, with the sign of a shorter number. */
struct pack_form {
	uint64_t mask, sign;
	uint8_t size;
};

static inline uint64_t pack_get_formed(const uint8_t **in, const struct pack_form *form)
{
	uint64_t value = ((pack_peek(*in) & form->mask) ^ form->sign) - form->sign;
	*in += form->size;
	return value;
}

static inline uint64_t pack_get_change(const uint8_t **in, unsigned how)
{
	static const struct pack_form forms[] = {
		{0, 0, 0}, {0xff, 0x80, 1}, {0xffff, 0x8000, 2}, {UINT32_MAX, 0, 4}};
	return pack_get_formed(in, &forms[how]);
}

static inline uint64_t pack_get_single(const uint8_t **in, uint64_t before, unsigned how)
{
	uint64_t a, b, c;
	if (LOG_KIND_OF(before) != LOG_DEPENDS) {
		a = (before >> 32) + pack_get_change(in, PACK_FIELD(how, 0));
		b = (before >> 48) + pack_get_change(in, PACK_FIELD(how, 2));
		return (uint32_t)before | (a & 0xffff) << 32 | b << 48;
	}
	a = (before >> 8) + pack_get_change(in, PACK_FIELD(how, 0));
	b = (before >> 26) + pack_get_change(in, PACK_FIELD(how, 2));
	c = (before >> 44) + pack_get_change(in, PACK_FIELD(how, 4));
	return LOG_DEPENDS | (a & LOG_NEAR) << 8 | (b & LOG_NEAR) << 26 | c << 44;
}

static inline uint64_t pack_get_stride(const uint8_t **in, uint64_t before, unsigned how)
{
	static const struct pack_form forms[] = {
		{0, 0, 0}, {0xff, 0x80, 1}, {0xffff, 0x8000, 2}, {UINT64_MAX, 0, 8}};
	return how == PACK_SAME ? before : pack_get_formed(in, &forms[how]);
}

static inline uint64_t pack_get_value(const struct pack *p, const uint8_t **in, uint64_t before,
				      unsigned how)
{
	static const struct {
		struct pack_form form;
		uint64_t kept; /* of the one before */
	} ways[] = {
		[PACK_SAME] = {{0, 0, 0}, UINT64_MAX},
		[PACK_BYTE] = {{0xff, 0x80, 1}, UINT64_MAX},
		[PACK_TWO] = {{0xffff, 0x8000, 2}, UINT64_MAX},
		[PACK_LOW] = {{UINT32_MAX, 0, 4}, ~(uint64_t)UINT32_MAX},
		[PACK_TOP] = {{0xffff, 0, 2}, ~PACK_TOP_BYTES},
		[PACK_LAST] = {{0, 0, 0}, UINT64_MAX},
		[PACK_OLDER] = {{0, 0, 0}, UINT64_MAX},
		[PACK_ALL] = {{UINT64_MAX, 0, 8}, 0},
	};
	uint64_t from = how == PACK_LAST ? p->last : before;
	from = how == PACK_OLDER ? p->older : from;
	return (from & ways[how].kept) +
	       (pack_get_formed(in, &ways[how].form) << (how == PACK_TOP ? 48 : 0));
}

/* Words of the item, which are written down if there is room for them; else 0. */
static inline uint32_t pack_get_new(struct pack *p, struct pack_slot *slot, const uint8_t **in,
				    uint64_t *w, ptrdiff_t room, bool access)
{
	*slot = (struct pack_slot){.word = pack_get(in)};
	*w = slot->word;
	if (!access)
		return 1;
	if (room < 3)
		return 0;
	slot->access = w[1] = pack_get(in);
	slot->value = w[2] = pack_get(in);
	pack_note_value(p, w[2]);
	return 3;
}

static inline uint32_t pack_get_item(struct pack *p, struct pack_slot *slot, const uint8_t **in,
				     uint64_t *w, ptrdiff_t room)
{
	unsigned how = *(*in)++ & 0x7f;
	if (!slot->access) {
		*w = slot->word = pack_get_single(in, slot->word, how);
		return 1;
	}
	if (room < 3)
		return 0;
	*w = slot->word += (uint64_t)pack_get_change(in, PACK_FIELD(how, 0)) << 32;
	slot->stride = pack_get_stride(in, slot->stride, PACK_FIELD(how, 2));
	w[1] = slot->access += slot->stride;
	w[2] = slot->value = pack_get_value(p, in, slot->value, PACK_VALUE(how));
	pack_note_value(p, w[2]);
	return 3;
}

/* The first n words; how many, if the bytes are over before, or make no sense. PACK_ITEM bytes
 * behind them can be read. */
static inline uint32_t pack_unpack(struct pack *p, const uint8_t *in, uint32_t bytes,
				   uint64_t *words, uint32_t n)
{
	const uint8_t *last = in + bytes;
	uint64_t *w = words, *end = words + n;
	uint32_t got = 1;
	uint8_t slot = 0;

	memset(p, 0, sizeof(*p));
	while (got && w < end && in < last) {
		uint8_t first = *in;
		if (first >= PACK_GO) {
			p->next[slot] = in[1];
			in += 2;
		}
		slot = p->next[slot];
		got = first > PACK_GO
			      ? pack_get_new(p, &p->slots[slot], &in, w, end - w, first > PACK_NEW)
			      : pack_get_item(p, &p->slots[slot], &in, w, end - w);
		w += got;
	}
	return (uint32_t)(w - words);
}

#endif
