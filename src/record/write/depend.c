/* SPDX-License-Identifier: MIT */
#include "record/write/parts.h"

#include <string.h>

struct value depend_all(struct writer *w, uint32_t thread)
{
	return writer_thread(w, thread)->unsettled ? value_all(w->next_number - 1)
						   : (struct value){0};
}

static struct guarded *guarded_slot(struct writer_thread *t, const struct value *v)
{
	return &t->guarded[(v->from ^ v->kind) % GUARDED];
}

static bool is_guarded(struct writer_thread *t, const struct value *v)
{
	const struct value *slot = &guarded_slot(t, v)->value;

	/* most are younger than all that are */
	return v->from <= t->latest_guarded[v->kind] && slot->from == v->from &&
	       slot->kind == v->kind;
}

static void set_guarded(struct writer_thread *t, const struct value *v)
{
	*guarded_slot(t, v) = (struct guarded){*v, ++t->guards};
	if (t->latest_guarded[v->kind] < v->from)
		t->latest_guarded[v->kind] = v->from;
}

void depend_settle_it(struct writer *w, uint32_t thread, struct value *v)
{
	struct writer_thread *t = writer_thread(w, thread);

	if (terms_latest(&w->terms, v) <= t->settled || is_guarded(t, v))
		terms_settle(&w->terms, v, UINT64_MAX);
}

/* NULL: too long ago. */
static const struct value *depend_find(struct writer *w, uint32_t thread, uint64_t position)
{
	const struct value *v = window_find(&writer_thread(w, thread)->values, position);

	return v ? v : pass_find(w, thread, position);
}

/* Dependence i, if it is none, or one of the latest values, as most are. */
static inline bool is_at_hand(struct writer *w, uint32_t thread, unsigned i, struct value *to)
{
	struct writer_thread *t = writer_thread(w, thread);
	const struct value *v;

	if (!t->has_depends || t->depend[i] == NO_POSITION) {
		*to = (struct value){0};
		return true;
	}
	if (t->depend[i] == HERE_POSITION) {
		*to = value_fixed(t->here[i]);
		return true;
	}
	if (!(v = window_find(&t->values, t->depend[i])))
		return false;
	*to = *v;
	depend_settle(w, thread, to);
	return true;
}

void depend_source(struct writer *w, uint32_t thread, unsigned i, struct value *to)
{
	struct writer_thread *t = writer_thread(w, thread);
	const struct value *v;

	if (is_at_hand(w, thread, i, to))
		return;
	if ((v = pass_find(w, thread, t->depend[i]))) {
		*to = *v;
	} else { /* what it came from is not known any more, but it came from no later read */
		*to = value_all(t->unsettled ? w->next_number - 1 : t->settled);
		window_put_aside(&t->values, t->depend[i], to);
	}
	depend_settle(w, thread, to);
}

/* How a value is computed. */
struct formula {
	const struct expr *template; /* NULL: not known */
	struct value args[TERM_ARGS];
	/* what it was, once asked for; `has`: that is known */
	bool asked, has;
	int64_t value;
};

/* A copy has what it copies as a dependence, and its site has none. */
static bool is_copy(const struct writer_thread *t, const struct merged *r,
		    const struct site_info *info)
{
	if (LOG_KIND_OF(*r->w) != LOG_WRITE || !t->has_depends || t->depend[0] >= HERE_POSITION)
		return false;
	return !info ||
	       (info->site->kind == SITE_WRITE && !info->site->values && !info->site->addresses);
}

/* A write of a library function whose value is computed from what it has read (LOG_FROM). */
static bool is_from_seen(const uint64_t *record, const struct site_info *info)
{
	return !info && LOG_KIND_OF(*record) == LOG_WRITE && record[1] >> 56 & LOG_FROM;
}

static bool depends(const struct formula *f)
{
	for (unsigned i = 0; i < TERM_ARGS; i++)
		if (f->args[i].kind != VALUE_FIXED)
			return true;
	return false;
}

/* Of a write or branch: values that are fixed, and would have to be computed, matter only if there
 * are others. */
