/* SPDX-License-Identifier: MIT */
/* Names of memory, made from how its address was computed. */
#include "instrument/debug_nodes.h"

#include "instrument/private.h"

#include <stdio.h>
#include <string.h>

#define NAME_MAX_LENGTH 120u
#define DEPTH_MAX 12

struct name {
	char text[NAME_MAX_LENGTH];
	size_t n;
};

static void put(struct name *name, const char *text, size_t length)
{
	if (length > sizeof(name->text) - name->n)
		length = sizeof(name->text) - name->n;
	memcpy(name->text + name->n, text, length);
	name->n += length;
}

#define PUT(name, literal) put(name, literal, sizeof(literal) - 1)

static bool put_variable(struct debug *debug, struct name *name, LLVMValueRef value)
{
	uint32_t number = map_get(&debug->variables, value);
	if (number != MAP_NONE) {
		const struct interned *text = &debug->names.strings.at[number];
		put(name, text->text, text->length);
		return true;
	}
	if (!LLVMIsAGlobalVariable(value) && !LLVMIsAFunction(value))
		return false;
	size_t length;
	const char *symbol = LLVMGetValueName2(value, &length);
	put(name, symbol, length);
	return true;
}

static void put_object(struct debug *debug, struct name *name, LLVMValueRef address, int depth);

static LLVMValueRef without_casts(LLVMValueRef value)
{
	for (;;) {
		bool instruction = LLVMIsAInstruction(value);
		if (!instruction && !LLVMIsAConstantExpr(value))
			return value;
		LLVMOpcode op =
			instruction ? LLVMGetInstructionOpcode(value) : LLVMGetConstOpcode(value);
		if (op != LLVMBitCast && op != LLVMAddrSpaceCast && op != LLVMIntToPtr &&
		    op != LLVMPtrToInt && op != LLVMZExt && op != LLVMSExt && op != LLVMTrunc)
			return value;
		value = LLVMGetOperand(value, 0);
	}
}

/* What the pointer `value` is called; false if it has no name. */
static bool put_pointer(struct debug *debug, struct name *name, LLVMValueRef value, int depth)
{
	value = without_casts(value);
	if (LLVMIsAAllocaInst(value) || LLVMIsAGlobalVariable(value))
		return false;
	if (put_variable(debug, name, value))
		return true;
	if (!LLVMIsALoadInst(value) || depth > DEPTH_MAX)
		return false;
	size_t before = name->n;
	put_object(debug, name, LLVMGetOperand(value, 0), depth + 1);
	return name->n > before;
}

static bool is_zero(LLVMValueRef value)
{
	return LLVMIsAConstantInt(value) && !LLVMConstIntGetZExtValue(value);
}

/* Is this the address of something with a name of its own, rather than a pointer's value? */
static bool is_place(LLVMValueRef address)
{
	return LLVMIsAAllocaInst(address) || LLVMIsAGlobalVariable(address) ||
	       (LLVMIsAGetElementPtrInst(address)) ||
	       (LLVMIsAConstantExpr(address) && LLVMGetConstOpcode(address) == LLVMGetElementPtr);
}

static void put_struct_name(struct name *name, LLVMTypeRef type)
{
	const char *text = LLVMGetStructName(type);
	const char *dot = text ? strchr(text, '.') : NULL;
	if (dot)
		put(name, dot + 1, strlen(dot + 1));
	else
		PUT(name, "*");
}

static void put_field(struct debug *debug, struct name *name, LLVMTypeRef type, unsigned index,
		      bool arrow)
{
	struct debug_text field;
	char number[16];
	if (!debug_field(debug, type, index, &field)) {
		field.length = (unsigned)snprintf(number, sizeof(number), "%u", index);
		field.at = number;
	}
	if (!field.length)
		return;
	put(name, arrow ? "->" : ".", arrow ? 2 : 1);
	put(name, field.at, field.length);
}

