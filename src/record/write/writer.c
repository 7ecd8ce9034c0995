/* SPDX-License-Identifier: MIT */
#include "record/write/parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BATCH_EVENTS 512
#define HELD_EVENTS 65536 /* while a thread is in an arm */

/* Accesses */

static uint32_t place_of(struct writer *w, const struct merged *r, const struct site_info *info)
{
	uint32_t site = LOG_SITE_OF(*r->w);

	if (info && info->asked)
		return info->location;
	return site ? places_site(w->places, site)
		    : places_call(w->places, writer_thread(w, r->thread)->pc);
}

static uint8_t order_of(const struct site_info *info)
{
	if (info && info->site->flags & SITE_WATCH)
		return ORDER_WATCH;
	return info && info->site->order < ORDER_WATCH ? info->site->order : ORDER_PLAIN;
}

uint64_t writer_put_parts(struct writer *w, struct event *e, struct event_more *more, size_t from,
			  size_t n, bool inserted)
{
	const struct part *parts = &w->parts.at[from];

	e->object = parts[0].variable;
	e->value = parts[0].value;
	if (!more && (e->kind == EV_RMW || n > 1))
		more = writer_more(w);
	if (more)
		more->written = parts[0].written;
	if (n > 1) {
		more->part_count = (uint32_t)n - 1;
		more->parts = arena_copy(&w->more, parts + 1, (n - 1) * sizeof(*parts));
	}
	return writer_put(w, *e, more, inserted);
}

/* What a read shows that nobody wrote. */
static void put_external(struct writer *w, uint32_t thread)
{
	size_t n = w->parts.n;

	for (size_t i = 0; i < n; i++) {
		struct part part = w->parts.at[i];

		if (w->values[part.variable] == (uint64_t)part.value)
			continue;
		w->values[part.variable] = (uint64_t)part.value;
		part.written = 0;
		vec_push(&w->parts, part);
	}
	if (w->parts.n == n)
		return;
	w->counts.external++;
	writer_put_parts(w, &(struct event){.kind = EV_EXTERNAL, .thread = thread}, NULL, n,
			 w->parts.n - n, true);
	w->parts.n = n;
}

static void store_values(struct writer *w, bool rmw)
{
	for (size_t i = 0; i < w->parts.n; i++) {
		const struct part *part = &w->parts.at[i];

		w->values[part->variable] = (uint64_t)(rmw ? part->written : part->value);
	}
}

static bool of_one_base(const struct writer *w)
{
	for (size_t i = 1; i < w->parts.n; i++)
		if (symbols_variable(w->symbols, w->parts.at[i].variable)->base !=
		    symbols_variable(w->symbols, w->parts.at[0].variable)->base)
			return false;
	return true;
}

static uint64_t value_of(const uint64_t *record, const uint64_t *second)
{
	uint32_t size = raw_size(record);
	uint64_t value = raw_bytes(record + 2, 0, size < 8 ? size : 8);

	if (second && size < 8) {
		uint32_t rest = raw_size(second);

		value |= raw_bytes(second + 2, 0, rest < 8 - size ? rest : 8 - size) << (8 * size);
	}
	return value;
}

/* Returns what was read; `event`: 0 if it was dropped, `whole`: %N is the value. */
static struct value *note_read(struct writer *w, const struct merged *r, const struct access *a,
			       uint64_t event, bool whole)
{
	struct writer_thread *t = writer_thread(w, r->thread);
	struct value *v = window_add(&t->values, r->position);
	uint64_t recorded = value_of(r->w, r->second);

	if (event && !a->private)
		*v = value_read(event, recorded, whole);
	else if (event || w->pieces.n)
		memory_value(w, a, event, recorded, v);
	else
		*v = value_fixed(recorded);
	if (event)
		t->unsettled = true;
	if (t->spun && event)
		spin_join(w, r->thread, v);
	t->spun = 0;
	t->read_position = r->position;
	t->read_address = raw_address(r->w);
	t->read_size = r->second ? 0 : raw_size(r->w);
	return v;
}

static bool is_stepwise(const uint64_t *record)
{
	return LOG_KIND_OF(*record) == LOG_READ && record[1] >> 56 & LOG_STEPS;
}

