/* SPDX-License-Identifier: MIT */
/*
 * What instrumented code calls: the contract between the instrumenter, which emits these calls, and
 * the runtime, which has the functions. A hook performs the access itself, so that the order of the
 * log is the order in which things happened.
 *
 * `site` is the number of the place: the table's base (set by __norn_register before anything of
 * the module runs; 0 if nothing is recorded) plus the index of the site in its table, which starts
 * at 0. A read tells its position in the log; what depends on it is given that position (a, b, c;
 * 0: no such dependence on this way through the code). Values are zero-extended.
 */
#ifndef RUNTIME_HOOKS_H
#define RUNTIME_HOOKS_H

#include <stddef.h>
#include <stdint.h>

struct norn_read {
	uint64_t value;
	uint64_t position;
};

/* A constructor of priority 0 of each module calls it. */
void __norn_register(const void *table, uint32_t *base);

#define NORN_SIZED(size)                                                                          \
	struct norn_read __norn_read##size(const void *p, uint32_t site);                         \
	struct norn_read __norn_read##size##_at(const void *p, uint32_t site, uint64_t a,         \
						uint64_t b, uint64_t c);                          \
	/* likewise, where the site says what is read elsewhere: positions are told each time */  \
	struct norn_read __norn_read##size##_look(const void *p, uint32_t site, uint64_t a,       \
						  uint64_t b, uint64_t c);                        \
	void __norn_write##size(void *p, uint64_t value, uint32_t site);                          \
	void __norn_write##size##_from(void *p, uint64_t value, uint32_t site, uint64_t a,        \
				       uint64_t b, uint64_t c);                                   \
	/* as _from, where all positions are of what the address came from */                     \
	void __norn_write##size##_at(void *p, uint64_t value, uint32_t site, uint64_t a,          \
				     uint64_t b, uint64_t c);                                     \
	struct norn_read __norn_load##size(const void *p, uint32_t site, uint64_t a, uint64_t b); \
	void __norn_store##size(void *p, uint64_t value, uint32_t site, uint64_t a, uint64_t b,   \
				uint64_t c);                                                      \
	struct norn_read __norn_rmw##size(void *p, uint64_t operand, uint32_t op, uint32_t site,  \
					  uint64_t a, uint64_t b);                                \
	struct norn_read __norn_swap##size(void *p, uint64_t expected, uint64_t desired,          \
					   uint32_t site, uint64_t a, uint64_t b);
NORN_SIZED(1)
NORN_SIZED(2)
NORN_SIZED(4)
NORN_SIZED(8)
#undef NORN_SIZED

/*
 * __norn_load, __norn_store, __norn_rmw, __norn_swap are C11 atomics, all performed as seq_cst;
 * rmw and swap (compare and swap) return the old value. ops of rmw, as LLVM numbers them:
 */
enum norn_op {
	NORN_XCHG,
	NORN_ADD,
	NORN_SUB,
	NORN_AND,
	NORN_NAND,
	NORN_OR,
	NORN_XOR,
	NORN_MAX,
	NORN_MIN,
	NORN_UMAX,
	NORN_UMIN,
	NORN_FADD,
	NORN_FSUB
};

void __norn_branch(uint32_t site);
void __norn_branch_from(uint32_t site, uint64_t a, uint64_t b, uint64_t c);

/*
 * A branch that may govern no more than the arm that is taken (SITE_ARM): its position, 0 if it
 * depends on nothing. Where the arm is over, with that; and of what has been one thing or the other
 * since: what it is, and what it would be without the arm, 0: not known. `branch` is 0 on ways that
 * are no such arm.
 */
uint64_t __norn_branch_arm(uint32_t site, uint64_t a, uint64_t b, uint64_t c);
void __norn_rejoin(uint64_t branch);
uint64_t __norn_either(uint64_t branch, uint64_t value, uint64_t other);

/*
 * A value that was computed, and one that comes from no read, for expressions: their positions are
 * named as those of reads are. A value with SITE_EXACT of which nothing is known at run time (a, b,
 * c are 0) is not logged, and its position is 0.
 */
#define NORN_HERE \
	(UINT64_C(1) << 63) /* with 32 bits of it: a value that comes from no read itself */
