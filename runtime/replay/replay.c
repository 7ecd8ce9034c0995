/* SPDX-License-Identifier: MIT */
#include "runtime/replay/replay.h"

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>

#include "runtime/files.h"
#include "runtime/host.h"
#include "runtime/pthread/locks.h"
#include "runtime/modules.h"
#include "runtime/replay/parts.h"
#include "runtime/replay/placed.h"
#include "runtime/replay/schedule.h"
#include "runtime/run.h"
#include "runtime/sites.h"

const struct plan *norn_plan;
struct norn_replay norn_replay;

static uint32_t bit_of(uint32_t thread)
{
	return 1u << thread % 32;
}

/* Turns */

#define SPINS 100

void norn_wait_for_turn(struct norn_self *me, uint32_t turn)
{
	uint32_t now;
	for (uint32_t spins = 0; (now = norn_load(&norn_replay.state->turn)) != turn; spins++) {
		if (norn_load(&norn_replay.state->phase) == REPLAY_DIVERGED)
			norn_hold_for_ever();
		if (spins < SPINS)
			__builtin_ia32_pause();
		else
			norn_sleep_on(&norn_replay.state->turn, now, bit_of(me->number));
	}
	norn_await_gone();
	if (norn_load(&norn_replay.state->phase) == REPLAY_DIVERGED)
		norn_hold_for_ever();
}

static void give_on(struct norn_self *me, uint32_t index)
{
	uint32_t turn = norn_load(&norn_replay.state->turn) + 1;
	me->next = norn_replay.steps[index].next;
	me->in_turn = false;
	norn_store(&norn_replay.state->turn, turn);
	if (turn == norn_replay.first_stop)
		norn_end_plan();
	else if (turn == norn_plan->steps)
		norn_set_phase(REPLAY_STANDS, REPLAY_GOES);
	else if (turn > norn_replay.first_stop)
		norn_wake(&norn_replay.state->turn, NORN_ANYBODY);
	else if (norn_replay.steps[turn].thread != me->number)
		norn_wake(&norn_replay.state->turn, bit_of(norn_replay.steps[turn].thread));
}

static void wait_for_goes(void)
{
	uint32_t phase;
	while ((phase = norn_load(&norn_replay.state->phase)) != REPLAY_GOES)
		norn_sleep_on(&norn_replay.state->phase, phase, NORN_ANYBODY);
}

/* What fits what */

static bool is_a_step(const struct norn_what *what)
{
	if (what->loose)
		return false;
	if (what->kind == LOG_BEGIN || what->kind == LOG_END)
		return true;
	if (!what->access)
		return norn_step_site(what->pc);
	const struct site *site = norn_find_site(what->site);
	return what->site && !(site && site->flags & SITE_LOOSE);
}

static bool kind_fits(const struct norn_what *what, uint8_t planned)
{
	if (planned == what->kind)
		return true;
	switch (planned) {
	case LOG_READ: return what->kind == LOG_RMW; /* a compare-and-swap that failed */
	case LOG_TRY_FAIL: return what->tries;
	case LOG_TRY_FAIL_SHARED: return what->tries && what->kind == LOG_ACQUIRE_SHARED;
	case LOG_SEM_FAIL: return what->tries && what->kind == LOG_SEM_WAIT;
	case LOG_RELEASE_SHARED: return what->kind == LOG_RELEASE;
	case LOG_ONCE_PASS: return what->kind == LOG_ONCE_BEGIN;
	/* A mutex that others give back is a semaphore in the trace. */
	case LOG_SEM_WAIT: return what->kind == LOG_ACQUIRE;
	case LOG_SEM_POST: return what->kind == LOG_RELEASE;
	default: return false;
	}
}

static bool fits(const struct norn_what *what, const struct plan_step *planned)
{
	uint64_t place = planned->place ? norn_place_of(what) : 0;
	return kind_fits(what, planned->kind) && (!place || place == planned->place);
}

/* Following the plan */

