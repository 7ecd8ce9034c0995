/* SPDX-License-Identifier: MIT */
/* Locations, and what the debug information knows of types and variables. */
#include "instrument/debug.h"

#include "instrument/debug_nodes.h"
#include "instrument/openmp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Operands of debug information nodes, as LLVM 14 lays them out. */
enum { SCOPE_OF_TYPE = 1, NAME_OF_TYPE = 2, BASE_OF_TYPE = 3, ELEMENTS_OF_TYPE = 4 };
enum { SCOPE_OF_BLOCK = 1, NAME_OF_SUBPROGRAM = 2, NAME_OF_NAMESPACE = 2, NAME_OF_VARIABLE = 1 };
enum { TYPE_OF_LOCAL = 3, TYPE_OF_GLOBAL = 3 };
#define OPERANDS_MAX 64u

LLVMMetadataRef debug_operand(struct debug *debug, LLVMMetadataRef node, unsigned index)
{
	LLVMValueRef value = LLVMMetadataAsValue(debug->context, node);
	unsigned n = LLVMGetMDNodeNumOperands(value);
	LLVMValueRef operands[OPERANDS_MAX];
	if (index >= n || n > OPERANDS_MAX)
		return NULL;
	LLVMGetMDNodeOperands(value, operands);
	LLVMValueRef operand = operands[index];
	if (!operand || (!LLVMIsAMDString(operand) && !LLVMIsAMDNode(operand)))
		return NULL;
	return LLVMValueAsMetadata(operand);
}

static const char *string_operand(struct debug *debug, LLVMMetadataRef node, unsigned index,
				  unsigned *length)
{
	LLVMMetadataRef operand = debug_operand(debug, node, index);
	*length = 0;
	if (!operand || LLVMGetMetadataKind(operand) != LLVMMDStringMetadataKind)
		return "";
	return LLVMGetMDString(LLVMMetadataAsValue(debug->context, operand), length);
}

/* The name of a type with its namespaces and classes, as clang names the struct: a::b */
static size_t qualified_name(struct debug *debug, LLVMMetadataRef type, char *to, size_t size)
{
	size_t at = size;
	for (LLVMMetadataRef scope = type; scope;
	     scope = debug_operand(debug, scope, SCOPE_OF_TYPE)) {
		LLVMMetadataKind kind = LLVMGetMetadataKind(scope);
		if (scope != type && kind != LLVMDINamespaceMetadataKind &&
		    kind != LLVMDICompositeTypeMetadataKind)
			break;
		unsigned length;
		const char *name = string_operand(debug, scope, NAME_OF_TYPE, &length);
		if (!length && kind == LLVMDINamespaceMetadataKind)
			name = "(anonymous namespace)", length = (unsigned)strlen(name);
		if (!length || length + 2 > at)
			return 0;
		if (scope != type) {
			at -= 2;
			memcpy(to + at, "::", 2);
		}
		at -= length;
		memcpy(to + at, name, length);
	}
	memmove(to, to + at, size - at);
	return size - at;
}

/* clang names structs without: std::vector. Fields of the instances rarely differ in name. */
static size_t without_templates(char *name, size_t length)
{
	size_t n = 0, depth = 0;
	for (size_t i = 0; i < length; i++) {
		depth += name[i] == '<';
		if (!depth)
			name[n++] = name[i];
		depth -= name[i] == '>' && depth;
	}
	return n;
}

static void learn_type(struct debug *debug, LLVMMetadataRef named, LLVMMetadataRef composite)
{
	if (!debug_operand(debug, composite, ELEMENTS_OF_TYPE))
		return;
	char name[512];
	size_t length = qualified_name(debug, named, name, sizeof(name));
	if (!length)
		return;
	length = without_templates(name, length);
	uint32_t number = intern_add(&debug->types, name, length);
	vec_extend(&debug->composites, (size_t)number + 1);
	if (!debug->composites.at[number])
		debug->composites.at[number] = composite;
}

