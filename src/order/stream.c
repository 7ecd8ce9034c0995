/* SPDX-License-Identifier: MIT */
#include "order/nominate.h"
#include "order/records.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define COLLECT_EVENTS 32768
#define REUSE_FROM 64
#define LINES_CACHED ((uint64_t)1 << 20)
#define TABLES_CACHED ((uint64_t)4 << 20)
#define PREFETCH_NEXT 5
#define PREFETCH_NEAR 12
#define PREFETCH_FAR 26

/* A site has classes of its own for so many sets of locks and kinds of access, unless told. */
#define SITE_CLASSES 2

/* The last class of a location: most are always reached with the same locks. */
struct class_memo {
	uint32_t lockset, class; /* class 0: none */
};

/* The last class of an event without a location, one of those with the same place. */
struct unlocated_memo {
	uint32_t thread, object, kind; /* + 1 */
	struct class_memo memo;
};

#define UNLOCATED_MEMOS ((size_t)1 << 16)

/* One order at work, with a front of its own. */
struct lane {
	const struct reader *reader;
	struct front front;
	struct order *order;
	struct nominator nominator;
	struct records records; /* if the order settles */
	double seconds;
	uint64_t in_window, since_collect;
	bool direct;		      /* accesses mean nothing to the order, but for nomination */
	struct intern sites;	      /* of struct site_key */
	VEC(uint32_t) location_sites; /* site + 1 */
	VEC(uint8_t) site_classes;    /* of each site, how many */
	VEC(struct class_memo) memos; /* by location and whether it writes */
	VEC(struct unlocated_memo) unlocated;
};

