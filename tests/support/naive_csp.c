/* SPDX-License-Identifier: MIT */
/* Processes by the equations of the book. */
#include "tests/support/naive_csp.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

#define ALL_EVENTS ((1u << NAIVE_EVENTS) - 1)
#define ALL_SYMBOLS ((1u << NAIVE_SYMBOLS) - 1)
#define TICK_BIT (1u << NAIVE_TICK)

enum op {
	STOP,
	SKIP,
	DIV,
	SELF,
	PREFIX,
	EXTERNAL,
	INTERNAL,
	SLIDE,
	SEQUENCE,
	INTERRUPT,
	PARALLEL,
	ALPHABETISED,
	THROW,
	HIDE,
	PROJECT,
	RENAME,
	OPS
};

struct naive_process {
	enum op op;
	uint32_t event;	     /* PREFIX, RENAME: from */
	uint32_t set, other; /* of events; RENAME: to what, as a set */
	struct naive_process *left, *right;
};

static struct naive_process *made(enum op op)
{
	struct naive_process *p = mem_alloc_zero(1, sizeof(*p));

	p->op = op;
	return p;
}

static struct naive_process *grown(struct random *r, int size, bool recursive, bool guarded)
{
	if (size <= 0) {
		static const enum op leaves[] = {STOP, STOP, SKIP, SKIP, SKIP, DIV};

		if (recursive && guarded && random_percent(r, 60))
			return made(SELF);
		return made(leaves[random_below(r, 6)]);
	}
	enum op op = random_percent(r, 45) ? PREFIX
					   : (enum op)(EXTERNAL + random_below(r, OPS - EXTERNAL));

	struct naive_process *p = made(op);

	p->event = random_below(r, NAIVE_EVENTS);
	p->set = random_below(r, ALL_EVENTS + 1);
	p->other = op == RENAME ? 1 + random_below(r, ALL_EVENTS) : random_below(r, ALL_EVENTS + 1);
	bool two = op >= EXTERNAL && op <= THROW;
	int left = two ? (int)random_below(r, (uint32_t)size) : size - 1;

	/* itself at the end alone: elsewhere it would get ever larger */
	bool choice = op >= EXTERNAL && op <= SLIDE;
	bool last = choice || op == SEQUENCE || op == INTERRUPT || op == THROW;

	p->left = grown(r, left, recursive && (choice || op == PREFIX), guarded || op == PREFIX);
	if (two)
		p->right = grown(r, size - 1 - left, recursive && last, guarded);
	return p;
}

/* The longest trace, tick included. */
static uint32_t length(const struct naive_process *p)
{
	switch (p->op) {
	case STOP:
	case DIV:
	case SELF: return 0;
	case SKIP: return 1;
	case PREFIX: return 1 + length(p->left);
	case HIDE:
	case PROJECT:
	case RENAME: return length(p->left);
	case EXTERNAL:
	case INTERNAL:
	case SLIDE: {
		uint32_t a = length(p->left), b = length(p->right);

		return a > b ? a : b;
	}
	default: return length(p->left) + length(p->right);
	}
}

/* What hides needs longer traces than it shows. */
static bool is_known(const struct naive_process *p)
{
	if (!p)
		return true;
	if ((p->op == HIDE || p->op == PROJECT) && length(p->left) > NAIVE_LENGTH)
		return false;
	return is_known(p->left) && is_known(p->right);
}

struct naive_process *naive_random(struct random *r, bool recursive)
{
	for (;;) {
		struct naive_process *p = grown(r, 1 + (int)random_below(r, 8), recursive, false);

		if (is_known(p) && (recursive || length(p) <= NAIVE_LENGTH))
			return p;
		naive_free(p);
	}
}

void naive_free(struct naive_process *p)
{
	if (!p)
		return;
	naive_free(p->left);
	naive_free(p->right);
	mem_free(p);
}

struct text {
	char *at;
	size_t n, room;
};

