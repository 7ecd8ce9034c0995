/* SPDX-License-Identifier: MIT */
/*
 * What the merge says of values: random programs, whose values go through private memory, copies
 * and told values, against the programs themselves. Each is run once and logged. Then some of its
 * reads return something else, and a naive interpreter says what all of its values are then: for as
 * long as the guards of the trace hold, its expressions have to give the same, and what it says
 * does not depend on what changed has to be as it was. Branches may have an arm that a run does not
 * go through if they go the other way: the trace has to say so, or stop there.
 */
#include "record/record.h"
#include "tests/support/tap.h"
#include "tests/support/value_log.h"
#include "trace/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Traces */

struct seen {
	struct reader *reader;
	struct batch batch;
	int op[8 * ALL_OPS]; /* of each event, or NO_OP */
};

static void open_trace(struct seen *s, const struct bytes *bytes)
{
	struct err err = {0};

	s->reader = reader_open_memory(bytes->at, bytes->n, "made", NULL, &err);
	if (!s->reader)
		FAIL("%s", err.message);
	ASSERT_EQ(reader_next(s->reader, &s->batch, &err), 1); /* all of it */
	ASSERT(s->batch.n < sizeof(s->op) / sizeof(*s->op));
	for (size_t i = 0; i < s->batch.n; i++) {
		const struct intern *places = &reader_symbols(s->reader)->locations;
		const char *place = intern_text(places, s->batch.at[i].location);

		s->op[i] = !strncmp(place, "t.c:", 4) ? atoi(place + 4) - 1 : NO_OP;
	}
}

/* Of an execution in which some reads return something else. */
struct judge {
	const struct value_program *p;
	const struct value_outcome *was, *is;
	const struct seen *seen;
	uint32_t next; /* operation that was not passed yet */
	bool any_changed;
	uint32_t skip; /* so many events are skipped */
	uint64_t expressions, sets, skipped;
};

static bool has_changed(const struct judge *j, uint64_t event)
{
	int op = j->seen->op[event - 1];

	return j->is->skipped[op] || j->was->read[op] != j->is->read[op];
}

static bool depends_on_change(const struct judge *j, const struct event_more *more)
{
	if (more && more->expr) {
		for (uint32_t i = 0; i < more->expr->count; i++)
			if (more->expr->nodes[i].op == OP_READ &&
			    has_changed(j, more->expr->nodes[i].value))
				return true;
		return false;
	}
	if (!more || !more->reads_given)
		return j->any_changed;
	for (uint32_t i = 0; i < more->read_count; i++)
		if (has_changed(j, more->reads[i]))
			return true;
	return false;
}

static bool look_up(void *context, uint64_t read, int64_t *value)
{
	const struct judge *j = context;

	*value = (int64_t)j->is->read[j->seen->op[read - 1]];
	return !j->is->skipped[j->seen->op[read - 1]];
}

/* False: not known. */
static bool value_now(struct judge *j, const struct event *e, int64_t recorded, int64_t *value)
{
	*value = recorded;
	if (!depends_on_change(j, e->more))
		return true;
	return e->more && e->more->expr && expr_value(e->more->expr, look_up, j, value);
}

static unsigned way_of(uint64_t value)
{
	return value == 1 || (value >= 3 && value <= 5) ? 1
	       : value == 2				? 2
	       : value >= 250 && value <= 255		? 3
							: 0;
}

/* The arm of this branch is skipped. */
static bool passes_arm(const struct judge *j, uint32_t op)
{
	return j->p->at[op].kind == OP_IS_BRANCH && j->p->at[op].end &&
	       !j->was->value[op] != !j->is->value[op];
}

