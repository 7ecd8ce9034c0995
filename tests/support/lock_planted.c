/* SPDX-License-Identifier: MIT */
#include "tests/support/lock_planted.h"

#include "tests/support/predicted.h"
#include "tests/support/random.h"

#include <stdlib.h>
#include <string.h>

/* Items */

static uint32_t place(struct lock_plant *p)
{
	return maker_place(p->m, "%s-%u-%s.c:%u", p->kind->deadlock ? "deadlock" : "near",
			   p->number, p->kind->name, ++p->line);
}

static uint64_t put(struct lock_plant *p, uint32_t thread, enum event_kind kind, uint32_t object)
{
	return maker_put(p->m, thread, kind, object, place(p));
}

static uint32_t name(struct lock_plant *p, enum object_class class, const char *letter)
{
	return maker_name(p->m, class, "%s%u", letter, p->number);
}

static void nest(struct lock_plant *p, uint32_t thread, uint32_t outer, uint32_t inner)
{
	put(p, thread, EV_ACQUIRE, outer);
	put(p, thread, EV_ACQUIRE, inner);
	put(p, thread, EV_RELEASE, inner);
	put(p, thread, EV_RELEASE, outer);
}

static void first_nest(struct lock_plant *p)
{
	nest(p, p->a, p->p, p->q);
}

static void second_nest(struct lock_plant *p)
{
	nest(p, p->b, p->q, p->p);
}

static void close_three(struct lock_plant *p)
{
	nest(p, p->b, p->q, p->r);
	nest(p, p->c, p->r, p->p);
}

static void open_several(struct lock_plant *p)
{
	put(p, p->a, EV_ACQUIRE, p->p);
	nest(p, p->a, p->r, p->q);
	put(p, p->a, EV_RELEASE, p->p);
}

static void open_reader(struct lock_plant *p)
{
	put(p, p->a, EV_ACQUIRE, p->p);
	put(p, p->a, EV_ACQUIRE_SHARED, p->q);
	put(p, p->a, EV_RELEASE_SHARED, p->q);
	put(p, p->a, EV_RELEASE, p->p);
}

static void nest_shared(struct lock_plant *p, uint32_t thread, uint32_t outer, uint32_t inner)
{
	put(p, thread, EV_ACQUIRE_SHARED, outer);
	put(p, thread, EV_ACQUIRE_SHARED, inner);
	put(p, thread, EV_RELEASE_SHARED, inner);
	put(p, thread, EV_RELEASE_SHARED, outer);
}

static void open_readers(struct lock_plant *p)
{
	nest_shared(p, p->a, p->p, p->q);
}

static void close_readers(struct lock_plant *p)
{
	nest_shared(p, p->b, p->q, p->p);
}

static void open_gate(struct lock_plant *p)
{
	put(p, p->a, EV_ACQUIRE, p->gate);
	first_nest(p);
	put(p, p->a, EV_RELEASE, p->gate);
}

static void close_gate(struct lock_plant *p)
{
	put(p, p->b, EV_ACQUIRE, p->gate);
	second_nest(p);
	put(p, p->b, EV_RELEASE, p->gate);
}

static void open_shared_gate(struct lock_plant *p)
{
	put(p, p->a, EV_ACQUIRE_SHARED, p->gate);
	first_nest(p);
	put(p, p->a, EV_RELEASE_SHARED, p->gate);
}

static void close_shared_gate(struct lock_plant *p)
{
	put(p, p->b, EV_ACQUIRE_SHARED, p->gate);
	second_nest(p);
	put(p, p->b, EV_RELEASE_SHARED, p->gate);
}

/* It sleeps with p in its hands, and wants q back when it is woken. */
static void open_woken(struct lock_plant *p)
{
	uint32_t c = name(p, CLASS_CONDITION, "c");

	put(p, p->a, EV_ACQUIRE, p->q);
	put(p, p->a, EV_ACQUIRE, p->p);
	maker_wait(p->m, p->a, c, p->q, place(p));
	uint64_t signal = put(p, p->b, EV_SIGNAL, c);

	maker_woken(p->m, p->a, c, p->q, signal, place(p));
	put(p, p->a, EV_RELEASE, p->p);
	put(p, p->a, EV_RELEASE, p->q);
}