static void learn_node(struct debug *debug, LLVMMetadataRef node)
{
	LLVMMetadataKind kind = LLVMGetMetadataKind(node);
	if (kind == LLVMDICompositeTypeMetadataKind)
		learn_type(debug, node, node);
	if (kind != LLVMDIDerivedTypeMetadataKind)
		return;
	/* typedef struct { … } name; */
	LLVMMetadataRef base = debug_operand(debug, node, BASE_OF_TYPE);
	unsigned length;
	if (base && LLVMGetMetadataKind(base) == LLVMDICompositeTypeMetadataKind) {
		string_operand(debug, base, NAME_OF_TYPE, &length);
		if (!length)
			learn_type(debug, node, base);
	}
}

/* Everything that can be reached from these nodes. */
static void learn_all(struct debug *debug, LLVMValueRef *roots, size_t n)
{
	struct map seen = {0};
	VEC(LLVMValueRef) queue = {0};
	for (size_t i = 0; i < n; i++)
		if (map_mark(&seen, roots[i]))
			vec_push(&queue, roots[i]);
	while (queue.n) {
		LLVMValueRef value = queue.at[--queue.n];
		learn_node(debug, LLVMValueAsMetadata(value));
		unsigned count = LLVMGetMDNodeNumOperands(value);
		LLVMValueRef *operands = mem_alloc_zero(count + 1, sizeof(*operands));
		LLVMGetMDNodeOperands(value, operands);
		for (unsigned i = 0; i < count; i++)
			if (operands[i] && LLVMIsAMDNode(operands[i]) &&
			    map_mark(&seen, operands[i]))
				vec_push(&queue, operands[i]);
		mem_free(operands);
	}
	vec_release(&queue);
	map_release(&seen);
}

struct roots {
	LLVMValueRef *at;
	size_t n, capacity;
};

/* llvm.dbg.declare, llvm.dbg.value: value, variable, and so on. */
static bool is_debug_call(LLVMValueRef i)
{
	LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
	size_t length;
	return callee && LLVMIsAFunction(callee) &&
	       !strncmp(LLVMGetValueName2(callee, &length), "llvm.dbg.", 9) &&
	       LLVMGetNumArgOperands(i) >= 3;
}

/* Without optimisation nothing else names the locals of a function. */
static void add_locals(LLVMValueRef function, struct roots *roots)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (is_debug_call(i))
				vec_push(roots, LLVMGetOperand(i, 1));
}

static void learn_types(struct debug *debug, LLVMModuleRef module)
{
	struct roots roots = {0};
	unsigned units = LLVMGetNamedMetadataNumOperands(module, "llvm.dbg.cu");
	vec_extend(&roots, units);
	if (units)
		LLVMGetNamedMetadataOperands(module, "llvm.dbg.cu", roots.at);
	if (units) {
		LLVMMetadataRef file = LLVMDIScopeGetFile(LLVMValueAsMetadata(roots.at[0]));
		if (file)
			debug->directory = LLVMDIFileGetDirectory(file, &debug->directory_length);
	}
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		LLVMMetadataRef subprogram = LLVMGetSubprogram(f);
		if (subprogram)
			vec_push(&roots, LLVMMetadataAsValue(debug->context, subprogram));
		add_locals(f, &roots);
	}
	learn_all(debug, roots.at, roots.n);
	vec_release(&roots);
}

static void learn_variable(struct debug *debug, LLVMValueRef value, LLVMMetadataRef variable)
{
	unsigned length;
	const char *name = string_operand(debug, variable, NAME_OF_VARIABLE, &length);
	if (length)
		map_put(&debug->variables, value, intern_add(&debug->names, name, length));
}

static void learn_globals(struct debug *debug, LLVMModuleRef module)
{
	for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g)) {
		size_t n;
		LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(g, &n);
		for (unsigned i = 0; i < n; i++) {
			LLVMMetadataRef node = LLVMValueMetadataEntriesGetMetadata(entries, i);
			if (LLVMGetMetadataKind(node) == LLVMDIGlobalVariableExpressionMetadataKind)
				learn_variable(debug, g, debug_operand(debug, node, 0));
		}
		LLVMDisposeValueMetadataEntries(entries);
	}
}

