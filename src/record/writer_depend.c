#include "record/writer_parts.h"

#include <string.h>

#define NO_POSITION UINT64_MAX

/* The reads that a record depends on, as the window knows them. */
struct sources {
	const struct window_read *at[DEPENDS]; /* NULL: none on this way through the code */
	bool lost[DEPENDS];		       /* there is one, too long ago */
};

static void find_sources(struct writer *w, uint32_t thread, struct sources *s)
{
	struct writer_thread *t = writer_thread(w, thread);

	*s = (struct sources){0};
	for (int i = 0; t->has_depends && i < DEPENDS; i++) {
		if (t->depend[i] == NO_POSITION)
			continue;
		s->at[i] = window_find(&t->reads, t->depend[i]);
		s->lost[i] = !s->at[i];
	}
}

/* What the thread depends on now that uses this read. */
static void gather_read(struct writer *w, uint32_t thread, const struct window_read *r,
			struct read_set *set)
{
	const struct origin_clock *now = &writer_thread(w, thread)->clock;

	if (r->fate == READ_PRIVATE)
		origins_gather(&w->origins, r->origin, now, set);
	else if (r->fate == READ_KEPT && r->event > now->settled)
		read_set_add(set, r->event);
}

/* Adds dependences [from, to) of the site. */
static void gather(struct writer *w, uint32_t thread, const struct sources *s, unsigned from,
		   unsigned to, struct read_set *set)
{
	for (unsigned i = from; i < to && i < SITE_DEPENDS_MAX && !set->all; i++)
		if (s->lost[i])
			set->all = true;
		else if (s->at[i])
			gather_read(w, thread, s->at[i], set);
}

/* Expressions */

struct itself {
	uint32_t thread;
	const struct sources *sources;
	uint64_t value, event; /* of an rmw */
};

static bool look_up(void *context, uint64_t read, int64_t *value)
{
	const struct itself *self = context;

	if (read == SITE_ITSELF) {
		*value = (int64_t)self->value;
		return self->event;
	}
	const struct window_read *r = self->sources->at[read];

	if (!r || !r->whole)
		return false;
	*value = (int64_t)r->value;
	return true;
}

/* Whether it returns what it did whenever the thread comes this far. */
static bool is_constant(struct writer *w, uint32_t thread, const struct window_read *r)
{
	struct read_set set;

	read_set_clear(&set);
	if (r->fate != READ_KEPT)
		gather_read(w, thread, r, &set);
	return r->fate != READ_KEPT && !set.all && !set.n;
}

/* What makes an expression of a template: what its reads are now. */
struct instance {
	struct writer *w;
	const struct itself *self;
	bool reads;
};

static uint32_t instance_of(void *context, uint64_t read)
{
	struct instance *in = context;
	struct expr_builder *b = &in->w->exprs;
	const struct window_read *r = read == SITE_ITSELF ? NULL : in->self->sources->at[read];

	if (r && is_constant(in->w, in->self->thread, r))
		return expr_add_const(b, (int64_t)r->value);
	if (r && r->fate != READ_KEPT)
		return EXPR_NONE;
	in->reads = true;
	return expr_add_read(b, r ? r->event : in->self->event);
}

/* A part of w->exprs. EXPR_NONE: it has no reads, or one of memory that is not in the trace. */
static uint32_t instantiate(struct writer *w, const struct expr *template,
			    const struct itself *self)
{
	struct instance in = {w, self, false};

	expr_builder_reset(&w->exprs);
	uint32_t part = expr_add_all(&w->exprs, template, instance_of, &in);

	return in.reads ? part : EXPR_NONE;
}

static void add_expression(struct writer *w, struct site_info *info, const struct itself *self,
			   uint32_t size, uint64_t written, struct depend *d)
{
	const struct expr *template = tables_template(w->places->sites, info);
	uint32_t part;
	int64_t value;

	if (!template || !expr_value(template, look_up, (void *)self, &value))
		return;
	if (raw_low_bytes((uint64_t)value, size) != written)
		w->counts.wrong_expressions++;
	else if ((part = instantiate(w, template, self)) != EXPR_NONE)
		d->expr = expr_take(&w->exprs, part, EXPR_NODES_MAX, &w->more);
}

static void gather_addresses(struct writer *w, uint32_t thread, const struct sources *s,
			     const struct site *site, struct read_set *set)
{
	gather(w, thread, s, site->values, (unsigned)site->values + site->addresses, set);
}

