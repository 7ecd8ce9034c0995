/* SPDX-License-Identifier: MIT */
/* Integers and pointers. */
#include "instrument/formula_parts.h"

#include <string.h>

/* Opens the operator that cuts to `bits`; its argument and put_close follow. */
void formula_put_cut(struct writer *w, unsigned bits)
{
	if (bits == 8 || bits == 16 || bits == 32)
		formula_put(w, "(trunc%u ", bits);
	else if (bits < 64)
		formula_put(w, "(& %llu ", (1ull << bits) - 1);
}

void formula_put_cut_end(struct writer *w, unsigned bits)
{
	if (bits < 64)
		formula_put(w, ")");
}

static void put_signed_from(struct writer *w, LLVMValueRef value, unsigned bits)
{
	if (LLVMIsAConstantInt(value) && bits <= 64) {
		formula_put(w, "%lld", LLVMConstIntGetSExtValue(value));
	} else if (bits == 8 || bits == 16 || bits == 32) {
		formula_put(w, "(sext%u ", bits);
		formula_put_value(w, value);
		formula_put(w, ")");
	} else if (bits < 64) {
		formula_put(w, "(>> (<< ");
		formula_put_value(w, value);
		formula_put(w, " %u) %u)", 64 - bits, 64 - bits);
	} else {
		formula_put_value(w, value);
	}
}

void formula_put_signed(struct writer *w, LLVMValueRef value)
{
	put_signed_from(w, value, formula_put_width(w, value));
}

void formula_put_two(struct writer *w, const char *op, LLVMValueRef i, bool with_sign)
{
	formula_put(w, "(%s ", op);
	for (unsigned a = 0; a < 2; a++) {
		if (with_sign)
			formula_put_signed(w, LLVMGetOperand(i, a));
		else
			formula_put_value(w, LLVMGetOperand(i, a));
		formula_put(w, a ? ")" : " ");
	}
}

static bool constant_operand(LLVMValueRef i, int64_t *value)
{
	LLVMValueRef operand = LLVMGetOperand(i, 1);
	if (!LLVMIsAConstantInt(operand) || LLVMGetIntTypeWidth(LLVMTypeOf(operand)) > 64)
		return false;
	*value = LLVMConstIntGetSExtValue(operand);
	return true;
}

/* A shift by the width or more is no value: the machine does something else than the compiler. */
static void put_shift(struct writer *w, LLVMValueRef i, LLVMOpcode op, unsigned bits)
{
	int64_t count;
	bool fits = constant_operand(i, &count) && count >= 0 && count < (int64_t)bits;
	formula_put_cut(w, op == LLVMLShr ? 64 : bits);
	formula_put(w, op == LLVMShl ? "(<< " : op == LLVMLShr ? "(>>u " : "(>> ");
	if (op == LLVMAShr)
		formula_put_signed(w, LLVMGetOperand(i, 0));
	else
		formula_put_value(w, LLVMGetOperand(i, 0));
	formula_put(w, fits ? " " : " (below ");
	formula_put_value(w, LLVMGetOperand(i, 1));
	if (!fits)
		formula_put(w, " %u)", bits);
	formula_put(w, ")");
	formula_put_cut_end(w, op == LLVMLShr ? 64 : bits);
}

/* What follows, up to the end, is a number with sign of so many bits, or no value. */
void formula_put_fits(struct writer *w, unsigned bits)
{
	if (bits < 64)
		formula_put(w, "(- (below (+ ");
}

void formula_put_fits_end(struct writer *w, unsigned bits)
{
	if (bits < 64)
		formula_put(w, " %llu) %llu) %llu)", 1ull << (bits - 1), 1ull << bits,
			    1ull << (bits - 1));
}

/*
 * The least number by -1 traps on the machine, or is undefined: its quotient does not fit. (Of 64
 * bits the operator itself says so.) A remainder is what the quotient leaves.
 */
static void put_signed_division(struct writer *w, LLVMValueRef i, LLVMOpcode op, unsigned bits)
{
	int64_t divisor;
	bool fits = bits == 64 || (constant_operand(i, &divisor) && divisor != -1);
	formula_put_cut(w, bits);
	if (fits) {
		formula_put_two(w, op == LLVMSDiv ? "/" : "%", i, true);
		formula_put_cut_end(w, bits);
		return;
	}
	if (op == LLVMSRem) {
		formula_put(w, "(- ");
		formula_put_signed(w, LLVMGetOperand(i, 0));
		formula_put(w, " (* ");
		formula_put_signed(w, LLVMGetOperand(i, 1));
		formula_put(w, " ");
	}
	formula_put_fits(w, bits);
	formula_put_two(w, "/", i, true);
	formula_put_fits_end(w, bits);
	formula_put(w, op == LLVMSRem ? "))" : "");
	formula_put_cut_end(w, bits);
}

