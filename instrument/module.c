/* SPDX-License-Identifier: MIT */
#include "instrument/module.h"

#include "instrument/aligned.h"
#include "instrument/attributes.h"
#include "instrument/callee.h"
#include "instrument/choose.h"
#include "instrument/edges.h"
#include "instrument/function.h"
#include "instrument/lists.h"
#include "instrument/mark.h"
#include "instrument/model.h"
#include "instrument/parts.h"
#include "instrument/pointers.h"
#include "instrument/weave.h"

#include <llvm-c/Comdat.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/Transforms/IPO.h>
#include <llvm-c/Transforms/Scalar.h>

#include <string.h>

bool module_has_attribute(LLVMValueRef function, LLVMAttributeIndex index, const char *name)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
	return LLVMGetEnumAttributeAtIndex(function, index, kind) != NULL;
}

LLVMValueRef module_i64(struct module *module, uint64_t value)
{
	return LLVMConstInt(module->i64, value, 0);
}

LLVMValueRef module_hook(struct module *module, const char *name, LLVMTypeRef result,
			 LLVMValueRef *arguments, unsigned n)
{
	LLVMValueRef hook = LLVMGetNamedFunction(module->llvm, name);
	if (!hook) {
		LLVMTypeRef types[8];
		ASSERT(n <= 8);
		for (unsigned i = 0; i < n; i++)
			types[i] = LLVMTypeOf(arguments[i]);
		hook = LLVMAddFunction(module->llvm, name, LLVMFunctionType(result, types, n, 0));
		unsigned kind = LLVMGetEnumAttributeKindForName("nounwind", 8);
		LLVMAddAttributeAtIndex(hook, LLVMAttributeFunctionIndex,
					LLVMCreateEnumAttribute(module->context, kind, 0));
	}
	return LLVMBuildCall2(module->builder, LLVMGlobalGetValueType(hook), hook, arguments, n,
			      "");
}

LLVMValueRef module_site(struct module *module, const struct site *site)
{
	uint32_t index = table_site(&module->table, site);
	LLVMValueRef base = LLVMBuildLoad2(module->builder, module->i32, module->base, "");
	return LLVMBuildAdd(module->builder, base, LLVMConstInt(module->i32, index, 0), "");
}

static void set_up(struct module *module, LLVMModuleRef llvm)
{
	LLVMContextRef context = LLVMGetModuleContext(llvm);
	module->llvm = llvm;
	module->context = context;
	module->builder = LLVMCreateBuilderInContext(context);
	module->layout = LLVMGetModuleDataLayout(llvm);
	module->i1 = LLVMInt1TypeInContext(context);
	module->i8 = LLVMInt8TypeInContext(context);
	module->i32 = LLVMInt32TypeInContext(context);
	module->i64 = LLVMInt64TypeInContext(context);
	module->nothing = LLVMVoidTypeInContext(context);
	module->bytes = LLVMPointerType(module->i8, 0);
	LLVMTypeRef two[] = {module->i64, module->i64};
	module->pair = LLVMStructTypeInContext(context, two, 2, 0);
	module->base = LLVMAddGlobal(llvm, module->i32, "__norn_base");
	LLVMSetLinkage(module->base, LLVMPrivateLinkage);
	LLVMSetInitializer(module->base, LLVMConstInt(module->i32, 0, 0));
	debug_init(&module->debug, llvm, module->layout);
	size_t length;
	const char *source = LLVMGetSourceFileName(llvm, &length);
	module->table.source = table_name(&module->table, source, length);
	debug_directory(&module->debug, &module->table);
}

static void drop_attribute(LLVMValueRef function, const char *name)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
	LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind);
}

/* std::min, std::max and std::clamp give back where a value is, and that is a choice of values only
 * where it is seen which these are. */
static bool chooses_reference(LLVMValueRef function)
{
	static const char *const names[] = {"_ZSt3minI", "_ZSt3maxI", "_ZSt5clampI"};
	size_t length;
	const char *name = LLVMGetValueName2(function, &length);
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}

static void put_in(LLVMValueRef function)
{
	unsigned always = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
	drop_attribute(function, "noinline");
	LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
				LLVMCreateEnumAttribute(context, always, 0));
}

/* Locals become values, so that they can be followed, and so do members of structs; code that was
 * optimised has none left. */
static void promote_locals(LLVMModuleRef llvm)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(llvm); f; f = LLVMGetNextFunction(f)) {
		drop_attribute(f, "optnone");
		if (LLVMCountBasicBlocks(f) && chooses_reference(f))
			put_in(f);
	}
	LLVMPassManagerRef passes = LLVMCreatePassManager();
	LLVMAddAlwaysInlinerPass(passes);
	LLVMAddScalarReplAggregatesPass(passes);
	LLVMRunPassManager(passes, llvm);
	LLVMDisposePassManager(passes);
}

static bool is_local(LLVMValueRef global)
{
	LLVMLinkage linkage = LLVMGetLinkage(global);
	return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
}

