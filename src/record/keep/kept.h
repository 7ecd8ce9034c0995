/* SPDX-License-Identifier: MIT */
/*
 * Order that is kept, since code without hooks may rely on it (doc/recording.md, "Code without
 * hooks"). Such code runs in stretches. What it does in there nobody sees: it may lock and wait by
 * itself, hand things over in memory of its own, and read what it was given. So:
 *
 * - a stretch of a library that may order threads keeps its place: what a thread did before one
 * that had begun comes before what another one does behind one that ended later;
 * - so for stretches that were given the same object, whatever the library;
 * - of the sections of one lock that have such code in them, the order is kept, and of posts and
 *   waits of a semaphore that are made by it;
 * - writes to an object and stretches of other threads that were given it keep their order.
 *
 * What it does depends on what it reads: all that its thread has read may be behind that. So a
 * stretch that was given what others can see is known to happen only if that is as recorded.
 *
 * Each of the others is an edge, from a place in one thread to one in another. Places are times:
 * numbers of records in the order of the merge. Edges are found in one pass, and written in the
 * next, as pthread_once would order the two threads. An edge that follows from an earlier one, by
 * the order of its two threads, a fork or a join, is left out.
 *
 * Objects that were given together belong together from then on, since one may be kept in the
 * other. A library that has memory of its own is an object like that.
 */
#ifndef RECORD_KEEP_KEPT_H
#define RECORD_KEEP_KEPT_H

#include "record/keep/libraries.h"

#include "base/counts.h"

/* At the end of the thread's record of that time, or of the last one before it. */
struct kept_place {
	uint64_t time;
	uint32_t thread;
};

struct kept_edge {
	struct kept_place from, to;
};

/* What one thread did to a class of objects. */
struct kept_use {
	uint32_t thread;
	uint64_t wrote;	       /* its last write */
	uint64_t begun, ended; /* its last stretch that was given one of them; 0: none yet */
};

typedef VEC(struct kept_use) kept_uses;

struct kept_class {
	uint32_t parent; /* by union and find */
	bool shared;	 /* other threads may see what such code writes there */
	kept_uses uses;
};

/* A stretch, and a class that it was given; UINT32_MAX: anything. */
struct kept_stretch {
	uint64_t time;
	uint32_t class;
};

/* Of a lock, `begun` is the end of a shared section, and `ended` that of another; of a semaphore,
 * `wrote` is a post. */
struct kept_lock {
	kept_uses uses;
};

struct kept_held {
	uint64_t lock;
	uint32_t depth;
	bool shared, unseen;
	bool within; /* such code has taken it */
};

struct kept_thread {
	VEC(uint64_t) knows; /* by thread: it comes behind what that one did up to this time */
	VEC(struct kept_held) held;
	VEC(uint32_t) given; /* classes, to the calls of such code that it is in */
	uint32_t depth;	     /* of these calls */
	uint64_t groups;     /* of the libraries that may order and that it has ever been in */
	uint64_t modelled;   /* likewise, in calls of which a model speaks */
	bool inside;	     /* in a stretch */
	bool anything;	     /* which may have been given whatever there is */
	bool orders;
	bool within; /* what it logs is done by code without hooks */
	uint64_t wrote, begun, ended;
};

struct kept {
	struct libraries *libraries;
	struct kept_thread *threads;
	uint32_t thread_count;
	VEC(struct kept_class) classes;
	struct counts objects; /* by key: class + 1 */
	struct counts callees; /* by address: number of the library + 1 */
	uint32_t *library_class;
	kept_uses groups[LIBRARY_GROUPS];
	VEC(struct kept_lock) locks;
	struct counts lock_numbers; /* by address: + 1 */
	bool anything;		    /* some stretch was given whatever there is */
	bool host;		    /* no call says what the program's own code was given */
	uint32_t host_class;	    /* of all that such code has */
	bool has_past; /* libraries were given things before the recording, which began late */
	VEC(struct kept_edge) edges;
	VEC(struct kept_stretch) stretches;
};

