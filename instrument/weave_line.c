/* SPDX-License-Identifier: MIT */
/* The function of a line: whether its event happens, and what its fields are. */
#include "instrument/weave_parts.h"

#include "instrument/callee.h"
#include "runtime/hooks.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool weave_is_mark(LLVMValueRef function)
{
	size_t length;
	return !strncmp(LLVMGetValueName2(function, &length), EVENTS_MARK_SYMBOL,
			strlen(EVENTS_MARK_SYMBOL));
}

int weave_fail(struct weaver *w, const struct events_line *line, unsigned column,
	       const char *format, ...)
{
	char text[300];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return err_set(w->err, ERR_INPUT, "%s:%llu:%u: %s", line->file,
		       (unsigned long long)line->line, column, text);
}

/* Types */

static bool is_number(LLVMTypeRef type)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	return kind == LLVMPointerTypeKind ||
	       (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) <= 64);
}

int weave_member(struct weaver *w, LLVMTypeRef type, LLVMValueRef global, const char *name)
{
	if (LLVMGetTypeKind(type) != LLVMStructTypeKind || LLVMIsOpaqueStruct(type))
		return -1;
	if (!w->knows_types)
		debug_init(&w->debug, w->llvm, w->layout);
	w->knows_types = true;
	LLVMMetadataRef known = global ? debug_struct_of_global(&w->debug, global) : NULL;
	uint64_t bit, bits;
	if (!known)
		known = debug_struct(&w->debug, type);
	if (!known || !debug_find_member(&w->debug, known, name, &bit, &bits))
		return -1;
	for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
		if (8 * LLVMOffsetOfElement(w->layout, type, i) == bit &&
		    LLVMSizeOfTypeInBits(w->layout, LLVMStructGetTypeAtIndex(type, i)) == bits)
			return (int)i;
	return -1;
}

/* What the field is, of a value of this type; NULL and the error: nothing that can be told. */
static LLVMTypeRef type_of_field(struct weaver *w, const struct events_line *line,
				 const struct events_field *field, LLVMTypeRef type,
				 const char *name)
{
	for (unsigned i = 0; i < field->stars || (!i && field->member); i++) {
		if (LLVMGetTypeKind(type) != LLVMPointerTypeKind) {
			weave_fail(w, line, field->column, "this is no pointer in %s", name);
			return NULL;
		}
		type = LLVMGetElementType(type);
	}
	if (field->member) {
		int member = weave_member(w, type, NULL, field->member);
		if (member < 0) {
			weave_fail(w, line, field->column,
				   "no member %s of a pointer's or integer's type is known here "
				   "(in %s)",
				   field->member, name);
			return NULL;
		}
		type = LLVMStructGetTypeAtIndex(type, (unsigned)member);
	}
	if (is_number(type))
		return type;
	weave_fail(w, line, field->column, "this is neither a pointer nor an integer in %s", name);
	return NULL;
}

static unsigned first_argument(LLVMValueRef function)
{
	return LLVMCountParams(function) && module_has_attribute(function, 1, "sret");
}

/* A call may have more arguments than the function has names for. */
static int check_argument(struct weaver *w, const struct events_line *line,
			  const struct events_field *field, LLVMValueRef function, const char *name)
{
	LLVMTypeRef function_type = LLVMGlobalGetValueType(function);
	if (field->argument == EVENTS_WORD)
		return 0;
	if (field->argument == EVENTS_RETURN)
		return type_of_field(w, line, field, LLVMGetReturnType(function_type), name)
			       ? 0
			       : w->err->code;
	unsigned first = first_argument(function), n = LLVMCountParams(function);
	unsigned at = field->argument + first;
	if (at >= n && line->what == EVENTS_CALL && LLVMIsFunctionVarArg(function_type))
		return 0; /* seen at the call */
	if (at >= n)
		return weave_fail(w, line, field->column, "%s has %u arguments, but no #%u", name,
				  n - first, field->argument);
	if (module_has_attribute(function, at + 1, "byval"))
		return weave_fail(w, line, field->column,
				  "#%u of %s is neither a pointer nor an integer", field->argument,
				  name);
	return type_of_field(w, line, field, LLVMTypeOf(LLVMGetParam(function, at)), name)
		       ? 0
		       : w->err->code;
}

