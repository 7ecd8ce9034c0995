/* SPDX-License-Identifier: MIT */
/* Positions in the log as values of the program: of reads, of what is told, along with phis. */
#include "instrument/rewrite.h"
#include "instrument/slots.h"

static LLVMValueRef call_value(struct function *f, const struct site *site, LLVMValueRef *positions)
{
	LLVMValueRef arguments[1 + SITE_DEPENDS_MAX] = {module_site(f->module, site)};
	for (unsigned i = 0; i < SITE_DEPENDS_MAX; i++)
		arguments[1 + i] = positions[i];
	f->module->counts.told++;
	return module_hook(f->module, "__norn_value", f->module->i64, arguments, 4);
}

/* Several as one, where the builder stands. */
static LLVMValueRef join(struct function *f, const struct site *like, const uint32_t *items,
			 size_t n)
{
	struct site site = *like;
	LLVMValueRef last = module_i64(f->module, 0);
	site.kind = SITE_VALUE;
	site.flags = SITE_EXACT;
	site.values = SITE_DEPENDS_MAX;
	site.addresses = 0;
	site.expression = 0;
	for (size_t i = 0; i < n;) {
		LLVMValueRef positions[SITE_DEPENDS_MAX] = {last};
		for (unsigned k = i > 0; k < SITE_DEPENDS_MAX; k++)
			positions[k] =
				i < n ? position_of(f, items[i++]) : module_i64(f->module, 0);
		last = call_value(f, &site, positions);
	}
	return last;
}

static LLVMValueRef tell(struct function *f, uint32_t node)
{
	size_t t = 0;
	while (f->tells.at[t].node != node)
		t++;
	struct tell *told = &f->tells.at[t];
	LLVMValueRef positions[SITE_DEPENDS_MAX];
	struct deps deps = {0};
	if (told->items.n > SITE_DEPENDS_MAX)
		return join(f, &told->site, told->items.at, told->items.n);
	for (; deps.n < told->items.n; deps.n++)
		deps.item[deps.n] = told->items.at[deps.n];
	told->site.values = deps.n;
	position_list(f, &deps, told->site.expression, positions, SITE_DEPENDS_MAX);
	return call_value(f, &told->site, positions);
}

/* It may come from any earlier read. */
static LLVMValueRef tell_opaque(struct function *f, uint32_t node)
{
	struct site site = {.kind = SITE_VALUE};
	LLVMValueRef value = f->nodes.at[node].value;
	if (LLVMIsAArgument(value))
		debug_locate_function(&f->module->debug, &f->module->table, f->llvm, &site);
	else
		debug_locate(&f->module->debug, &f->module->table, value, &site);
	LLVMValueRef number = module_site(f->module, &site);
	f->module->counts.opaque++;
	return module_hook(f->module, "__norn_value_opaque", f->module->i64, &number, 1);
}

static LLVMValueRef new_phi(struct function *f, uint32_t node)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(f->module->context);
	LLVMPositionBuilderBefore(builder, f->nodes.at[node].value);
	LLVMValueRef phi = LLVMBuildPhi(builder, f->module->i64, "");
	LLVMDisposeBuilder(builder);
	struct unfilled unfilled = {node, phi};
	vec_push(&f->unfilled, unfilled);
	return phi;
}

static bool has_number(const struct function *f, LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	return (kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind ||
		kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind) &&
	       LLVMSizeOfTypeInBits(f->module->layout, type) <= 64;
}

static LLVMValueRef known_either(struct function *f, const struct scope *scope, LLVMValueRef value,
				 LLVMValueRef position)
{
	return slots_known(f->module, position, access_as_i64(f->module, value), scope->record);
}

/* What a phi behind an arm would be without it; 0: not known. */
static LLVMValueRef other_position(struct function *f, const struct scope *scope, LLVMValueRef phi)
{
	LLVMValueRef others[2];
	for (unsigned arm = 0; arm < 2; arm++) {
		LLVMValueRef other = scope->arm[arm] ? scope_other(scope, phi, arm) : NULL;
		others[arm] = other ? known_either(f, scope, other, position_given(f, other))
				    : module_i64(f->module, 0);
	}
	return LLVMBuildSelect(f->module->builder, scope->first, others[0], others[1], "");
}

/* A phi where an arm ends that may be skipped: it is this, or what it would be then. */
static LLVMValueRef either(struct function *f, const struct scope *scope, uint32_t number,
			   LLVMValueRef position)
{
	struct module *module = f->module;
	LLVMValueRef phi = f->nodes.at[number].value;
	LLVMValueRef arguments[] = {scope->record, position, module_i64(module, 0)};
	LLVMPositionBuilderBefore(module->builder, LLVMGetBasicBlockTerminator(scope->join));
	if (f->nodes.at[number].carries && has_number(f, phi)) {
		arguments[1] = known_either(f, scope, phi, position);
		arguments[2] = other_position(f, scope, phi);
	}
	return module_hook(module, "__norn_either", module->i64, arguments, 3);
}

