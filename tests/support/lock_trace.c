/* SPDX-License-Identifier: MIT */
#include "tests/support/lock_trace.h"

#include "tests/support/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOCKS_MAX 5
#define DEEP 3

struct thread {
	bool started, joined;
	int held[DEEP], count; /* in the order in which they were taken */
	int sleeps;	       /* 1 + the lock that it gave back to wait, or 0 */
	bool noticed;	       /* somebody has to wake it, */
	uint32_t woken_by;     /* and this event did */
	uint32_t read;	       /* its last one, or 0 */
};

struct world {
	struct random r;
	FILE *out;
	uint32_t events;
	int threads, locks;
	struct thread thread[LOCK_TRACE_THREADS];
	int writer[LOCKS_MAX], readers[LOCKS_MAX]; /* writer: the thread + 1 */
	int flag;
	bool shared, conditions, forks, places;
};

static bool percent(struct world *w, uint32_t of_100)
{
	return random_percent(&w->r, of_100);
}

static void end_line(struct world *w)
{
	if (w->places)
		fprintf(w->out, " @a.c:%u", 1 + random_below(&w->r, 4));
	fputc('\n', w->out);
	w->events++;
}

static void take(struct world *w, int t)
{
	struct thread *thread = &w->thread[t];
	int lock = (int)random_below(&w->r, (uint32_t)w->locks);
	bool shared = w->shared && percent(w, 50);

	if (thread->count == DEEP || w->writer[lock] || (w->readers[lock] && !shared))
		return;
	for (int i = 0; i < thread->count; i++)
		if (thread->held[i] == lock)
			return;
	if (shared)
		w->readers[lock]++;
	else
		w->writer[lock] = t + 1;
	thread->held[thread->count++] = lock;
	fprintf(w->out, "t%d %s l%d", t, shared ? "acquire-shared" : "acquire", lock);
	if (!random_below(&w->r, 8))
		fputs(" try", w->out);
	end_line(w);
}

static void drop(struct world *w, struct thread *thread, int i)
{
	int lock = thread->held[i];

	thread->count--;
	memmove(thread->held + i, thread->held + i + 1,
		(size_t)(thread->count - i) * sizeof(*thread->held));
	if (w->writer[lock])
		w->writer[lock] = 0;
	else
		w->readers[lock]--;
}

static void leave(struct world *w, int t)
{
	struct thread *thread = &w->thread[t];

	if (!thread->count)
		return;
	int i = percent(w, 80) ? thread->count - 1 : 0;

	fprintf(w->out, "t%d %s l%d", t, w->writer[thread->held[i]] ? "release" : "release-shared",
		thread->held[i]);
	end_line(w);
	drop(w, thread, i);
}

static void look_at_flag(struct world *w, int t)
{
	struct thread *thread = &w->thread[t];

	switch (random_below(&w->r, 4)) {
	case 0:
		w->flag = (int)random_below(&w->r, 2);
		fprintf(w->out, "t%d write x %d reads=", t, w->flag);
		break;
	case 1:
		if (thread->read) {
			fprintf(w->out, "t%d branch reads=%u", t, thread->read);
			break;
		}
		/* fall through */
	default: fprintf(w->out, "t%d read x %d", t, w->flag); thread->read = w->events + 1;
	}
	end_line(w);
}

static void sleep_on(struct world *w, int t)
{
	struct thread *thread = &w->thread[t];

	if (!thread->count || !w->writer[thread->held[thread->count - 1]])
		return;
	thread->sleeps = thread->held[thread->count - 1] + 1;
	thread->noticed = percent(w, 70);
	thread->woken_by = 0;
	drop(w, thread, thread->count - 1);
	fprintf(w->out, "t%d wait c l%d", t, thread->sleeps - 1);
	end_line(w);
}

