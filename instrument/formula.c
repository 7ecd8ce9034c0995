#include "instrument/formula.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 1200u
#define DEPTH_MAX 24

/* Text is put together front to back; whoever cannot go on sets `failed`. */
struct writer {
	struct function *f;
	struct deps *deps;
	unsigned room;	  /* for dependences, with those that are fixed */
	LLVMValueRef top; /* what it is the formula of, if that has a position itself */
	char text[TEXT_MAX];
	size_t n;
	int depth;
	bool failed;
};

static void put(struct writer *w, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int n = vsnprintf(w->text + w->n, TEXT_MAX - w->n, format, arguments);
	va_end(arguments);
	if (n < 0 || (size_t)n >= TEXT_MAX - w->n)
		w->failed = true;
	else
		w->n += (size_t)n;
}

static void put_value(struct writer *w, LLVMValueRef value);

/* Bits of a type that has a value in a formula, else 0. Floating point is its bits. */
static unsigned width_of(struct writer *w, LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind: {
		unsigned width = LLVMGetIntTypeWidth(type);
		return width <= 64 ? width : 0;
	}
	case LLVMPointerTypeKind:
	case LLVMFloatTypeKind:
	case LLVMDoubleTypeKind: {
		uint64_t width = LLVMSizeOfTypeInBits(w->f->module->layout, type);
		return width <= 64 ? (unsigned)width : 0;
	}
	default: return 0;
	}
}

static unsigned width(struct writer *w, LLVMValueRef value)
{
	return width_of(w, LLVMTypeOf(value));
}

/* Opens the operator that cuts to `bits`; its argument and put_close follow. */
static void put_cut(struct writer *w, unsigned bits)
{
	if (bits == 8 || bits == 16 || bits == 32)
		put(w, "(trunc%u ", bits);
	else if (bits < 64)
		put(w, "(& %llu ", (1ull << bits) - 1);
}

static void put_cut_end(struct writer *w, unsigned bits)
{
	if (bits < 64)
		put(w, ")");
}

static void put_signed_from(struct writer *w, LLVMValueRef value, unsigned bits)
{
	if (LLVMIsAConstantInt(value) && bits <= 64) {
		put(w, "%lld", LLVMConstIntGetSExtValue(value));
	} else if (bits == 8 || bits == 16 || bits == 32) {
		put(w, "(sext%u ", bits);
		put_value(w, value);
		put(w, ")");
	} else if (bits < 64) {
		put(w, "(>> (<< ");
		put_value(w, value);
		put(w, " %u) %u)", 64 - bits, 64 - bits);
	} else {
		put_value(w, value);
	}
}

static void put_signed(struct writer *w, LLVMValueRef value)
{
	put_signed_from(w, value, width(w, value));
}