static void drop_access(struct writer *w, const struct merged *r, struct site_info *info,
			const struct access *a)
{
	uint8_t kind = LOG_KIND_OF(*r->w);
	struct value *old = NULL, looked_up;
	bool look = kind == LOG_READ && !a->private && look_up_constant(w, r, info, &looked_up);

	if (a->private)
		w->counts.private ++;
	else
		w->counts.constant++;
	if (!look)
		depend_guard(w, r, info);
	if (kind != LOG_WRITE)
		old = note_read(w, r, a, 0, false);
	if (look)
		*old = looked_up;
	if (is_stepwise(r->w))
		depend_owe(w, r->thread, old);
	if (kind != LOG_READ)
		depend_write_private(w, r, info, old,
				     kind == LOG_RMW ? r->w[3] : value_of(r->w, r->second));
}

/*
 * Byte by byte, each only because of those before (LOG_STEPS). Whether the call does anything
 * behind the last one is not known yet: it is owed a guard.
 */
static void put_steps(struct writer *w, const struct merged *r, const struct access *a,
		      struct event *e)
{
	struct writer_thread *t = writer_thread(w, r->thread);
	struct value seen = {0}, part;

	if (a->private)
		memory_value(w, a, 0, 0, &seen);
	seen.known = seen.exact = false;
	depend_owe(w, r->thread, &seen);
	for (size_t i = 0; i < w->parts.n; i++) {
		depend_pay(w, r->thread);
		part = value_read(writer_put_parts(w, e, NULL, i, 1, false), 0, false);
		t->unsettled = true;
		depend_owe(w, r->thread, &part);
		seen = terms_apply(&w->terms, NULL, (struct value[]){seen, part}, 2);
	}
	*window_add(&t->values, r->position) = seen;
}

/* Most reads: of constant memory, within a granule, at an address of which nothing is said. What
 * drop_access would do, and no more. */
static bool follow_constant(struct writer *w, const struct merged *r)
{
	struct writer_thread *t = writer_thread(w, r->thread);
	uint64_t address = raw_address(r->w);
	uint32_t size = raw_size(r->w);
	bool plain = LOG_KIND_OF(*r->w) == LOG_READ && !t->has_depends && !(r->w[1] >> 56) &&
		     (address & 7) + size <= 8;
	const uint32_t *cell = plain ? pages_cell(&w->cells, address, false) : NULL;

	if (!cell || *cell != CELL_CONSTANT)
		return false;
	w->counts.constant++;
	*window_add(&t->values, r->position) = value_fixed(raw_low_bytes(r->w[2], size));
	t->spun = 0;
	t->read_position = r->position;
	t->read_address = address;
	t->read_size = size;
	return true;
}

/* As C has it, which orders nothing. */
static void note_volatile(struct writer *w)
{
	for (size_t i = 0; i < w->parts.n; i++) {
		uint32_t x = w->parts.at[i].variable;
		const char *name = symbols_name(w->symbols, CLASS_VARIABLE, x);

		vec_extend(&w->volatiles, (size_t)x + 1);
		if (!w->volatiles.at[x])
			symbols_add_meta(w->symbols, META_VOLATILE, strlen(META_VOLATILE), name,
					 strlen(name));
		w->volatiles.at[x] = true;
	}
}

