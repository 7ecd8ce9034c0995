/* SPDX-License-Identifier: MIT */
/* The places of events: calls, accesses to global variables, lines. */
#include "instrument/weave_parts.h"

#include "instrument/callee.h"
#include "instrument/edges.h"
#include "instrument/private.h"
#include "instrument/stands_in.h"

#include <stdlib.h>
#include <string.h>

char *__cxa_demangle(const char *name, char *to, size_t *size, int *status);

#define WOVEN "norn.woven"

char *weave_name(LLVMValueRef global)
{
	size_t length;
	const char *name = LLVMGetValueName2(global, &length);
	bool raw = name[0] == '\1'; /* as it is, for the assembler */
	char *copy = mem_alloc(length + 1);
	memcpy(copy, name + raw, length + 1 - raw);
	return copy;
}

bool weave_gets_hooks(const struct weaver *w, LLVMValueRef function)
{
	return callee_gets_hooks(function) && !weave_is_mark(function) &&
	       (!w->marked ||
		module_has_attribute(function, LLVMAttributeFunctionIndex, "sanitize_thread"));
}

bool weave_find(struct weaver *w, LLVMValueRef global, unsigned whats, struct weave_lines *lines)
{
	char *name = weave_name(global);
	char *readable = strncmp(name, "_Z", 2) ? NULL : __cxa_demangle(name, NULL, NULL, NULL);
	for (size_t i = 0; i < w->events->lines.n; i++) {
		const struct events_line *line = &w->events->lines.at[i];
		if (line->effect == EVENTS_MARK && whats & 1u << line->what &&
		    events_names(line->target, name, readable))
			vec_push(lines, line);
	}
	free(readable);
	mem_free(name);
	return lines->n;
}

static bool has_lines(const struct weaver *w, unsigned whats)
{
	for (size_t i = 0; i < w->events->lines.n; i++)
		if (w->events->lines.at[i].effect == EVENTS_MARK &&
		    whats & 1u << w->events->lines.at[i].what)
			return true;
	return false;
}

/* Lines of functions and variables, found once for each. */
struct found {
	struct map numbers; /* 1 + number in lines, 0: none */
	VEC(struct weave_lines) lines;
};

static struct weave_lines *lines_of(struct weaver *w, struct found *found, LLVMValueRef global,
				    unsigned whats)
{
	uint32_t number = map_get(&found->numbers, global);
	if (number == MAP_NONE) {
		struct weave_lines lines = {0};
		number = 0;
		if (weave_find(w, global, whats, &lines)) {
			vec_push(&found->lines, lines);
			number = (uint32_t)found->lines.n;
		}
		map_put(&found->numbers, global, number);
	}
	return number ? &found->lines.at[number - 1] : NULL;
}

static void release(struct found *found)
{
	for (size_t i = 0; i < found->lines.n; i++)
		vec_release(&found->lines.at[i]);
	vec_release(&found->lines);
	map_release(&found->numbers);
}

static LLVMValueRef behind(LLVMValueRef i)
{
	if (!LLVMIsATerminatorInst(i))
		return LLVMGetNextInstruction(i);
	if (!LLVMIsAInvokeInst(i))
		return NULL;
	LLVMValueRef next = LLVMGetFirstInstruction(LLVMGetNormalDest(i));
	while (LLVMIsAPHINode(next))
		next = LLVMGetNextInstruction(next);
	return next;
}

/* Before an instruction, and before what came behind it: so lines keep their order. */
static int weave_both(struct weaver *w, const struct events_line *line, struct place *place,
		      LLVMValueRef i, LLVMValueRef next)
{
	place->before = i;
	if (weave_events(w, line, place, EVENTS_BEFORE) < 0)
		return w->err->code;
	place->before = next;
	return next ? weave_events(w, line, place, EVENTS_AFTER) : 0;
}

/* Calls */

static int weave_call_line(struct weaver *w, const struct events_line *line, struct place *place,
			   LLVMValueRef next)
{
	int code = weave_check_function(w, line, place->function, place->name);
	if (code)
		return code < 0 ? code : 0;
	if (line->when != EVENTS_BEFORE && callee_ends_function(place->call))
		return weave_fail(w, line, line->column,
				  "a call of %s has to be the last of its function", place->name);
	return weave_both(w, line, place, place->call, next);
}