static void put(struct text *t, const char *text)
{
	t->n += (size_t)snprintf(t->at + t->n, t->room - t->n, "%s", text);
}

static void put_set(struct text *t, uint32_t set)
{
	bool first = true;

	put(t, "{");
	for (uint32_t i = 0; i < NAIVE_EVENTS; i++)
		if (set >> i & 1) {
			put(t, first ? "" : ", ");
			put(t, (char[]){(char)('a' + i), 0});
			first = false;
		}
	put(t, "}");
}

static void show(struct text *t, const struct naive_process *p);

static void between(struct text *t, const struct naive_process *p)
{
	switch (p->op) {
	case EXTERNAL: put(t, " [] "); break;
	case INTERNAL: put(t, " |~| "); break;
	case SLIDE: put(t, " [> "); break;
	case SEQUENCE: put(t, " ; "); break;
	case INTERRUPT: put(t, " /\\ "); break;
	case PARALLEL:
	case THROW:
		put(t, " [| ");
		put_set(t, p->set);
		put(t, p->op == THROW ? " |> " : " |] ");
		break;
	default:
		put(t, " [");
		put_set(t, p->set);
		put(t, " || ");
		put_set(t, p->other);
		put(t, "] ");
		break;
	}
}

static void behind(struct text *t, const struct naive_process *p)
{
	if (p->op == RENAME) {
		put(t, "[[");
		for (uint32_t i = 0, n = 0; i < NAIVE_EVENTS; i++)
			if (p->other >> i & 1)
				put(t, (char[]){n++ ? ',' : ' ', (char)('a' + p->event), ' ', '<',
						'-', ' ', (char)('a' + i), 0});
		put(t, "]]");
		return;
	}
	put(t, p->op == HIDE ? " \\ " : " |\\ ");
	put_set(t, p->set);
}

static void show(struct text *t, const struct naive_process *p)
{
	static const char *const leaves[] = {"STOP", "SKIP", "DIV", "X"};

	if (p->op <= SELF) {
		put(t, leaves[p->op]);
		return;
	}
	put(t, "(");
	if (p->op == PREFIX)
		put(t, (char[]){(char)('a' + p->event), ' ', '-', '>', ' ', 0});
	show(t, p->left);
	if (p->right) {
		between(t, p);
		show(t, p->right);
	} else if (p->op != PREFIX) {
		behind(t, p);
	}
	put(t, ")");
}

void naive_print(const struct naive_process *p, char *to, size_t room)
{
	struct text t = {.at = to, .room = room};

	show(&t, p);
}

/* Traces are gone down from the root; those that get too long are nobody's. */
static bool fits(uint32_t trace)
{
	return trace < NAIVE_TRACES;
}

/* All sets X of symbols for which (s, X) is a failure are bits; these are all subsets of `most`. */
static uint16_t subsets(uint32_t most)
{
	uint16_t all = 0;

	for (uint32_t x = 0; x <= ALL_SYMBOLS; x++)
		if (!(x & ~most))
			all |= (uint16_t)(1u << x);
	return all;
}

static void meaning(const struct naive_process *p, const struct naive *self, struct naive *to);

/* From here on: t is what P means, shifted behind the trace `at` of the result. */
static void behind_trace(struct naive *to, uint32_t at, const struct naive *from, uint32_t trace,
			 bool empty_too)
{
	if (!fits(at) || !fits(trace) || !from->trace[trace])
		return;
	to->trace[at] = true;
	if (trace || empty_too)
		to->refuses[at] |= from->refuses[trace];
	to->diverges[at] = to->diverges[at] || from->diverges[trace];
	for (uint32_t s = 0; s < NAIVE_SYMBOLS; s++)
		behind_trace(to, naive_longer(at, s), from, naive_longer(trace, s), empty_too);
}