static void follow_access(struct writer *w, const struct merged *r, struct site_info *info)
{
	if (follow_constant(w, r))
		return;
	uint8_t kind = LOG_KIND_OF(*r->w);
	struct access a = {.complete = true,
			   .size = raw_size(r->w),
			   .thread = r->thread,
			   .reads = kind != LOG_WRITE};

	w->parts.n = 0;
	w->pieces.n = 0;
	memory_parts(w, r->w, 0, &a);
	if (r->second) {
		memory_parts(w, r->second, a.size, &a);
		a.size += raw_size(r->second);
	}
	if (!w->parts.n) {
		drop_access(w, r, info, &a);
		return;
	}
	/* all of it, since to clear it first would take longer than the rest */
	struct event e = {.kind = kind == LOG_READ    ? EV_READ
				  : kind == LOG_WRITE ? EV_WRITE
						      : EV_RMW,
			  .order = order_of(info),
			  .skip = 0,
			  .thread = r->thread,
			  .object = 0,
			  .location = place_of(w, r, info),
			  .value = 0,
			  .more = NULL};
	bool whole = a.complete && a.size <= 8 && of_one_base(w);

	if (w->unseen && writer_rehearses(w))
		unseen_follow_parts(w, kind != LOG_WRITE);
	if (w->kept && kind != LOG_READ)
		kept_follow_parts(w, r->thread);
	writer_begin(w, r->thread, false);
	if (kind != LOG_WRITE)
		put_external(w, r->thread);
	if (is_stepwise(r->w)) {
		put_steps(w, r, &a, &e);
		return;
	}
	uint64_t value = value_of(r->w, r->second);
	uint64_t written = kind == LOG_RMW ? r->w[3] : value;
	struct depend *d = &w->depend;
	const struct value *old = NULL;

	depend_of_access(w, r, info, whole, value, written, d);
	if (kind == LOG_READ)
		d->reads.all = true; /* reads have no reads= */
	uint64_t event = writer_put_parts(w, &e, writer_more_of(w, d), 0, w->parts.n, false);

	if (info && info->site->flags & SITE_VOLATILE && w->sink)
		note_volatile(w);
	if (kind != LOG_WRITE)
		old = note_read(w, r, &a, event, whole);
	if (kind != LOG_READ)
		store_values(w, kind == LOG_RMW);
	if (kind != LOG_READ && a.private)
		depend_write_private(w, r, info, old, written);
}

/* The position that is meant. What was read before the recording began depends on nothing. */
static uint64_t position_of(const struct writer_thread *t, const struct merged *r,
			    uint32_t distance)
{
	return distance && distance <= r->position && r->position - distance >= t->first
		       ? r->position - distance
		       : NO_POSITION;
}

/* Of a branch or a value: some are in its first word. */
static void note_distances(struct writer_thread *t, const struct merged *r)
{
	uint32_t high = LOG_HIGH_OF(*r->w), distances[3];

	if (!high)
		return;
	log_distances(high, distances);
	if (!t->has_depends)
		memset(t->depend, 0xff, sizeof(t->depend));
	t->has_depends = true;
	for (unsigned i = 0; i < 3; i++)
		if (distances[i])
			t->depend[i] = position_of(t, r, distances[i]);
}

static void follow_branch(struct writer *w, const struct merged *r, struct site_info *info)
{
	struct writer_thread *t = writer_thread(w, r->thread);
	struct depend *d = &w->depend;

	struct value guard;

	note_distances(t, r);
	if (!depend_of_branch(w, r, info, d, &guard)) {
		w->counts.branches++;
		return;
	}
	writer_begin(w, r->thread, false);
	struct event e = {.kind = EV_BRANCH, .thread = r->thread, .location = place_of(w, r, info)};

	struct event_more *more = writer_more_of(w, d);
	uint64_t event = writer_put(w, e, more, false);

	if (d->reads.all)
		writer_settled(w, r->thread, event);
	arm_begin(w, r, &guard, more);
}

/* Synchronisation */

static uint32_t symbol_of(struct writer *w, uint32_t object)
{
	if (writer_rehearses(w))
		return 0;
	vec_extend(&w->sync_symbols, (size_t)object + 1);
	uint32_t *symbol = &w->sync_symbols.at[object];

	if (!*symbol)
		*symbol = names_add_sync(w->places, &w->facts->at.at[object]) + 1;
	return *symbol - 1;
}

/*
 * Whether the call does not wait for ever; a wait that timed out still waits for its mutex. What
 * code without hooks looks at before it waits for a signal or a post is not known: had that come
 * earlier, it might not have waited.
 */
static uint8_t tries(const struct writer *w, const struct merged *r, uint8_t kind, uint64_t by)
{
	bool limited = LOG_SITE_OF(*r->w) & LOG_TRIES && (kind != EV_WOKEN || by);

	if (w->threads.at[r->thread].within && (kind == EV_WOKEN || kind == EV_SEM_WAIT))
		limited = true;

	return limited && event_kind_flags[kind] & EV_BLOCKS ? EVENT_TRIES : 0;
}

