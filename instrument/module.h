/* SPDX-License-Identifier: MIT */
/*
 * A module under work: what of LLVM is asked for again and again, the site table, the counts. The
 * builder stands where hooks go; whoever emits code positions it first.
 */
#ifndef INSTRUMENT_MODULE_H
#define INSTRUMENT_MODULE_H

#include "base/err.h"
#include "events/events.h"
#include "instrument/debug.h"
#include "instrument/map.h"
#include "instrument/table.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include <stdbool.h>

/* name, what --stat calls it */
/* clang-format off */
#define MODULE_COUNTS(row)                                            \
	row(functions, "functions with hooks")                        \
	row(reads, "reads")                                           \
	row(writes, "writes")                                         \
	row(atomics, "atomic accesses")                               \
	row(ranges, "reads and writes of other sizes")                \
	row(copies, "copies and fills")                               \
	row(branches, "branches, switches, indirect calls")           \
	row(scopes, "of branches: those that govern an arm alone")    \
	row(guards, "branches before calls and for addresses")        \
	row(pins, "pins")                                             \
	row(entries, "functions that take dependences of arguments")  \
	row(told, "values that are told")                             \
	row(opaque, "values that may come from any read")             \
	row(stack, "objects on the stack that get out")               \
	row(replaced, "calls that go to the runtime")                 \
	row(unseen, "calls of what may have no hooks")                \
	row(modelled, "functions of which a model speaks")            \
	row(exact, "of writes and branches: exact")                   \
	row(expressions, "of writes and branches: with expression")   \
	row(private, "skipped: accesses to locals")                   \
	row(constant, "skipped: reads of constants")                  \
	row(decided, "skipped: branches that depend on no read")      \
	row(left, "left alone: accesses without a hook")              \
	row(unhooked, "left alone: functions")
/* clang-format on */

struct module_counts {
#define MODULE_ROW(name, text) unsigned long name;
	MODULE_COUNTS(MODULE_ROW)
#undef MODULE_ROW
};

struct module {
	LLVMModuleRef llvm;
	LLVMContextRef context;
	LLVMBuilderRef builder;
	LLVMTargetDataRef layout;
	LLVMTypeRef i1, i8, i32, i64, nothing;
	LLVMTypeRef bytes;    /* i8* */
	LLVMTypeRef pair;     /* struct norn_read */
	LLVMValueRef base;    /* of the site numbers */
	LLVMValueRef slots;   /* __norn_slots, if it was asked for */
	struct map out;	      /* functions that code without hooks may call */
	struct map inner;     /* functions that are called by name alone: callee_is_inner */
	struct map addresses; /* numbers of global variables in `addressed` */
	VEC(LLVMValueRef) addressed;
	struct table table;
	struct debug debug;
	struct events events; /* read before anything else is done */
	bool no_stacks;
	struct module_counts counts;
};

/* Everything, on a module as the compiler left it; the result is verified. */
int module_instrument(struct module *module, LLVMModuleRef llvm, struct err *err);
void module_release(struct module *module);

/* A call of a function of the runtime, where the builder stands. */
LLVMValueRef module_hook(struct module *module, const char *name, LLVMTypeRef result,
			 LLVMValueRef *arguments, unsigned n);
/* The number of a site at run time, where the builder stands. */
LLVMValueRef module_site(struct module *module, const struct site *site);
LLVMValueRef module_i64(struct module *module, uint64_t value);
/* The number of the global variable in the table's addresses; MAP_NONE: it cannot be there. */
uint32_t module_address(struct module *module, LLVMValueRef global);
bool module_has_attribute(LLVMValueRef function, LLVMAttributeIndex index, const char *name);

#endif
