/* SPDX-License-Identifier: MIT */
#include "instrument/formula_parts.h"

#include <stdarg.h>
#include <stdio.h>

#define DEPTH_MAX 24

void formula_put(struct writer *w, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int n = vsnprintf(w->text + w->n, FORMULA_TEXT_MAX - w->n, format, arguments);
	va_end(arguments);
	if (n < 0 || (size_t)n >= FORMULA_TEXT_MAX - w->n)
		w->is_long |= !w->failed, w->failed = true;
	else
		w->n += (size_t)n;
}

/* One that goes through a register as two floats do; its elements are bytes. */
static unsigned width_of_vector(struct writer *w, LLVMTypeRef type)
{
	LLVMTypeRef element = LLVMGetElementType(type);
	uint64_t width = LLVMSizeOfTypeInBits(w->f->module->layout, type);
	uint64_t one = LLVMSizeOfTypeInBits(w->f->module->layout, element);
	bool pointers = LLVMGetTypeKind(element) == LLVMPointerTypeKind;
	return width <= 64 && one % 8 == 0 && !pointers ? (unsigned)width : 0;
}

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
	case LLVMVectorTypeKind: return width_of_vector(w, type);
	default: return 0;
	}
}

unsigned formula_put_width(struct writer *w, LLVMValueRef value)
{
	return width_of(w, LLVMTypeOf(value));
}

static void put_select(struct writer *w, LLVMValueRef i)
{
	formula_put(w, "(ite ");
	for (unsigned a = 0; a < 3; a++) {
		formula_put_value(w, LLVMGetOperand(i, a));
		formula_put(w, a < 2 ? " " : ")");
	}
}

/* An offset from a pointer that is a value itself: base + constant + index * size … */
static void put_address(struct writer *w, LLVMValueRef gep)
{
	LLVMTargetDataRef layout = w->f->module->layout;
	LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(LLVMGetOperand(gep, 0)));
	uint64_t offset = 0;
	formula_put(w, "(+ ");
	formula_put_value(w, LLVMGetOperand(gep, 0));
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
		formula_put(w, " (* ");
		formula_put_signed(w, index);
		formula_put(w, " %llu)", (unsigned long long)size);
	}
	formula_put(w, " %lld)", (long long)offset);
}

/* What has a position. */
static void put_item(struct writer *w, uint32_t item, unsigned bits)
{
	for (unsigned i = 0; i < w->deps->n; i++)
		if (w->deps->item[i] == item) {
			formula_put(w, bits == 1 ? "(& %%%u 1)" : "%%%u", i);
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

/* Element by element. */
static void put_constant_vector(struct writer *w, LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	unsigned n = LLVMGetVectorSize(type), bits = formula_put_width(w, value) / n;
	bool data = LLVMIsAConstantDataVector(value);
	w->failed |= !data && !LLVMIsAConstantVector(value);
	formula_put(w, "(+ 0");
	for (unsigned i = 0; i < n && !w->failed; i++) {
		formula_put(w, " (<< ");
		formula_put_value(w, data ? LLVMGetElementAsConstant(value, i)
					  : LLVMGetOperand(value, i));
		formula_put(w, " %u)", i * bits);
	}
	formula_put(w, ")");
}

/* Of a global variable: known when the module is loaded. */
static void put_global(struct writer *w, LLVMValueRef value)
{
	uint32_t number = module_address(w->f->module, value);
	if (number != MAP_NONE)
		formula_put(w, "@%u", number);
	else if (LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMGetElementPtr)
		put_address(w, value);
	else if (LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMBitCast)
		formula_put_value(w, LLVMGetOperand(value, 0));
	else
		put_fixed(w, function_constant(w->f, value), 64);
}

static void put_constant(struct writer *w, LLVMValueRef value)
{
	if (LLVMIsAConstantInt(value)) {
		unsigned bits = formula_put_width(w, value);
		uint64_t number = LLVMConstIntGetZExtValue(value);
		formula_put(w, bits == 64 ? "%lld" : "%llu", (long long)number);
	} else if (LLVMIsAConstantPointerNull(value) || LLVMIsUndef(value)) {
		formula_put(w,
			    "0"); /* what is undefined is cut off: a part that is not there yet */
	} else if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind) {
		put_constant_vector(w, value);
	} else if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind &&
		   LLVMIsConstant(value)) {
		put_global(w, value);
	} else if (LLVMIsAConstantExpr(value)) { /* a number that is made of an address */
		put_fixed(w, function_constant(w->f, value), formula_put_width(w, value));
	} else {
		w->failed = true;
	}
}

