/* SPDX-License-Identifier: MIT */
/* Functions of the mathematical library that a few operators say. */
#include "instrument/formula_parts.h"

#include <string.h>

/* A float or double, and its numbers as bits. */
struct real {
	LLVMValueRef x;
	char letter;
	unsigned long long sign, one, half, whole; /* whole: from there on all are integers */
};

static struct real real_of(LLVMValueRef x)
{
	struct real r = {.x = x, .letter = formula_put_float_letter(LLVMTypeOf(x))};
	bool single = r.letter == 'f';
	r.sign = 1ull << (single ? 31 : 63);
	r.one = single ? 127ull << 23 : 1023ull << 52;
	r.half = single ? 126ull << 23 : 1022ull << 52;
	r.whole = single ? (127ull + 23) << 23 : (1023ull + 52) << 52;
	return r;
}

static void put_size(struct writer *w, const struct real *r)
{
	formula_put(w, "(& ");
	formula_put_value(w, r->x);
	formula_put(w, " %llu)", r->sign - 1);
}

/* Its size, rounded to 0. */
static void put_cut_size(struct writer *w, const struct real *r)
{
	formula_put(w, "(s2%c (%c2s ", r->letter, r->letter);
	put_size(w, r);
	formula_put(w, "))");
}

/* 1 more, if something was cut off, and the number has that sign. */
static void put_away(struct writer *w, const struct real *r, bool negative)
{
	formula_put(w, "(+%c ", r->letter);
	put_cut_size(w, r);
	formula_put(w, " (s2%c (and (%s (& ", r->letter, negative ? "!=" : "=");
	formula_put_value(w, r->x);
	formula_put(w, " %llu) 0) (<%c ", r->sign, r->letter);
	put_cut_size(w, r);
	formula_put(w, " ");
	put_size(w, r);
	formula_put(w, "))))");
}

/* 1 more, if half was cut off, or more. */
static void put_nearest(struct writer *w, const struct real *r)
{
	formula_put(w, "(+%c ", r->letter);
	put_cut_size(w, r);
	formula_put(w, " (s2%c (<=%c %llu (-%c ", r->letter, r->letter, r->half, r->letter);
	put_size(w, r);
	formula_put(w, " ");
	put_cut_size(w, r);
	formula_put(w, "))))");
}

/* Added to a number that has no bits behind the point. */
static void put_even(struct writer *w, const struct real *r)
{
	formula_put(w, "(-%c (+%c ", r->letter, r->letter);
	put_size(w, r);
	formula_put(w, " %llu) %llu)", r->whole, r->whole);
}

/* Its size rounded, with its own sign; a large number as it is, one that is none has no value. */
static void put_rounded(struct writer *w, const struct real *r, char how)
{
	formula_put(w, "(ite (<%c ", r->letter);
	put_size(w, r);
	formula_put(w, " %llu) (| (& ", r->whole);
	formula_put_value(w, r->x);
	formula_put(w, " %llu) ", r->sign);
	switch (how) {
	case 'f':
	case 'c': put_away(w, r, how == 'f'); break;
	case 'n': put_nearest(w, r); break;
	case 'e': put_even(w, r); break;
	default: put_cut_size(w, r);
	}
	formula_put(w, ") (*%c ", r->letter);
	formula_put_value(w, r->x);
	formula_put(w, " %llu))", r->one);
}

/* The lesser or the larger; which of two zeros it is, and what is no number, is not known. */
static void put_extreme(struct writer *w, LLVMValueRef call, bool largest)
{
	struct real r = real_of(LLVMGetOperand(call, 0));
	LLVMValueRef y = LLVMGetOperand(call, 1), first = largest ? y : r.x,
		     then = largest ? r.x : y;
	formula_put(w, "(ite (<%c ", r.letter);
	formula_put_value(w, first);
	formula_put(w, " ");
	formula_put_value(w, then);
	formula_put(w, ") ");
	formula_put_value(w, r.x);
	formula_put(w, " (ite (<%c ", r.letter);
	formula_put_value(w, then);
	formula_put(w, " ");
	formula_put_value(w, first);
	formula_put(w, ") ");
	formula_put_value(w, y);
	formula_put(w, " (ite (= ");
	formula_put_value(w, r.x);
	formula_put(w, " ");
	formula_put_value(w, y);
	formula_put(w, ") (*%c ", r.letter);
	formula_put_value(w, r.x);
	formula_put(w, " %llu) (below 0 0))))", r.one);
}

/* As functions of libm, with an f behind the name for float, or llvm.NAME.TYPE. */
static bool is_named(const char *name, const char *want)
{
	size_t n = strlen(want);
	if (!strncmp(name, "llvm.", 5))
		return !strncmp(name + 5, want, n) && name[5 + n] == '.';
	return !strncmp(name, want, n) && (!name[n] || (name[n] == 'f' && !name[n + 1]));
}

bool formula_put_math(struct writer *w, LLVMValueRef call, const char *name)
{
	static const struct {
		const char *name;
		char how; /* down, up, to 0, to the nearest one, to the even one of two */
		bool to_integer;
	} rows[] = {{"floor", 'f', false},     {"ceil", 'c', false},  {"trunc", 't', false},
		    {"round", 'n', false},     {"rint", 'e', false},  {"nearbyint", 'e', false},
		    {"roundeven", 'e', false}, {"lround", 'n', true}, {"llround", 'n', true},
		    {"lrint", 'e', true},      {"llrint", 'e', true}};
	struct real r = real_of(LLVMGetOperand(call, 0));
	if (!r.letter)
		return false;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (!is_named(name, rows[i].name))
			continue;
		if (rows[i].to_integer)
			formula_put(w, "(%c2s ", r.letter);
		put_rounded(w, &r, rows[i].how);
		formula_put(w, rows[i].to_integer ? ")" : "");
		return true;
	}
	bool largest = is_named(name, "fmax") || is_named(name, "maxnum");
	if (!largest && !is_named(name, "fmin") && !is_named(name, "minnum"))
		return false;
	put_extreme(w, call, largest);
	return true;
}
