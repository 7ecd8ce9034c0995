/* SPDX-License-Identifier: MIT */
/* Branches: pins, decisions of the program, calls. */
#include "instrument/leaving.h"
#include "instrument/rewrite.h"
#include "instrument/slots.h"
#include "instrument/weave.h"

#include <stdio.h>

#include <string.h>

static LLVMValueRef first_real(LLVMValueRef i)
{
	while (LLVMIsAPHINode(i) || LLVMIsALandingPadInst(i))
		i = LLVMGetNextInstruction(i);
	return i;
}

LLVMValueRef control_behind(struct function *f, LLVMValueRef value)
{
	if (LLVMIsAArgument(value)) {
		LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f->llvm));
		while (LLVMIsAAllocaInst(i))
			i = LLVMGetNextInstruction(i);
		return i;
	}
	if (LLVMIsATerminatorInst(value)) {
		LLVMBasicBlockRef next = LLVMIsAInvokeInst(value) ? LLVMGetNormalDest(value)
								  : LLVMGetSuccessor(value, 0);
		return first_real(LLVMGetFirstInstruction(next));
	}
	return first_real(LLVMGetNextInstruction(value));
}

/* A branch that depends on every earlier read. */
static void call_branch(struct module *module, const struct site *site)
{
	LLVMValueRef number = module_site(module, site);
	module_hook(module, "__norn_branch", module->nothing, &number, 1);
}

void control_pin(struct function *f)
{
	struct module *module = f->module;
	bool arguments = false; /* one pin for all of them */
	for (size_t i = 0; i < f->nodes.n; i++) {
		LLVMValueRef value = f->nodes.at[i].value;
		if (!f->nodes.at[i].pinned)
			continue;
		bool argument = LLVMIsAArgument(value);
		if (argument && arguments)
			continue;
		arguments |= argument;
		struct site site = {.kind = SITE_PIN};
		if (argument)
			debug_locate_function(&module->debug, &module->table, f->llvm, &site);
		else
			debug_locate(&module->debug, &module->table, value, &site);
		LLVMPositionBuilderBefore(module->builder, control_behind(f, value));
		call_branch(module, &site);
		module->counts.pins++;
	}
}

/* A branch where the builder stands, on these items; several if need be. `flags`: SITE_PLACE, or 0
 */
static void put_guards(struct function *f, const struct site *like, unsigned flags,
		       LLVMValueRef unless, const uint32_t *items, size_t n)
{
	struct module *module = f->module;
	for (size_t from = 0; from < n; from += SITE_DEPENDS_MAX) {
		struct site site = *like;
		struct deps deps = {0};
		while (deps.n < SITE_DEPENDS_MAX && from + deps.n < n) {
			deps.item[deps.n] = items[from + deps.n];
			deps.n++;
		}
		site.kind = SITE_CALL;
		site.flags = (uint8_t)(SITE_EXACT | flags);
		site.values = deps.n;
		site.addresses = site.order = site.size = 0;
		site.expression = site.object = 0;
		LLVMValueRef arguments[2 + SITE_DEPENDS_MAX] = {unless, module_site(module, &site)};
		position_list(f, &deps, false, arguments + 2, SITE_DEPENDS_MAX);
		if (unless)
			module_hook(module, "__norn_guard", module->nothing, arguments, 5);
		else
			module_hook(module, "__norn_branch_from", module->nothing, arguments + 1,
				    4);
		module->counts.guards++;
	}
}

void control_guard(struct function *f, LLVMValueRef i, const struct site *like, unsigned flags,
		   const uint32_t *items, size_t n)
{
	LLVMPositionBuilderBefore(f->module->builder, i);
	put_guards(f, like, flags, NULL, items, n);
}

static void add_items(struct function *f, struct items *items, const struct values *values)
{
	for (size_t i = 0; i < values->n; i++) {
		struct deps deps = function_deps(f, values->at[i]);
		items_add(items, &deps);
	}
}

void control_guard_operands(struct function *f, const struct action *action)
{
	struct values operands = {0};
	struct items items = {0};
	LLVMValueRef i = f->nodes.at[action->node].value;
	bool call = action->kind == ACTION_CALL, values = call || action->kind == ACTION_WIDE;
	bool place = call ? callee_is_on_object(i) : !values;
	action_places(f, action, &operands);
	add_items(f, &items, &operands);
	if (values) {
		action_values(f, action, &operands);
		add_items(f, &items, &operands);
	}
	control_guard(f, i, &action->site, place ? SITE_PLACE : 0, items.at, items.n);
	vec_release(&items);
	vec_release(&operands);
}

