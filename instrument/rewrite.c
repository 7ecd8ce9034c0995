/* SPDX-License-Identifier: MIT */
#include "instrument/rewrite.h"
#include "instrument/lists.h"
#include "instrument/slots.h"

#include "instrument/model.h"

static bool is_read(const struct action *action)
{
	return action->kind == ACTION_READ || action->kind == ACTION_RMW ||
	       action->kind == ACTION_SWAP;
}

static void rewrite_other(struct function *f, struct action *action)
{
	switch (action->kind) {
	case ACTION_READ:
	case ACTION_RMW:
	case ACTION_SWAP: access_finish(f, action); break;
	case ACTION_WRITE: access_write(f, action); break;
	case ACTION_READ_RANGE:
	case ACTION_WRITE_RANGE:
	case ACTION_COPY:
	case ACTION_FILL: range_rewrite(f, action); break;
	case ACTION_PASS: range_pass(f, action); break;
	case ACTION_DECIDE: control_decide(f, action); break;
	case ACTION_RETURN: control_return(f, action); break;
	case ACTION_CALL: control_call(f, action); break;
	case ACTION_WIDE: control_wide(f, action); break;
	}
}

int function_rewrite(struct function *f, struct err *err)
{
	/* What looks at the code as it was comes first. */
	stack_rewrite(f);
	lists_rewrite(f);
	control_pin(f);
	for (size_t i = 0; i < f->actions.n; i++)
		if (is_read(&f->actions.at[i]))
			access_read(f, &f->actions.at[i]);
	for (size_t i = 0; i < f->actions.n; i++)
		rewrite_other(f, &f->actions.at[i]);
	slots_leave(f);
	position_finish(f);
	/* What comes later stands further out. */
	int result = model_body(f, err);
	unseen_frame(f);
	if (!f->module->no_stacks)
		calls_frame(f);
	return result;
}

/* What was found out of it, but for its locals. */
static void forget(struct function *f)
{
	for (size_t i = 0; i < f->tells.n; i++)
		vec_release(&f->tells.at[i].items);
	f->tells.n = 0;
	f->nodes.n = 0;
	f->actions.n = 0;
	map_release(&f->numbers);
}

int function_instrument(struct module *module, LLVMValueRef function, struct err *err)
{
	struct function f = {.module = module,
			     .llvm = function,
			     .gets_out = map_get(&module->out, function) != MAP_NONE};
	debug_enter(&module->debug, function);
	scopes_find(&f.scopes, function);
	struct module_counts before = module->counts;
	for (bool again = true; again; again = function_open_locals(&f)) {
		forget(&f);
		module->counts = before;
		function_read(&f);
		function_slice(&f);
	}
	for (size_t i = 0; i < f.actions.n; i++)
		action_describe(&f, &f.actions.at[i]);
	int result = function_rewrite(&f, err);
	module->counts.functions++;
	forget(&f);
	private_release(&f.privacy);
	scopes_release(&f.scopes);
	vec_release(&f.nodes);
	vec_release(&f.actions);
	vec_release(&f.tells);
	vec_release(&f.unfilled);
	map_release(&f.temporaries);
	vec_release(&f.temporary);
	return result;
}