struct site_key {
	uint32_t location; /* and nothing else, or 0 */
	uint32_t thread, kind, object;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint32_t site_of(struct lane *l, const struct event *e)
{
	struct site_key key = {.location = e->location};

	if (e->location) {
		vec_extend(&l->location_sites, (size_t)e->location + 1);
		uint32_t *site = &l->location_sites.at[e->location];

		if (!*site)
			*site = intern_add(&l->sites, (const char *)&key, sizeof(key)) + 1;
		return *site - 1;
	}
	key = (struct site_key){0, e->thread, e->kind, e->object};
	return intern_add(&l->sites, (const char *)&key, sizeof(key));
}

static inline size_t memo_place(uint32_t location, uint32_t flags)
{
	return 2 * (size_t)location + (flags & CLASS_WRITES);
}

/* What the site was reached with so far decides whether it gets one more class. */
static struct class_memo class_at(struct lane *l, const struct actor *t, const struct event *e,
				  uint32_t flags)
{
	struct signatures *s = &l->nominator.signatures;
	struct class_facts facts = {site_of(l, e), t->lockset, e->location ? 0 : e->thread + 1};
	size_t known = s->facts.n;

	vec_extend(&l->site_classes, (size_t)facts.site + 1);
	uint8_t *classes = &l->site_classes.at[facts.site];

	if (*classes == l->order->limits.site_classes) {
		facts.lockset = LOCKSET_ANY;
		if (l->order->kind->locksets != LOCKSETS_FOLLOW)
			flags |= CLASS_MIXED;
	}
	uint32_t class = signatures_class(s, &facts, flags);

	if (facts.lockset != LOCKSET_ANY && s->facts.n > known)
		++*classes;
	return (struct class_memo){facts.lockset, class};
}

static inline bool is_of(struct class_memo memo, const struct actor *t, uint32_t flags)
{
	return memo.class && (memo.lockset == t->lockset || memo.lockset == LOCKSET_ANY) &&
	       (memo.class & CLASS_FLAGS & ~CLASS_MIXED) == flags;
}

static uint32_t unlocated_class(struct lane *l, const struct actor *t, const struct event *e,
				uint32_t flags)
{
	uint64_t key = (uint64_t)e->object << 32 | e->thread << 8 | e->kind;

	vec_extend(&l->unlocated, UNLOCATED_MEMOS);
	struct unlocated_memo *m = &l->unlocated.at[keyed_hash(key) % UNLOCATED_MEMOS];

	if (m->thread != e->thread || m->object != e->object || m->kind != e->kind + 1u ||
	    !is_of(m->memo, t, flags))
		*m = (struct unlocated_memo){e->thread, e->object, e->kind + 1u,
					     class_at(l, t, e, flags)};
	return m->memo.class;
}

static __attribute__((noinline)) uint32_t new_class(struct lane *l, const struct actor *t,
						    const struct event *e, uint32_t flags)
{
	if (!e->location)
		return unlocated_class(l, t, e, flags);
	struct class_memo memo = class_at(l, t, e, flags);

	vec_extend(&l->memos, memo_place(e->location + 1, 0));
	l->memos.at[memo_place(e->location, flags)] = memo;
	return memo.class;
}

static inline uint32_t class_of(struct lane *l, const struct actor *t, const struct event *e,
				uint32_t flags)
{
	size_t place = memo_place(e->location, flags);

	if (place < l->memos.n && is_of(l->memos.at[place], t, flags))
		return l->memos.at[place].class;
	return new_class(l, t, e, flags);
}

static void on_access(void *context, const struct actor *t, const struct event *e,
		      uint32_t variable, uint64_t number, bool atomic)
{
	struct lane *l = context;
	uint32_t flags = (event_is(e, EV_STORES) ? CLASS_WRITES : 0) | (atomic ? CLASS_ATOMIC : 0);

	nominate_access(&l->nominator, t, variable, class_of(l, t, e, flags), number);
}

/* The same for orders that settle. */
static void record_access(void *context, const struct actor *t, const struct event *e,
			  uint32_t variable, uint64_t number, bool atomic)
{
	struct lane *l = context;

	records_add(&l->records, &l->front, l->order, t, e, variable, number, site_of(l, e),
		    atomic);
}

static bool nominate_record(void *context, const struct record *a, const struct record *b)
{
	signatures_add(context, a->site, b->site, a->number, b->number);
	return true;
}

static void settle(struct lane *l)
{
	if (!l->order->kind->settle)
		return;
	uint64_t bytes = records_bytes(&l->records);

	if (bytes > l->order->bytes)
		l->order->bytes = bytes;
	l->order->kind->settle(l->order, &l->records);
	records_compare(&l->records, &l->front, nominate_record, &l->nominator.signatures);
	records_clear(&l->records);
}

/* Can only such threads still start that others fork? Not known if the trace does not tell. */
static bool all_started(const struct lane *l)
{
	size_t n;
	const uint32_t *roots = reader_roots(l->reader, &n);

	for (size_t i = 0; roots && i < n; i++)
		if (roots[i] >= l->front.slot_of.n || !l->front.slot_of.at[roots[i]])
			return false;
	return roots;
}

/* The class that the event will most likely be of; 0: not known. */
static inline uint32_t expected_class(const struct lane *l, const struct event *e)
{
	size_t place = memo_place(e->location, e->kind == EV_WRITE ? CLASS_WRITES : 0);

	return place < l->memos.n ? l->memos.at[place].class : 0;
}

/*
 * What events after this one will need; wrong guesses do no harm. Were it not always inlined, gcc
 * would drop it: it thinks that a function which prefetches has no effect.
 */
static inline __attribute__((always_inline)) void prefetch(const struct lane *l,
							   const struct event *e)
{
	const struct event *next = e + PREFETCH_NEXT, *near = e + PREFETCH_NEAR,
			   *far = e + PREFETCH_FAR;
	const struct nominator *n = &l->nominator;

	__builtin_prefetch(nominate_looks_at(n, far->object));
	/* what is small stays in the cache */
	if (n->memory.lines.used > LINES_CACHED)
		__builtin_prefetch(nominate_looks_then(n, near->object, expected_class(l, near)));
	if (n->memory.tables.used > TABLES_CACHED && next->thread < l->front.slot_of.n)
		__builtin_prefetch(nominate_looks_last(n, next->object, expected_class(l, next),
						       l->front.slot_of.at[next->thread] - 1));
}

/* As front_step would, but most often without a call. */
static inline void step(struct lane *l, const struct event *e, uint64_t number)
{
	struct actor *t = l->direct ? front_plain(&l->front, e) : NULL;
	uint32_t flags = e->kind == EV_WRITE ? CLASS_WRITES : 0;

	if (!t) {
		front_step(&l->front, e, number);
		return;
	}
	front_is_governed(t);
	nominate_access(&l->nominator, t, e->object, class_of(l, t, e, flags), number);
}

static void run_batch(struct lane *l, const struct batch *batch)
{
	uint64_t window = l->order->kind->settle ? l->order->limits.window : 0;
	double start = now();

	for (size_t i = 0; i < batch->n; i++) {
		if (i + PREFETCH_FAR < batch->n)
			prefetch(l, &batch->at[i]);
		if (window && l->in_window++ == window) {
			settle(l);
			l->in_window = 1;
			l->order->forgot = "what lies more than a window apart";
		}
		step(l, &batch->at[i], batch->first + i);
	}
	l->since_collect += batch->n;
	uint64_t slots = l->front.actors.n, collect = l->order->limits.collect;

	if (l->since_collect >= (collect ? collect : COLLECT_EVENTS + slots * slots / 4)) {
		front_collect(&l->front, all_started(l));
		nominator_collect(&l->nominator, batch->first + batch->n);
		l->since_collect = 0;
	} else if (l->order->kind->collect) {
		l->order->kind->collect(l->order); /* to stay within the limit */
	}
	l->seconds += now() - start;
}

static void finish(struct lane *l)
{
	double start = now();

	settle(l);
	front_collect(&l->front, false); /* it counts what the order holds */
	l->seconds += now() - start;
}

static void lane_init(struct lane *l, const struct order_kind *kind,
		      const struct order_limits *limits, const struct reader *r)
{
	l->reader = r;
	l->order = order_new(kind, limits);
	if (!limits->site_classes)
		l->order->limits.site_classes = SITE_CLASSES;
	front_init(&l->front, reader_symbols(r), l->order);
	l->front.accessed = kind->settle ? record_access : on_access;
	l->front.context = l;
	l->direct = !kind->settle && !kind->access;
	l->front.reuse_from = REUSE_FROM;
	nominator_init(&l->nominator, &l->front, l->order);
}

static const struct site_key *site_key(const struct lane *l, uint32_t site)
{
	return (const void *)l->sites.strings.at[site].text;
}

/* Only a site without a location goes by names. */
static bool needs_names(const struct lane *l)
{
	const struct signatures *all = &l->nominator.signatures;

	for (size_t s = 0; s < all->all.n; s++)
		for (int k = 0; k < 2; k++)
			if (!site_key(l, all->all.at[s].site[k])->location)
				return true;
	return false;
}

static void put_site(const struct lane *l, uint32_t site, struct intern *sites,
		     const struct symbols *symbols, uint32_t *number)
{
	const struct site_key *key = site_key(l, site);

	if (key->location) {
		const struct interned *text = &symbols->locations.strings.at[key->location];

		*number = intern_add(sites, text->text, text->length);
		return;
	}
	const char *thread = symbols_name(symbols, CLASS_THREAD, key->thread);
	const char *variable = symbols_name(symbols, CLASS_VARIABLE, key->object);
	const char *kind = event_kind_text[key->kind];
	size_t size = strlen(thread) + strlen(kind) + strlen(variable) + 3;
	char *text = mem_alloc(size);

	snprintf(text, size, "%s %s %s", thread, kind, variable);
	*number = intern_add(sites, text, size - 1);
	mem_free(text);
}

static int compare_signatures(const void *a, const void *b)
{
	const struct signature *x = a, *y = b;

	if (x->first.b != y->first.b)
		return x->first.b < y->first.b ? -1 : 1;
	return x->first.a < y->first.a ? -1 : x->first.a > y->first.a;
}

static void make_report(struct lane *l, struct order_report *report)
{
	const struct signatures *all = &l->nominator.signatures;
	struct order *o = l->order;

	memset(report, 0, sizeof(*report));
	report->kind = o->kind;
	report->seconds = l->seconds;
	report->forgot = o->forgot		      ? o->forgot
			 : l->nominator.memory.unsure ? "sets of locks, beside accesses under many"
						      : NULL;
	report->bytes = o->bytes + nominator_bytes(&l->nominator);
	for (size_t s = 0; s < all->all.n; s++) {
		struct signature signature = all->all.at[s];

		for (int k = 0; k < 2; k++)
			put_site(l, all->all.at[s].site[k], &report->sites, l->front.symbols,
				 &signature.site[k]);
		if (signature.site[0] > signature.site[1]) {
			uint32_t swap = signature.site[0];

			signature.site[0] = signature.site[1];
			signature.site[1] = swap;
		}
		vec_push(&report->signatures, signature);
	}
	if (report->signatures.n)
		qsort(report->signatures.at, report->signatures.n, sizeof(*report->signatures.at),
		      compare_signatures);
}

static void lane_release(struct lane *l)
{
	nominator_release(&l->nominator);
	records_release(&l->records);
	order_free(l->order);
	front_release(&l->front);
	intern_release(&l->sites);
	vec_release(&l->location_sites);
	vec_release(&l->site_classes);
	vec_release(&l->memos);
	vec_release(&l->unlocated);
}

/* The lanes, and the batch that they all go through before the next is read. */
struct pass {
	struct lane *lanes;
	size_t count;
	struct batch batch;
	pthread_barrier_t start, done;
	bool stop;
};

/* Every other lane: neighbours in the table of orders cost about the same. */
static void run_lanes(struct pass *p, size_t first, size_t step)
{
	for (size_t i = first; i < p->count; i += step)
		run_batch(&p->lanes[i], &p->batch);
}

static void *help(void *context)
{
	struct pass *p = context;

	for (;;) {
		pthread_barrier_wait(&p->start);
		if (p->stop)
			return NULL;
		run_lanes(p, 1, 2);
		pthread_barrier_wait(&p->done);
	}
}

static int read_alone(struct pass *p, struct reader *r, struct err *err)
{
	int got;

	while ((got = reader_next(r, &p->batch, err)) > 0)
		run_lanes(p, 0, 1);
	return got;
}

static int read_helped(struct pass *p, struct reader *r, struct err *err)
{
	pthread_t helper;
	int got;

	pthread_barrier_init(&p->start, NULL, 2);
	pthread_barrier_init(&p->done, NULL, 2);
	if (pthread_create(&helper, NULL, help, p) != 0) {
		got = read_alone(p, r, err);
	} else {
		while ((got = reader_next(r, &p->batch, err)) > 0) {
			pthread_barrier_wait(&p->start);
			run_lanes(p, 0, 2);
			pthread_barrier_wait(&p->done);
		}
		p->stop = true;
		pthread_barrier_wait(&p->start);
		pthread_join(helper, NULL);
	}
	pthread_barrier_destroy(&p->start);
	pthread_barrier_destroy(&p->done);
	return got;
}

int order_stream(struct reader *r, const struct order_kind *const *kinds, size_t n,
		 const struct order_limits *limits, struct order_report *reports, struct err *err)
{
	struct pass pass = {.lanes = mem_alloc_zero(n, sizeof(*pass.lanes)), .count = n};

	for (size_t i = 0; i < n; i++)
		lane_init(&pass.lanes[i], kinds[i], limits, r);
	reader_skip_values(r);
	int code = n > 1 ? read_helped(&pass, r, err) : read_alone(&pass, r, err);

	for (size_t i = 0; i < n; i++) {
		finish(&pass.lanes[i]);
		if (!code && needs_names(&pass.lanes[i]))
			code = reader_names(r, err);
	}
	for (size_t i = 0; i < n; i++) {
		if (!code)
			make_report(&pass.lanes[i], &reports[i]);
		lane_release(&pass.lanes[i]);
	}
	mem_free(pass.lanes);
	return code;
}

void order_report_release(struct order_report *report)
{
	vec_release(&report->signatures);
	intern_release(&report->sites);
}