/* s->member at an offset in bytes; false: the pointer's type does not say. */
static bool put_member(struct debug *debug, struct name *name, LLVMValueRef pointer, uint64_t byte)
{
	LLVMValueRef base = without_casts(pointer);
	LLVMMetadataRef type = debug_pointee(debug, base);
	uint64_t bit = 8 * byte;
	struct debug_text text;
	if (!type || !put_variable(debug, name, base))
		return false;
	const char *between = "->";
	for (int depth = 0; type && depth < DEPTH_MAX; depth++) {
		if (!debug_member(debug, &type, &bit, &text))
			break;
		if (!text.length)
			continue; /* a base class, a union without a name */
		put(name, between, strlen(between));
		put(name, text.at, text.length);
		between = ".";
	}
	if (bit && *between == '.')
		PUT(name, "[]");
	return true;
}

/* An offset in bytes, as the optimiser leaves it. */
static bool is_byte_offset(LLVMValueRef gep)
{
	LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(LLVMGetOperand(gep, 0)));
	return LLVMGetNumOperands(gep) == 2 && LLVMGetTypeKind(type) == LLVMIntegerTypeKind &&
	       LLVMGetIntTypeWidth(type) == 8 && LLVMIsAConstantInt(LLVMGetOperand(gep, 1));
}

static void put_element(struct debug *debug, struct name *name, LLVMValueRef gep, int depth)
{
	LLVMValueRef base = without_casts(LLVMGetOperand(gep, 0));
	LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(LLVMGetOperand(gep, 0)));
	unsigned n = (unsigned)LLVMGetNumOperands(gep);
	bool element = !is_zero(LLVMGetOperand(gep, 1));
	bool arrow = !element && !is_place(base);
	if (is_place(base))
		put_object(debug, name, base, depth + 1);
	else if (!put_pointer(debug, name, base, depth + 1)) {
		if (LLVMGetTypeKind(type) == LLVMStructTypeKind)
			put_struct_name(name, type);
		else
			PUT(name, "*");
	}
	if (element)
		PUT(name, "[]");
	for (unsigned i = 2; i < n; i++) {
		if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
			LLVMValueRef constant = LLVMGetOperand(gep, i);
			unsigned index = (unsigned)LLVMConstIntGetZExtValue(constant);
			size_t before = name->n;
			put_field(debug, name, type, index, arrow);
			arrow &= name->n == before;
			type = LLVMStructGetTypeAtIndex(type, index);
		} else {
			PUT(name, "[]");
			type = LLVMGetElementType(type);
			arrow = false;
		}
	}
}

/* What is at `address`. */
static void put_object(struct debug *debug, struct name *name, LLVMValueRef address, int depth)
{
	address = without_casts(address);
	if (depth > DEPTH_MAX)
		return;
	bool gep =
		is_place(address) && !LLVMIsAAllocaInst(address) && !LLVMIsAGlobalVariable(address);
	if (gep && is_byte_offset(address) &&
	    put_member(debug, name, LLVMGetOperand(address, 0),
		       LLVMConstIntGetZExtValue(LLVMGetOperand(address, 1))))
		return;
	if (gep) {
		put_element(debug, name, address, depth);
		return;
	}
	if (is_place(address)) {
		put_variable(debug, name, address);
		return;
	}
	if (put_member(debug, name, address, 0))
		return;
	size_t before = name->n;
	PUT(name, "*");
	if (!put_pointer(debug, name, address, depth))
		name->n = before;
}

void debug_name(struct debug *debug, struct table *table, LLVMValueRef address, struct site *site)
{
	struct name name = {.n = 0};
	put_object(debug, &name, address, 0);
	site->name = table_name(table, name.text, name.n);
	LLVMValueRef base = private_base(address);
	if (LLVMIsAGlobalVariable(base)) {
		size_t length;
		const char *symbol = LLVMGetValueName2(base, &length);
		site->object = table_name(table, symbol, length);
	}
}