/* False: it was no stop after all. */
static bool take(struct norn_self *me, struct norn_step *step, const struct norn_what *what,
		 uint32_t index)
{
	enum norn_stood stood = NORN_TURN;
	if (index >= norn_replay.first_stop) {
		stood = norn_stand(me, what, index);
	} else {
		norn_tell(me, REPLAY_WAITS, what, false);
		norn_wait_for_turn(me, index);
	}
	norn_store(&norn_replay_of(me)->where, REPLAY_RUNS);
	if (stood == NORN_PASSED)
		return false;
	step->taken = true;
	if (stood == NORN_TURN) {
		step->kind = norn_replay.steps[index].kind;
		step->index = index;
		me->in_turn = true;
	}
	return true;
}

/* Whether it is a record that belongs to the last step that was taken. */
static bool is_loose_now(const struct norn_self *me, uint32_t index)
{
	return index != PLAN_NONE && norn_replay.steps[index].loose &&
	       norn_replay.steps[index].step <= me->step;
}

static void pass_one(struct norn_self *me, const struct norn_what *what)
{
	norn_tell(me, REPLAY_WAITS, what, false);
	norn_wait_for_turn(me, me->next);
	give_on(me, me->next);
}

/* Planned records that belong to a step that was taken, and that did not come: they are over. */
static void pass_loose(struct norn_self *me, const struct norn_what *what, uint32_t up_to)
{
	while (me->next != up_to && is_loose_now(me, me->next)) {
		if (me->next >= norn_replay.first_stop)
			norn_diverge(me, what, me->next);
		pass_one(me, what);
	}
}

/* Of what a library function does, the place is not known here; of the runtime's own counters
 * there is none. */
static bool fits_loosely(const struct norn_what *what, const struct plan_step *planned)
{
	const struct site *site = what->access ? norn_find_site(what->site) : NULL;
	if (site && site->flags & SITE_LOOSE)
		return kind_fits(what, planned->kind) && !planned->place;
	return fits(what, planned);
}

static void follow_loose(struct norn_self *me, struct norn_step *step, const struct norn_what *what)
{
	uint32_t i = me->next;
	while (is_loose_now(me, i) && !fits_loosely(what, &norn_replay.steps[i]))
		i = norn_replay.steps[i].next;
	if (!is_loose_now(me, i) || (what->only_stops && i < norn_replay.first_stop))
		return;
	pass_loose(me, what, i);
	take(me, step, what, i);
}

/*
 * A stop within a step, which may be a copy, that is two: in this run it may be all that there is
 * of it.
 */
static bool may_hold_stop(const struct norn_self *me, const struct norn_what *what)
{
	if (me->next == PLAN_NONE || me->next < norn_replay.first_stop)
		return false;
	const struct plan_step *stop = &norn_replay.steps[me->next];
	return stop->loose && what->access && fits(what, stop) &&
	       (stop->step == me->step + 1 || stop->step == me->step + 2);
}

static void follow_step(struct norn_self *me, struct norn_step *step, const struct norn_what *what)
{
	if (may_hold_stop(me, what)) {
		take(me, step, what, me->next);
		return;
	}
	pass_loose(me, what, PLAN_NONE);
	if (me->next == PLAN_NONE) {
		norn_tell(me, REPLAY_HELD, what, false);
		wait_for_goes();
		norn_store(&norn_replay_of(me)->where, REPLAY_RUNS);
		return;
	}
	const struct plan_step *planned = &norn_replay.steps[me->next];
	bool later = planned->loose || planned->step > me->step + 1;
	if (later ? what->kind == LOG_END : !fits(what, planned))
		norn_diverge(me, what, me->next);
	if (!later)
		take(me, step, what, me->next);
}

/*
 * A host's own locks are not planned, and a thread that has one waits for its turn with it. So a
 * thread whose turn is not next lets others go first to them: as long as they move, and not for
 * long, since it may be the one for which they wait.
 */
#define COURTESY_NS 500000
#define COURTESY_STILL 4 /* of these: nobody has moved */
#define COURTESY_MOST 40

static bool may_let_others_go(const struct norn_self *me)
{
	return norn_load(&norn_replay.state->phase) == REPLAY_FOLLOWS &&
	       me->next != norn_load(&norn_replay.state->turn);
}

