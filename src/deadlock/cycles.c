/* SPDX-License-Identifier: MIT */
#include "deadlock/cycles_parts.h"

struct cycles *cycles_new(const struct index *index)
{
	struct cycles *c = mem_alloc_zero(1, sizeof(*c));

	c->index = index;
	c->wants = wants_new(index);
	lock_graph_init(&c->graph, c->wants);
	struct needs *needs = needs_new(index);

	c->past = past_new(index, needs);
	needs_free(needs);
	return c;
}

void cycles_free(struct cycles *c)
{
	if (!c)
		return;
	lock_graph_release(&c->graph);
	wants_free(c->wants);
	past_free(c->past);
	mem_free(c->site_first);
	mem_free(c->of_site);
	intern_release(&c->met);
	vec_release(&c->may_meet);
	mem_free(c);
}

const struct wants *cycles_wants(const struct cycles *c)
{
	return c->wants;
}

static const struct want_hold *find_hold(const struct cycles *c, uint32_t want, uint32_t lock)
{
	size_t n;
	const struct want_hold *holds = wants_holds(c->wants, want, &n);

	for (size_t i = 0; i < n; i++)
		if (holds[i].lock == lock)
			return &holds[i];
	return NULL;
}

uint32_t cycles_held_at(const struct cycles *c, const uint32_t *wants, uint32_t n, uint32_t i)
{
	const struct want_hold *hold =
		find_hold(c, wants[i], c->wants->all.at[wants[(i + n - 1) % n]].lock);

	ASSERT(hold);
	return hold->site;
}

/* The search: paths of wants, each of which waits for the next, from the lowest of them. */
struct search {
	struct cycles *c;
	cycles_found *found;
	void *context;
	uint64_t steps_left;  /* UINT64_MAX: no limit */
	bool stopped;	      /* at the limit, or by the caller */
	uint32_t above, most; /* cycles of more than `above` and at most `most` wants */
	bool deeper;	      /* there are paths of more than `most` */
	const struct cycle_places *places; /* NULL: any */
	uint32_t place_count;
	VEC(uint32_t) path;
	bool *threads; /* on the path */
	/* of each lock: how many on the path hold it */
	uint32_t *readers, *writers;
};

static bool step(struct search *s)
{
	if (s->stopped)
		return false;
	if (!s->steps_left) {
		s->stopped = true;
		return false;
	}
	if (s->steps_left != UINT64_MAX)
		s->steps_left--;
	return true;
}

/*
 * Is there an acquire of each that are not ordered? Both lists ascend, and so does what comes
 * before their events: if b comes after a in every execution, so do those after b.
 */
static bool find_meeting(struct search *s, uint32_t x, uint32_t y)
{
	const struct cycles *c = s->c;
	const struct want *v = &c->wants->all.at[x], *w = &c->wants->all.at[y];
	const uint32_t *a = c->wants->events + v->first, *b = c->wants->events + w->first;
	uint32_t k = 0;

	for (uint32_t i = 0; i < v->count && step(s); i++) {
		while (k < w->count && past_has(c->past, c->index, a[i], b[k]) && step(s))
			k++;
		if (k == w->count)
			return false;
		if (!past_has(c->past, c->index, b[k], a[i]))
			return true;
	}
	return false;
}

/* No acquire of x comes after one of y in every execution: the last of x knows most. */
static bool knows_none(const struct cycles *c, uint32_t x, uint32_t y)
{
	const struct want *v = &c->wants->all.at[x], *w = &c->wants->all.at[y];
	const uint32_t *events = c->wants->events;

	return !past_has(c->past, c->index, events[v->first + v->count - 1], events[w->first]);
}

static bool may_meet(struct search *s, uint32_t x, uint32_t y)
{
	struct cycles *c = s->c;

	if (knows_none(c, x, y) && knows_none(c, y, x))
		return true;
	uint32_t key[2] = {x < y ? x : y, x < y ? y : x};
	uint32_t number = intern_add(&c->met, (const char *)key, sizeof(key));

	if (number == c->may_meet.n)
		vec_push(&c->may_meet, find_meeting(s, key[0], key[1]) || s->stopped);
	return c->may_meet.at[number];
}

/* Another thread, that is not kept out by a lock which somebody on the path holds. */
static bool fits(const struct search *s, uint32_t want)
{
	size_t n;
	const struct want_hold *holds = wants_holds(s->c->wants, want, &n);

	if (s->threads[s->c->wants->all.at[want].thread])
		return false;
	for (size_t i = 0; i < n; i++)
		if (s->writers[holds[i].lock] || (!holds[i].shared && s->readers[holds[i].lock]))
			return false;
	return true;
}