int weave_check_function(struct weaver *w, const struct events_line *line, LLVMValueRef function,
			 const char *name)
{
	int code = 0;
	for (unsigned i = 0; i < line->fields && !code; i++)
		code = check_argument(w, line, &line->field[i], function, name);
	if (!code && line->condition.compare)
		code = check_argument(w, line, &line->condition.field, function, name);
	return code && line->fuzzy ? 1 : code;
}

/* Values at the place */

static LLVMValueRef argument_at(const struct place *place, uint32_t argument)
{
	unsigned at = argument + first_argument(place->function);
	if (!place->call)
		return LLVMGetParam(place->function, at);
	return at < LLVMGetNumArgOperands(place->call) ? LLVMGetOperand(place->call, at) : NULL;
}

static LLVMValueRef value_at(const struct place *place, const struct events_field *field)
{
	switch (field->argument) {
	case EVENTS_RETURN: return place->result;
	case EVENTS_ADDRESS: return place->address;
	case EVENTS_SIZE: return place->size;
	case EVENTS_VALUE: return place->value;
	default: return argument_at(place, field->argument);
	}
}

/* Small numbers without a sign say so where they are passed. */
static bool has_no_sign(const struct place *place, const struct events_field *field)
{
	if (!place->function || field->stars || field->member)
		return false;
	LLVMAttributeIndex index = field->argument == EVENTS_RETURN
					   ? LLVMAttributeReturnIndex
					   : field->argument + first_argument(place->function) + 1;
	return module_has_attribute(place->function, index, "zeroext");
}

/* The function of the line */

/* What it is called with: the values of its fields, and of its condition behind them. */
struct inputs {
	const struct events_field *field[EVENTS_FIELDS + 1];
	LLVMValueRef value[EVENTS_FIELDS + 1];
	LLVMTypeRef type[EVENTS_FIELDS + 1];
	bool unsigned_[EVENTS_FIELDS + 1];
	unsigned n;
};

static int add_input(struct weaver *w, const struct events_line *line, const struct place *place,
		     const struct events_field *field, struct inputs *in)
{
	if (field->argument == EVENTS_WORD)
		return 0;
	LLVMValueRef value = value_at(place, field);
	if (!value)
		return weave_fail(w, line, field->column, "a call of %s has no such argument",
				  place->name);
	if (!type_of_field(w, line, field, LLVMTypeOf(value), place->name))
		return w->err->code;
	in->field[in->n] = field;
	in->value[in->n] = value;
	in->type[in->n] = LLVMTypeOf(value);
	in->unsigned_[in->n++] = has_no_sign(place, field);
	return 0;
}

static int find_inputs(struct weaver *w, const struct events_line *line, const struct place *place,
		       struct inputs *in)
{
	for (unsigned i = 0; i < line->fields; i++)
		if (add_input(w, line, place, &line->field[i], in) < 0)
			return w->err->code;
	return line->condition.compare ? add_input(w, line, place, &line->condition.field, in) : 0;
}

static LLVMValueRef fetch(struct weaver *w, const struct events_field *field, LLVMValueRef value)
{
	if (field->member) {
		LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(value));
		unsigned index = (unsigned)weave_member(w, type, NULL, field->member);
		LLVMValueRef at = LLVMBuildStructGEP2(w->builder, type, value, index, "");
		value = LLVMBuildLoad2(w->builder, LLVMStructGetTypeAtIndex(type, index), at, "");
	}
	for (unsigned i = 0; i < field->stars; i++)
		value = LLVMBuildLoad2(w->builder, LLVMGetElementType(LLVMTypeOf(value)), value,
				       "");
	return value;
}

static LLVMValueRef number(struct weaver *w, const struct inputs *in, LLVMValueRef function,
			   unsigned i)
{
	LLVMValueRef value = fetch(w, in->field[i], LLVMGetParam(function, i));
	LLVMTypeRef type = LLVMTypeOf(value);
	if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
		return LLVMBuildPtrToInt(w->builder, value, w->i64, "");
	if (in->unsigned_[i] || LLVMGetIntTypeWidth(type) == 1)
		return LLVMBuildZExtOrBitCast(w->builder, value, w->i64, "");
	return LLVMBuildSExtOrBitCast(w->builder, value, w->i64, "");
}