static void put_step(struct writer *w, const struct merged *r, const struct sync_step *s,
		     uint32_t location)
{
	struct event_more *more = NULL;
	struct event e = {.kind = s->kind,
			  .order = s->inserted ? 0 : tries(w, r, s->kind, s->by),
			  .thread = s->thread,
			  .object = symbol_of(w, s->object),
			  .location = s->inserted ? 0 : location};
	bool waits = s->kind == EV_WAIT || s->kind == EV_WOKEN;

	if (waits) {
		more = writer_more(w);
		more->by = s->by;
		more->lock = symbol_of(w, s->lock);
	}
	uint64_t number = writer_put(w, e, more, s->inserted);

	if (s->number)
		*s->number = number;
	if (s->kind == EV_WOKEN && !s->by && !r->w[5])
		writer_note_broken_off(w, number);
}

static void follow_sync(struct writer *w, const struct merged *r)
{
	struct sync_step steps[SYNC_STEPS];
	bool silent = writer_is_silent(w, r->thread);
	size_t n = sync_follow(w->sync, r, steps);

	writer_thread(w, r->thread)->waits = sync_waits(w->sync, r->thread);
	uint32_t location =
		n && raw_kind_words[LOG_KIND_OF(*r->w)] > 2 ? places_call(w->places, r->w[2]) : 0;

	if (n && !silent)
		writer_begin(w, r->thread, false);
	for (size_t i = 0; i < n; i++)
		put_step(w, r, &steps[i], location);
}

/* For readers of reports. */
static void note_role(struct writer *w, uint32_t thread, uint32_t role)
{
	static const char *const names[] = {
		[LOG_WORKER] = "worker", [LOG_TEAM] = "team", [LOG_TASK] = "task"};
	char text[100];

	if (!LOG_ROLE_OF(role) || LOG_ROLE_OF(role) >= sizeof(names) / sizeof(*names) ||
	    writer_rehearses(w))
		return;
	int length = snprintf(text, sizeof(text), "%s %s %u",
			      symbols_name(w->symbols, CLASS_THREAD, thread),
			      names[LOG_ROLE_OF(role)], LOG_ROLE_NUMBER(role));

	symbols_add_meta(w->symbols, META_OPENMP, strlen(META_OPENMP), text, (size_t)length);
}

static void put_thread_event(struct writer *w, const struct merged *r, enum event_kind kind)
{
	uint64_t other = r->w[1];

	if (other >= w->threads.n || other == r->thread ||
	    (kind == EV_FORK && (w->threads.at[other].forked || w->threads.at[other].begun))) {
		w->counts.misfits++;
		return;
	}
	struct writer_thread *t = writer_thread(w, (uint32_t)other);

	if (kind == EV_FORK) {
		t->forked = true;
		note_role(w, (uint32_t)other, LOG_HIGH_OF(*r->w));
	} else {
		t->ended = true;
	}
	writer_begin(w, r->thread, false);
	uint64_t event = writer_put(w,
				    (struct event){.kind = (uint8_t)kind,
						   .order = tries(w, r, (uint8_t)kind, 0),
						   .thread = r->thread,
						   .object = (uint32_t)other,
						   .location = places_call(w->places, r->w[2])},
				    NULL, false);

	/* what the first thread read when it was alone is the same in every execution */
	if (kind == EV_FORK && !r->thread && !w->threads_forked++ && !w->layout->foreign)
		writer_settled(w, r->thread, event);
}

static void follow_end(struct writer *w, const struct merged *r)
{
	struct writer_thread *t = writer_thread(w, r->thread);

	follow_sync(w, r);
	objects_follow(w->objects, r);
	if (!t->waits) {
		writer_begin(w, r->thread, false);
		writer_put(w, (struct event){.kind = EV_END, .thread = r->thread}, NULL, false);
	}
	t->ended = true;
	window_release(&t->values);
}

/* All */

static void note_depend(struct writer_thread *t, const struct merged *r)
{
	uint32_t which = LOG_SITE_OF(*r->w), distance = LOG_HIGH_OF(*r->w);

	if (!t->has_depends)
		memset(t->depend, 0xff, sizeof(t->depend));
	t->has_depends = true;
	if (which >= LOG_HERE && which - LOG_HERE < DEPENDS) {
		t->depend[which - LOG_HERE] = HERE_POSITION;
		t->here[which - LOG_HERE] = distance;
	} else if (which < DEPENDS) {
		t->depend[which] = position_of(t, r, distance);
	}
}

