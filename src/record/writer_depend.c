#include "record/writer_parts.h"

#include "trace/expr.h"

#include <string.h>

#define NO_POSITION UINT64_MAX

/* The reads that a record depends on, as the window knows them. */
struct sources {
	const struct window_read *at[DEPENDS]; /* NULL: none on this way through the code */
	bool lost[DEPENDS];		       /* there is one, too long ago */
	struct window_read here[DEPENDS];      /* what is fixed, and came with the record */
};

static void find_sources(struct writer *w, uint32_t thread, struct sources *s)
{
	struct writer_thread *t = writer_thread(w, thread);

	memset(s->at, 0, sizeof(s->at));
	memset(s->lost, 0, sizeof(s->lost));
	for (int i = 0; t->has_depends && i < DEPENDS; i++) {
		if (t->depend[i] == NO_POSITION)
			continue;
		if (t->depend[i] == HERE_POSITION) {
			s->here[i] = (struct window_read){
				.value = t->here[i], .fate = READ_CONSTANT, .whole = true};
			s->at[i] = &s->here[i];
			continue;
		}
		s->at[i] = window_find(&t->reads, t->depend[i]);
		s->lost[i] = !s->at[i];
	}
}

/* What the thread depends on now that uses this read. */
static void gather_read(struct writer *w, uint32_t thread, const struct window_read *r,
			struct read_set *set)
{
	const struct origin_clock *now = &writer_thread(w, thread)->clock;

	if (r->fate == READ_TOLD)
		origins_gather_value(&w->origins, r->origin, now, set);
	else if (r->fate == READ_PRIVATE)
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

/* What stands for a read of the template: its event, what it always is, or where it came from. */
struct stand_in {
	struct expr_node node;
	const struct expr *expr; /* in place of node, or NULL */
};

static bool find_stand_in(struct writer *w, const struct itself *self, uint64_t number,
			  struct stand_in *to)
{
	const struct window_read *r = number == SITE_ITSELF ? NULL : self->sources->at[number];

	*to = (struct stand_in){.node = {.op = OP_READ, .value = r ? r->event : self->event}};
	if (r && is_constant(w, self->thread, r))
		to->node = (struct expr_node){.op = OP_CONST, .value = r->value};
	else if (r && r->fate == READ_TOLD)
		to->expr = r->expr;
	return to->node.op == OP_CONST || to->expr || !r || r->fate == READ_KEPT;
}

/* How many nodes it becomes; 0: too many, or one of memory that is not in the trace. */
static uint32_t find_stand_ins(struct writer *w, const struct expr *template,
			       const struct itself *self, struct stand_in *to)
{
	uint32_t count = 0;
	bool found[SITE_ITSELF + 1] = {0};

	for (uint32_t i = 0; i < template->count; i++) {
		const struct expr_node *node = &template->nodes[i];
		bool read = node->op == OP_READ;

		if (read && !found[node->value] &&
		    !(found[node->value] = find_stand_in(w, self, node->value, &to[node->value])))
			return 0;
		count += read && to[node->value].expr ? to[node->value].expr->count : 1;
	}
	return count <= EXPR_NODES_MAX - 2 ? count : 0;
}

/* Room for `more` nodes in front. NULL: it has no reads, or one of memory that is not in the trace.
 */
static struct expr *instantiate(struct writer *w, const struct expr *template,
				const struct itself *self, uint32_t more)
{
	struct stand_in in[SITE_ITSELF + 1];
	uint32_t count = find_stand_ins(w, template, self, in);
	bool reads = false;

	if (!count)
		return NULL;
	struct expr *e = arena_alloc(&w->more, sizeof(*e) + (more + count + 1) * sizeof(*e->nodes));

	e->count = more;
	for (uint32_t i = 0; i < template->count; i++) {
		const struct expr_node *node = &template->nodes[i];
		const struct expr *told = node->op == OP_READ ? in[node->value].expr : NULL;

		if (node->op == OP_READ)
			node = &in[node->value].node;
		reads |= told || node->op == OP_READ;
		if (told)
			memcpy(&e->nodes[e->count], told->nodes,
			       told->count * sizeof(*told->nodes));
		else
			e->nodes[e->count] = *node;
		e->count += told ? told->count : 1;
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

/* What is known of the value by its site's expression. */
static void evaluate(struct writer *w, struct site_info *info, const struct itself *self,
		     struct window_read *to)
{
	const struct expr *template = tables_template(w->places->sites, info), *e;
	int64_t value;

	if (!template || !expr_value(template, look_up, (void *)self, &value))
		return;
	to->value = (uint64_t)value;
	to->whole = true;
	e = instantiate(w, template, self, 0);
	if (!e)
		return;
	size_t size = sizeof(*e) + e->count * sizeof(*e->nodes);

	to->expr = mem_alloc(size);
	memcpy(to->expr, e, size);
}

void depend_of_value(struct writer *w, const struct merged *r, struct site_info *info)
{
	struct writer_thread *t = writer_thread(w, r->thread);
	struct window_read told = {.position = r->position, .fate = READ_TOLD};
	struct read_set set;
	struct sources s;
	struct itself self = {.thread = r->thread, .sources = &s};

	read_set_clear(&set);
	find_sources(w, r->thread, &s);
	if (info && info->site->flags & SITE_EXACT)
		gather(w, r->thread, &s, 0, info->site->values, &set);
	else
		set.all = true;
	if (info && !set.all)
		evaluate(w, info, &self, &told);
	if (set.all && !t->unsettled)
		read_set_clear(&set);
	told.origin = origins_add(&w->origins, &t->clock, &set);
	*window_add(&t->reads) = told;
}

void depend_of_fixed(struct writer *w, const struct merged *r)
{
	*window_add(&writer_thread(w, r->thread)->reads) = (struct window_read){
		.position = r->position, .value = r->w[1], .fate = READ_CONSTANT, .whole = true};
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
		d->reads.all = false;
		gather(w, r->thread, &s, 0, info->site->values, &d->reads);
		if (!d->reads.all && d->reads.n)
			add_condition(w, r->thread, info, &s, d);
	}
	return d->reads.all ? t->unsettled : d->reads.n > 0;
}