/* The thread goes on behind these operations: their addresses and decisions are as they were. */
static void pass(struct judge *j, uint32_t end)
{
	for (; j->next < end; j->next++) {
		const struct value_op *op = &j->p->at[j->next];
		uint64_t was = j->was->value[j->next], is = j->is->value[j->next];

		if (passes_arm(j, j->next)) {
			ASSERT(op->end <= end || end == j->next + 1);
			j->next = op->end - 1;
			continue;
		}
		if (op->address_from != NO_OP)
			ASSERT_EQ(j->was->value[op->address_from], j->is->value[op->address_from]);
		if (op->kind == OP_IS_BRANCH)
			ASSERT_EQ(!was, !is);
		if (op->kind == OP_IS_SWITCH)
			ASSERT_EQ(way_of(was), way_of(is));
	}
}

static bool address_changes(const struct judge *j, const struct event *e)
{
	for (uint32_t i = 0; e->more && i < e->more->at_count; i++)
		if (has_changed(j, e->more->at[i]))
			return true;
	return false;
}

/* What has an expression all the way says so. */
static void judge_exactness(struct judge *j, const struct event *e, int op)
{
	const struct event_more *more = e->more;

	j->expressions += more && more->expr;
	j->sets += more && more->reads_given && more->read_count;
	if (j->was->exact[op] && !(more && more->expr))
		ASSERT(more && more->reads_given && !more->read_count);
}

/* False: the thread can go no further. */
static bool judge_event(struct judge *j, const struct event *e, int op)
{
	int64_t value;

	if (e->kind == EV_BRANCH) {
		if (op != NO_OP)
			pass(j, (uint32_t)op);
		if (!value_now(j, e, 1, &value) || (!value && !(e->more && e->more->scope)))
			return false;
		if (op != NO_OP && e->more && e->more->scope) {
			ASSERT_EQ(!value, passes_arm(j, (uint32_t)op));
			j->skip = value ? 0 : e->more->scope;
			j->skipped += !value;
		}
		if (op != NO_OP)
			pass(j, (uint32_t)op + 1);
	} else if (e->kind == EV_READ || e->kind == EV_WRITE) {
		pass(j, (uint32_t)op);
		if (address_changes(j, e))
			return false;
		pass(j, (uint32_t)op + 1);
	}
	if (e->kind == EV_READ)
		j->any_changed |= j->was->read[op] != j->is->read[op];
	if (e->kind == EV_WRITE && value_now(j, e, e->value, &value))
		ASSERT_EQ(value_cut((uint64_t)value, j->p->at[op].size), j->is->value[op]);
	return true;
}

static uint32_t judge(struct judge *j)
{
	const struct batch *batch = &j->seen->batch;

	for (size_t i = 0; i < batch->n; i++) {
		const struct event *e = &batch->at[i];
		int op = j->seen->op[i];

		if (e->thread != 1)
			continue;
		ASSERT(op == NO_OP || j->skip == 0 || j->is->skipped[op]);
		if (j->skip) {
			j->skip--;
			j->any_changed |= e->kind == EV_READ;
			continue;
		}
		ASSERT(op == NO_OP || !j->is->skipped[op]);
		if ((e->kind == EV_BRANCH || e->kind == EV_WRITE) && op != NO_OP)
			judge_exactness(j, e, op);
		if (!judge_event(j, e, op))
			return j->next;
	}
	pass(j, j->p->n);
	return j->next;
}

static void check_trace(const struct bytes *bytes)
{
	struct err err = {0};
	struct reader *r = reader_open_memory(bytes->at, bytes->n, "made", NULL, &err);
	uint64_t events;

	if (check_reader(r, &events, &err) < 0)
		FAIL("%s", err.message);
	reader_close(r);
}

