/* SPDX-License-Identifier: MIT */
#include "tests/support/list_trace.h"

#include "tests/support/random.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS_MOST 3
#define OBJECTS 3

/* A thread between two of its steps. */
enum doing { IDLE, TAKING, USING, GIVING };

struct lister {
	enum doing doing;
	uint32_t step;
	uint32_t object;     /* that it has, from 1; 0: none */
	uint32_t got, next;  /* the reads that gave it that, and what comes behind it */
	uint32_t next_value; /* and that address */
};

struct list_trace {
	FILE *text;
	struct random random;
	struct lister threads[THREADS_MOST];
	uint32_t count, threads_count;
	uint32_t head, next[OBJECTS + 1], data[OBJECTS + 1];
	uint32_t holder; /* 1 + the thread that has the lock, or 0 */
	bool unlocked;	 /* some sections take no lock */
	bool careless;	 /* some guards are missing */
	bool again;	 /* the head is read twice, and written twice */
	bool atomic;	 /* it changes in one step */
};

static void put(struct list_trace *l, uint32_t thread, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void put(struct list_trace *l, uint32_t thread, const char *format, ...)
{
	va_list args;

	fprintf(l->text, "T%u ", thread + 1);
	va_start(args, format);
	vfprintf(l->text, format, args);
	va_end(args);
	putc('\n', l->text);
	l->count++;
}

/* Something that makes sure of the address, or not. */
static void guard(struct list_trace *l, uint32_t thread)
{
	struct lister *t = &l->threads[thread];

	switch (random_below(&l->random, l->careless ? 6 : 4)) {
	case 0: put(l, thread, "branch if (= %%%u %u)", t->got, t->object); break;
	case 1: put(l, thread, "branch reads=%u", t->got); break;
	case 2:
		put(l, thread, "branch if (= (ite (!= %%%u 0) %%%u 0) %u) opaque", t->got, t->got,
		    t->object);
		break;
	case 3: put(l, thread, "branch"); break;
	default: put(l, thread, "branch if (!= %%%u 0)", t->got); break;
	}
}

static bool lock(struct list_trace *l, uint32_t thread)
{
	if (l->atomic || (l->unlocked && random_percent(&l->random, 20)))
		return true;
	if (l->holder)
		return false;
	l->holder = thread + 1;
	put(l, thread, "acquire L");
	return true;
}

static void unlock(struct list_trace *l, uint32_t thread)
{
	if (l->holder != thread + 1)
		return;
	l->holder = 0;
	put(l, thread, "release L");
}

/* read the head; what is behind it; that is the head; guards of it in an arm, perhaps. */
static void take(struct list_trace *l, uint32_t thread)
{
	struct lister *t = &l->threads[thread];

	switch (t->step++) {
	case 0:
		if (!lock(l, thread))
			t->step--;
		break;
	case 1:
		if (l->again && random_percent(&l->random, 30))
			put(l, thread, "read head %u", l->head);
		t->object = l->head;
		if (l->atomic && t->object) {
			t->next_value = l->next[t->object];
			put(l, thread, "rmw head %u %u reads=", l->head, t->next_value);
			l->head = t->next_value;
			t->got = l->count;
			t->next = 0;
			t->step = 4;
			break;
		}
		put(l, thread, "read head %u", l->head);
		t->got = l->count;
		if (t->object)
			break;
		unlock(l, thread);
		t->doing = IDLE;
		break;
	case 2:
		if (random_percent(&l->random, 50))
			guard(l, thread);
		put(l, thread, "read next%u %u at=%u", t->object, l->next[t->object], t->got);
		t->next = l->count;
		t->next_value = l->next[t->object];
		break;
	case 3:
		if (l->again && random_percent(&l->random, 30))
			put(l, thread, "write head %u reads=", t->object);
		put(l, thread, "write head %u = %%%u", t->next_value, t->next);
		l->head = t->next_value;
		break;
	case 4:
		if (t->next && t->next_value && random_percent(&l->random, 50)) {
			put(l, thread, "branch if (!= %%%u 0) scope=1", t->next);
			put(l, thread, "write data%u 7 reads= at=%u", t->next_value, t->next);
			l->data[t->next_value] = 7;
		}
		unlock(l, thread);
		t->doing = USING;
		t->step = 0;
		break;
	default: break;
	}
}

static void use(struct list_trace *l, uint32_t thread)
{
	struct lister *t = &l->threads[thread];
	uint32_t *data = &l->data[t->object];

	if (!t->step++ && random_percent(&l->random, 60)) {
		guard(l, thread);
		return;
	}
	char at[20] = "";

	/* behind a guard of its own, or not: at= is one */
	if (random_percent(&l->random, 70))
		snprintf(at, sizeof(at), " at=%u", t->got);
	if (random_percent(&l->random, 50)) {
		put(l, thread, "read data%u %u%s", t->object, *data, at);
	} else {
		*data = random_below(&l->random, 3);
		put(l, thread, "write data%u %u reads=%s", t->object, *data, at);
	}
	if (random_percent(&l->random, 60)) {
		t->doing = GIVING;
		t->step = 0;
	}
}

static void give(struct list_trace *l, uint32_t thread)
{
	struct lister *t = &l->threads[thread];

	switch (t->step++) {
	case 0:
		if (!lock(l, thread))
			t->step--;
		break;
	case 1:
		put(l, thread, "read head %u", l->head);
		t->next = l->count;
		t->next_value = l->head;
		break;
	case 2:
		if (random_percent(&l->random, 70))
			put(l, thread, "write next%u %u = %%%u", t->object, t->next_value, t->next);
		else
			put(l, thread, "write next%u %u reads=%u", t->object, t->next_value,
			    t->next);
		l->next[t->object] = t->next_value;
		break;
	case 3:
		if (l->atomic)
			put(l, thread, "rmw head %u %u reads=", l->head, t->object);
		else if (random_percent(&l->random, 60))
			put(l, thread, "write head %u reads=", t->object);
		else
			put(l, thread, "write head %u = %%%u", t->object, t->got);
		l->head = t->object;
		break;
	case 4:
		unlock(l, thread);
		t->doing = IDLE;
		t->object = 0;
		break;
	default: break;
	}
}

static void step(struct list_trace *l)
{
	uint32_t thread = random_below(&l->random, l->threads_count);
	struct lister *t = &l->threads[thread];

	switch (t->doing) {
	case IDLE:
		t->doing = TAKING;
		t->step = 0;
		break;
	case TAKING: take(l, thread); break;
	case USING: use(l, thread); break;
	case GIVING: give(l, thread); break;
	}
}

char *list_trace_make(uint64_t seed, uint32_t events)
{
	struct list_trace l = {.random = random_seeded(seed)};
	char *text = NULL;
	size_t size = 0;

	l.text = open_memstream(&text, &size);
	if (!l.text)
		abort();
	l.threads_count = 2 + random_below(&l.random, THREADS_MOST - 1);
	l.unlocked = random_percent(&l.random, 25);
	l.careless = random_percent(&l.random, 50);
	l.again = random_percent(&l.random, 25);
	l.atomic = random_percent(&l.random, 25);
	l.head = 1 + random_below(&l.random, OBJECTS);
	for (uint32_t i = 1; i <= OBJECTS; i++) {
		l.next[i] = i < l.head ? 0 : i == OBJECTS ? 0 : i + 1;
		fprintf(l.text, "init next%u %u\n", i, l.next[i]);
	}
	fprintf(l.text, "init head %u\n", l.head);
	for (uint32_t rounds = 0; l.count < events && rounds < 100 * events; rounds++)
		step(&l);
	fclose(l.text);
	return text;
}
