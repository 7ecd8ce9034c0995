/* SPDX-License-Identifier: MIT */
/*
 * Stretches of a log that are passed by. A thread is settled if no read so far could have returned
 * anything else, as far as its next events say (record/write/terms.h): then every value that it
 * has is fixed. So its accesses to memory that is not kept, its branches, and what it computes
 * become no events, and nothing has to be known of them but how many steps they were. Only what
 * it writes to its own memory is noted. Whatever else comes up ends the stretch.
 */
#include "record/write/parts.h"

#include <string.h>

#define STRETCH_LEAST 8
#define COMPUTED_MOST 1000 /* values, for one that is asked for */

/* What the writer would have done for each record, in sum. */
struct passed {
	const uint64_t *at; /* the next record, */
	uint32_t records;   /* and how many are before it */
	/* likewise up to the dependences of the next one, if these are passed already */
	const uint64_t *whole;
	uint32_t whole_records;
	uint64_t accesses, private, constant, branches, steps;
	bool last_is_step;
	uint8_t kind;
	const uint64_t *read; /* the latest, or NULL */
};

static bool may_pass(const struct writer *w, const struct writer_thread *t, uint32_t thread)
{
	return !t->unsettled && !t->has_depends && !t->goes_on && !t->spun && !t->arms.open.n &&
	       t->past.at.n < PAST_MOST && !writer_is_silent(w, thread);
}

static bool is_step(const struct writer *w, uint32_t site)
{
	return site && !(site < w->loose_count && w->loose[site]);
}

static void pass_step(struct passed *p, bool step)
{
	p->steps += step;
	p->last_is_step = step;
}

/* In eight bytes, and nothing is said of it; false: it is none of those. */
static bool pass_access(struct writer *w, uint32_t thread, const uint64_t *record, uint8_t kind,
			struct passed *p)
{
	uint64_t address = raw_address(record);
	uint32_t size = raw_size(record), site = LOG_SITE_OF(*record);

	if (record[1] >> 56 || !size || (address & 7) + size > 8 || (site && !is_step(w, site)))
		return false;
	const uint32_t *cell = pages_cell(&w->cells, address, false);
	uint32_t what = cell ? *cell : CELL_PRIVATE;

	if (what >= CELL_GRANULE)
		return false;
	if (what == CELL_CONSTANT)
		p->constant++;
	else
		p->private ++;
	if (kind == LOG_READ)
		p->read = record;
	else if (what == CELL_PRIVATE)
		memory_write_fixed(w, thread, record);
	p->accesses++;
	pass_step(p, site);
	return true;
}

/* Words of the record that is passed by; 0: it is not. */
static uint32_t pass_record(struct writer *w, uint32_t thread, struct passed *p)
{
	uint8_t kind = LOG_KIND_OF(*p->at);

	switch (kind) {
	case LOG_DEPEND:
	case LOG_DEPENDS: return 1;
	case LOG_VALUE: return 1;
	case LOG_FIXED: return 2;
	case LOG_ENTER:
	case LOG_LEAVE: writer_follow_call(w, thread, *p->at); return 1;
	case LOG_BRANCH:
		p->branches++;
		p->kind = kind;
		pass_step(p, is_step(w, LOG_SITE_OF(*p->at)));
		return 1;
	case LOG_READ:
	case LOG_WRITE:
		if (!pass_access(w, thread, p->at, kind, p))
			return 0;
		p->kind = kind;
		return 3;
	default: return 0;
	}
}

static void pass_records(struct writer *w, const struct stretch *s, struct passed *p)
{
	const uint64_t *end = s->end - LOG_LINE; /* behind it a record might not be whole */
	uint32_t words;

	while (p->records < s->records && p->at < end && (words = pass_record(w, s->thread, p))) {
		uint8_t kind = LOG_KIND_OF(*p->at);

		p->at += words;
		p->records++;
		if (kind != LOG_DEPEND && kind != LOG_DEPENDS) {
			p->whole = p->at;
			p->whole_records = p->records;
		}
	}
}

static void note_past(struct writer *w, struct writer_thread *t, uint32_t thread, uint64_t position,
		      uint64_t words)
{
	t->past.merge = w->merge;
	t->past.thread = thread;
	past_add(&t->past, position, position + words, t->settled);
}

static void note_passed(struct writer *w, struct writer_thread *t, const struct stretch *s,
			const struct passed *p)
{
	w->time += p->whole_records;
	w->counts.passed += p->whole_records;
	w->counts.records += p->accesses + p->branches;
	w->counts.private += p->private;
	w->counts.constant += p->constant;
	w->counts.branches += p->branches;
	note_past(w, t, s->thread, s->position, (uint64_t)(p->whole - s->w));
	if (p->read) {
		t->read_position = s->position + (uint64_t)(p->read - s->w);
		t->read_address = raw_address(p->read);
		t->read_size = raw_size(p->read);
	}
	if (!p->accesses && !p->branches)
		return;
	t->skipped += t->stands_for_step + p->steps - p->last_is_step;
	t->stands_for_step = p->last_is_step;
	t->steps += p->steps;
	t->kind = p->kind;
	t->owed = (struct value){0};
}