TAP_CASE(values_are_what_the_program_computes)
{
	uint64_t expressions = 0, sets = 0, passed = 0, all = 0, skipped = 0;

	for (uint64_t seed = 1; seed <= TAP_PART(4000); seed++) {
		struct random r = random_seeded(seed + 77);
		struct value_program *p = value_program_make(seed);
		struct value_outcome *was = mem_alloc_zero(1, sizeof(*was));
		struct value_outcome *is = mem_alloc_zero(1, sizeof(*is));
		struct value_log *l = mem_alloc_zero(1, sizeof(*l));
		struct seen *seen = mem_alloc_zero(1, sizeof(*seen));

		tap_at("seed %llu", (unsigned long long)seed);
		value_program_draw(p, was, &r, 100);
		value_program_run(p, was);
		value_log_run(l, p, was);
		struct bytes bytes = value_log_merge(l);

		check_trace(&bytes);
		open_trace(seen, &bytes);
		for (int round = 0; round < 24; round++) {
			struct judge j = {.p = p, .was = was, .is = is, .seen = seen};

			memset(is, 0, sizeof(*is));
			memcpy(is->read, was->read, sizeof(is->read));
			is->like = was;
			value_program_draw(p, is, &r, round % 3 ? 3 : 30);
			value_program_run(p, is);
			passed += judge(&j);
			all += p->n;
			expressions += j.expressions;
			sets += j.sets;
			skipped += j.skipped;
		}
		reader_close(seen->reader);
		bytes_release(&bytes);
		mem_free(seen);
		mem_free(l);
		mem_free(is);
		mem_free(was);
		mem_free(p);
	}
	tap_note("%llu expressions, %llu sets; %llu of %llu operations passed, %llu arms skipped",
		 (unsigned long long)expressions, (unsigned long long)sets,
		 (unsigned long long)passed, (unsigned long long)all, (unsigned long long)skipped);
	ASSERT(expressions > sets && sets && passed > all / 4 && skipped > TAP_PART(1000));
}

/* Loops: they add up what they read, in a local variable, by values that are told. */

#define SUM_AT (OWN + 8)

struct sum {
	struct value_log l;
	uint32_t read, add, store, load, branch;
	uint64_t sum;
};

static uint32_t add_plain_site(struct value_log *l, uint8_t kind, uint8_t values, const char *text)
{
	struct site site = {.kind = kind,
			    .flags = SITE_EXACT,
			    .values = values,
			    .line = (uint32_t)l->sites.n + 1,
			    .file = value_log_text(l, "t.c"),
			    .expression = text ? value_log_text(l, text) : 0};

	vec_push(&l->sites, site);
	return (uint32_t)l->sites.n;
}

static void start_sum(struct sum *s, bool told)
{
	memset(s, 0, sizeof(*s));
	value_log_start(&s->l);
	s->read = add_plain_site(&s->l, SITE_READ, 0, NULL);
	s->add = add_plain_site(&s->l, SITE_VALUE, 2, told ? "(+ %0 %1)" : NULL);
	s->store = add_plain_site(&s->l, SITE_WRITE, 1, "%0");
	s->load = add_plain_site(&s->l, SITE_READ, 0, NULL);
	s->branch = add_plain_site(&s->l, SITE_BRANCH, 1, "(> %0 7)");
	value_log_access(&s->l, 1, LOG_WRITE, s->store, SUM_AT, 8, &s->sum);
}

static uint64_t here(const struct sum *s)
{
	return s->l.run->files[1].words.n;
}

/* The position of the next record, if it has so many words and those of a dependence before it. */
static void put_told(struct sum *s, uint8_t kind, uint32_t site, uint64_t on)
{
	value_log_room(s->l.run, 1, 8);
	uint64_t word = LOG_WORD(kind, site, here(s) - on);

	value_log_words(&s->l, 1, &word, 1);
}

static uint64_t put_load(struct sum *s)
{
	value_log_room(s->l.run, 1, 8);
	uint64_t position = here(s);

	value_log_access(&s->l, 1, LOG_READ, s->load, SUM_AT, 8, &s->sum);
	return position;
}

static void add_up(struct sum *s, uint64_t value)
{
	value_log_room(s->l.run, 1, 24);
	uint64_t read = here(s), load, told;

	value_log_access(&s->l, 1, LOG_READ, s->read, SHARED + 24, 8, &value);
	load = put_load(s);
	value_log_depend(&s->l, 1, read);
	told = here(s);
	put_told(s, LOG_VALUE, s->add, load);
	s->sum += value;
	value_log_depend(&s->l, 0, told);
	value_log_access(&s->l, 1, LOG_WRITE, s->store, SUM_AT, 8, &s->sum);
}

