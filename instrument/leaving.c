#include "instrument/leaving.h"

#include "instrument/callee.h"
#include "instrument/rewrite.h"
#include "runtime/hooks.h"

#include <limits.h>
#include <string.h>

#define NONE UINT_MAX

/* The argument that leaves, or where the format is of those that leave. */
static const struct row {
	const char *name;
	unsigned argument, format;
} rows[] = {
	{"printf", NONE, 0},	    {"fprintf", NONE, 1},
	{"dprintf", NONE, 1},	    {"__printf_chk", NONE, 1},
	{"__fprintf_chk", NONE, 2}, {"__dprintf_chk", NONE, 2},
	{"putchar", 0, NONE},	    {"putchar_unlocked", 0, NONE},
	{"putc", 0, NONE},	    {"putc_unlocked", 0, NONE},
	{"fputc", 0, NONE},	    {"fputc_unlocked", 0, NONE},
	{"exit", 0, NONE},	    {"_exit", 0, NONE},
	{"_Exit", 0, NONE},	    {"quick_exit", 0, NONE},
	{"sleep", 0, NONE},	    {"usleep", 0, NONE},
};

static const struct row *row_of(LLVMValueRef call)
{
	LLVMValueRef function = callee_function_behind(LLVMGetCalledValue(call));
	size_t length;
	const char *name = function ? LLVMGetValueName2(function, &length) : "";
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(rows[i].name, name))
			return LLVMIsDeclaration(function) ? &rows[i] : NULL;
	return NULL;
}

/* The global that this is the address of, or NULL. */
static LLVMValueRef global_at(LLVMValueRef value)
{
	while (LLVMIsAConstantExpr(value)) {
		LLVMOpcode op = LLVMGetConstOpcode(value);
		if (op != LLVMBitCast && op != LLVMGetElementPtr)
			return NULL;
		for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(value); i++)
			if (!LLVMIsNull(LLVMGetOperand(value, i)))
				return NULL;
		value = LLVMGetOperand(value, 0);
	}
	return LLVMIsAGlobalVariable(value);
}

/* A string that nobody can change, or NULL. */
static const char *constant_string(LLVMValueRef value)
{
	LLVMValueRef global = global_at(value);
	size_t n;
	if (!global || LLVMIsDeclaration(global) || !LLVMIsGlobalConstant(global))
		return NULL;
	LLVMValueRef text = LLVMGetInitializer(global);
	if (LLVMIsAConstantAggregateZero(text))
		return "";
	if (!LLVMIsConstantString(text))
		return NULL;
	const char *at = LLVMGetAsString(text, &n);
	return memchr(at, 0, n) ? at : NULL;
}

/* A format, and the number of the argument that it takes next. */
struct format {
	const char *at;
	unsigned next;
};

/* A number, or an argument in its place: that one's number, else NONE. */
static unsigned take_number(struct format *f)
{
	if (*f->at == '*') {
		f->at++;
		return f->next++;
	}
	f->at += strspn(f->at, "0123456789");
	return NONE;
}

/*
 * f stands behind a `%`. Whether argument `a` is one that the conversion only prints; `known` is
 * false if it cannot be said what comes next. How much of a string is read is no such thing.
 */
static bool take_conversion(struct format *f, unsigned a, bool *known)
{
	f->at += strspn(f->at, "#0- +'I");
	unsigned width = take_number(f), precision = NONE;
	if (*f->at == '.') {
		f->at++;
		precision = take_number(f);
	}
	f->at += strspn(f->at, "hlqLjzZt");
	char letter = *f->at;
	*known = letter && strchr("diouxXcCpeEfFgGaAsSn%m", letter);
	if (!*known)
		return false;
	f->at++;
	bool prints = !strchr("sSn", letter);
	unsigned argument = strchr("%m", letter) ? NONE : f->next++;
	return a == width || (prints && (a == precision || a == argument));
}

static bool is_printed(const char *format, unsigned first, unsigned a)
{
	struct format f = {format, first};
	for (bool known = true; known && (f.at = strchr(f.at, '%'));) {
		f.at++;
		if (take_conversion(&f, a, &known))
			return known;
	}
	return false;
}

bool leaving_argument(LLVMValueRef call, unsigned a)
{
	const struct row *row = row_of(call);
	if (!row || row->argument == a || row->format == NONE || a <= row->format)
		return row && row->argument == a;
	const char *format = constant_string(LLVMGetOperand(call, row->format));
	return format && is_printed(format, row->format + 1, a);
}

/* Lists of arguments */

bool leaving_takes_list(LLVMValueRef call)
{
	static const char *const names[] = {
		"vprintf",	  "vfprintf",	    "vdprintf",	       "vsprintf",
		"vsnprintf",	  "vasprintf",	    "__vprintf_chk",   "__vfprintf_chk",
		"__vdprintf_chk", "__vsprintf_chk", "__vsnprintf_chk", "__vasprintf_chk",
	};
	struct callee callee = callee_of(call);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (callee.replaced && !strcmp(callee.name, names[i]))
			return true;
	return false;
}

static bool is_intrinsic(LLVMValueRef user, const char *name)
{
	LLVMValueRef function = LLVMIsACallInst(user) ? LLVMGetCalledValue(user) : NULL;
	size_t length;
	return function && LLVMIsAFunction(function) &&
	       !strcmp(LLVMGetValueName2(function, &length), name);
}

/* Is it begun here, and never made a copy of another one? */
static bool is_own_list(LLVMValueRef list, bool *begun)
{
	for (LLVMUseRef use = LLVMGetFirstUse(list); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if ((LLVMIsABitCastInst(user) || LLVMIsAGetElementPtrInst(user)) &&
		    !is_own_list(user, begun))
			return false;
		if (LLVMIsACallInst(user) && callee_of(user).kind == CALLEE_COPY &&
		    LLVMGetOperand(user, 0) == list)
			return false;
		*begun |= is_intrinsic(user, "llvm.va_start");
	}
	return true;
}

void leaving_list(struct function *f, LLVMValueRef call)
{
	bool begun = false;
	if (!leaving_takes_list(call) || LLVMCountParams(f->llvm) >= NORN_SLOTS)
		return;
	LLVMValueRef list = private_base(LLVMGetOperand(call, LLVMGetNumArgOperands(call) - 1));
	if (!LLVMIsAAllocaInst(list) || !is_own_list(list, &begun) || !begun)
		return;
	LLVMValueRef position = position_of(f, f->rest);
	LLVMPositionBuilderBefore(f->module->builder, call);
	module_hook(f->module, "__norn_list", f->module->nothing, &position, 1);
}