static void put_two(struct writer *w, const char *op, LLVMValueRef i, bool with_sign)
{
	put(w, "(%s ", op);
	for (unsigned a = 0; a < 2; a++) {
		if (with_sign)
			put_signed(w, LLVMGetOperand(i, a));
		else
			put_value(w, LLVMGetOperand(i, a));
		put(w, a ? ")" : " ");
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
	put_cut(w, op == LLVMLShr ? 64 : bits);
	put(w, op == LLVMShl ? "(<< " : op == LLVMLShr ? "(>>u " : "(>> ");
	if (op == LLVMAShr)
		put_signed(w, LLVMGetOperand(i, 0));
	else
		put_value(w, LLVMGetOperand(i, 0));
	put(w, fits ? " " : " (below ");
	put_value(w, LLVMGetOperand(i, 1));
	if (!fits)
		put(w, " %u)", bits);
	put(w, ")");
	put_cut_end(w, op == LLVMLShr ? 64 : bits);
}

/* What follows, up to the end, is a number with sign of so many bits, or no value. */
static void put_fits(struct writer *w, unsigned bits)
{
	if (bits < 64)
		put(w, "(- (below (+ ");
}

static void put_fits_end(struct writer *w, unsigned bits)
{
	if (bits < 64)
		put(w, " %llu) %llu) %llu)", 1ull << (bits - 1), 1ull << bits, 1ull << (bits - 1));
}

/*
 * The least number by -1 traps on the machine, or is undefined: its quotient does not fit. (Of 64
 * bits the operator itself says so.) A remainder is what the quotient leaves.
 */
static void put_signed_division(struct writer *w, LLVMValueRef i, LLVMOpcode op, unsigned bits)
{
	int64_t divisor;
	bool fits = bits == 64 || (constant_operand(i, &divisor) && divisor != -1);
	put_cut(w, bits);
	if (fits) {
		put_two(w, op == LLVMSDiv ? "/" : "%", i, true);
		put_cut_end(w, bits);
		return;
	}
	if (op == LLVMSRem) {
		put(w, "(- ");
		put_signed(w, LLVMGetOperand(i, 0));
		put(w, " (* ");
		put_signed(w, LLVMGetOperand(i, 1));
		put(w, " ");
	}
	put_fits(w, bits);
	put_two(w, "/", i, true);
	put_fits_end(w, bits);
	put(w, op == LLVMSRem ? "))" : "");
	put_cut_end(w, bits);
}

static void put_division(struct writer *w, LLVMValueRef i, LLVMOpcode op, unsigned bits)
{
	if (op == LLVMSDiv || op == LLVMSRem)
		put_signed_division(w, i, op, bits);
	else
		put_two(w, op == LLVMUDiv ? "/u" : "%u", i, false);
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
	char *text = LLVMPrintValueToString(i);
	bool exact = strstr(text, " = sdiv exact ") != NULL;
	LLVMDisposeMessage(text);
	if (!exact)
		return false;
	put_cut(w, bits);
	put(w, "(>> ");
	put_signed(w, LLVMGetOperand(i, 0));
	put(w, " %d)", __builtin_ctzll((unsigned long long)divisor));
	put_cut_end(w, bits);
	return true;
}

static void put_binary(struct writer *w, LLVMValueRef i, LLVMOpcode op)
{
	unsigned bits = width(w, i);
	switch (op) {
	case LLVMAdd:
	case LLVMSub:
	case LLVMMul:
		put_cut(w, bits);
		put_two(w, op == LLVMAdd ? "+" : op == LLVMSub ? "-" : "*", i, false);
		put_cut_end(w, bits);
		return;
	case LLVMAnd: put_two(w, "&", i, false); return;
	case LLVMOr: put_two(w, "|", i, false); return;
	case LLVMXor: put_two(w, "^", i, false); return;
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

static void put_comparison(struct writer *w, LLVMValueRef i)
{
	/* In the order of LLVMIntPredicate, from LLVMIntEQ. */
	static const char *const text[] = {"=",	  "!=", ">u", ">=u", "<u",
					   "<=u", ">",	">=", "<",   "<="};
	LLVMIntPredicate predicate = LLVMGetICmpPredicate(i);
	put_two(w, text[predicate - LLVMIntEQ], i, predicate >= LLVMIntSGT);
}

static void put_cast(struct writer *w, LLVMValueRef i, LLVMOpcode op)
{
	LLVMValueRef from = LLVMGetOperand(i, 0);
	unsigned to_bits = width(w, i), from_bits = width(w, from);
	if (!from_bits) {
		w->failed = true;
		return;
	}
	if (op == LLVMSExt) {
		put_cut(w, to_bits);
		put_signed(w, from);
		put_cut_end(w, to_bits);
	} else if (to_bits < from_bits) {
		put_cut(w, to_bits);
		put_value(w, from);
		put_cut_end(w, to_bits);
	} else {
		put_value(w, from);
	}
}

/* Floating point */

/* 'f', 'd', or 0 for what has no operators. */
static char float_letter(LLVMTypeRef type)
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
	char *text = LLVMPrintValueToString(i), *at = strstr(text, " = ");
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
	char letter = float_letter(LLVMTypeOf(LLVMGetOperand(i, 0)));
	if (!letter || !is_strict(i)) {
		w->failed = true;
		return;
	}
	put(w, "(%s%c", op, letter);
	for (unsigned a = 0; a < n; a++) {
		put(w, " ");
		put_value(w, LLVMGetOperand(i, a));
	}
	put(w, ")");
}

/* (op letter x y) of two operands, by number. */
static void put_test(struct writer *w, LLVMValueRef i, const char *op, unsigned x, unsigned y)
{
	put(w, "(%s%c ", op, float_letter(LLVMTypeOf(LLVMGetOperand(i, 0))));
	put_value(w, LLVMGetOperand(i, x));
	put(w, " ");
	put_value(w, LLVMGetOperand(i, y));
	put(w, ")");
}

/* x op y joined with y op x, or x op x with y op y. */
static void put_tests(struct writer *w, LLVMValueRef i, const char *join, const char *op,
		      bool crossed)
{
	put(w, "(%s ", join);
	put_test(w, i, op, 0, crossed ? 1 : 0);
	put(w, " ");
	put_test(w, i, op, 1, crossed ? 0 : 1);
	put(w, ")");
}

/* An unordered predicate is what its ordered opposite is not. */
static void put_float_comparison(struct writer *w, LLVMValueRef i)
{
	LLVMRealPredicate predicate = LLVMGetFCmpPredicate(i);
	bool opposite = predicate >= LLVMRealUNO;
	if (!float_letter(LLVMTypeOf(LLVMGetOperand(i, 0))) || !is_strict(i)) {
		w->failed = true;
		return;
	}
	put(w, opposite ? "(not " : "");
	switch (opposite ? LLVMRealPredicateTrue - predicate : predicate) {
	case LLVMRealPredicateFalse: put(w, "0"); break;
	case LLVMRealOEQ: put_test(w, i, "=", 0, 1); break;
	case LLVMRealOGT: put_test(w, i, "<", 1, 0); break;
	case LLVMRealOGE: put_test(w, i, "<=", 1, 0); break;
	case LLVMRealOLT: put_test(w, i, "<", 0, 1); break;
	case LLVMRealOLE: put_test(w, i, "<=", 0, 1); break;
	case LLVMRealONE: put_tests(w, i, "or", "<", true); break;
	case LLVMRealORD: put_tests(w, i, "and", "=", false); break;
	default: w->failed = true;
	}
	put(w, opposite ? ")" : "");
}

/* Its value, if the integer has room for that; undefined otherwise. */
static void put_from_float(struct writer *w, LLVMValueRef i, bool with_sign)
{
	unsigned bits = width(w, i);
	LLVMValueRef from = LLVMGetOperand(i, 0);
	char letter = float_letter(LLVMTypeOf(from));
	if (!letter || !bits) {
		w->failed = true;
		return;
	}
	put_cut(w, bits);
	if (with_sign)
		put_fits(w, bits);
	else if (bits < 64)
		put(w, "(below ");
	put(w, "(%c2%c ", letter, with_sign ? 's' : 'u');
	put_value(w, from);
	put(w, ")");
	if (with_sign)
		put_fits_end(w, bits);
	else if (bits < 64)
		put(w, " %llu)", 1ull << bits);
	put_cut_end(w, bits);
}

static void put_to_float(struct writer *w, LLVMValueRef i, bool with_sign)
{
	char letter = float_letter(LLVMTypeOf(i));
	if (!letter) {
		w->failed = true;
		return;
	}
	put(w, "(%c2%c ", with_sign ? 's' : 'u', letter);
	if (with_sign)
		put_signed(w, LLVMGetOperand(i, 0));
	else
		put_value(w, LLVMGetOperand(i, 0));
	put(w, ")");
}

static void put_other_float(struct writer *w, LLVMValueRef i)
{
	char from = float_letter(LLVMTypeOf(LLVMGetOperand(i, 0)));
	char to = float_letter(LLVMTypeOf(i));
	if (!from || !to) {
		w->failed = true;
		return;
	}
	put(w, "(%c2%c ", from, to);
	put_value(w, LLVMGetOperand(i, 0));
	put(w, ")");
}

/* (op x bits), where the sign bit is all that counts or all that does not. */
static void put_sign_bit(struct writer *w, const char *op, LLVMValueRef x, bool itself)
{
	unsigned bits = width(w, x);
	if (!float_letter(LLVMTypeOf(x))) {
		w->failed = true;
		return;
	}
	uint64_t sign = 1ull << (bits - 1);
	put(w, "(%s ", op);
	put_value(w, x);
	put(w, " %llu)", (unsigned long long)(itself ? sign : sign - 1));
}

/* A constant that is not a number has bits that C's interface does not tell. */
static void put_real(struct writer *w, LLVMValueRef value)
{
	LLVMBool loses;
	double number = LLVMConstRealGetDouble(value, &loses);
	float single = (float)number;
	uint32_t low;
	uint64_t bits;
	memcpy(&low, &single, sizeof(low));
	memcpy(&bits, &number, sizeof(bits));
	if (loses || number != number || !float_letter(LLVMTypeOf(value)))
		w->failed = true;
	else if (float_letter(LLVMTypeOf(value)) == 'f')
		put(w, "%u", low);
	else
		put(w, "%llu", (unsigned long long)bits);
}

/* Multiplied and added: in one step, if the machine has such an instruction, which is for it to
 * say. */
static void put_multiply_add(struct writer *w, LLVMValueRef call)
{
	const char *text = attribute_of_function(call, "target-features");
	char letter = float_letter(LLVMTypeOf(call));
	if (!letter || !is_strict(call) || strstr(text, "+fma") || strstr(text, "+avx512")) {
		w->failed = true;
		return;
	}
	put(w, "(+%c (*%c ", letter, letter);
	put_value(w, LLVMGetOperand(call, 0));
	put(w, " ");
	put_value(w, LLVMGetOperand(call, 1));
	put(w, ") ");
	put_value(w, LLVMGetOperand(call, 2));
	put(w, ")");
}

static bool put_float_intrinsic(struct writer *w, LLVMValueRef call, const char *name)
{
	if (!strncmp(name, "llvm.sqrt.", 10)) {
		put_float(w, call, "sqrt", 1);
	} else if (!strncmp(name, "llvm.fma.", 9)) {
		put_float(w, call, "fma", 3);
	} else if (!strncmp(name, "llvm.fmuladd.", 13)) {
		put_multiply_add(w, call);
	} else if (!strncmp(name, "llvm.fabs.", 10)) {
		put_sign_bit(w, "&", LLVMGetOperand(call, 0), false);
	} else if (!strncmp(name, "llvm.copysign.", 14)) {
		put(w, "(| ");
		put_sign_bit(w, "&", LLVMGetOperand(call, 0), false);
		put(w, " ");
		put_sign_bit(w, "&", LLVMGetOperand(call, 1), true);
		put(w, ")");
	} else {
		return false;
	}
	return true;
}

/* True: it was one of floating point. */
static bool put_float_computed(struct writer *w, LLVMValueRef value, LLVMOpcode op)
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

static void put_select(struct writer *w, LLVMValueRef i)
{
	put(w, "(ite ");
	for (unsigned a = 0; a < 3; a++) {
		put_value(w, LLVMGetOperand(i, a));
		put(w, a < 2 ? " " : ")");
	}
}

/* An offset from a pointer that is a value itself: base + constant + index * size … */
static void put_address(struct writer *w, LLVMValueRef gep)
{
	LLVMTargetDataRef layout = w->f->module->layout;
	LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(LLVMGetOperand(gep, 0)));
	uint64_t offset = 0;
	put(w, "(+ ");
	put_value(w, LLVMGetOperand(gep, 0));
	for (unsigned a = 1; a < (unsigned)LLVMGetNumOperands(gep) && !w->failed; a++) {
		LLVMValueRef index = LLVMGetOperand(gep, a);
		if (a > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
			unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);
			offset += LLVMOffsetOfElement(layout, type, field);
			type = LLVMStructGetTypeAtIndex(type, field);
			continue;
		}
		if (a > 1)
			type = LLVMGetElementType(type);
		uint64_t size = LLVMABISizeOfType(layout, type);
		if (LLVMIsAConstantInt(index)) {
			offset += (uint64_t)LLVMConstIntGetSExtValue(index) * size;
			continue;
		}
		put(w, " (* ");
		put_signed(w, index);
		put(w, " %llu)", (unsigned long long)size);
	}
	put(w, " %lld)", (long long)offset);
}

