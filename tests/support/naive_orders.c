/* SPDX-License-Identifier: MIT */
#include "tests/support/naive_orders.h"

#include "trace/expr.h"

#define BITS 64

const char *const naive_order_text[NAIVE_COUNT] = {
#define NAIVE_ROW(name, text) text,
	NAIVE_ORDERS(NAIVE_ROW)
#undef NAIVE_ROW
};

/*
 * A critical section. That of an atomic access is the access alone: acquire, release and all
 * there is in between.
 */
struct section {
	uint32_t lock; /* those of variables come after all others */
	uint32_t acquire;
	uint32_t release; /* 0: it is never left */
	uint32_t last;	  /* the release, or the thread's last event */
	bool shared;
	uint32_t times; /* how often the thread holds it shared, while the section is found */
};

/* CS1 and CS2 of the definitions. */
struct section_pair {
	const struct section *one, *two;
};

struct naive_orders {
	const struct index *index;
	size_t words; /* of one row */
	/* one row of bits for each event: what comes after it */
	uint64_t *after[NAIVE_COUNT + 1];
	VEC(struct section) sections;
	VEC(struct section_pair) pairs;
};

/* Events */

static const struct event *event_of(const struct naive_orders *o, uint32_t n)
{
	return &o->index->events[n];
}

static bool is_access(const struct event *e)
{
	return e->kind == EV_READ || e->kind == EV_WRITE || e->kind == EV_RMW || e->kind == EV_FREE;
}

static bool is_read(const struct event *e)
{
	return e->kind == EV_READ || e->kind == EV_RMW;
}

static bool is_write(const struct event *e)
{
	return is_access(e) && e->kind != EV_READ;
}

static bool covers(const struct event *e, uint32_t variable)
{
	for (uint32_t i = 0; i < event_part_count(e); i++)
		if (event_part(e, i).variable == variable)
			return true;
	return false;
}

static bool is_atomic(const struct naive_orders *o, const struct event *e, uint32_t variable)
{
	return is_access(e) && e->kind != EV_FREE &&
	       (e->kind == EV_RMW || e->order != ORDER_PLAIN ||
		symbols_variable(o->index->symbols, variable)->flags & VARIABLE_VOLATILE);
}

static bool conflict_on(const struct event *e1, const struct event *e2, uint32_t variable)
{
	return is_access(e1) && is_access(e2) && e1->thread != e2->thread &&
	       (is_write(e1) || is_write(e2)) && covers(e1, variable) && covers(e2, variable);
}

static bool conflict(const struct event *e1, const struct event *e2)
{
	for (uint32_t i = 0; i < event_part_count(e1); i++)
		if (conflict_on(e1, e2, event_part(e1, i).variable))
			return true;
	return false;
}

static uint32_t last_event(const struct naive_orders *o, uint32_t thread)
{
	for (uint32_t n = o->index->count; n; n--)
		if (event_of(o, n)->thread == thread)
			return n;
	return 0;
}

/* Bits */

static uint64_t *row(const struct naive_orders *o, enum naive_order order, uint32_t n)
{
	return o->after[order] + n * o->words;
}

bool naive_before(const struct naive_orders *o, enum naive_order order, uint32_t a, uint32_t b)
{
	return row(o, order, a)[b / BITS] >> b % BITS & 1;
}

/* True if it is new. */
static bool add(struct naive_orders *o, enum naive_order order, uint32_t a, uint32_t b)
{
	bool old = naive_before(o, order, a, b);

	ASSERT(a < b);
	row(o, order, a)[b / BITS] |= (uint64_t)1 << b % BITS;
	return !old;
}

/* All that comes after y in one order comes after x in the other. */
static bool add_row(struct naive_orders *o, enum naive_order to, uint32_t x, enum naive_order from,
		    uint32_t y)
{
	uint64_t *target = row(o, to, x);
	const uint64_t *source = row(o, from, y);
	bool changed = false;

	for (size_t i = 0; i < o->words; i++) {
		changed = changed || source[i] & ~target[i];
		target[i] |= source[i];
	}
	return changed;
}

/* x → y and y → z give x → z */
static bool close_transitively(struct naive_orders *o, enum naive_order order)
{
	bool changed = false;

	for (uint32_t x = o->index->count; x; x--)
		for (uint32_t y = x + 1; y <= o->index->count; y++)
			if (naive_before(o, order, x, y))
				changed = add_row(o, order, x, order, y) || changed;
	return changed;
}