/* The edges, to be written. */
struct kept_due {
	struct kept_place to;
	uint32_t number;
};

struct kept_order {
	struct kept_edge *edges; /* by where they leave; of struct kept */
	struct kept_due *due;	 /* by where they lead */
	size_t n;
	uint32_t count;	   /* of places that edges leave */
	uint32_t *symbols; /* by number: + 1; 0: it was not written */
	size_t next_from, next_to;
	uint32_t begun;
	VEC(struct kept_due) waiting;
	/* when stretches begin that were given what is not their thread's own */
	VEC(uint64_t) deciding;
	size_t next_deciding;
};

/* By time, then by thread. */
int kept_compare(const struct kept_place *a, const struct kept_place *b);
void kept_prepare(struct kept *k, struct kept_order *o);
void kept_order_release(struct kept_order *o);

void kept_init(struct kept *k, uint32_t threads, struct libraries *libraries);
void kept_release(struct kept *k);

void kept_fork(struct kept *k, uint32_t thread, uint32_t other, uint64_t time);
void kept_join(struct kept *k, uint32_t thread, uint32_t other, uint64_t time);

/* Of a host, the class of all that its code has; kept_host says that it is one. */
void kept_host(struct kept *k);
/* The host's code in that thread, which goes on, has what it was given. */
void kept_host_takes(struct kept *k, uint32_t thread);
/* The class of the object with this key, as the caller numbers objects. */
uint32_t kept_class_of(struct kept *k, uint64_t key);
/* They belong together from now on. Returns the class of both. */
uint32_t kept_unite(struct kept *k, uint32_t a, uint32_t b);
/* Memory of it is shared, or nobody is seen to write it. */
void kept_share(struct kept *k, uint32_t class);
bool kept_is_shared(struct kept *k, uint32_t class);
/* It wrote there at that time, which is over. */
void kept_wrote(struct kept *k, uint32_t thread, uint32_t class, uint64_t time);
void kept_write(struct kept *k, uint32_t thread, uint32_t class, uint64_t time);

/*
 * Stretches. A call begins one: before that comes what it was given, of which arguments belong
 * together from now on. Others go on with a call that was begun before.
 */
#define KEPT_ITSELF UINT64_MAX /* in place of a function: instructions of the program itself */
const struct library *kept_library(struct kept *k, uint64_t callee);
void kept_call(struct kept *k, uint32_t thread, uint64_t time);
void kept_give(struct kept *k, uint32_t thread, uint32_t class, bool argument);
void kept_give_anything(struct kept *k, uint32_t thread);
void kept_begins(struct kept *k, uint32_t thread, uint64_t callee, uint64_t time);
struct kept_model {
	bool hands, receives;
};
/*
 * Of which a model speaks. If it hands things over, others of which none does come behind what was
 * before it; if it receives them, it comes behind others as any such code.
 */
void kept_modelled(struct kept *k, uint32_t thread, uint64_t callee, struct kept_model says,
		   uint64_t time);
void kept_modelled_goes_on(struct kept *k, uint32_t thread, struct kept_model says, uint64_t time);
void kept_goes_on(struct kept *k, uint32_t thread, uint64_t time);
/* returns: from a call, to code with hooks or not; hooks: what comes next is done by such. */
void kept_ends(struct kept *k, uint32_t thread, bool returns, bool hooks, uint64_t time);

/* Locks, outermost or not, and semaphores. */
void kept_acquire(struct kept *k, uint32_t thread, uint64_t lock, bool shared);
void kept_release_lock(struct kept *k, uint32_t thread, uint64_t lock, uint64_t time);
void kept_post(struct kept *k, uint32_t thread, uint64_t semaphore, uint64_t time);
void kept_wait(struct kept *k, uint32_t thread, uint64_t semaphore, uint64_t time);

#endif