/* How many; 0: it cannot be passed by. */
static uint32_t pass_stretch(struct writer *w, struct stretch *s)
{
	struct writer_thread *t = writer_thread(w, s->thread);

	if (!w->passes || !may_pass(w, t, s->thread) || s->records < STRETCH_LEAST)
		return 0;
	struct passed p = {.at = s->w, .whole = s->w};

	pass_records(w, s, &p);
	if (!p.whole_records)
		return 0;
	note_passed(w, t, s, &p);
	s->position += (uint64_t)(p.whole - s->w);
	s->w = p.whole;
	return p.whole_records;
}

/* Record by record, until it can be passed by, or one is in parts. */
static int follow_stretch(struct writer *w, struct stretch *s, uint32_t *n, struct err *err)
{
	const struct writer_thread *t = writer_thread(w, s->thread);
	struct merged r = {.thread = s->thread};
	bool damaged;
	int code = 0;

	while (!code && *n < s->records && (r.words = raw_record_words(s->w, s->end, &damaged)) &&
	       !(merge_is_access(s->w) && raw_goes_on(s->w))) {
		r.w = s->w;
		r.position = s->position;
		code = writer_follow(w, &r, err);
		s->w += r.words;
		s->position += r.words;
		++*n;
		if (w->passes && may_pass(w, t, s->thread))
			break;
	}
	return code;
}

int writer_go_on(struct writer *w, uint32_t thread, struct merge *m, uint32_t *records,
		 struct err *err)
{
	struct stretch s;
	int code = 0;

	w->passes = !w->unseen;
	w->merge = m;
	*records = 0;
	while (!code && merge_stretch(m, &s) && s.thread == thread) {
		uint32_t n = pass_stretch(w, &s);

		if (!n)
			code = follow_stretch(w, &s, &n, err);
		if (!n)
			break;
		merge_pass(m, s.w, n);
		*records += n;
	}
	return code;
}

bool pass_value(struct writer *w, const struct merged *r)
{
	struct writer_thread *t = writer_thread(w, r->thread);

	if (!w->passes || t->unsettled || t->arms.open.n || t->past.at.n == PAST_MOST)
		return false;
	note_past(w, t, r->thread, r->position, r->words);
	return true;
}

/* What was passed */

/* In the state that the thread was in: nothing that it had could be otherwise. The record goes when
 * what it depends on is looked for. */
static struct value compute(struct writer *w, uint32_t thread, uint64_t position,
			    const uint64_t *record)
{
	struct writer_thread *t = writer_thread(w, thread), before;
	uint32_t n = past_depends(&t->past, position);
	uint64_t word = *record;

	memcpy(before.depend, t->depend, sizeof(t->depend));
	memcpy(before.here, t->here, sizeof(t->here));
	before.has_depends = t->has_depends;
	before.unsettled = t->unsettled;
	t->has_depends = t->unsettled = false;
	for (uint32_t i = 0; i <= n; i++)
		writer_note_depends(
			t, &(struct merged){.position = position - n + i, .w = record - n + i});
	struct value v = depend_compute(
		w, &(struct merged){.thread = thread, .position = position, .w = &word});

	memcpy(t->depend, before.depend, sizeof(t->depend));
	memcpy(t->here, before.here, sizeof(t->here));
	t->has_depends = before.has_depends;
	t->unsettled = before.unsettled;
	return v.kind == VALUE_FIXED ? v : (struct value){0};
}

const struct value *pass_find(struct writer *w, uint32_t thread, uint64_t position)
{
	struct past *past = &writer_thread(w, thread)->past;

	if (past->found && position && past_known(past, position)->position == position)
		return &past_known(past, position)->value;
	const uint64_t *record = past_record(past, position);
	struct value v = {0};

	if (!record)
		return NULL;
	if (!past->depth)
		past->left = COMPUTED_MOST;
	if (LOG_KIND_OF(*record) == LOG_READ && raw_size(record) <= 8 && !raw_goes_on(record)) {
		v = value_fixed(raw_bytes(record + 2, 0, raw_size(record)));
	} else if (LOG_KIND_OF(*record) == LOG_FIXED) {
		v = value_fixed(record[1]);
	} else if (LOG_KIND_OF(*record) == LOG_VALUE && past->left) {
		past->left--;
		past->depth++;
		v = compute(w, thread, position, record);
		past->depth--;
	}
	struct past_value *known = past_known(past, position);

	*known = (struct past_value){position, v};
	return &known->value;
}
