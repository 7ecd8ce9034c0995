/* SPDX-License-Identifier: MIT */
#include "instrument/slots.h"

#include "instrument/lists.h"
#include "instrument/parts.h"
#include "instrument/rewrite.h"

#include <stdio.h>
#include <string.h>

/* Words of struct norn_slots. */
enum { SLOT_CALLEE, SLOT_FROM, SLOT_RESULT, SLOT_ARGUMENTS = SLOT_RESULT + 2 };

/* What the entry finds, beside the position of what may come from any read. */
#define TAKEN_SLOTS UINT64_C(-2)
#define TAKEN_NOTHING UINT64_C(-1)

bool slots_may_take(const struct callee *callee)
{
	return callee->kind == CALLEE_HOOKED ||
	       ((callee->kind == CALLEE_OUTSIDE || callee->kind == CALLEE_INDIRECT) &&
		callee->unseen);
}

static LLVMValueRef slot(struct module *module, LLVMBuilderRef builder, unsigned word)
{
	LLVMTypeRef type = LLVMArrayType(module->i64, SLOT_ARGUMENTS + NORN_SLOTS);
	if (!module->slots) {
		module->slots = LLVMAddGlobal(module->llvm, type, "__norn_slots");
		/* a library may be loaded when there is no room beside that of the program */
		LLVMSetThreadLocalMode(module->slots, callee_is_for_library(module->llvm)
							      ? LLVMGeneralDynamicTLSModel
							      : LLVMInitialExecTLSModel);
	}
	LLVMValueRef indices[] = {module_i64(module, 0), module_i64(module, word)};
	return LLVMBuildGEP2(builder, type, module->slots, indices, 2, "");
}

static LLVMValueRef load(struct module *module, LLVMBuilderRef builder, unsigned word)
{
	return LLVMBuildLoad2(builder, module->i64, slot(module, builder, word), "");
}

static void store(struct module *module, LLVMBuilderRef builder, unsigned word, LLVMValueRef value)
{
	LLVMBuildStore(builder, value, slot(module, builder, word));
}

/* Keys */

static uint64_t add_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return hash;
}

/* Types as the machine passes them: what pointers point to may have another name elsewhere. */
static uint64_t add_type(struct module *module, uint64_t hash, LLVMTypeRef type)
{
	char text[40];
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	unsigned long long bits =
		LLVMTypeIsSized(type) ? LLVMSizeOfTypeInBits(module->layout, type) : 0;
	snprintf(text, sizeof(text), "%d:%llu ", (int)kind, bits);
	return add_text(hash, text);
}

static uint64_t hash_of(struct module *module, LLVMTypeRef type, LLVMValueRef call,
			LLVMValueRef function)
{
	LLVMTypeRef parameters[256];
	unsigned n = LLVMCountParamTypes(type);
	unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
	uint64_t hash = add_type(module, UINT64_C(0xcbf29ce484222325), LLVMGetReturnType(type));
	if (n > 256)
		return 0;
	LLVMGetParamTypes(type, parameters);
	for (unsigned i = 0; i < n; i++) {
		bool copied = call ? LLVMGetCallSiteEnumAttribute(call, i + 1, byval) != NULL
				   : LLVMGetEnumAttributeAtIndex(function, i + 1, byval) != NULL;
		hash = add_type(module, add_text(hash, copied ? "b" : "a"), parameters[i]);
	}
	/* The address goes to the low bits. */
	return add_text(hash, LLVMIsFunctionVarArg(type) ? "..." : "") << 8;
}

/* A function that only this module can call has no need for its address to be taken. */
static bool is_inner(struct module *module, LLVMValueRef function)
{
	return map_get(&module->inner, function) != MAP_NONE;
}

static uint64_t inner_key(struct module *module, LLVMValueRef function)
{
	size_t length;
	uint64_t hash = add_text(UINT64_C(0xcbf29ce484222325),
				 LLVMGetSourceFileName(module->llvm, &length));
	hash = add_text(add_text(hash, " "), LLVMGetValueName2(function, &length));
	return hash & ~UINT64_C(1);
}

/*
 * A name for the code itself: by its own name another module may have put something in front of it.
 */
static LLVMValueRef own_address(struct module *module, LLVMValueRef function)
{
	char name[300];
	size_t length;
	snprintf(name, sizeof(name), "norn.own.%s", LLVMGetValueName2(function, &length));
	LLVMValueRef own =
		LLVMAddAlias2(module->llvm, LLVMGlobalGetValueType(function), 0, function, name);
	LLVMSetLinkage(own, LLVMPrivateLinkage);
	return own;
}

