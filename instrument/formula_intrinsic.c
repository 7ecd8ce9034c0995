/* SPDX-License-Identifier: MIT */
/* Functions that the compiler has, and abs. */
#include "instrument/formula_parts.h"

#include <string.h>

/* llvm.abs: its second argument tells that the least number has none. */
static void put_magnitude(struct writer *w, LLVMValueRef call)
{
	LLVMValueRef x = LLVMGetOperand(call, 0), flag = LLVMGetOperand(call, 1);
	bool partial = !LLVMIsAConstantInt(flag) || LLVMConstIntGetZExtValue(flag);
	unsigned bits = formula_put_width(w, x);
	formula_put(w, partial ? "(below (ite (< " : "(ite (< ");
	formula_put_signed(w, x);
	formula_put(w, " 0) ");
	formula_put_cut(w, bits);
	formula_put(w, "(- ");
	formula_put_value(w, x);
	formula_put(w, ")");
	formula_put_cut_end(w, bits);
	formula_put(w, " ");
	formula_put_value(w, x);
	formula_put(w, ")");
	if (partial)
		formula_put(w, " %llu)", 1ull << (bits - 1));
}

static bool is_abs(const char *name)
{
	return !strcmp(name, "abs") || !strcmp(name, "labs") || !strcmp(name, "llabs");
}

/* Bits */

/* Those that are set: pairs are counted, then fours, bytes, and all bytes by a multiplication. */
static void put_pairs(struct writer *w, LLVMValueRef x)
{
	formula_put(w, "(- ");
	formula_put_value(w, x);
	formula_put(w, " (& (>>u ");
	formula_put_value(w, x);
	formula_put(w, " 1) %lld))", 0x5555555555555555ll);
}

static void put_fours(struct writer *w, LLVMValueRef x)
{
	formula_put(w, "(+ (& ");
	put_pairs(w, x);
	formula_put(w, " %lld) (& (>>u ", 0x3333333333333333ll);
	put_pairs(w, x);
	formula_put(w, " 2) %lld))", 0x3333333333333333ll);
}

static void put_count(struct writer *w, LLVMValueRef x)
{
	formula_put(w, "(>>u (* (& (+ ");
	put_fours(w, x);
	formula_put(w, " (>>u ");
	put_fours(w, x);
	formula_put(w, " 4)) %lld) %lld) 56)", 0x0f0f0f0f0f0f0f0fll, 0x0101010101010101ll);
}

/* x & ~(x >> 1), which has the highest bit of x and not the next one; or x & -x, the lowest. */
static void put_one_bit(struct writer *w, LLVMValueRef x, bool highest)
{
	formula_put(w, "(& ");
	formula_put_value(w, x);
	formula_put(w, highest ? " (~ (>>u " : " (- ");
	formula_put_value(w, x);
	formula_put(w, highest ? " 1)))" : "))");
}

/*
 * The exponent of a double says where its highest bit is. Of 0 it makes a number that is not below
 * the width; the second argument tells that there is no value then.
 */
static void put_zeros(struct writer *w, LLVMValueRef call, bool leading)
{
	LLVMValueRef x = LLVMGetOperand(call, 0), flag = LLVMGetOperand(call, 1);
	bool partial = LLVMIsAConstantInt(flag) && LLVMConstIntGetZExtValue(flag);
	unsigned bits = formula_put_width(w, x);
	if (!partial) {
		formula_put(w, "(ite (= ");
		formula_put_value(w, x);
		formula_put(w, " 0) %u ", bits);
	}
	formula_put(w, "(below (- ");
	if (leading)
		formula_put(w, "%u ", bits + 1022);
	formula_put(w, "(>>u (u2d ");
	put_one_bit(w, x, leading);
	formula_put(w, ") 52)");
	if (!leading)
		formula_put(w, " 1023");
	formula_put(w, ") %u)%s", bits, partial ? "" : ")");
}