static void unite(struct naive *to, const struct naive *from)
{
	for (uint32_t t = 0; t < NAIVE_TRACES; t++) {
		to->trace[t] = to->trace[t] || from->trace[t];
		to->diverges[t] = to->diverges[t] || from->diverges[t];
		to->refuses[t] |= from->refuses[t];
	}
}

static void choose(struct naive *to, const struct naive *a, const struct naive *b, enum op op)
{
	uint32_t tick = naive_longer(0, NAIVE_TICK);

	unite(to, a);
	unite(to, b);
	if (op == INTERNAL)
		return;
	to->refuses[0] = op == SLIDE ? b->refuses[0] : a->refuses[0] & b->refuses[0];
	if (a->trace[tick] || (op == EXTERNAL && b->trace[tick]))
		to->refuses[0] |= subsets(ALL_EVENTS);
}

/* P ; Q behind the trace s of P, which has no tick. */
static void in_sequence(struct naive *to, const struct naive *a, const struct naive *b, uint32_t s)
{
	uint32_t tick = naive_longer(s, NAIVE_TICK);

	if (!fits(s) || !a->trace[s])
		return;
	to->trace[s] = true;
	to->diverges[s] = to->diverges[s] || a->diverges[s];
	for (uint32_t x = 0; x <= ALL_SYMBOLS; x++)
		if (a->refuses[s] >> (x | TICK_BIT) & 1)
			to->refuses[s] |= (uint16_t)(1u << x);
	/* a tick that is too long for us ends a trace that is not */
	if (fits(tick) && a->trace[tick])
		behind_trace(to, s, b, 0, true);
	for (uint32_t e = 0; e < NAIVE_EVENTS; e++)
		in_sequence(to, a, b, naive_longer(s, e));
}

static void interrupted(struct naive *to, const struct naive *a, const struct naive *b, uint32_t s)
{
	uint32_t tick = naive_longer(s, NAIVE_TICK);

	if (!fits(s) || !a->trace[s])
		return;
	behind_trace(to, s, b, 0, false);
	to->diverges[s] = to->diverges[s] || a->diverges[s];
	to->refuses[s] |= a->refuses[s] & b->refuses[0];
	if (b->trace[naive_longer(0, NAIVE_TICK)])
		to->refuses[s] |= subsets(ALL_EVENTS);
	if (fits(tick) && a->trace[tick]) {
		to->refuses[s] |= subsets(ALL_EVENTS);
		to->trace[tick] = true;
		to->refuses[tick] |= subsets(ALL_SYMBOLS);
	}
	for (uint32_t e = 0; e < NAIVE_EVENTS; e++)
		interrupted(to, a, b, naive_longer(s, e));
}

static void thrown(struct naive *to, const struct naive *a, const struct naive *b, uint32_t set,
		   uint32_t s)
{
	if (!fits(s) || !a->trace[s])
		return;
	to->trace[s] = true;
	to->diverges[s] = to->diverges[s] || a->diverges[s];
	to->refuses[s] |= a->refuses[s];
	for (uint32_t e = 0; e < NAIVE_SYMBOLS; e++) {
		uint32_t next = naive_longer(s, e);

		if (!(set >> e & 1))
			thrown(to, a, b, set, next);
		else if (fits(next) && a->trace[next])
			behind_trace(to, next, b, 0, true);
	}
}

/* u is one way to run the traces s and t side by side. */
static void merge(struct naive *to, const struct naive *a, const struct naive *b, uint32_t sync,
		  uint32_t s, uint32_t t, uint32_t u)
{
	if (!fits(s) || !fits(t) || !fits(u) || !a->trace[s] || !b->trace[t])
		return;
	to->trace[u] = true;
	to->diverges[u] = to->diverges[u] || a->diverges[s] || b->diverges[t];
	for (uint32_t y = 0; y <= ALL_SYMBOLS; y++)
		for (uint32_t z = 0; (a->refuses[s] >> y & 1) && z <= ALL_SYMBOLS; z++)
			if ((b->refuses[t] >> z & 1) &&
			    (y & ~(sync | TICK_BIT)) == (z & ~(sync | TICK_BIT)))
				to->refuses[u] |= (uint16_t)(1u << (y | z));
	for (uint32_t e = 0; e < NAIVE_SYMBOLS; e++) {
		uint32_t next = naive_longer(u, e);

		if (e == NAIVE_TICK || sync >> e & 1) {
			merge(to, a, b, sync, naive_longer(s, e), naive_longer(t, e), next);
			continue;
		}
		merge(to, a, b, sync, naive_longer(s, e), t, next);
		merge(to, a, b, sync, s, naive_longer(t, e), next);
	}
}

