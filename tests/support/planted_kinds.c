/* SPDX-License-Identifier: MIT */
/* The kinds of planted items: races, then those that only look like one. */
#include "tests/support/planted.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *stem(const struct plant *p)
{
	return p->kind->race ? "race" : "near";
}

static uint32_t object(struct plant *p, enum object_class class, const char *name)
{
	return maker_name(p->m, class, "%s%u.%s", stem(p), p->number, name);
}

static uint32_t place_of(struct plant *p, uint32_t line)
{
	return maker_place(p->m, "%s-%u-%s.c:%u", stem(p), p->number, p->kind->name, line);
}

static uint32_t here(struct plant *p)
{
	return place_of(p, ++p->line);
}

void plant_start(struct plant *p, struct maker *m, const struct planted_kind *kind, uint32_t number)
{
	p->m = m;
	p->kind = kind;
	p->number = number;
	p->line = 10;
	p->x = object(p, CLASS_VARIABLE, "x");
	p->y = object(p, CLASS_VARIABLE, "y");
	p->z = object(p, CLASS_VARIABLE, "z");
	p->lock = object(p, CLASS_LOCK, "l");
	p->other_lock = object(p, CLASS_LOCK, "m");
}

/* The two accesses */

static void first(struct plant *p)
{
	maker_write(p->m, p->first, p->x, 1, from_nothing(), place_of(p, 1));
}

static void second(struct plant *p)
{
	if (p->number % 3)
		maker_write(p->m, p->second, p->x, 2, from_nothing(), place_of(p, 2));
	else
		maker_read(p->m, p->second, p->x, place_of(p, 2));
}

/* What stands around them */

static uint64_t put(struct plant *p, uint32_t thread, enum event_kind kind, uint32_t object)
{
	return maker_put(p->m, thread, kind, object, here(p));
}

static void lock(struct plant *p, uint32_t thread)
{
	put(p, thread, EV_ACQUIRE, p->lock);
}

static void unlock(struct plant *p, uint32_t thread)
{
	put(p, thread, EV_RELEASE, p->lock);
}

static void write_locked(struct plant *p, uint32_t thread, int64_t value)
{
	lock(p, thread);
	maker_write(p->m, thread, p->y, value, from_nothing(), here(p));
	unlock(p, thread);
}

static uint64_t read_locked(struct plant *p, uint32_t thread)
{
	lock(p, thread);
	uint64_t read = maker_read(p->m, thread, p->y, here(p));

	unlock(p, thread);
	return read;
}

static void set_flag(struct plant *p, uint32_t thread, uint32_t flag, int64_t value,
		     struct from from)
{
	maker_write(p->m, thread, flag, value, from, here(p));
	maker_set_order(p->m, ORDER_RELEASE);
}

static uint64_t get_flag(struct plant *p, uint32_t thread, uint32_t flag)
{
	uint64_t read = maker_read(p->m, thread, flag, here(p));

	maker_set_order(p->m, ORDER_ACQUIRE);
	return read;
}

static void branch(struct plant *p, uint32_t thread, struct from from)
{
	maker_branch(p->m, thread, from, here(p));
}

/* Races */

static void hand_over_open(struct plant *p)
{
	first(p);
	lock(p, p->first);
	unlock(p, p->first);
}

static void hand_over_close(struct plant *p)
{
	lock(p, p->second);
	unlock(p, p->second);
	second(p);
}

/* The first access is in its section, and the other thread's has to come before. */
static void sections_open(struct plant *p)
{
	lock(p, p->first);
	maker_write(p->m, p->first, p->y, 1, from_nothing(), here(p));
	first(p);
	unlock(p, p->first);
}

static void sections_close(struct plant *p)
{
	read_locked(p, p->second);
	second(p);
}

/* The same with two locks, each taken by the other thread later. */
static void nested_open(struct plant *p)
{
	lock(p, p->first);
	put(p, p->first, EV_ACQUIRE, p->other_lock);
	maker_write(p->m, p->first, p->y, 1, from_nothing(), here(p));
	put(p, p->first, EV_RELEASE, p->other_lock);
	first(p);
	unlock(p, p->first);
}