/* x HB y and y → z give x → z; x → y and y HB z give x → z */
static bool compose_with_hb(struct naive_orders *o, enum naive_order order)
{
	bool changed = false;

	for (uint32_t x = o->index->count; x; x--) {
		for (uint32_t y = x + 1; y <= o->index->count; y++) {
			if (naive_before(o, NAIVE_HB, x, y))
				changed = add_row(o, order, x, order, y) || changed;
			if (naive_before(o, order, x, y))
				changed = add_row(o, order, x, NAIVE_HB, y) || changed;
		}
	}
	return changed;
}

/* Sections */

static void open_section(struct naive_orders *o, uint32_t lock, uint32_t acquire, bool shared)
{
	uint32_t thread = event_of(o, acquire)->thread;

	for (size_t i = 0; i < o->sections.n; i++) {
		struct section *s = &o->sections.at[i];

		if (s->lock == lock && event_of(o, s->acquire)->thread == thread && s->times) {
			s->times++;
			return;
		}
	}
	struct section new = {lock, acquire, 0, last_event(o, thread), shared, 1};

	vec_push(&o->sections, new);
}

static void close_section(struct naive_orders *o, uint32_t lock, uint32_t release)
{
	uint32_t thread = event_of(o, release)->thread;

	for (size_t i = 0; i < o->sections.n; i++) {
		struct section *s = &o->sections.at[i];

		if (s->lock == lock && event_of(o, s->acquire)->thread == thread && s->times &&
		    --s->times == 0)
			s->release = s->last = release;
	}
}

static void find_sections(struct naive_orders *o)
{
	uint32_t locks = (uint32_t)symbols_count(o->index->symbols, CLASS_LOCK);

	for (uint32_t n = 1; n <= o->index->count; n++) {
		const struct event *e = event_of(o, n);

		switch (e->kind) {
		case EV_ACQUIRE: open_section(o, e->object, n, false); break;
		case EV_ACQUIRE_SHARED: open_section(o, e->object, n, true); break;
		case EV_WOKEN: open_section(o, e->more->lock, n, false); break;
		case EV_RELEASE:
		case EV_RELEASE_SHARED: close_section(o, e->object, n); break;
		case EV_WAIT: close_section(o, e->more->lock, n); break;
		default: break;
		}
		for (uint32_t i = 0; i < event_part_count(e); i++) {
			uint32_t variable = event_part(e, i).variable;

			if (is_atomic(o, e, variable)) {
				open_section(o, locks + variable, n, false);
				close_section(o, locks + variable, n);
			}
		}
	}
	for (size_t i = 0; i < o->sections.n; i++) {
		for (size_t j = 0; j < o->sections.n; j++) {
			struct section_pair p = {&o->sections.at[i], &o->sections.at[j]};

			if (p.one->lock == p.two->lock && p.one->acquire < p.two->acquire &&
			    event_of(o, p.one->acquire)->thread !=
				    event_of(o, p.two->acquire)->thread &&
			    !(p.one->shared && p.two->shared))
				vec_push(&o->pairs, p);
		}
	}
}

static bool is_in(const struct naive_orders *o, uint32_t n, const struct section *s)
{
	return event_of(o, n)->thread == event_of(o, s->acquire)->thread && n >= s->acquire &&
	       n <= s->last;
}

/* MHB and HB */

static bool same_round(const struct naive_orders *o, uint32_t enter, uint32_t exit)
{
	uint32_t thread = event_of(o, exit)->thread, barrier = event_of(o, exit)->object;
	uint32_t parties = o->index->symbols->barriers.at[barrier].parties;
	uint32_t entered = 0, mine = 0, its = 0;

	/* rounds fill up in trace order; a thread leaves the one that it entered last */
	for (uint32_t n = 1; n < exit; n++) {
		if (event_of(o, n)->kind != EV_BARRIER_ENTER || event_of(o, n)->object != barrier)
			continue;
		if (n == enter)
			its = entered / parties;
		if (event_of(o, n)->thread == thread)
			mine = entered / parties;
		entered++;
	}
	return its == mine;
}