/* The table may name it when it is linked: it is there, once, and not left out with a function. */
static bool can_be_named(LLVMValueRef global)
{
	return LLVMIsAGlobalVariable(global) && !LLVMIsThreadLocal(global) &&
	       !LLVMIsDeclaration(global) &&
	       LLVMGetLinkage(global) != LLVMAvailableExternallyLinkage &&
	       !(is_local(global) && LLVMGetComdat(global));
}

uint32_t module_address(struct module *module, LLVMValueRef global)
{
	if (!can_be_named(global))
		return MAP_NONE;
	uint32_t known = map_get(&module->addresses, global);
	if (known != MAP_NONE)
		return known;
	map_put(&module->addresses, global, (uint32_t)module->addressed.n);
	vec_push(&module->addressed, global);
	return (uint32_t)module->addressed.n - 1;
}

/* struct site_address */
static LLVMValueRef address_list(struct module *module)
{
	struct values words = {0};
	for (size_t i = 0; i < module->addressed.n; i++) {
		LLVMValueRef global = module->addressed.at[i];
		LLVMTypeRef type = LLVMGlobalGetValueType(global);
		uint64_t size =
			LLVMIsGlobalConstant(global) ? LLVMABISizeOfType(module->layout, type) : 0;
		vec_push(&words, LLVMConstPtrToInt(global, module->i64));
		vec_push(&words, module_i64(module, size));
	}
	LLVMValueRef list = LLVMConstArray(module->i64, words.at, (unsigned)words.n);
	vec_release(&words);
	return list;
}

static LLVMValueRef table_data(struct module *module)
{
	size_t size;
	char *bytes = table_bytes(&module->table, module->addressed.n, &size);
	LLVMValueRef data = LLVMConstStringInContext(module->context, bytes, (unsigned)size, 1);
	mem_free(bytes);
	if (!module->addressed.n)
		return data;
	LLVMValueRef parts[] = {data, address_list(module)};
	return LLVMConstStructInContext(module->context, parts, 2, 0);
}

static LLVMValueRef table_global(struct module *module)
{
	LLVMValueRef data = table_data(module);
	LLVMValueRef table = LLVMAddGlobal(module->llvm, LLVMTypeOf(data), "__norn_sites");
	LLVMSetInitializer(table, data);
	LLVMSetGlobalConstant(table, 1);
	LLVMSetLinkage(table, LLVMPrivateLinkage);
	LLVMSetAlignment(table, 8);
	return table;
}

/* Replaces llvm.global_ctors by one with another entry: a global cannot grow. */
static void add_constructor(struct module *module, LLVMValueRef function)
{
	LLVMValueRef fields[] = {LLVMConstInt(module->i32, 0, 0), function,
				 LLVMConstPointerNull(module->bytes)};
	struct values entries = {0};
	LLVMValueRef entry = LLVMConstStructInContext(module->context, fields, 3, 0);
	LLVMValueRef old = LLVMGetNamedGlobal(module->llvm, "llvm.global_ctors");
	LLVMValueRef list = old ? LLVMGetInitializer(old) : NULL;
	for (unsigned i = 0; list && i < (unsigned)LLVMGetNumOperands(list); i++)
		vec_push(&entries, LLVMGetOperand(list, i));
	vec_push(&entries, entry);
	LLVMValueRef all = LLVMConstArray(LLVMTypeOf(entry), entries.at, (unsigned)entries.n);
	vec_release(&entries);
	if (old)
		LLVMDeleteGlobal(old);
	LLVMValueRef global = LLVMAddGlobal(module->llvm, LLVMTypeOf(all), "llvm.global_ctors");
	LLVMSetInitializer(global, all);
	LLVMSetLinkage(global, LLVMAppendingLinkage);
}

/* What a call may reach and is not to be taken for code without hooks. */
static bool is_reachable(LLVMValueRef f, bool with_hooks)
{
	size_t length;
	if (LLVMIsDeclaration(f))
		return !with_hooks && callee_is_known(LLVMGetValueName2(f, &length)) &&
		       callee_gets_out(f);
	return (with_hooks ? callee_gets_hooks(f) : model_is_front(f)) && callee_is_reachable(f);
}

/* Those with hooks first: how many these are. */
static size_t find_reachable(struct module *module, struct values *functions)
{
	size_t hooked = 0;
	for (int with_hooks = 1; with_hooks >= 0; with_hooks--) {
		for (LLVMValueRef f = LLVMGetFirstFunction(module->llvm); f;
		     f = LLVMGetNextFunction(f))
			if (is_reachable(f, with_hooks))
				vec_push(functions, LLVMConstPointerCast(f, module->bytes));
		if (with_hooks)
			hooked = functions->n;
	}
	return hooked;
}

