/* SPDX-License-Identifier: MIT */
#include "instrument/model.h"

#include "instrument/rewrite.h"
#include "runtime/hooks.h"
#include "runtime/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "__norn_model."
#define LINES_MOST 16

char *__cxa_demangle(const char *name, char *to, size_t *size, int *status);

/* A function and the lines that speak of it. */
struct modelled {
	LLVMValueRef function, front;
	const char *name;
	const struct events_line *lines[LINES_MOST];
	unsigned n;
	const struct events_line *step; /* the one that is a step, or NULL */
	bool wraps, says_all;		/* nothing happens but what the lines say */
	uint32_t flags;			/* LOG_MODEL_HANDS, LOG_MODEL_RECEIVES */
	bool fixed;
	LLVMValueRef pc, state, begun, result;
};

bool model_is_front(LLVMValueRef function)
{
	size_t length;
	return !strncmp(LLVMGetValueName2(function, &length), PREFIX, strlen(PREFIX));
}

#define FIXED "norn-fixed"

bool model_is_fixed(LLVMValueRef front)
{
	return LLVMGetStringAttributeAtIndex(front, LLVMAttributeFunctionIndex, FIXED,
					     strlen(FIXED)) != NULL;
}

/* Which lines */

static void keep_line(struct modelled *m, const struct events_line *line)
{
	/* What a user says of a function counts, and then nothing else does. */
	if (m->n && m->lines[0]->ours && !line->ours)
		m->n = 0;
	if (m->n < LINES_MOST && !(m->n && line->ours && !m->lines[0]->ours))
		m->lines[m->n++] = line;
}

static void find_lines(const struct events *events, struct modelled *m, bool body)
{
	char *readable =
		strncmp(m->name, "_Z", 2) ? NULL : __cxa_demangle(m->name, NULL, NULL, NULL);
	bool defined = !LLVMIsDeclaration(m->function);
	for (size_t i = 0; i < events->lines.n; i++) {
		const struct events_line *line = &events->lines.at[i];
		/* A function of the program has hooks itself: there, models are the user's. */
		if (line->effect != EVENTS_MARK && (line->what == EVENTS_BODY) == body &&
		    !(defined && !body && line->ours) &&
		    events_names(line->target, m->name, readable))
			keep_line(m, line);
	}
	free(readable);
}

/* What does not fit */

static unsigned first_argument(const struct modelled *m)
{
	return LLVMCountParams(m->function) && module_has_attribute(m->function, 1, "sret");
}

static LLVMTypeRef type_of(const struct modelled *m, uint32_t argument)
{
	LLVMTypeRef type = LLVMGlobalGetValueType(m->function);
	if (argument == EVENTS_RETURN)
		return LLVMGetReturnType(type);
	argument += first_argument(m);
	return argument < LLVMCountParams(m->function)
		       ? LLVMTypeOf(LLVMGetParam(m->function, argument))
		       : NULL;
}

static int check_field(const struct modelled *m, const struct events_line *line,
		       const struct events_field *field, struct err *err)
{
	LLVMTypeRef type = type_of(m, field->argument);
	LLVMTypeKind kind = type ? LLVMGetTypeKind(type) : LLVMVoidTypeKind;
	if (kind == LLVMPointerTypeKind ||
	    (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) <= 64))
		return 0;
	unsigned long long at = line->line;
	if (field->argument == EVENTS_RETURN)
		return err_set(err, ERR_INPUT,
			       "%s:%llu:%u: %s returns neither a pointer nor an integer",
			       line->file, at, field->column, m->name);
	if (!type)
		return err_set(err, ERR_INPUT, "%s:%llu:%u: %s has %u arguments, but no #%u",
			       line->file, at, field->column, m->name,
			       LLVMCountParams(m->function) - first_argument(m), field->argument);
	return err_set(err, ERR_INPUT, "%s:%llu:%u: #%u of %s is neither a pointer nor an integer",
		       line->file, at, field->column, field->argument, m->name);
}

static int check_line(const struct modelled *m, const struct events_line *line, struct err *err)
{
	unsigned long long at = line->line;
	if (callee_is_known(m->name) || callee_is_replaced(m->name))
		return err_set(
			err, ERR_INPUT,
			"%s:%llu:%u: Norn already knows %s; an events file cannot describe it",
			line->file, at, line->column, m->name);
	if (line->what == EVENTS_CALL && LLVMIsFunctionVarArg(LLVMGlobalGetValueType(m->function)))
		return err_set(err, ERR_INPUT,
			       "%s:%llu:%u: %s has a variable number of arguments; wrap its "
			       "calls in a function",
			       line->file, at, line->column, m->name);
	for (unsigned i = 0; i < line->fields; i++)
		if (check_field(m, line, &line->field[i], err) < 0)
			return err->code;
	return line->condition.compare ? check_field(m, line, &line->condition.field, err) : 0;
}

