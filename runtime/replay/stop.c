/* SPDX-License-Identifier: MIT */
/*
 * Where the plan ends: threads stand at their stops until all do, and then go.
 *
 * A stop that is no step itself (plan_step.loose) may have several records before it that look
 * like it: how a library function goes about its work depends on addresses, and all that is known
 * of them here is their kind. Of a race the addresses tell: when both threads stand and do not
 * meet, the one that stands at such a record lets it pass, and stands at the next.
 */
#include "runtime/replay/parts.h"
#include "runtime/run.h"

static struct {
	struct norn_spin lock;
	uint32_t arrived; /* threads at their stops */
	uint32_t passes;  /* 1 + rank of the stop whose thread is to go on, 0: none */
	uint32_t news;	  /* grows with any change; a futex */
} stops;

static void tell_news(void)
{
	__atomic_add_fetch(&stops.news, 1, __ATOMIC_SEQ_CST);
	norn_wake(&stops.news, NORN_ANYBODY);
}

void norn_set_phase(enum replay_phase from, enum replay_phase to)
{
	uint32_t now = from;
	if (!__atomic_compare_exchange_n(&norn_replay.state->phase, &now, (uint32_t)to, false,
					 __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		return;
	norn_wake(&norn_replay.state->phase, NORN_ANYBODY);
	tell_news();
}

static const struct plan_step *stop_at(uint32_t rank)
{
	return &norn_replay.steps[norn_replay.first_stop + rank];
}

static bool is_race(void)
{
	return norn_plan->end != PLAN_ALL && norn_plan->stops == 2;
}

static bool is_loose(uint32_t rank)
{
	return is_race() && stop_at(rank)->loose;
}

static bool they_meet(void)
{
	const struct replay_thread *a = &norn_replay.of[stop_at(0)->thread];
	const struct replay_thread *b = &norn_replay.of[stop_at(1)->thread];
	return a->address < b->address + b->size && b->address < a->address + a->size;
}

/* Of two that may go on, a reader does: functions read in more pieces than they write. */
static uint32_t who_passes(void)
{
	if (!is_loose(0) || !is_loose(1))
		return is_loose(0) ? 0 : 1;
	return stop_at(1)->kind == LOG_READ ? 1 : 0;
}

/* With the lock. */
static void look_whether_all_stand(void)
{
	if (norn_load(&norn_replay.state->turn) != norn_replay.first_stop ||
	    stops.arrived != norn_plan->stops)
		return;
	if ((!is_loose(0) && !is_loose(1)) || they_meet()) {
		norn_set_phase(REPLAY_FOLLOWS, REPLAY_STANDS);
		return;
	}
	stops.arrived--;
	norn_store(&stops.passes, 1 + who_passes());
	tell_news();
}

static void wait_for_go(void)
{
	while (norn_plan->hold && !norn_load(&norn_replay.state->go))
		norn_sleep_on(&norn_replay.state->go, 0, NORN_ANYBODY);
}

void norn_end_plan(void)
{
	norn_spin_lock(&stops.lock);
	look_whether_all_stand();
	norn_spin_unlock(&stops.lock);
	if (norn_plan->stops == 0) {
		wait_for_go();
		norn_set_phase(REPLAY_STANDS, REPLAY_GOES);
	}
}

static void arrive(void)
{
	norn_spin_lock(&stops.lock);
	stops.arrived++;
	look_whether_all_stand();
	norn_spin_unlock(&stops.lock);
}

/* Until all stand. False: this one is to go on. */
static bool wait_for_others(uint32_t rank)
{
	for (;;) {
		uint32_t news = norn_load(&stops.news);
		uint32_t phase = norn_load(&norn_replay.state->phase);
		if (phase == REPLAY_DIVERGED)
			norn_hold_for_ever();
		if (phase != REPLAY_FOLLOWS)
			return true;
		if (norn_load(&stops.passes) == 1 + rank) {
			norn_store(&stops.passes, 0);
			return false;
		}
		norn_sleep_on(&stops.news, news, NORN_ANYBODY);
	}
}

/* Two strings that are compared are two places in one. */
static bool stand_at_either(struct norn_self *me, const struct norn_what *what, uint32_t rank)
{
	struct norn_what at = *what;
	for (;;) {
		norn_tell(me, REPLAY_AT_STOP, &at, true);
		arrive();
		if (wait_for_others(rank))
			return true;
		if (!at.also)
			return false;
		at.object = at.also;
		at.also = NULL;
	}
}

enum norn_stood norn_stand(struct norn_self *me, const struct norn_what *what, uint32_t index)
{
	uint32_t rank = index - norn_replay.first_stop;
	if (!stand_at_either(me, what, rank))
		return NORN_PASSED;
	wait_for_go();
	if (norn_plan->end == PLAN_ALL) {
		norn_set_phase(REPLAY_STANDS, REPLAY_GOES);
		return NORN_GOES;
	}
	if (norn_plan->end == PLAN_BA)
		rank = norn_plan->stops - 1 - rank;
	norn_wait_for_turn(me, norn_replay.first_stop + rank);
	return NORN_TURN;
}