/* Of this function itself, where the builder stands. */
static LLVMValueRef own_key(struct function *f)
{
	struct module *module = f->module;
	LLVMTypeRef type = LLVMGlobalGetValueType(f->llvm);
	uint64_t hash = hash_of(module, type, NULL, f->llvm);
	if (is_inner(module, f->llvm))
		return module_i64(module, inner_key(module, f->llvm) + hash);
	if (!f->own)
		f->own = own_address(module, f->llvm);
	LLVMValueRef address = LLVMConstPtrToInt(f->own, module->i64);
	return LLVMBuildAdd(module->builder, address, module_i64(module, hash), "");
}

/* Of what a call reaches. */
static LLVMValueRef key_of(struct function *f, LLVMValueRef call, bool nothing)
{
	struct module *module = f->module;
	LLVMValueRef called = LLVMGetCalledValue(call);
	struct callee callee = callee_of(call);
	uint64_t hash = hash_of(module, LLVMGetCalledFunctionType(call), call, NULL) + nothing;
	if (callee.kind == CALLEE_HOOKED && is_inner(module, callee.function))
		return module_i64(module, inner_key(module, callee.function) + hash);
	LLVMValueRef address = LLVMBuildPtrToInt(module->builder, called, module->i64, "");
	return LLVMBuildAdd(module->builder, address, module_i64(module, hash), "");
}

/* Small functions of the module's own that the compiler puts in where they are called. */

struct helper {
	LLVMValueRef function;
	LLVMBuilderRef builder;
	LLVMBasicBlockRef usual, other;
};

static LLVMValueRef find_helper(struct module *module, const char *name, unsigned parameters,
				LLVMTypeRef *types, struct helper *h)
{
	LLVMValueRef function = LLVMGetNamedFunction(module->llvm, name);
	h->function = NULL;
	if (function)
		return function;
	function = LLVMAddFunction(module->llvm, name,
				   LLVMFunctionType(module->i64, types, parameters, 0));
	LLVMSetLinkage(function, LLVMInternalLinkage);
	static const char *const names[] = {"alwaysinline", "nounwind"};
	for (unsigned i = 0; i < 2; i++)
		LLVMAddAttributeAtIndex(
			function, LLVMAttributeFunctionIndex,
			LLVMCreateEnumAttribute(
				module->context,
				LLVMGetEnumAttributeKindForName(names[i], strlen(names[i])), 0));
	h->function = function;
	h->builder = LLVMCreateBuilderInContext(module->context);
	LLVMPositionBuilderAtEnd(h->builder,
				 LLVMAppendBasicBlockInContext(module->context, function, ""));
	h->usual = LLVMAppendBasicBlockInContext(module->context, function, "");
	h->other = LLVMAppendBasicBlockInContext(module->context, function, "");
	return function;
}

/* The way out if nothing is known of a value: it may come from any read; for an address, a pin. */
static void end_unknown(struct module *module, struct helper *h, bool pins)
{
	LLVMBuilderRef outer = module->builder;
	LLVMValueRef site = LLVMGetParam(h->function, 1), result = module_i64(module, 0);
	LLVMPositionBuilderAtEnd(h->builder, h->other);
	module->builder = h->builder;
	if (pins)
		module_hook(module, "__norn_branch", module->nothing, &site, 1);
	else
		result = module_hook(module, "__norn_value_opaque", module->i64, &site, 1);
	module->builder = outer;
	LLVMBuildRet(h->builder, result);
	LLVMDisposeBuilder(h->builder);
}

/* What the caller has left; of key and site. Whatever it is, it is for nobody else. */
static LLVMValueRef taker(struct module *module, bool pins)
{
	struct helper h;
	LLVMTypeRef types[] = {module->i64, module->i32};
	LLVMValueRef function =
		find_helper(module, pins ? "norn.take.pin" : "norn.take", 2, types, &h);
	if (!h.function)
		return function;
	LLVMValueRef callee = load(module, h.builder, SLOT_CALLEE);
	store(module, h.builder, SLOT_CALLEE, module_i64(module, 0));
	LLVMValueRef off = LLVMBuildSub(h.builder, callee, LLVMGetParam(function, 0), "");
	LLVMValueRef ours = LLVMBuildICmp(h.builder, LLVMIntULE, off, module_i64(module, 1), "");
	LLVMBuildCondBr(h.builder, ours, h.usual, h.other);
	LLVMPositionBuilderAtEnd(h.builder, h.usual);
	LLVMBuildRet(h.builder, LLVMBuildAdd(h.builder, off, module_i64(module, TAKEN_SLOTS), ""));
	end_unknown(module, &h, pins);
	return function;
}

