/*
 * Stuck threads: waits that may never end (order/waits.h), by the place in the source where the
 * thread waits. Joins are left out: whom a join waits for is stuck himself, so that every
 * stuck state has a wait of another kind. One stuck state answers for all the places at
 * which its threads wait, so that of these one is reported, with all waits.
 */
#include "model/sites.h"
#include "order/waits.h"
#include "predict/candidates.h"

struct site_waits {
	VEC(uint32_t) events;
};

struct stuck {
	struct sites sites;
	VEC(struct site_waits)
	waits; /* by the numbers of the sites, which are those of candidates */
};

static int nominate_stuck(struct candidates *c, uint32_t kind, const struct predict_options *o,
			  struct err *err)
{
	struct stuck *stuck = mem_alloc_zero(1, sizeof(*stuck));
	struct sections *sections = sections_new(c->index);
	struct waits waits = {0};

	(void)o, (void)err;
	c->kinds[kind].data = stuck;
	waits_find(c->index, sections, &waits);
	sections_free(sections);
	for (size_t i = 0; i < waits.events.n; i++) {
		uint32_t n = waits.events.at[i];
		const struct event *e = &c->index->events[n];

		if (e->kind == EV_JOIN)
			continue;
		uint32_t site = sites_add(&stuck->sites, e);

		vec_extend(&stuck->waits, (size_t)site + 1);
		vec_push(&stuck->waits.at[site].events, n);
	}
	vec_release(&waits.events);
	for (size_t i = 0; i < stuck->waits.n; i++) {
		struct candidate candidate = {
			.number = (uint32_t)i,
			.first = {1, {stuck->waits.at[i].events.at[0]}},
			.instances = stuck->waits.at[i].events.n,
		};

		candidates_add(c, kind, candidate);
	}
	return 0;
}

static void list_stuck(const struct candidates *c, const struct candidate *candidate, size_t most,
		       struct instances *out)
{
	const struct stuck *stuck = c->kinds[candidate->kind].data;
	const struct site_waits *waits = &stuck->waits.at[candidate->number];

	for (size_t i = 0; i < waits->events.n && i < most; i++)
		instances_add(out, &waits->events.at[i], 1);
	out->all = waits->events.n <= most;
}

static void release_stuck(void *data)
{
	struct stuck *stuck = data;

	for (size_t i = 0; i < stuck->waits.n; i++)
		vec_release(&stuck->waits.at[i].events);
	vec_release(&stuck->waits);
	sites_release(&stuck->sites);
	mem_free(stuck);
}

/* The sites at which threads wait after the run. */
static void add_sites(const struct index *index, struct finding *f, struct sites *sites)
{
	uint32_t *done = mem_alloc_zero(index->thread_count, sizeof(*done));

	finding_open(f);
	for (size_t i = 0; i < f->witness.run.n; i++)
		done[index->events[f->witness.run.at[i]].thread]++;
	finding_close(f);
	for (uint32_t t = 0; t < index->thread_count; t++) {
		const struct index_thread *thread = &index->threads[t];
		uint32_t fork = thread->fork;
		bool exists = !fork || index->position[fork] < done[index->events[fork].thread];

		if (exists && done[t] < thread->count)
			sites_add(sites, &index->events[thread->events[done[t]]]);
	}
	mem_free(done);
}

static bool is_among(const struct index *index, const struct sites *sites, uint64_t event)
{
	return sites_find(sites, &index->events[event]) != SITE_NONE;
}

/* Findings come by their events, so that who is kept does not depend on who was found first. */
static void merge_stuck(struct prediction *p)
{
	struct sites told = {0};
	size_t kept = 0;

	for (size_t i = 0; i < p->findings.n; i++) {
		struct finding *f = &p->findings.at[i];
		bool is_stuck = f->witness.bug == BUG_STUCK;

		if (is_stuck && is_among(p->index, &told, f->witness.bug_events.at[0])) {
			finding_release(f);
			p->kinds[BUG_STUCK].signatures--;
			continue;
		}
		if (is_stuck)
			add_sites(p->index, f, &told);
		p->findings.at[kept++] = *f;
	}
	p->findings.n = kept;
	kept = 0;
	for (size_t i = 0; i < p->undecided.n; i++) {
		const struct undecided *u = &p->undecided.at[i];

		if (u->bug == BUG_STUCK && u->closest.count &&
		    is_among(p->index, &told, u->closest.at[0]))
			p->kinds[BUG_STUCK].signatures--;
		else
			p->undecided.at[kept++] = *u;
	}
	p->undecided.n = kept;
	sites_release(&told);
}

const struct predict_kind predict_stuck = {
	.bug = BUG_STUCK,
	.help = "waits that nobody can end, with all other threads waiting or over",
	.instance = "wait",
	.between = ',',
	.nominate = nominate_stuck,
	.list = list_stuck,
	.release = release_stuck,
	.merge = merge_stuck,
};
