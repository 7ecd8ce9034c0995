/* SPDX-License-Identifier: MIT */
#include "record/keep/handed.h"

#include <string.h>

#define HANDED_LEAST (UINT64_C(1) << 16) /* accesses, */
#define HANDED_SHARE 16			 /* and one of so many */

#define SETS_MOST (UINT32_C(1) << 20)
#define READERS_MOST (UINT32_C(1) << 22)

static void begin(struct handed *h)
{
	struct handed_readers none = {0, 0};

	for (uint32_t i = 0; i < h->threads; i++)
		h->seat[i] = HANDED_NOBODY;
	h->seats = h->threads ? 1 : 0;
	if (h->threads)
		h->seat[0] = h->sits[0] = 0;
	h->alone = 0;
	h->lost = false;
	memset(h->latest, 0xff, sizeof(h->latest));
	vec_push(&h->sets, none);
	counts_init(&h->larger);
}

void handed_init(struct handed *h, uint32_t threads)
{
	*h = (struct handed){.threads = threads,
			     .room = threads < HANDED_SEATS ? threads : HANDED_SEATS};
	h->seat = mem_alloc_zero((size_t)threads + 1, sizeof(*h->seat));
	h->times = mem_alloc_zero((size_t)h->room + 1, sizeof(*h->times));
	h->known = mem_alloc_zero((size_t)h->room * h->room + 1, sizeof(*h->known));
	h->uncertain = mem_alloc_zero((size_t)threads + 1, sizeof(*h->uncertain));
	h->sits = mem_alloc_zero((size_t)h->room + 1, sizeof(*h->sits));
	h->ended = mem_alloc_zero((size_t)threads + 1, sizeof(*h->ended));
	h->inside = mem_alloc_zero((size_t)threads + 1, sizeof(*h->inside));
	pages_init(&h->shared, sizeof(uint8_t));
	begin(h);
}

static void end(struct handed *h)
{
	for (size_t i = 0; i < h->barriers.n; i++)
		for (unsigned k = 0; k < 2; k++)
			mem_free(h->barriers.at[i].rounds[k].known);
	h->barriers.n = h->left.n = h->readers.n = h->sets.n = 0;
	counts_release(&h->larger);
}

void handed_release(struct handed *h)
{
	end(h);
	mem_free(h->seat);
	mem_free(h->times);
	mem_free(h->known);
	mem_free(h->uncertain);
	mem_free(h->sits);
	mem_free(h->ended);
	mem_free(h->inside);
	vec_release(&h->left);
	vec_release(&h->barriers);
	vec_release(&h->readers);
	vec_release(&h->sets);
	pages_release(&h->shared);
}

void handed_again(struct handed *h)
{
	h->second = true;
	memset(h->times, 0, h->room * sizeof(*h->times));
	memset(h->known, 0, (size_t)h->room * h->room * sizeof(*h->known));
	memset(h->ended, 0, h->threads * sizeof(*h->ended));
	end(h);
	begin(h);
}

bool handed_is_much(const struct handed *h)
{
	return h->accesses >= HANDED_LEAST && h->accesses >= h->all / HANDED_SHARE;
}

bool handed_are_certain(const struct handed *h)
{
	for (uint32_t i = 0; i < h->threads; i++)
		if (h->uncertain[i])
			return false;
	return !h->shared.used;
}

static uint32_t *known_to(const struct handed *h, uint32_t seat)
{
	return h->known + (size_t)seat * h->room;
}

/* What `from` knows, `to` knows, too; of the first `n` seats. */
static void learn(uint32_t *to, const uint32_t *from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		to[i] = from[i] > to[i] ? from[i] : to[i];
}

/* For who is forked from this seat: one whose last thread is over for it, or a new one. */
static uint32_t find_seat(struct handed *h, uint32_t from)
{
	for (size_t i = h->left.n; i-- > 0;) {
		uint32_t seat = h->left.at[i];

		if (h->times[seat] == HANDED_TIMES ||
		    !handed_seat_before(h, seat, h->times[seat], from))
			continue;
		memmove(h->left.at + i, h->left.at + i + 1,
			(h->left.n - i - 1) * sizeof(*h->left.at));
		h->left.n--;
		h->times[seat]++;
		return seat;
	}
	return h->seats < h->room ? h->seats++ : HANDED_NOBODY;
}

void handed_fork(struct handed *h, uint32_t thread, uint64_t child)
{
	uint32_t from = handed_seat(h, thread);
	bool fresh = child < h->threads && child != thread && h->seat[child] == HANDED_NOBODY;

	h->alone = HANDED_NOBODY;
	uint32_t seat = fresh && from != HANDED_NOBODY && h->times[from] != HANDED_TIMES
				? find_seat(h, from)
				: HANDED_NOBODY;

	if (seat == HANDED_NOBODY) {
		h->lost = true;
		/* it may know what this one read */
		if (child < h->threads)
			h->uncertain[child] = true;
		return;
	}
	h->seat[child] = seat;
	h->sits[seat] = (uint32_t)child;
	learn(known_to(h, seat), known_to(h, from), h->seats);
	known_to(h, seat)[from] = ++h->times[from];
	h->uncertain[child] |= thread < h->threads && h->uncertain[thread];
}