static void let_others_go(const struct norn_self *me, const struct norn_what *what)
{
	static uint32_t moves;
	static const struct timespec nap = {0, COURTESY_NS};
	bool takes = what->kind == LOG_ACQUIRE || what->kind == LOG_ACQUIRE_SHARED ||
		     what->kind == LOG_SEM_WAIT || what->kind == LOG_WOKEN;
	if (!norn_is_preloaded || !takes)
		return;
	uint32_t seen = norn_load(&moves);
	for (uint32_t still = 0, naps = 0;
	     still < COURTESY_STILL && naps < COURTESY_MOST && may_let_others_go(me); naps++) {
		NORN_SYS(nanosleep, &nap, 0, 0, 0, 0, 0);
		uint32_t now = norn_load(&moves);
		still = now == seen ? still + 1 : 0;
		seen = now;
	}
	__atomic_add_fetch(&moves, 1, __ATOMIC_RELAXED);
}

void norn_follow(struct norn_self *me, struct norn_step *step, const struct norn_what *what)
{
	if (me->call.taken)
		norn_step_over(me, &me->call, true);
	*step = (struct norn_step){.index = PLAN_NONE, .tries = what->tries ? LOG_TRIES : 0};
	uint32_t phase = norn_load(&norn_replay.state->phase);
	if (phase == REPLAY_DIVERGED)
		norn_hold_for_ever();
	bool counts = is_a_step(what);
	if (!counts)
		let_others_go(me, what);
	if (phase != REPLAY_GOES && counts)
		follow_step(me, step, what);
	else if (phase != REPLAY_GOES)
		follow_loose(me, step, what);
	if (counts && !step->taken)
		norn_turn_point(me, step, what);
	step->counts = counts;
	step->taken = step->taken || counts;
	if (NORN_UNLIKELY(me->kept))
		norn_send_kept(me);
}

static void await_end_of_plan(struct norn_self *me, const struct norn_what *what)
{
	if (me->next != PLAN_NONE || norn_load(&norn_replay.state->phase) == REPLAY_GOES)
		return;
	norn_tell(me, REPLAY_HELD, what, false);
	wait_for_goes();
	norn_store(&norn_replay_of(me)->where, REPLAY_RUNS);
}

void norn_replay_point(const void *object)
{
	struct norn_self *me = &norn_self;
	struct norn_step step = {.index = PLAN_NONE};
	const struct norn_what what = {.kind = LOG_RMW, .object = object};
	if (!norn_enter(me))
		return;
	await_end_of_plan(me, &what);
	norn_turn_point(me, &step, &what);
	norn_leave(me);
}

bool norn_replay_exit(bool crashes)
{
	struct norn_self *me = &norn_self;
	const struct norn_what what = {.kind = LOG_END};
	if (!norn_enter(me))
		return false;
	if (me->call.taken)
		norn_step_over(me, &me->call, true);
	norn_pass_loose(me, &what);
	await_end_of_plan(me, &what);
	bool waited = norn_turn_exits(me, crashes ? TURN_CRASHES : TURN_EXITS);
	norn_leave(me);
	return waited;
}

/* Changes that code without hooks has made, and the order that is kept for it. */
static bool is_no_record(const struct plan_step *planned)
{
	return planned->kind == LOG_UNSEEN || planned->kind == LOG_ONCE_BEGIN ||
	       planned->kind == LOG_ONCE_END || planned->kind == LOG_ONCE_PASS;
}

void norn_call_waits(void)
{
	struct norn_self *me = &norn_self;
	const struct norn_what what = {.kind = LOG_UNSEEN};
	if (!norn_enter(me))
		return;
	if (me->call.taken)
		norn_step_over(me, &me->call, true);
	while (!me->in_turn && norn_follows() && is_loose_now(me, me->next) &&
	       me->next < norn_replay.first_stop && is_no_record(&norn_replay.steps[me->next]))
		pass_one(me, &what);
	norn_store(&norn_replay_of(me)->where, REPLAY_RUNS);
	norn_leave(me);
}