static void put_success(struct writer *w, uint32_t node, LLVMValueRef swap)
{
	formula_put(w, "(= ");
	put_item(w, node, 64);
	formula_put(w, " ");
	formula_put_value(w, LLVMGetOperand(swap, 1));
	formula_put(w, ")");
}

static bool is_vector(LLVMValueRef value)
{
	return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind;
}

/* Bits of an element, and how far up they are; 0: it is not known which. */
static unsigned element_of(struct writer *w, LLVMValueRef vector, LLVMValueRef index, unsigned *low)
{
	LLVMTypeRef type = LLVMTypeOf(vector);
	uint64_t number = LLVMIsAConstantInt(index) ? LLVMConstIntGetZExtValue(index) : UINT64_MAX;
	if (number >= LLVMGetVectorSize(type))
		return 0;
	unsigned bits =
		(unsigned)LLVMSizeOfTypeInBits(w->f->module->layout, LLVMGetElementType(type));
	*low = (unsigned)number * bits;
	return bits;
}

static void put_element(struct writer *w, LLVMValueRef i)
{
	unsigned low = 0, bits = element_of(w, LLVMGetOperand(i, 0), LLVMGetOperand(i, 1), &low);
	w->failed |= !bits;
	formula_put_cut(w, bits);
	formula_put(w, "(>>u ");
	formula_put_value(w, LLVMGetOperand(i, 0));
	formula_put(w, " %u)", low);
	formula_put_cut_end(w, bits);
}

static void put_inserted(struct writer *w, LLVMValueRef i)
{
	unsigned low = 0, bits = element_of(w, i, LLVMGetOperand(i, 2), &low);
	uint64_t element = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
	w->failed |= !bits;
	formula_put(w, "(| (& ");
	formula_put_value(w, LLVMGetOperand(i, 0));
	formula_put(w, " %lld) (<< ", (long long)~(element << low));
	formula_put_value(w, LLVMGetOperand(i, 1));
	formula_put(w, " %u))", low);
}

static void put_shuffled(struct writer *w, LLVMValueRef i)
{
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(i, 0));
	unsigned n = LLVMGetVectorSize(type), count = LLVMGetNumMaskElements(i);
	unsigned bits = formula_put_width(w, i) / count;
	formula_put(w, "(+ 0");
	for (unsigned k = 0; k < count && !w->failed; k++) {
		int from = LLVMGetMaskValue(i, k);
		if (from < 0)
			continue;
		formula_put(w, " (<< ");
		formula_put_cut(w, bits);
		formula_put(w, "(>>u ");
		formula_put_value(w, LLVMGetOperand(i, (unsigned)from / n));
		formula_put(w, " %u)", (unsigned)from % n * bits);
		formula_put_cut_end(w, bits);
		formula_put(w, " %u)", k * bits);
	}
	formula_put(w, ")");
}

/* Vectors are put together and taken apart, and that is all. True: it is one. */
static bool put_vector(struct writer *w, LLVMValueRef value, LLVMOpcode op)
{
	if (op == LLVMExtractElement)
		put_element(w, value);
	else if (op == LLVMInsertElement)
		put_inserted(w, value);
	else if (op == LLVMShuffleVector)
		put_shuffled(w, value);
	else if (op == LLVMBitCast || op == LLVMFreeze)
		return false;
	else if (op == LLVMSelect ? is_vector(LLVMGetOperand(value, 0))
				  : is_vector(value) || is_vector(LLVMGetOperand(value, 0)))
		w->failed = true;
	else
		return false;
	return true;
}