static int weave_call(struct weaver *w, struct found *found, LLVMValueRef i)
{
	LLVMValueRef called = LLVMGetCalledValue(i);
	LLVMValueRef function = LLVMIsAInlineAsm(called) ? NULL : callee_function_behind(called);
	if (!function || LLVMGetIntrinsicID(function) || weave_is_mark(function) ||
	    stands_in_calls(i))
		return 0;
	struct weave_lines *lines = lines_of(w, found, function, 1u << EVENTS_CALL);
	if (!lines)
		return 0;
	char *name = weave_name(function);
	LLVMTypeRef type = LLVMTypeOf(i);
	struct place place = {.location = LLVMInstructionGetDebugLoc(i),
			      .name = name,
			      .function = function,
			      .call = i,
			      .result = LLVMGetTypeKind(type) == LLVMVoidTypeKind ? NULL : i};
	LLVMValueRef next = behind(i);
	int code = 0;
	for (size_t k = 0; k < lines->n && !code; k++)
		code = weave_call_line(w, lines->at[k], &place, next);
	mem_free(name);
	return code;
}

/* Accesses */

/* Bytes from the start of the variable, up to an index that is not known here. */
static uint64_t offset_of(struct weaver *w, LLVMValueRef address)
{
	bool gep =
		LLVMIsAGetElementPtrInst(address) ||
		(LLVMIsAConstantExpr(address) && LLVMGetConstOpcode(address) == LLVMGetElementPtr);
	if (LLVMIsAGlobalVariable(address) || !LLVMIsAUser(address) ||
	    LLVMGetNumOperands(address) < 1)
		return 0;
	uint64_t offset = offset_of(w, LLVMGetOperand(address, 0));
	LLVMTypeRef type = gep ? LLVMGetElementType(LLVMTypeOf(LLVMGetOperand(address, 0))) : NULL;
	for (unsigned i = 1; gep && i < (unsigned)LLVMGetNumOperands(address); i++) {
		LLVMValueRef index = LLVMGetOperand(address, i);
		if (!LLVMIsAConstantInt(index))
			break;
		uint64_t at = (uint64_t)LLVMConstIntGetSExtValue(index);
		if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
			offset += LLVMOffsetOfElement(w->layout, type, (unsigned)at);
			type = LLVMStructGetTypeAtIndex(type, (unsigned)at);
			continue;
		}
		if (i > 1)
			type = LLVMGetElementType(type);
		offset += at * LLVMABISizeOfType(w->layout, type);
	}
	return offset;
}

static int meets_member(struct weaver *w, const struct events_line *line, LLVMValueRef global,
			const struct place *place)
{
	LLVMTypeRef type = LLVMGlobalGetValueType(global);
	int member = line->member ? weave_member(w, type, global, line->member) : 0;
	if (!line->member)
		return 1;
	if (member < 0)
		return line->fuzzy ? 0
				   : weave_fail(w, line, line->column,
						"no member %s of %s is known here", line->member,
						place->name);
	uint64_t from = LLVMOffsetOfElement(w->layout, type, (unsigned)member);
	uint64_t size =
		LLVMABISizeOfType(w->layout, LLVMStructGetTypeAtIndex(type, (unsigned)member));
	uint64_t at = offset_of(w, place->address);
	uint64_t n = LLVMIsAConstantInt(place->size) ? LLVMConstIntGetZExtValue(place->size) : 1;
	return at < from + size && from < at + n;
}

static int weave_access_line(struct weaver *w, const struct events_line *line, LLVMValueRef global,
			     struct place *place, LLVMValueRef i, LLVMValueRef next)
{
	int meets = meets_member(w, line, global, place);
	if (meets <= 0)
		return meets;
	for (unsigned k = 0; k <= line->fields; k++) {
		const struct events_field *field =
			k < line->fields ? &line->field[k] : &line->condition.field;
		bool counts = k < line->fields || line->condition.compare;
		if (counts && field->argument == EVENTS_VALUE && !place->value)
			return line->fuzzy ? 0
					   : weave_fail(w, line, field->column,
							"an access to %s here has no single value",
							place->name);
	}
	return weave_both(w, line, place, i, next);
}