static void find_sources(struct writer *w, const struct merged *r, unsigned n, struct formula *f)
{
	const struct past *past = &writer_thread(w, r->thread)->past;
	const uint64_t *positions = writer_thread(w, r->thread)->depend;
	bool lazy = LOG_KIND_OF(*r->w) == LOG_WRITE || LOG_KIND_OF(*r->w) == LOG_BRANCH;
	unsigned passed = 0;

	for (unsigned i = 0; i < n; i++) {
		if (is_at_hand(w, r->thread, i, &f->args[i]))
			continue;
		if (lazy && past->at.n && past_has(past, positions[i]))
			passed |= 1u << i;
		else
			depend_source(w, r->thread, i, &f->args[i]);
	}
	if (!passed || !depends(f))
		return;
	for (unsigned i = 0; i < n; i++)
		if (passed >> i & 1)
			depend_source(w, r->thread, i, &f->args[i]);
}

static void find_formula(struct writer *w, const struct merged *r, struct site_info *info,
			 struct formula *f)
{
	values_clear(f->args);
	f->template = NULL;
	f->asked = false;
	if (info && info->site->flags & SITE_EXACT) {
		f->template = look_template(w, info);
		find_sources(w, r,
			     info->site->values < SITE_DEPENDS_MAX ? info->site->values
								   : SITE_DEPENDS_MAX,
			     f);
	} else if (is_copy(writer_thread(w, r->thread), r, info) || is_from_seen(r->w, info)) {
		f->template = terms_copy(&w->terms);
		depend_source(w, r->thread, 0, &f->args[0]);
	} else {
		f->args[0] = depend_all(w, r->thread);
	}
}

static bool look_up(void *context, uint64_t number, int64_t *value)
{
	const struct value *v = &((const struct formula *)context)->args[number];

	*value = (int64_t)v->recorded;
	return v->known;
}

static bool evaluate(struct formula *f)
{
	if (!f->asked)
		f->has = f->template && expr_value(f->template, look_up, f, &f->value);
	f->asked = true;
	return f->has;
}

static void clear(struct depend *d)
{
	read_set_clear(&d->reads);
	read_set_clear(&d->at);
	d->expr = NULL;
	d->opaque = false;
}

/* Guards */

/* What an event says of these holds for all behind it in the thread. */
static void note_guarded(struct writer *w, uint32_t thread, const struct value *v, unsigned n)
{
	struct writer_thread *t = writer_thread(w, thread);

	for (unsigned i = 0; i < n; i++)
		if ((v[i].kind == VALUE_READ || v[i].kind == VALUE_TERM) && !is_guarded(t, &v[i]))
			set_guarded(t, &v[i]);
}

/* Those that depend on something and have no guard yet; -1: one depends on all. */
static int find_unguarded(struct writer *w, uint32_t thread, const struct value *from, unsigned n,
			  struct value *to)
{
	int count = 0;

	for (unsigned i = 0; i < n; i++)
		if (from[i].kind == VALUE_ALL)
			return -1;
	for (unsigned i = 0; i < n; i++)
		if (from[i].kind != VALUE_FIXED &&
		    !is_guarded(writer_thread(w, thread), &from[i])) {
			to[count++] = from[i];
			note_guarded(w, thread, &from[i], 1);
		}
	return count;
}

/* "They are as recorded", as an expression if that says more than their reads. */
static bool say_same(struct writer *w, uint32_t thread, const struct value *v, unsigned n,
		     struct depend *d)
{
	uint64_t settled = writer_thread(w, thread)->settled;
	bool terms = false;

	for (unsigned i = 0; i < n; i++)
		terms |= v[i].kind == VALUE_TERM && v[i].exact;
	if (terms)
		d->expr = terms_same(&w->terms, v, n, settled, &w->more);
	return d->expr || terms_add_reads(&w->terms, v, n, settled, &d->reads);
}

/* Whether other reads may give the same values: then nobody knows what the thread would do. */
static bool may_be_same(const struct value *v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (v[i].kind != VALUE_FIXED && !v[i].exact)
			return true;
	return false;
}

/*
 * A pointer that goes on by what was read in each round grows, until a guard says what it is. One
 * in an arm says that there alone, so that the next round would have to say all of it again.
 */
#define LARGE_NODES 24
#define LARGE_READS 8

static bool is_large(const struct depend *d)
{
	return d->expr ? d->expr->count >= LARGE_NODES : d->reads.at.n >= LARGE_READS;
}

static void put_guard(struct writer *w, uint32_t thread, const struct value *v, unsigned n)
{
	struct value unguarded[SITE_DEPENDS_MAX] = {0};
	int count = find_unguarded(w, thread, v, n, unguarded);

	clear(&w->depend);
	if (count < 0) {
		writer_settle(w, thread, 0);
	} else if (!say_same(w, thread, unguarded, (unsigned)count, &w->depend)) {
		/* It is too large, and only grows: what settles it has to hold behind the arm. */
		arm_give_up(w, thread);
		writer_settle(w, thread, 0);
	} else if (count) {
		if (is_large(&w->depend)) /* to say it once is enough, if it holds behind the arm */
			arm_give_up(w, thread);
		w->depend.opaque = may_be_same(unguarded, (unsigned)count);
		writer_put_guard(w, thread, &w->depend);
	}
}