struct told {
	uint64_t branches, expressions, sets;
	uint64_t largest;      /* of either: reads */
	uint64_t last, latest; /* of the last one: reads, and which is the latest of them */
};

static uint64_t reads_of(const struct expr *e)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < e->count; i++)
		n += e->nodes[i].op == OP_READ;
	return n;
}

static uint64_t latest_of(const struct expr *e)
{
	uint64_t latest = 0;

	for (uint32_t i = 0; i < e->count; i++)
		if (e->nodes[i].op == OP_READ && e->nodes[i].value > latest)
			latest = e->nodes[i].value;
	return latest;
}

static void count_branches(const struct bytes *bytes, struct told *told)
{
	struct err err = {0};
	struct reader *r = reader_open_memory(bytes->at, bytes->n, "made", NULL, &err);
	struct batch batch;

	memset(told, 0, sizeof(*told));
	while (reader_next(r, &batch, &err) > 0)
		for (size_t i = 0; i < batch.n; i++) {
			const struct event_more *more = batch.at[i].more;
			uint64_t n = more && more->expr		 ? reads_of(more->expr)
				     : more && more->reads_given ? more->read_count
								 : 0;

			if (batch.at[i].kind != EV_BRANCH)
				continue;
			told->branches++;
			told->expressions += more && more->expr;
			told->sets += n && !more->expr;
			told->largest = n > told->largest ? n : told->largest;
			told->last = n;
			told->latest = more && more->expr ? latest_of(more->expr) : 0;
		}
	reader_close(r);
}

/* How the branches of a loop come out, with so many between two of them. */
static size_t sum_loop(uint32_t rounds, uint32_t between, bool told_how, struct told *told)
{
	struct sum *s = mem_alloc(sizeof(*s));

	start_sum(s, told_how);
	for (uint32_t i = 1; i <= rounds; i++) {
		add_up(s, i % 3);
		if (i % between == 0)
			put_told(s, LOG_BRANCH, s->branch, put_load(s));
	}
	value_log_end(&s->l);
	struct bytes bytes = value_log_merge(&s->l);
	size_t size = bytes.n;

	check_trace(&bytes);
	count_branches(&bytes, told);
	bytes_release(&bytes);
	mem_free(s);
	return size;
}

TAP_CASE(a_sum_of_many_reads_is_exact)
{
	struct told told;

	sum_loop(10000, 10000, true, &told);
	ASSERT_EQ(told.expressions, 1);
	ASSERT_EQ(told.largest, 10000);
	sum_loop(10000, 10000, false, &told);
	ASSERT_EQ(told.sets, 1);
	ASSERT_EQ(told.largest, 10000);
}

TAP_CASE(a_branch_in_every_round_is_not_quadratic)
{
	struct told few, many;
	size_t small = sum_loop(5000, 1, true, &few), large = sum_loop(50000, 1, true, &many);

	tap_note("%zu and %zu bytes; %llu of %llu and %llu of %llu with expressions", small, large,
		 (unsigned long long)few.expressions, (unsigned long long)few.branches,
		 (unsigned long long)many.expressions, (unsigned long long)many.branches);
	ASSERT(large < 15 * small);
	ASSERT(many.expressions > many.branches / 2);
}