/* P that may only do what is in the set: with SKIP, which agrees to its end. */
static void restricted(struct naive *to, const struct naive *p, uint32_t set)
{
	struct naive *skip = mem_alloc_zero(1, sizeof(*skip));

	meaning(&(struct naive_process){.op = SKIP}, NULL, skip);
	merge(to, p, skip, ALL_EVENTS & ~set, 0, 0, 0);
	mem_free(skip);
}

/* Each event becomes one of a set of events, or nothing. */
static void mapped(struct naive *to, const struct naive *p, const uint32_t *becomes,
		   const bool *vanishes, uint32_t s, uint32_t u)
{
	if (!fits(s) || !p->trace[s])
		return;
	to->trace[u] = true;
	to->diverges[u] = to->diverges[u] || p->diverges[s];
	for (uint32_t x = 0; x <= ALL_SYMBOLS; x++) {
		uint32_t before = 0; /* what would show as one of x, or vanish */

		for (uint32_t e = 0; e < NAIVE_SYMBOLS; e++)
			if (vanishes[e] || becomes[e] & x)
				before |= 1u << e;
		if (p->refuses[s] >> before & 1)
			to->refuses[u] |= (uint16_t)(1u << x);
	}
	for (uint32_t e = 0; e < NAIVE_SYMBOLS; e++) {
		if (vanishes[e])
			mapped(to, p, becomes, vanishes, naive_longer(s, e), u);
		for (uint32_t f = 0; !vanishes[e] && f < NAIVE_SYMBOLS; f++)
			if (becomes[e] >> f & 1 && fits(naive_longer(u, f)))
				mapped(to, p, becomes, vanishes, naive_longer(s, e),
				       naive_longer(u, f));
	}
}

static void map_by(struct naive *to, const struct naive *a, const struct naive_process *p)
{
	uint32_t becomes[NAIVE_SYMBOLS];
	bool vanishes[NAIVE_SYMBOLS] = {false};

	for (uint32_t e = 0; e < NAIVE_SYMBOLS; e++)
		becomes[e] = 1u << e;
	if (p->op == RENAME)
		becomes[p->event] = p->other;
	for (uint32_t e = 0; p->op != RENAME && e < NAIVE_EVENTS; e++)
		vanishes[e] = (p->set >> e & 1) == (p->op == HIDE);
	mapped(to, a, becomes, vanishes, 0, 0);
}

static void combine(const struct naive_process *p, const struct naive *a, const struct naive *b,
		    struct naive *to)
{
	switch (p->op) {
	case EXTERNAL:
	case INTERNAL:
	case SLIDE: choose(to, a, b, p->op); break;
	case SEQUENCE: in_sequence(to, a, b, 0); break;
	case INTERRUPT: interrupted(to, a, b, 0); break;
	case THROW: thrown(to, a, b, p->set, 0); break;
	case PARALLEL: merge(to, a, b, p->set, 0, 0, 0); break;
	case ALPHABETISED: {
		struct naive *side = mem_alloc_zero(2, sizeof(*side));

		restricted(&side[0], a, p->set);
		restricted(&side[1], b, p->other);
		merge(to, &side[0], &side[1], p->set & p->other, 0, 0, 0);
		mem_free(side);
		break;
	}
	case PREFIX:
		to->refuses[0] = subsets(ALL_SYMBOLS & ~(1u << p->event));
		behind_trace(to, naive_longer(0, p->event), a, 0, true);
		break;
	default: map_by(to, a, p); break;
	}
}