static int two_steps(const struct modelled *m, const struct events_line *line, struct err *err)
{
	return err_set(err, ERR_INPUT, "%s:%llu:%u: %s already has %s, at %s:%llu", line->file,
		       (unsigned long long)line->line, line->column, m->name,
		       events_effect_text[m->step->effect], m->step->file,
		       (unsigned long long)m->step->line);
}

/* Lines whose target is a pattern are for those functions that they fit. */
/* What a call does beyond its events. What is handed to code of which no model speaks is not known.
 */
static uint32_t flags_of(enum events_effect effect)
{
	if (effect == EVENTS_RECEIVES)
		return LOG_MODEL_RECEIVES;
	return effect == EVENTS_QUIET || effect == EVENTS_FIXED ? 0 : LOG_MODEL_HANDS;
}

static int check_lines(struct modelled *m, struct err *err)
{
	unsigned n = 0;
	for (unsigned i = 0; i < m->n; i++) {
		const struct events_line *line = m->lines[i];
		if (check_line(m, line, err) < 0) {
			if (!line->fuzzy && !line->ours)
				return err->code;
			continue;
		}
		if (m->step && events_is_step(line->effect))
			return two_steps(m, line, err);
		if (events_is_step(line->effect))
			m->step = line;
		m->wraps |= line->effect == EVENTS_WRAPPER;
		m->flags |= flags_of(line->effect);
		m->fixed |= line->effect == EVENTS_FIXED;
		m->lines[n++] = line;
	}
	m->n = n;
	m->says_all = m->wraps || (m->step && m->step->effect != EVENTS_SEM_INIT);
	return 0;
}

/* Values, where the builder stands */

static LLVMValueRef value_of(struct modelled *m, const struct events_field *field)
{
	return field->argument == EVENTS_RETURN ? m->result
						: LLVMGetParam(m->front ? m->front : m->function,
							       field->argument + first_argument(m));
}

static LLVMValueRef number_of(struct module *module, LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
		return LLVMBuildPtrToInt(module->builder, value, module->i64, "");
	if (LLVMGetIntTypeWidth(type) == 1)
		return LLVMBuildZExt(module->builder, value, module->i64, "");
	return LLVMBuildSExtOrBitCast(module->builder, value, module->i64, "");
}

static LLVMValueRef object_of(struct module *module, LLVMValueRef value)
{
	if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind)
		return access_pointer(module, value);
	return LLVMBuildIntToPtr(module->builder, number_of(module, value), module->bytes, "");
}

static LLVMValueRef i32(struct module *module, unsigned value)
{
	return LLVMConstInt(module->i32, value, 0);
}

/* What the line's condition says, as far as it is known. */
static LLVMValueRef is_on(struct module *module, struct modelled *m, const struct events_line *line)
{
	static const LLVMIntPredicate predicates[] = {
		[EVENTS_EQ] = LLVMIntEQ,  [EVENTS_NE] = LLVMIntNE,  [EVENTS_LT] = LLVMIntSLT,
		[EVENTS_LE] = LLVMIntSLE, [EVENTS_GT] = LLVMIntSGT, [EVENTS_GE] = LLVMIntSGE};
	const struct events_condition *condition = &line->condition;
	bool later = condition->field.argument == EVENTS_RETURN && !m->result;
	if (!condition->compare || later)
		return i32(module, 1);
	LLVMValueRef left = number_of(module, value_of(m, &condition->field));
	LLVMValueRef right = module_i64(module, (uint64_t)condition->value);
	return LLVMBuildZExt(
		module->builder,
		LLVMBuildICmp(module->builder, predicates[condition->compare], left, right, ""),
		module->i32, "");
}

static bool may_fail(const struct events_line *line)
{
	return line->condition.compare && line->condition.field.argument == EVENTS_RETURN;
}

/* Hooks of the line that is a step */