/* What the function that was called has left; of key and site. */
static LLVMValueRef fetcher(struct module *module, bool pins, unsigned part)
{
	static const char *const names[] = {"norn.result", "norn.result.second", "norn.result.pin",
					    "norn.result.second.pin"};
	struct helper h;
	LLVMTypeRef types[] = {module->i64, module->i32};
	LLVMValueRef function = find_helper(module, names[pins * 2 + part], 2, types, &h);
	if (!h.function)
		return function;
	LLVMValueRef ours = LLVMBuildICmp(h.builder, LLVMIntEQ, load(module, h.builder, SLOT_FROM),
					  LLVMGetParam(function, 0), "");
	LLVMBuildCondBr(h.builder, ours, h.usual, h.other);
	LLVMPositionBuilderAtEnd(h.builder, h.usual);
	LLVMBuildRet(h.builder, load(module, h.builder, SLOT_RESULT + part));
	end_unknown(module, &h, pins);
	return function;
}

/* The value goes with the record itself if it is small. */
static void end_known(struct module *module, struct helper *h)
{
	LLVMBuilderRef outer = module->builder;
	LLVMValueRef value = LLVMGetParam(h->function, 1);
	LLVMBasicBlockRef small = LLVMAppendBasicBlockInContext(module->context, h->function, "");
	LLVMBasicBlockRef large = LLVMAppendBasicBlockInContext(module->context, h->function, "");
	LLVMPositionBuilderAtEnd(h->builder, h->other);
	LLVMValueRef fits =
		LLVMBuildICmp(h->builder, LLVMIntULE, value, module_i64(module, UINT32_MAX), "");
	LLVMBuildCondBr(h->builder, fits, small, large);
	LLVMPositionBuilderAtEnd(h->builder, small);
	LLVMBuildRet(h->builder, LLVMBuildOr(h->builder, value, module_i64(module, NORN_HERE), ""));
	LLVMPositionBuilderAtEnd(h->builder, large);
	module->builder = h->builder;
	LLVMValueRef fixed = module_hook(module, "__norn_fixed", module->i64, &value, 1);
	module->builder = outer;
	LLVMBuildRet(h->builder, fixed);
	LLVMDisposeBuilder(h->builder);
}

/* The position, or that of a record of the value if there is none and others have one. */
static LLVMValueRef knower(struct module *module)
{
	struct helper h;
	LLVMTypeRef types[] = {module->i64, module->i64, module->i64};
	LLVMValueRef function = find_helper(module, "norn.known", 3, types, &h);
	if (!h.function)
		return function;
	LLVMValueRef position = LLVMGetParam(function, 0), zero = module_i64(module, 0);
	LLVMValueRef there = LLVMBuildICmp(h.builder, LLVMIntNE, position, zero, "");
	LLVMValueRef alone =
		LLVMBuildICmp(h.builder, LLVMIntEQ, LLVMGetParam(function, 2), zero, "");
	LLVMBuildCondBr(h.builder, LLVMBuildOr(h.builder, there, alone, ""), h.usual, h.other);
	LLVMPositionBuilderAtEnd(h.builder, h.usual);
	LLVMBuildRet(h.builder, position);
	end_known(module, &h);
	return function;
}

static LLVMValueRef call_helper(struct module *module, LLVMValueRef helper, LLVMValueRef *arguments,
				unsigned n)
{
	return LLVMBuildCall2(module->builder, LLVMGlobalGetValueType(helper), helper, arguments, n,
			      "");
}

LLVMValueRef slots_known(struct module *module, LLVMValueRef position, LLVMValueRef value,
			 LLVMValueRef others)
{
	LLVMValueRef arguments[] = {position, value, others};
	return call_helper(module, knower(module), arguments, 3);
}

/* The function's own side */

static bool is_addressed(const struct function *f)
{
	for (unsigned i = 0; i < LLVMCountParams(f->llvm); i++) {
		const struct node *node = &f->nodes.at[function_node(f, LLVMGetParam(f->llvm, i))];
		if (node->role == ROLE_ARGUMENT && node->addressed)
			return true;
	}
	return false;
}

/* Once, in front of all: the builder is left behind it. */
static LLVMValueRef taken(struct function *f)
{
	struct module *module = f->module;
	if (f->taken) {
		LLVMPositionBuilderBefore(module->builder, LLVMGetNextInstruction(f->taken));
		return f->taken;
	}
	bool pins = is_addressed(f);
	struct site site = {.kind = pins ? SITE_PIN : SITE_VALUE};
	LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f->llvm));
	while (LLVMIsAAllocaInst(first))
		first = LLVMGetNextInstruction(first);
	LLVMPositionBuilderBefore(module->builder, first);
	debug_locate_function(&module->debug, &module->table, f->llvm, &site);
	LLVMValueRef arguments[] = {own_key(f), module_site(module, &site)};
	f->taken = call_helper(module, taker(module, pins), arguments, 2);
	module->counts.entries++;
	return f->taken;
}