void debug_init(struct debug *debug, LLVMModuleRef module, LLVMTargetDataRef layout)
{
	debug->context = LLVMGetModuleContext(module);
	debug->layout = layout;
	debug->directory = "";
	LLVMDIBuilderRef builder = LLVMCreateDIBuilderDisallowUnresolved(module);
	debug->no_expression = LLVMDIBuilderCreateExpression(builder, NULL, 0);
	LLVMDisposeDIBuilder(builder);
	learn_types(debug, module);
	learn_globals(debug, module);
}

/* A type without typedef, const and the like, which have no size of their own. */
static LLVMMetadataRef plain_type(struct debug *debug, LLVMMetadataRef type)
{
	while (type && LLVMGetMetadataKind(type) == LLVMDIDerivedTypeMetadataKind &&
	       !LLVMDITypeGetSizeInBits(type))
		type = debug_operand(debug, type, BASE_OF_TYPE);
	return type;
}

/* The type if it is a struct whose members are known, else NULL. */
static LLVMMetadataRef struct_type(struct debug *debug, LLVMMetadataRef type)
{
	type = plain_type(debug, type);
	if (!type || LLVMGetMetadataKind(type) != LLVMDICompositeTypeMetadataKind ||
	    !debug_operand(debug, type, ELEMENTS_OF_TYPE))
		return NULL;
	return type;
}

static LLVMMetadataRef pointee_of(struct debug *debug, LLVMMetadataRef variable)
{
	LLVMMetadataRef type = plain_type(debug, debug_operand(debug, variable, TYPE_OF_LOCAL));
	if (!type || LLVMGetMetadataKind(type) != LLVMDIDerivedTypeMetadataKind)
		return NULL;
	return struct_type(debug, debug_operand(debug, type, BASE_OF_TYPE));
}

/* The first variable names a value; but a void pointer says less than one that was made of it. */
static void learn_local(struct debug *debug, LLVMValueRef value, LLVMMetadataRef variable,
			bool as_it_stands)
{
	bool points = as_it_stands && !LLVMIsAAllocaInst(value);
	LLVMMetadataRef pointee = points ? pointee_of(debug, variable) : NULL;
	bool better = pointee && map_get(&debug->pointees, value) == MAP_NONE;
	if (better) {
		map_put(&debug->pointees, value, (uint32_t)debug->structs.n);
		vec_push(&debug->structs, pointee);
	}
	if (better || map_get(&debug->variables, value) == MAP_NONE)
		learn_variable(debug, value, variable);
}

LLVMMetadataRef debug_pointee(const struct debug *debug, LLVMValueRef value)
{
	uint32_t number = map_get(&debug->pointees, value);
	return number == MAP_NONE ? NULL : debug->structs.at[number];
}

/* llvm.dbg.declare and llvm.dbg.value: the local at this address, or with this value. */
void debug_enter(struct debug *debug, LLVMValueRef function)
{
	/* of the function before: its values may be gone, and others in their places */
	map_release(&debug->pointees);
	debug->pointees = (struct map){0};
	debug->structs.n = 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i)) {
			if (!is_debug_call(i))
				continue;
			LLVMMetadataRef where = LLVMValueAsMetadata(LLVMGetOperand(i, 0));
			LLVMMetadataRef variable = LLVMValueAsMetadata(LLVMGetOperand(i, 1));
			if (LLVMGetMetadataKind(where) != LLVMLocalAsMetadataMetadataKind)
				continue;
			LLVMValueRef value;
			LLVMGetMDNodeOperands(LLVMGetOperand(i, 0), &value);
			bool as_it_stands =
				LLVMValueAsMetadata(LLVMGetOperand(i, 2)) == debug->no_expression;
			learn_local(debug, value, variable, as_it_stands);
			/* names are asked for without casts */
			while (LLVMIsABitCastInst(value))
				value = LLVMGetOperand(value, 0);
			if (!LLVMIsAAllocaInst(value))
				learn_local(debug, value, variable, as_it_stands);
		}
}

void debug_release(struct debug *debug)
{
	intern_release(&debug->types);
	vec_release(&debug->composites);
	map_release(&debug->variables);
	map_release(&debug->pointees);
	vec_release(&debug->structs);
	intern_release(&debug->names);
}

