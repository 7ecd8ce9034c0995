/* SPDX-License-Identifier: MIT */
/*
 * Branches that govern no more than their own arm (doc/model.md, Scopes): both ways come together
 * again, and one of them does nothing but compute. If the other one was taken, what it did is all
 * that the branch decides over. Where the ways come together there is a block of its own, so that
 * hooks can say there that the arm is over, and of each phi that it may be something else.
 */
#ifndef INSTRUMENT_SCOPE_H
#define INSTRUMENT_SCOPE_H

#include "base/mem.h"
#include "instrument/map.h"

#include <llvm-c/Core.h>

struct scope {
	LLVMValueRef branch;
	LLVMBasicBlockRef join;
	bool arm[2];	    /* by way, as successors are numbered: the other one does nothing */
	struct map side[2]; /* blocks of each */
	bool pointless;	    /* an address comes out of it, so that it would have to go this way
			       anyway, round for round */
	/* Once hooks are put in, in `join`: the position of the branch's record if the way that was
	 * taken is such an arm, else 0; and i1, which way it was. */
	LLVMValueRef record, first;
};

struct scopes {
	struct scope *at;
	size_t n, capacity;
	struct map branches, joins; /* numbers, by terminator and by block */
};

/* Finds them, and makes the blocks. */
void scopes_find(struct scopes *scopes, LLVMValueRef function);
void scopes_release(struct scopes *scopes);
/* NULL: none. */
struct scope *scopes_of_branch(const struct scopes *scopes, LLVMValueRef branch);
struct scope *scopes_of_phi(const struct scopes *scopes, LLVMValueRef phi);
/* What the phi is on the way that does not lead through this arm, if that is known before the
 * branch is taken; NULL. */
LLVMValueRef scope_other(const struct scope *scope, LLVMValueRef phi, unsigned arm);

#endif