static LLVMValueRef is_taken(struct function *f, uint64_t what)
{
	return LLVMBuildICmp(f->module->builder, LLVMIntEQ, f->taken, module_i64(f->module, what),
			     "");
}

/* Behind those that have names: the number of these. */
static unsigned number_of(struct function *f, LLVMValueRef argument)
{
	unsigned i = 0, n = LLVMCountParams(f->llvm);
	while (i < n && LLVMGetParam(f->llvm, i) != argument)
		i++;
	return i;
}

LLVMValueRef slots_argument(struct function *f, uint32_t number)
{
	struct module *module = f->module;
	LLVMBuilderRef builder = module->builder;
	unsigned i = number_of(f, f->nodes.at[number].value);
	LLVMValueRef found = taken(f);
	LLVMValueRef given = load(module, builder, SLOT_ARGUMENTS + i);
	LLVMValueRef none = module_i64(module, 0);
	LLVMValueRef else_ = LLVMBuildSelect(builder, is_taken(f, TAKEN_NOTHING), none, found, "");
	return LLVMBuildSelect(builder, is_taken(f, TAKEN_SLOTS), given, else_, "");
}

LLVMValueRef slots_copy(struct function *f, LLVMValueRef argument)
{
	struct module *module = f->module;
	LLVMBuilderRef builder = module->builder;
	unsigned i = number_of(f, argument);
	LLVMValueRef unknown = module_i64(module, NORN_UNKNOWN_COPY), none = module_i64(module, 0);
	if (i >= NORN_SLOTS)
		return unknown;
	taken(f);
	LLVMValueRef given = load(module, builder, SLOT_ARGUMENTS + i);
	LLVMValueRef else_ =
		LLVMBuildSelect(builder, is_taken(f, TAKEN_NOTHING), none, unknown, "");
	return LLVMBuildSelect(builder, is_taken(f, TAKEN_SLOTS), given, else_, "");
}

void slots_keep(struct function *f, LLVMValueRef to, unsigned n)
{
	struct module *module = f->module;
	LLVMBuilderRef builder = module->builder;
	LLVMTypeRef type = LLVMArrayType(module->i64, n + 1);
	LLVMValueRef unknown = module_i64(module, NORN_UNKNOWN_KINDS), none = module_i64(module, 0);
	if (!n) {
		LLVMBuildStore(builder, unknown,
			       LLVMBuildBitCast(builder, to, LLVMPointerType(module->i64, 0), ""));
		return;
	}
	taken(f);
	LLVMValueRef else_ =
		LLVMBuildSelect(builder, is_taken(f, TAKEN_NOTHING), none, unknown, "");
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef word = load(module, builder, SLOT_ARGUMENTS + NORN_SLOTS - n + i);
		LLVMValueRef indices[] = {none, module_i64(module, i)};
		if (!i)
			word = LLVMBuildSelect(builder, is_taken(f, TAKEN_SLOTS), word, else_, "");
		LLVMBuildStore(builder, word, LLVMBuildGEP2(builder, type, to, indices, 2, ""));
	}
}

LLVMValueRef slots_was_given(struct function *f)
{
	struct module *module = f->module;
	LLVMValueRef given = LLVMBuildICmp(module->builder, LLVMIntUGE, taken(f),
					   module_i64(module, TAKEN_SLOTS), "");
	return LLVMBuildZExt(module->builder, given, module->i32, "");
}

void slots_return(struct function *f, LLVMValueRef leave)
{
	struct module *module = f->module;
	LLVMValueRef result = LLVMGetOperand(leave, 0), parts[2] = {result, result}, positions[2];
	unsigned n = parts_is_pair(LLVMTypeOf(result)) ? 2 : 1;
	parts_of(result, parts);
	for (unsigned i = 0; i < n; i++)
		positions[i] = position_given(f, parts[i]);
	LLVMPositionBuilderBefore(module->builder, leave);
	store(module, module->builder, SLOT_FROM, own_key(f));
	for (unsigned i = 0; i < n; i++)
		store(module, module->builder, SLOT_RESULT + i, positions[i]);
}