static void register_functions(struct module *module, const struct values *functions, size_t hooked)
{
	if (!functions->n)
		return;
	LLVMValueRef list = LLVMConstArray(module->bytes, functions->at, (unsigned)functions->n);
	LLVMValueRef global = LLVMAddGlobal(module->llvm, LLVMTypeOf(list), "__norn_list");
	LLVMSetInitializer(global, list);
	LLVMSetGlobalConstant(global, 1);
	LLVMSetLinkage(global, LLVMPrivateLinkage);
	LLVMValueRef arguments[] = {LLVMConstPointerCast(global, LLVMPointerType(module->bytes, 0)),
				    module_i64(module, functions->n), module_i64(module, hooked)};
	module_hook(module, "__norn_functions", module->nothing, arguments, 3);
}

static void register_table(struct module *module, const struct values *functions, size_t hooked)
{
	LLVMTypeRef type = LLVMFunctionType(module->nothing, NULL, 0, 0);
	LLVMValueRef function = LLVMAddFunction(module->llvm, "__norn_module", type);
	LLVMSetLinkage(function, LLVMInternalLinkage);
	LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(module->context, function, "");
	LLVMPositionBuilderAtEnd(module->builder, block);
	LLVMSetCurrentDebugLocation2(module->builder, NULL);
	LLVMValueRef arguments[] = {LLVMConstPointerCast(table_global(module), module->bytes),
				    module->base};
	module_hook(module, "__norn_register", module->nothing, arguments, 2);
	register_functions(module, functions, hooked);
	if (LLVMGetNamedFunction(module->llvm, "__norn_sem_getvalue"))
		module_hook(module, "__norn_asks_semaphores", module->nothing, NULL, 0);
	LLVMBuildRetVoid(module->builder);
	add_constructor(module, function);
}

/* Small functions of our own are put in where they are called, at every level. */
static void put_in_helpers(LLVMModuleRef llvm)
{
	LLVMPassManagerRef passes = LLVMCreatePassManager();
	LLVMAddAlwaysInlinerPass(passes);
	LLVMRunPassManager(passes, llvm);
	LLVMDisposePassManager(passes);
}

static int verify(struct module *module, struct err *err)
{
	char *message = NULL;
	int result = 0;
	if (LLVMVerifyModule(module->llvm, LLVMReturnStatusAction, &message))
		result =
			err_set(err, ERR_INTERNAL, "the code with hooks is not valid: %s", message);
	LLVMDisposeMessage(message);
	return result;
}

/* Others may call a function by another name: the two constructors of a class are one. */
static void name_aliases(struct module *module)
{
	size_t length;
	for (LLVMValueRef a = LLVMGetFirstGlobalAlias(module->llvm); a;
	     a = LLVMGetNextGlobalAlias(a)) {
		LLVMValueRef function = callee_function_behind(a);
		if (function && callee_gets_hooks(function))
			table_defined(&module->table, LLVMGetValueName2(a, &length));
	}
}

int module_instrument(struct module *module, LLVMModuleRef llvm, struct err *err)
{
	struct values functions = {0}, reachable = {0};
	promote_locals(llvm);
	aligned_restore(llvm);
	pointers_front(llvm);
	for (LLVMValueRef f = LLVMGetFirstFunction(llvm); f; f = LLVMGetNextFunction(f)) {
		edges_function(f);
		lists_function(f);
		parts_function(f);
		choose_function(f);
	}
	set_up(module, llvm);
	weave_declare(module);
	if (model_rewrite(module, err) < 0)
		return err->code;
	size_t hooked = find_reachable(module, &reachable);
	for (LLVMValueRef f = LLVMGetFirstFunction(llvm); f; f = LLVMGetNextFunction(f))
		if (callee_gets_out(f) || callee_is_exported(f))
			map_put(&module->out, f, 1);
	for (LLVMValueRef f = LLVMGetFirstFunction(llvm); f; f = LLVMGetNextFunction(f))
		if (callee_is_inner(f))
			map_put(&module->inner, f, 1);
	for (LLVMValueRef f = LLVMGetFirstFunction(llvm); f; f = LLVMGetNextFunction(f)) {
		if (callee_gets_hooks(f))
			vec_push(&functions, f);
		else if (!LLVMIsDeclaration(f) && !model_is_front(f))
			module->counts.unhooked++;
	}
	name_aliases(module);
	int result = 0;
	for (size_t i = 0; !result && i < functions.n; i++) {
		size_t length;
		table_defined(&module->table, LLVMGetValueName2(functions.at[i], &length));
		result = function_instrument(module, functions.at[i], err);
	}
	vec_release(&functions);
	pointers_redirect(llvm);
	attributes_strip(llvm);
	mark_remove(llvm);
	register_table(module, &reachable, hooked);
	vec_release(&reachable);
	if (!result)
		result = verify(module, err);
	if (!result)
		put_in_helpers(llvm);
	return result;
}

void module_release(struct module *module)
{
	if (module->builder)
		LLVMDisposeBuilder(module->builder);
	map_release(&module->out);
	map_release(&module->addresses);
	vec_release(&module->addressed);
	map_release(&module->inner);
	events_release(&module->events);
	table_release(&module->table);
	debug_release(&module->debug);
}