static void put_on_path(struct search *s, uint32_t want, bool on)
{
	size_t n;
	const struct want_hold *holds = wants_holds(s->c->wants, want, &n);

	s->threads[s->c->wants->all.at[want].thread] = on;
	for (size_t i = 0; i < n; i++) {
		uint32_t *count =
			holds[i].shared ? &s->readers[holds[i].lock] : &s->writers[holds[i].lock];

		*count += on ? 1 : -1;
	}
	if (on)
		vec_push(&s->path, want);
	else
		s->path.n--;
}

/* What was compared on the way are neighbours; here it is all with all. */
static bool all_may_meet(struct search *s)
{
	for (size_t i = 0; i < s->path.n; i++)
		for (size_t k = i + 1; k < s->path.n; k++)
			if (!may_meet(s, s->path.at[i], s->path.at[k]))
				return false;
	return true;
}

/* Whoever wants lock `want->lock` waits for the hold of the link. */
static bool blocks(const struct want *want, const struct link *link)
{
	return !want->shared || !link->shared;
}

static bool can_follow(struct search *s, const struct link *link)
{
	uint32_t last = s->path.at[s->path.n - 1];

	return step(s) && link->want > s->path.at[0] && blocks(&s->c->wants->all.at[last], link) &&
	       fits(s, link->want) && may_meet(s, last, link->want);
}

/* With one more want the path is a cycle: of those that want the lock which the first holds. */
static void close_path(struct search *s, const struct want_hold *hold)
{
	const struct cycles *c = s->c;
	const struct want *last = &c->wants->all.at[s->path.at[s->path.n - 1]];
	const struct lock_edge *e = lock_graph_edge(&c->graph, last->lock, hold->lock);

	for (uint32_t i = 0; e && i < e->count && !s->stopped; i++) {
		const struct link *link = &c->graph.links[e->first + i];

		if ((c->wants->all.at[link->want].shared && hold->shared) || !can_follow(s, link))
			continue;
		put_on_path(s, link->want, true);
		if (all_may_meet(s) && !s->stopped &&
		    !s->found(s->context, s->path.at, (uint32_t)s->path.n))
			s->stopped = true;
		put_on_path(s, link->want, false);
	}
}

static void extend_path(struct search *s)
{
	const struct cycles *c = s->c;
	uint32_t lock = c->wants->all.at[s->path.at[s->path.n - 1]].lock;
	bool is_long = s->path.n + 1 >= s->most;
	size_t n;
	const struct want_hold *holds = wants_holds(c->wants, s->path.at[0], &n);

	for (size_t i = 0; s->path.n >= s->above && i < n; i++)
		close_path(s, &holds[i]);
	if (is_long && s->deeper)
		return;
	for (uint32_t i = c->graph.first[lock]; i < c->graph.first[lock + 1]; i++) {
		const struct lock_edge *e = &c->graph.edges.at[c->graph.of_lock[i]];

		for (uint32_t k = 0; k < e->count && !s->stopped; k++) {
			const struct link *link = &c->graph.links[e->first + k];

			if (!can_follow(s, link))
				continue;
			if (is_long) {
				s->deeper = true;
				return;
			}
			put_on_path(s, link->want, true);
			extend_path(s);
			put_on_path(s, link->want, false);
		}
	}
}

/* Cycles at some places: the same paths, along the few wants that stand there */

static void sort_by_site(struct cycles *c)
{
	size_t sites = c->wants->sites.keys.strings.n;

	c->site_first = mem_alloc_zero(sites + 2, sizeof(*c->site_first));
	c->of_site = mem_alloc((c->wants->all.n + 1) * sizeof(*c->of_site));
	for (uint32_t w = 0; w < c->wants->all.n; w++)
		c->site_first[c->wants->all.at[w].site + 2]++;
	for (size_t s = 2; s < sites + 2; s++)
		c->site_first[s] += c->site_first[s - 1];
	for (uint32_t w = 0; w < c->wants->all.n; w++)
		c->of_site[c->site_first[c->wants->all.at[w].site + 1]++] = w;
}

static bool is_place(const struct search *s, uint32_t held_at, uint32_t wanted_at)
{
	for (uint32_t i = 0; i < s->place_count; i++)
		if (s->places[i].held_at == held_at && s->places[i].wanted_at == wanted_at)
			return true;
	return false;
}

/* The last one on the path wants what the first one holds. */
static void close_at_places(struct search *s)
{
	const struct wants *wants = s->c->wants;
	const struct want *first = &wants->all.at[s->path.at[0]];
	const struct want *last = &wants->all.at[s->path.at[s->path.n - 1]];
	const struct want_hold *hold = find_hold(s->c, s->path.at[0], last->lock);

	if (!hold || (hold->shared && last->shared) || !is_place(s, hold->site, first->site))
		return;
	if (all_may_meet(s) && !s->stopped &&
	    !s->found(s->context, s->path.at, (uint32_t)s->path.n))
		s->stopped = true;
}