static void put_swapped(struct writer *w, LLVMValueRef x)
{
	unsigned bits = formula_put_width(w, x);
	formula_put(w, "(|");
	for (unsigned low = 0; low < bits; low += 8) {
		formula_put(w, " (<< (& (>>u ");
		formula_put_value(w, x);
		formula_put(w, " %u) 255) %u)", low, bits - 8 - low);
	}
	formula_put(w, ")");
}

static void put_turn(struct writer *w, LLVMValueRef call, unsigned bits)
{
	formula_put(w, " (& ");
	formula_put_value(w, LLVMGetOperand(call, 2));
	formula_put(w, " %u)", bits - 1);
}

static void put_rest_of_turn(struct writer *w, LLVMValueRef call, unsigned bits)
{
	formula_put(w, " 1) (- %u", bits - 1);
	put_turn(w, call, bits);
	formula_put(w, "))");
}

/* Both operands in a row, shifted, and the upper or the lower half of that. */
static void put_funnel(struct writer *w, LLVMValueRef call, bool left)
{
	unsigned bits = formula_put_width(w, call);
	if (bits & (bits - 1)) {
		w->failed = true;
		return;
	}
	formula_put_cut(w, bits);
	formula_put(w, left ? "(| (<< " : "(| (<< (<< ");
	formula_put_value(w, LLVMGetOperand(call, 0));
	if (left) {
		put_turn(w, call, bits);
		formula_put(w, ") (>>u (>>u ");
	} else {
		put_rest_of_turn(w, call, bits);
		formula_put(w, " (>>u ");
	}
	formula_put_value(w, LLVMGetOperand(call, 1));
	if (left) {
		put_rest_of_turn(w, call, bits);
	} else {
		put_turn(w, call, bits);
		formula_put(w, ")");
	}
	formula_put(w, ")");
	formula_put_cut_end(w, bits);
}

/* The difference, or 0 where that is less. */
static void put_not_below_zero(struct writer *w, LLVMValueRef call)
{
	formula_put(w, "(ite ");
	formula_put_two(w, "<u", call, false);
	formula_put(w, " 0 ");
	formula_put_two(w, "-", call, false);
	formula_put(w, ")");
}

/* Does it begin so? */
static bool is(const char *name, const char *prefix)
{
	return !strncmp(name, prefix, strlen(prefix));
}

/* True: it was one of these. */
static bool put_bits(struct writer *w, LLVMValueRef call, const char *name)
{
	if (is(name, "llvm.ctpop."))
		put_count(w, LLVMGetOperand(call, 0));
	else if (is(name, "llvm.ctlz.") || is(name, "llvm.cttz."))
		put_zeros(w, call, name[7] == 'l');
	else if (is(name, "llvm.bswap."))
		put_swapped(w, LLVMGetOperand(call, 0));
	else if (is(name, "llvm.fshl.") || is(name, "llvm.fshr."))
		put_funnel(w, call, name[8] == 'l');
	else if (is(name, "llvm.usub.sat."))
		put_not_below_zero(w, call);
	else
		return false;
	return true;
}

void formula_put_intrinsic(struct writer *w, LLVMValueRef call)
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
		if (is(callee.name, rows[i].name)) {
			formula_put(w, "(ite ");
			formula_put_two(w, rows[i].op, call, rows[i].with_sign);
			formula_put(w, " ");
			formula_put_value(w, LLVMGetOperand(call, 0));
			formula_put(w, " ");
			formula_put_value(w, LLVMGetOperand(call, 1));
			formula_put(w, ")");
			return;
		}
	if (is(callee.name, "llvm.expect."))
		formula_put_value(w, LLVMGetOperand(call, 0));
	else if (is(callee.name, "llvm.abs.") || is_abs(callee.name))
		put_magnitude(w, call);
	else if (!put_bits(w, call, callee.name) &&
		 !formula_put_float_intrinsic(w, call, callee.name))
		w->failed = true;
}