/* One thread after the other. */
static void open_join(struct lock_plant *p)
{
	uint32_t child = name(p, CLASS_THREAD, "first");

	put(p, p->main, EV_FORK, child);
	nest(p, child, p->p, p->q);
	put(p, child, EV_END, 0);
	put(p, p->main, EV_JOIN, child);
}

static void close_join(struct lock_plant *p)
{
	uint32_t child = name(p, CLASS_THREAD, "second");

	put(p, p->main, EV_FORK, child);
	nest(p, child, p->q, p->p);
	put(p, child, EV_END, 0);
	put(p, p->main, EV_JOIN, child);
}

static void open_flag(struct lock_plant *p)
{
	uint32_t flag = name(p, CLASS_VARIABLE, "f");

	first_nest(p);
	maker_write(p->m, p->a, flag, 1, from_nothing(), place(p));
	maker_set_order(p->m, ORDER_RELEASE);
}

static void close_flag(struct lock_plant *p)
{
	uint64_t read = maker_read(p->m, p->b, name(p, CLASS_VARIABLE, "f"), place(p));

	maker_set_order(p->m, ORDER_ACQUIRE);
	maker_branch(p->m, p->b, from_read(read), place(p));
	second_nest(p);
}

static void open_signal(struct lock_plant *p)
{
	uint32_t c = name(p, CLASS_CONDITION, "c");

	put(p, p->b, EV_ACQUIRE, p->r);
	maker_wait(p->m, p->b, c, p->r, place(p));
	first_nest(p);
	uint64_t signal = put(p, p->a, EV_SIGNAL, c);

	maker_woken(p->m, p->b, c, p->r, signal, place(p));
	put(p, p->b, EV_RELEASE, p->r);
}

static void open_barrier(struct lock_plant *p)
{
	uint32_t barrier = name(p, CLASS_BARRIER, "b");

	maker_parties(p->m, barrier, 2);
	first_nest(p);
	put(p, p->a, EV_BARRIER_ENTER, barrier);
	put(p, p->b, EV_BARRIER_ENTER, barrier);
	put(p, p->a, EV_BARRIER_EXIT, barrier);
	put(p, p->b, EV_BARRIER_EXIT, barrier);
}

const struct lock_planted_kind lock_planted_kinds[] = {
	{"orders", true, false, false, first_nest, second_nest},
	{"gate", false, false, false, open_gate, close_gate},
	{"three", true, false, false, first_nest, close_three},
	{"join", false, false, false, open_join, close_join},
	{"reader", true, false, false, open_reader, second_nest},
	{"readers", false, false, false, open_readers, close_readers},
	{"several", true, false, false, open_several, second_nest},
	{"flag", false, true, false, open_flag, close_flag},
	{"shared-gate", true, false, false, open_shared_gate, close_shared_gate},
	{"signal", false, true, false, open_signal, second_nest},
	{"woken", true, true, true, open_woken, second_nest},
	{"barrier", false, true, false, open_barrier, second_nest},
};

const size_t lock_planted_kind_count = sizeof(lock_planted_kinds) / sizeof(*lock_planted_kinds);

static void start_plant(struct lock_plant *p, struct maker *m, const struct lock_planted_kind *kind,
			uint32_t number)
{
	p->m = m;
	p->kind = kind;
	p->number = number;
	p->p = name(p, CLASS_LOCK, "p");
	p->q = name(p, CLASS_LOCK, "q");
	p->r = name(p, CLASS_LOCK, "r");
	p->gate = name(p, CLASS_LOCK, "gate");
}

int lock_planted_write_one(const struct lock_planted_kind *kind, struct output *out,
			   const char *format, struct err *err)
{
	struct maker m;
	struct lock_plant p = {0};

	maker_start(&m, out, format);
	p.main = maker_name(&m, CLASS_THREAD, "main");
	p.a = maker_name(&m, CLASS_THREAD, "a");
	p.b = maker_name(&m, CLASS_THREAD, "b");
	p.c = maker_name(&m, CLASS_THREAD, "c");
	start_plant(&p, &m, kind, 0);
	kind->open(&p);
	kind->close(&p);
	return maker_finish(&m, err);
}