/* The edges from a to a later b, as the tables list them; program order too. */
static bool mhb_edge(const struct naive_orders *o, uint32_t a, uint32_t b)
{
	const struct event *x = event_of(o, a), *y = event_of(o, b);

	if (x->thread == y->thread)
		return true;
	if (x->kind == EV_FORK && x->object == y->thread)
		return true;
	if (y->kind == EV_JOIN && y->object == x->thread)
		return true;
	if (x->kind == EV_FORK && y->kind == EV_JOIN && x->object == y->object)
		return true; /* the thread may have no events */
	if (x->kind == EV_BARRIER_ENTER && y->kind == EV_BARRIER_EXIT && x->object == y->object)
		return same_round(o, a, b);
	if (x->kind == EV_ONCE_END && y->kind == EV_ONCE_PASS && x->object == y->object)
		return true;
	if (y->kind == EV_WOKEN && y->more->by == a)
		return true;
	if (x->kind == EV_ALLOC || x->kind == EV_EXTERNAL)
		for (uint32_t i = 0; i < event_part_count(x); i++)
			if (covers(y, event_part(x, i).variable))
				return true;
	return false;
}

/* An edge of MHB that is none for those who skip what a branch governs. */
static bool leads_into_scope(const struct naive_orders *o, uint32_t a, uint32_t b)
{
	uint32_t passed = 0;

	if (event_of(o, a)->kind != EV_ALLOC && event_of(o, a)->kind != EV_EXTERNAL)
		return false;
	for (uint32_t n = b - 1; n > 0 && event_of(o, a)->thread != event_of(o, b)->thread; n--) {
		if (event_of(o, n)->thread != event_of(o, b)->thread)
			continue;
		if (event_scope(event_of(o, n)) > passed++)
			return true;
	}
	return false;
}

static void find_mhb(struct naive_orders *o)
{
	bool differ = false;

	for (uint32_t a = 1; a <= o->index->count; a++) {
		for (uint32_t b = a + 1; b <= o->index->count; b++) {
			if (!mhb_edge(o, a, b))
				continue;
			add(o, NAIVE_MHB, a, b);
			if (leads_into_scope(o, a, b))
				differ = true;
			else
				add(o, NAIVE_QUICK, a, b);
		}
	}
	while (close_transitively(o, NAIVE_MHB))
		;
	for (uint32_t n = 1; !differ && n <= o->index->count; n++)
		add_row(o, NAIVE_QUICK, n, NAIVE_MHB, n);
	while (differ && close_transitively(o, NAIVE_QUICK))
		;
}

static void include_mhb(struct naive_orders *o, enum naive_order order)
{
	for (uint32_t n = 1; n <= o->index->count; n++)
		add_row(o, order, n, NAIVE_MHB, n);
}

static void find_hb(struct naive_orders *o)
{
	include_mhb(o, NAIVE_HB);
	for (size_t i = 0; i < o->pairs.n; i++)
		add(o, NAIVE_HB, o->pairs.at[i].one->release, o->pairs.at[i].two->acquire);
	for (uint32_t a = 1; a <= o->index->count; a++)
		for (uint32_t b = a + 1; b <= o->index->count; b++)
			if (event_of(o, a)->kind == EV_SEM_POST &&
			    event_of(o, b)->kind == EV_SEM_WAIT &&
			    event_of(o, a)->object == event_of(o, b)->object)
				add(o, NAIVE_HB, a, b);
	while (close_transitively(o, NAIVE_HB))
		;
}

static bool hb_or_same(const struct naive_orders *o, uint32_t a, uint32_t b)
{
	return a == b || naive_before(o, NAIVE_HB, a, b);
}

/* The rules that speak of conflicting accesses e1 and e2 in the sections of a pair */

typedef void conflict_rule(struct naive_orders *o, enum naive_order order, uint32_t r1, uint32_t e1,
			   uint32_t e2);

static void for_conflicts(struct naive_orders *o, enum naive_order order, conflict_rule *rule)
{
	for (size_t i = 0; i < o->pairs.n; i++) {
		const struct section *one = o->pairs.at[i].one, *two = o->pairs.at[i].two;

		for (uint32_t e1 = one->acquire; e1 <= one->last; e1++)
			for (uint32_t e2 = two->acquire; e2 <= two->last; e2++)
				if (is_in(o, e1, one) && is_in(o, e2, two) &&
				    conflict(event_of(o, e1), event_of(o, e2)))
					rule(o, order, one->release, e1, e2);
	}
}

