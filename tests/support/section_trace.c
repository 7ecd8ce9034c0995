#include "tests/support/section_trace.h"

#include "tests/support/random.h"

#include <stdio.h>
#include <string.h>

#define THREADS_MAX 24
#define ALIVE_MAX 4
#define LOCKS_MAX 4
#define VARIABLES_MAX 6

struct thread {
	bool forked, done;
	int held[LOCKS_MAX], held_count; /* in the order in which they were taken */
	uint32_t reads[SECTION_TRACE_EVENTS_MAX];
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
	bool with_shared;
	bool turnover; /* threads come and go */
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

static void access_variable(struct world *w, int t)
{
	struct thread *thread = &w->thread[t];
	int variable = below(w, w->variables);
	bool write = percent(w, 50);

	if (!thread->held_count && !percent(w, w->outside))
		return;
	if (write)
		w->value[variable] = below(w, 3);
	print(w, t, write ? "write" : "read", "x", variable);
	fprintf(w->out, " %d\n", w->value[variable]);
	if (!write)
		thread->reads[thread->read_count++] = w->events;
}

static void branch(struct world *w, int t)
{
	struct thread *thread = &w->thread[t];

	fprintf(w->out, "t%d branch", t);
	w->events++;
	if (thread->read_count && percent(w, 40))
		fprintf(w->out, " reads=%u", thread->reads[below(w, thread->read_count)]);
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

	if (other == t || !thread->forked || thread->done ||
	    (thread->held_count && !percent(w, 5)))
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
	w.with_shared = percent(&w, 25);
	w.outside = (uint32_t)below(&w, 40);
	for (int i = 0; i < w.variables; i++)
		if (percent(&w, 12))
			fprintf(w.out, "volatile x%d\n", i);
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
