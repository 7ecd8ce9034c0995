/* SPDX-License-Identifier: MIT */
/* The parts of writing a formula: text, put together front to back. */
#ifndef INSTRUMENT_FORMULA_PARTS_H
#define INSTRUMENT_FORMULA_PARTS_H

#include "instrument/formula.h"

#define FORMULA_TEXT_MAX 1200u

/* Whoever cannot go on sets `failed`. */
struct writer {
	struct function *f;
	struct deps *deps;
	unsigned room;	  /* for dependences, with those that are fixed */
	LLVMValueRef top; /* what it is the formula of, if that has a position itself */
	char text[FORMULA_TEXT_MAX];
	size_t n;
	int depth;
	bool failed, is_long; /* is_long: for want of room */
};

__attribute__((format(printf, 2, 3))) void formula_put(struct writer *w, const char *format, ...);
void formula_put_value(struct writer *w, LLVMValueRef value);
/* Bits of a value that a formula can have, else 0. Floating point is its bits. */
unsigned formula_put_width(struct writer *w, LLVMValueRef value);

/* Integers (formula_integer.c) */
void formula_put_cut(struct writer *w,
		     unsigned bits); /* what follows, up to the end, cut to so many bits */
void formula_put_cut_end(struct writer *w, unsigned bits);
/* To be disposed of. */
char *formula_print_alone(LLVMValueRef i);
void formula_put_fits(struct writer *w,
		      unsigned bits); /* likewise; a number with sign, or no value */
void formula_put_fits_end(struct writer *w, unsigned bits);
void formula_put_signed(struct writer *w, LLVMValueRef value);
void formula_put_two(struct writer *w, const char *op, LLVMValueRef i, bool with_sign);
void formula_put_binary(struct writer *w, LLVMValueRef i, LLVMOpcode op);
void formula_put_comparison(struct writer *w, LLVMValueRef i);
void formula_put_cast(struct writer *w, LLVMValueRef i, LLVMOpcode op);

/* Functions that the compiler has (formula_intrinsic.c) */
void formula_put_intrinsic(struct writer *w, LLVMValueRef call);
/* A part of what gives two values: a sum, and whether it fits. */
void formula_put_extracted(struct writer *w, LLVMValueRef part);

/* Floating point (formula_float.c); 'f', 'd', or 0 for what has no operators. */
char formula_put_float_letter(LLVMTypeRef type);
void formula_put_real(struct writer *w, LLVMValueRef value);
bool formula_put_float_intrinsic(struct writer *w, LLVMValueRef call, const char *name);
/* formula_math.c; true: it was such */
bool formula_put_math(struct writer *w, LLVMValueRef call, const char *name);
bool formula_put_float_computed(struct writer *w, LLVMValueRef value,
				LLVMOpcode op); /* true: it was such */

#endif
