#include "model/mhb.h"

struct rounds {
	VEC(uint32_t) enters; /* for each round, a stretch that knows them */
};

struct builder {
	struct mhb *mhb;
	const struct index *index;
	uint32_t *now;   /* of each thread: its stretch */
	uint32_t *fresh; /* of each thread: the event that its stretch began with */
	uint32_t *alloc, *external; /* of each variable: the last one, or 0 */
	uint32_t *once_end;         /* of each once */
	struct rounds *rounds;      /* of each barrier */
};

static uint32_t *clock_of(struct mhb *mhb, uint32_t stretch)
{
	return mhb->clocks.at + (size_t)stretch * mhb->index->thread_count;
}

/* A copy of an old stretch's clock. Stretch 0 is that of threads who know of nobody. */
static uint32_t new_stretch(struct mhb *mhb, uint32_t from)
{
	size_t threads = mhb->index->thread_count;
	size_t n = mhb->clocks.n;

	vec_extend(&mhb->clocks, n + threads);
	for (size_t t = 0; t < threads; t++)
		mhb->clocks.at[n + t] = mhb->clocks.at[from * threads + t];
	return (uint32_t)(n / threads);
}

static void join_clock(struct mhb *mhb, uint32_t to, uint32_t from)
{
	uint32_t *a = clock_of(mhb, to), *b = clock_of(mhb, from);

	for (uint32_t t = 0; t < mhb->index->thread_count; t++)
		if (b[t] > a[t])
			a[t] = b[t];
}

static void join_event(struct mhb *mhb, uint32_t to, uint32_t event)
{
	uint32_t *count;

	join_clock(mhb, to, mhb->stretch[event]);
	count = &clock_of(mhb, to)[mhb->index->events[event].thread];
	if (*count <= mhb->index->position[event])
		*count = mhb->index->position[event] + 1;
}

/* The stretch of event n, which is to learn something: a new one, once for each event. */
static uint32_t own_stretch(struct builder *b, uint32_t n)
{
	uint32_t thread = b->index->events[n].thread;

	if (b->fresh[thread] != n) {
		b->now[thread] = new_stretch(b->mhb, b->now[thread]);
		b->fresh[thread] = n;
	}
	return b->now[thread];
}

/* An edge from an earlier event (0: none) to event n. */
static void add_edge(struct builder *b, uint32_t from, uint32_t n)
{
	uint32_t thread = b->index->events[n].thread, other = b->index->events[from].thread;

	/* what knows the event knows all that is before it */
	if (from && other != thread &&
	    clock_of(b->mhb, b->now[thread])[other] <= b->index->position[from])
		join_event(b->mhb, own_stretch(b, n), from);
}

/* The place in the list of the first event after that one. */
static uint32_t first_after(const struct index_list *list, uint32_t event)
{
	uint32_t low = 0, high = list->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (list->events[middle] <= event)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void learn_of_accesses(struct builder *b, uint32_t n)
{
	const struct event *e = &b->index->events[n];

	for (uint32_t i = 0; i < event_part_count(e); i++) {
		uint32_t variable = event_part(e, i).variable;
		const struct index_list *list = &b->index->uses[CLASS_VARIABLE][variable];

		add_edge(b, b->alloc[variable], n);
		add_edge(b, b->external[variable], n);
		if (e->kind != EV_EXTERNAL)
			continue;
		/* what is before the last external is before this one by way of that */
		uint32_t j = first_after(list, b->external[variable]);

		for (; list->events[j] < n; j++)
			add_edge(b, list->events[j], n);
	}
}

/* Edges to event n. */
static void learn(struct builder *b, uint32_t n)
{
	const struct index *index = b->index;
	const struct event *e = &index->events[n];
	const struct index_thread *joined;

	switch (e->kind) {
	case EV_JOIN:
		joined = &index->threads[e->object];
		if (joined->count)
			add_edge(b, joined->events[joined->count - 1], n);
		break;
	case EV_SIGNAL:
	case EV_BROADCAST:
		/* a wait stands right before its woken */
		for (uint32_t i = index_first_wake(index, n);
		     i < index->wake_count && index->wakes[i].by == n; i++) {
			uint32_t woken = index->wakes[i].woken;
			uint32_t thread = index->events[woken].thread;

			add_edge(b, index->threads[thread].events[index->position[woken] - 1], n);
		}
		break;
	case EV_WOKEN: add_edge(b, (uint32_t)e->more->by, n); break;
	case EV_BARRIER_EXIT: {
		uint32_t to = own_stretch(b, n);

		join_clock(b->mhb, to, b->rounds[e->object].enters.at[index->round[n]]);
		break;
	}
	case EV_ONCE_PASS: add_edge(b, b->once_end[e->object], n); break;
	default:
		if (event_is(e, EV_ACCESS))
			learn_of_accesses(b, n);
	}
}

/* Keeps event n for those who learn of it. */
static void tell(struct builder *b, uint32_t n)
{
	const struct event *e = &b->index->events[n];
	uint32_t *last = e->kind == EV_ALLOC ? b->alloc : b->external;

	switch (e->kind) {
	case EV_FORK:
		b->now[e->object] = new_stretch(b->mhb, 0);
		join_event(b->mhb, b->now[e->object], n);
		break;
	case EV_BARRIER_ENTER:
		if (b->index->round[n] == b->rounds[e->object].enters.n)
			vec_push(&b->rounds[e->object].enters, new_stretch(b->mhb, 0));
		join_event(b->mhb, b->rounds[e->object].enters.at[b->index->round[n]], n);
		break;
	case EV_ONCE_END: b->once_end[e->object] = n; break;
	case EV_ALLOC:
	case EV_EXTERNAL:
		for (uint32_t i = 0; i < event_part_count(e); i++)
			last[event_part(e, i).variable] = n;
		break;
	default: break;
	}
}

struct mhb *mhb_new(const struct index *index)
{
	struct mhb *mhb = mem_alloc_zero(1, sizeof(*mhb));
	size_t variables = symbols_count(index->symbols, CLASS_VARIABLE);
	size_t barriers = symbols_count(index->symbols, CLASS_BARRIER);
	struct builder b = {
		.mhb = mhb,
		.index = index,
		.now = mem_alloc_zero(index->thread_count, sizeof(*b.now)),
		.fresh = mem_alloc_zero(index->thread_count, sizeof(*b.fresh)),
		.alloc = mem_alloc_zero(variables, sizeof(*b.alloc)),
		.external = mem_alloc_zero(variables, sizeof(*b.external)),
		.once_end = mem_alloc_zero(symbols_count(index->symbols, CLASS_ONCE),
					   sizeof(*b.once_end)),
		.rounds = mem_alloc_zero(barriers, sizeof(*b.rounds)),
	};

	mhb->index = index;
	mhb->stretch = mem_alloc_zero((size_t)index->count + 1, sizeof(*mhb->stretch));
	vec_extend(&mhb->clocks, index->thread_count);
	for (uint32_t n = 1; n <= index->count; n++) {
		learn(&b, n);
		mhb->stretch[n] = b.now[index->events[n].thread];
		tell(&b, n);
	}
	mem_free(b.now);
	mem_free(b.fresh);
	mem_free(b.alloc);
	mem_free(b.external);
	mem_free(b.once_end);
	for (size_t i = 0; i < barriers; i++)
		vec_release(&b.rounds[i].enters);
	mem_free(b.rounds);
	return mhb;
}

void mhb_free(struct mhb *mhb)
{
	if (!mhb)
		return;
	mem_free(mhb->stretch);
	vec_release(&mhb->clocks);
	mem_free(mhb);
}
