/* SPDX-License-Identifier: MIT */
/*
 * Findings that need no prediction: what the recorded run itself did wrong, as facts that the
 * recorder wrote (norn-trace(5), meta seen). The run is the proof.
 *
 *	seen KIND ; THREAD OP OBJECT [@LOCATION] ; …
 *
 * And of the predicted findings those that the recorded run had as well: races, if happens-before
 *did not order accesses at the same places in it; deadlocks, if it ended in one at the same places.
 */
#ifndef PREDICT_SEEN_H
#define PREDICT_SEEN_H

#include "base/mem.h"
#include "trace/symbols.h"

#include <stdbool.h>

/* clang-format off */
#define SEEN_KINDS(row) \
	row(SEEN_DEADLOCK, "deadlock", "deadlock") \
	row(SEEN_STUCK, "stuck", "threads that wait forever") \
	row(SEEN_USE_AFTER_FREE, "use-after-free", "use after free") \
	row(SEEN_DOUBLE_FREE, "double-free", "double free") \
	row(SEEN_CRASH, "crash", "crash")
/* clang-format on */

enum seen_kind {
#define SEEN_ROW(name, text, title) name,
	SEEN_KINDS(SEEN_ROW)
#undef SEEN_ROW
		SEEN_KIND_COUNT
};

extern const char *const seen_kind_text[SEEN_KIND_COUNT];
extern const char *const seen_kind_title[SEEN_KIND_COUNT];

struct seen_step {
	const char *thread, *op, *object;
	const char *location; /* NULL: not known */
	const char *name;     /* that the program gave the thread; NULL: none */
};

struct seen {
	enum seen_kind kind;
	VEC(struct seen_step) steps; /* at least one: what it is about */
	bool suppressed;
};

struct seen_list {
	VEC(struct seen) at;
	struct arena text;
};

/* All of them, in their order. ERR_INPUT for one that makes no sense; trace: its name. */
int seen_read(struct seen_list *list, const struct symbols *symbols, const char *trace,
	      struct err *err);
void seen_release(struct seen_list *list);

/* Whether the step is what the finding is about; the others tell more: who holds a lock, who freed.
 */
bool seen_is_main(const struct seen *f, size_t step);
/* The same for the same places, whatever the trace. */
uint64_t seen_fingerprint(const struct seen *f);
/* The same when lines move; others may have it, too. */
uint64_t seen_likeness(const struct seen *f);

struct prediction;
struct predict_options;

/* Marks findings that the run had as well; reads the trace once more if there are races. */
int seen_mark(struct prediction *p, const struct predict_options *options, struct err *err);

#endif