static void decide(struct weaver *w, const struct events_condition *condition, LLVMValueRef value,
		   LLVMBasicBlockRef then, LLVMBasicBlockRef end)
{
	static const LLVMIntPredicate predicates[] = {
		[EVENTS_EQ] = LLVMIntEQ,  [EVENTS_NE] = LLVMIntNE,  [EVENTS_LT] = LLVMIntSLT,
		[EVENTS_LE] = LLVMIntSLE, [EVENTS_GT] = LLVMIntSGT, [EVENTS_GE] = LLVMIntSGE};
	LLVMValueRef is_so = LLVMBuildICmp(w->builder, predicates[condition->compare], value,
					   LLVMConstInt(w->i64, (uint64_t)condition->value, 1), "");
	LLVMBuildCondBr(w->builder, is_so, then, end);
}

/* NAME FIELD…, with `#` for each number. */
static LLVMValueRef text_of(struct weaver *w, const struct events_line *line, enum side side)
{
	char text[600];
	int n = snprintf(text, sizeof(text), "%.60s", line->mark);
	for (unsigned i = 0; i < line->fields; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, " %.60s",
			      line->field[i].word ? line->field[i].word : "#");
	if (side != SIDE_ONLY)
		snprintf(text + n, sizeof(text) - (size_t)n,
			 side == SIDE_BEGIN ? " begin" : " end");
	LLVMValueRef data = LLVMConstStringInContext(w->context, text, (unsigned)strlen(text), 0);
	LLVMValueRef global = LLVMAddGlobal(w->llvm, LLVMTypeOf(data), "norn.text");
	LLVMSetInitializer(global, data);
	LLVMSetGlobalConstant(global, 1);
	LLVMSetLinkage(global, LLVMPrivateLinkage);
	return LLVMConstPointerCast(global, w->bytes);
}

static LLVMValueRef declare(struct weaver *w, const char *name, LLVMTypeRef *types, unsigned n)
{
	LLVMValueRef function = LLVMGetNamedFunction(w->llvm, name);
	if (function)
		return function;
	function = LLVMAddFunction(w->llvm, name, LLVMFunctionType(w->nothing, types, n, 0));
	unsigned kind = LLVMGetEnumAttributeKindForName("nounwind", strlen("nounwind"));
	LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
				LLVMCreateEnumAttribute(w->context, kind, 0));
	return function;
}

static LLVMValueRef return_address(struct weaver *w)
{
	unsigned id = LLVMLookupIntrinsicID("llvm.returnaddress", strlen("llvm.returnaddress"));
	LLVMValueRef function = LLVMGetIntrinsicDeclaration(w->llvm, id, NULL, 0);
	LLVMValueRef level = LLVMConstInt(LLVMInt32TypeInContext(w->context), 0, 0);
	return LLVMBuildCall2(w->builder, LLVMGlobalGetValueType(function), function, &level, 1,
			      "");
}

static void tell(struct weaver *w, const struct events_line *line, const struct inputs *in,
		 LLVMValueRef function, enum side side)
{
	LLVMTypeRef types[2 + EVENTS_FIELDS] = {w->bytes, w->bytes};
	LLVMValueRef arguments[2 + EVENTS_FIELDS] = {return_address(w), text_of(w, line, side)};
	for (unsigned i = 0; i < EVENTS_FIELDS; i++) {
		types[2 + i] = w->i64;
		arguments[2 + i] = i < in->n - !!line->condition.compare
					   ? number(w, in, function, i)
					   : LLVMConstInt(w->i64, 0, 0);
	}
	LLVMValueRef hook = declare(w, "norn_event", types, 2 + EVENTS_FIELDS);
	LLVMBuildCall2(w->builder, LLVMGlobalGetValueType(hook), hook, arguments, 2 + EVENTS_FIELDS,
		       "");
}

