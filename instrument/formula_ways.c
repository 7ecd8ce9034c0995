/* SPDX-License-Identifier: MIT */
/* Which values of a switch go which way. */
#include "instrument/formula.h"

#include <stdio.h>
#include <stdlib.h>

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