/* The number of a struct in `types`. LLVM tells structs of one name apart by a number behind it. */
static uint32_t find_type(struct debug *debug, LLVMTypeRef type)
{
	const char *name = LLVMGetStructName(type);
	const char *dot = name ? strchr(name, '.') : NULL;
	if (!dot)
		return INTERN_NONE;
	size_t n = strlen(dot + 1);
	uint32_t number = intern_find(&debug->types, dot + 1, n);
	for (size_t i = n; number == INTERN_NONE && i > 1 && strchr("0123456789.", dot[i]); i--)
		if (dot[i] == '.')
			number = intern_find(&debug->types, dot + 1, i - 1);
	return number;
}

bool debug_field(struct debug *debug, LLVMTypeRef type, unsigned index, struct debug_text *text)
{
	uint32_t number = find_type(debug, type);
	if (number == INTERN_NONE)
		return false;
	LLVMMetadataRef elements =
		debug_operand(debug, debug->composites.at[number], ELEMENTS_OF_TYPE);
	uint64_t bit = 8 * LLVMOffsetOfElement(debug->layout, type, index);
	LLVMValueRef list = LLVMMetadataAsValue(debug->context, elements);
	unsigned count = LLVMGetMDNodeNumOperands(list);
	LLVMValueRef *members = mem_alloc_zero(count + 1, sizeof(*members));
	LLVMGetMDNodeOperands(list, members);
	bool found = false;
	for (unsigned i = 0; i < count && !found; i++) {
		LLVMMetadataRef member = members[i] ? LLVMValueAsMetadata(members[i]) : NULL;
		found = member && LLVMGetMetadataKind(member) == LLVMDIDerivedTypeMetadataKind &&
			LLVMDITypeGetOffsetInBits(member) == bit && LLVMDITypeGetSizeInBits(member);
		if (found)
			text->at = string_operand(debug, member, NAME_OF_TYPE, &text->length);
	}
	mem_free(members);
	return found;
}

static bool holds(LLVMMetadataRef member, uint64_t bit)
{
	return LLVMGetMetadataKind(member) == LLVMDIDerivedTypeMetadataKind &&
	       LLVMDITypeGetOffsetInBits(member) <= bit &&
	       bit - LLVMDITypeGetOffsetInBits(member) < LLVMDITypeGetSizeInBits(member);
}

bool debug_member(struct debug *debug, LLVMMetadataRef *type, uint64_t *bit,
		  struct debug_text *text)
{
	LLVMMetadataRef elements = debug_operand(debug, *type, ELEMENTS_OF_TYPE);
	LLVMValueRef list = LLVMMetadataAsValue(debug->context, elements);
	unsigned count = LLVMGetMDNodeNumOperands(list);
	LLVMValueRef *members = mem_alloc_zero(count + 1, sizeof(*members));
	LLVMMetadataRef found = NULL;
	LLVMGetMDNodeOperands(list, members);
	for (unsigned i = 0; i < count && !found; i++)
		if (members[i] && holds(LLVMValueAsMetadata(members[i]), *bit))
			found = LLVMValueAsMetadata(members[i]);
	mem_free(members);
	if (!found)
		return false;
	text->at = string_operand(debug, found, NAME_OF_TYPE, &text->length);
	*bit -= LLVMDITypeGetOffsetInBits(found);
	*type = struct_type(debug, debug_operand(debug, found, BASE_OF_TYPE));
	return true;
}

LLVMMetadataRef debug_struct(struct debug *debug, LLVMTypeRef type)
{
	uint32_t number = find_type(debug, type);
	return number == INTERN_NONE ? NULL : debug->composites.at[number];
}

LLVMMetadataRef debug_struct_of_global(struct debug *debug, LLVMValueRef global)
{
	size_t n;
	LLVMMetadataRef found = NULL;
	LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(global, &n);
	for (unsigned i = 0; i < n; i++) {
		LLVMMetadataRef node = LLVMValueMetadataEntriesGetMetadata(entries, i);
		if (LLVMGetMetadataKind(node) != LLVMDIGlobalVariableExpressionMetadataKind)
			continue;
		LLVMMetadataRef variable = debug_operand(debug, node, 0);
		found = variable
				? struct_type(debug, debug_operand(debug, variable, TYPE_OF_GLOBAL))
				: NULL;
	}
	LLVMDisposeValueMetadataEntries(entries);
	return found;
}

