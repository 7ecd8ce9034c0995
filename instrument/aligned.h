/* SPDX-License-Identifier: MIT */
/*
 * LLVM turns `*(c ? &a : &b)` into reads of both, of which one is taken: a read that the source
 * does not have (mark.h prevents the others), and which makes a race of its own. What comes of it
 * later cannot be undone. It does so only where both are known to be as well aligned as the read
 * says. So before a module is optimised, reads through pointers say that what they read is aligned
 * better than any object is, and globals, that they are not aligned: the first stops InstCombine,
 * the second SROA, which believes the local of the two. Behind the optimisations all say again what
 * is so. LLVM concludes nothing else about a pointer from how well what it reads is aligned.
 */
#ifndef INSTRUMENT_ALIGNED_H
#define INSTRUMENT_ALIGNED_H

#include <llvm-c/Core.h>

void aligned_raise(LLVMModuleRef module);
void aligned_restore(LLVMModuleRef module);

#endif
