/* SPDX-License-Identifier: MIT */
#include "runtime/replay/schedule.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/uio.h>

#include "runtime/append.h"
#include "runtime/replay/parts.h"
#include "runtime/replay/placed.h"
#include "runtime/run.h"
#include "runtime/shard.h"

#define LOOK_NS 20000000
#define LOST 2 /* looks at a thread that sleeps */
/* Who goes on alone lets others go now and then. */
#define STAYS_MOST 20000
/* Steps of others once a thread ends the program. */
#define EXIT_STEPS 20000
/* Choices without a change: nobody will change anything any more. */
#define IDLE_MOST 50000
#define NUMBERS 65536u

static struct {
	struct norn_spin lock;
	struct norn_turn *first; /* by number */
	struct norn_turn *holder, *last;
	uint32_t coming; /* threads that were made and are not listed */
	uint32_t moves;	 /* grows with each point */
	uint64_t changes, stays, exiting, now;
	uint32_t idle;
	uint32_t given; /* turns, behind the plan */
	uint64_t random;
	bool begun, first_went;
	uint32_t ended[NUMBERS / 32];
} schedule;

bool norn_turn_scheduled(void)
{
	return norn_replays() && norn_plan->schedule != PLAN_FREE;
}

bool norn_turn_prints(void)
{
	return norn_turn_scheduled() && norn_plan->prints;
}

bool norn_turn_on(const struct norn_self *me)
{
	return norn_turn_scheduled() && me->turn.listed &&
	       norn_load(&norn_replay.state->phase) == REPLAY_GOES;
}

/* Nothing of the program runs in this thread while it has the lock. */
static uintptr_t lock(struct norn_self *me)
{
	uintptr_t busy = me->busy;
	me->busy = busy ? busy : 1;
	NORN_COMPILER_BARRIER();
	norn_spin_lock(&schedule.lock);
	return busy;
}

static void unlock(struct norn_self *me, uintptr_t busy)
{
	norn_spin_unlock(&schedule.lock);
	NORN_COMPILER_BARRIER();
	me->busy = busy;
	if (!busy)
		norn_leave(me);
}

