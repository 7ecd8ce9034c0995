/* SPDX-License-Identifier: MIT */
/*
 * What the runtime knows of the thread that it runs in.
 *
 * `busy` is not 0 while the thread is inside a hook or a wrapper's own part: 1, or the shard that
 * it holds. Nothing that the program wrote runs in that time: handlers of signals are put off until
 * norn_leave (signals.c), except for faults of the hook's own access, which give the shard back
 * first, take it again afterwards, and so may change its version and the place in the log. Hence
 * hooks read both after the access. Wrappers that are called while busy (malloc by dlsym, say) only
 * do what the real function does.
 *
 * There is room for NORN_ROOM words at `at` if at < limit, which is never so in replay (replay.h).
 * In a thread that logs nothing more after a stop, `at` points to scratch memory: its hooks go on
 * as before, so that shard versions tell the truth, and what they write is lost.
 */
#ifndef RUNTIME_SELF_H
#define RUNTIME_SELF_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#define NORN_ROOM 64
#define NORN_FREED 32
#define NORN_FIXED 64
#define NORN_LIKELY(x) __builtin_expect(!!(x), 1)
#define NORN_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define NORN_HIDDEN __attribute__((visibility("hidden")))
#define NORN_INLINE static inline __attribute__((always_inline))

/* Between threads, hardware keeps the order that hooks need; between a thread and its own signal
 * handlers, or its death, only the compiler could change it. */
#define NORN_COMPILER_BARRIER() __atomic_signal_fence(__ATOMIC_SEQ_CST)

enum norn_mode {
	NORN_UNKNOWN, /* a thread that has not been seen yet */
	NORN_LOGS,
	NORN_STOPPED, /* logs nothing, but keeps versions */
	NORN_PAUSED,  /* likewise, until the recording begins: late.h */
	NORN_PLAIN,   /* not recorded: its hooks perform accesses and nothing else */
};

/* A step of a replay that is under way: replay.h. */
struct norn_step {
	uint32_t index; /* in the plan, PLAN_NONE: not there */
	uint8_t kind;	/* enum log_kind: what the plan says, 0 if nothing */
	bool taken;	/* to be ended by norn_end_step */
	uint8_t tries;	/* LOG_TRIES if the call does not wait for ever, else 0 */
	bool counts;	/* it is a step; else a record that belongs to the one before */
	bool wakes;	/* a signal: whom it wakes is said (plan.wakes) */
};

/* Its place in a schedule: replay/schedule.h. */
struct norn_turn {
	struct norn_turn *next; /* by number */
	const void *object;	/* that it is blocked at; or that its next step is about */
	uint64_t priority;	/* or when it has slept enough */
	uint64_t until;		/* asleep, or blocked with a limit: when that is over */
	uint64_t seen, still;	/* changes, when it began to look for one; when it was seen to */
	uint32_t number, task;
	uint32_t made;	/* threads, whose stacks were placed */
	uint32_t state; /* enum norn_turn_state */
	uint32_t goes;	/* a futex: it has been chosen */
	uint8_t kind;	/* enum log_kind: of its next step */
	bool listed, expired;
	bool gives_up;	 /* it is to wait for a condition until its time limit is over, at once */
	bool gave_up;	 /* and that is so: it only waits for its mutex */
	bool may_expire; /* blocked: that its time limit is over is one way to go on */
	/* To see that it goes round and round: steps since one that is looked for, and a digest. */
	uint64_t anchor, digest, last_digest, word;
	uint32_t since, most;
	uint32_t sleeps;     /* how often it was seen to, when it was to come */
	const void *changes; /* of an atomic change, the address; its value before is `word` */
};

/* A call of pthread_once, on the stack of its caller. */
struct norn_once {
	void *control;
	void (*function)(void);
	const void *pc;
	struct norn_once *outer;
	bool ran, over;
	struct norn_step step; /* that is under way: its begin, or its end */
};

/* For a recording that begins late: late.h. */
struct norn_late {
	struct norn_self *next; /* of those that wait for it */
	bool parked;		/* at the beginning of a hook, until it has begun */
	bool logs;		/* its log was begun by the thread that began the recording */
	bool begun;		/* LOG_BEGIN was to be logged; with: */
	void *stack, *pointer, *tls;
	uint64_t size, tls_size;
	/* What it waits for, and where; or null. When the recording began it waited already. */
	const void *condition, *barrier, *pc;
	uint32_t round;
	bool waited, passed; /* passed: its barrier had opened */
	bool passes;	     /* it still has to come behind the beginning */
	uint64_t came, lock; /* their addresses stand for objects in the log */
};

/* What a library function has read, for what it returns and writes: ranges.h. */
#define NORN_SEEN 4
struct norn_seen {
	bool gathers;
	uint8_t n;
	uint64_t at[NORN_SEEN]; /* positions, of reads and of values that stand for several */
	bool has_list;		/* __norn_list */
	uint64_t list;
	uint64_t printed; /* __norn_printed, or 0 */
};