static void note_depends(struct writer_thread *t, const struct merged *r)
{
	for (unsigned i = 0; i < SITE_DEPENDS_MAX; i++) {
		uint32_t distance = LOG_NEAR_OF(*r->w, i);

		t->depend[i] = position_of(t, r, distance);
	}
	t->has_depends = true;
}

void writer_note_depends(struct writer_thread *t, const struct merged *r)
{
	if (LOG_KIND_OF(*r->w) == LOG_DEPEND)
		note_depend(t, r);
	else if (LOG_KIND_OF(*r->w) == LOG_DEPENDS)
		note_depends(t, r);
	else
		note_distances(t, r);
}

#define HANDLERS_MOST 10000 /* a timer can make millions of them */

/* For replay, which lets handlers run where they did. */
static void note_handler(struct writer *w, const struct merged *r, uint64_t steps)
{
	char text[100];

	if (w->handlers++ >= HANDLERS_MOST || writer_rehearses(w))
		return;
	int length =
		snprintf(text, sizeof(text), "%s %" PRIu64 " %" PRIu64 "%s",
			 symbols_name(w->symbols, CLASS_THREAD, r->thread), steps,
			 r->w[1] & ~(uint64_t)LOG_OUTSIDE, r->w[1] & LOG_OUTSIDE ? " outside" : "");

	symbols_add_meta(w->symbols, "handler", strlen("handler"), text, (size_t)length);
}

/* It waits, unless another record comes behind this one. What crashes waits for nothing. */
static void note_wait(struct writer *w, struct writer_thread *t, const struct merged *r)
{
	if (LOG_KIND_OF(*r->w) == LOG_CRASH && !(uint32_t)r->w[1]) { /* where it stands */
		uint64_t own = places_own_frame(w->places, r->w + 3, (uint32_t)(r->w[1] >> 32));

		t->wait.pc = own ? own : t->wait.pc;
		return;
	}
	t->kind = LOG_KIND_OF(*r->w);
	if (t->kind == LOG_BLOCKED)
		t->wait = (struct writer_wait){.kind = r->w[3],
					       .object = r->w[1],
					       .pc = r->w[2],
					       .limited = LOG_SITE_OF(*r->w) & LOG_TRIES,
					       .over = LOG_HIGH_OF(*r->w)};
}

static void follow_record(struct writer *w, const struct merged *r, uint8_t kind,
			  struct site_info *info)
{
	switch (kind) {
	case LOG_BRANCH: follow_branch(w, r, info); break;
	case LOG_READ:
	case LOG_WRITE:
	case LOG_RMW: follow_access(w, r, info); break;
	case LOG_FORK: put_thread_event(w, r, EV_FORK); break;
	case LOG_JOIN:
		follow_sync(w, r);
		put_thread_event(w, r, EV_JOIN);
		break;
	case LOG_BEGIN:
		objects_follow(w->objects, r);
		writer_thread(w, r->thread)->tls_end = r->w[3];
		if (w->layout->late && r->position == LOG_LATE_FIRST)
			writer_thread(w, r->thread)->first = LOG_LATE_FIRST;
		if (!writer_thread(w, r->thread)->begun)
			writer_put(w, (struct event){.kind = EV_BEGIN, .thread = r->thread}, NULL,
				   false);
		break;
	case LOG_END: follow_end(w, r); break;
	case LOG_UNSEEN:
		if (w->unseen && !writer_rehearses(w))
			kept_decide(w, r->thread);
		break;
	case LOG_MARK: mark_follow(w, r); break;
	default:
		if (sync_concerns(kind))
			follow_sync(w, r);
		else if (objects_concern(kind))
			objects_follow(w->objects, r);
	}
}

/* What later records depend on as they do on reads, but is none. */
static void note_value(struct writer *w, struct writer_thread *t, const struct merged *r)
{
	if (pass_value(w, r))
		t->has_depends = false;
	else if (LOG_KIND_OF(*r->w) == LOG_FIXED) {
		depend_of_fixed(w, r);
	} else {
		note_distances(t, r);
		depend_of_value(w, r);
	}
	t->has_depends = false;
}