/* What has a position. */
static void put_item(struct writer *w, uint32_t item, unsigned bits)
{
	for (unsigned i = 0; i < w->deps->n; i++)
		if (w->deps->item[i] == item) {
			put(w, bits == 1 ? "(& %%%u 1)" : "%%%u", i);
			return;
		}
	w->failed = true;
}

/* What depends on nothing, but is known only at run time. */
static void put_fixed(struct writer *w, uint32_t node, unsigned bits)
{
	uint32_t item = node | ITEM_FIXED;
	bool there = false;
	for (unsigned i = 0; i < w->deps->n; i++)
		there |= w->deps->item[i] == item;
	if (!there && w->deps->n >= w->room)
		w->failed = true;
	else if (!there)
		w->deps->item[w->deps->n++] = item;
	put_item(w, item, bits);
}

/* Of a global variable: known when the module is loaded. */
static void put_global(struct writer *w, LLVMValueRef value)
{
	uint32_t number = module_address(w->f->module, value);
	if (number != MAP_NONE)
		put(w, "@%u", number);
	else if (LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMGetElementPtr)
		put_address(w, value);
	else if (LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMBitCast)
		put_value(w, LLVMGetOperand(value, 0));
	else
		put_fixed(w, function_constant(w->f, value), 64);
}