void depend_guard_read(struct writer *w, uint32_t thread, uint64_t position)
{
	const struct value *read = depend_find(w, thread, position);
	struct value v = read ? *read : depend_all(w, thread);

	depend_settle(w, thread, &v);
	put_guard(w, thread, &v, 1);
}

void depend_owe(struct writer *w, uint32_t thread, const struct value *seen)
{
	struct writer_thread *t = writer_thread(w, thread);

	t->owed = terms_apply(&w->terms, NULL, (struct value[]){t->owed, *seen}, 2);
}

void depend_pay(struct writer *w, uint32_t thread)
{
	struct writer_thread *t = writer_thread(w, thread);
	struct value owed = t->owed;

	depend_settle(w, thread, &owed);
	t->owed = (struct value){0};
	if (owed.kind != VALUE_FIXED)
		put_guard(w, thread, &owed, 1);
}

unsigned depend_of_address(struct writer *w, uint32_t thread, const struct site *site,
			   struct value *to)
{
	unsigned n = 0;

	for (unsigned i = site->values;
	     i < (unsigned)site->values + site->addresses && i < SITE_DEPENDS_MAX; i++)
		depend_source(w, thread, i, &to[n++]);
	return n;
}

/* What has to be as recorded, so that it is this address. */
static unsigned find_addresses(struct writer *w, const struct merged *r, struct site_info *info,
			       struct value *to)
{
	return look_address(w, r, info, to) ? 1 : depend_of_address(w, r->thread, info->site, to);
}

void depend_guard(struct writer *w, const struct merged *r, struct site_info *info)
{
	struct value addresses[SITE_DEPENDS_MAX];

	if (!info || !info->site->addresses || !writer_thread(w, r->thread)->has_depends ||
	    !writer_thread(w, r->thread)->unsettled)
		return;
	put_guard(w, r->thread, addresses, find_addresses(w, r, info, addresses));
}

/*
 * The address is this one only if what it came from is as recorded. Of single reads the access
 * says so itself, of other values a guard before it.
 */
static void add_addresses(struct writer *w, const struct merged *r, struct site_info *info,
			  struct depend *d)
{
	struct value v[SITE_DEPENDS_MAX];
	unsigned n = find_addresses(w, r, info, v);
	bool reads = true;

	for (unsigned i = 0; i < n; i++)
		reads &= v[i].kind == VALUE_FIXED || v[i].kind == VALUE_READ;
	if (!reads)
		put_guard(w, r->thread, v, n);
	clear(d);
	if (reads && terms_add_reads(&w->terms, v, n, writer_thread(w, r->thread)->settled, &d->at))
		note_guarded(w, r->thread, v, n);
}

/* Values */

static void say_value(struct writer *w, uint32_t thread, struct formula *f, bool whole,
		      uint32_t size, uint64_t written, struct depend *d)
{
	uint64_t settled = writer_thread(w, thread)->settled;

	if (!depends(f))
		return;
	if (whole && evaluate(f)) {
		if (raw_low_bytes((uint64_t)f->value, size) != written)
			w->counts.wrong_expressions++;
		else
			d->expr = terms_expr(&w->terms, f->template, f->args, settled, &w->more);
	}
	if (!d->expr)
		terms_add_reads(&w->terms, f->args, TERM_ARGS, settled, &d->reads);
}

static uint32_t size_of(const struct merged *r)
{
	return raw_size(r->w) + (r->second ? raw_size(r->second) : 0);
}

void depend_of_access(struct writer *w, const struct merged *r, struct site_info *info, bool whole,
		      uint64_t old, uint64_t written, struct depend *d)
{
	uint8_t kind = LOG_KIND_OF(*r->w);
	struct formula f;

	clear(d);
	if (info && info->site->addresses && writer_thread(w, r->thread)->unsettled)
		add_addresses(w, r, info, d);
	if (kind == LOG_READ)
		return;
	find_formula(w, r, info, &f);
	if (kind == LOG_RMW)
		f.args[SITE_ITSELF] = value_read(w->next_number, old, whole);
	say_value(w, r->thread, &f, whole, size_of(r), written, d);
}