static void follow_arm(struct writer *w, struct writer_thread *t, const struct merged *r)
{
	if (LOG_KIND_OF(*r->w) == LOG_REJOIN)
		arm_end(w, r);
	else
		arm_either(w, r);
	t->has_depends = false;
}

/*
 * What a library function does next in this call it does because of what it has seen. What the
 * program does behind it depends on the result alone. Sites of the runtime's own have no file; its
 * loose accesses are counts of what leaves, which are made whatever it has seen. Blocks may be
 * libc's own; where a function makes one for the program, the runtime has a branch before.
 */
static void follow_debt(struct writer *w, const struct merged *r, const struct site_info *info)
{
	struct writer_thread *t = writer_thread(w, r->thread);

	bool access = t->kind >= LOG_READ && t->kind <= LOG_RMW;

	if (is_stepwise(r->w) || t->kind == LOG_ALLOC || t->kind == LOG_FREE ||
	    (access && info && info->site->flags & SITE_LOOSE))
		return;
	bool library = t->kind == LOG_UNSEEN ||
		       ((access || t->kind == LOG_BRANCH) && (!info || !info->site->file));

	if (library)
		depend_pay(w, r->thread);
	else
		t->owed = (struct value){0};
}

/* What code without hooks may have done, or does from here on. */
static void note_unseen(struct writer *w, struct writer_thread *t, const struct merged *r)
{
	if (t->kind == LOG_UNSEEN) {
		t->called = ++t->era;
		t->called_event = t->unsettled ? w->next_number - 1 : t->settled;
		t->within = t->unsure = true;
		if (r->w[1])
			t->call = r->w[1];
	} else if (t->kind == LOG_SEEN && r->w[1]) {
		t->within = false;
		/* what a call returns is opaque; that it calls back is its own business */
		t->unsure &= !LOG_SITE_OF(*r->w);
	}
}

/* A record that may be a step. */
static int follow_step(struct writer *w, struct writer_thread *t, const struct merged *r,
		       uint8_t kind, struct err *err)
{
	bool access = kind >= LOG_READ && kind <= LOG_RMW;

	if (w->events.n >= (w->arms ? HELD_EVENTS : BATCH_EVENTS) && writer_flush(w) < 0) {
		*err = w->err;
		return w->code;
	}
	/* of others the field says something else */
	struct site_info *info = access || kind == LOG_BRANCH
					 ? tables_get(w->places->sites, LOG_SITE_OF(*r->w))
					 : NULL;

	if (!access || !t->goes_on)
		w->counts.records++;
	/* A step of which nothing was written is dropped. */
	if (t->stands_for_step)
		t->skipped++;
	t->stands_for_step = !t->goes_on && writer_is_step(r->w, info);
	t->steps += t->stands_for_step;
	t->kind = kind;
	bool at_site = access || kind == LOG_STACK || kind == LOG_STACK_END;

	t->site = at_site ? LOG_SITE_OF(*r->w) : 0;
	t->place = access ? t->pc : r->words > 2 ? r->w[2] : 0;
	t->goes_on = access && raw_goes_on(r->w) && !r->second;
	if (!access)
		note_unseen(w, t, r);
	else if (kind == LOG_READ && info && info->site->flags & SITE_LOOSE)
		t->era++; /* something outside may have been done to memory */
	if (t->ended || (t->waits && kind != LOG_WOKEN && kind != LOG_END)) {
		w->counts.misfits++;
		if (objects_concern(kind))
			objects_follow(w->objects, r);
	} else {
		if (t->owed.kind != VALUE_FIXED)
			follow_debt(w, r, info);
		follow_record(w, r, kind, info);
	}
	t->has_depends = false;
	return 0;
}

