/* SPDX-License-Identifier: MIT */
/* Between the two halves of debug.h: nodes of the debug information, and names made from them. */
#ifndef INSTRUMENT_DEBUG_NODES_H
#define INSTRUMENT_DEBUG_NODES_H

#include "instrument/debug.h"

/* An operand that is a node or a string; else NULL. */
LLVMMetadataRef debug_operand(struct debug *debug, LLVMMetadataRef node, unsigned index);
struct debug_text {
	const char *at;
	unsigned length;
};

/* The name of a struct's field; empty for a base class or a union without a name. */
bool debug_field(struct debug *debug, LLVMTypeRef type, unsigned index, struct debug_text *text);

/* The struct that `value`, a local, points to by its type in the source; else NULL. */
LLVMMetadataRef debug_pointee(const struct debug *debug, LLVMValueRef value);
/*
 * Goes from a struct to its member at this offset, and makes the offset that within the member.
 * The member's own struct, or NULL if it is none. False: there is none.
 */
bool debug_member(struct debug *debug, LLVMMetadataRef *type, uint64_t *bit,
		  struct debug_text *text);

#endif