bool norn_has_more_steps(void)
{
	struct norn_self *me = &norn_self;
	const struct norn_what what = {.kind = LOG_END};
	if (!norn_enter(me))
		return false;
	norn_pass_loose(me, &what);
	norn_store(&norn_replay_of(me)->where, REPLAY_RUNS);
	bool more = norn_follows() && me->next != PLAN_NONE;
	norn_leave(me);
	return more;
}

void norn_starve(void)
{
	__atomic_add_fetch(&norn_replay.state->starved, 1, __ATOMIC_SEQ_CST);
}

bool norn_follows(void)
{
	return norn_load(&norn_replay.state->phase) == REPLAY_FOLLOWS;
}

void norn_step_wait(struct norn_step *step, const struct norn_what *what)
{
	struct norn_self *me = &norn_self;
	if (!norn_enter_sync(me, what->pc))
		return;
	if (is_a_step(what))
		norn_await_handlers(me, what->pc);
	norn_follow(me, step, what);
	norn_leave(me);
}

/* What belongs to this step and has not come will not, before others have moved. */
void norn_pass_loose(struct norn_self *me, const struct norn_what *what)
{
	while (!me->in_turn && norn_load(&norn_replay.state->phase) == REPLAY_FOLLOWS &&
	       is_loose_now(me, me->next) && me->next < norn_replay.first_stop)
		pass_one(me, what);
}

void norn_step_over(struct norn_self *me, struct norn_step *step, bool happened)
{
	uintptr_t busy = me->busy;
	struct norn_step over = *step;
	me->busy = busy ? busy : 1;
	NORN_COMPILER_BARRIER();
	step->taken = false;
	if (me->pending == NORN_STEP && !me->resumes)
		me->pending = 0;
	if (happened) {
		if (over.counts)
			me->step++;
		__atomic_add_fetch(&norn_replay.state->moves, 1, __ATOMIC_RELAXED);
		if (over.index != PLAN_NONE)
			give_on(me, over.index);
		if (NORN_UNLIKELY(me->kept))
			norn_send_kept(me);
	}
	NORN_COMPILER_BARRIER();
	me->busy = busy;
	if (!busy)
		norn_leave(me);
}

bool norn_prepare_step(struct norn_self *me, enum log_kind kind, uint32_t site,
		       const volatile void *p, unsigned size, const void *pc)
{
	if (!norn_prepare(me))
		return false;
	if (!norn_replays())
		return true;
	const struct norn_what what = {.kind = kind,
				       .access = true,
				       .site = site,
				       .object = (const void *)p,
				       .size = size,
				       .pc = pc};
	if (is_a_step(&what))
		norn_await_handlers(me, pc);
	/* a handler may have used up the room */
	if (!norn_prepare(me))
		return false;
	norn_follow(me, &me->hook, &what);
	if (me->hook.taken && !me->pending)
		me->pending = NORN_STEP;
	return true;
}

/* Threads */

static bool is_planned_number(uint32_t number)
{
	for (uint32_t i = 0; i < norn_plan->steps; i++)
		if (norn_replay.steps[i].kind == LOG_FORK && norn_replay.steps[i].other == number)
			return true;
	return false;
}

