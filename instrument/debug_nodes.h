/* Between the two halves of debug.h: nodes of the debug information, and names made from them. */
#ifndef INSTRUMENT_DEBUG_NODES_H
#define INSTRUMENT_DEBUG_NODES_H

#include "instrument/debug.h"

/* An operand that is a node or a string; else NULL. */
LLVMMetadataRef debug_operand(struct debug *debug, LLVMMetadataRef node, unsigned index);
/* The name of a struct's field, of length 0 if it is not known. */
const char *debug_field(struct debug *debug, LLVMTypeRef type, unsigned index, unsigned *length);

#endif