static const enum log_kind kinds[] = {
	[EVENTS_ACQUIRE] = LOG_ACQUIRE,	  [EVENTS_ACQUIRE_SHARED] = LOG_ACQUIRE_SHARED,
	[EVENTS_RELEASE] = LOG_RELEASE,	  [EVENTS_RELEASE_SHARED] = LOG_RELEASE,
	[EVENTS_SIGNAL] = LOG_SIGNAL,	  [EVENTS_BROADCAST] = LOG_BROADCAST,
	[EVENTS_SEM_POST] = LOG_SEM_POST, [EVENTS_SEM_WAIT] = LOG_SEM_WAIT,
};

/* A function of the library, as void (*)(void *); null if the line names none. */
static LLVMValueRef named(struct module *module, const char *name)
{
	if (!name)
		return LLVMConstPointerNull(module->bytes);
	LLVMValueRef function = LLVMGetNamedFunction(module->llvm, name);
	if (!function)
		function = LLVMAddFunction(module->llvm, name,
					   LLVMFunctionType(module->nothing, &module->bytes, 1, 0));
	return LLVMConstPointerCast(function, module->bytes);
}

static void begin_step(struct module *module, struct modelled *m)
{
	const struct events_line *line = m->step;
	LLVMValueRef on = is_on(module, m, line), tries = i32(module, may_fail(line));
	LLVMValueRef kind = i32(module, line->effect == EVENTS_WAIT ? 0 : kinds[line->effect]);
	LLVMValueRef object = object_of(module, value_of(m, &line->field[0]));
	switch (line->effect) {
	case EVENTS_WAIT: {
		LLVMValueRef mutex = object_of(module, value_of(m, &line->field[1]));
		LLVMValueRef arguments[] = {m->state,
					    m->pc,
					    object,
					    mutex,
					    named(module, line->word[0]),
					    named(module, line->word[1]),
					    tries,
					    on};
		m->begun = module_hook(module, "__norn_model_waits", module->i32, arguments, 8);
		break;
	}
	case EVENTS_ACQUIRE:
	case EVENTS_ACQUIRE_SHARED:
	case EVENTS_SEM_WAIT: {
		LLVMValueRef arguments[] = {m->state, m->pc, kind, object, tries, on};
		module_hook(module, "__norn_model_takes", module->nothing, arguments, 6);
		break;
	}
	default: {
		LLVMValueRef arguments[] = {m->state, m->pc, kind, object, on};
		module_hook(module, "__norn_model_gives", module->nothing, arguments, 5);
	}
	}
}

static void end_step(struct module *module, struct modelled *m)
{
	const struct events_line *line = m->step;
	LLVMValueRef arguments[] = {m->state, is_on(module, m, line)};
	switch (line->effect) {
	case EVENTS_WAIT:
		module_hook(module, "__norn_model_woke", module->nothing, arguments, 2);
		break;
	case EVENTS_ACQUIRE:
	case EVENTS_ACQUIRE_SHARED:
	case EVENTS_SEM_WAIT:
		module_hook(module, "__norn_model_took", module->nothing, arguments, 2);
		break;
	default: module_hook(module, "__norn_model_done", module->nothing, arguments, 1);
	}
}

static void make_semaphore(struct module *module, struct modelled *m)
{
	LLVMValueRef arguments[] = {m->pc, object_of(module, value_of(m, &m->step->field[0])),
				    number_of(module, value_of(m, &m->step->field[1])),
				    is_on(module, m, m->step)};
	module_hook(module, "__norn_model_sem_init", module->nothing, arguments, 4);
}

/* Hooks of lines that order */

/* Not 0; words of few letters differ in it. */
static unsigned number_of_word(const char *word)
{
	uint32_t hash = 2166136261u;
	if (!word)
		return 0;
	for (; *word; word++)
		hash = (hash ^ (unsigned char)*word) * 16777619u;
	return (hash >> 16 ^ hash) % 0xfffe + 1;
}

static void order(struct module *module, struct modelled *m, enum events_when when)
{
	for (unsigned i = 0; i < m->n; i++) {
		const struct events_line *line = m->lines[i];
		bool before = line->effect == EVENTS_HAPPENS_BEFORE;
		if (line->when != when || (!before && line->effect != EVENTS_HAPPENS_AFTER))
			continue;
		LLVMValueRef arguments[] = {object_of(module, value_of(m, &line->field[0])),
					    i32(module, number_of_word(line->word[0])),
					    is_on(module, m, line)};
		module_hook(module, before ? "__norn_model_before" : "__norn_model_after",
			    module->nothing, arguments, 3);
	}
}

/* The function in front */

