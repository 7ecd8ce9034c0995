/* SPDX-License-Identifier: MIT */
#include "cmd/filter.h"

#include <string.h>

static bool overlap(const struct variable *a, const struct variable *b)
{
	return a->size && b->size && a->base == b->base &&
	       (a->address < b->address ? b->address - a->address < a->size
					: a->address - b->address < b->size);
}

/*
 * Events speak of the ranges into which overlapping variables are cut (trace/split.h). What was
 * cut keeps its place in memory, though not its flags.
 */
static void want_overlapping(struct filter *f, const struct symbols *symbols, size_t from)
{
	for (size_t i = from; i < f->wanted.n; i++)
		for (size_t k = 0; k < f->named.n && !f->wanted.at[i]; k++)
			f->wanted.at[i] = overlap(symbols_variable(symbols, i),
						  symbols_variable(symbols, f->named.at[k]));
}

void filter_update(struct filter *f, const struct symbols *symbols)
{
	size_t old = f->wanted.n, old_named = f->named.n;

	if (!f->names->n)
		return;
	vec_extend(&f->wanted, symbols_count(symbols, f->class));
	for (size_t i = old; i < f->wanted.n; i++) {
		const char *name = symbols_name(symbols, f->class, (uint32_t)i);

		for (size_t k = 0; k < f->names->n && !f->wanted.at[i]; k++)
			f->wanted.at[i] = !strcmp(name, f->names->at[k]);
		if (f->wanted.at[i])
			vec_push(&f->named, (uint32_t)i);
	}
	if (f->class == CLASS_VARIABLE)
		want_overlapping(f, symbols, f->named.n > old_named ? 0 : old);
}

bool filter_matches(const struct filter *f, const struct event *e)
{
	if (!f->names->n)
		return true;
	if (f->class == CLASS_THREAD)
		return f->wanted.at[e->thread];
	if (f->class == CLASS_LOCK && (e->kind == EV_WAIT || e->kind == EV_WOKEN))
		return f->wanted.at[e->more->lock];
	if (event_kind_class[e->kind] != f->class)
		return false;
	if (f->wanted.at[e->object])
		return true;
	for (uint32_t i = 1; i < event_part_count(e); i++)
		if (f->wanted.at[event_part(e, i).variable])
			return true;
	return false;
}

int filter_check_names(const struct filter *f, const struct symbols *symbols, const char *where,
		       struct err *err)
{
	for (size_t k = 0; k < f->names->n; k++)
		if (intern_find(&symbols->names[f->class], f->names->at[k],
				strlen(f->names->at[k])) == INTERN_NONE)
			return err_set(err, ERR_USAGE, "%s: no %s is named %s", where,
				       object_class_singular[f->class], f->names->at[k]);
	return 0;
}

void filter_release(struct filter *f)
{
	vec_release(&f->wanted);
	vec_release(&f->named);
}
