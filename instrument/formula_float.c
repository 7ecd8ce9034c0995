/* SPDX-License-Identifier: MIT */
/* Floating point. */
#include "instrument/formula_parts.h"

#include <string.h>

/* 'f', 'd', or 0 for what has no operators. */
char formula_put_float_letter(LLVMTypeRef type)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	return kind == LLVMFloatTypeKind ? 'f' : kind == LLVMDoubleTypeKind ? 'd' : '\0';
}

/* The text of an attribute of the function that the instruction is in; empty if it has none. */
static const char *attribute_of_function(LLVMValueRef i, const char *name)
{
	LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(i));
	LLVMAttributeRef attribute = LLVMGetStringAttributeAtIndex(
		function, LLVMAttributeFunctionIndex, name, (unsigned)strlen(name));
	unsigned length;
	return attribute ? LLVMGetStringAttributeValue(attribute, &length) : "";
}

/*
 * Does the compiler keep to what is written: no fast-math flag (LLVM 14's C interface does not tell
 * them), and denormal numbers as they are?
 */
static bool is_strict(LLVMValueRef i)
{
	static const char *const flags[] = {"fast", "nnan",	"ninf", "nsz",
					    "arcp", "contract", "afn",	"reassoc"};
	if (*attribute_of_function(i, "denormal-fp-math"))
		return false;
	char *text = formula_print_alone(i), *at = strstr(text, " = ");
	bool strict = at != NULL;
	size_t length;
	/* flags are words between the operator and the type */
	for (at = strict ? at + 3 : text; strict && *at; at += length + (at[length] != '\0')) {
		length = strcspn(at, " ");
		if (!strncmp(at, "float", length) || !strncmp(at, "double", length))
			break;
		for (unsigned k = 0; k < sizeof(flags) / sizeof(*flags); k++)
			strict &= strlen(flags[k]) != length || strncmp(at, flags[k], length) != 0;
	}
	LLVMDisposeMessage(text);
	return strict;
}

/* (op letter a b …) over the first n operands. */
static void put_float(struct writer *w, LLVMValueRef i, const char *op, unsigned n)
{
	char letter = formula_put_float_letter(LLVMTypeOf(LLVMGetOperand(i, 0)));
	if (!letter || !is_strict(i)) {
		w->failed = true;
		return;
	}
	formula_put(w, "(%s%c", op, letter);
	for (unsigned a = 0; a < n; a++) {
		formula_put(w, " ");
		formula_put_value(w, LLVMGetOperand(i, a));
	}
	formula_put(w, ")");
}

/* (op letter x y) of two operands, by number. */
static void put_test(struct writer *w, LLVMValueRef i, const char *op, unsigned x, unsigned y)
{
	formula_put(w, "(%s%c ", op, formula_put_float_letter(LLVMTypeOf(LLVMGetOperand(i, 0))));
	formula_put_value(w, LLVMGetOperand(i, x));
	formula_put(w, " ");
	formula_put_value(w, LLVMGetOperand(i, y));
	formula_put(w, ")");
}

/* x op y joined with y op x, or x op x with y op y. */
static void put_tests(struct writer *w, LLVMValueRef i, const char *join, const char *op,
		      bool crossed)
{
	formula_put(w, "(%s ", join);
	put_test(w, i, op, 0, crossed ? 1 : 0);
	formula_put(w, " ");
	put_test(w, i, op, 1, crossed ? 0 : 1);
	formula_put(w, ")");
}

/* An unordered predicate is what its ordered opposite is not. */
static void put_float_comparison(struct writer *w, LLVMValueRef i)
{
	LLVMRealPredicate predicate = LLVMGetFCmpPredicate(i);
	bool opposite = predicate >= LLVMRealUNO;
	if (!formula_put_float_letter(LLVMTypeOf(LLVMGetOperand(i, 0))) || !is_strict(i)) {
		w->failed = true;
		return;
	}
	formula_put(w, opposite ? "(not " : "");
	switch (opposite ? LLVMRealPredicateTrue - predicate : predicate) {
	case LLVMRealPredicateFalse: formula_put(w, "0"); break;
	case LLVMRealOEQ: put_test(w, i, "=", 0, 1); break;
	case LLVMRealOGT: put_test(w, i, "<", 1, 0); break;
	case LLVMRealOGE: put_test(w, i, "<=", 1, 0); break;
	case LLVMRealOLT: put_test(w, i, "<", 0, 1); break;
	case LLVMRealOLE: put_test(w, i, "<=", 0, 1); break;
	case LLVMRealONE: put_tests(w, i, "or", "<", true); break;
	case LLVMRealORD: put_tests(w, i, "and", "=", false); break;
	default: w->failed = true;
	}
	formula_put(w, opposite ? ")" : "");
}

/* Its value, if the integer has room for that; undefined otherwise. */
static void put_from_float(struct writer *w, LLVMValueRef i, bool with_sign)
{
	unsigned bits = formula_put_width(w, i);
	LLVMValueRef from = LLVMGetOperand(i, 0);
	char letter = formula_put_float_letter(LLVMTypeOf(from));
	if (!letter || !bits) {
		w->failed = true;
		return;
	}
	formula_put_cut(w, bits);
	if (with_sign)
		formula_put_fits(w, bits);
	else if (bits < 64)
		formula_put(w, "(below ");
	formula_put(w, "(%c2%c ", letter, with_sign ? 's' : 'u');
	formula_put_value(w, from);
	formula_put(w, ")");
	if (with_sign)
		formula_put_fits_end(w, bits);
	else if (bits < 64)
		formula_put(w, " %llu)", 1ull << bits);
	formula_put_cut_end(w, bits);
}

