/* SPDX-License-Identifier: MIT */
/*
 * Code without hooks: it writes memory, and nobody logs it. So there are marks in the log where a
 * thread goes into such code and where it comes out of it (log.h), which accesses are ordered with:
 * each thread knows how many marks there are, and looks at each access whether that still holds.
 *
 * `unseen` is set while such code runs, and what it calls: unless the callee says that it has hooks
 * (__norn_entered), that may be code of either kind. Then NORN_UNSEEN stands for the number of
 * marks, so that no access takes the quick way; and there are marks around whatever is logged, so
 * that it is known which changes come before it and which after.
 */
#ifndef RUNTIME_UNSEEN_H
#define RUNTIME_UNSEEN_H

#include "runtime/self.h"

#define NORN_UNSEEN UINT32_MAX

/*
 * Of norn_self: what code without hooks runs, NORN_HOOKED if none. In a call of which a model
 * speaks there are LOG_MODEL_RUNS and what that says, LOG_MODEL_HANDS and LOG_MODEL_RECEIVES.
 */
#define NORN_HOOKED 0u
#define NORN_RUNS 1u

struct norn_marks {
	uint32_t count;
} __attribute__((aligned(64)));

extern NORN_HIDDEN struct norn_marks norn_marks;

NORN_INLINE uint32_t norn_marks_now(void)
{
	NORN_COMPILER_BARRIER();
	uint32_t now = __atomic_load_n(&norn_marks.count, __ATOMIC_RELAXED);
	NORN_COMPILER_BARRIER();
	return now;
}

/* Whether the quick way can be gone: its log says how many marks there are, and nothing has to be
 * done behind the access. */
NORN_INLINE bool norn_marks_known(const struct norn_self *me)
{
	return NORN_LIKELY(norn_marks_now() == me->marks);
}

NORN_INLINE bool norn_marks_noted(const struct norn_self *me)
{
	return NORN_LIKELY(norn_marks_now() == me->noted);
}

NORN_HIDDEN void norn_log_marks(struct norn_self *me);

/* The thread is busy and has room: before what it logs next. */
NORN_INLINE void norn_note_marks(struct norn_self *me)
{
	if (!norn_marks_known(me))
		norn_log_marks(me);
}

/*
 * Around instructions of the program itself, or of a function in their place, that have no hook and
 * touch what they were given. The thread is busy.
 */
NORN_HIDDEN uint32_t norn_inline_begin(struct norn_self *me, const void *pc, const uint64_t *given,
				       uint32_t n);
NORN_HIDDEN void norn_inline_end(struct norn_self *me, const void *pc, uint32_t call);

/* What the thread does next depends on all that it has read. */
NORN_HIDDEN void norn_depend_on_all(void);
/* Around a call that the program makes there, of a function without hooks. */
NORN_HIDDEN uint32_t norn_call_from(const void *pc, const void *function, const uint64_t *given,
				    uint32_t n);
NORN_HIDDEN void norn_called_from(const void *pc, uint32_t call);
/* Makes that call. */
NORN_HIDDEN void norn_run_unseen(const void *pc, void (*function)(void *), void *object);

/* The runtime's own. */
NORN_HIDDEN bool norn_is_own_code(const void *function);

/* By dlsym: how calls of it order threads is not known, so they keep their order. */
NORN_HIDDEN void norn_found_in_libc(const void *function);

/* The hook is left, and code without hooks goes on. */
NORN_HIDDEN void norn_resume(struct norn_self *me);
/* A thread begins, and this is what it runs; with `modelled`, it only calls what it was given.
 * unseen: code without hooks has made it. */
NORN_HIDDEN void norn_thread_unseen(const void *function, bool modelled, bool unseen);
/* A thread that runs some code without hooks is seen for the first time. It is busy. */
NORN_HIDDEN void norn_begins_unseen(struct norn_self *me);

#endif