uint32_t norn_replay_number(const struct norn_step *step)
{
	uint32_t *threads = &norn_run.shared->threads, number, most;
	if (step->index != PLAN_NONE) {
		number = norn_replay.steps[step->index].other;
		for (most = norn_load(threads); most <= number;)
			if (__atomic_compare_exchange_n(threads, &most, number + 1, false,
							__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
				break;
		return number;
	}
	do
		number = __atomic_fetch_add(threads, 1, __ATOMIC_SEQ_CST);
	while (is_planned_number(number));
	return number;
}

void norn_replay_thread(struct norn_self *me)
{
	if (!norn_replays())
		return;
	me->step = 0;
	me->kept = 0;
	me->in_turn = false;
	me->hook.taken = false;
	me->next =
		me->number < norn_plan->threads ? norn_replay.threads[me->number].first : PLAN_NONE;
	struct replay_thread *t = norn_replay_of(me);
	t->tid = (uint32_t)NORN_SYS(gettid, 0, 0, 0, 0, 0, 0);
	norn_turn_begin(me);
	for (uint32_t most = norn_load(&norn_replay.state->threads); most <= me->number;)
		if (__atomic_compare_exchange_n(&norn_replay.state->threads, &most, me->number + 1,
						false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			break;
}

bool norn_replay_waker(const struct norn_step *wait, uint32_t *waker)
{
	uint32_t next = wait->index == PLAN_NONE ? PLAN_NONE : norn_replay.steps[wait->index].next;
	*waker = wait->index == PLAN_NONE ? 0 : norn_replay.steps[wait->index].other;
	if (next == PLAN_NONE || next >= norn_replay.first_stop ||
	    norn_replay.steps[next].kind != LOG_WOKEN)
		return false;
	*waker = norn_replay.steps[next].other ? norn_replay.steps[next].other : PLAN_NONE;
	return true;
}

/* Begin */

static void *map_file(const char *name, int protection, uint64_t *size)
{
	long fd = norn_file_open(name, -1, protection & PROT_WRITE ? O_RDWR : O_RDONLY);
	if (fd < 0)
		return NULL;
	long end = NORN_SYS(lseek, fd, 0, SEEK_END, 0, 0, 0);
	long map = end <= 0 ? -1 : NORN_SYS(mmap, 0, end, protection, MAP_SHARED, fd, 0);
	norn_sys_close(fd);
	*size = (uint64_t)end;
	return map < 0 && map > -4096 ? NULL : (void *)map;
}

/* Whether the numbers in it are within bounds. */
static bool is_sound(const struct plan *plan, uint64_t size, uint64_t state_size)
{
	if (size < sizeof *plan || plan->magic != PLAN_MAGIC || plan->version != PLAN_VERSION ||
	    plan->stops > plan->steps || plan->end > PLAN_ALL ||
	    plan->schedule >= PLAN_SCHEDULE_COUNT ||
	    size < sizeof *plan + plan->threads * sizeof(struct plan_thread) +
			    plan->steps * sizeof(struct plan_step) +
			    plan->handlers * sizeof(struct plan_handler) ||
	    state_size < sizeof(struct replay_state) + plan->threads * sizeof(struct replay_thread))
		return false;
	const struct plan_thread *threads = (const struct plan_thread *)(plan + 1);
	const struct plan_step *steps = (const struct plan_step *)(threads + plan->threads);
	for (uint32_t i = 0; i < plan->threads; i++)
		if ((threads[i].first != PLAN_NONE && threads[i].first >= plan->steps) ||
		    (threads[i].handler != PLAN_NONE && threads[i].handler >= plan->handlers))
			return false;
	for (uint32_t i = 0; i < plan->steps; i++)
		if (steps[i].thread >= plan->threads ||
		    (steps[i].next != PLAN_NONE &&
		     (steps[i].next <= i || steps[i].next >= plan->steps)))
			return false;
	return true;
}

bool norn_replay_begin(void)
{
	if (norn_run.shared->mode != LOG_REPLAY)
		return true;
	uint64_t size, state_size;
	const struct plan *plan = map_file("plan", PROT_READ, &size);
	struct replay_state *state = map_file("state", PROT_READ | PROT_WRITE, &state_size);
	if (!plan || !state || !is_sound(plan, size, state_size))
		return false;
	norn_replay.threads = (const struct plan_thread *)(plan + 1);
	norn_replay.steps = (const struct plan_step *)(norn_replay.threads + plan->threads);
	norn_replay.handlers = (const struct plan_handler *)(norn_replay.steps + plan->steps);
	norn_replay.first_stop = plan->steps - plan->stops;
	norn_replay.state = state;
	norn_replay.of = (struct replay_thread *)(state + 1);
#ifndef NORN_STATIC
	/* The first call loads a library. Static programs have it, but it may be too early for it.
	 */
	void *frame;
	backtrace(&frame, 1);
#endif
	norn_plan = plan;
	if (plan->steps == plan->stops)
		norn_end_plan();
	return true;
}

void norn_replay_in_child(void)
{
	norn_plan = NULL;
}