static void nested_close(struct plant *p)
{
	put(p, p->second, EV_ACQUIRE, p->other_lock);
	maker_read(p->m, p->second, p->y, here(p));
	put(p, p->second, EV_RELEASE, p->other_lock);
	hand_over_close(p);
}

static void shared_close(struct plant *p)
{
	put(p, p->second, EV_ACQUIRE_SHARED, p->lock);
	put(p, p->second, EV_RELEASE_SHARED, p->lock);
	second(p);
}

/* A value is handed over as well, and decides nothing. */
static void unused_open(struct plant *p)
{
	first(p);
	write_locked(p, p->first, 1);
}

static void unused_close(struct plant *p)
{
	uint64_t read = read_locked(p, p->second);

	maker_write(p->m, p->second, p->z, 2, from_expr(OP_ADD, read, 1), here(p));
	branch(p, p->second, from_nothing());
	second(p);
}

/* The branch needs the value, and another write has it too. */
static void equal_open(struct plant *p)
{
	write_locked(p, p->third, 1);
	unused_open(p);
}

static void equal_close(struct plant *p)
{
	branch(p, p->second, from_read(read_locked(p, p->second)));
	second(p);
}

/* The branch goes the same way with another value. */
static void guard_open(struct plant *p)
{
	write_locked(p, p->third, 5);
	first(p);
	write_locked(p, p->first, 3);
}

static void guard_close(struct plant *p)
{
	branch(p, p->second, from_expr(OP_GT, read_locked(p, p->second), 2));
	second(p);
}

static void free_open(struct plant *p)
{
	put(p, p->second, EV_ALLOC, p->x);
	maker_read(p->m, p->first, p->x, place_of(p, 1));
	lock(p, p->first);
	unlock(p, p->first);
}

static void free_close(struct plant *p)
{
	lock(p, p->second);
	unlock(p, p->second);
	maker_put(p->m, p->second, EV_FREE, p->x, place_of(p, 2));
}

/* The signal comes before anyone waits; the wait times out. */
static void timeout_open(struct plant *p)
{
	first(p);
	lock(p, p->first);
	put(p, p->first, EV_SIGNAL, object(p, CLASS_CONDITION, "c"));
	unlock(p, p->first);
}

static void timeout_close(struct plant *p)
{
	uint32_t c = object(p, CLASS_CONDITION, "c");

	lock(p, p->second);
	maker_wait(p->m, p->second, c, p->lock, here(p));
	maker_woken(p->m, p->second, c, p->lock, 0, here(p));
	unlock(p, p->second);
	second(p);
}

static void count_one_open(struct plant *p)
{
	uint32_t s = object(p, CLASS_SEMAPHORE, "s");

	maker_count(p->m, s, 1);
	first(p);
	put(p, p->first, EV_SEM_POST, s);
}

static void semaphore_close(struct plant *p)
{
	put(p, p->second, EV_SEM_WAIT, object(p, CLASS_SEMAPHORE, "s"));
	second(p);
}

static void flag_open(struct plant *p)
{
	first(p);
	set_flag(p, p->first, p->y, 1, from_nothing());
}

static void unread_flag_close(struct plant *p)
{
	get_flag(p, p->second, p->y);
	branch(p, p->second, from_nothing());
	second(p);
}

static void counter_open(struct plant *p)
{
	first(p);
	maker_add(p->m, p->first, p->y, 1, here(p));
}

static void counter_close(struct plant *p)
{
	maker_add(p->m, p->second, p->y, 1, here(p));
	second(p);
}

/* Pairs that are none */

static void locked_open(struct plant *p)
{
	lock(p, p->first);
	first(p);
	unlock(p, p->first);
}

static void locked_close(struct plant *p)
{
	put(p, p->second, EV_ACQUIRE, p->other_lock);
	lock(p, p->second);
	second(p);
	unlock(p, p->second);
	put(p, p->second, EV_RELEASE, p->other_lock);
}

static void reading_close(struct plant *p)
{
	put(p, p->second, EV_ACQUIRE_SHARED, p->lock);
	maker_read(p->m, p->second, p->x, place_of(p, 2));
	put(p, p->second, EV_RELEASE_SHARED, p->lock);
}