/* The background */

#define DEEP 3
#define ACCOUNTS 50
#define SITES 40

struct worker {
	uint32_t thread;
	uint32_t held[DEEP], count; /* numbers of locks, ascending */
};

struct background {
	struct maker m;
	struct random r;
	const struct lock_planted_size *size;
	struct worker *workers;
	uint32_t *locks, *variables, *accounts, gate;
	uint32_t sites[SITES];
	bool *taken;
	uint64_t made; /* acquires and releases */
};

static void act(struct background *b, uint32_t thread, enum event_kind kind, uint32_t lock)
{
	maker_put(&b->m, thread, kind, lock, b->sites[random_below(&b->r, SITES)]);
	b->made++;
}

static void take_next(struct background *b, struct worker *w)
{
	uint32_t least = w->count ? w->held[w->count - 1] + 1 : 0;

	if (least >= b->size->locks)
		return;
	uint32_t lock = least + random_below(&b->r, b->size->locks - least);

	if (b->taken[lock])
		return;
	b->taken[lock] = true;
	w->held[w->count++] = lock;
	act(b, w->thread, EV_ACQUIRE, b->locks[lock]);
}

static void leave_last(struct background *b, struct worker *w)
{
	uint32_t lock = w->held[--w->count];

	b->taken[lock] = false;
	act(b, w->thread, EV_RELEASE, b->locks[lock]);
}

/* Two accounts in any order, all at once. */
static void transfer(struct background *b, const struct worker *w)
{
	uint32_t from = random_below(&b->r, ACCOUNTS);
	uint32_t to = (from + 1 + random_below(&b->r, ACCOUNTS - 1)) % ACCOUNTS;

	act(b, w->thread, EV_ACQUIRE, b->gate);
	act(b, w->thread, EV_ACQUIRE, b->accounts[from]);
	act(b, w->thread, EV_ACQUIRE, b->accounts[to]);
	act(b, w->thread, EV_RELEASE, b->accounts[to]);
	act(b, w->thread, EV_RELEASE, b->accounts[from]);
	act(b, w->thread, EV_RELEASE, b->gate);
}

static void touch(struct background *b, const struct worker *w)
{
	uint32_t x = b->variables[w->held[w->count - 1]];
	uint32_t site = b->sites[random_below(&b->r, SITES)];

	if (random_percent(&b->r, 50))
		maker_read(&b->m, w->thread, x, site);
	else
		maker_write(&b->m, w->thread, x, random_below(&b->r, 100), from_nothing(), site);
}

static void run_worker(struct background *b)
{
	struct worker *w = &b->workers[random_below(&b->r, b->size->threads)];
	uint32_t what = random_below(&b->r, 100);

	if (w->count && what < 5)
		touch(b, w);
	else if (!w->count && what < 2)
		transfer(b, w);
	else if (!w->count || (w->count < DEEP && what < 50))
		take_next(b, w);
	else
		leave_last(b, w);
}

static void settle(struct background *b)
{
	for (uint32_t i = 0; i < b->size->threads; i++)
		while (b->workers[i].count)
			leave_last(b, &b->workers[i]);
}

static void start_background(struct background *b)
{
	uint32_t locks = b->size->locks;

	b->workers = mem_alloc_zero(b->size->threads, sizeof(*b->workers));
	b->locks = mem_alloc_zero(locks, sizeof(*b->locks));
	b->variables = mem_alloc_zero(locks, sizeof(*b->variables));
	b->accounts = mem_alloc_zero(ACCOUNTS, sizeof(*b->accounts));
	b->taken = mem_alloc_zero(locks, sizeof(*b->taken));
	b->gate = maker_name(&b->m, CLASS_LOCK, "ledger");
	for (uint32_t i = 0; i < locks; i++) {
		b->locks[i] = maker_name(&b->m, CLASS_LOCK, "l%u", i);
		b->variables[i] = maker_name(&b->m, CLASS_VARIABLE, "x%u", i);
	}
	for (uint32_t i = 0; i < ACCOUNTS; i++)
		b->accounts[i] = maker_name(&b->m, CLASS_LOCK, "account%u", i);
	for (uint32_t i = 0; i < SITES; i++)
		b->sites[i] = maker_place(&b->m, "work.c:%u", i + 1);
	for (uint32_t i = 0; i < b->size->threads; i++)
		b->workers[i].thread = maker_name(&b->m, CLASS_THREAD, "t%u", i);
	for (uint32_t i = 1; i < b->size->threads; i++)
		maker_put(&b->m, b->workers[0].thread, EV_FORK, b->workers[i].thread, b->sites[0]);
}

