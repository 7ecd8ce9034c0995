/* SPDX-License-Identifier: MIT */
#include "record/keep/unsure.h"

#include "record/keep/granule.h"

/* Larger objects are looked up when it matters: not each of their bytes need ever be touched. */
#define SMALL 4096

struct unsure_cell {
	uint64_t value;
	uint32_t since[8]; /* when a byte was touched last, or born */
	uint8_t known;	   /* bytes that were touched */
	uint8_t born;	   /* bytes of which `since` says that, if they were not */
};

void unsure_init(struct unsure *u, uint32_t threads, struct modules *modules)
{
	*u = (struct unsure){.last_thread = UINT32_MAX, .modules = modules};
	pages_init(&u->cells, sizeof(struct unsure_cell));
	u->inside = mem_alloc_zero((size_t)threads + 1, sizeof(*u->inside));
}

void unsure_release(struct unsure *u)
{
	pages_release(&u->cells);
	mem_free(u->inside);
	vec_release(&u->large);
}

void unsure_mark(struct unsure *u, uint32_t thread, bool unseen, bool alone)
{
	u->marks++;
	if (u->inside[thread] && !alone) {
		if (u->last_thread != thread)
			u->other_end = u->last_end;
		u->last_thread = thread;
		u->last_end = u->marks;
	}
	u->inside_count += (uint32_t)unseen - (uint32_t)u->inside[thread];
	u->inside[thread] = unseen;
}

static bool others_are_inside(const struct unsure *u, uint32_t thread)
{
	return u->inside_count > (uint32_t)u->inside[thread];
}

static enum unsure_writer who_was_inside(const struct unsure *u, uint32_t thread, uint32_t since)
{
	if ((u->last_thread == thread ? u->other_end : u->last_end) > since)
		return UNSURE_OTHERS;
	return u->inside[thread] || u->last_end > since ? UNSURE_ITSELF : UNSURE_NOBODY;
}

/* Objects */

static void forget_cell(void *context, uint64_t address, void *cell)
{
	const struct object *o = context;
	struct unsure_cell *c = cell;
	uint8_t bytes = layout_bytes(address, o->address, o->size);

	c->known &= (uint8_t)~bytes;
	c->born &= (uint8_t)~bytes;
}

static void cell_born(struct unsure *u, uint64_t granule, uint8_t bytes, bool hidden)
{
	struct unsure_cell *c = pages_cell(&u->cells, granule, true);

	c->known = (uint8_t)(hidden ? c->known | bytes : c->known & ~bytes);
	c->born |= bytes;
	for (unsigned b = 0; b < 8; b++)
		if (bytes >> b & 1) {
			c->since[b] = u->marks;
			c->value &= ~((uint64_t)0xff << (8 * b));
		}
}

void unsure_born(struct unsure *u, const struct object *o)
{
	uint64_t end = o->address + o->size;

	if (o->size > SMALL) {
		struct unsure_large large = {o->address, o->size, u->marks};

		pages_each(&u->cells, o->address, o->size, forget_cell, (void *)o);
		vec_push(&u->large, large);
		return;
	}
	for (uint64_t granule = o->address & ~(uint64_t)7; granule < end; granule += 8)
		cell_born(u, granule, layout_bytes(granule, o->address, o->size),
			  object_is_hidden(o));
}

void unsure_dies(struct unsure *u, const struct object *o)
{
	for (size_t i = u->large.n; o->size > SMALL && i-- > 0;)
		if (u->large.at[i].address == o->address && u->large.at[i].size == o->size) {
			u->large.at[i] = u->large.at[--u->large.n];
			return;
		}
}

static uint32_t born_at(const struct unsure *u, const struct unsure_cell *c, uint64_t granule,
			unsigned b)
{
	uint32_t born = c->born >> b & 1 ? c->since[b] : 0;

	for (size_t i = 0; i < u->large.n; i++)
		if (granule + b - u->large.at[i].address < u->large.at[i].size &&
		    u->large.at[i].born > born)
			born = u->large.at[i].born;
	return born;
}

/* Accesses */

/* That nobody has touched; what was born later is in no module. */
static bool is_as_at_first(const struct unsure *u, const struct unsure_access *a, unsigned b)
{
	uint8_t byte = (uint8_t)(a->value >> (8 * b));

	return modules_hold(u->modules, a->granule + b, &byte, 1);
}

static enum unsure_writer who_wrote(const struct unsure *u, uint32_t thread,
				    const struct unsure_cell *c, const struct unsure_access *a)
{
	enum unsure_writer writer = UNSURE_NOBODY;

	for (unsigned b = 0; b < 8; b++) {
		if (!(a->bytes >> b & 1))
			continue;
		bool known = c->known >> b & 1;

		if (known && !((c->value ^ a->value) >> (8 * b) & 0xff))
			continue;
		enum unsure_writer who = UNSURE_OTHERS;

		if (!others_are_inside(u, thread))
			who = who_was_inside(u, thread,
					     known ? c->since[b] : born_at(u, c, a->granule, b));
		if (who > writer && (known || !is_as_at_first(u, a, b)))
			writer = who;
	}
	return writer;
}

/* All bytes were known, and hold what they held: so it is nearly always. */
static bool is_as_known(const struct unsure_cell *c, const struct unsure_access *a, uint64_t mask)
{
	return !(a->bytes & ~c->known) && !((c->value ^ a->value) & mask);
}

enum unsure_writer unsure_access(struct unsure *u, uint32_t thread, const struct unsure_access *a)
{
	struct unsure_cell *c = pages_cell(&u->cells, a->granule, true);
	uint64_t mask = granule_mask(a->bytes);
	enum unsure_writer writer = UNSURE_NOBODY;

	if (a->reads && !is_as_known(c, a, mask))
		writer = who_wrote(u, thread, c, a);
	c->value = (c->value & ~mask) | (a->written & mask);
	for (unsigned left = a->bytes; left; left &= left - 1)
		c->since[__builtin_ctz(left)] = u->marks;
	c->known |= a->bytes;
	return writer;
}
