/* SPDX-License-Identifier: MIT */
/*
 * Debug information: where an instruction is in the source, and what a programmer would call the
 * memory at an address: counter, q->head, table[]. Names come from the values of the function as
 * the compiler left it, so they are asked for before anything is rewritten.
 */
#ifndef INSTRUMENT_DEBUG_H
#define INSTRUMENT_DEBUG_H

#include "base/intern.h"
#include "instrument/map.h"
#include "instrument/table.h"

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

struct debug {
	LLVMContextRef context;
	LLVMTargetDataRef layout;
	const char *directory; /* of the compile unit, or "" */
	unsigned directory_length;
	struct intern types;		 /* qualified names of structs, classes and unions */
	VEC(LLVMMetadataRef) composites; /* by number in `types` */
	struct map variables; /* value: number in `names` of the variable that it is, or holds */
	struct map pointees;  /* of locals: number in `structs` of what the value points to */
	VEC(LLVMMetadataRef) structs;
	LLVMMetadataRef no_expression; /* of a variable that is the value as it stands */
	struct intern names;
};

void debug_init(struct debug *debug, LLVMModuleRef module, LLVMTargetDataRef layout);
/* Learns the names of the function's locals. */
void debug_enter(struct debug *debug, LLVMValueRef function);
void debug_release(struct debug *debug);

/* Attributes of a function that is made of a line of another file: its name, and the number. */
#define DEBUG_FILE "norn-file"
#define DEBUG_LINE "norn-line"

/* file, function, line, column */
void debug_locate(struct debug *debug, struct table *table, LLVMValueRef instruction,
		  struct site *site);
void debug_locate_function(struct debug *debug, struct table *table, LLVMValueRef function,
			   struct site *site);
/* name, object */
void debug_name(struct debug *debug, struct table *table, LLVMValueRef address, struct site *site);
/* What is known of a struct, or of the type of a global variable that is one; or NULL. */
LLVMMetadataRef debug_struct(struct debug *debug, LLVMTypeRef type);
LLVMMetadataRef debug_struct_of_global(struct debug *debug, LLVMValueRef global);
/* The place of a member there, in bits; false: it has none, or none of its own bytes. */
bool debug_find_member(struct debug *debug, LLVMMetadataRef type, const char *name, uint64_t *bit,
		       uint64_t *bits);
void debug_directory(struct debug *debug, struct table *table);

#endif