static void put_constant(struct writer *w, LLVMValueRef value)
{
	if (LLVMIsAConstantInt(value)) {
		unsigned bits = width(w, value);
		uint64_t number = LLVMConstIntGetZExtValue(value);
		put(w, bits == 64 ? "%lld" : "%llu", (long long)number);
	} else if (LLVMIsAConstantPointerNull(value) || LLVMIsUndef(value)) {
		put(w, "0"); /* what is undefined is cut off: a part that is not there yet */
	} else if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind &&
		   LLVMIsConstant(value)) {
		put_global(w, value);
	} else {
		w->failed = true;
	}
}

static void put_success(struct writer *w, uint32_t node, LLVMValueRef swap)
{
	put(w, "(= ");
	put_item(w, node, 64);
	put(w, " ");
	put_value(w, LLVMGetOperand(swap, 1));
	put(w, ")");
}

/* llvm.abs: its second argument tells that the least number has none. */
static void put_magnitude(struct writer *w, LLVMValueRef call)
{
	LLVMValueRef x = LLVMGetOperand(call, 0), flag = LLVMGetOperand(call, 1);
	bool partial = !LLVMIsAConstantInt(flag) || LLVMConstIntGetZExtValue(flag);
	unsigned bits = width(w, x);
	put(w, partial ? "(below (ite (< " : "(ite (< ");
	put_signed(w, x);
	put(w, " 0) ");
	put_cut(w, bits);
	put(w, "(- ");
	put_value(w, x);
	put(w, ")");
	put_cut_end(w, bits);
	put(w, " ");
	put_value(w, x);
	put(w, ")");
	if (partial)
		put(w, " %llu)", 1ull << (bits - 1));
}

