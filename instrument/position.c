/* Positions in the log as values of the program: of reads, and along with phis. */
#include "instrument/rewrite.h"

#define SLOTS (2 * SITE_DEPENDS_MAX)

static LLVMValueRef *phi_slot(struct function *f, uint32_t item)
{
	struct node *node = &f->nodes.at[ITEM_NODE(item)];
	if (!node->phis) {
		node->phis = (uint32_t)f->phis.n + 1;
		vec_extend(&f->phis, f->phis.n + SLOTS);
	}
	return &f->phis.at[node->phis - 1 + ITEM_VIEW(item) * SITE_DEPENDS_MAX + ITEM_SLOT(item)];
}

LLVMValueRef position_of(struct function *f, uint32_t item)
{
	if (ITEM_SLOT(item) == 3) {
		ASSERT(f->nodes.at[ITEM_NODE(item)].position);
		return f->nodes.at[ITEM_NODE(item)].position;
	}
	LLVMValueRef *slot = phi_slot(f, item);
	if (!*slot) {
		LLVMBuilderRef builder = LLVMCreateBuilderInContext(f->module->context);
		LLVMPositionBuilderBefore(builder, f->nodes.at[ITEM_NODE(item)].value);
		*slot = LLVMBuildPhi(builder, f->module->i64, "");
		LLVMDisposeBuilder(builder);
		vec_push(&f->unfilled, item);
	}
	return *slot;
}

void position_list(struct function *f, const struct deps *deps, LLVMValueRef *to, unsigned slots)
{
	for (unsigned i = 0; i < slots; i++)
		to[i] = i < deps->n ? position_of(f, deps->item[i]) : module_i64(f->module, 0);
}

/* From each way in, the position that goes with the value that comes that way. */
static void fill(struct function *f, uint32_t item)
{
	LLVMValueRef phi = f->nodes.at[ITEM_NODE(item)].value;
	LLVMValueRef positions = *phi_slot(f, item);
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
		struct deps in = function_deps(f, LLVMGetIncomingValue(phi, i), ITEM_VIEW(item));
		LLVMValueRef position = ITEM_SLOT(item) < in.n
						? position_of(f, in.item[ITEM_SLOT(item)])
						: module_i64(f->module, 0);
		LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
		LLVMAddIncoming(positions, &position, &from, 1);
	}
}

void position_finish(struct function *f)
{
	while (f->unfilled.n)
		fill(f, f->unfilled.at[--f->unfilled.n]);
}