static bool is_alone(const struct handed *h, uint32_t seat)
{
	for (uint32_t i = 0; i < h->seats; i++)
		if (i != seat && !handed_seat_before(h, i, h->times[i], seat))
			return false;
	return true;
}

/* Several may join a thread of the runtime's own, one after the other. */
void handed_join(struct handed *h, uint32_t thread, uint64_t other)
{
	uint32_t to = handed_seat(h, thread), from;

	if (thread >= h->threads || other >= h->threads || other == thread)
		return;
	h->uncertain[thread] |= h->uncertain[other];
	from = h->seat[other];
	if (to == HANDED_NOBODY || from == HANDED_NOBODY || h->times[from] == HANDED_TIMES)
		return;
	if (!h->ended[other]) {
		h->ended[other] = h->times[from] + 1;
		vec_push(&h->left, from);
	}
	/* what it knew is gone if another one has its seat */
	if (h->sits[from] == other)
		learn(known_to(h, to), known_to(h, from), h->seats);
	if (known_to(h, to)[from] < h->ended[other])
		known_to(h, to)[from] = h->ended[other];
	h->alone = is_alone(h, to) ? thread : HANDED_NOBODY;
}

/* Barriers */

void handed_open(struct handed *h, uint32_t barrier, uint32_t parties)
{
	vec_extend(&h->barriers, (size_t)barrier + 1);
	h->barriers.at[barrier].parties = h->threads ? parties : 0;
}

static struct handed_barrier *barrier_of(struct handed *h, uint32_t barrier)
{
	struct handed_barrier *b = barrier < h->barriers.n ? &h->barriers.at[barrier] : NULL;

	return b && b->parties ? b : NULL;
}

void handed_enter(struct handed *h, uint32_t thread, uint32_t barrier)
{
	struct handed_barrier *b = barrier_of(h, barrier);
	uint32_t seat = handed_seat(h, thread);

	if (!b)
		return;
	if (b->rounds[b->round % 2].entered == b->parties) {
		struct handed_round *next = &b->rounds[++b->round % 2];

		mem_free(next->known);
		*next = (struct handed_round){0};
	}
	struct handed_round *round = &b->rounds[b->round % 2];

	if (thread < h->threads)
		h->inside[thread] = b->round;
	round->entered++;
	if (seat == HANDED_NOBODY || h->times[seat] == HANDED_TIMES)
		return;
	if (!round->known)
		round->known = mem_alloc_zero(h->room, sizeof(*round->known));
	learn(round->known, known_to(h, seat), h->seats);
	round->known[seat] = ++h->times[seat];
}

void handed_leave(struct handed *h, uint32_t thread, uint32_t barrier)
{
	struct handed_barrier *b = barrier_of(h, barrier);
	uint32_t seat = handed_seat(h, thread);

	if (!b || thread >= h->threads)
		return;
	struct handed_round *round = &b->rounds[h->inside[thread] % 2];

	/* in a log that is cut short one may leave before all have come */
	if (round->entered != b->parties || !round->known)
		return;
	if (seat != HANDED_NOBODY)
		learn(known_to(h, seat), round->known, h->seats);
	if (++round->left == b->parties) {
		mem_free(round->known);
		round->known = NULL;
	}
}

/* Readers */

static uint32_t make_set(struct handed *h, uint32_t readers, uint32_t seat)
{
	struct handed_readers from = h->sets.at[readers],
			      set = {.first = (uint32_t)h->readers.n, .n = 1};
	struct handed_reader self = {.seat = seat, .time = h->times[seat]};

	if (h->sets.n == SETS_MOST || h->readers.n + from.n + 1 > READERS_MOST)
		return HANDED_NOBODY;
	vec_push(&h->readers, self);
	for (uint32_t i = 0; i < from.n; i++) {
		struct handed_reader r = h->readers.at[from.first + i];

		if (r.seat == seat && r.time == self.time) {
			h->readers.n = set.first;
			return readers;
		}
		if (r.seat == seat || handed_seat_before(h, r.seat, r.time, seat))
			continue;
		vec_push(&h->readers, r);
		set.n++;
	}
	vec_push(&h->sets, set);
	return (uint32_t)h->sets.n - 1;
}

uint32_t handed_add_reader(struct handed *h, uint32_t readers, uint32_t thread)
{
	uint32_t seat = handed_seat(h, thread);

	if (seat == HANDED_NOBODY)
		return HANDED_NOBODY;
	uint64_t key = handed_reader_key(h, readers, seat);
	uint64_t known = counts_count(&h->larger, key);

	if (known)
		return (uint32_t)known - 1;
	uint32_t set = make_set(h, readers, seat);

	if (set == HANDED_NOBODY)
		return set;
	counts_add(&h->larger, key);
	h->larger.slots[counts_find(&h->larger, key)].count = (uint64_t)set + 1;
	return set;
}

bool handed_readers_before(const struct handed *h, uint32_t readers, uint32_t thread)
{
	const struct handed_readers *set = &h->sets.at[readers];
	uint32_t seat = handed_seat(h, thread);

	for (uint32_t i = 0; i < set->n; i++) {
		const struct handed_reader *r = &h->readers.at[set->first + i];

		if (r->seat != seat && !handed_seat_before(h, r->seat, r->time, seat))
			return false;
	}
	return true;
}

void handed_note_shared(struct handed *h, uint64_t granule)
{
	*(uint8_t *)pages_cell(&h->shared, granule, true) = 1;
}
