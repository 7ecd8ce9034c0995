/* SPDX-License-Identifier: MIT */
/*
 * The truth about dependences, by trying: the program runs once as it is, then once for each of
 * many reads with another value there, as another thread might have written it. By doc/model.md all
 * must go on as before (same places, same addresses, same values), except
 *
 * - a write may have another value if it depends on a read that changed;
 * - at a branch, or access, that depends on a read that changed, it may go another way: there the
 * comparison ends, unless an expression says that a branch goes the same way.
 *
 * All runs are children of one process, so that addresses are the same.
 */
#include "tests/support/hooks/hooks.h"

#include "runtime/hooks.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define EVENTS_MAX 6000u

struct record {
	uint64_t n, reads;
	bool changed[EVENTS_MAX]; /* by position, in the second */
	struct event event[EVENTS_MAX];
	uint64_t value[EVENTS_MAX]; /* of reads and values, by position */
	bool known[EVENTS_MAX];	    /* likewise */
};

static struct record *plain, *other, *mine;
static uint64_t flipped, flips;
static bool any_changed;

void observe(const struct event *event)
{
	if (!mine)
		return;
	if (mine->n == EVENTS_MAX)
		_exit(0);
	if (event->position) {
		mine->reads = event->position;
		mine->value[event->position] = event->read;
		mine->known[event->position] = event->known;
	}
	mine->event[mine->n++] = *event;
}

void observe_before(uint64_t position, void *p, unsigned size)
{
	static const uint64_t masks[] = {1, 3, 0x80, 0xffffffffffffffff, 8};
	if (position != flipped)
		return;
	/* It may be a constant. */
	uintptr_t page = (uintptr_t)p & ~(uintptr_t)4095;
	mprotect((void *)page, (uintptr_t)p + size - page, PROT_READ | PROT_WRITE);
	uint64_t value = 0;
	memcpy(&value, p, size);
	value ^= masks[flips % 5];
	memcpy(p, &value, size);
}

static bool look_up(void *context, uint64_t position, uint64_t *value)
{
	*value = ((struct record *)context)->value[position];
	return ((struct record *)context)->known[position];
}

static bool changed(const struct event *e, unsigned from, unsigned n)
{
	for (unsigned i = from; i < from + n; i++)
		if (e->depends[i] && !(e->depends[i] & NORN_HERE) && other->changed[e->depends[i]])
			return true;
	return false;
}

static bool value_changed(const struct event *e, uint32_t number)
{
	const struct site *site = hooks_site(number);
	if (site->flags & SITE_EXACT)
		return changed(e, 0, site->values);
	return any_changed;
}

/* The number of its way in "1 4-6 / 9", 0: it has none. */
static unsigned way_of(const char *ways, uint64_t value)
{
	unsigned way = 1;
	for (char *end; *ways; ways = end) {
		uint64_t low = strtoull(ways, &end, 10), high = low;
		if (*end == '-')
			high = strtoull(end + 1, &end, 10);
		if (value >= low && value <= high)
			return way;
		for (; *end == ' ' || *end == '/'; end++)
			way += *end == '/';
	}
	return 0;
}

static bool goes_the_same_way(const struct event *a, const struct event *b)
{
	const struct site *site = hooks_site(a->site);
	uint64_t was, is;
	if (!value_changed(a, a->site))
		return true;
	if (!(site->flags & SITE_EXACT) || !site->expression)
		return false;
	if (!hooks_evaluate(a->site, a->depends, 0, look_up, plain, &was) ||
	    !hooks_evaluate(b->site, b->depends, 0, look_up, other, &is))
		return false;
	if (site->kind == SITE_SWITCH && site->ways) {
		const char *ways = hooks_text(a->site, site->ways);
		return way_of(ways, was) == way_of(ways, is);
	}
	return site->kind == SITE_SWITCH ? was == is : !was == !is;
}

static void fail(uint64_t i, const char *why)
{
	const struct event *e = &plain->event[i];
	const struct site *site = hooks_site(e->site);
	printf("read %llu has another value: event %llu, %s %s:%u: %s\n",
	       (unsigned long long)flipped, (unsigned long long)i, hooks_text(e->site, site->name),
	       hooks_text(e->site, site->file), site->line, why);
	fflush(stdout);
	_exit(1);
}

/* What is told is another value if what it depends on is, unless an expression says that it is not.
 */