void depend_write_private(struct writer *w, const struct merged *r, struct site_info *info,
			  const struct value *old, uint64_t written)
{
	const struct writer_thread *t = writer_thread(w, r->thread);
	uint32_t size = size_of(r);
	struct formula f;

	find_formula(w, r, info, &f);
	if (old)
		f.args[SITE_ITSELF] = *old;
	if (!depends(&f)) { /* as most do */
		memory_write_private(w, r, &(struct value){0});
		return;
	}
	struct value v = terms_apply(&w->terms, f.template, f.args, TERM_ARGS);

	if (f.template && v.known && size <= 8 && raw_low_bytes(v.recorded, size) != written)
		w->counts.wrong_expressions++;
	v.exact &= v.known && size <= 8 && v.recorded == written;
	v.recorded = written;
	v.known = size <= 8;
	if (v.kind != VALUE_FIXED && !r->second && is_copy(t, r, info) &&
	    t->depend[0] == t->read_position && size == t->read_size)
		memory_copy_private(w, r, t->read_address, &v);
	else
		memory_write_private(w, r, &v);
}

struct value depend_compute(struct writer *w, const struct merged *r)
{
	struct formula f;

	find_formula(w, r, tables_get(w->places->sites, LOG_SITE_OF(*r->w)), &f);
	return terms_apply(&w->terms, f.template, f.args, TERM_ARGS);
}

void depend_of_value(struct writer *w, const struct merged *r)
{
	struct value v = depend_compute(w, r);

	*window_add(&writer_thread(w, r->thread)->values, r->position) = v;
}

void depend_of_fixed(struct writer *w, const struct merged *r)
{
	*window_add(&writer_thread(w, r->thread)->values, r->position) = value_fixed(r->w[1]);
}

/* Branches */

/* That it goes the way that it went. */
static const struct expr *way(struct writer *w, struct site_info *info, struct formula *f)
{
	return evaluate(f) ? tables_way(w->places->sites, info, (uint64_t)f->value) : NULL;
}

static const struct expr *condition(struct writer *w, uint32_t thread, struct site_info *info,
				    struct formula *f)
{
	if (info->site->kind != SITE_BRANCH && info->site->kind != SITE_SWITCH)
		return NULL;
	const struct expr *when = way(w, info, f);

	return when ? terms_expr(&w->terms, when, f->args, writer_thread(w, thread)->settled,
				 &w->more)
		    : NULL;
}

/* Whether the way that was not taken does nothing: then what it says is only of the other one. */
static bool is_arm(const struct site_info *info, struct formula *f)
{
	return info->site->kind == SITE_BRANCH && evaluate(f) &&
	       info->site->flags & (f->value ? SITE_ARM : SITE_ARM_ELSE);
}

/* Whether nothing can make it go another way, as is seen at once of most. */
static bool is_fixed(struct writer *w, uint32_t thread, const struct site_info *info)
{
	struct value v;

	if (!info || !(info->site->flags & SITE_EXACT) || !info->parsed)
		return false;
	for (unsigned i = 0; i < info->site->values && i < SITE_DEPENDS_MAX; i++)
		if (!is_at_hand(w, thread, i, &v) || v.kind != VALUE_FIXED)
			return false;
	return true;
}

bool depend_of_branch(struct writer *w, const struct merged *r, struct site_info *info,
		      struct depend *d, struct value *guard)
{
	struct formula f;

	if (is_fixed(w, r->thread, info))
		return false;
	*guard = (struct value){0};
	clear(d);
	find_formula(w, r, info, &f);
	if (!depends(&f))
		return false;
	for (unsigned i = 0; i < TERM_ARGS; i++)
		d->reads.all |= f.args[i].kind == VALUE_ALL;
	if (d->reads.all)
		return true;
	d->expr = condition(w, r->thread, info, &f);
	if (d->expr) {
		if (is_arm(info, &f))
			*guard = terms_apply(&w->terms, way(w, info, &f), f.args, TERM_ARGS);
		return true;
	}
	if (say_same(w, r->thread, f.args, TERM_ARGS, d))
		note_guarded(w, r->thread, f.args, TERM_ARGS);
	/* of a step that names its reads and says no more, everybody takes it to be so */
	d->opaque = info->site->flags & SITE_PLACE
			    ? may_be_same(f.args, TERM_ARGS)
			    : d->expr || !writer_thread(w, r->thread)->stands_for_step;
	return true;
}