static void put_to_float(struct writer *w, LLVMValueRef i, bool with_sign)
{
	char letter = formula_put_float_letter(LLVMTypeOf(i));
	if (!letter) {
		w->failed = true;
		return;
	}
	formula_put(w, "(%c2%c ", with_sign ? 's' : 'u', letter);
	if (with_sign)
		formula_put_signed(w, LLVMGetOperand(i, 0));
	else
		formula_put_value(w, LLVMGetOperand(i, 0));
	formula_put(w, ")");
}

static void put_other_float(struct writer *w, LLVMValueRef i)
{
	char from = formula_put_float_letter(LLVMTypeOf(LLVMGetOperand(i, 0)));
	char to = formula_put_float_letter(LLVMTypeOf(i));
	if (!from || !to) {
		w->failed = true;
		return;
	}
	formula_put(w, "(%c2%c ", from, to);
	formula_put_value(w, LLVMGetOperand(i, 0));
	formula_put(w, ")");
}

/* (op x bits), where the sign bit is all that counts or all that does not. */
static void put_sign_bit(struct writer *w, const char *op, LLVMValueRef x, bool itself)
{
	unsigned bits = formula_put_width(w, x);
	if (!formula_put_float_letter(LLVMTypeOf(x))) {
		w->failed = true;
		return;
	}
	uint64_t sign = 1ull << (bits - 1);
	formula_put(w, "(%s ", op);
	formula_put_value(w, x);
	formula_put(w, " %llu)", (unsigned long long)(itself ? sign : sign - 1));
}

/* A constant that is not a number has bits that C's interface does not tell. */
void formula_put_real(struct writer *w, LLVMValueRef value)
{
	LLVMBool loses;
	double number = LLVMConstRealGetDouble(value, &loses);
	float single = (float)number;
	uint32_t low;
	uint64_t bits;
	memcpy(&low, &single, sizeof(low));
	memcpy(&bits, &number, sizeof(bits));
	if (loses || number != number || !formula_put_float_letter(LLVMTypeOf(value)))
		w->failed = true;
	else if (formula_put_float_letter(LLVMTypeOf(value)) == 'f')
		formula_put(w, "%u", low);
	else
		formula_put(w, "%llu", (unsigned long long)bits);
}

/* Multiplied and added: in one step, if the machine has such an instruction, which is for it to
 * say. */
static void put_multiply_add(struct writer *w, LLVMValueRef call)
{
	const char *text = attribute_of_function(call, "target-features");
	char letter = formula_put_float_letter(LLVMTypeOf(call));
	if (!letter || !is_strict(call) || strstr(text, "+fma") || strstr(text, "+avx512")) {
		w->failed = true;
		return;
	}
	formula_put(w, "(+%c (*%c ", letter, letter);
	formula_put_value(w, LLVMGetOperand(call, 0));
	formula_put(w, " ");
	formula_put_value(w, LLVMGetOperand(call, 1));
	formula_put(w, ") ");
	formula_put_value(w, LLVMGetOperand(call, 2));
	formula_put(w, ")");
}

bool formula_put_float_intrinsic(struct writer *w, LLVMValueRef call, const char *name)
{
	if (!strncmp(name, "llvm.sqrt.", 10) || !strcmp(name, "sqrt") || !strcmp(name, "sqrtf")) {
		put_float(w, call, "sqrt", 1);
	} else if (!strncmp(name, "llvm.fma.", 9) || !strcmp(name, "fma") ||
		   !strcmp(name, "fmaf")) {
		put_float(w, call, "fma", 3);
	} else if (!strncmp(name, "llvm.fmuladd.", 13)) {
		put_multiply_add(w, call);
	} else if (!strncmp(name, "llvm.fabs.", 10)) {
		put_sign_bit(w, "&", LLVMGetOperand(call, 0), false);
	} else if (!strncmp(name, "llvm.copysign.", 14)) {
		formula_put(w, "(| ");
		put_sign_bit(w, "&", LLVMGetOperand(call, 0), false);
		formula_put(w, " ");
		put_sign_bit(w, "&", LLVMGetOperand(call, 1), true);
		formula_put(w, ")");
	} else {
		return is_strict(call) && formula_put_math(w, call, name);
	}
	return true;
}

/* True: it was one of floating point. */
bool formula_put_float_computed(struct writer *w, LLVMValueRef value, LLVMOpcode op)
{
	switch (op) {
	case LLVMFAdd: put_float(w, value, "+", 2); return true;
	case LLVMFSub: put_float(w, value, "-", 2); return true;
	case LLVMFMul: put_float(w, value, "*", 2); return true;
	case LLVMFDiv: put_float(w, value, "/", 2); return true;
	case LLVMFNeg: put_sign_bit(w, "^", LLVMGetOperand(value, 0), true); return true;
	case LLVMFCmp: put_float_comparison(w, value); return true;
	case LLVMFPToSI:
	case LLVMFPToUI: put_from_float(w, value, op == LLVMFPToSI); return true;
	case LLVMSIToFP:
	case LLVMUIToFP: put_to_float(w, value, op == LLVMSIToFP); return true;
	case LLVMFPExt:
	case LLVMFPTrunc: put_other_float(w, value); return true;
	default: return false;
	}
}