static void fork_open(struct plant *p)
{
	first(p);
	p->second = object(p, CLASS_THREAD, "helper");
	put(p, p->first, EV_FORK, p->second);
}

static void fork_close(struct plant *p)
{
	put(p, p->second, EV_BEGIN, 0);
	second(p);
	put(p, p->second, EV_END, 0);
}

static void join_open(struct plant *p)
{
	p->first = object(p, CLASS_THREAD, "helper");
	put(p, p->second, EV_FORK, p->first);
	put(p, p->first, EV_BEGIN, 0);
	first(p);
	put(p, p->first, EV_END, 0);
}

static void join_close(struct plant *p)
{
	put(p, p->second, EV_JOIN, p->first);
	second(p);
}

static void flag_close(struct plant *p)
{
	branch(p, p->second, from_read(get_flag(p, p->second, p->y)));
	second(p);
}

static void flag_value_close(struct plant *p)
{
	branch(p, p->second, from_expr(OP_EQ, get_flag(p, p->second, p->y), 1));
	second(p);
}

/* Another write is there, but with its value the branch goes the other way. */
static void gate_open(struct plant *p)
{
	write_locked(p, p->third, 1);
	first(p);
	write_locked(p, p->first, 3);
}

/* Two flags, one after the other. */
static void relay_close(struct plant *p)
{
	branch(p, p->third, from_read(get_flag(p, p->third, p->y)));
	set_flag(p, p->third, p->z, 1, from_nothing());
	branch(p, p->second, from_read(get_flag(p, p->second, p->z)));
	second(p);
}

/* The value is computed from another thread's, which takes no branch itself. */
static void computed_close(struct plant *p)
{
	uint64_t read = get_flag(p, p->third, p->y);

	set_flag(p, p->third, p->z, 6, from_expr(OP_ADD, read, 5));
	branch(p, p->second, from_expr(OP_EQ, get_flag(p, p->second, p->z), 6));
	second(p);
}

static void signal_close(struct plant *p)
{
	uint32_t c = object(p, CLASS_CONDITION, "c");

	lock(p, p->second);
	maker_wait(p->m, p->second, c, p->lock, here(p));
	lock(p, p->first);
	uint64_t by = put(p, p->first, EV_SIGNAL, c);

	unlock(p, p->first);
	maker_woken(p->m, p->second, c, p->lock, by, here(p));
	unlock(p, p->second);
	second(p);
}

static void barrier_close(struct plant *p)
{
	uint32_t b = object(p, CLASS_BARRIER, "b");

	maker_parties(p->m, b, 2);
	put(p, p->first, EV_BARRIER_ENTER, b);
	put(p, p->second, EV_BARRIER_ENTER, b);
	put(p, p->second, EV_BARRIER_EXIT, b);
	second(p);
	put(p, p->first, EV_BARRIER_EXIT, b);
}

static void semaphore_open(struct plant *p)
{
	first(p);
	put(p, p->first, EV_SEM_POST, object(p, CLASS_SEMAPHORE, "s"));
}

static void once_open(struct plant *p)
{
	uint32_t o = object(p, CLASS_ONCE, "o");

	put(p, p->first, EV_ONCE_BEGIN, o);
	first(p);
	put(p, p->first, EV_ONCE_END, o);
}

static void once_close(struct plant *p)
{
	put(p, p->second, EV_ONCE_PASS, object(p, CLASS_ONCE, "o"));
	second(p);
}

static void alloc_open(struct plant *p)
{
	first(p);
	put(p, p->first, EV_ALLOC, p->y);
}

static void alloc_close(struct plant *p)
{
	maker_write(p->m, p->second, p->y, 1, from_nothing(), here(p));
	second(p);
}

static void external_open(struct plant *p)
{
	first(p);
	maker_external(p->m, p->first, p->y, 7, here(p));
}

static void external_close(struct plant *p)
{
	maker_read(p->m, p->second, p->y, here(p));
	second(p);
}