static LLVMValueRef make_phi(struct function *f, uint32_t number)
{
	const struct scope *scope = function_scope(f, f->nodes.at[number].value);
	LLVMValueRef positions = new_phi(f, number);
	return scope ? either(f, scope, number, positions) : positions;
}

static LLVMValueRef make(struct function *f, uint32_t number)
{
	switch ((enum role)f->nodes.at[number].role) {
	case ROLE_PHI: return make_phi(f, number);
	case ROLE_ARGUMENT: return slots_argument(f, number);
	case ROLE_RESULT:
	case ROLE_PART: return slots_result(f, number);
	case ROLE_SEEN: return module_hook(f->module, "__norn_seen", f->module->i64, NULL, 0);
	case ROLE_OPAQUE: return tell_opaque(f, number);
	default: return tell(f, number);
	}
}

LLVMValueRef position_of(struct function *f, uint32_t item)
{
	if (item & ITEM_FIXED)
		return module_i64(f->module, 0);
	if (!f->nodes.at[item].position) {
		/* whoever asks stands elsewhere, and goes on there */
		LLVMBuilderRef outer = f->module->builder;
		f->module->builder = LLVMCreateBuilderInContext(f->module->context);
		LLVMValueRef value = f->nodes.at[item].value;
		if (f->nodes.at[item].role == ROLE_PART) /* what was left is there but for now */
			value = LLVMGetOperand(value, 0);
		if (f->nodes.at[item].role != ROLE_ARGUMENT)
			LLVMPositionBuilderBefore(f->module->builder, control_behind(f, value));
		f->nodes.at[item].position = make(f, item);
		LLVMDisposeBuilder(f->module->builder);
		f->module->builder = outer;
	}
	return f->nodes.at[item].position;
}

/*
 * What is fixed has a position only if something else in the expression has one. What depends on
 * nothing at run time, though it might, is fixed as well.
 */
static LLVMValueRef known(struct function *f, uint32_t item, LLVMValueRef position,
			  LLVMValueRef others)
{
	struct node *node = &f->nodes.at[ITEM_NODE(item)];
	if (!(item & ITEM_FIXED) && node->role == ROLE_READ)
		return position;
	return slots_known(f->module, position, access_as_i64(f->module, node->value), others);
}

static void know_values(struct function *f, const struct deps *deps, LLVMValueRef *to)
{
	LLVMValueRef plain[SITE_DEPENDS_MAX];
	for (unsigned i = 0; i < deps->n; i++)
		plain[i] = to[i];
	for (unsigned i = 0; i < deps->n; i++) {
		LLVMValueRef others = module_i64(f->module, 0);
		for (unsigned k = 0; k < deps->n; k++)
			if (k != i)
				others = LLVMBuildOr(f->module->builder, others, plain[k], "");
		to[i] = known(f, deps->item[i], plain[i], others);
	}
}

void position_list(struct function *f, const struct deps *deps, bool expression, LLVMValueRef *to,
		   unsigned slots)
{
	for (unsigned i = 0; i < slots; i++)
		to[i] = i < deps->n ? position_of(f, deps->item[i]) : module_i64(f->module, 0);
	if (expression && deps->n > 1)
		know_values(f, deps, to);
}

LLVMValueRef position_joined(struct function *f, const uint32_t *items, size_t n)
{
	struct site site = {0};
	return n ? join(f, &site, items, n) : module_i64(f->module, 0);
}

LLVMValueRef position_given(struct function *f, LLVMValueRef value)
{
	struct deps deps = function_deps(f, value);
	uint32_t same = function_same(f, value);
	return same != MAP_NONE ? position_of(f, same) : position_joined(f, deps.item, deps.n);
}

/* From each way in, the position that goes with the value that comes that way. */
static void fill(struct function *f, uint32_t number, LLVMValueRef positions)
{
	LLVMValueRef phi = f->nodes.at[number].value;
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
		LLVMValueRef value = LLVMGetIncomingValue(phi, i), position;
		LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
		struct deps in = function_deps(f, value);
		if (f->nodes.at[number].carries || in.n > 1) {
			LLVMPositionBuilderBefore(f->module->builder,
						  LLVMGetBasicBlockTerminator(from));
			position = position_given(f, value);
		} else {
			position = in.n ? position_of(f, in.item[0]) : module_i64(f->module, 0);
		}
		LLVMAddIncoming(positions, &position, &from, 1);
	}
}

void position_finish(struct function *f)
{
	while (f->unfilled.n) {
		struct unfilled next = f->unfilled.at[--f->unfilled.n];
		fill(f, next.node, next.positions);
	}
}