static void wake_up(struct world *w, int t)
{
	struct thread *thread = &w->thread[t];
	int lock = thread->sleeps - 1;

	if ((thread->noticed && !thread->woken_by) || w->writer[lock] || w->readers[lock])
		return;
	if (thread->woken_by)
		fprintf(w->out, "t%d woken c l%d by=%u", t, lock, thread->woken_by);
	else
		fprintf(w->out, "t%d woken c l%d by=-", t, lock);
	end_line(w);
	thread->sleeps = 0;
	w->writer[lock] = t + 1;
	thread->held[thread->count++] = lock;
}

/* One of those that sleep, or all of them. */
static void wake_others(struct world *w, int t)
{
	bool all = percent(w, 30);

	for (int i = 0; i < w->threads; i++) {
		struct thread *thread = &w->thread[i];

		if (!thread->sleeps || !thread->noticed || thread->woken_by)
			continue;
		thread->woken_by = w->events + 1;
		if (!all)
			break;
	}
	fprintf(w->out, "t%d %s c", t, all ? "broadcast" : "signal");
	end_line(w);
}

/* The first thread forks others, now or later, and may join one that holds nothing. */
static void fork_or_join(struct world *w)
{
	int other = 1 + (int)random_below(&w->r, (uint32_t)w->threads - 1);
	struct thread *thread = &w->thread[other];

	if (!thread->started) {
		thread->started = true;
		fprintf(w->out, "t0 fork t%d", other);
		end_line(w);
	} else if (!thread->joined && !thread->count && !thread->sleeps && percent(w, 15)) {
		thread->joined = true;
		fprintf(w->out, "t0 join t%d", other);
		end_line(w);
	}
}

static void step(struct world *w)
{
	int t = (int)random_below(&w->r, (uint32_t)w->threads);
	const struct thread *thread = &w->thread[t];
	uint32_t what = random_below(&w->r, 100);

	if (w->forks && percent(w, 15) && !w->thread[0].sleeps)
		fork_or_join(w);
	else if (!thread->started || thread->joined)
		return;
	else if (thread->sleeps)
		wake_up(w, t);
	else if (what < 50)
		take(w, t);
	else if (what < 80)
		leave(w, t);
	else if (w->conditions && what < 86)
		sleep_on(w, t);
	else if (w->conditions && what < 92)
		wake_others(w, t);
	else if (what > 95)
		look_at_flag(w, t);
}

/* Whoever was woken says so in the end: or its signal would have woken nobody. */
static bool wake_all(struct world *w)
{
	bool left = true;

	for (int round = 0; left && round < 2 * LOCK_TRACE_THREADS; round++) {
		left = false;
		for (int t = 0; t < w->threads; t++) {
			struct thread *thread = &w->thread[t];

			while (!thread->sleeps && thread->count)
				leave(w, t);
			if (thread->sleeps && thread->woken_by)
				wake_up(w, t);
			left |= thread->sleeps && thread->woken_by;
		}
	}
	return !left;
}

static bool is_awaited(const struct world *w)
{
	for (int t = 0; t < w->threads; t++)
		if (w->thread[t].sleeps && w->thread[t].woken_by)
			return true;
	return false;
}

char *lock_trace_make(uint64_t seed, uint32_t events)
{
	struct world w = {.r = random_seeded(seed), .shared = seed % 2};
	char *text = NULL;
	size_t size = 0;

	w.out = open_memstream(&text, &size);
	w.threads = 2 + (int)random_below(&w.r, LOCK_TRACE_THREADS - 1);
	w.locks = 3 + (int)random_below(&w.r, 3);
	w.conditions = percent(&w, 40);
	w.forks = percent(&w, 40);
	w.places = percent(&w, 50);
	w.thread[0].started = true;
	for (int t = 1; t < w.threads; t++)
		w.thread[t].started = !w.forks;
	for (uint32_t i = 0; w.events < events && i < 20 * events; i++)
		step(&w);
	bool good = !is_awaited(&w) || wake_all(&w);

	fclose(w.out);
	if (good)
		return text;
	/* they wait for each other */
	free(text);
	return lock_trace_make(seed + ((uint64_t)1 << 32), events);
}
