/* Branches: pins, decisions of the program, calls. */
#include "instrument/rewrite.h"

#include <stdio.h>

static LLVMValueRef first_real(LLVMValueRef i)
{
	while (LLVMIsAPHINode(i) || LLVMIsALandingPadInst(i))
		i = LLVMGetNextInstruction(i);
	return i;
}

/* Right behind where the value is made. */
static LLVMValueRef behind(struct function *f, LLVMValueRef value)
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

void control_pin(struct function *f)
{
	struct module *module = f->module;
	struct map places = {0};
	for (size_t i = 0; i < f->nodes.n; i++) {
		LLVMValueRef value = f->nodes.at[i].value;
		if (!f->nodes.at[i].pinned)
			continue;
		LLVMValueRef place = behind(f, value);
		if (!map_mark(&places, place))
			continue;
		struct site site = {.kind = SITE_PIN};
		if (LLVMIsAArgument(value))
			debug_locate_function(&module->debug, &module->table, f->llvm, &site);
		else
			debug_locate(&module->debug, &module->table, value, &site);
		LLVMPositionBuilderBefore(module->builder, place);
		LLVMValueRef number = module_site(module, &site);
		module_hook(module, "__norn_branch", module->nothing, &number, 1);
		module->counts.pins++;
	}
	map_release(&places);
}

void control_guard(struct function *f, LLVMValueRef i, const struct site *like,
		   const uint32_t *items, size_t n)
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
		site.flags = SITE_EXACT;
		site.values = deps.n;
		site.addresses = site.order = site.size = 0;
		site.expression = site.object = 0;
		LLVMPositionBuilderBefore(module->builder, i);
		LLVMValueRef arguments[1 + SITE_DEPENDS_MAX] = {module_site(module, &site)};
		position_list(f, &deps, arguments + 1, SITE_DEPENDS_MAX);
		module_hook(module, "__norn_branch_from", module->nothing, arguments, 4);
		module->counts.guards++;
	}
}

void control_guard_places(struct function *f, const struct action *action)
{
	struct values places = {0};
	VEC(uint32_t) items = {0};
	action_places(f, action, &places);
	for (size_t i = 0; i < places.n; i++) {
		struct deps deps = function_deps(f, places.at[i], VIEW_ADDRESS);
		for (unsigned d = 0; d < deps.n; d++) {
			bool known = false;
			for (size_t k = 0; k < items.n; k++)
				known |= items.at[k] == deps.item[d];
			if (!known)
				vec_push(&items, deps.item[d]);
		}
	}
	control_guard(f, f->nodes.at[action->node].value, &action->site, items.at, items.n);
	vec_release(&items);
	vec_release(&places);
}

void control_decide(struct function *f, struct action *action)
{
	struct module *module = f->module;
	if (!action->values.opaque && !action->values.n) {
		module->counts.decided++;
		return;
	}
	LLVMPositionBuilderBefore(module->builder, f->nodes.at[action->node].value);
	LLVMValueRef arguments[1 + SITE_DEPENDS_MAX] = {module_site(module, &action->site)};
	if (!action->values.opaque)
		position_list(f, &action->values, arguments + 1, SITE_DEPENDS_MAX);
	module_hook(module, action->values.opaque ? "__norn_branch" : "__norn_branch_from",
		    module->nothing, arguments, action->values.opaque ? 1 : 4);
	module->counts.branches++;
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

void control_call(struct function *f, struct action *action)
{
	LLVMValueRef call = f->nodes.at[action->node].value;
	struct callee callee = callee_of(call);
	control_guard_places(f, action);
	if (callee.kind == CALLEE_OUTSIDE)
		table_called(&f->module->table, callee.name);
	if (callee.replaced)
		redirect(f->module, call, &callee);
}