/* The address comes from the flag: a pointer that was handed over. */
static void address_close(struct plant *p)
{
	uint64_t read = get_flag(p, p->second, p->y);

	second(p);
	maker_set_at(p->m, read);
}

/* The lock was busy: so its holder had come to it. */
static void busy_close(struct plant *p)
{
	lock(p, p->first);
	put(p, p->second, EV_TRY_FAIL, p->lock);
	second(p);
	unlock(p, p->first);
}

static void atomic_open(struct plant *p)
{
	maker_add(p->m, p->first, p->x, 1, place_of(p, 1));
}

static void atomic_close(struct plant *p)
{
	maker_read(p->m, p->second, p->x, place_of(p, 2));
	maker_set_order(p->m, ORDER_RELAXED);
}

static void late_free_open(struct plant *p)
{
	put(p, p->first, EV_ALLOC, p->x);
	semaphore_open(p);
}

static void late_free_close(struct plant *p)
{
	put(p, p->second, EV_SEM_WAIT, object(p, CLASS_SEMAPHORE, "s"));
	maker_put(p->m, p->second, EV_FREE, p->x, place_of(p, 2));
}

/* name, a race in values, maximal, predictable, by hb */
const struct planted_kind planted_races[] = {
	{"plain", true, true, true, true, NEAR_FAR, first, second},
	{"handover", true, true, true, false, NEAR_FAR, hand_over_open, hand_over_close},
	{"sections", true, true, true, false, NEAR_FAR, sections_open, sections_close},
	{"nested", true, true, true, false, NEAR_FAR, nested_open, nested_close},
	{"shared", true, true, true, false, NEAR_FAR, hand_over_open, shared_close},
	{"unused", true, true, true, false, NEAR_FAR, unused_open, unused_close},
	{"equal", true, true, false, false, NEAR_EQUALS, equal_open, equal_close},
	{"guard", true, false, false, false, NEAR_VALUES, guard_open, guard_close},
	{"free", true, true, true, false, NEAR_FAR, free_open, free_close},
	{"timeout", true, true, true, false, NEAR_FAR, timeout_open, timeout_close},
	{"semaphore", true, true, true, false, NEAR_FAR, count_one_open, semaphore_close},
	{"flag", true, true, true, false, NEAR_FAR, flag_open, unread_flag_close},
	{"counter", true, true, true, false, NEAR_FAR, counter_open, counter_close},
};

const size_t planted_race_count = sizeof(planted_races) / sizeof(*planted_races);

#define NONE false, false, false, false

const struct planted_kind planted_near[] = {
	{"lock", NONE, FAR_NEAR, locked_open, locked_close},
	{"reader", NONE, FAR_NEAR, locked_open, reading_close},
	{"fork", NONE, NEAR_NEAR, fork_open, fork_close},
	{"join", NONE, NEAR_NEAR, join_open, join_close},
	{"flag", NONE, FAR_NEAR, flag_open, flag_close},
	{"flag-value", NONE, FAR_NEAR, flag_open, flag_value_close},
	{"gate", NONE, FAR_NEAR, gate_open, guard_close},
	{"relay", NONE, FAR_NEAR, flag_open, relay_close},
	{"computed", NONE, FAR_NEAR, flag_open, computed_close},
	{"signal", NONE, NEAR_NEAR, first, signal_close},
	{"barrier", NONE, NEAR_NEAR, first, barrier_close},
	{"semaphore", NONE, FAR_NEAR, semaphore_open, semaphore_close},
	{"once", NONE, FAR_NEAR, once_open, once_close},
	{"alloc", NONE, FAR_NEAR, alloc_open, alloc_close},
	{"external", NONE, FAR_NEAR, external_open, external_close},
	{"address", NONE, FAR_NEAR, flag_open, address_close},
	/* orders know nothing of locks that were busy */
	{"busy", false, false, false, true, FAR_NEAR, first, busy_close},
	{"atomic", NONE, FAR_NEAR, atomic_open, atomic_close},
	{"free", NONE, FAR_NEAR, late_free_open, late_free_close},
};

const size_t planted_near_count = sizeof(planted_near) / sizeof(*planted_near);
