/* SPDX-License-Identifier: MIT */
#include "tests/support/section_trace.h"

#include "tests/support/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_MAX 24
#define ALIVE_MAX 4
#define LOCKS_MAX 4
#define VARIABLES_MAX 6
#define PHASE 200    /* events, after which all variables but the first are new ones */
#define READS_MAX 32 /* that a branch may name: a thread's last ones */

struct thread {
	bool forked, done;
	int held[LOCKS_MAX], held_count; /* in the order in which they were taken */
	uint32_t reads[READS_MAX];
	int read_count;
};

struct world {
	struct random r;
	FILE *out;
	uint32_t events; /* printed */
	int threads, locks, variables;
	struct thread thread[THREADS_MAX];
	int writer[LOCKS_MAX], readers[LOCKS_MAX]; /* writer: the thread + 1 */
	int value[VARIABLES_MAX];
	bool is_volatile[VARIABLES_MAX];
	uint32_t phase;
	bool with_shared;
	bool turnover;	  /* threads come and go */
	int places;	  /* source locations, 0: none */
	uint32_t outside; /* of 100 accesses, those that may stand outside sections */
};

static int below(struct world *w, int n)
{
	return (int)random_below(&w->r, (uint32_t)n);
}

static bool percent(struct world *w, uint32_t of_100)
{
	return random_percent(&w->r, of_100);
}

static void print(struct world *w, int t, const char *op, const char *letter, int number)
{
	fprintf(w->out, "t%d %s %s%d", t, op, letter, number);
	w->events++;
}

static bool holds(const struct thread *t, int lock)
{
	for (int i = 0; i < t->held_count; i++)
		if (t->held[i] == lock)
			return true;
	return false;
}

static void acquire(struct world *w, int t)
{
	struct thread *thread = &w->thread[t];
	int lock = below(w, w->locks);
	bool shared = w->with_shared && percent(w, 50);

	if (holds(thread, lock) || w->writer[lock] || (w->readers[lock] && !shared))
		return;
	if (shared)
		w->readers[lock]++;
	else
		w->writer[lock] = t + 1;
	thread->held[thread->held_count++] = lock;
	print(w, t, shared ? "acquire-shared" : "acquire", "l", lock);
	fputc('\n', w->out);
}

static void release(struct world *w, int t)
{
	struct thread *thread = &w->thread[t];
	int i = thread->held_count - 1;

	if (i < 0)
		return;
	if (percent(w, 15))
		i = 0;
	int lock = thread->held[i];

	thread->held_count--;
	memmove(thread->held + i, thread->held + i + 1,
		(size_t)(thread->held_count - i) * sizeof(int));
	print(w, t, w->writer[lock] ? "release" : "release-shared", "l", lock);
	fputc('\n', w->out);
	if (w->writer[lock])
		w->writer[lock] = 0;
	else
		w->readers[lock]--;
}

static int variable_number(const struct world *w, int variable)
{
	return variable ? variable + (int)w->phase * VARIABLES_MAX : 0;
}

static void declare_variables(struct world *w)
{
	for (int i = 0; i < w->variables; i++)
		if (w->is_volatile[i] && (i || !w->phase))
			fprintf(w->out, "volatile x%d\n", variable_number(w, i));
}

static void access_variable(struct world *w, int t)
{
	struct thread *thread = &w->thread[t];
	int variable = below(w, w->variables);
	bool write = percent(w, 50);

	if (!thread->held_count && !percent(w, w->outside))
		return;
	if (w->phase != w->events / PHASE) {
		w->phase = w->events / PHASE;
		memset(w->value + 1, 0, sizeof(w->value) - sizeof(*w->value));
		declare_variables(w);
	}
	if (write)
		w->value[variable] = below(w, 3);
	print(w, t, write ? "write" : "read", "x", variable_number(w, variable));
	fprintf(w->out, " %d", w->value[variable]);
	if (w->places)
		fprintf(w->out, " @a.c:%d", 1 + below(w, w->places));
	fputc('\n', w->out);
	if (!write)
		thread->reads[thread->read_count++ % READS_MAX] = w->events;
}