static void before_call(struct module *module, struct modelled *m)
{
	order(module, m, EVENTS_BEFORE);
	if (m->says_all && !m->wraps) {
		begin_step(module, m);
	} else if (m->wraps) {
		LLVMValueRef arguments[] = {m->state, m->pc};
		module_hook(module, "__norn_model_wraps", module->nothing, arguments, 2);
	} else {
		LLVMValueRef arguments[] = {access_pointer(module, m->function), m->pc,
					    i32(module, m->flags)};
		m->begun = module_hook(module, "__norn_call_modelled", module->i32, arguments, 3);
	}
}

static void after_call(struct module *module, struct modelled *m)
{
	if (m->says_all && !m->wraps) {
		end_step(module, m);
	} else if (m->wraps) {
		module_hook(module, "__norn_model_done", module->nothing, &m->state, 1);
	} else {
		LLVMValueRef arguments[] = {m->begun, m->pc};
		module_hook(module, "__norn_called_modelled", module->nothing, arguments, 2);
	}
	if (m->step && m->step->effect == EVENTS_SEM_INIT)
		make_semaphore(module, m);
}

static LLVMValueRef return_address(struct module *module)
{
	unsigned id = LLVMLookupIntrinsicID("llvm.returnaddress", strlen("llvm.returnaddress"));
	LLVMValueRef function = LLVMGetIntrinsicDeclaration(module->llvm, id, NULL, 0);
	LLVMValueRef level = i32(module, 0);
	return LLVMBuildCall2(module->builder, LLVMGlobalGetValueType(function), function, &level,
			      1, "");
}

static LLVMValueRef room(struct module *module)
{
	LLVMTypeRef type = LLVMArrayType(module->i64, NORN_MODEL_WORDS);
	LLVMValueRef memory = LLVMBuildAlloca(module->builder, type, "");
	LLVMBuildStore(module->builder, LLVMConstNull(type), memory);
	return access_pointer(module, memory);
}

/* Attributes decide how arguments are passed, so all have to have the same. */
static void copy_attributes(const struct modelled *m, LLVMValueRef call)
{
	LLVMAttributeRef list[64];
	for (unsigned i = 0; i <= LLVMCountParams(m->function); i++) {
		unsigned n = LLVMGetAttributeCountAtIndex(m->function, i);
		if (n > 64)
			continue;
		LLVMGetAttributesAtIndex(m->function, i, list);
		for (unsigned a = 0; a < n; a++) {
			LLVMAddAttributeAtIndex(m->front, i, list[a]);
			LLVMAddCallSiteAttribute(call, i, list[a]);
		}
	}
	LLVMSetFunctionCallConv(m->front, LLVMGetFunctionCallConv(m->function));
	LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(m->function));
}

static LLVMValueRef call_real(struct module *module, struct modelled *m)
{
	unsigned n = LLVMCountParams(m->front);
	LLVMValueRef *arguments = mem_alloc((n + 1) * sizeof(*arguments));
	LLVMGetParams(m->front, arguments);
	LLVMValueRef call = LLVMBuildCall2(module->builder, LLVMGlobalGetValueType(m->function),
					   m->function, arguments, n, "");
	mem_free(arguments);
	copy_attributes(m, call);
	return call;
}

static void return_from(struct module *module, struct modelled *m, LLVMValueRef result)
{
	order(module, m, EVENTS_AFTER);
	if (result)
		LLVMBuildRet(module->builder, result);
	else
		LLVMBuildRetVoid(module->builder);
}

static LLVMBasicBlockRef new_block(struct module *module, struct modelled *m)
{
	return LLVMAppendBasicBlockInContext(module->context, m->front, "");
}

/* What a wait returns that was none of the library's: what the condition asks for, or not. */
static LLVMValueRef result_without_call(struct module *module, struct modelled *m, LLVMTypeRef type)
{
	const struct events_condition *condition = &m->step->condition;
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	if (kind != LLVMIntegerTypeKind)
		return kind == LLVMVoidTypeKind ? NULL : LLVMConstNull(type);
	LLVMValueRef woken = LLVMBuildICmp(module->builder, LLVMIntEQ, m->begun,
					   i32(module, NORN_MODEL_WOKEN), "");
	bool yes = condition->compare != EVENTS_EQ;
	return condition->compare
		       ? LLVMBuildSelect(module->builder, woken, LLVMConstInt(type, yes, 0),
					 LLVMConstInt(type, !yes, 0), "")
		       : LLVMConstNull(type);
}