struct norn_self {
	uintptr_t busy;
	uint64_t *at, *limit;
	uint64_t *origin; /* at - origin is the position in the log */
	uint64_t records;
	int pending; /* the signal that was put off, 0 if none; or NORN_STEP */
	enum norn_mode mode;
	uintptr_t second; /* the other shard that is held, of an access across lines */
	uint32_t number;
	uint32_t ends;		      /* rounds of TSD destructors so far */
	bool returned;		      /* its result is in the log */
	uint64_t joined;	      /* position of the result of the thread that it joined last */
	bool cancelled;		      /* by another thread, and it has not noticed: threads.c */
	bool unforked;		      /* likewise: libc has started it, for somebody */
	uint64_t *tail;		      /* the block that is written to, mapped */
	struct norn_packing *packing; /* NULL: not yet */
	uint64_t block;		      /* blocks begun */
	uint64_t stored;	      /* bytes of its file */
	uint64_t expected;	      /* likewise: the file system was told */
	uint64_t pc;		      /* of the last LOG_PC */
	uint64_t counted;	      /* records that are in the run's sum already */
	struct norn_once *once;	      /* that is under way: once.c */
	struct norn_seen seen;
	bool looks;	       /* between norn_look_begin and norn_look_end */
	bool finding;	       /* the real functions: see real.c */
	uint64_t *room;	       /* as limit, also in replay: there limit is null */
	uint64_t step;	       /* of a replay: steps taken */
	uint32_t next;	       /* its next step in the plan */
	bool in_turn;	       /* that step is under way */
	uint64_t kept;	       /* signals that came too early for the plan: replay/signal.c */
	struct norn_turn turn; /* among the threads of a schedule */
	struct norn_step hook; /* the step of the hook that it is in */
	struct norn_step look; /* likewise, from norn_look_begin on */
	uint32_t marks;	       /* that it knows of, NORN_UNSEEN: see unseen.h */
	uint32_t noted;	       /* likewise, as its log says */
	uint8_t unseen;	       /* code without hooks runs, as far as is known: unseen.h */
	uint8_t resumes;       /* likewise: when the hook is left, it runs again */
	/* In a call that waits; and the run counts it as blocked, as spinning, as sharing:
	 * blocked.h
	 */
	bool waits, counted_blocked, spins, shares;
	uint32_t prints; /* so many things, as far as that is counted: told.c */
	bool serial;	 /* the barrier that it comes to next tells who was last: barrier.c */
	struct norn_late late;
	struct norn_step call; /* of a replay: the call of such code, until the next step */
	uint64_t calls;	       /* LOG_ENTER: that are under way */
	const void *via;       /* the call that is under way, of which a model speaks: model.c */
	uintptr_t front;       /* from where on the function in front of it makes that call */
	bool hides;	       /* the model says all: what happens inside is not logged */
	uint64_t mask;	       /* to be restored when `pending` is delivered */
	/* Positions that an access was made by: what is there is fixed from then on. By their hash.
	 */
	uint64_t fixed[NORN_FIXED];
	/* Positions of the latest atomic read, and of the latest LOG_SPIN: spin.h */
	uint64_t round, spin;
	siginfo_t info;
	void *freed[NORN_FREED]; /* blocks that it gave back a while ago: memory.c */
	uint32_t next_freed;
	void *stack;	    /* for handlers, if the program has none: crash.c */
	void **escape;	    /* from frames that cannot be followed: crash.c */
	const void *asks;   /* who asks for memory, through a function of ours */
	const void *new_pc; /* where operator new was called, until it allocates */
	uint64_t scratch[2 * NORN_ROOM];
};

extern NORN_HIDDEN __thread struct norn_self norn_self;

/* Makes room, or finds out what this thread is, or that it was cancelled. False: it is not
 * recorded. */
NORN_HIDDEN bool norn_prepare(struct norn_self *me);
/* `pending`: no signal, but a hook's step has to be ended, or `resumes`. */
#define NORN_STEP (-1)
/* Raises again the signal that was put off; in replay, ends the hook's step before. */
NORN_HIDDEN void norn_deliver(struct norn_self *me);

NORN_INLINE void norn_leave(struct norn_self *me)
{
	NORN_COMPILER_BARRIER();
	me->busy = 0;
	NORN_COMPILER_BARRIER();
	if (NORN_UNLIKELY(me->pending))
		norn_deliver(me);
}

/* True if what happens is to be logged: then the thread is busy, has room, and norn_leave ends it.
 */
NORN_INLINE bool norn_enter(struct norn_self *me)
{
	if (NORN_UNLIKELY(me->busy))
		return false;
	me->busy = 1;
	NORN_COMPILER_BARRIER();
	if (NORN_LIKELY(me->at < me->limit) || norn_prepare(me))
		return true;
	norn_leave(me);
	return false;
}

#endif