static void branch(struct world *w, int t)
{
	struct thread *thread = &w->thread[t];

	fprintf(w->out, "t%d branch", t);
	w->events++;
	int reads = thread->read_count < READS_MAX ? thread->read_count : READS_MAX;

	if (reads && percent(w, 40))
		fprintf(w->out, " reads=%u", thread->reads[below(w, reads)]);
	fputc('\n', w->out);
}

static int alive(const struct world *w)
{
	int n = 0;

	for (int i = 0; i < w->threads; i++)
		n += w->thread[i].forked && !w->thread[i].done;
	return n;
}

static void fork_one(struct world *w, int t)
{
	for (int other = 0; other < w->threads && alive(w) < ALIVE_MAX; other++) {
		if (w->thread[other].forked)
			continue;
		w->thread[other].forked = true;
		print(w, t, "fork", "t", other);
		fputc('\n', w->out);
		return;
	}
}

static void join_one(struct world *w, int t)
{
	int other = below(w, w->threads);
	struct thread *thread = &w->thread[other];

	if (other == t || !thread->forked || thread->done || (thread->held_count && !percent(w, 5)))
		return;
	thread->done = true;
	print(w, t, "join", "t", other);
	fputc('\n', w->out);
}

static void step(struct world *w, int t)
{
	int held = w->thread[t].held_count;
	int pick = below(w, 100);

	if (pick < 4)
		fork_one(w, t);
	else if (w->turnover ? pick < 10 : pick < 5)
		join_one(w, t);
	else if (pick < 15)
		branch(w, t);
	else if (pick < 52)
		access_variable(w, t);
	else if (held ? pick < 62 : pick < 95)
		acquire(w, t);
	else
		release(w, t);
}

char *section_trace_make(uint64_t seed, uint32_t events)
{
	struct world w = {.r = random_seeded(seed ^ 0x73656374)};
	char *text = NULL;
	size_t size = 0;
	int t = 0;

	w.out = open_memstream(&text, &size);
	w.turnover = percent(&w, 30);
	w.threads = w.turnover ? 4 + below(&w, THREADS_MAX - 3) : 2 + below(&w, 3);
	w.locks = 1 + below(&w, LOCKS_MAX);
	w.variables = 1 + below(&w, VARIABLES_MAX);
	w.with_shared = percent(&w, 40);
	w.places = percent(&w, 50) ? 1 + below(&w, 8) : 0;
	w.outside = (uint32_t)below(&w, 40);
	for (int i = 0; i < w.variables; i++)
		w.is_volatile[i] = percent(&w, 12);
	declare_variables(&w);
	for (int i = 0; i < w.threads; i++)
		w.thread[i].forked = i == 0 || (i < ALIVE_MAX && percent(&w, 70));
	for (int tries = 0; w.events < events && tries < 100 * (int)events; tries++) {
		struct thread *thread = &w.thread[t];

		/* sections are left before another thread goes on, mostly */
		if (!thread->forked || thread->done || percent(&w, thread->held_count ? 8 : 50)) {
			t = below(&w, w.threads);
			continue;
		}
		step(&w, t);
	}
	fclose(w.out);
	return text;
}

/* Groups of threads */

struct worker {
	bool forked, done, joined;
	int left; /* accesses and sections that it still has */
	int lock; /* that it holds, or -1 */
};

struct groups {
	struct random r;
	FILE *out;
	struct worker *workers;	 /* of the group; the first is the one that forks and joins */
	int worker_count, first; /* first: the number of workers[1] among all */
	int variables, locks;
	int places; /* source locations, 0: none */
	int value[VARIABLES_MAX];
	bool taken[LOCKS_MAX];
};