static void meaning(const struct naive_process *p, const struct naive *self, struct naive *to)
{
	memset(to, 0, sizeof(*to));
	to->trace[0] = true;
	switch (p->op) {
	case STOP: to->refuses[0] = subsets(ALL_SYMBOLS); return;
	case SKIP:
		to->refuses[0] = subsets(ALL_EVENTS);
		to->trace[naive_longer(0, NAIVE_TICK)] = true;
		to->refuses[naive_longer(0, NAIVE_TICK)] = subsets(ALL_SYMBOLS);
		return;
	case DIV: to->diverges[0] = true; return;
	case SELF: *to = *self; return;
	default: break;
	}
	struct naive *parts = mem_alloc_zero(2, sizeof(*parts));

	meaning(p->left, self, &parts[0]);
	if (p->right)
		meaning(p->right, self, &parts[1]);
	combine(p, &parts[0], &parts[1], to);
	mem_free(parts);
}

/* From below: after n rounds, what is short enough to be reached in n is exact. */
void naive_meaning(const struct naive_process *p, struct naive *to)
{
	struct naive *self = mem_alloc_zero(1, sizeof(*self));

	self->trace[0] = true;
	for (int i = 0; i < NAIVE_LENGTH + 2; i++) {
		meaning(p, self, to);
		*self = *to;
	}
	mem_free(self);
}

static bool breaks_at(const struct naive *spec, const struct naive *impl, enum naive_model model,
		      uint32_t t)
{
	if (!impl->trace[t])
		return false;
	if (!spec->trace[t])
		return true;
	if (model == NAIVE_FD && impl->diverges[t])
		return true;
	return model != NAIVE_T && impl->refuses[t] & ~spec->refuses[t];
}

/* Down from a trace up to which the specification does not diverge. */
static bool breaks_below(const struct naive *spec, const struct naive *impl, enum naive_model model,
			 uint32_t t)
{
	if (!fits(t) || !impl->trace[t] || (model == NAIVE_FD && spec->diverges[t]))
		return false;
	if (breaks_at(spec, impl, model, t))
		return true;
	for (uint32_t s = 0; s < NAIVE_SYMBOLS; s++)
		if (breaks_below(spec, impl, model, naive_longer(t, s)))
			return true;
	return false;
}

bool naive_refines(const struct naive *spec, const struct naive *impl, enum naive_model model)
{
	return !breaks_below(spec, impl, model, 0);
}

bool naive_breaks(const struct naive *spec, const struct naive *impl, enum naive_model model,
		  uint32_t trace)
{
	for (uint32_t t = trace; model == NAIVE_FD; t = (t - 1) / NAIVE_SYMBOLS) {
		if (spec->diverges[t])
			return false;
		if (!t)
			break;
	}
	return breaks_at(spec, impl, model, trace);
}

bool naive_deadlocks(const struct naive *p)
{
	for (uint32_t t = 0; t < NAIVE_TRACES; t++)
		if (p->refuses[t] >> ALL_SYMBOLS & 1 &&
		    (!t || (t - 1) % NAIVE_SYMBOLS != NAIVE_TICK))
			return true;
	return false;
}

bool naive_diverges(const struct naive *p)
{
	for (uint32_t t = 0; t < NAIVE_TRACES; t++)
		if (p->diverges[t])
			return true;
	return false;
}

bool naive_deterministic(const struct naive *p)
{
	for (uint32_t t = 0; t < NAIVE_TRACES; t++)
		for (uint32_t s = 0; s < NAIVE_SYMBOLS; s++) {
			uint32_t next = naive_longer(t, s);

			if (fits(next) && p->trace[next] && p->refuses[t] >> (1u << s) & 1)
				return false;
		}
	return true;
}