static uint64_t next_random(void)
{
	schedule.random += UINT64_C(0x9e3779b97f4a7c15);
	uint64_t x = schedule.random;
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* Choosing; with the lock */

static void give(struct norn_turn *to)
{
	to->state = TURN_RUNS;
	to->sleeps = 0;
	norn_store(&norn_replay.state->rest, REPLAY_MOVES);
	schedule.holder = schedule.last = to;
	schedule.stays = 0;
	schedule.given++;
	norn_store(&to->goes, 1);
	norn_wake(&to->goes, NORN_ANYBODY);
}

/* Of all schedules, in some the time limit is over before others have moved. */
static bool may_expire(const struct norn_turn *t)
{
	return norn_plan->schedule == PLAN_LISTED && t->state == TURN_BLOCKED && t->may_expire;
}

static bool may_go(const struct norn_turn *t)
{
	return t->state == TURN_READY || t->state == TURN_RUNS || may_expire(t);
}

/* It has looked, and nothing has changed since. */
static bool is_still(const struct norn_turn *t)
{
	return t->still == schedule.changes;
}

static uint32_t count_ready(bool still)
{
	uint32_t n = 0;
	for (const struct norn_turn *t = schedule.first; t; t = t->next)
		n += may_go(t) && (still || !is_still(t));
	return n;
}

static struct norn_turn *ready_at(uint32_t rank, bool still)
{
	for (struct norn_turn *t = schedule.first; t; t = t->next)
		if (may_go(t) && (still || !is_still(t)) && !rank--)
			return t;
	return NULL;
}

/* The next behind who went last, by number. */
static struct norn_turn *next_ready(bool still)
{
	uint32_t from = schedule.last ? schedule.last->number : 0;
	struct norn_turn *lowest = NULL;
	for (struct norn_turn *t = schedule.first; t; t = t->next) {
		if (!may_go(t) || (!still && is_still(t)))
			continue;
		if (t->number > from)
			return t;
		if (!lowest)
			lowest = t;
	}
	return lowest;
}

static struct norn_turn *highest(bool still)
{
	struct norn_turn *best = NULL;
	for (struct norn_turn *t = schedule.first; t; t = t->next)
		if (may_go(t) && (still || !is_still(t)) && (!best || t->priority > best->priority))
			best = t;
	return best;
}

static uint32_t decision(uint32_t of)
{
	struct replay_state *state = norn_replay.state;
	uint32_t i = state->decided;
	if (of < 2 || i >= REPLAY_DECISIONS)
		return 0;
	struct replay_decision *d = &state->decisions[i];
	if (i >= state->given)
		d->chosen = 0;
	d->of = (uint8_t)of;
	state->decided++;
	return d->chosen < of ? d->chosen : 0;
}

uint32_t norn_turn_chooses(uint32_t of)
{
	struct norn_self *me = &norn_self;
	if (of < 2 || !norn_turn_on(me) || norn_plan->schedule == PLAN_STAY)
		return 0;
	uintptr_t busy = lock(me);
	uint32_t chosen =
		norn_plan->schedule == PLAN_LISTED ? decision(of) : (uint32_t)(next_random() % of);
	unlock(me, busy);
	return chosen;
}

static struct norn_turn *choose(void)
{
	bool still = !count_ready(false);
	uint32_t n = count_ready(still);
	if (!n)
		return NULL;
	switch (norn_plan->schedule) {
	case PLAN_RANDOM: return ready_at((uint32_t)(next_random() % n), still);
	case PLAN_PCT:
	case PLAN_POS: return highest(still);
	case PLAN_LISTED: return ready_at(decision(n), still);
	default: return next_ready(still);
	}
}

/* Of those that wait for time to pass, whoever has waited for long enough first. */
static struct norn_turn *earliest(void)
{
	struct norn_turn *best = NULL;
	for (struct norn_turn *t = schedule.first; t; t = t->next)
		if ((t->state == TURN_ASLEEP || (t->state == TURN_BLOCKED && t->until)) &&
		    (!best || t->until < best->until))
			best = t;
	if (best) {
		schedule.now = best->until > schedule.now ? best->until : schedule.now;
		best->expired = best->state == TURN_BLOCKED;
	}
	return best;
}

static struct norn_turn *in_state(uint32_t state)
{
	struct norn_turn *t = schedule.first;
	while (t && t->state != state)
		t = t->next;
	return t;
}

/* Who ends the program, once nobody else can go on. */
static struct norn_turn *who_exits(void)
{
	struct norn_turn *crashes = in_state(TURN_CRASHES);
	return crashes ? crashes : in_state(TURN_EXITS);
}

static void rest(enum replay_rest how)
{
	norn_store(&norn_replay.state->rest, how);
}

char norn_state_of_task(uint32_t task)
{
	char path[64] = "/proc/self/task/", text[128], *to = path + 16, digits[12], *d = digits;
	do
		*d++ = (char)('0' + task % 10);
	while (task /= 10);
	while (d > digits)
		*to++ = *--d;
	__builtin_memcpy(to, "/stat", 6);
	long fd = norn_sys_open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	long n = NORN_SYS(read, fd, text, sizeof text, 0, 0, 0);
	norn_sys_close(fd);
	for (long i = n - 2; i > 1; i--)
		if (text[i - 1] == ')' && text[i] == ' ')
			return text[i + 1];
	return 0;
}

/* It is to come, and waits somewhere, unseen. On a busy machine who can go on may take its time. */
static bool is_lost(struct norn_turn *t)
{
	t->sleeps = norn_state_of_task(t->task) == 'S' ? t->sleeps + 1 : 0;
	return t->sleeps >= LOST;
}

/* Nobody has it. `force`: who is on its way is not waited for any more. */
static void pick(bool force)
{
	struct norn_turn *first = NULL, *chosen;
	for (struct norn_turn *t = schedule.first; t; t = t->next) {
		if (t->state == TURN_AWAY && (!force || !is_lost(t)))
			return;
		if (t->state == TURN_AWAY)
			t->state = TURN_OUTSIDE;
		if (t->number == norn_plan->first)
			first = t;
	}
	if (schedule.coming)
		return;
	if (!schedule.first_went && first && first->state == TURN_READY)
		chosen = first;
	else if (!(chosen = choose()) && !(chosen = earliest()))
		chosen = who_exits();
	schedule.first_went = true;
	if (chosen && may_expire(chosen))
		chosen->expired = true;
	if (chosen)
		give(chosen);
	else if (!in_state(TURN_OUTSIDE) && !schedule.coming)
		rest(REPLAY_STUCK);
}

/* Who is blocked may try again; NULL: whoever. */
static void wake(const void *object)
{
	for (struct norn_turn *t = schedule.first; t; t = t->next)
		if (t->state == TURN_BLOCKED && (!object || t->object == object))
			t->state = TURN_READY;
}

/* Waiting */

/* Nothing has moved for a while: does who is to move wait, unseen? */
static void look_for_lost(struct norn_self *me, uint32_t moves)
{
	uintptr_t busy = lock(me);
	struct norn_turn *holder = schedule.holder;
	if (schedule.moves != moves || norn_load(&norn_replay.state->rest) == REPLAY_ENDLESS) {
		unlock(me, busy);
		return;
	}
	if (!holder && norn_load(&norn_replay.state->rest) == REPLAY_STUCK)
		wake(NULL); /* threads that nobody knows may have moved */
	if (holder && holder->state == TURN_RUNS && is_lost(holder)) {
		norn_replay.state->lost++;
		holder->state = TURN_OUTSIDE;
		schedule.holder = NULL;
	}
	if (!schedule.holder)
		pick(true);
	unlock(me, busy);
}

static void wait_to_be_chosen(struct norn_self *me)
{
	static const struct timespec a_while = {0, LOOK_NS};
	struct norn_turn *t = &me->turn;
	while (!norn_load(&t->goes)) {
		uint32_t moves = norn_load(&schedule.moves);
		long result = NORN_SYS(futex, &t->goes, FUTEX_WAIT, 0, &a_while, 0, 0);
		if (result == -ETIMEDOUT && !norn_load(&t->goes))
			look_for_lost(me, moves);
	}
	norn_store(&t->goes, 0);
	norn_await_gone();
}

/* With the lock, which it gives back: in this state, until it is chosen. */
static void rest_in(struct norn_self *me, uint32_t state, uintptr_t busy)
{
	me->turn.state = state;
	if (schedule.holder == &me->turn)
		schedule.holder = NULL;
	schedule.moves++;
	if (!schedule.holder)
		pick(false);
	norn_spin_unlock(&schedule.lock);
	wait_to_be_chosen(me);
	NORN_COMPILER_BARRIER();
	me->busy = busy;
	if (!busy)
		norn_leave(me);
}

/* What a step changes */

static bool peek(uint64_t *value, const void *p)
{
	struct iovec to = {value, sizeof *value}, from = {(void *)p, sizeof *value};
	return NORN_SYS(process_vm_readv, NORN_SYS(getpid, 0, 0, 0, 0, 0, 0), &to, 1, &from, 1,
			0) == (long)to.iov_len;
}

/* The step before this one has happened. */
static void finish_last(struct norn_turn *t)
{
	uint64_t word = 0;
	switch (t->kind) {
	case LOG_NOTHING:
	case LOG_READ:
	case LOG_BRANCH: break;
	case LOG_RMW:
		if (!t->changes || !peek(&word, t->changes) || word != t->word)
			schedule.changes++;
		break;
	case LOG_RELEASE:
	case LOG_SIGNAL:
	case LOG_BROADCAST:
	case LOG_SEM_POST:
	case LOG_BARRIER_ENTER:
	case LOG_ONCE_END:
		schedule.changes++;
		wake(t->object);
		break;
	case LOG_ACQUIRE:
	case LOG_ACQUIRE_SHARED:
		if (!t->changes) /* it has, and is not one that may have failed */
			schedule.changes++;
		break;
	case LOG_WAIT:
	case LOG_WOKEN:
	case LOG_END:
		wake(NULL);
		/* fallthrough */
	default: schedule.changes++;
	}
	t->kind = LOG_NOTHING;
}

static void note_next(struct norn_turn *t, const struct norn_what *what)
{
	t->kind = (uint8_t)what->kind;
	t->object = what->object;
	t->changes = what->tries || (what->kind == LOG_RMW && peek(&t->word, what->object))
			     ? what->object
			     : NULL;
}

/* Going round: the same steps, three times, and nobody has changed anything. */

static uint64_t mix(uint64_t digest, uint64_t with)
{
	digest = (digest ^ with) * UINT64_C(0xbf58476d1ce4e5b9);
	return digest ^ digest >> 29;
}

static void look_anew(struct norn_turn *t, uint64_t step)
{
	t->anchor = step;
	t->since = 0;
	t->digest = 0;
	t->last_digest = 1;
}

static bool goes_round(struct norn_turn *t, const struct norn_what *what)
{
	uint64_t step = mix(
		mix(mix(3, what->site ? what->site : (uintptr_t)what->pc), (uintptr_t)what->object),
		what->kind);
	bool again = false;
	if (t->seen != schedule.changes) {
		t->seen = schedule.changes;
		t->most = 4;
		look_anew(t, step);
		return false;
	}
	if (step == t->anchor) {
		again = t->digest == t->last_digest;
		t->last_digest = t->digest;
		t->digest = 0;
	} else {
		t->digest = mix(t->digest, step) | 2;
	}
	if (++t->since >= t->most) {
		t->most *= 2;
		look_anew(t, step);
	}
	return again;
}

/* Priorities */

static bool races(const struct norn_turn *a, const struct norn_turn *b)
{
	return a->object && a->object == b->object && !(a->kind == LOG_READ && b->kind == LOG_READ);
}

static void set_priorities(struct norn_turn *me)
{
	if (norn_plan->schedule == PLAN_POS)
		me->priority = next_random() >> 1;
	if (norn_plan->schedule != PLAN_PCT || !norn_plan->length)
		return;
	/* about `depth` changes, each step as likely as others */
	if (next_random() % norn_plan->length < norn_plan->depth)
		me->priority = next_random() % 1000;
}

/* POS: who races with the step that is taken now is thrown anew. */
static void throw_anew(const struct norn_turn *taken)
{
	if (norn_plan->schedule != PLAN_POS)
		return;
	for (struct norn_turn *t = schedule.first; t; t = t->next)
		if (t != taken && t->state == TURN_READY && races(t, taken))
			t->priority = next_random() >> 1;
}

/* Points */

static void begin_schedule(void)
{
	if (schedule.begun)
		return;
	schedule.begun = true;
	schedule.random = norn_plan->seed;
	schedule.changes = 1;
	for (struct norn_turn *t = schedule.first; t; t = t->next)
		t->priority = 1000 + (next_random() >> 2);
}

/* Others can tell when it happens: else to go on is as good as to give way before it. */
static bool is_seen(const struct norn_what *what)
{
	switch (what->kind) {
	case LOG_BEGIN:
	case LOG_END:
	case LOG_FORK:
	case LOG_JOIN:
	case LOG_BRANCH:
	case LOG_ALLOC:
	case LOG_MARK: return false;
	default: return true;
	}
}

/* Whether others are to be asked, at a step of who goes. */
static bool is_a_choice(struct norn_turn *t, const struct norn_what *what)
{
	bool round = goes_round(t, what);
	if (round) {
		t->still = schedule.changes;
		t->priority = norn_plan->schedule == PLAN_PCT ? 0 : t->priority;
		if (++schedule.idle > IDLE_MOST)
			rest(REPLAY_ENDLESS);
	}
	if (norn_plan->schedule == PLAN_LISTED)
		return round || is_seen(what);
	if (norn_plan->schedule != PLAN_STAY)
		return true;
	return round || ++schedule.stays > STAYS_MOST;
}

static bool exit_is_due(void)
{
	return schedule.exiting && who_exits() && ++schedule.exiting > EXIT_STEPS;
}

static void arrive(struct norn_self *me, const struct norn_what *what)
{
	struct norn_turn *t = &me->turn;
	uintptr_t busy = lock(me);
	uint64_t changes = schedule.changes;
	begin_schedule();
	finish_last(t);
	if (changes != schedule.changes)
		schedule.idle = 0;
	norn_replay.state->steps++;
	schedule.moves++;
	bool mine = schedule.holder == t;
	bool chooses = mine && is_a_choice(t, what);
	note_next(t, what);
	set_priorities(t);
	if (mine && exit_is_due()) {
		t->state = TURN_READY;
		give(who_exits());
		norn_spin_unlock(&schedule.lock);
		wait_to_be_chosen(me);
		me->busy = busy;
	} else if (mine && !chooses) {
		unlock(me, busy);
	} else {
		rest_in(me, TURN_READY, busy);
	}
	if (norn_plan->schedule == PLAN_POS) {
		busy = lock(me);
		throw_anew(t);
		unlock(me, busy);
	}
}

void norn_turn_point(struct norn_self *me, struct norn_step *step, const struct norn_what *what)
{
	if (!norn_turn_on(me))
		return;
	bool first = !schedule.first_went && me->number == norn_plan->first;
	arrive(me, what);
	me->turn.gives_up = first && norn_plan->fails && what->kind == LOG_WOKEN;
	step->wakes = first && norn_plan->wakes &&
		      (what->kind == LOG_SIGNAL || what->kind == LOG_BROADCAST);
	if (!first || !norn_plan->fails || !what->tries)
		return;
	step->kind = what->kind == LOG_SEM_WAIT		? LOG_SEM_FAIL
		     : what->kind == LOG_ACQUIRE_SHARED ? LOG_TRY_FAIL_SHARED
							: LOG_TRY_FAIL;
}

/* Threads */

void norn_turn_begin(struct norn_self *me)
{
	if (!norn_turn_scheduled())
		return;
	struct norn_turn *t = &me->turn, **at = &schedule.first;
	uintptr_t busy = lock(me);
	*t = (struct norn_turn){
		.number = me->number,
		.task = (uint32_t)NORN_SYS(gettid, 0, 0, 0, 0, 0, 0),
		.state = TURN_AWAY,
		.listed = true,
	};
	if (schedule.begun)
		t->priority = 1000 + (next_random() >> 2);
	while (*at && (*at)->number < me->number)
		at = &(*at)->next;
	t->next = *at;
	*at = t;
	if (schedule.coming)
		__atomic_sub_fetch(&schedule.coming, 1, __ATOMIC_SEQ_CST);
	unlock(me, busy);
}

void norn_turn_expect(void)
{
	struct norn_self *me = &norn_self;
	if (!norn_turn_scheduled())
		return;
	uintptr_t busy = lock(me);
	__atomic_add_fetch(&schedule.coming, 1, __ATOMIC_SEQ_CST);
	unlock(me, busy);
}

void norn_turn_await_new(void)
{
	for (uint32_t spins = 0; norn_turn_scheduled() && norn_load(&schedule.coming);)
		norn_wait(&spins);
}

void norn_turn_end(struct norn_self *me)
{
	if (!norn_turn_scheduled() || !me->turn.listed)
		return;
	uintptr_t busy = lock(me);
	struct norn_turn **at = &schedule.first;
	while (*at != &me->turn)
		at = &(*at)->next;
	*at = me->turn.next;
	me->turn.listed = false;
	if (me->number < NUMBERS)
		schedule.ended[me->number / 32] |= 1u << me->number % 32;
	finish_last(&me->turn);
	wake(NULL);
	schedule.changes++;
	schedule.moves++;
	if (schedule.last == &me->turn)
		schedule.last = NULL;
	if (schedule.holder == &me->turn)
		schedule.holder = NULL;
	if (!schedule.holder && norn_load(&norn_replay.state->phase) == REPLAY_GOES)
		pick(false);
	unlock(me, busy);
}

/* Waits */

static void tell_blocked(struct norn_self *me, enum log_kind kind, const void *object,
			 const void *pc, bool limited)
{
	const struct norn_what what = {.kind = kind, .object = object, .pc = pc};
	norn_tell(me, REPLAY_BLOCKED, &what, true);
	norn_put4(me, LOG_BLOCKED, limited ? LOG_TRIES : 0, me->turn.gave_up, (uintptr_t)object,
		  (uintptr_t)pc, kind);
}

static void block(struct norn_self *me, enum log_kind kind, const void *object, uint64_t until)
{
	uintptr_t busy = lock(me);
	begin_schedule();
	finish_last(&me->turn);
	me->turn.object = object;
	me->turn.until = until;
	me->turn.may_expire = until && kind == LOG_WOKEN;
	me->turn.expired = false;
	rest_in(me, TURN_BLOCKED, busy);
}

/* Whatever a time limit is: longer than what others need, as long as they move. */
#define LIMIT_NS UINT64_C(1000000000)

bool norn_turn_waits(enum log_kind kind, const void *object, const void *pc, bool limited,
		     bool *expired)
{
	struct norn_self *me = &norn_self;
	*expired = false;
	if (!norn_turn_on(me))
		return false;
	if (me->turn.gives_up && limited) {
		me->turn.gives_up = false;
		*expired = true;
		return false;
	}
	if (!norn_enter(me))
		return false;
	tell_blocked(me, kind, kind == LOG_JOIN ? (const char *)object - 1 : object, pc, limited);
	block(me, kind, object, limited ? schedule.now + LIMIT_NS : 0);
	norn_store(&norn_replay_of(me)->where, REPLAY_RUNS);
	*expired = me->turn.expired;
	norn_leave(me);
	return !*expired;
}

static bool has_ended(uint32_t number)
{
	return norn_load(&schedule.ended[number / 32]) & 1u << number % 32;
}

bool norn_turn_join(uint32_t number, bool limited, const void *pc)
{
	const void *object = (const void *)((uintptr_t)number + 1);
	bool expired;
	if (!norn_turn_scheduled() || number >= NUMBERS)
		return false;
	while (!has_ended(number))
		if (!norn_turn_waits(LOG_JOIN, object, pc, limited, &expired))
			return false;
	return true;
}

void norn_turn_wake(const void *object)
{
	struct norn_self *me = &norn_self;
	if (!norn_replays() || !norn_turn_on(me))
		return;
	uintptr_t busy = lock(me);
	schedule.changes++;
	wake(object);
	unlock(me, busy);
}

void norn_turn_nudge(struct norn_self *other)
{
	struct norn_self *me = &norn_self;
	if (!norn_turn_scheduled())
		return;
	uintptr_t busy = lock(me);
	schedule.changes++;
	if (other->turn.listed && other->turn.state == TURN_BLOCKED)
		other->turn.state = TURN_READY;
	unlock(me, busy);
}

bool norn_turn_sleeps(uint64_t ns)
{
	struct norn_self *me = &norn_self;
	if (!norn_replays() || !norn_turn_on(me) || !norn_enter(me))
		return false;
	uintptr_t busy = lock(me);
	begin_schedule();
	finish_last(&me->turn);
	schedule.changes++; /* time passes */
	me->turn.until = schedule.now + ns;
	rest_in(me, norn_plan->schedule == PLAN_STAY ? TURN_ASLEEP : TURN_READY, busy);
	norn_leave(me);
	return true;
}

void norn_turn_leaves(struct norn_self *me)
{
	if (!norn_turn_scheduled() || !me->turn.listed)
		return;
	uintptr_t busy = lock(me);
	finish_last(&me->turn);
	me->turn.state = TURN_OUTSIDE;
	schedule.moves++;
	if (schedule.holder == &me->turn)
		schedule.holder = NULL;
	if (!schedule.holder && norn_load(&norn_replay.state->phase) == REPLAY_GOES)
		pick(false);
	unlock(me, busy);
}

void norn_turn_returns(struct norn_self *me)
{
	if (!norn_turn_scheduled() || !me->turn.listed || me->turn.state != TURN_OUTSIDE)
		return;
	uintptr_t busy = lock(me);
	if (norn_load(&norn_replay.state->phase) != REPLAY_GOES) {
		me->turn.state = TURN_AWAY;
		unlock(me, busy);
		return;
	}
	schedule.changes++;
	rest_in(me, TURN_READY, busy);
}

/* That it ends the program now, whoever else could go on, is what the plan leads to. */
static bool cuts_off(const struct norn_self *me)
{
	return norn_turn_prints() && me->number == norn_plan->first &&
	       (!schedule.given || (schedule.given == 1 && schedule.holder == &me->turn));
}

bool norn_turn_exits(struct norn_self *me, enum norn_turn_state how)
{
	if (!norn_turn_on(me))
		return false;
	uintptr_t busy = lock(me);
	begin_schedule();
	if (how == TURN_EXITS && cuts_off(me)) {
		if (schedule.given)
			unlock(me, busy);
		else
			rest_in(me, TURN_READY, busy); /* until all others stand somewhere */
		return true;
	}
	finish_last(&me->turn);
	schedule.exiting = 1;
	rest_in(me, how, busy);
	return true;
}