static bool is_abs(const char *name)
{
	return !strcmp(name, "abs") || !strcmp(name, "labs") || !strcmp(name, "llabs");
}

static void put_intrinsic(struct writer *w, LLVMValueRef call)
{
	static const struct {
		const char *name, *op;
		bool with_sign;
	} rows[] = {{"llvm.smax.", ">", true},
		    {"llvm.smin.", "<", true},
		    {"llvm.umax.", ">u", false},
		    {"llvm.umin.", "<u", false}};
	struct callee callee = callee_of(call);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strncmp(callee.name, rows[i].name, strlen(rows[i].name))) {
			put(w, "(ite ");
			put_two(w, rows[i].op, call, rows[i].with_sign);
			put(w, " ");
			put_value(w, LLVMGetOperand(call, 0));
			put(w, " ");
			put_value(w, LLVMGetOperand(call, 1));
			put(w, ")");
			return;
		}
	if (!strncmp(callee.name, "llvm.expect.", 12))
		put_value(w, LLVMGetOperand(call, 0));
	else if (!strncmp(callee.name, "llvm.abs.", 9) || is_abs(callee.name))
		put_magnitude(w, call);
	else if (!put_float_intrinsic(w, call, callee.name))
		w->failed = true;
}

static void put_computed(struct writer *w, LLVMValueRef value)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(value);
	switch (op) {
	case LLVMICmp: put_comparison(w, value); return;
	case LLVMSelect: put_select(w, value); return;
	case LLVMZExt:
	case LLVMSExt:
	case LLVMTrunc:
	case LLVMPtrToInt:
	case LLVMIntToPtr:
	case LLVMBitCast: put_cast(w, value, op); return;
	case LLVMFreeze: put_value(w, LLVMGetOperand(value, 0)); return;
	case LLVMGetElementPtr: put_address(w, value); return;
	case LLVMCall: put_intrinsic(w, value); return;
	default:
		if (!put_float_computed(w, value, op))
			put_binary(w, value, op);
	}
}