static int follow_any(struct writer *w, const struct merged *r, struct err *err)
{
	struct writer_thread *t = writer_thread(w, r->thread);
	uint8_t kind = LOG_KIND_OF(*r->w);

	switch (kind) {
	case LOG_TIME:
	case LOG_MARKS:
	case LOG_CALLEE:
	case LOG_GIVEN: return 0;
	case LOG_DEPEND:
	case LOG_DEPENDS: writer_note_depends(t, r); return 0;
	case LOG_PC: t->pc = r->w[1]; return 0;
	case LOG_VALUE:
	case LOG_FIXED: note_value(w, t, r); return 0;
	case LOG_REJOIN:
	case LOG_EITHER: follow_arm(w, t, r); return 0;
	case LOG_SPIN: spin_follow(w, r); return 0;
	case LOG_ENTER:
	case LOG_LEAVE: writer_follow_call(w, r->thread, *r->w); return 0;
	case LOG_HANDLER:
		arm_give_up(w, r->thread);
		if (!writer_is_silent(w, r->thread))
			depend_pay(w, r->thread);
		note_handler(w, r, t->steps);
		return 0;
	case LOG_STATE: arm_give_up(w, r->thread); return 0;
	case LOG_BLOCKED:
	case LOG_CRASH: note_wait(w, t, r); return 0;
	default: return follow_step(w, t, r, kind, err);
	}
}

/* In a run with marks. */
static int follow_with_unseen(struct writer *w, const struct merged *r, struct err *err)
{
	if (writer_rehearses(w))
		unseen_follow(w, r);
	if (w->kept)
		kept_follow(w, r);
	int code = follow_any(w, r, err);

	if (!writer_rehearses(w) && !code) {
		unseen_put_due(w);
		kept_put_due(w);
	}
	return code;
}

int writer_follow(struct writer *w, const struct merged *r, struct err *err)
{
	w->time++;
	if (terms_are_many(&w->terms) || origins_are_many(&w->origins))
		memory_collect(w);
	return w->unseen ? follow_with_unseen(w, r, err) : follow_any(w, r, err);
}

int writer_finish(struct writer *w, struct writer_counts *counts, struct err *err)
{
	writer_flush(w);
	stacks_finish(&w->stacks);
	*counts = w->counts;
	counts->misfits += sync_misfits(w->sync);
	counts->cut = w->terms.cut;
	if (w->code)
		*err = w->err;
	return w->code;
}

static void find_loose(struct writer *w, const struct tables *sites)
{
	w->loose_count = (uint32_t)sites->at.n;
	w->loose = mem_alloc_zero(sites->at.n + 1, 1);
	for (uint32_t i = 0; i < w->loose_count; i++) {
		const struct site_info *info = tables_get(sites, i);

		w->loose[i] = info && info->site->flags & SITE_LOOSE;
	}
}

struct writer *writer_new(struct places *places, struct lookups *lookups,
			  const struct layout *layout, struct sync_facts *facts, struct sink *sink,
			  uint32_t threads, struct unseen *unseen)
{
	struct writer *w = mem_alloc_zero(1, sizeof(*w));

	w->places = places;
	stacks_init(&w->stacks, places, threads);
	w->lookups = lookups;
	w->symbols = places->symbols;
	w->layout = layout;
	w->facts = facts;
	w->sink = sink;
	w->next_number = 1;
	w->unseen = unseen;
	w->kept = unseen && !sink ? &unseen->kept : NULL;
	w->order = unseen ? &unseen->order : NULL;
	w->sync = sync_new(facts, false);
	vec_extend(&w->threads, (size_t)threads);
	find_loose(w, places->sites);
	memory_start(w);
	return w;
}

void writer_free(struct writer *w)
{
	if (!w)
		return;
	memory_release(w);
	stacks_release(&w->stacks);
	sync_free(w->sync);
	for (size_t i = 0; i < w->threads.n; i++) {
		window_release(&w->threads.at[i].values);
		past_release(&w->threads.at[i].past);
		vec_release(&w->threads.at[i].given);
		vec_release(&w->threads.at[i].arms.open);
		vec_release(&w->threads.at[i].arms.writes);
		vec_release(&w->threads.at[i].arms.locks);
	}
	mem_free(w->loose);
	mem_free(w->classes);
	for (size_t i = 0; i < w->walks.n; i++)
		vec_release(&w->walks.at[i].words);
	vec_release(&w->walks);
	mem_free(w->programs.at);
	mem_free(w->named.at);
	vec_release(&w->globals);
	vec_release(&w->threads);
	vec_release(&w->sync_symbols);
	vec_release(&w->events);
	vec_release(&w->volatiles);
	vec_release(&w->parts);
	arena_release(&w->more);
	mem_free(w);
}
