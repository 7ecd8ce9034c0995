/* SPDX-License-Identifier: MIT */
#include "tests/support/background.h"

#define FUNCTIONS 48
#define FUNCTION_MAX 40
#define THREADS_MAX 64
#define LOCALS 1500 /* variables of each thread */
#define TABLE 500   /* variables that are only read */
#define COUNTERS 6
#define LOCKS 12     /* known to all */
#define SIDE_LOCKS 4 /* of each side */
#define GUARDED 6    /* variables under each lock */
#define BURST 12     /* events on average, until another thread goes on */

enum step_kind {
	TAKE,
	GIVE,
	GUARDED_READ,
	GUARDED_WRITE,
	LOCAL_READ,
	LOCAL_WRITE,
	TABLE_READ,
	COUNT,
	BRANCH
};

struct step {
	uint8_t kind;
	uint8_t lock; /* below LOCKS: for all; then those of the side */
	uint16_t which;
	uint32_t place;
};

struct function {
	struct step steps[FUNCTION_MAX];
	uint32_t count;
};

/* A read of the running call that a later write or branch may come from. */
struct seen {
	uint64_t event; /* 0: none yet */
	int64_t value;
};

struct worker {
	uint32_t name;
	enum background_side side;
	const struct function *function;
	uint32_t at, cursor, held;
	uint32_t first_local;
	/* Of all reads; of those whose values come from the thread's own side. */
	struct seen any, own;
};

struct background {
	struct maker *m;
	struct random random;
	struct function functions[FUNCTIONS];
	struct worker workers[THREADS_MAX];
	uint32_t count;
	uint32_t locks[SIDE_COUNT][LOCKS + SIDE_LOCKS];
	bool taken[SIDE_COUNT][LOCKS + SIDE_LOCKS]; /* those for all: under SIDE_NEAR */
	uint32_t guarded[SIDE_COUNT][LOCKS + SIDE_LOCKS][GUARDED];
	uint32_t table[TABLE], counters[COUNTERS];
};

static uint32_t below(struct background *b, uint32_t n)
{
	return random_below(&b->random, n);
}

/* Sections hold one lock or two, the second with the higher number: no deadlock. */
static void make_function(struct background *b, struct function *f, uint32_t number)
{
	uint32_t length = 10 + below(b, FUNCTION_MAX - 16);
	uint8_t held[2];
	uint32_t depth = 0;

	while (f->count < length || depth) {
		struct step *s = &f->steps[f->count];
		uint32_t dice = below(b, 100);

		*s = (struct step){.which = (uint16_t)below(b, 60000),
				   .place = maker_place(b->m, "src/module%u.c:%u:%u:function_%u",
							number / 4, 20 + number % 4 * 60 + f->count,
							5 + below(b, 30), number)};
		if (depth && (f->count >= length || dice < 30)) {
			s->kind = GIVE;
			s->lock = held[--depth];
		} else if (f->count + 4 < length && depth < 2 && dice < (depth ? 36u : 18u)) {
			uint32_t least = depth ? held[0] + 1u : 0;

			if (least == LOCKS + SIDE_LOCKS)
				continue;
			s->kind = TAKE;
			s->lock = (uint8_t)(least + below(b, LOCKS + SIDE_LOCKS - least));
			held[depth++] = s->lock;
		} else if (depth && dice < 85) {
			s->kind = dice % 2 ? GUARDED_READ : GUARDED_WRITE;
			s->lock = held[depth - 1];
		} else {
			s->kind = dice < 28   ? BRANCH
				  : dice < 30 ? COUNT
				  : dice < 45 ? TABLE_READ
				  : dice < 75 ? LOCAL_READ
					      : LOCAL_WRITE;
		}
		f->count++;
	}
}

static void add_objects(struct background *b)
{
	static const char *const sides[] = {"near", "far", "equals", "values"};
	struct maker *m = b->m;

	for (uint32_t i = 0; i < TABLE; i++) {
		b->table[i] = maker_name(m, CLASS_VARIABLE, "table%u", i);
		maker_init(m, b->table[i], below(b, 100));
	}
	for (uint32_t i = 0; i < COUNTERS; i++)
		b->counters[i] = maker_name(m, CLASS_VARIABLE, "counter%u", i);
	for (int side = 0; side < SIDE_COUNT; side++) {
		for (uint32_t i = 0; i < LOCKS + SIDE_LOCKS; i++) {
			const char *whose = i < LOCKS ? "all" : sides[side];

			b->locks[side][i] = maker_name(m, CLASS_LOCK, "%s.l%u", whose, i);
			for (uint32_t k = 0; k < GUARDED; k++)
				b->guarded[side][i][k] =
					maker_name(m, CLASS_VARIABLE, "%s.v%u.%u", whose, i, k);
		}
	}
}

static void start_call(struct background *b, struct worker *w)
{
	w->function = &b->functions[below(b, FUNCTIONS)];
	w->at = 0;
	w->any = w->own = (struct seen){0};
	if (below(b, 4) == 0)
		w->cursor = below(b, LOCALS);
}

static void add_worker(struct background *b, uint32_t i)
{
	struct worker *w = &b->workers[i];
	uint32_t near = b->count / 2;

	w->name = i ? maker_name(b->m, CLASS_THREAD, "t%u", i)
		    : maker_name(b->m, CLASS_THREAD, "main");
	w->side = i < near	      ? SIDE_NEAR
		  : i < b->count - 2  ? SIDE_FAR
		  : i == b->count - 2 ? SIDE_EQUALS
				      : SIDE_VALUES;
	w->first_local = maker_name(b->m, CLASS_VARIABLE, "local%u.0", i);
	for (uint32_t k = 1; k < LOCALS; k++)
		maker_name(b->m, CLASS_VARIABLE, "local%u.%u", i, k);
	if (i)
		maker_put(b->m, b->workers[0].name, EV_FORK, w->name,
			  maker_place(b->m, "src/main.c:12:3:main"));
	start_call(b, w);
}