/* So many that those are collected which nobody needs; what was kept before is still there. */
TAP_CASE(what_is_not_needed_is_forgotten)
{
	struct sum *s = mem_alloc(sizeof(*s));
	struct told told;
	uint64_t kept = 0, zero = 0;

	start_sum(s, true);
	for (uint32_t i = 1; i <= 300000; i++) {
		if (i == 1000) {
			kept = s->sum;
			value_log_depend(&s->l, 0, put_load(s));
			value_log_access(&s->l, 1, LOG_WRITE, s->store, SUM_AT + 64, 8, &kept);
		}
		if (i % 30 == 0)
			put_told(s, LOG_BRANCH, s->branch, put_load(s));
		if (i % 30 == 0)
			value_log_access(&s->l, 1, LOG_WRITE, s->store, SUM_AT, 8, &zero);
		s->sum = i % 30 ? s->sum : 0;
		add_up(s, i % 3);
	}
	value_log_room(s->l.run, 1, 8);
	uint64_t load = here(s);

	value_log_access(&s->l, 1, LOG_READ, s->load, SUM_AT + 64, 8, &kept);
	put_told(s, LOG_BRANCH, s->branch, load);
	value_log_end(&s->l);
	struct bytes bytes = value_log_merge(&s->l);

	count_branches(&bytes, &told);
	ASSERT_EQ(told.branches, 10001);
	ASSERT_EQ(told.expressions, 10001);
	ASSERT_EQ(told.largest, 30);
	ASSERT_EQ(told.last, 10);
	ASSERT(told.latest > 2000 && told.latest < 2100); /* an `external` before each read */
	bytes_release(&bytes);
	mem_free(s);
}

/* Values that nobody asks for while the thread has read nothing; then one of them is asked for. */
TAP_CASE(values_that_were_passed_by_are_known)
{
	struct sum *s = mem_alloc(sizeof(*s));
	struct told told;
	uint64_t last = 0, one = 1, sum = 0;

	start_sum(s, true);
	for (uint32_t i = 0; i < 900; i++) {
		uint64_t load = put_load(s);

		value_log_depend(&s->l, 1, load);
		last = last ? last : load;
		uint64_t told_at = here(s);

		put_told(s, LOG_VALUE, s->add, last);
		last = told_at;
		sum = i ? sum + s->sum : 2 * s->sum;
		value_log_access(&s->l, 1, LOG_WRITE, s->store, SUM_AT, 8, &one);
		s->sum = one;
	}
	value_log_room(s->l.run, 1, 24);
	uint64_t read = here(s);

	value_log_access(&s->l, 1, LOG_READ, s->read, SHARED + 24, 8, &one);
	value_log_depend(&s->l, 1, last);
	uint64_t both = here(s);

	put_told(s, LOG_VALUE, s->add, read);
	put_told(s, LOG_BRANCH, s->branch, both);
	value_log_end(&s->l);
	struct bytes bytes = value_log_merge(&s->l);

	count_branches(&bytes, &told);
	ASSERT(s->l.passed > 3000);
	ASSERT_EQ(told.expressions, 1);
	ASSERT_EQ(told.last, 1);
	ASSERT_EQ(sum, 899);
	bytes_release(&bytes);
	mem_free(s);
}

/* Arms: what may be in one, and where a branch governs all that follows. */

#define OBJECT_OF(kind) (0x700000u + 64 * ((kind) == LOG_SEM_POST))

struct arms_log {
	struct value_log l;
	uint64_t read, open[8];
	unsigned n;
};

static void put_call(struct arms_log *a, uint8_t kind)
{
	uint32_t *version = &a->l.versions[log_shard(OBJECT_OF(kind))];
	uint64_t words[4] = {LOG_WORD(kind, 1, *version), OBJECT_OF(kind), 0, 0};

	*version += 2;
	value_log_words(&a->l, 1, words, 3);
}

static void put_arm(struct arms_log *a, uint8_t kind, uint32_t site, uint64_t to)
{
	uint64_t word = LOG_WORD(kind, site, a->l.run->files[1].words.n - to);

	value_log_words(&a->l, 1, &word, 1);
}