uint64_t __norn_value(uint32_t site, uint64_t a, uint64_t b, uint64_t c);
uint64_t __norn_value_opaque(uint32_t site);
uint64_t __norn_fixed(uint64_t value);
/* Right behind the call of a library function that says so (NORN_SEES): of its result. */
uint64_t __norn_seen(void);
/* Right before a call of such a function: what the arguments in the va_list depend on. */
void __norn_list(uint64_t position);
/* Right before a call of sprintf and the like: what the numbers depend on that it prints and that
 * no branch has fixed, since the text has the same length with others. */
void __norn_printed(uint64_t position);

/*
 * What arguments and results depend on: positions, of the IR's arguments in their order. A caller
 * leaves them with the key of what it calls, its address plus a number for the types; plus 1 if no
 * argument depends on anything, and then nothing else. A function that finds another key was called
 * by code without hooks. It takes the key away. Before it returns a value it leaves its own key and
 * the position of that; so a caller knows whether what it called has hooks.
 */
#define NORN_SLOTS 16
struct norn_slots {
	uint64_t callee;
	uint64_t from, result[2]; /* of a pair, both parts */
	uint64_t argument[NORN_SLOTS];
};
extern __thread struct norn_slots __norn_slots;

/*
 * Structs that are passed as copies, in memory. In place of a position there is the address that
 * the argument is copied from, which has hooks, or 0: nothing in it comes from a read. At the start
 * of the function, with sites of a read and a write, and of a write of what depends on nothing; and
 * before a call of what may have no hooks, with what is copied.
 */
#define NORN_UNKNOWN_COPY UINT64_MAX
void __norn_passed(void *argument, uint64_t from, size_t n, uint32_t read_site, uint32_t write_site,
		   uint32_t fixed_site);
void __norn_passes(const void *function, const void *from, size_t n);

/*
 * Arguments without names: a slot for all of them as one, then their kinds, the first in the lowest
 * bits, 0 behind the last; and a slot for each. Behind va_start, with a copy of the slots from the
 * kinds on; `seen`: the list itself has hooks.
 */
#define NORN_KIND_BITS 4
enum { NORN_KIND_INT = 1, NORN_KIND_LONG, NORN_KIND_DOUBLE };
#define NORN_UNKNOWN_KINDS UINT64_MAX
void __norn_arguments(void *list, const uint64_t *kept, uint32_t seen);

/* Whether this function has hooks, and takes what is left for it; and a branch if not. */
uint32_t __norn_takes(const void *function);
void __norn_guard(uint32_t takes, uint32_t site, uint64_t a, uint64_t b, uint64_t c);

/* Accesses of other sizes: to and from memory of the caller that nobody else sees (`mine`). */
void __norn_read_range(void *mine, const void *p, size_t n, uint32_t site);
void __norn_write_range(void *p, const void *mine, size_t n, uint32_t site);
/* memcpy, memmove, memset and struct copies; the sites are of the read and of the write. */
void __norn_copy(void *to, const void *from, size_t n, uint32_t read_site, uint32_t write_site);
void __norn_fill(void *to, int byte, size_t n, uint32_t site);

/* Assembly in a function that touches memory may be a lock: what it orders stays as recorded. */
void __norn_assembly_begin(void);
void __norn_assembly_end(void);
/* Likewise around an atomic access that is too wide for the hooks above, for each address. */
void __norn_wide_begin(const void *p);
void __norn_wide_end(const void *p);
/*
 * Before and behind calls of functions that change or ask for what is kept for the whole process,
 * for its memory, or of a stream or descriptor, outside memory; and of those of which it is not
 * known how they order threads (libc/state.c).
 */
void __norn_process_changes(void);
void __norn_process_looks(void);
void __norn_memory_looks(void);
void __norn_locale_changes(void);
void __norn_locale_looks(void);
void __norn_stream_changes(void *f);
void __norn_descriptor_changes(int fd);
void __norn_orders(void);
/* Before a wait at a barrier whose result is used: it tells who came last. */
void __norn_serial(void);
/* Once, when a module is loaded that asks for the counts of semaphores. */
void __norn_asks_semaphores(void);
/*
 * Between these two, for both: nobody logs what it reads and writes, of what it was given. So it is
 * a stretch of code without hooks (doc/recording.md). Returns what the end is to be told.
 */
uint32_t __norn_inline(const uint64_t *given, uint32_t n);
void __norn_inline_end(uint32_t call);

