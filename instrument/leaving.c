/* SPDX-License-Identifier: MIT */
#include "instrument/leaving.h"

#include "instrument/callee.h"
#include "instrument/rewrite.h"
#include "runtime/hooks.h"
#include "runtime/known.h"

#include <limits.h>
#include <stdio.h>
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
	{"sleep", 0, NONE},	    {"usleep", 0, NONE},
};

#define STREAM_ROW(name) {#name, 1, NONE},
static const struct row stream_rows[] = {NORN_STREAM_NUMBERS(STREAM_ROW)};

static const struct row *row_named(const struct row *all, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(all[i].name, name))
			return &all[i];
	return NULL;
}

static const struct row *row_of(LLVMValueRef call)
{
	LLVMValueRef function = callee_function_behind(LLVMGetCalledValue(call));
	size_t length;
	const char *name = function ? LLVMGetValueName2(function, &length) : "";
	const struct row *row = row_named(rows, sizeof(rows) / sizeof(*rows), name);
	if (!row)
		row = row_named(stream_rows, sizeof(stream_rows) / sizeof(*stream_rows), name);
	return row && LLVMIsDeclaration(function) ? row : NULL;
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

/* A conversion; arguments are numbers of those of the call, or NONE. */
struct conversion {
	unsigned width, precision, argument;
	bool plain; /* as long as its digits and its sign say, or as a width that is written there
		     */
	bool wide;  /* its argument has 64 bits */
	char letter;
};

/* f stands behind a `%`. False: it cannot be said what comes next. */
static bool parse_conversion(struct format *f, struct conversion *c)
{
	size_t flags = strspn(f->at, "#0- +'I");
	c->plain = !memchr(f->at, '#', flags) && !memchr(f->at, 'I', flags);
	f->at += flags;
	c->width = take_number(f);
	c->precision = NONE;
	if (*f->at == '.') {
		f->at++;
		c->precision = take_number(f);
		c->plain = false;
	}
	size_t sizes = strspn(f->at, "hlqLjzZt");
	c->plain &= !memchr(f->at, 'h', sizes) && c->width == NONE;
	c->wide = sizes;
	f->at += sizes;
	c->letter = *f->at;
	if (!c->letter || !strchr("diouxXcCpeEfFgGaAsSn%m", c->letter))
		return false;
	f->at++;
	c->argument = strchr("%m", c->letter) ? NONE : f->next++;
	return true;
}

/* Whether the conversion only prints argument `a`. How much of a string is read is no such thing.
 */
static bool prints(const struct conversion *c, unsigned a)
{
	return a == c->width ||
	       (!strchr("sSn", c->letter) && (a == c->precision || a == c->argument));
}

/* The one that argument `a` is for, of a format whose arguments are `first` and those behind it. */
static bool find_conversion(const char *format, unsigned first, unsigned a, struct conversion *c)
{
	struct format f = {format, first};
	while ((f.at = strchr(f.at, '%'))) {
		f.at++;
		if (!parse_conversion(&f, c))
			return false;
		if (a == c->width || a == c->precision || a == c->argument)
			return true;
	}
	return false;
}

/* Only numbers, and what stands there. */
static bool prints_numbers(const char *format)
{
	struct format f = {format, 0};
	struct conversion c;
	while ((f.at = strchr(f.at, '%'))) {
		f.at++;
		if (!parse_conversion(&f, &c) || strchr("sSn", c.letter))
			return false;
	}
	return true;
}

bool leaving_is_counted(LLVMValueRef call)
{
	const struct row *row = LLVMGetFirstUse(call) ? row_of(call) : NULL;
	const char *format = row && row->format != NONE
				     ? constant_string(LLVMGetOperand(call, row->format))
				     : NULL;
	return format && prints_numbers(format);
}

bool leaving_argument(LLVMValueRef call, unsigned a)
{
	const struct row *row = row_of(call);
	if (leaving_is_counted(call))
		return false;
	if (!row || row->argument == a || row->format == NONE || a <= row->format)
		return row && row->argument == a;
	const char *format = constant_string(LLVMGetOperand(call, row->format));
	struct conversion c;
	return format && find_conversion(format, row->format + 1, a, &c) && prints(&c, a);
}

/* Text in memory */

/* Where the format is; NONE: it is another function. */
static unsigned format_in_memory(LLVMValueRef call)
{
	static const struct row memory[] = {{"sprintf", NONE, 1},
					    {"snprintf", NONE, 2},
					    {"__sprintf_chk", NONE, 3},
					    {"__snprintf_chk", NONE, 4}};
	struct callee callee = callee_of(call);
	for (size_t i = 0; callee.replaced && i < sizeof(memory) / sizeof(*memory); i++)
		if (!strcmp(callee.name, memory[i].name))
			return memory[i].format;
	return NONE;
}

/* A number of 32 or 64 bits, in a base that its length is known by. */
static bool is_measured(LLVMValueRef call, unsigned a, struct conversion *c)
{
	unsigned at = format_in_memory(call);
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(call, a));
	const char *format =
		at == NONE || a <= at ? NULL : constant_string(LLVMGetOperand(call, at));
	if (!format || LLVMGetTypeKind(type) != LLVMIntegerTypeKind ||
	    !find_conversion(format, at + 1, a, c) || a != c->argument || !c->plain)
		return false;
	return strchr("diuxXo", c->letter) && LLVMGetIntTypeWidth(type) == (c->wide ? 64 : 32);
}