/* What is there never changes: the merge knows the bytes. */
static void put_load(struct writer *w, LLVMValueRef load)
{
	unsigned bits = width(w, load);
	if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
		w->failed = true;
	put(w, "(load%u ", bits / 8);
	put_value(w, LLVMGetOperand(load, 0));
	put(w, ")");
}

static void put_constant_load(struct writer *w, LLVMValueRef load)
{
	if (private_memory(&w->f->privacy, LLVMGetOperand(load, 0)) != MEMORY_CONSTANT ||
	    LLVMGetVolatile(load))
		w->failed = true;
	else
		put_load(w, load);
}

/* Is it put together from parts of which some are not there? Its value is another each time then.
 */
static bool has_undefined(struct writer *w, LLVMValueRef value, int depth)
{
	uint32_t number = function_node(w->f, value);
	if (LLVMIsUndef(value))
		return true;
	if (number == MAP_NONE || w->f->nodes.at[number].role != ROLE_FLOW || !depth)
		return false;
	for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(value); i++)
		if (has_undefined(w, LLVMGetOperand(value, i), depth - 1))
			return true;
	return false;
}

static void put_node(struct writer *w, LLVMValueRef value)
{
	uint32_t number = function_node(w->f, value);
	if (number == MAP_NONE) {
		put_constant(w, value);
		return;
	}
	const struct node *node = &w->f->nodes.at[number];
	uint32_t same = value == w->top ? MAP_NONE : function_same(w->f, value);
	if (node->role == ROLE_FIXED && LLVMIsConstant(value))
		put_constant(w, value);
	else if (!node->deps.n && !has_undefined(w, value, 6))
		put_fixed(w, number, width(w, value));
	else if (same != MAP_NONE)
		put_item(w, same, width(w, value));
	else if (node->role == ROLE_SWAP_PART)
		put_success(w, function_node(w->f, LLVMGetOperand(value, 0)),
			    LLVMGetOperand(value, 0));
	else if (node->role == ROLE_FLOW && LLVMIsALoadInst(value))
		put_constant_load(w, value);
	else if (node->role == ROLE_FLOW)
		put_computed(w, value);
	else
		w->failed = true;
}

static void put_value(struct writer *w, LLVMValueRef value)
{
	if (w->failed)
		return;
	if (!width(w, value) || ++w->depth > DEPTH_MAX) {
		w->failed = true;
		return;
	}
	if (LLVMIsAConstantFP(value))
		put_real(w, value);
	else
		put_node(w, value);
	w->depth--;
}

static struct writer start(struct function *f, struct deps *deps, unsigned room)
{
	return (struct writer){.f = f, .deps = deps, .room = room};
}

/* Without a formula nothing has to be fixed, nor if all of it is. */
static uint32_t finish(struct writer *w, unsigned n)
{
	if (!n && w->deps->n)
		w->failed = true;
	if (w->failed)
		w->deps->n = (uint8_t)n;
	return w->failed ? 0 : table_text(&w->f->module->table, w->text, w->n);
}

uint32_t formula_value(struct function *f, LLVMValueRef value, struct deps *deps, unsigned room)
{
	struct writer w = start(f, deps, room);
	unsigned n = deps->n;
	put_value(&w, value);
	return finish(&w, n);
}