/* Of a call that may reach a function with hooks: arguments have to stay only if it does not. */
static void guard_call(struct function *f, const struct action *action)
{
	LLVMValueRef call = f->nodes.at[action->node].value, called = LLVMGetCalledValue(call);
	struct values operands = {0};
	struct items items = {0};
	action_places(f, action, &operands);
	add_items(f, &items, &operands);
	control_guard(f, call, &action->site, 0, items.at, items.n);
	items.n = 0;
	action_values(f, action, &operands);
	add_items(f, &items, &operands);
	if (items.n) {
		LLVMPositionBuilderBefore(f->module->builder, call);
		LLVMValueRef function = access_pointer(f->module, called);
		LLVMValueRef takes =
			module_hook(f->module, "__norn_takes", f->module->i32, &function, 1);
		put_guards(f, &action->site, 0, takes, items.at, items.n);
	}
	vec_release(&items);
	vec_release(&operands);
}

/* Ways into the block, of what each arm has. */
static LLVMValueRef phi_of_arms(struct module *module, const struct scope *scope,
				LLVMValueRef values[2])
{
	LLVMBasicBlockRef from = LLVMGetInstructionParent(scope->branch);
	LLVMValueRef phi = LLVMBuildPhi(module->builder, LLVMTypeOf(values[0]), "");
	for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(scope->join)); u;
	     u = LLVMGetNextUse(u)) {
		LLVMBasicBlockRef block = LLVMGetInstructionParent(LLVMGetUser(u));
		bool first = block == from ? LLVMGetSuccessor(scope->branch, 0) == scope->join
					   : map_get(&scope->side[0], block) != MAP_NONE;
		LLVMAddIncoming(phi, &values[!first], &block, 1);
	}
	return phi;
}

/* Where the ways come together: the arm is over, if the one that was taken can be skipped. */
static void end_arms(struct function *f, struct scope *scope, LLVMValueRef record)
{
	struct module *module = f->module;
	LLVMValueRef none = module_i64(module, 0);
	LLVMValueRef records[2] = {scope->arm[0] ? record : none, scope->arm[1] ? record : none};
	LLVMValueRef ways[2] = {LLVMConstInt(module->i1, 1, 0), LLVMConstInt(module->i1, 0, 0)};
	LLVMPositionBuilderBefore(module->builder, LLVMGetFirstInstruction(scope->join));
	scope->record = phi_of_arms(module, scope, records);
	scope->first = phi_of_arms(module, scope, ways);
	LLVMPositionBuilderBefore(module->builder,
				  first_real(LLVMGetFirstInstruction(scope->join)));
	module_hook(module, "__norn_rejoin", module->nothing, &scope->record, 1);
}

void control_decide(struct function *f, struct action *action)
{
	struct module *module = f->module;
	if (!action->values.n) {
		module->counts.decided++;
		return;
	}
	LLVMPositionBuilderBefore(module->builder, f->nodes.at[action->node].value);
	LLVMValueRef arguments[1 + SITE_DEPENDS_MAX] = {module_site(module, &action->site)};
	position_list(f, &action->values, action->site.expression, arguments + 1, SITE_DEPENDS_MAX);
	struct scope *scope = scopes_of_branch(&f->scopes, f->nodes.at[action->node].value);
	module->counts.branches++;
	if (!scope || !function_scope_counts(f, scope)) {
		module_hook(module, "__norn_branch_from", module->nothing, arguments, 4);
		return;
	}
	end_arms(f, scope, module_hook(module, "__norn_branch_arm", module->i64, arguments, 4));
	module->counts.scopes++;
}

/* To code without hooks it is a condition: that goes on according to it. */
void control_return(struct function *f, struct action *action)
{
	LLVMValueRef leave = f->nodes.at[action->node].value;
	if (f->gets_out && action->values.n) {
		LLVMValueRef given = slots_was_given(f);
		LLVMPositionBuilderBefore(f->module->builder, leave);
		put_guards(f, &action->site, 0, given, action->values.item, action->values.n);
	}
	LLVMPositionBuilderBefore(f->module->builder, leave);
	slots_return(f, leave);
}

/* The same call, of the runtime's version. */
static void redirect(struct module *module, LLVMValueRef call, const struct callee *callee)
{
	char name[300];
	int n = snprintf(name, sizeof(name), "__norn_%s", callee->name);
	ASSERT(n > 0 && n < (int)sizeof(name));
	LLVMValueRef function = LLVMGetNamedFunction(module->llvm, name);
	if (!function)
		function = LLVMAddFunction(module->llvm, name,
					   LLVMGlobalGetValueType(callee->function));
	LLVMTypeRef type = LLVMTypeOf(LLVMGetCalledValue(call));
	if (LLVMTypeOf(function) != type)
		function = LLVMConstPointerCast(function, type);
	LLVMSetOperand(call, (unsigned)LLVMGetNumOperands(call) - 1, function);
	module->counts.replaced++;
}