static void note_value(const struct event *a, const struct event *b)
{
	other->changed[b->position] =
		value_changed(a, a->site) && (!a->known || !b->known || a->read != b->read);
}

static void note_changes(const struct event *a, const struct event *b)
{
	bool differs = a->read != b->read && b->what != WHAT_WRITE_RANGE;
	if (b->what == WHAT_VALUE) {
		note_value(a, b);
		return;
	}
	if (b->position)
		other->changed[b->position] = differs;
	any_changed |= differs;
}

static void compare_values(uint64_t i, const struct event *a, const struct event *b)
{
	bool itself = b->position && other->changed[b->position];
	bool copied = b->what == WHAT_COPY || b->what == WHAT_READ_RANGE;
	if (a->what == WHAT_VALUE && a->known && b->known && a->read != b->read &&
	    !other->changed[b->position])
		fail(i, "it is another value, and depends on nothing that changed");
	if (a->written == b->written || copied || b->what == WHAT_READ)
		return;
	if (!itself && !value_changed(a, a->site))
		fail(i, "it writes another value, and depends on nothing that changed");
}

static void fail_fixed(uint64_t i, uint64_t value)
{
	printf("read %llu has another value: event %llu: %lld is not fixed\n",
	       (unsigned long long)flipped, (unsigned long long)i, (long long)value);
	fflush(stdout);
	_exit(1);
}

static void compare_fixed(uint64_t i, const struct event *a, const struct event *b)
{
	if (a->what == WHAT_FIXED && (i == other->n || b->what != WHAT_FIXED || a->read != b->read))
		fail_fixed(i, a->read);
	for (unsigned d = 0; i < other->n && d < SITE_DEPENDS_MAX; d++)
		if (a->depends[d] & NORN_HERE && a->depends[d] != b->depends[d])
			fail_fixed(i, (uint32_t)a->depends[d]);
}

/* In a call of code without hooks, which may have looked at the memory that was changed. */
static bool died_outside(uint64_t i, int status)
{
	return WIFSIGNALED(status) && i && plain->event[i - 1].what == WHAT_BRANCH &&
	       hooks_site(plain->event[i - 1].site)->kind == SITE_CALL;
}

/* As far as both went. */
static void compare(int status)
{
	any_changed = false;
	for (uint64_t i = 0; i < plain->n; i++) {
		const struct event *a = &plain->event[i], *b = &other->event[i];
		if (a->what == WHAT_FIXED) {
			compare_fixed(i, a, b);
			continue;
		}
		const struct site *site = hooks_site(a->site);
		if (changed(a, site->values, site->addresses))
			return;
		if (i == other->n) {
			/* A division, or a look into a constant table, that fails is no event. */
			bool divided = WIFSIGNALED(status) && WTERMSIG(status) == SIGFPE;
			bool stops = a->what == WHAT_BRANCH && value_changed(a, a->site);
			if (!stops && !divided && !died_outside(i, status))
				fail(i, "it is not reached");
			return;
		}
		if (a->site != b->site || a->what != b->what)
			fail(i, "something else happens");
		if (a->address != b->address || a->from != b->from || a->size != b->size)
			fail(i, "it is at another address");
		compare_fixed(i, a, b);
		if (b->what == WHAT_BRANCH && !goes_the_same_way(a, b))
			return;
		note_changes(a, b);
		compare_values(i, a, b);
	}
}

/* In a child: the program goes on, into `to`. */
static bool spawn(struct record *to, int *status)
{
	fflush(stdout);
	memset(to, 0, sizeof(*to));
	pid_t child = fork();
	if (child < 0)
		abort();
	if (!child) {
		struct rlimit none = {0, 0};
		setrlimit(RLIMIT_CORE, &none);
		alarm(5);
		if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
			abort();
		mine = to;
		return true;
	}
	waitpid(child, status, 0);
	return false;
}

static struct record *shared(void)
{
	return mmap(NULL, sizeof(struct record), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		    -1, 0);
}

/* Called in the first constructor: the children return from it, and run the program. */
void observe_start(void)
{
	int status;
	plain = shared();
	other = shared();
	if (spawn(plain, &status))
		return;
	uint64_t step = plain->reads / 250 + 1;
	for (flipped = 1; flipped <= plain->reads; flipped += step, flips++) {
		if (spawn(other, &status))
			return;
		compare(status);
	}
	printf("%llu runs\n", (unsigned long long)flips);
	fflush(stdout);
	_exit(0);
}