/*
 * Does the address lead into a table: one that a function was given, with an index that comes from
 * a read; what a constant points to; what a function found? Of any other the hook says once what it
 * came from.
 */
static bool leads_into_table(struct function *f, LLVMValueRef address)
{
	LLVMValueRef base = private_base(address);
	uint32_t number = function_node(f, base);
	uint8_t role = number != MAP_NONE ? f->nodes.at[number].role : ROLE_FIXED;
	if (LLVMIsAGlobalVariable(base) || LLVMIsAAllocaInst(base))
		return false;
	if (role == ROLE_RESULT || (role == ROLE_FLOW && LLVMIsALoadInst(base)))
		return true;
	for (; address != base; address = LLVMGetOperand(address, 0))
		for (unsigned a = 1; a < (unsigned)LLVMGetNumOperands(address); a++)
			if (function_deps(f, LLVMGetOperand(address, a)).n)
				return true;
	return false;
}

/* A base that depends on nothing has no position: it is what is left of the address. */
uint32_t formula_look_up(struct function *f, LLVMValueRef address, struct deps *deps)
{
	struct writer w = start(f, deps, SITE_DEPENDS_MAX);
	unsigned n = deps->n;
	if (!n || !leads_into_table(f, address))
		return 0;
	put_value(&w, address);
	return finish(&w, n);
}

uint32_t formula_told(struct function *f, LLVMValueRef value, struct deps *deps)
{
	struct writer w = start(f, deps, SITE_DEPENDS_MAX);
	unsigned n = deps->n;
	w.top = value;
	put_value(&w, value);
	return finish(&w, n);
}

bool formula_exists(struct function *f, LLVMValueRef value)
{
	struct deps deps = function_deps(f, value);
	struct writer w = start(f, &deps, SITE_DEPENDS_MAX);
	put_value(&w, value);
	return !w.failed;
}

uint32_t formula_rmw(struct function *f, LLVMValueRef rmw, struct deps *deps, unsigned room)
{
	struct writer w = start(f, deps, room);
	unsigned n = deps->n;
	LLVMValueRef operand = LLVMGetOperand(rmw, 1);
	unsigned bits = width(&w, operand);
	const char *compare = NULL;
	bool with_sign = false;
	switch (LLVMGetAtomicRMWBinOp(rmw)) {
	case LLVMAtomicRMWBinOpXchg: put_value(&w, operand); break;
	case LLVMAtomicRMWBinOpAdd:
	case LLVMAtomicRMWBinOpSub:
		put_cut(&w, bits);
		put(&w,
		    LLVMGetAtomicRMWBinOp(rmw) == LLVMAtomicRMWBinOpAdd ? "(+ %%s " : "(- %%s ");
		put_value(&w, operand);
		put(&w, ")");
		put_cut_end(&w, bits);
		break;
	case LLVMAtomicRMWBinOpNand:
		put_cut(&w, bits);
		put(&w, "(~ (& %%s ");
		put_value(&w, operand);
		put(&w, "))");
		put_cut_end(&w, bits);
		break;
	case LLVMAtomicRMWBinOpAnd: put(&w, "(& %%s "); break;
	case LLVMAtomicRMWBinOpOr: put(&w, "(| %%s "); break;
	case LLVMAtomicRMWBinOpXor: put(&w, "(^ %%s "); break;
	case LLVMAtomicRMWBinOpMax: compare = ">", with_sign = true; break;
	case LLVMAtomicRMWBinOpMin: compare = "<", with_sign = true; break;
	case LLVMAtomicRMWBinOpUMax: compare = ">u"; break;
	case LLVMAtomicRMWBinOpUMin: compare = "<u"; break;
	case LLVMAtomicRMWBinOpFAdd:
	case LLVMAtomicRMWBinOpFSub:
		w.failed = !float_letter(LLVMTypeOf(operand));
		put(&w, LLVMGetAtomicRMWBinOp(rmw) == LLVMAtomicRMWBinOpFAdd ? "(+%c" : "(-%c",
		    float_letter(LLVMTypeOf(operand)));
		put(&w, " %%s ");
		put_value(&w, operand);
		put(&w, ")");
		break;
	default: w.failed = true;
	}
	LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(rmw);
	if (op == LLVMAtomicRMWBinOpAnd || op == LLVMAtomicRMWBinOpOr ||
	    op == LLVMAtomicRMWBinOpXor) {
		put_value(&w, operand);
		put(&w, ")");
	}
	if (compare) {
		bool small = with_sign && bits < 64;
		if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
			w.failed = true;
		put(&w, "(ite (%s ", compare);
		put(&w, small ? "(sext%u %%s) " : "%%s ", bits);
		if (with_sign)
			put_signed(&w, operand);
		else
			put_value(&w, operand);
		put(&w, ") %%s ");
		put_value(&w, operand);
		put(&w, ")");
	}
	return finish(&w, n);
}

