/* SPDX-License-Identifier: MIT */
/*
 * Whom a call reaches, and what of it is known: whether its code has hooks of its own, what its
 * result depends on, whether the runtime has a version of it that logs.
 */
#ifndef INSTRUMENT_CALLEE_H
#define INSTRUMENT_CALLEE_H

#include <llvm-c/Core.h>

#include <stdbool.h>

enum callee_kind {
	CALLEE_HOOKED,	 /* defined here, with hooks: nothing to do at the call */
	CALLEE_OUTSIDE,	 /* a function without hooks, as far as this module knows */
	CALLEE_INDIRECT, /* anything */
	CALLEE_ASSEMBLY,
	CALLEE_PURE,  /* computes: data flow */
	CALLEE_QUIET, /* an intrinsic that says something to the compiler */
	CALLEE_COPY,  /* to, from, length */
	CALLEE_FILL,  /* to, byte, length */
	CALLEE_LEFT,  /* an intrinsic that touches memory and has no hook */
};

struct callee {
	enum callee_kind kind;
	LLVMValueRef function; /* or NULL */
	const char *name;      /* of it, or "" */
	/*
	 * The result is the same whenever the call happens: a new object or descriptor, an address
	 * or number of the thread's own, the status of a synchronisation that is an event itself.
	 * Or of a system call: what it has to do with others the runtime counts (libc/channel.c),
	 * and a branch stands behind that.
	 */
	bool fixed_result;
	bool sees;		  /* what the result depends on __norn_seen tells: known.h */
	bool replaced;		  /* the runtime has __norn_NAME */
	bool allocates;		  /* operator new, which ends in malloc */
	bool unknown;		  /* perhaps: the table of sites names it */
	bool modelled;		  /* a model speaks of it: model.h */
	bool unseen;		  /* perhaps: it runs code that changes memory without hooks */
	const char *around;	  /* the hook to put before and behind it, or NULL: state.c */
	bool returns_destination; /* the library's memcpy, not the intrinsic */
};

struct callee callee_of(LLVMValueRef call);
/* Does it do no more than one event, of the objects to which it is given pointers? */
bool callee_is_on_object(LLVMValueRef call);
/* Is this a function whose body gets hooks? */
bool callee_gets_hooks(LLVMValueRef function);
/* The function behind casts and aliases, or NULL. */
LLVMValueRef callee_function_behind(LLVMValueRef value);
bool callee_is_call(LLVMValueRef instruction); /* call, invoke, callbr */
/* Assembly that does something, and to memory: its text and constraints say so. */
bool callee_is_assembly_on_memory(LLVMValueRef call);
/* A tail call that must stay right before the return. */
bool callee_ends_function(LLVMValueRef call);
/* That call before this return, or NULL. */
LLVMValueRef callee_of_end(LLVMValueRef leave);
/* setjmp and the like. */
bool callee_returns_twice(LLVMValueRef call);
/* Is its address taken, so that code without hooks may call it? */
bool callee_gets_out(LLVMValueRef function);
/* Compiled with -fPIC: for a shared library, as a rule. */
bool callee_is_for_library(LLVMModuleRef llvm);
/* May it be in a shared library, where others find it by its name? */
bool callee_is_exported(LLVMValueRef function);
/* May another module take it, and is it like what they give to such code as a callback? */
bool callee_is_for_others(LLVMValueRef function);
/* Is it called by its name alone, and only in this module? */
bool callee_is_inner(LLVMValueRef function);
/* May a call by address reach it from anywhere, by what it refers to or by its name? */
bool callee_is_reachable(LLVMValueRef function);
/* A function of the library that is known and logs all that it changes, or changes nothing. */
bool callee_is_known(const char *name);
/* One that the runtime has a version of. */
bool callee_is_replaced(const char *name);
/* One with hooks around its calls, since it orders threads outside memory. */
bool callee_orders_outside(const char *name);

#endif