void slots_leave(struct function *f)
{
	struct module *module = f->module;
	for (size_t i = 0; i < f->nodes.n; i++) {
		LLVMValueRef leave = f->nodes.at[i].value;
		LLVMValueRef last = LLVMIsAReturnInst(leave) ? callee_of_end(leave) : NULL;
		if (!last)
			continue;
		LLVMPositionBuilderBefore(module->builder, last);
		store(module, module->builder, SLOT_FROM, module_i64(module, 0));
	}
}

/* The caller's side */

static bool is_zero(LLVMValueRef position)
{
	return LLVMIsAConstantInt(position) && !LLVMConstIntGetZExtValue(position);
}

/* What any of the arguments without names depends on. */
static LLVMValueRef rest_of(struct function *f, LLVMValueRef call, unsigned first)
{
	struct items items = {0};
	for (unsigned a = first; a < LLVMGetNumArgOperands(call); a++) {
		struct deps deps = function_deps(f, LLVMGetOperand(call, a));
		items_add(&items, &deps);
	}
	LLVMValueRef position = position_joined(f, items.at, items.n);
	vec_release(&items);
	return position;
}

/* Of one that is passed as a copy: where that is, if it has hooks (range_pass). */
static LLVMValueRef copy_given(struct function *f, LLVMValueRef call, unsigned a)
{
	LLVMValueRef from = LLVMGetOperand(call, a);
	bool ours = LLVMIsAAllocaInst(from) && function_node(f, from) == MAP_NONE;
	if (ours)
		return LLVMBuildPtrToInt(f->module->builder, from, f->module->i64, "");
	switch (private_memory(&f->privacy, from)) {
	case MEMORY_PRIVATE:
	case MEMORY_CONSTANT: return module_i64(f->module, 0);
	default: return module_i64(f->module, NORN_UNKNOWN_COPY);
	}
}

static LLVMValueRef given(struct function *f, LLVMValueRef call, unsigned a)
{
	unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
	return LLVMGetCallSiteEnumAttribute(call, a + 1, byval)
		       ? copy_given(f, call, a)
		       : position_given(f, LLVMGetOperand(call, a));
}

/* Behind those that have names: all as one, their kinds, and each of them. */
static unsigned give_rest(struct function *f, LLVMValueRef call, unsigned n,
			  LLVMValueRef *positions)
{
	uint64_t kinds = lists_kinds(f->module, call, n);
	unsigned a = n;
	LLVMPositionBuilderBefore(f->module->builder, call);
	positions[n++] = rest_of(f, call, a);
	if (n == NORN_SLOTS)
		return n;
	positions[n++] = module_i64(f->module, kinds);
	for (; kinds != NORN_UNKNOWN_KINDS && a < LLVMGetNumArgOperands(call); a++) {
		LLVMPositionBuilderBefore(f->module->builder, call);
		positions[n++] = position_given(f, LLVMGetOperand(call, a));
	}
	return n;
}

void slots_give(struct function *f, LLVMValueRef call)
{
	struct module *module = f->module;
	LLVMTypeRef type = LLVMGetCalledFunctionType(call);
	LLVMValueRef positions[NORN_SLOTS + 1];
	unsigned named = LLVMCountParamTypes(type), n = named < NORN_SLOTS ? named : NORN_SLOTS;
	bool nothing = true;
	for (unsigned i = 0; i < n; i++) {
		LLVMPositionBuilderBefore(module->builder, call);
		positions[i] = given(f, call, i);
	}
	if (LLVMIsFunctionVarArg(type) && n < NORN_SLOTS)
		n = give_rest(f, call, n, positions);
	for (unsigned i = 0; i < n; i++)
		nothing &= is_zero(positions[i]);
	LLVMPositionBuilderBefore(module->builder, call);
	for (unsigned i = 0; i < n && !nothing; i++)
		store(module, module->builder, SLOT_ARGUMENTS + i, positions[i]);
	store(module, module->builder, SLOT_CALLEE, key_of(f, call, nothing));
}

LLVMValueRef slots_result(struct function *f, uint32_t number)
{
	struct module *module = f->module;
	const struct node *node = &f->nodes.at[number];
	struct site site = {.kind = node->addressed ? SITE_PIN : SITE_VALUE};
	debug_locate(&module->debug, &module->table, node->value, &site);
	bool part = node->role == ROLE_PART;
	LLVMValueRef call = part ? LLVMGetOperand(node->value, 0) : node->value;
	unsigned number_of_part = part ? LLVMGetIndices(node->value)[0] : 0;
	LLVMValueRef arguments[] = {key_of(f, call, false), module_site(module, &site)};
	return call_helper(module, fetcher(module, node->addressed, number_of_part), arguments, 2);
}
