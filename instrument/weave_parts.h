/* SPDX-License-Identifier: MIT */
/* Between the halves of weave.h: places, and what happens there. */
#ifndef INSTRUMENT_WEAVE_PARTS_H
#define INSTRUMENT_WEAVE_PARTS_H

#include "instrument/weave.h"

struct weaver {
	LLVMModuleRef llvm;
	LLVMContextRef context;
	LLVMBuilderRef builder;
	LLVMTargetDataRef layout;
	LLVMTypeRef i64, nothing, bytes;
	const struct events *events;
	struct debug debug;
	bool knows_types; /* `debug` is set up */
	bool marked;
	struct err *err;
};

/* Which of the events of a line that has two. */
enum side { SIDE_ONLY, SIDE_BEGIN, SIDE_END };

/* Where an event happens, and what is known there; values that are not are NULL. */
struct place {
	LLVMValueRef before;	  /* this instruction */
	LLVMMetadataRef location; /* or NULL */
	const char *name;	  /* of the function or variable */
	LLVMValueRef function;	  /* a declaration or the function itself: its arguments… */
	LLVMValueRef call;	  /* … in this call, or NULL: in its body */
	LLVMValueRef result;	  /* what it returned */
	LLVMValueRef address, size, value;
};

/* Makes the event happen (weave_line.c). ERR_INPUT: a field does not fit. */
int weave_event(struct weaver *w, const struct events_line *line, const struct place *place,
		enum side side);
/* Both, or the one of them that `when` asks for. */
int weave_events(struct weaver *w, const struct events_line *line, const struct place *place,
		 enum events_when when);
/* Whether the line can speak of this function; if not ERR_INPUT, or 1 for one with a pattern. */
int weave_check_function(struct weaver *w, const struct events_line *line, LLVMValueRef function,
			 const char *name);
int weave_fail(struct weaver *w, const struct events_line *line, unsigned column,
	       const char *format, ...) __attribute__((format(printf, 4, 5)));
/* The number of a member in the struct, perhaps that of a global; -1: it has none with its own
 * bytes. */
int weave_member(struct weaver *w, LLVMTypeRef type, LLVMValueRef global, const char *name);

/* The bodies of functions (weave_body.c). */
int weave_bodies(struct weaver *w);
/* Lines of this sort that name it, in the order of the file; the caller frees them. */
struct weave_lines {
	const struct events_line **at;
	size_t n, capacity;
};
bool weave_find(struct weaver *w, LLVMValueRef global, unsigned whats, struct weave_lines *lines);
/* Of the function or variable, as it is linked; the caller frees it. */
char *weave_name(LLVMValueRef global);
bool weave_gets_hooks(const struct weaver *w, LLVMValueRef function);

#endif
