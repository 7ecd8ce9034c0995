/*
 * The certifier: does this execution exist, and does the bug stand at its end?
 * It shares no code with anything that searches. One pass over the trace, and
 * memory for the events that the witness names and for the objects of the trace.
 */
#ifndef WITNESS_CERTIFY_H
#define WITNESS_CERTIFY_H

#include "trace/reader.h"
#include "witness/witness.h"

/*
 * 1: certified. 0: rejected, and err->message says which event cannot happen, or what
 * the end lacks. Negative: the trace cannot be read or is not
 * consistent. The reader stands at its start.
 */
int certify(struct reader *trace, const struct witness *witness, struct err *err);

#endif