static void extend_at_places(struct search *s)
{
	const struct cycles *c = s->c;
	uint32_t lock = c->wants->all.at[s->path.at[s->path.n - 1]].lock;

	for (uint32_t p = 0; p < s->place_count; p++) {
		uint32_t site = s->places[p].wanted_at;

		for (uint32_t i = c->site_first[site]; i < c->site_first[site + 1]; i++) {
			const struct want_hold *hold = find_hold(c, c->of_site[i], lock);

			if (!step(s))
				return;
			if (!hold || hold->site != s->places[p].held_at ||
			    !can_follow(s, &(struct link){c->of_site[i], hold->shared}))
				continue;
			put_on_path(s, c->of_site[i], true);
			close_at_places(s);
			extend_at_places(s);
			put_on_path(s, c->of_site[i], false);
		}
	}
}

/* A want that could be the lowest of a cycle. */
static bool is_on_edge(const struct cycles *c, uint32_t want)
{
	size_t n;
	const struct want_hold *holds = wants_holds(c->wants, want, &n);

	for (size_t i = 0; i < n; i++)
		if (lock_graph_edge(&c->graph, holds[i].lock, c->wants->all.at[want].lock))
			return true;
	return false;
}

static struct search start_search(struct cycles *c, uint64_t steps, cycles_found *found,
				  void *context)
{
	size_t locks = symbols_count(c->index->symbols, CLASS_LOCK);
	struct search s = {.c = c,
			   .found = found,
			   .context = context,
			   .steps_left = steps ? steps : UINT64_MAX,
			   .above = 1,
			   .most = 2,
			   .deeper = true};

	s.threads = mem_alloc_zero(c->index->thread_count, sizeof(*s.threads));
	s.readers = mem_alloc_zero(locks + 1, sizeof(*s.readers));
	s.writers = mem_alloc_zero(locks + 1, sizeof(*s.writers));
	return s;
}

static bool end_search(struct search *s)
{
	vec_release(&s->path);
	mem_free(s->threads);
	mem_free(s->readers);
	mem_free(s->writers);
	return !s->stopped;
}

bool cycles_each_at(struct cycles *c, const struct cycle_places *places, uint32_t count,
		    uint64_t steps, cycles_found *found, void *context)
{
	struct search s = start_search(c, steps, found, context);

	s.places = places;
	s.place_count = count;
	if (!c->site_first)
		sort_by_site(c);
	for (uint32_t p = 0; p < count; p++) {
		uint32_t site = places[p].wanted_at;
		bool again = false; /* places of one site share its wants */

		for (uint32_t q = 0; q < p; q++)
			again |= places[q].wanted_at == site;
		for (uint32_t i = c->site_first[site]; !again && i < c->site_first[site + 1]; i++) {
			put_on_path(&s, c->of_site[i], true);
			extend_at_places(&s);
			put_on_path(&s, c->of_site[i], false);
		}
	}
	return end_search(&s);
}

bool cycles_each(struct cycles *c, uint64_t steps, cycles_found *found, void *context)
{
	struct search s = start_search(c, steps, found, context);
	VEC(uint32_t) starts = {0};

	for (uint32_t w = 0; w < c->wants->all.n; w++)
		if (is_on_edge(c, w))
			vec_push(&starts, w);
	while (s.deeper && !s.stopped) {
		s.deeper = false;
		for (size_t i = 0; i < starts.n && !s.stopped; i++) {
			put_on_path(&s, starts.at[i], true);
			extend_path(&s);
			put_on_path(&s, starts.at[i], false);
		}
		s.above = s.most;
		/* paths are gone along again each time: few times, if they are long */
		s.most += s.most < 4 ? 1 : s.most;
	}
	vec_release(&starts);
	return end_search(&s);
}

uint32_t cycles_count_places(const struct cycles *c)
{
	uint32_t held_at = 0, wanted_at = 0, count = 0;

	for (uint32_t w = 0; w < c->wants->all.n && count < 2; w++) {
		const struct want *want = &c->wants->all.at[w];
		size_t n;
		const struct want_hold *holds = wants_holds(c->wants, w, &n);

		for (size_t i = 0; i < n; i++) {
			if (!lock_graph_edge(&c->graph, holds[i].lock, want->lock) ||
			    (count && holds[i].site == held_at && want->site == wanted_at))
				continue;
			held_at = holds[i].site;
			wanted_at = want->site;
			count++;
		}
	}
	return count < 2 ? count : 2;
}