static void free_background(struct background *b)
{
	mem_free(b->workers);
	mem_free(b->locks);
	mem_free(b->variables);
	mem_free(b->accounts);
	mem_free(b->taken);
}

/* Main is the first worker; the next two are for items that bind threads. */
static void choose_threads(struct background *b, struct lock_plant *p)
{
	uint32_t others = b->size->threads - 3, first = random_below(&b->r, others);

	p->main = b->workers[0].thread;
	p->a = b->workers[p->kind->bound ? 1 : 3 + first].thread;
	p->b = b->workers[p->kind->bound ? 2 : 3 + (first + 1) % others].thread;
	p->c = b->workers[3 + (first + 2) % others].thread;
}

/* Of each kind every other one closes at once, the rest a twentieth of the trace later. */
static bool is_far(const struct lock_plant *p)
{
	return !p->kind->at_once && p->number / lock_planted_kind_count % 2 == 0;
}

static void open_item(struct background *b, struct lock_plant *p, uint32_t number)
{
	settle(b);
	start_plant(p, &b->m, &lock_planted_kinds[number % lock_planted_kind_count], number);
	choose_threads(b, p);
	p->kind->open(p);
	if (!is_far(p))
		p->kind->close(p);
}

static void close_item(struct background *b, struct lock_plant *p)
{
	settle(b);
	if (is_far(p))
		p->kind->close(p);
}

static void end_background(struct background *b)
{
	for (uint32_t i = 1; i < b->size->threads; i++) {
		maker_put(&b->m, b->workers[i].thread, EV_END, 0, 0);
		maker_put(&b->m, b->workers[0].thread, EV_JOIN, b->workers[i].thread, b->sites[0]);
	}
}

int lock_planted_write(const struct lock_planted_size *size, struct output *out, const char *format,
		       struct err *err)
{
	struct background b = {.size = size, .r = random_seeded(size->seed)};
	struct lock_plant *plants = mem_alloc_zero(size->items + 1, sizeof(*plants));
	uint32_t opened = 0, closed = 0;

	maker_start(&b.m, out, format);
	start_background(&b);
	while (b.made < size->events) {
		uint64_t due = size->items * b.made / size->events;

		run_worker(&b);
		if (opened < size->items && opened <= due) {
			open_item(&b, &plants[opened], opened);
			opened++;
		}
		for (; closed < opened && closed + size->items / 20 < due; closed++)
			close_item(&b, &plants[closed]);
	}
	for (; closed < opened; closed++)
		close_item(&b, &plants[closed]);
	end_background(&b);
	int status = maker_finish(&b.m, err);

	mem_free(plants);
	free_background(&b);
	return status;
}

/* Results */

/* The item that the place is in, if that is a deadlock, or -1. */
static long find_deadlock(const char *text)
{
	return strncmp(text, "deadlock-", 9) ? -1 : strtol(text + 9, NULL, 10);
}

struct lock_planted_score lock_planted_judge(const struct predicted *p, uint32_t items)
{
	struct lock_planted_score score = {0};
	bool *found = mem_alloc_zero(items + 1, sizeof(*found));

	for (size_t i = 0; i < p->findings.n; i++) {
		const struct predicted_finding *f = &p->findings.at[i];
		long number = find_deadlock(f->places[0]);

		if (strcmp(f->bug, "deadlock") || number < 0 || number >= (long)items ||
		    number != find_deadlock(f->places[1]) || found[number]) {
			score.wrong++;
			continue;
		}
		found[number] = true;
		score.found++;
	}
	for (uint32_t i = 0; i < items; i++) {
		if (!lock_planted_kinds[i % lock_planted_kind_count].deadlock)
			continue;
		score.there++;
		if (!found[i] && !score.missed++)
			score.first_missed = i;
	}
	mem_free(found);
	return score;
}