bool debug_find_member(struct debug *debug, LLVMMetadataRef type, const char *name, uint64_t *bit,
		       uint64_t *bits)
{
	LLVMMetadataRef elements = debug_operand(debug, type, ELEMENTS_OF_TYPE);
	LLVMValueRef list = LLVMMetadataAsValue(debug->context, elements);
	unsigned count = LLVMGetMDNodeNumOperands(list), length;
	LLVMValueRef *members = mem_alloc_zero(count + 1, sizeof(*members));
	LLVMGetMDNodeOperands(list, members);
	bool found = false;
	for (unsigned i = 0; i < count && !found; i++) {
		LLVMMetadataRef member = members[i] ? LLVMValueAsMetadata(members[i]) : NULL;
		if (!member || LLVMGetMetadataKind(member) != LLVMDIDerivedTypeMetadataKind ||
		    LLVMDITypeGetFlags(member) & LLVMDIFlagBitField)
			continue;
		const char *text = string_operand(debug, member, NAME_OF_TYPE, &length);
		found = length == strlen(name) && !memcmp(text, name, length);
		*bit = LLVMDITypeGetOffsetInBits(member);
		*bits = LLVMDITypeGetSizeInBits(member);
	}
	mem_free(members);
	return found;
}

/* The file of a scope, as the user knows it: relative to where the compiler ran, or absolute. */
static uint32_t file_text(struct debug *debug, struct table *table, LLVMMetadataRef scope)
{
	LLVMMetadataRef file = scope ? LLVMDIScopeGetFile(scope) : NULL;
	if (!file)
		return table->source;
	unsigned length, directory_length;
	const char *name = LLVMDIFileGetFilename(file, &length);
	const char *directory = LLVMDIFileGetDirectory(file, &directory_length);
	if (!length)
		return table->source;
	bool here = directory_length == debug->directory_length &&
		    !memcmp(directory, debug->directory, directory_length);
	if (name[0] == '/' || here || !directory_length)
		return table_name(table, name, length);
	char path[1024];
	int n = snprintf(path, sizeof(path), "%.*s/%.*s", (int)directory_length, directory,
			 (int)length, name);
	return table_name(table, path, n < (int)sizeof(path) ? (size_t)n : sizeof(path) - 1);
}

static uint32_t function_text(struct debug *debug, struct table *table, LLVMMetadataRef scope)
{
	while (scope && LLVMGetMetadataKind(scope) != LLVMDISubprogramMetadataKind)
		scope = debug_operand(debug, scope, SCOPE_OF_BLOCK);
	if (!scope)
		return 0;
	unsigned length;
	const char *name = string_operand(debug, scope, NAME_OF_SUBPROGRAM, &length);
	return table_name(table, name, length);
}

/* A function that stands for a line of another file (weave.h). */
static bool locate_elsewhere(struct table *table, LLVMValueRef function, struct site *site)
{
	LLVMAttributeRef file = LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex,
							      DEBUG_FILE, strlen(DEBUG_FILE));
	LLVMAttributeRef line = LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex,
							      DEBUG_LINE, strlen(DEBUG_LINE));
	unsigned length;
	if (!file || !line)
		return false;
	const char *text = LLVMGetStringAttributeValue(file, &length);
	site->file = table_name(table, text, length);
	site->line = (uint32_t)strtoul(LLVMGetStringAttributeValue(line, &length), NULL, 10);
	return true;
}

void debug_locate_function(struct debug *debug, struct table *table, LLVMValueRef function,
			   struct site *site)
{
	if (locate_elsewhere(table, function, site))
		return;
	LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
	size_t length;
	const char *name = LLVMGetValueName2(function, &length);
	size_t region = openmp_region_name(name);
	site->file = file_text(debug, table, subprogram);
	site->function = function_text(debug, table, subprogram);
	if (!site->function || region)
		site->function = table_name(table, name, region ? region : length);
	site->line = subprogram ? LLVMDISubprogramGetLine(subprogram) : 0;
	site->column = 0;
}

