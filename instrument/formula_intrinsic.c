/* SPDX-License-Identifier: MIT */
/* Functions that the compiler has, and abs. */
#include "instrument/formula_parts.h"

#include <string.h>

/* llvm.abs: its second argument tells that the least number has none. */
static void put_magnitude(struct writer *w, LLVMValueRef call)
{
	LLVMValueRef x = LLVMGetOperand(call, 0), flag = LLVMGetOperand(call, 1);
	bool partial = !LLVMIsAConstantInt(flag) || LLVMConstIntGetZExtValue(flag);
	unsigned bits = put_width(w, x);
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

/* Bits */

/* Those that are set: pairs are counted, then fours, bytes, and all bytes by a multiplication. */
static void put_pairs(struct writer *w, LLVMValueRef x)
{
	put(w, "(- ");
	put_value(w, x);
	put(w, " (& (>>u ");
	put_value(w, x);
	put(w, " 1) %lld))", 0x5555555555555555ll);
}

static void put_fours(struct writer *w, LLVMValueRef x)
{
	put(w, "(+ (& ");
	put_pairs(w, x);
	put(w, " %lld) (& (>>u ", 0x3333333333333333ll);
	put_pairs(w, x);
	put(w, " 2) %lld))", 0x3333333333333333ll);
}

static void put_count(struct writer *w, LLVMValueRef x)
{
	put(w, "(>>u (* (& (+ ");
	put_fours(w, x);
	put(w, " (>>u ");
	put_fours(w, x);
	put(w, " 4)) %lld) %lld) 56)", 0x0f0f0f0f0f0f0f0fll, 0x0101010101010101ll);
}

/* x & ~(x >> 1), which has the highest bit of x and not the next one; or x & -x, the lowest. */
static void put_one_bit(struct writer *w, LLVMValueRef x, bool highest)
{
	put(w, "(& ");
	put_value(w, x);
	put(w, highest ? " (~ (>>u " : " (- ");
	put_value(w, x);
	put(w, highest ? " 1)))" : "))");
}

/*
 * The exponent of a double says where its highest bit is. Of 0 it makes a number that is not below
 * the width; the second argument tells that there is no value then.
 */
static void put_zeros(struct writer *w, LLVMValueRef call, bool leading)
{
	LLVMValueRef x = LLVMGetOperand(call, 0), flag = LLVMGetOperand(call, 1);
	bool partial = LLVMIsAConstantInt(flag) && LLVMConstIntGetZExtValue(flag);
	unsigned bits = put_width(w, x);
	if (!partial) {
		put(w, "(ite (= ");
		put_value(w, x);
		put(w, " 0) %u ", bits);
	}
	put(w, "(below (- ");
	if (leading)
		put(w, "%u ", bits + 1022);
	put(w, "(>>u (u2d ");
	put_one_bit(w, x, leading);
	put(w, ") 52)");
	if (!leading)
		put(w, " 1023");
	put(w, ") %u)%s", bits, partial ? "" : ")");
}

static void put_swapped(struct writer *w, LLVMValueRef x)
{
	unsigned bits = put_width(w, x);
	put(w, "(|");
	for (unsigned low = 0; low < bits; low += 8) {
		put(w, " (<< (& (>>u ");
		put_value(w, x);
		put(w, " %u) 255) %u)", low, bits - 8 - low);
	}
	put(w, ")");
}

static void put_turn(struct writer *w, LLVMValueRef call, unsigned bits)
{
	put(w, " (& ");
	put_value(w, LLVMGetOperand(call, 2));
	put(w, " %u)", bits - 1);
}

static void put_rest_of_turn(struct writer *w, LLVMValueRef call, unsigned bits)
{
	put(w, " 1) (- %u", bits - 1);
	put_turn(w, call, bits);
	put(w, "))");
}

/* Both operands in a row, shifted, and the upper or the lower half of that. */
static void put_funnel(struct writer *w, LLVMValueRef call, bool left)
{
	unsigned bits = put_width(w, call);
	if (bits & (bits - 1)) {
		w->failed = true;
		return;
	}
	put_cut(w, bits);
	put(w, left ? "(| (<< " : "(| (<< (<< ");
	put_value(w, LLVMGetOperand(call, 0));
	if (left) {
		put_turn(w, call, bits);
		put(w, ") (>>u (>>u ");
	} else {
		put_rest_of_turn(w, call, bits);
		put(w, " (>>u ");
	}
	put_value(w, LLVMGetOperand(call, 1));
	if (left) {
		put_rest_of_turn(w, call, bits);
	} else {
		put_turn(w, call, bits);
		put(w, ")");
	}
	put(w, ")");
	put_cut_end(w, bits);
}

/* The difference, or 0 where that is less. */
static void put_not_below_zero(struct writer *w, LLVMValueRef call)
{
	put(w, "(ite ");
	put_two(w, "<u", call, false);
	put(w, " 0 ");
	put_two(w, "-", call, false);
	put(w, ")");
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

void put_intrinsic(struct writer *w, LLVMValueRef call)
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
			put(w, "(ite ");
			put_two(w, rows[i].op, call, rows[i].with_sign);
			put(w, " ");
			put_value(w, LLVMGetOperand(call, 0));
			put(w, " ");
			put_value(w, LLVMGetOperand(call, 1));
			put(w, ")");
			return;
		}
	if (is(callee.name, "llvm.expect."))
		put_value(w, LLVMGetOperand(call, 0));
	else if (is(callee.name, "llvm.abs.") || is_abs(callee.name))
		put_magnitude(w, call);
	else if (!put_bits(w, call, callee.name) && !put_float_intrinsic(w, call, callee.name))
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
		put_two(w, "<u", call, false);
		return;
	}
	put(w, with_sign ? "(< (& (^ " : "(<u ");
	put_two(w, op, call, false);
	put(w, " ");
	put_value(w, LLVMGetOperand(call, 0));
	if (with_sign && sum) {
		put(w, ") (^ ");
		put_two(w, op, call, false);
		put(w, " ");
		put_value(w, LLVMGetOperand(call, 1));
		put(w, ")) 0");
	} else if (with_sign) {
		put(w, ") ");
		put_two(w, "^", call, false);
		put(w, ") 0");
	}
	put(w, ")");
}