static void put_division(struct writer *w, LLVMValueRef i, LLVMOpcode op, unsigned bits)
{
	if (op == LLVMSDiv || op == LLVMSRem)
		put_signed_division(w, i, op, bits);
	else
		formula_put_two(w, op == LLVMUDiv ? "/u" : "%u", i, false);
}

/*
 * An instruction as text, without what it works on and where it stands: to number these, LLVM goes
 * through the whole function, each time.
 */
char *formula_print_alone(LLVMValueRef i)
{
	LLVMValueRef copy = LLVMInstructionClone(i);
	unsigned n = (unsigned)LLVMGetNumOperands(copy) - (LLVMIsACallInst(copy) != NULL);
	LLVMInstructionSetDebugLoc(copy, NULL);
	for (unsigned k = 0; k < n; k++)
		LLVMSetOperand(copy, k, LLVMGetUndef(LLVMTypeOf(LLVMGetOperand(copy, k))));
	char *text = LLVMPrintValueToString(copy);
	/* only what stands somewhere can be removed */
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(i)));
	LLVMPositionBuilderBefore(builder, i);
	LLVMInsertIntoBuilder(builder, copy);
	LLVMInstructionEraseFromParent(copy);
	LLVMDisposeBuilder(builder);
	return text;
}

/*
 * A difference of pointers, which the compiler takes to be a multiple, is shifted. By a power of
 * two; LLVM 14's C interface does not tell such a division from others.
 */
static bool put_exact_division(struct writer *w, LLVMValueRef i, unsigned bits)
{
	int64_t divisor;
	if (!constant_operand(i, &divisor) || divisor <= 0 || divisor & (divisor - 1))
		return false;
	char *text = formula_print_alone(i);
	bool exact = strstr(text, " = sdiv exact ") != NULL;
	LLVMDisposeMessage(text);
	if (!exact)
		return false;
	formula_put_cut(w, bits);
	formula_put(w, "(>> ");
	formula_put_signed(w, LLVMGetOperand(i, 0));
	formula_put(w, " %d)", __builtin_ctzll((unsigned long long)divisor));
	formula_put_cut_end(w, bits);
	return true;
}

void formula_put_binary(struct writer *w, LLVMValueRef i, LLVMOpcode op)
{
	unsigned bits = formula_put_width(w, i);
	switch (op) {
	case LLVMAdd:
	case LLVMSub:
	case LLVMMul:
		formula_put_cut(w, bits);
		formula_put_two(w, op == LLVMAdd ? "+" : op == LLVMSub ? "-" : "*", i, false);
		formula_put_cut_end(w, bits);
		return;
	case LLVMAnd: formula_put_two(w, "&", i, false); return;
	case LLVMOr: formula_put_two(w, "|", i, false); return;
	case LLVMXor: formula_put_two(w, "^", i, false); return;
	case LLVMShl:
	case LLVMLShr:
	case LLVMAShr: put_shift(w, i, op, bits); return;
	case LLVMSDiv:
		if (put_exact_division(w, i, bits))
			return;
		/* fall through */
	case LLVMUDiv:
	case LLVMURem:
	case LLVMSRem: put_division(w, i, op, bits); return;
	default: w->failed = true;
	}
}

void formula_put_comparison(struct writer *w, LLVMValueRef i)
{
	/* In the order of LLVMIntPredicate, from LLVMIntEQ. */
	static const char *const text[] = {"=",	  "!=", ">u", ">=u", "<u",
					   "<=u", ">",	">=", "<",   "<="};
	LLVMIntPredicate predicate = LLVMGetICmpPredicate(i);
	formula_put_two(w, text[predicate - LLVMIntEQ], i, predicate >= LLVMIntSGT);
}

void formula_put_cast(struct writer *w, LLVMValueRef i, LLVMOpcode op)
{
	LLVMValueRef from = LLVMGetOperand(i, 0);
	unsigned to_bits = formula_put_width(w, i), from_bits = formula_put_width(w, from);
	if (!from_bits) {
		w->failed = true;
		return;
	}
	if (op == LLVMSExt) {
		formula_put_cut(w, to_bits);
		formula_put_signed(w, from);
		formula_put_cut_end(w, to_bits);
	} else if (to_bits < from_bits) {
		formula_put_cut(w, to_bits);
		formula_put_value(w, from);
		formula_put_cut_end(w, to_bits);
	} else {
		formula_put_value(w, from);
	}
}