uint32_t formula_swap(struct function *f, LLVMValueRef swap, struct deps *deps, unsigned room)
{
	struct writer w = start(f, deps, room);
	unsigned n = deps->n;
	put(&w, "(ite (= %%s ");
	put_value(&w, LLVMGetOperand(swap, 1));
	put(&w, ") ");
	put_value(&w, LLVMGetOperand(swap, 2));
	put(&w, " %%s)");
	return finish(&w, n);
}

uint32_t formula_success(struct function *f, LLVMValueRef swap, struct deps *deps, unsigned room)
{
	struct writer w = start(f, deps, room);
	unsigned n = deps->n;
	put_success(&w, function_node(f, swap), swap);
	return finish(&w, n);
}

/* Switches */

#define WAYS_MAX 4000u

struct way_case {
	uint64_t value;
	LLVMBasicBlockRef way;
};

static int compare_cases(const void *a, const void *b)
{
	const struct way_case *x = a, *y = b;
	if (x->way != y->way)
		return x->way < y->way ? -1 : 1;
	return x->value < y->value ? -1 : x->value > y->value;
}

/* By way, then by value; those that go the default way are left out. */
static unsigned find_cases(LLVMValueRef instruction, struct way_case *cases)
{
	LLVMBasicBlockRef otherwise = LLVMGetSwitchDefaultDest(instruction);
	unsigned n = 0;
	for (unsigned a = 2; a + 1 < (unsigned)LLVMGetNumOperands(instruction); a += 2) {
		LLVMValueRef value = LLVMGetOperand(instruction, a);
		LLVMBasicBlockRef way = LLVMValueAsBasicBlock(LLVMGetOperand(instruction, a + 1));
		if (way != otherwise)
			cases[n++] = (struct way_case){LLVMConstIntGetZExtValue(value), way};
	}
	qsort(cases, n, sizeof(*cases), compare_cases);
	return n;
}

static size_t put_ways(char *text, const struct way_case *cases, unsigned n)
{
	size_t used = 0;
	for (unsigned i = 0, end; i < n && used < WAYS_MAX; i = end) {
		for (end = i + 1; end < n && cases[end].way == cases[i].way &&
				  cases[end].value == cases[end - 1].value + 1;)
			end++;
		const char *before = !i ? "" : cases[i].way == cases[i - 1].way ? " " : " / ";
		used += (size_t)snprintf(text + used, WAYS_MAX - used, "%s%llu", before,
					 (unsigned long long)cases[i].value);
		if (end > i + 1 && used < WAYS_MAX)
			used += (size_t)snprintf(text + used, WAYS_MAX - used, "-%llu",
						 (unsigned long long)cases[end - 1].value);
	}
	return used;
}

uint32_t formula_ways(struct function *f, LLVMValueRef instruction)
{
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(instruction, 0));
	unsigned most = (unsigned)LLVMGetNumOperands(instruction) / 2;
	if (LLVMGetIntTypeWidth(type) > 64)
		return 0;
	struct way_case *cases = malloc(most * sizeof(*cases));
	char text[WAYS_MAX];
	size_t length = put_ways(text, cases, find_cases(instruction, cases));
	free(cases);
	return length && length < WAYS_MAX ? table_text(&f->module->table, text, length) : 0;
}