/* A product of 64 bits does not give back what it was made of. */
static void put_lost(struct writer *w, LLVMValueRef call, bool with_sign)
{
	LLVMValueRef a = LLVMGetOperand(call, 0);
	put(w, "(and (!= ");
	put_value(w, a);
	put(w, with_sign ? " 0) (!= (/ " : " 0) (!= (/u ");
	put_two(w, "*", call, false);
	put(w, " (| ");
	put_value(w, a);
	put(w, " (= ");
	put_value(w, a);
	put(w, " 0))) ");
	put_value(w, LLVMGetOperand(call, 1));
	put(w, "))");
}

/* With 32 bits or less, the result is there, and can be compared with what is left of it. */
static void put_more(struct writer *w, LLVMValueRef call, const char *op, bool with_sign,
		     unsigned bits)
{
	put(w, "(!= ");
	put_two(w, op, call, with_sign);
	put(w, with_sign ? " (>> (<< " : " (>>u (<< ");
	put_two(w, op, call, with_sign);
	put(w, " %u) %u))", 64 - bits, 64 - bits);
}

static void put_overflow(struct writer *w, LLVMValueRef call, const char *op, bool with_sign)
{
	unsigned bits = put_width(w, LLVMGetOperand(call, 0));
	if (bits == 64 && *op == '*')
		put_lost(w, call, with_sign);
	else if (bits == 64)
		put_carry(w, call, *op == '+', with_sign);
	else if (bits && bits <= 32)
		put_more(w, call, op, with_sign, bits);
	else
		w->failed = true;
}

void put_extracted(struct writer *w, LLVMValueRef part)
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
		put_cut(w, put_width(w, part));
		put_two(w, rows[i].op, call, false);
		put_cut_end(w, put_width(w, part));
		return;
	}
	w->failed = true;
}