/*
 * A call of what may have no hooks (unseen.h): before it, with those of its arguments that may be
 * pointers, and with the result behind it; at the start of a function that such code may call, and
 * with the result before it returns; with the first four of its arguments that are pointers, or
 * null, which may have been handed over.
 */
uint32_t __norn_call(const void *function, const uint64_t *given, uint32_t n);
void __norn_called(uint32_t call);
uint32_t __norn_entered(const void *a, const void *b, const void *c, const void *d);
void __norn_leaves(uint32_t entered, const void *a, const void *b, const void *c, const void *d);
/* Before that: it returns this, which may be a pointer. */
void __norn_gives(uint32_t entered, uint64_t result);
/* Likewise, of a function whose result is not known to get out: what it depends on was not told. */
void __norn_leaves_others(uint32_t entered, const void *a, const void *b, const void *c,
			  const void *d);
/* Whether code without hooks runs, as far as is known; and it is so again, after a jump. */
uint32_t __norn_state(void);
void __norn_restore(uint32_t state);
/* Likewise behind setjmp, and where an exception lands: why such code has jumped is its own
 * business. */
void __norn_returned_again(uint32_t state);
/* The functions of a module that have hooks, and then those that are known; after __norn_register.
 */
void __norn_functions(const void *const *functions, uint64_t n, uint64_t hooked);

/*
 * Calls of which a model speaks (norn-events(5)). They are made by a function in front of them that
 * the instrumenter makes, which returns to `pc` in the program. It keeps a struct norn_model on its
 * stack, cleared; one of the pairs below is around the real call, and others further out. `on`:
 * what the condition of the line says, before the call as far as that is known.
 */
#define NORN_MODEL_WORDS 9
struct norn_model;
void __norn_model_wraps(struct norn_model *model, const void *pc);
void __norn_model_takes(struct norn_model *model, const void *pc, uint32_t kind, const void *object,
			uint32_t tries, uint32_t on);
void __norn_model_took(struct norn_model *model, uint32_t on);
void __norn_model_gives(struct norn_model *model, const void *pc, uint32_t kind, const void *object,
			uint32_t on);
/* With functions that give the mutex back and take it, or null. Not 0: it has waited itself. */
#define NORN_MODEL_WOKEN 1
#define NORN_MODEL_TIMED_OUT 2
uint32_t __norn_model_waits(struct norn_model *model, const void *pc, const void *condition,
			    void *mutex, void (*give)(void *), void (*take)(void *), uint32_t tries,
			    uint32_t on);
void __norn_model_woke(struct norn_model *model, uint32_t on);
void __norn_model_done(struct norn_model *model);
void __norn_model_sem_init(const void *pc, const void *object, uint64_t count, uint32_t on);
/* `word` tells apart what is done with one object. */
void __norn_model_before(const void *object, uint32_t word, uint32_t on);
void __norn_model_after(const void *object, uint32_t word, uint32_t on);
/*
 * Around a call that orders nothing else, but whose changes are to be found. flags: whether it
 * hands anything to other threads, or gets it from them, beyond that: LOG_MODEL_HANDS,
 * LOG_MODEL_RECEIVES.
 */
uint32_t __norn_call_modelled(const void *function, const void *pc, uint32_t flags);
void __norn_called_modelled(uint32_t call, const void *pc);

/*
 * A mark (norn-events(5)) at the place that returns to `pc`: "NAME FIELD…" with a `#` for each
 * number, which follow. Not __norn_: to the instrumenter it is a call of what has no hooks.
 */
void norn_event(const void *pc, const char *text, int64_t a, int64_t b, int64_t c, int64_t d,
		int64_t e, int64_t f);

/* Before a call of operator new: where it is called, which malloc then does not see. */
void __norn_new(void);

/*
 * Which functions are being called, for stacks: where a function begins, with the address that it
 * returns to; with what that has told, before it returns; and where it runs again because of an
 * exception or a jump.
 */
uint64_t __norn_enter(const void *pc);
void __norn_leave(uint64_t call);
void __norn_back(uint64_t call);

/* An object on the stack whose address gets out: at its birth, and before the function returns. */
void __norn_stack(void *p, size_t n, uint32_t site);
void __norn_stack_end(void *p, size_t n, uint32_t site);

#endif