static void build(struct weaver *w, const struct events_line *line, const struct inputs *in,
		  LLVMValueRef function, enum side side)
{
	LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(w->context, function, "");
	LLVMBasicBlockRef then = LLVMAppendBasicBlockInContext(w->context, function, "");
	LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(w->context, function, "");
	LLVMSetCurrentDebugLocation2(w->builder, NULL);
	LLVMPositionBuilderAtEnd(w->builder, entry);
	if (line->condition.compare)
		decide(w, &line->condition, number(w, in, function, in->n - 1), then, end);
	else
		LLVMBuildBr(w->builder, then);
	LLVMPositionBuilderAtEnd(w->builder, then);
	tell(w, line, in, function, side);
	LLVMBuildBr(w->builder, end);
	LLVMPositionBuilderAtEnd(w->builder, end);
	LLVMBuildRetVoid(w->builder);
}

static void set_text(struct weaver *w, LLVMValueRef function, const char *key, const char *value)
{
	LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
				LLVMCreateStringAttribute(w->context, key, (unsigned)strlen(key),
							  value, (unsigned)strlen(value)));
}

/* Other modules make the same of the same line and types, and no pass looks into it. */
static void set_up(struct weaver *w, const struct events_line *line, LLVMValueRef function)
{
	char number[24];
	snprintf(number, sizeof(number), "%llu", (unsigned long long)line->line);
	set_text(w, function, DEBUG_FILE, line->file);
	set_text(w, function, DEBUG_LINE, number);
	static const char *const names[] = {"noinline", "nounwind", "uwtable", "sanitize_thread"};
	LLVMSetLinkage(function, LLVMLinkOnceODRLinkage);
	LLVMSetVisibility(function, LLVMHiddenVisibility);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		unsigned kind = LLVMGetEnumAttributeKindForName(names[i], strlen(names[i]));
		LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
					LLVMCreateEnumAttribute(w->context, kind, 0));
	}
}

static LLVMTypeRef type_of_function(struct weaver *w, struct inputs *in)
{
	return LLVMFunctionType(w->nothing, in->type, in->n, 0);
}

/* FNV-1a of what makes the function another one. */
static uint64_t key_of(struct weaver *w, struct inputs *in, enum side side)
{
	uint64_t key = UINT64_C(14695981039346656037) ^ side;
	char *text = LLVMPrintTypeToString(type_of_function(w, in));
	for (const char *c = text; *c; c++)
		key = (key ^ (unsigned char)*c) * UINT64_C(1099511628211);
	LLVMDisposeMessage(text);
	for (unsigned i = 0; i < in->n; i++) {
		uint64_t offset = in->unsigned_[i];
		if (in->field[i]->member) {
			LLVMTypeRef type = LLVMGetElementType(in->type[i]);
			int index = weave_member(w, type, NULL, in->field[i]->member);
			offset = LLVMOffsetOfElement(w->layout, type, (unsigned)index) + 2;
		}
		key = (key ^ offset) * UINT64_C(1099511628211);
	}
	return key;
}

static LLVMValueRef function_of(struct weaver *w, const struct events_line *line, struct inputs *in,
				enum side side)
{
	char name[80];
	snprintf(name, sizeof(name), EVENTS_MARK_SYMBOL "%016llx.%016llx",
		 (unsigned long long)events_mark_key(line),
		 (unsigned long long)key_of(w, in, side));
	LLVMValueRef function = LLVMGetNamedFunction(w->llvm, name);
	if (function)
		return function;
	function = LLVMAddFunction(w->llvm, name, type_of_function(w, in));
	set_up(w, line, function);
	build(w, line, in, function, side);
	return function;
}

int weave_event(struct weaver *w, const struct events_line *line, const struct place *place,
		enum side side)
{
	struct inputs in = {.n = 0};
	if (find_inputs(w, line, place, &in) < 0)
		return line->fuzzy ? 0 : w->err->code;
	LLVMValueRef function = function_of(w, line, &in, side);
	LLVMPositionBuilderBefore(w->builder, place->before);
	LLVMSetCurrentDebugLocation2(w->builder, place->location);
	LLVMBuildCall2(w->builder, LLVMGlobalGetValueType(function), function, in.value, in.n, "");
	return 0;
}

int weave_events(struct weaver *w, const struct events_line *line, const struct place *place,
		 enum events_when when)
{
	if (line->when == EVENTS_AROUND)
		return weave_event(w, line, place, when == EVENTS_BEFORE ? SIDE_BEGIN : SIDE_END);
	return line->when == when ? weave_event(w, line, place, SIDE_ONLY) : 0;
}