/* wcp, dc: r1→e2 if e1, e2 conflict */
static void order_conflicts(struct naive_orders *o, enum naive_order order, uint32_t r1,
			    uint32_t e1, uint32_t e2)
{
	(void)e1;
	add(o, order, r1, e2);
}

/* sdp: the same if one is a read; else r1→ the first later read of that variable by e2's thread */
static void order_reads(struct naive_orders *o, enum naive_order order, uint32_t r1, uint32_t e1,
			uint32_t e2)
{
	const struct event *x = event_of(o, e1), *y = event_of(o, e2);

	if (is_read(x) || is_read(y)) {
		add(o, order, r1, e2);
		return;
	}
	for (uint32_t i = 0; i < event_part_count(x); i++) {
		uint32_t variable = event_part(x, i).variable;

		for (uint32_t n = e2 + 1; covers(y, variable) && n <= o->index->count; n++) {
			const struct event *e = event_of(o, n);

			if (e->thread == y->thread && is_read(e) && covers(e, variable)) {
				add(o, order, r1, n);
				break;
			}
		}
	}
}

static uint32_t last_writer(const struct naive_orders *o, uint32_t read, uint32_t variable)
{
	for (uint32_t n = read - 1; n; n--) {
		const struct event *e = event_of(o, n);

		if ((is_write(e) || e->kind == EV_EXTERNAL) && covers(e, variable))
			return n;
	}
	return 0;
}

static bool reads_from(const struct naive_orders *o, uint32_t read, uint32_t write)
{
	const struct event *e = event_of(o, read);

	for (uint32_t i = 0; is_read(e) && i < event_part_count(e); i++)
		if (last_writer(o, read, event_part(e, i).variable) == write)
			return true;
	return false;
}

static bool depends_on(const struct event *branch, uint32_t read)
{
	const struct event_more *more = branch->more;

	if (more && more->expr) {
		for (uint32_t i = 0; i < more->expr->count; i++)
			if (more->expr->nodes[i].op == OP_READ &&
			    more->expr->nodes[i].value == read)
				return true;
		return false;
	}
	if (more && more->reads_given) {
		for (uint32_t i = 0; i < more->read_count; i++)
			if (more->reads[i] == read)
				return true;
		return false;
	}
	return true;
}

/* wdp: if e2 reads from e1, r1→ the first later branch of e2's thread that depends on e2 */
static void order_branches(struct naive_orders *o, enum naive_order order, uint32_t r1, uint32_t e1,
			   uint32_t e2)
{
	if (!reads_from(o, e2, e1))
		return;
	for (uint32_t n = e2 + 1; n <= o->index->count; n++) {
		const struct event *e = event_of(o, n);

		if (e->kind == EV_BRANCH && e->thread == event_of(o, e2)->thread &&
		    depends_on(e, e2)) {
			add(o, order, r1, n);
			return;
		}
	}
}

/* The rules that speak of the order itself */

/* r1→r2 if a1→r2 in the order or MHB */
static bool order_releases(struct naive_orders *o, enum naive_order order)
{
	bool changed = false;

	for (size_t i = 0; i < o->pairs.n; i++) {
		const struct section *one = o->pairs.at[i].one, *two = o->pairs.at[i].two;

		if (two->release && (naive_before(o, order, one->acquire, two->release) ||
				     naive_before(o, NAIVE_MHB, one->acquire, two->release)))
			changed = add(o, order, one->release, two->release) || changed;
	}
	return changed;
}

/*
 * sdp: r1→r2 if there are sections CS3, CS4 of one lock (any lock, another pair) with
 * conflicting writes w3, w4 in them, a1 ≤HB r3, r3 before w4 in the trace, and w4 ≤HB r2
 */
static void order_around_writes(struct naive_orders *o, enum naive_order order, uint32_t r3,
				const struct section_pair *writes, uint32_t w4)
{
	for (size_t i = 0; i < o->pairs.n; i++) {
		const struct section *one = o->pairs.at[i].one, *two = o->pairs.at[i].two;

		if (two->release && writes != &o->pairs.at[i] && hb_or_same(o, one->acquire, r3) &&
		    r3 < w4 && hb_or_same(o, w4, two->release))
			add(o, order, one->release, two->release);
	}
}