static int weave_access(struct weaver *w, struct found *found, struct place *place, LLVMValueRef i,
			enum events_what what)
{
	LLVMValueRef global = private_base(place->address);
	if (!LLVMIsAGlobalVariable(global))
		return 0;
	struct weave_lines *lines =
		lines_of(w, found, global, 1u << EVENTS_READ | 1u << EVENTS_WRITE);
	if (!lines)
		return 0;
	char *name = weave_name(global);
	LLVMValueRef next = behind(i);
	int code = 0;
	place->name = name;
	place->location = LLVMInstructionGetDebugLoc(i);
	for (size_t k = 0; k < lines->n && !code; k++)
		if (lines->at[k]->what == what)
			code = weave_access_line(w, lines->at[k], global, place, i, next);
	mem_free(name);
	return code;
}

static LLVMValueRef size_of(struct weaver *w, LLVMTypeRef type)
{
	return LLVMConstInt(w->i64, LLVMStoreSizeOfType(w->layout, type), 0);
}

static int weave_store(struct weaver *w, struct found *found, LLVMValueRef i)
{
	struct place place = {.address = LLVMGetOperand(i, 1),
			      .value = LLVMGetOperand(i, 0),
			      .size = size_of(w, LLVMTypeOf(LLVMGetOperand(i, 0)))};
	return weave_access(w, found, &place, i, EVENTS_WRITE);
}

static int weave_load(struct weaver *w, struct found *found, LLVMValueRef i)
{
	struct place place = {
		.address = LLVMGetOperand(i, 0), .value = i, .size = size_of(w, LLVMTypeOf(i))};
	return weave_access(w, found, &place, i, EVENTS_READ);
}

/* It reads and writes in one step; what it wrote is no value of the code. */
static int weave_atomic(struct weaver *w, struct found *found, LLVMValueRef i)
{
	bool swap = LLVMIsAAtomicCmpXchgInst(i);
	struct place place = {.address = LLVMGetOperand(i, 0),
			      .value = swap ? NULL : i,
			      .size = size_of(w, LLVMTypeOf(LLVMGetOperand(i, 1)))};
	int code = weave_access(w, found, &place, i, EVENTS_READ);
	place.value = NULL;
	return code ? code : weave_access(w, found, &place, i, EVENTS_WRITE);
}

/* A struct as a whole. */
static int weave_copy(struct weaver *w, struct found *found, LLVMValueRef i)
{
	struct callee callee = callee_of(i);
	bool copy = callee.kind == CALLEE_COPY;
	if (!LLVMIsACallInst(i) || !callee.function || !LLVMGetIntrinsicID(callee.function) ||
	    (!copy && callee.kind != CALLEE_FILL))
		return 0;
	struct place place = {.size = LLVMGetOperand(i, 2)};
	int code = 0;
	if (copy) {
		place.address = LLVMGetOperand(i, 1);
		code = weave_access(w, found, &place, i, EVENTS_READ);
	}
	place.address = LLVMGetOperand(i, 0);
	return code ? code : weave_access(w, found, &place, i, EVENTS_WRITE);
}

/* Functions */

struct both {
	struct found calls, accesses;
};

static int weave_instruction(struct weaver *w, struct both *found, LLVMValueRef i)
{
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMLoad: return weave_load(w, &found->accesses, i);
	case LLVMStore: return weave_store(w, &found->accesses, i);
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg: return weave_atomic(w, &found->accesses, i);
	case LLVMCall:
	case LLVMInvoke: {
		int code = weave_copy(w, &found->accesses, i);
		return code ? code : weave_call(w, &found->calls, i);
	}
	default: return 0;
	}
}

struct instructions {
	LLVMValueRef *at;
	size_t n, capacity;
};

/* As they are before anything is put in. */
static void list(LLVMValueRef function, struct instructions *to)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			vec_push(to, i);
}

/* Lines */

static bool is_of_line(LLVMValueRef i, const struct events_line *line)
{
	LLVMMetadataRef location = LLVMInstructionGetDebugLoc(i);
	LLVMMetadataRef file =
		location ? LLVMDIScopeGetFile(LLVMDILocationGetScope(location)) : NULL;
	if (!file || LLVMDILocationGetLine(location) != line->source_line || LLVMIsAAllocaInst(i) ||
	    LLVMIsAPHINode(i) || LLVMIsALandingPadInst(i))
		return false;
	if (callee_is_call(i) && callee_of(i).kind == CALLEE_QUIET)
		return false; /* says something to the compiler */
	unsigned length;
	const char *name = LLVMDIFileGetFilename(file, &length);
	char path[1024];
	if (length >= sizeof(path))
		return false;
	memcpy(path, name, length);
	path[length] = '\0';
	return events_names_file(line->target, path);
}