struct background *background_new(struct maker *m, uint32_t threads, uint64_t seed)
{
	struct background *b = mem_alloc_zero(1, sizeof(*b));

	ASSERT(threads >= 8 && threads <= THREADS_MAX);
	b->m = m;
	b->random = random_seeded(seed);
	b->count = threads;
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		make_function(b, &b->functions[i], i);
	add_objects(b);
	for (uint32_t i = 0; i < threads; i++)
		add_worker(b, i);
	for (uint32_t i = 1; i < threads; i++)
		maker_put(m, b->workers[i].name, EV_BEGIN, 0,
			  maker_place(m, "src/main.c:30:1:worker"));
	return b;
}

static void saw(struct worker *w, uint64_t event, int64_t value, bool own)
{
	w->any = (struct seen){event, value};
	if (own)
		w->own = w->any;
}

static void write_from(struct background *b, const struct worker *w, uint32_t variable,
		       struct seen seen, uint32_t place)
{
	struct from from = from_nothing();
	int64_t value = below(b, 16);

	if (seen.event && below(b, 3)) {
		bool exact = below(b, 2);

		value = seen.value + 1;
		from = exact ? from_expr(OP_ADD, seen.event, 1) : from_read(seen.event);
	}
	maker_write(b->m, w->name, variable, value, from, place);
}

static void branch_on(struct background *b, const struct worker *w, struct seen seen,
		      uint32_t place)
{
	uint32_t how = seen.event ? below(b, 3) : 0;

	maker_branch(b->m, w->name,
		     how == 0	? from_nothing()
		     : how == 1 ? from_read(seen.event)
				: from_expr(OP_GE, seen.event, seen.value - below(b, 3)),
		     place);
}

static uint32_t local_of(struct worker *w, const struct step *s)
{
	/* half of them walk, half stay with the same */
	return w->first_local + (s->which % 2 ? w->cursor++ : s->which) % LOCALS;
}

static void access(struct background *b, struct worker *w, const struct step *s)
{
	struct maker *m = b->m;
	bool own = s->lock >= LOCKS; /* of guarded ones, those that only this side knows */
	enum background_side side = own ? w->side : SIDE_NEAR;
	uint32_t guarded = b->guarded[side][s->lock][s->which % GUARDED];
	uint32_t variable;

	switch ((enum step_kind)s->kind) {
	case GUARDED_READ:
		saw(w, maker_read(m, w->name, guarded, s->place), m->values.at[guarded], own);
		return;
	case GUARDED_WRITE: write_from(b, w, guarded, own ? w->own : w->any, s->place); return;
	case TABLE_READ:
	case LOCAL_READ:
		variable = s->kind == TABLE_READ ? b->table[s->which % TABLE] : local_of(w, s);
		saw(w, maker_read(m, w->name, variable, s->place), m->values.at[variable], true);
		return;
	case LOCAL_WRITE: write_from(b, w, local_of(w, s), w->own, s->place); return;
	case COUNT: maker_add(m, w->name, b->counters[s->which % COUNTERS], 1, s->place); return;
	case BRANCH: branch_on(b, w, w->own, s->place); return;
	case TAKE:
	case GIVE: break;
	}
}

/* The thread's next event; false if it waits for a lock. */
static bool step(struct background *b, struct worker *w)
{
	const struct step *s = &w->function->steps[w->at];
	enum background_side side = s->lock < LOCKS ? SIDE_NEAR : w->side;

	if (s->kind == TAKE || s->kind == GIVE) {
		if (s->kind == TAKE && b->taken[side][s->lock])
			return false;
		b->taken[side][s->lock] = s->kind == TAKE;
		w->held += s->kind == TAKE ? 1 : UINT32_MAX;
		maker_put(b->m, w->name, s->kind == TAKE ? EV_ACQUIRE : EV_RELEASE,
			  b->locks[side][s->lock], s->place);
	} else {
		access(b, w, s);
	}
	if (++w->at == w->function->count)
		start_call(b, w);
	return true;
}

void background_run(struct background *b)
{
	struct worker *w = &b->workers[below(b, b->count)];

	do {
		if (!step(b, w))
			return;
	} while (below(b, BURST));
}

void background_settle(struct background *b)
{
	bool all_free;

	do {
		all_free = true;
		for (uint32_t i = 0; i < b->count; i++) {
			struct worker *w = &b->workers[i];

			while (w->held && step(b, w))
				;
			all_free &= !w->held;
		}
	} while (!all_free);
}

void background_end(struct background *b)
{
	uint32_t end = maker_place(b->m, "src/main.c:39:1:worker");
	uint32_t join = maker_place(b->m, "src/main.c:15:3:main");

	background_settle(b);
	for (uint32_t i = 1; i < b->count; i++)
		maker_put(b->m, b->workers[i].name, EV_END, 0, end);
	for (uint32_t i = 1; i < b->count; i++)
		maker_put(b->m, b->workers[0].name, EV_JOIN, b->workers[i].name, join);
	maker_put(b->m, b->workers[0].name, EV_END, 0, maker_place(b->m, "src/main.c:16:1:main"));
}

void background_free(struct background *b)
{
	mem_free(b);
}

uint32_t background_pick(struct background *b, enum background_side side, uint32_t not )
{
	const struct worker *w;

	do
		w = &b->workers[below(b, b->count)];
	while (w->side != side || w->name == not );
	return w->name;
}