/* In replay, the runtime may have waited instead. */
static void leave_if_waited(struct module *module, struct modelled *m, LLVMTypeRef type)
{
	LLVMBasicBlockRef waited = new_block(module, m), waits = new_block(module, m);
	LLVMValueRef real = LLVMBuildICmp(module->builder, LLVMIntEQ, m->begun, i32(module, 0), "");
	LLVMBuildCondBr(module->builder, real, waits, waited);
	LLVMPositionBuilderAtEnd(module->builder, waited);
	return_from(module, m, result_without_call(module, m, type));
	LLVMPositionBuilderAtEnd(module->builder, waits);
}

static void build_front(struct module *module, struct modelled *m)
{
	LLVMTypeRef result = LLVMGetReturnType(LLVMGlobalGetValueType(m->function));
	LLVMPositionBuilderAtEnd(module->builder, new_block(module, m));
	LLVMSetCurrentDebugLocation2(module->builder, NULL);
	m->state = room(module);
	m->pc = return_address(module);
	before_call(module, m);
	if (m->step && m->step->effect == EVENTS_WAIT)
		leave_if_waited(module, m, result);
	LLVMValueRef call = call_real(module, m);
	if (LLVMGetTypeKind(result) != LLVMVoidTypeKind)
		m->result = call;
	after_call(module, m);
	return_from(module, m, m->result);
}

static void add_attribute(struct module *module, LLVMValueRef function, const char *name)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
	LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
				LLVMCreateEnumAttribute(module->context, kind, 0));
}

static void put_in_front(struct module *module, struct modelled *m)
{
	char *name = mem_alloc(strlen(PREFIX) + strlen(m->name) + 1);
	sprintf(name, PREFIX "%s", m->name);
	m->front = LLVMAddFunction(module->llvm, name, LLVMGlobalGetValueType(m->function));
	mem_free(name);
	/* In other modules it is the same: whoever compares addresses finds no difference. */
	LLVMSetLinkage(m->front, LLVMLinkOnceODRLinkage);
	LLVMSetVisibility(m->front, LLVMHiddenVisibility);
	LLVMSetSection(m->front, ".text.norn_front");
	add_attribute(module, m->front, "noinline");
	add_attribute(module, m->front, "uwtable");
	if (m->fixed)
		LLVMAddAttributeAtIndex(
			m->front, LLVMAttributeFunctionIndex,
			LLVMCreateStringAttribute(module->context, FIXED, strlen(FIXED), "", 0));
	LLVMReplaceAllUsesWith(m->function, m->front);
	module->counts.modelled++;
}

static bool is_candidate(LLVMValueRef function)
{
	return !LLVMGetIntrinsicID(function) && LLVMGetFirstUse(function) &&
	       !model_is_front(function);
}

static struct modelled start(LLVMValueRef function)
{
	size_t length;
	struct modelled m = {.function = function, .name = LLVMGetValueName2(function, &length)};
	if (m.name[0] == '\1')
		m.name++;
	return m;
}

int model_rewrite(struct module *module, struct err *err)
{
	VEC(struct modelled) all = {0};
	int result = 0;
	for (LLVMValueRef f = LLVMGetFirstFunction(module->llvm); f && !result;
	     f = LLVMGetNextFunction(f)) {
		struct modelled m = start(f);
		if (!module->events.lines.n || !is_candidate(f))
			continue;
		find_lines(&module->events, &m, false);
		result = check_lines(&m, err);
		if (m.n && !result)
			vec_push(&all, m);
	}
	for (size_t i = 0; i < all.n && !result; i++)
		put_in_front(module, &all.at[i]);
	/* Only now: these call the functions themselves. */
	for (size_t i = 0; i < all.n && !result; i++)
		build_front(module, &all.at[i]);
	vec_release(&all);
	return result;
}

int model_body(struct function *f, struct err *err)
{
	struct module *module = f->module;
	struct modelled m = start(f->llvm);
	find_lines(&module->events, &m, true);
	if (check_lines(&m, err) < 0)
		return err->code;
	if (!m.n)
		return 0;
	LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f->llvm));
	while (LLVMIsAAllocaInst(i))
		i = LLVMGetNextInstruction(i);
	LLVMPositionBuilderBefore(module->builder, i);
	order(module, &m, EVENTS_BEFORE);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f->llvm); b;
	     b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef leave = LLVMGetBasicBlockTerminator(b);
		if (!LLVMIsAReturnInst(leave) && !LLVMIsAResumeInst(leave))
			continue;
		LLVMValueRef last = callee_of_end(leave);
		LLVMPositionBuilderBefore(module->builder, last ? last : leave);
		order(module, &m, EVENTS_AFTER);
	}
	return 0;
}
