/* SPDX-License-Identifier: MIT */
/*
 * Calls of which a model speaks (norn-events(5)): what they do to locks, conditions and semaphores
 * that only their library knows is logged as for those of libc, taken after and given back before.
 * The real call is the library's and cannot be made again, so in replay it is made when its turn
 * has come, and has to do what the plan says.
 *
 * While it is under way, `via` is where it returns to: what the library calls meanwhile belongs to
 * the call. If the model says all that happens, that is not logged: locks within locks are the
 * library's business.
 */
#define __NORN__
#include "runtime/norn.h"

#include "runtime/blocked.h"
#include "runtime/hooks.h"
#include "runtime/libc/libc.h"
#include "runtime/pthread/locks.h"
#include "runtime/replay/replay.h"
#include "runtime/replay/cond.h"
#include "runtime/run.h"

struct norn_model {
	const void *pc;
	const void *outer; /* the `via` before, and the `front` */
	uintptr_t outer_front;
	const void *object, *mutex;
	struct norn_step step; /* that the real call is part of */
	uint8_t kind;	       /* enum log_kind */
	bool on;
	bool happened; /* it is in the log */
	bool tries;    /* it may fail, or end for another reason */
	bool hid;
	bool waits; /* as far as is known */
};

_Static_assert(sizeof(struct norn_model) <= NORN_MODEL_WORDS * 8, "the instrumenter makes room");

/* `from`: where the hook returns to. */
static void enter(struct norn_model *model, const void *pc, const void *from, bool hides)
{
	struct norn_self *me = &norn_self;
	model->pc = pc;
	model->outer = me->via;
	model->outer_front = me->front;
	model->hid = me->hides;
	me->via = pc;
	me->front = (uintptr_t)from;
	me->hides = hides;
}

static void leave(struct norn_model *model)
{
	norn_self.via = model->outer;
	norn_self.front = model->outer_front;
	norn_self.hides = model->hid;
}

void __norn_model_wraps(struct norn_model *model, const void *pc)
{
	enter(model, pc, __builtin_return_address(0), false);
}

void __norn_model_done(struct norn_model *model)
{
	leave(model);
	norn_end_step(&model->step, model->happened);
}

/* Locks and semaphores that are taken */

static bool is_held_by_others(const struct norn_model *model)
{
	struct norn_self *me = &norn_self;
	if (model->kind == LOG_SEM_WAIT || !norn_enter(me))
		return false;
	struct norn_shard *shard = norn_shard_of(model->object);
	norn_hold(me, shard);
	bool held = norn_shadow_other_holds(shard, model->object, me->number,
					    model->kind == LOG_ACQUIRE);
	norn_release_unchanged(me, shard);
	norn_leave(me);
	return held;
}

void __norn_model_takes(struct norn_model *model, const void *pc, uint32_t kind, const void *object,
			uint32_t tries, uint32_t on)
{
	model->object = object;
	model->kind = (uint8_t)kind;
	model->tries = tries;
	model->on = on;
	if (on) {
		model->step = tries ? norn_begin_try((enum log_kind)kind, object, pc)
				    : norn_begin_step((enum log_kind)kind, object, pc);
		model->waits = is_held_by_others(model);
	}
	if (model->waits) {
		norn_log_time(&norn_self);
		norn_blocks((enum log_kind)kind, object, pc, tries ? NORN_LIMITED : NORN_FOR_EVER);
	}
	enter(model, pc, __builtin_return_address(0), on);
}

/* Others may be between taking it and saying so; if they say nothing, there is nothing to log. */
#define TRIES_MOST 2000

static void log_failure(struct norn_model *model)
{
	enum norn_failed failed = NORN_TRY_AGAIN;
	for (uint32_t tries = 0; failed == NORN_TRY_AGAIN && tries < TRIES_MOST;)
		failed = model->kind == LOG_SEM_WAIT
				 ? norn_log_sem_failed(model->object, model->pc, &tries,
						       &model->step)
				 : norn_log_try_failed(model->object, model->pc,
						       model->kind == LOG_ACQUIRE_SHARED, &tries,
						       &model->step);
	norn_end_step(&model->step, false);
}

void __norn_model_took(struct norn_model *model, uint32_t on)
{
	leave(model);
	if (model->waits)
		norn_runs(on);
	if (!model->on)
		return;
	if (!on) {
		log_failure(model);
		return;
	}
	uint32_t tries = model->tries ? LOG_TRIES : 0;
	if (model->kind == LOG_SEM_WAIT)
		norn_log_sem_wait(model->object, model->pc, tries);
	else
		norn_log_acquire(model->object, model->pc, model->kind == LOG_ACQUIRE_SHARED, false,
				 tries);
	norn_end_step(&model->step, true);
}

