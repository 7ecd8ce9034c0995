#include "record/writer_parts.h"

#include "trace/expr.h"

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

static void add_number(uint64_t *numbers, uint32_t *n, uint64_t number)
{
	for (uint32_t i = 0; i < *n; i++)
		if (numbers[i] == number)
			return;
	numbers[(*n)++] = number;
}

/* Dependences [from, to) of the site; false if one of them is on all that was read. */
static bool gather(const struct sources *s, unsigned from, unsigned to, uint64_t *numbers,
		   uint32_t *n)
{
	for (unsigned i = from; i < to && i < SITE_DEPENDS_MAX; i++) {
		if (s->lost[i] || (s->at[i] && s->at[i]->fate == READ_PRIVATE))
			return false;
		if (s->at[i] && s->at[i]->fate == READ_KEPT)
			add_number(numbers, n, s->at[i]->event);
	}
	return true;
}

/* Expressions */

struct itself {
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

/* Room for `more` nodes in front. */
static struct expr *instantiate(struct writer *w, const struct expr *template,
				const struct itself *self, uint32_t more)
{
	uint32_t count = template->count + more;
	struct expr *e = arena_alloc(&w->more, sizeof(*e) + (count + 1) * sizeof(*e->nodes));
	bool reads = false;

	e->count = count;
	for (uint32_t i = 0; i < template->count; i++) {
		struct expr_node *node = &e->nodes[more + i];

		*node = template->nodes[i];
		if (node->op != OP_READ)
			continue;
		const struct window_read *r =
			node->value == SITE_ITSELF ? NULL : self->sources->at[node->value];

		if (r && r->fate == READ_CONSTANT) {
			*node = (struct expr_node){.op = OP_CONST, .value = r->value};
			continue;
		}
		node->value = r ? r->event : self->event;
		reads = true;
	}
	return reads ? e : NULL;
}

static void add_expression(struct writer *w, struct site_info *info, const struct itself *self,
			   uint32_t size, uint64_t written, struct depend *d)
{
	const struct expr *template = tables_template(w->places->sites, info);
	int64_t value;

	if (!template || !expr_value(template, look_up, (void *)self, &value))
		return;
	if (raw_low_bytes((uint64_t)value, size) != written)
		w->counts.wrong_expressions++;
	else
		d->expr = instantiate(w, template, self, 0);
}

static void add_addresses(struct writer *w, uint32_t thread, const struct sources *s,
			  const struct site *site, struct depend *d)
{
	if (gather(s, site->values, (unsigned)site->values + site->addresses, d->at, &d->at_count))
		return;
	/* "the address is this one only if all that was read is the same" is a branch */
	writer_settle(w, thread);
}

/* Not an initialiser: that would clear the arrays, too, for every record. */
static void depend_on_all(struct depend *d)
{
	d->all = true;
	d->read_count = d->at_count = 0;
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
	struct itself self = {&s, old, rmw ? w->next_number : 0};

	d->all = !gather(&s, 0, info->site->values, d->reads, &d->read_count);
	if (!d->all && whole)
		add_expression(w, info, &self,
			       raw_size(r->w) + (r->second ? raw_size(r->second) : 0), written, d);
	if (rmw && !d->all)
		add_number(d->reads, &d->read_count, self.event);
}

static void add_condition(struct writer *w, struct site_info *info, const struct sources *s,
			  struct depend *d)
{
	bool is_switch = info->site->kind == SITE_SWITCH;
	const struct expr *template = tables_template(w->places->sites, info);
	const struct itself self = {.sources = s};
	int64_t value;

	if ((!is_switch && info->site->kind != SITE_BRANCH) || !template ||
	    template->count + 2 > EXPR_NODES_MAX ||
	    !expr_value(template, look_up, (void *)&self, &value))
		return;
	uint32_t more = is_switch || !value;
	struct expr *e = instantiate(w, template, &self, more);

	if (!e)
		return;
	if (is_switch) {
		e->nodes[0] = (struct expr_node){.op = OP_EQ, .args = 2};
		e->nodes[e->count++] = (struct expr_node){.op = OP_CONST, .value = (uint64_t)value};
	} else if (more) {
		e->nodes[0] = (struct expr_node){.op = OP_NOT, .args = 1};
	}
	d->expr = e;
}

bool depend_of_branch(struct writer *w, const struct merged *r, struct site_info *info,
		      struct depend *d)
{
	struct writer_thread *t = writer_thread(w, r->thread);

	depend_on_all(d);
	if (info && info->site->flags & SITE_EXACT) {
		struct sources s;

		find_sources(w, r->thread, &s);
		d->all = !gather(&s, 0, info->site->values, d->reads, &d->read_count);
		if (!d->all && d->read_count)
			add_condition(w, info, &s, d);
	}
	return d->all ? t->unsettled : d->read_count > 0;
}