static void print_worker(struct groups *g, int i)
{
	if (i)
		fprintf(g->out, "w%d ", g->first + i);
	else
		fputs("main ", g->out);
}

static void access_by(struct groups *g, int i)
{
	int variable = (int)random_below(&g->r, (uint32_t)g->variables);
	bool write = random_percent(&g->r, 50);

	if (write)
		g->value[variable] = (int)random_below(&g->r, 3);
	print_worker(g, i);
	fprintf(g->out, "%s x%d %d", write ? "write" : "read", variable, g->value[variable]);
	if (g->places)
		fprintf(g->out, " @w.c:%d", 1 + (int)random_below(&g->r, (uint32_t)g->places));
	fputc('\n', g->out);
}

static void work(struct groups *g, int i)
{
	struct worker *w = &g->workers[i];
	int lock = (int)random_below(&g->r, (uint32_t)g->locks);

	if (w->lock >= 0 && random_percent(&g->r, 40)) {
		print_worker(g, i);
		fprintf(g->out, "release l%d\n", w->lock);
		g->taken[w->lock] = false;
		w->lock = -1;
	} else if (w->lock >= 0) {
		access_by(g, i);
	} else if (!w->left) {
		w->done = true;
	} else if (random_percent(&g->r, 50)) {
		w->left--;
		access_by(g, i);
	} else if (random_percent(&g->r, 25)) {
		w->left--;
		print_worker(g, i);
		fputs("branch\n", g->out);
	} else if (!g->taken[lock]) {
		w->left--;
		w->lock = lock;
		g->taken[lock] = true;
		print_worker(g, i);
		fprintf(g->out, "acquire l%d\n", lock);
	}
}

/* Somebody at work forks the next one, or joins one that is done. */
static void fork_or_join(struct groups *g, int i)
{
	int other = (int)random_below(&g->r, (uint32_t)g->worker_count);
	struct worker *w = &g->workers[other];

	if (!w->forked)
		w->forked = true;
	else if (other && w->done && !w->joined)
		w->joined = true;
	else
		return;
	print_worker(g, i);
	fprintf(g->out, "%s w%d\n", w->joined ? "join" : "fork", g->first + other);
}

static void run_group(struct groups *g)
{
	int running = g->worker_count;

	for (int i = 0; i < g->worker_count; i++)
		g->workers[i] = (struct worker){
			.forked = i == 0, .left = 1 + (int)random_below(&g->r, 8), .lock = -1};
	while (running) {
		int i = (int)random_below(&g->r, (uint32_t)g->worker_count);

		if (g->workers[i].done || !g->workers[i].forked)
			continue;
		if (random_percent(&g->r, 20))
			fork_or_join(g, i);
		/* the first stays to fork those that are left */
		else if (i || g->workers[i].left || g->workers[i].lock >= 0 || running == 1)
			work(g, i);
		running -= g->workers[i].done;
	}
	for (int i = 1; i < g->worker_count; i++)
		if (!g->workers[i].joined && !random_percent(&g->r, 3))
			fprintf(g->out, "main join w%d\n", g->first + i);
}

char *group_trace_make(uint64_t seed, uint32_t groups, uint32_t size)
{
	struct groups g = {.r = random_seeded(seed ^ 0x67726f75)};
	char *text = NULL;
	size_t length = 0;

	g.out = open_memstream(&text, &length);
	g.workers = calloc(size + (size_t)1, sizeof(*g.workers));
	g.variables = 1 + (int)random_below(&g.r, VARIABLES_MAX);
	g.locks = 1 + (int)random_below(&g.r, LOCKS_MAX);
	g.places = seed % 2 ? 1 + (int)random_below(&g.r, 20) : 0;
	for (uint32_t i = 0; i < groups; i++) {
		g.worker_count = 2 + (int)random_below(&g.r, size);
		run_group(&g);
		g.first += g.worker_count - 1;
	}
	fclose(g.out);
	free(g.workers);
	return text;
}