static int weave_line(struct weaver *w, const struct events_line *line,
		      const struct instructions *all)
{
	struct place place = {.name = line->target};
	LLVMValueRef first = NULL, last = NULL;
	for (size_t i = 0; i < all->n; i++)
		if (is_of_line(all->at[i], line)) {
			last = all->at[i];
			if (!first)
				first = last;
		}
	if (!first)
		return 0;
	place.before = first;
	place.location = LLVMInstructionGetDebugLoc(first);
	if (weave_events(w, line, &place, EVENTS_BEFORE) < 0)
		return w->err->code;
	LLVMValueRef next = behind(last);
	place.before = next ? next : last;
	return weave_events(w, line, &place, EVENTS_AFTER);
}

static int weave_function(struct weaver *w, struct both *found, LLVMValueRef function)
{
	struct instructions all = {0};
	int code = 0;
	if (has_lines(w, 1u << EVENTS_CALL))
		edges_function(function);
	list(function, &all);
	for (size_t i = 0; i < w->events->lines.n && !code; i++)
		if (w->events->lines.at[i].effect == EVENTS_MARK &&
		    w->events->lines.at[i].what == EVENTS_LINE)
			code = weave_line(w, &w->events->lines.at[i], &all);
	for (size_t i = 0; i < all.n && !code; i++)
		code = weave_instruction(w, found, all.at[i]);
	vec_release(&all);
	return code;
}

static int weave_functions(struct weaver *w)
{
	struct both found = {0};
	int code = 0;
	for (LLVMValueRef f = LLVMGetFirstFunction(w->llvm); f && !code; f = LLVMGetNextFunction(f))
		if (weave_gets_hooks(w, f))
			code = weave_function(w, &found, f);
	release(&found.calls);
	release(&found.accesses);
	return code;
}

static bool was_woven(LLVMModuleRef llvm)
{
	if (LLVMGetNamedMetadata(llvm, WOVEN, strlen(WOVEN)))
		return true;
	LLVMGetOrInsertNamedMetadata(llvm, WOVEN, strlen(WOVEN));
	return false;
}

int weave_module(LLVMModuleRef llvm, const struct events *events, bool marked, struct err *err)
{
	LLVMContextRef context = LLVMGetModuleContext(llvm);
	struct weaver w = {.llvm = llvm,
			   .context = context,
			   .layout = LLVMGetModuleDataLayout(llvm),
			   .i64 = LLVMInt64TypeInContext(context),
			   .nothing = LLVMVoidTypeInContext(context),
			   .bytes = LLVMPointerType(LLVMInt8TypeInContext(context), 0),
			   .events = events,
			   .marked = marked,
			   .err = err};
	if (!has_lines(&w, ~0u) || was_woven(llvm))
		return 0;
	w.builder = LLVMCreateBuilderInContext(context);
	int code = weave_functions(&w);
	if (!code)
		code = weave_bodies(&w);
	LLVMDisposeBuilder(w.builder);
	if (w.knows_types)
		debug_release(&w.debug);
	return code;
}

static void declare_word(struct module *module, const struct events_line *line, unsigned field,
			 const char *word)
{
	struct site site = {.kind = SITE_WORD,
			    .size = (uint8_t)(field + 1),
			    .function = table_name(&module->table, line->mark, strlen(line->mark)),
			    .name = table_name(&module->table, word, strlen(word))};
	table_site(&module->table, &site);
}

static void declare_words(struct module *module, const struct events_line *line)
{
	for (unsigned i = 0; i < line->fields; i++)
		if (line->field[i].argument == EVENTS_WORD)
			declare_word(module, line, i, line->field[i].word);
	if (line->when != EVENTS_AROUND)
		return;
	declare_word(module, line, line->fields, "begin");
	declare_word(module, line, line->fields, "end");
}

void weave_declare(struct module *module)
{
	struct intern names = {0};
	for (size_t i = 0; i < module->events.lines.n; i++) {
		const struct events_line *line = &module->events.lines.at[i];
		size_t length = line->mark ? strlen(line->mark) : 0, known = names.strings.n;
		if (line->mark)
			declare_words(module, line);
		if (!line->mark || intern_add(&names, line->mark, length) < known)
			continue;
		struct site site = {.kind = SITE_EVENT,
				    .size = (uint8_t)events_mark_fields(line),
				    .name = table_name(&module->table, line->mark, length)};
		table_site(&module->table, &site);
	}
	intern_release(&names);
}