static void order_pairs_of_writes(struct naive_orders *o, enum naive_order order)
{
	for (size_t i = 0; i < o->pairs.n; i++) {
		const struct section *three = o->pairs.at[i].one, *four = o->pairs.at[i].two;

		for (uint32_t w4 = four->acquire; w4 <= four->last; w4++) {
			bool found = false;

			for (uint32_t w3 = three->acquire; w3 <= three->last; w3++)
				found = found ||
					(is_in(o, w3, three) && is_in(o, w4, four) &&
					 is_write(event_of(o, w3)) && is_write(event_of(o, w4)) &&
					 conflict(event_of(o, w3), event_of(o, w4)));
			if (found)
				order_around_writes(o, order, three->release, &o->pairs.at[i], w4);
		}
	}
}

/* cp: r1→a2 if some e1, e2 conflict, or are ordered by CP or MHB */
static bool order_sections(struct naive_orders *o)
{
	bool changed = false;

	for (size_t i = 0; i < o->pairs.n; i++) {
		const struct section *one = o->pairs.at[i].one, *two = o->pairs.at[i].two;
		bool found = naive_before(o, NAIVE_CP, one->release, two->acquire);

		for (uint32_t e1 = one->acquire; e1 <= one->last && !found; e1++)
			for (uint32_t e2 = two->acquire; e2 <= two->last && !found; e2++)
				found = is_in(o, e1, one) && is_in(o, e2, two) &&
					(conflict(event_of(o, e1), event_of(o, e2)) ||
					 naive_before(o, NAIVE_CP, e1, e2) ||
					 naive_before(o, NAIVE_MHB, e1, e2));
		if (found)
			changed = add(o, NAIVE_CP, one->release, two->acquire) || changed;
	}
	return changed;
}

static void find_cp(struct naive_orders *o)
{
	bool changed;

	do {
		changed = order_sections(o);
		changed = compose_with_hb(o, NAIVE_CP) || changed;
		changed = close_transitively(o, NAIVE_CP) || changed;
	} while (changed);
}

/* wcp and sdp, after their rules about conflicts */
static void compose_and_order_releases(struct naive_orders *o, enum naive_order order)
{
	bool changed;

	do {
		changed = order_releases(o, order);
		changed = compose_with_hb(o, order) || changed;
		changed = close_transitively(o, order) || changed;
	} while (changed);
}

/* dc and wdp, after theirs */
static void close_and_order_releases(struct naive_orders *o, enum naive_order order)
{
	bool changed;

	include_mhb(o, order);
	do {
		changed = order_releases(o, order);
		changed = close_transitively(o, order) || changed;
	} while (changed);
}

/* drc: r1→e2 if a1→e2 and e2 is in CS2 */
static bool order_inside(struct naive_orders *o)
{
	bool changed = false;

	for (size_t i = 0; i < o->pairs.n; i++) {
		const struct section *one = o->pairs.at[i].one, *two = o->pairs.at[i].two;

		for (uint32_t e2 = two->acquire; e2 <= two->last; e2++)
			if (is_in(o, e2, two) && one->release &&
			    naive_before(o, NAIVE_DRC, one->acquire, e2))
				changed = add(o, NAIVE_DRC, one->release, e2) || changed;
	}
	return changed;
}

/* drc: a read→ a later write of its variable, if its last writer, or nothing, → that */
static bool order_writes(struct naive_orders *o, uint32_t read, uint32_t variable)
{
	uint32_t writer = last_writer(o, read, variable);
	bool changed = false;

	for (uint32_t n = read + 1; n <= o->index->count; n++)
		if (is_write(event_of(o, n)) && covers(event_of(o, n), variable) &&
		    (!writer || naive_before(o, NAIVE_DRC, writer, n)))
			changed = add(o, NAIVE_DRC, read, n) || changed;
	return changed;
}

/* drc: a write→ each read from it */
static void order_reads_from(struct naive_orders *o, uint32_t read, uint32_t variable)
{
	uint32_t writer = last_writer(o, read, variable);

	if (writer)
		add(o, NAIVE_DRC, writer, read);
}