/* A letter a record, of sites 1 (a read), 2 (a branch), 3 (a write). */
static void put_letter(struct arms_log *a, char letter)
{
	uint64_t value = 5, handler[2] = {LOG_WORD(LOG_HANDLER, 0, 0), 10};
	uint64_t mode[1] = {LOG_WORD(LOG_STATE, 0, 0)};
	uint64_t position = a->l.run->files[1].words.n;

	switch (letter) {
	case 'r':
		a->read = position;
		value_log_access(&a->l, 1, LOG_READ, 1, SHARED + 24, 8, &value);
		break;
	case '(':
		a->open[a->n++] = position;
		put_arm(a, LOG_BRANCH, 2, a->read);
		break;
	case ')': put_arm(a, LOG_REJOIN, 0, a->open[--a->n]); break;
	case '^': a->n--; break; /* it is left in another way */
	case 'w': value_log_access(&a->l, 1, LOG_WRITE, 3, SHARED + 56, 8, &value); break;
	case 'p': value_log_access(&a->l, 1, LOG_WRITE, 3, OWN, 8, &value); break;
	case 'L': put_call(a, LOG_ACQUIRE); break;
	case 'U': put_call(a, LOG_RELEASE); break;
	case 's': put_call(a, LOG_SEM_POST); break;
	case 'h': value_log_words(&a->l, 1, handler, 2); break;
	case 'm': value_log_words(&a->l, 1, mode, 1); break;
	default: FAIL("no letter: %c", letter);
	}
}

/* What its branches govern, in their order; '-' for one that says nothing. */
static void arms_of(const char *letters, char *to)
{
	struct arms_log *a = mem_alloc_zero(1, sizeof(*a));

	value_log_start(&a->l);
	add_plain_site(&a->l, SITE_READ, 0, NULL);
	add_plain_site(&a->l, SITE_BRANCH, 1, "(> %0 3)");
	add_plain_site(&a->l, SITE_WRITE, 0, NULL);
	a->l.sites.at[1].flags |= SITE_ARM;
	for (; *letters; letters++)
		put_letter(a, *letters);
	value_log_end(&a->l);
	struct bytes bytes = value_log_merge(&a->l);
	struct seen *seen = mem_alloc_zero(1, sizeof(*seen));

	check_trace(&bytes);
	open_trace(seen, &bytes);
	for (size_t i = 0; i < seen->batch.n; i++) {
		const struct event *e = &seen->batch.at[i];

		if (e->kind == EV_BRANCH && seen->op[i] != NO_OP)
			*to++ = (char)(e->more->expr ? '0' + e->more->scope : '-');
	}
	*to = '\0';
	reader_close(seen->reader);
	bytes_release(&bytes);
	mem_free(seen);
	mem_free(a);
}

TAP_CASE(a_branch_governs_its_arm_or_all)
{
	static const char *const cases[][2] = {
		{"r(w)w", "1"},
		{"r(www)w", "3"},
		{"r(p)w", "1"}, /* a step that is dropped is told of in the arm */
		{"r()w", "-"},
		{"r(LwU)w", "3"},
		{"r(Lw)Uw", "0"}, /* the lock is held behind it */
		{"Lr(U)LUw", "0"},
		{"r(L(U)w)w", "40"}, /* likewise, but not of the outer one */
		{"r(w(w)w)w", "41"},
		{"r((w))w", "21"},
		{"r((w^)w", "20"}, /* the inner one has no end */
		{"r(w^w", "0"},
		{"r(ws)w", "0"}, /* of what others wait for nothing is skipped */
		{"r(w(s)w)w", "00"},
		{"r(ws(w)w)w", "01"},
		{"r(wh)w", "0"}, /* a handler ran */
		{"r(mw)w", "0"}, /* the thread rounds in another way behind it */
		{"r(w(m)w)w", "00"},
		{"r(w)(w)w", "11"},
	};
	char got[20];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		tap_at("%s", cases[i][0]);
		arms_of(cases[i][0], got);
		if (strcmp(got, cases[i][1]) != 0)
			FAIL("%s: %s, want %s", cases[i][0], got, cases[i][1]);
	}
}