/* "the address is this one only if all that was read is the same" is a branch */
static void add_addresses(struct writer *w, uint32_t thread, const struct sources *s,
			  const struct site *site, struct depend *d)
{
	gather_addresses(w, thread, s, site, &d->at);
	if (!d->at.all)
		return;
	read_set_clear(&d->at);
	writer_settle(w, thread);
}

/* Not an initialiser: that would clear the arrays, too, for every record. */
static void depend_on_all(struct depend *d)
{
	read_set_clear(&d->reads);
	read_set_clear(&d->at);
	d->reads.all = true;
	d->expr = NULL;
}

void depend_of_access(struct writer *w, const struct merged *r, struct site_info *info, bool whole,
		      uint64_t old, uint64_t written, struct depend *d)
{
	bool rmw = LOG_KIND_OF(*r->w) == LOG_RMW;
	struct sources s;

	depend_on_all(d);
	if (!info)
		return;
	find_sources(w, r->thread, &s);
	add_addresses(w, r->thread, &s, info->site, d);
	if (LOG_KIND_OF(*r->w) == LOG_READ || !(info->site->flags & SITE_EXACT))
		return;
	struct itself self = {r->thread, &s, old, rmw ? w->next_number : 0};

	d->reads.all = false;
	gather(w, r->thread, &s, 0, info->site->values, &d->reads);
	if (!d->reads.all && whole)
		add_expression(w, info, &self,
			       raw_size(r->w) + (r->second ? raw_size(r->second) : 0), written, d);
	if (rmw && !d->reads.all)
		read_set_add(&d->reads, self.event);
}

uint32_t depend_of_private(struct writer *w, const struct merged *r, struct site_info *info,
			   uint32_t old)
{
	struct writer_thread *t = writer_thread(w, r->thread);
	struct read_set set;
	struct sources s;

	read_set_clear(&set);
	if (info && info->site->flags & SITE_EXACT) {
		find_sources(w, r->thread, &s);
		gather(w, r->thread, &s, 0, info->site->values, &set);
	} else {
		set.all = true;
	}
	if (LOG_KIND_OF(*r->w) == LOG_RMW)
		origins_gather(&w->origins, old, &t->clock, &set);
	if (set.all && !t->unsettled)
		read_set_clear(&set);
	return origins_add(&w->origins, &t->clock, &set);
}

void depend_guard(struct writer *w, const struct merged *r, struct site_info *info)
{
	struct sources s;
	struct read_set set;

	if (!info || !info->site->addresses || !writer_thread(w, r->thread)->has_depends)
		return;
	read_set_clear(&set);
	find_sources(w, r->thread, &s);
	gather_addresses(w, r->thread, &s, info->site, &set);
	if (set.all)
		writer_settle(w, r->thread);
	else
		writer_put_guard(w, r->thread, &set);
}

static void add_condition(struct writer *w, uint32_t thread, struct site_info *info,
			  const struct sources *s, struct depend *d)
{
	bool is_switch = info->site->kind == SITE_SWITCH;
	const struct expr *template = tables_template(w->places->sites, info);
	const struct itself self = {.thread = thread, .sources = s};
	int64_t value;

	if ((!is_switch && info->site->kind != SITE_BRANCH) || !template ||
	    !expr_value(template, look_up, (void *)&self, &value))
		return;
	uint32_t part = instantiate(w, template, &self);

	if (part == EXPR_NONE)
		return;
	if (is_switch)
		part = expr_add2(&w->exprs, OP_EQ, part, expr_add_const(&w->exprs, value));
	else if (!value)
		part = expr_add1(&w->exprs, OP_NOT, part);
	d->expr = expr_take(&w->exprs, part, EXPR_NODES_MAX, &w->more);
}

bool depend_of_branch(struct writer *w, const struct merged *r, struct site_info *info,
		      struct depend *d)
{
	struct writer_thread *t = writer_thread(w, r->thread);

	depend_on_all(d);
	if (info && info->site->flags & SITE_EXACT) {
		struct sources s;

		find_sources(w, r->thread, &s);
		d->reads.all = false;
		gather(w, r->thread, &s, 0, info->site->values, &d->reads);
		if (!d->reads.all && d->reads.n)
			add_condition(w, r->thread, info, &s, d);
	}
	return d->reads.all ? t->unsettled : d->reads.n > 0;
}