static void find_drc(struct naive_orders *o)
{
	bool changed;

	include_mhb(o, NAIVE_DRC);
	for (uint32_t n = 1; n <= o->index->count; n++)
		for (uint32_t i = 0; i < event_part_count(event_of(o, n)); i++)
			if (is_read(event_of(o, n)))
				order_reads_from(o, n, event_part(event_of(o, n), i).variable);
	do {
		changed = order_inside(o);
		for (uint32_t n = 1; n <= o->index->count; n++)
			for (uint32_t i = 0; i < event_part_count(event_of(o, n)); i++)
				if (is_read(event_of(o, n)) &&
				    order_writes(o, n, event_part(event_of(o, n), i).variable))
					changed = true;
		changed = close_transitively(o, NAIVE_DRC) || changed;
	} while (changed);
}

struct naive_orders *naive_orders_new(const struct index *index)
{
	struct naive_orders *o = mem_alloc_zero(1, sizeof(*o));

	o->index = index;
	o->words = index->count / BITS + 1;
	for (int i = 0; i <= NAIVE_COUNT; i++)
		o->after[i] =
			mem_alloc_zero((index->count + (size_t)1) * o->words, sizeof(uint64_t));
	find_sections(o);
	find_mhb(o);
	find_hb(o);
	find_cp(o);
	for_conflicts(o, NAIVE_WCP, order_conflicts);
	compose_and_order_releases(o, NAIVE_WCP);
	for_conflicts(o, NAIVE_SDP, order_reads);
	order_pairs_of_writes(o, NAIVE_SDP);
	compose_and_order_releases(o, NAIVE_SDP);
	for_conflicts(o, NAIVE_DC, order_conflicts);
	close_and_order_releases(o, NAIVE_DC);
	for_conflicts(o, NAIVE_WDP, order_branches);
	close_and_order_releases(o, NAIVE_WDP);
	find_drc(o);
	return o;
}

void naive_orders_free(struct naive_orders *o)
{
	for (int i = 0; i <= NAIVE_COUNT; i++)
		mem_free(o->after[i]);
	vec_release(&o->sections);
	vec_release(&o->pairs);
	mem_free(o);
}

/* Races */

/* They conflict on a variable on which not both are atomic. */
static bool may_race(const struct naive_orders *o, uint32_t a, uint32_t b)
{
	const struct event *x = event_of(o, a), *y = event_of(o, b);

	for (uint32_t i = 0; i < event_part_count(x); i++) {
		uint32_t variable = event_part(x, i).variable;

		if (conflict_on(x, y, variable) &&
		    !(is_atomic(o, x, variable) && is_atomic(o, y, variable)))
			return true;
	}
	return false;
}

/* The locks of variables do not count: they order atomic accesses, and nothing else. */
static bool hold_common_lock(const struct naive_orders *o, uint32_t a, uint32_t b)
{
	for (size_t i = 0; i < o->pairs.n; i++) {
		const struct section *one = o->pairs.at[i].one, *two = o->pairs.at[i].two;

		if (one->lock < symbols_count(o->index->symbols, CLASS_LOCK) &&
		    ((is_in(o, a, one) && is_in(o, b, two)) ||
		     (is_in(o, b, one) && is_in(o, a, two))))
			return true;
	}
	return false;
}

/* For drc, only with something in between. */
static bool is_ordered(const struct naive_orders *o, enum naive_order order, uint32_t a, uint32_t b)
{
	if (order != NAIVE_DRC)
		return naive_before(o, order, a, b) ||
		       (order != NAIVE_QUICK && naive_before(o, NAIVE_MHB, a, b));
	for (uint32_t n = a + 1; n < b; n++)
		if (naive_before(o, order, a, n) && naive_before(o, order, n, b))
			return true;
	return false;
}

struct naive_races naive_races(const struct naive_orders *o, enum naive_order order)
{
	struct naive_races races = {0};

	for (uint32_t a = 1; a <= o->index->count; a++) {
		for (uint32_t b = a + 1; b <= o->index->count; b++) {
			struct naive_pair pair = {a, b};

			if (may_race(o, a, b) && !is_ordered(o, order, a, b) &&
			    !hold_common_lock(o, a, b))
				vec_push(&races.pairs, pair);
		}
	}
	return races;
}