/* The function that a location is in, before inlining. */
static LLVMMetadataRef subprogram_of(struct debug *debug, LLVMMetadataRef location)
{
	LLVMMetadataRef scope = LLVMDILocationGetScope(location);
	while (scope && LLVMGetMetadataKind(scope) != LLVMDISubprogramMetadataKind)
		scope = debug_operand(debug, scope, SCOPE_OF_BLOCK);
	return scope;
}

/* The location of an instruction, if it has a line and is in `within` (or anywhere). */
static LLVMMetadataRef location_in(struct debug *debug, LLVMValueRef instruction,
				   LLVMMetadataRef within)
{
	LLVMMetadataRef location = instruction ? LLVMInstructionGetDebugLoc(instruction) : NULL;
	if (!location || !LLVMDILocationGetLine(location))
		return NULL;
	return !within || subprogram_of(debug, location) == within ? location : NULL;
}

static LLVMMetadataRef search(struct debug *debug, LLVMValueRef instruction, LLVMMetadataRef within)
{
	LLVMValueRef after = instruction, before = instruction;
	LLVMMetadataRef location = location_in(debug, instruction, within);
	while (!location && (after || before)) {
		after = after ? LLVMGetNextInstruction(after) : NULL;
		before = before ? LLVMGetPreviousInstruction(before) : NULL;
		location = location_in(debug, after, within);
		if (!location)
			location = location_in(debug, before, within);
	}
	return location;
}

/*
 * What was moved or merged by the optimiser has lost its line: the nearest one of the same function
 * in its block or at the end of one before; else the nearest in the block.
 */
static LLVMMetadataRef nearest_location(struct debug *debug, LLVMValueRef instruction,
					LLVMValueRef function)
{
	LLVMMetadataRef own = LLVMInstructionGetDebugLoc(instruction);
	if (own && LLVMDILocationGetLine(own))
		return own;
	LLVMMetadataRef within = own ? subprogram_of(debug, own) : LLVMGetSubprogram(function);
	LLVMMetadataRef found = search(debug, instruction, within);
	LLVMValueRef block = LLVMBasicBlockAsValue(LLVMGetInstructionParent(instruction));
	for (LLVMUseRef use = LLVMGetFirstUse(block); use && !found; use = LLVMGetNextUse(use))
		if (LLVMIsAInstruction(LLVMGetUser(use)))
			found = search(debug, LLVMGetUser(use), within);
	return found ? found : search(debug, instruction, NULL);
}

#define CALLERS_ROOM 4000

/* The functions that the location was inlined into. */
static uint32_t callers_text(struct debug *debug, struct table *table, LLVMMetadataRef location)
{
	char text[CALLERS_ROOM];
	size_t used = 0;
	while ((location = LLVMDILocationGetInlinedAt(location))) {
		LLVMMetadataRef scope = LLVMDILocationGetScope(location);
		uint32_t file = file_text(debug, table, scope);
		uint32_t function = function_text(debug, table, scope);
		int n = snprintf(text + used, sizeof(text) - used, "%s%s:%u:%u:%s", used ? " " : "",
				 table->text.at + file, LLVMDILocationGetLine(location),
				 LLVMDILocationGetColumn(location), table->text.at + function);
		if ((size_t)n >= sizeof(text) - used)
			break;
		used += (size_t)n;
	}
	return table_text(table, text, used);
}

void debug_locate(struct debug *debug, struct table *table, LLVMValueRef instruction,
		  struct site *site)
{
	LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction));
	LLVMMetadataRef location = nearest_location(debug, instruction, function);
	debug_locate_function(debug, table, function, site);
	if (!location)
		return;
	LLVMMetadataRef scope = LLVMDILocationGetScope(location);
	uint32_t name = function_text(debug, table, scope);
	site->file = file_text(debug, table, scope);
	/* of a region, the symbol has the name */
	if (name && strncmp(table->text.at + name, OPENMP_MADE, strlen(OPENMP_MADE)))
		site->function = name;
	site->line = LLVMDILocationGetLine(location);
	site->column = LLVMDILocationGetColumn(location);
	site->callers = callers_text(debug, table, location);
}

void debug_directory(struct debug *debug, struct table *table)
{
	table->directory = table_text(table, debug->directory, debug->directory_length);
}