/* Arithmetic that tells whether its result fits */

/*
 * Of 64 bits. A sum is less than its operand, or has another sign than both; a difference that does
 * not fit has another sign than the first operand, and these two differ.
 */
static void put_carry(struct writer *w, LLVMValueRef call, bool sum, bool with_sign)
{
	const char *op = sum ? "+" : "-";
	if (!with_sign && !sum) {
		formula_put_two(w, "<u", call, false);
		return;
	}
	formula_put(w, with_sign ? "(< (& (^ " : "(<u ");
	formula_put_two(w, op, call, false);
	formula_put(w, " ");
	formula_put_value(w, LLVMGetOperand(call, 0));
	if (with_sign && sum) {
		formula_put(w, ") (^ ");
		formula_put_two(w, op, call, false);
		formula_put(w, " ");
		formula_put_value(w, LLVMGetOperand(call, 1));
		formula_put(w, ")) 0");
	} else if (with_sign) {
		formula_put(w, ") ");
		formula_put_two(w, "^", call, false);
		formula_put(w, ") 0");
	}
	formula_put(w, ")");
}

/* A product of 64 bits does not give back what it was made of. */
static void put_lost(struct writer *w, LLVMValueRef call, bool with_sign)
{
	LLVMValueRef a = LLVMGetOperand(call, 0);
	formula_put(w, "(and (!= ");
	formula_put_value(w, a);
	formula_put(w, with_sign ? " 0) (!= (/ " : " 0) (!= (/u ");
	formula_put_two(w, "*", call, false);
	formula_put(w, " (| ");
	formula_put_value(w, a);
	formula_put(w, " (= ");
	formula_put_value(w, a);
	formula_put(w, " 0))) ");
	formula_put_value(w, LLVMGetOperand(call, 1));
	formula_put(w, "))");
}

/* With 32 bits or less, the result is there, and can be compared with what is left of it. */
static void put_more(struct writer *w, LLVMValueRef call, const char *op, bool with_sign,
		     unsigned bits)
{
	formula_put(w, "(!= ");
	formula_put_two(w, op, call, with_sign);
	formula_put(w, with_sign ? " (>> (<< " : " (>>u (<< ");
	formula_put_two(w, op, call, with_sign);
	formula_put(w, " %u) %u))", 64 - bits, 64 - bits);
}

static void put_overflow(struct writer *w, LLVMValueRef call, const char *op, bool with_sign)
{
	unsigned bits = formula_put_width(w, LLVMGetOperand(call, 0));
	if (bits == 64 && *op == '*')
		put_lost(w, call, with_sign);
	else if (bits == 64)
		put_carry(w, call, *op == '+', with_sign);
	else if (bits && bits <= 32)
		put_more(w, call, op, with_sign, bits);
	else
		w->failed = true;
}

void formula_put_extracted(struct writer *w, LLVMValueRef part)
{
	static const struct {
		const char *name, *op;
		bool with_sign;
	} rows[] = {
		{"llvm.sadd.with.overflow.", "+", true}, {"llvm.uadd.with.overflow.", "+", false},
		{"llvm.ssub.with.overflow.", "-", true}, {"llvm.usub.with.overflow.", "-", false},
		{"llvm.smul.with.overflow.", "*", true}, {"llvm.umul.with.overflow.", "*", false}};
	LLVMValueRef call = LLVMGetOperand(part, 0);
	const char *name = LLVMIsACallInst(call) ? callee_of(call).name : "";
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (!is(name, rows[i].name))
			continue;
		if (LLVMGetIndices(part)[0] == 1) {
			put_overflow(w, call, rows[i].op, rows[i].with_sign);
			return;
		}
		formula_put_cut(w, formula_put_width(w, part));
		formula_put_two(w, rows[i].op, call, false);
		formula_put_cut_end(w, formula_put_width(w, part));
		return;
	}
	w->failed = true;
}