/* What is given: locks, signals, semaphores that are posted */

static bool log_gift(enum log_kind kind, const void *object, const void *pc, struct norn_step *step)
{
	if (kind == LOG_RELEASE)
		return norn_log_release(object, pc, true);
	if (kind == LOG_SEM_POST)
		norn_log_sem_post(object, pc);
	else if (kind == LOG_SIGNAL)
		norn_log_signal(object, pc, step);
	else
		norn_log_object(kind, object, pc);
	return true;
}

static void wake_in_replay(enum log_kind kind, const void *object, const struct norn_step *step)
{
	if (!norn_replays())
		return;
	if (kind == LOG_BROADCAST)
		norn_wake_all(object, step);
}

void __norn_model_gives(struct norn_model *model, const void *pc, uint32_t kind, const void *object,
			uint32_t on)
{
	if (on) {
		model->step = norn_begin_step((enum log_kind)kind, object, pc);
		model->happened = log_gift((enum log_kind)kind, object, pc, &model->step);
		wake_in_replay((enum log_kind)kind, object, &model->step);
	}
	enter(model, pc, __builtin_return_address(0), on);
}

/* Conditions */

uint32_t __norn_model_waits(struct norn_model *model, const void *pc, const void *condition,
			    void *mutex, void (*give)(void *), void (*take)(void *), uint32_t tries,
			    uint32_t on)
{
	/* A thread that is woken has the mutex, perhaps before the plan gives it to it. */
	if (norn_replays() && on && give && take)
		return norn_wait_in_replay(condition, mutex, pc, tries, give, take)
			       ? NORN_MODEL_WOKEN
			       : NORN_MODEL_TIMED_OUT;
	model->object = condition;
	model->mutex = mutex;
	model->tries = tries;
	if (on) {
		struct norn_step step = norn_begin_step(LOG_WAIT, condition, pc);
		model->on = norn_log_wait(condition, mutex, pc);
		norn_end_step(&step, model->on);
		norn_blocks(LOG_WOKEN, condition, pc, tries ? NORN_LIMITED : NORN_FOR_EVER);
	}
	enter(model, pc, __builtin_return_address(0), on);
	return 0;
}

void __norn_model_woke(struct norn_model *model, uint32_t on)
{
	leave(model);
	norn_runs(true);
	if (!model->on)
		return;
	struct norn_step step = norn_begin_step(LOG_WOKEN, model->object, model->pc);
	norn_log_woken(model->object, model->mutex, model->pc, model->tries, !on);
	norn_end_step(&step, true);
}

void __norn_model_sem_init(const void *pc, const void *object, uint64_t count, uint32_t on)
{
	if (!on)
		return;
	struct norn_step step = norn_begin_step(LOG_SEM_INIT, object, pc);
	norn_log_sem_init(object, pc, (int64_t)count);
	norn_end_step(&step, true);
}

/*
 * What comes before what: a counter for each object (annotate.c). With a word, each thread has one
 * of its own, and who comes after looks at those of all others: so those who only say that they
 * were there do not order each other.
 */

static const void *key(const void *object, uint32_t word, uint32_t thread)
{
	uint64_t mixed = ((uintptr_t)object ^ (uint64_t)word << 48) * UINT64_C(0x9e3779b97f4a7c15);
	mixed = (mixed ^ mixed >> 29 ^ thread) * UINT64_C(0xbf58476d1ce4e5b9);
	return (const void *)(mixed | UINT64_C(1) << 63);
}

void __norn_model_before(const void *object, uint32_t word, uint32_t on)
{
	if (!on)
		return;
	if (!word)
		norn_happens_before(norn_item(object));
	else if (norn_run.shared)
		norn_comes_before(key(object, word, norn_self.number));
}

void __norn_model_after(const void *object, uint32_t word, uint32_t on)
{
	if (!on || !norn_run.shared)
		return;
	if (!word) {
		norn_happens_after(norn_item(object));
		return;
	}
	uint32_t threads = __atomic_load_n(&norn_run.shared->threads, __ATOMIC_ACQUIRE);
	for (uint32_t i = 0; i < threads; i++)
		if (i != norn_self.number && norn_has_hidden(key(object, word, i)))
			norn_comes_after(key(object, word, i));
}
