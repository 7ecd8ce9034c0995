/* SPDX-License-Identifier: MIT */
/*
 * What errno came from. It is the thread's own, but library functions change it without a word to
 * the log. So a read of it is followed back through the function, over what leaves it alone, to
 * what set it last: an assignment, a system call, a conversion of text.
 */
#ifndef INSTRUMENT_ERRNO_H
#define INSTRUMENT_ERRNO_H

#include <llvm-c/Core.h>

#include <stdbool.h>

/*
 * False: it may come from any earlier read. Else it comes from no read, or, if `from` is not NULL,
 * from what that call has looked at.
 */
bool errno_is_known(LLVMValueRef load, LLVMValueRef *from);
/* Is this the address of errno? */
bool errno_is_at(LLVMValueRef address);

#endif
