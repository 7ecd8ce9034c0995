/* SPDX-License-Identifier: MIT */
/*
 * What all parts of the room share: memory that is counted, places in the text, and the way out.
 * An error anywhere inside ends the call from outside (csp_fail does not return). Memory is the
 * arena's, or belongs to something that csp_free or the caller of what fails releases, so that
 * nothing is lost on the way.
 */
#ifndef CSP_CONTEXT_H
#define CSP_CONTEXT_H

#include "base/intern.h"
#include "base/mem.h"
#include "csp/csp.h"

#include <setjmp.h>

struct csp_pos {
	uint32_t file, line, column;
};

struct csp_file {
	const char *name;
	char *text; /* of mem_alloc */
	size_t size;
};

struct csp {
	struct arena arena;
	struct csp_limits limits;
	uint64_t bytes;
	struct intern names;
	VEC(struct csp_file) files;
	uint32_t sources; /* how many texts were read; included files count with theirs */
	bool given;	  /* some are not the user's: sets there may be empty, of any type */
	bool leaves_out;  /* csp_leave_out */
	jmp_buf *way_out;
	struct err *err;
	const char *stack;
	size_t stack_most;
	struct csp_script *script; /* tree.h */
	VEC(struct csp_decls *) lets;
	struct csp_values *values; /* value.h */
	struct csp_processes *processes;
	struct csp_globals *globals; /* eval.h */
};

void *csp_alloc(struct csp *csp, size_t size);
void *csp_copy(struct csp *csp, const void *data, size_t size);
/* An array in the arena with room for one more than n; what it held is copied. */
void *csp_grown(struct csp *csp, void *at, size_t n, size_t *capacity, size_t item);
#define csp_push(csp, v, item)                                                        \
	((v)->at = csp_grown(csp, (v)->at, (v)->n, &(v)->capacity, sizeof(*(v)->at)), \
	 (v)->at[(v)->n++] = (item))
/* Memory that is not the arena's. */
void csp_charge(struct csp *csp, uint64_t bytes);
const char *csp_text(struct csp *csp, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

void csp_fail(struct csp *csp, struct csp_pos pos, const char *format, ...)
	__attribute__((format(printf, 3, 4), noreturn));
void csp_give_up(struct csp *csp, const char *format, ...)
	__attribute__((format(printf, 2, 3), noreturn));

/* In each function that calls itself: stops before the stack does. */
void csp_check_depth(struct csp *csp, struct csp_pos pos);

/*
 * The way in from outside: `CSP_ENTER(csp, err);` in a function that returns an int returns the
 * code of what fails below it; CSP_LEAVE returns 0.
 */
void csp_set_stack(struct csp *csp, const char *here);
#define CSP_ENTER(csp_, err_)                                    \
	jmp_buf way_out_;                                        \
	jmp_buf *outer_ = (csp_)->way_out;                       \
	struct err *outer_err_ = (csp_)->err;                    \
	(csp_)->err = (err_);                                    \
	(csp_)->way_out = &way_out_;                             \
	if (!outer_)                                             \
		csp_set_stack(csp_, __builtin_frame_address(0)); \
	if (setjmp(way_out_)) {                                  \
		(csp_)->way_out = outer_;                        \
		(csp_)->err = outer_err_;                        \
		return (err_)->code;                             \
	}
#define CSP_LEAVE(csp_)                   \
	do {                              \
		(csp_)->way_out = outer_; \
		(csp_)->err = outer_err_; \
		return 0;                 \
	} while (0)

static inline const char *csp_name(const struct csp *csp, uint32_t name)
{
	return intern_text(&csp->names, name);
}

#endif