bool leaving_measured(LLVMValueRef call, unsigned a)
{
	struct conversion c;
	return is_measured(call, a, &c);
}

/* The numbers with as many digits, from `first` on up to `last`, for each length: "0-9 / 10-99". */
static size_t put_lengths(char *text, size_t room, uint64_t base, uint64_t last, bool below_zero,
			  uint64_t mask)
{
	size_t n = 0;
	for (uint64_t first = below_zero; first <= last;) {
		uint64_t top = first < base ? base - 1 : first * base - 1;
		if (top > last || top < first || first > UINT64_MAX / base)
			top = last;
		uint64_t low = below_zero ? -top & mask : first;
		uint64_t high = below_zero ? -first & mask : top;
		n += (size_t)snprintf(text + n, room - n, "%s%llu-%llu", n ? " / " : "",
				      (unsigned long long)low, (unsigned long long)high);
		if (top == last)
			break;
		first = top + 1;
	}
	return n;
}

/* Values of each length are a way of their own (runtime/sites.h). */
static uint32_t lengths(struct function *f, const struct conversion *c)
{
	char text[1600];
	uint64_t mask = c->wide ? UINT64_MAX : UINT32_MAX;
	bool with_sign = c->letter == 'd' || c->letter == 'i';
	uint64_t base = strchr("xX", c->letter) ? 16 : c->letter == 'o' ? 8 : 10;
	size_t n = put_lengths(text, sizeof(text), base, with_sign ? mask >> 1 : mask, false, mask);
	if (with_sign) {
		n += (size_t)snprintf(text + n, sizeof(text) - n, " / ");
		n += put_lengths(text + n, sizeof(text) - n, base, (mask >> 1) + 1, true, mask);
	}
	return table_text(&f->module->table, text, n);
}

/* "Its length is the same." It has a position of its own. */
static void put_length(struct function *f, const struct site *like, LLVMValueRef position,
		       const struct conversion *c)
{
	struct module *module = f->module;
	struct site site = *like;
	site.kind = SITE_SWITCH;
	site.flags = SITE_EXACT;
	site.values = 1;
	site.addresses = 0;
	site.expression = table_text(&module->table, "%0", 2);
	site.ways = lengths(f, c);
	LLVMValueRef zero = module_i64(module, 0);
	LLVMValueRef arguments[] = {module_site(module, &site), position, zero, zero};
	module_hook(module, "__norn_branch_from", module->nothing, arguments, 4);
	module->counts.guards++;
}

void leaving_measure(struct function *f, const struct site *site, LLVMValueRef call)
{
	struct items items = {0};
	for (unsigned a = 0; a < LLVMGetNumArgOperands(call); a++) {
		struct conversion c;
		LLVMValueRef value = LLVMGetOperand(call, a);
		struct deps deps = function_deps(f, value);
		if (!deps.n || !is_measured(call, a, &c))
			continue;
		uint32_t same = function_same(f, value);
		if (same == MAP_NONE) {
			control_guard(f, call, site, 0, deps.item, deps.n);
			continue;
		}
		LLVMPositionBuilderBefore(f->module->builder, call);
		put_length(f, site, position_of(f, same), &c);
		items_add(&items, &(struct deps){.n = 1, .item = {same}});
	}
	if (items.n) {
		LLVMPositionBuilderBefore(f->module->builder, call);
		LLVMValueRef position = items.n == 1 ? position_of(f, items.at[0])
						     : position_joined(f, items.at, items.n);
		module_hook(f->module, "__norn_printed", f->module->nothing, &position, 1);
	}
	vec_release(&items);
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