static void put_computed(struct writer *w, LLVMValueRef value)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(value);
	if (put_vector(w, value, op))
		return;
	switch (op) {
	case LLVMICmp: formula_put_comparison(w, value); return;
	case LLVMSelect: put_select(w, value); return;
	case LLVMZExt:
	case LLVMSExt:
	case LLVMTrunc:
	case LLVMPtrToInt:
	case LLVMIntToPtr:
	case LLVMBitCast: formula_put_cast(w, value, op); return;
	case LLVMFreeze: formula_put_value(w, LLVMGetOperand(value, 0)); return;
	case LLVMGetElementPtr: put_address(w, value); return;
	case LLVMCall: formula_put_intrinsic(w, value); return;
	case LLVMExtractValue: formula_put_extracted(w, value); return;
	default:
		if (!formula_put_float_computed(w, value, op))
			formula_put_binary(w, value, op);
	}
}

/* What is there never changes: the merge knows the bytes. */
static void put_load(struct writer *w, LLVMValueRef load)
{
	unsigned bits = formula_put_width(w, load);
	if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
		w->failed = true;
	formula_put(w, "(load%u ", bits / 8);
	formula_put_value(w, LLVMGetOperand(load, 0));
	formula_put(w, ")");
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
		put_fixed(w, number, formula_put_width(w, value));
	else if (same != MAP_NONE)
		put_item(w, same, formula_put_width(w, value));
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

void formula_put_value(struct writer *w, LLVMValueRef value)
{
	if (w->failed)
		return;
	if (!formula_put_width(w, value) || ++w->depth > DEPTH_MAX) {
		w->is_long = w->depth > DEPTH_MAX;
		w->failed = true;
		return;
	}
	if (LLVMIsAConstantFP(value))
		formula_put_real(w, value);
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
	formula_put_value(&w, value);
	return finish(&w, n);
}

/*
 * Does the address lead into a table: one that a function was given, with an index that comes from
 * a read; what a constant points to; what a function found? Of any other, but for those with a
 * folded index, the hook says once what it came from.
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

/* An index that is the same for many values, as `x & 3` is: all of these lead there. */
static bool is_folded(LLVMValueRef index)
{
	while (LLVMIsASExtInst(index) || LLVMIsAZExtInst(index) || LLVMIsATruncInst(index))
		index = LLVMGetOperand(index, 0);
	if (!LLVMIsABinaryOperator(index))
		return false;
	switch (LLVMGetInstructionOpcode(index)) {
	case LLVMAnd:
	case LLVMURem:
	case LLVMSRem:
	case LLVMUDiv:
	case LLVMSDiv:
	case LLVMLShr:
	case LLVMAShr: return true;
	default: return false;
	}
}

bool formula_folds(struct function *f, LLVMValueRef address)
{
	LLVMValueRef base = private_base(address);
	for (; address != base; address = LLVMGetOperand(address, 0))
		for (unsigned a = 1; a < (unsigned)LLVMGetNumOperands(address); a++)
			if (is_folded(LLVMGetOperand(address, a)) &&
			    function_deps(f, LLVMGetOperand(address, a)).n)
				return true;
	return false;
}

/* A base that depends on nothing has no position: it is what is left of the address. */
uint32_t formula_look_up(struct function *f, LLVMValueRef address, struct deps *deps)
{
	struct writer w = start(f, deps, SITE_DEPENDS_MAX);
	unsigned n = deps->n;
	if (!n || !(leads_into_table(f, address) || formula_folds(f, address)))
		return 0;
	formula_put_value(&w, address);
	return finish(&w, n);
}

uint32_t formula_told(struct function *f, LLVMValueRef value, struct deps *deps)
{
	struct writer w = start(f, deps, SITE_DEPENDS_MAX);
	unsigned n = deps->n;
	w.top = value;
	formula_put_value(&w, value);
	return finish(&w, n);
}

bool formula_is_long(struct function *f, LLVMValueRef value, struct deps *deps)
{
	struct writer w = start(f, deps, SITE_DEPENDS_MAX);
	w.top = value;
	formula_put_value(&w, value);
	return w.is_long;
}

bool formula_exists(struct function *f, LLVMValueRef value)
{
	struct deps deps = function_deps(f, value);
	struct writer w = start(f, &deps, SITE_DEPENDS_MAX);
	formula_put_value(&w, value);
	return !w.failed;
}

uint32_t formula_rmw(struct function *f, LLVMValueRef rmw, struct deps *deps, unsigned room)
{
	struct writer w = start(f, deps, room);
	unsigned n = deps->n;
	LLVMValueRef operand = LLVMGetOperand(rmw, 1);
	unsigned bits = formula_put_width(&w, operand);
	const char *compare = NULL;
	bool with_sign = false;
	switch (LLVMGetAtomicRMWBinOp(rmw)) {
	case LLVMAtomicRMWBinOpXchg: formula_put_value(&w, operand); break;
	case LLVMAtomicRMWBinOpAdd:
	case LLVMAtomicRMWBinOpSub:
		formula_put_cut(&w, bits);
		formula_put(&w, LLVMGetAtomicRMWBinOp(rmw) == LLVMAtomicRMWBinOpAdd ? "(+ %%s "
										    : "(- %%s ");
		formula_put_value(&w, operand);
		formula_put(&w, ")");
		formula_put_cut_end(&w, bits);
		break;
	case LLVMAtomicRMWBinOpNand:
		formula_put_cut(&w, bits);
		formula_put(&w, "(~ (& %%s ");
		formula_put_value(&w, operand);
		formula_put(&w, "))");
		formula_put_cut_end(&w, bits);
		break;
	case LLVMAtomicRMWBinOpAnd: formula_put(&w, "(& %%s "); break;
	case LLVMAtomicRMWBinOpOr: formula_put(&w, "(| %%s "); break;
	case LLVMAtomicRMWBinOpXor: formula_put(&w, "(^ %%s "); break;
	case LLVMAtomicRMWBinOpMax: compare = ">", with_sign = true; break;
	case LLVMAtomicRMWBinOpMin: compare = "<", with_sign = true; break;
	case LLVMAtomicRMWBinOpUMax: compare = ">u"; break;
	case LLVMAtomicRMWBinOpUMin: compare = "<u"; break;
	case LLVMAtomicRMWBinOpFAdd:
	case LLVMAtomicRMWBinOpFSub:
		w.failed = !formula_put_float_letter(LLVMTypeOf(operand));
		formula_put(&w,
			    LLVMGetAtomicRMWBinOp(rmw) == LLVMAtomicRMWBinOpFAdd ? "(+%c" : "(-%c",
			    formula_put_float_letter(LLVMTypeOf(operand)));
		formula_put(&w, " %%s ");
		formula_put_value(&w, operand);
		formula_put(&w, ")");
		break;
	default: w.failed = true;
	}
	LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(rmw);
	if (op == LLVMAtomicRMWBinOpAnd || op == LLVMAtomicRMWBinOpOr ||
	    op == LLVMAtomicRMWBinOpXor) {
		formula_put_value(&w, operand);
		formula_put(&w, ")");
	}
	if (compare) {
		bool small = with_sign && bits < 64;
		if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
			w.failed = true;
		formula_put(&w, "(ite (%s ", compare);
		formula_put(&w, small ? "(sext%u %%s) " : "%%s ", bits);
		if (with_sign)
			formula_put_signed(&w, operand);
		else
			formula_put_value(&w, operand);
		formula_put(&w, ") %%s ");
		formula_put_value(&w, operand);
		formula_put(&w, ")");
	}
	return finish(&w, n);
}

uint32_t formula_swap(struct function *f, LLVMValueRef swap, struct deps *deps, unsigned room)
{
	struct writer w = start(f, deps, room);
	unsigned n = deps->n;
	formula_put(&w, "(ite (= %%s ");
	formula_put_value(&w, LLVMGetOperand(swap, 1));
	formula_put(&w, ") ");
	formula_put_value(&w, LLVMGetOperand(swap, 2));
	formula_put(&w, " %%s)");
	return finish(&w, n);
}

uint32_t formula_success(struct function *f, LLVMValueRef swap, struct deps *deps, unsigned room)
{
	struct writer w = start(f, deps, room);
	unsigned n = deps->n;
	put_success(&w, function_node(f, swap), swap);
	return finish(&w, n);
}