static void order_assembly(struct function *f, LLVMValueRef call)
{
	struct module *module = f->module;
	if (!LLVMIsACallInst(call) || !callee_is_assembly_on_memory(call))
		return;
	LLVMPositionBuilderBefore(module->builder, call);
	module_hook(module, "__norn_assembly_begin", module->nothing, NULL, 0);
	LLVMPositionBuilderBefore(module->builder, LLVMGetNextInstruction(call));
	module_hook(module, "__norn_assembly_end", module->nothing, NULL, 0);
	unseen_inline(f, call, LLVMGetNumArgOperands(call));
}

/* What it writes and expects is a condition, as the arguments of a call are. */
void control_wide(struct function *f, struct action *action)
{
	struct module *module = f->module;
	LLVMValueRef i = f->nodes.at[action->node].value;
	LLVMValueRef address = LLVMGetOperand(i, LLVMIsAStoreInst(i) ? 1 : 0);
	control_guard_operands(f, action);
	LLVMPositionBuilderBefore(module->builder, i);
	LLVMValueRef p = access_pointer(module, address);
	module_hook(module, "__norn_wide_begin", module->nothing, &p, 1);
	LLVMPositionBuilderBefore(module->builder, LLVMGetNextInstruction(i));
	module_hook(module, "__norn_wide_end", module->nothing, &p, 1);
	unseen_inline(f, i, (unsigned)LLVMGetNumOperands(i));
	module->counts.atomics++;
}

static void put_around(struct module *module, const char *hook, LLVMValueRef call)
{
	LLVMValueRef first = LLVMGetOperand(call, 0);
	bool descriptor = !strcmp(hook, "__norn_descriptor_changes");
	bool stream = !strcmp(hook, "__norn_stream_changes");
	if ((descriptor && LLVMTypeOf(first) != module->i32) ||
	    (stream && LLVMGetTypeKind(LLVMTypeOf(first)) != LLVMPointerTypeKind))
		return;
	if (stream)
		first = access_pointer(module, first);
	module_hook(module, hook, module->nothing, &first, descriptor || stream);
}

/* Furthest out: whatever else stands around the call comes between. */
static void order_call(struct function *f, LLVMValueRef call, const char *hook)
{
	struct module *module = f->module;
	LLVMPositionBuilderBefore(module->builder, call);
	put_around(module, hook, call);
	if (LLVMIsACallInst(call) && callee_ends_function(call))
		return;
	LLVMPositionBuilderBefore(module->builder,
				  LLVMIsAInvokeInst(call) ? unseen_first_of(LLVMGetNormalDest(call))
							  : LLVMGetNextInstruction(call));
	put_around(module, hook, call);
}

void control_call(struct function *f, struct action *action)
{
	LLVMValueRef call = f->nodes.at[action->node].value;
	struct callee callee = callee_of(call);
	if (!slots_may_take(&callee))
		control_guard_operands(f, action);
	else if (callee.kind != CALLEE_HOOKED)
		guard_call(f, action);
	/* What stands in front of a function looks where it returns to, and so does a mark. */
	bool looks = callee.modelled || (callee.function && weave_is_mark(callee.function));
	if (looks && LLVMIsACallInst(call) && !callee_ends_function(call))
		LLVMSetTailCall(call, 0);
	if (callee.around)
		order_call(f, call, callee.around);
	if (callee.name && !strcmp(callee.name, "pthread_barrier_wait") && LLVMGetFirstUse(call)) {
		LLVMPositionBuilderBefore(f->module->builder, call);
		module_hook(f->module, "__norn_serial", f->module->nothing, NULL, 0);
	}
	if (callee.unknown)
		table_called(&f->module->table, callee.name);
	if (callee.kind == CALLEE_ASSEMBLY)
		order_assembly(f, call);
	if (callee.allocates) {
		LLVMPositionBuilderBefore(f->module->builder, call);
		module_hook(f->module, "__norn_new", f->module->nothing, NULL, 0);
	}
	leaving_measure(f, &action->site, call);
	leaving_list(f, call);
	if (callee.replaced)
		redirect(f->module, call, &callee);
	if (callee.unseen)
		unseen_call(f, call);
	if (slots_may_take(&callee))
		slots_give(f, call);
}
