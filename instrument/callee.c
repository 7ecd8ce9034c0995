/* SPDX-License-Identifier: MIT */
#include "instrument/callee.h"

#include "instrument/model.h"
#include "instrument/module.h"
#include "runtime/known.h"

#include <llvm-c/Comdat.h>

#include <string.h>
#include <sys/syscall.h>

static bool has_prefix(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

static bool in_list(const char *const *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i], name))
			return true;
	return false;
}

#define LISTED(list, name) in_list(list, sizeof(list) / sizeof(*(list)), name)
#define NAME_ROW(name) #name,

static const char *const replaced_names[] = {NORN_REPLACED(NAME_ROW)};
static const char *const known_names[] = {NORN_INTERPOSED(NAME_ROW) NORN_QUIET(NAME_ROW)};

static const char *const stream_names[] = {NORN_STREAM(NAME_ROW)};
static const char *const openmp_names[] = {NORN_OPENMP(NAME_ROW)};
static const char *const pure_names[] = {NORN_PURE(NAME_ROW)};
static const char *const seeing_names[] = {NORN_SEES(NAME_ROW)};

/* Hooks around calls of libc that order threads outside memory. */
static const struct {
	const char *hook;
	size_t n;
	const char *const *names;
} around[] = {
#define NAMES(list)            \
	(const char *const[])  \
	{                      \
		list(NAME_ROW) \
	}
#define AROUND(hook, list)                                              \
	{                                                               \
		hook, sizeof(NAMES(list)) / sizeof(char *), NAMES(list) \
	}
	AROUND("__norn_process_changes", NORN_PROCESS_CHANGES),
	AROUND("__norn_process_looks", NORN_PROCESS_LOOKS),
	AROUND("__norn_locale_changes", NORN_LOCALE_CHANGES),
	AROUND("__norn_locale_looks", NORN_LOCALE_LOOKS),
	AROUND("__norn_memory_looks", NORN_MEMORY_LOOKS),
	AROUND("__norn_stream_changes", NORN_STREAM_CHANGES),
	AROUND("__norn_descriptor_changes", NORN_DESCRIPTOR_CHANGES),
	AROUND("__norn_orders", NORN_ORDERS),
};

/* Those that call _Znwm, or are it. */
static const char *const new_names[] = {
	"_Znwm",
	"_Znam",
	"_ZnwmRKSt9nothrow_t",
	"_ZnamRKSt9nothrow_t",
};

static const char *const object_names[] = {"free",
					   "_ZdlPv",
					   "_ZdlPvm",
					   "pthread_mutex_lock",
					   "pthread_mutex_trylock",
					   "pthread_mutex_unlock",
					   "pthread_rwlock_rdlock",
					   "pthread_rwlock_tryrdlock",
					   "pthread_rwlock_wrlock",
					   "pthread_rwlock_trywrlock",
					   "pthread_rwlock_unlock",
					   "pthread_spin_lock",
					   "pthread_spin_trylock",
					   "pthread_spin_unlock",
					   "pthread_cond_wait",
					   "pthread_cond_signal",
					   "pthread_cond_broadcast",
					   "pthread_barrier_wait",
					   "sem_wait",
					   "sem_trywait",
					   "sem_post",
					   "mtx_lock",
					   "mtx_trylock",
					   "mtx_unlock",
					   "cnd_wait",
					   "cnd_signal",
					   "cnd_broadcast"};

/* Results that no earlier read decides, once the arguments are fixed (callee.h). */
static const char *const fixed_names[] = {
	"malloc",
	"calloc",
	"realloc",
	"reallocarray",
	"aligned_alloc",
	"memalign",
	"valloc",
	"_Znwm",
	"_Znam",
	"_ZnwmRKSt9nothrow_t",
	"_ZnamRKSt9nothrow_t",
	"_ZnwmSt11align_val_t",
	"_ZnamSt11align_val_t",
	"__cxa_allocate_exception",
	"__cxa_begin_catch",
	"__cxa_get_exception_ptr",
	"__dynamic_cast",
	"frexp",
	"frexpf",
	"frexpl",
	"modf",
	"modff",
	"modfl",
	"sscanf",
	"vsscanf",
	"__isoc99_sscanf",
	"__isoc99_vsscanf",
	"__errno_location",
	"getpid",
	"getppid",
	"gettid",
	"getuid",
	"geteuid",
	"getgid",
	"getegid",
	"getpagesize",
	"sysconf",
	"getauxval",
	"get_nprocs",
	"get_nprocs_conf",
	"_ZNSt6thread20hardware_concurrencyEv",
	"sched_yield",
	"fopen",
	"fopen64",
	"tmpfile",
	"tmpfile64",
	"opendir",
	"open",
	"open64",
	"openat",
	"openat64",
	"creat",
	"creat64",
	"socket",
	"accept",
	"accept4",
	"read",
	"pread",
	"pread64",
	"__read_chk",
	"__pread_chk",
	"__pread64_chk",
	"recv",
	"__recv_chk",
	"write",
	"pwrite",
	"pwrite64",
	"readv",
	"writev",
	"send",
	"sendmsg",
	"close",
	"shutdown",
	"listen",
	"access",
	"chdir",
	"chmod",
	"chown",
	"fchmod",
	"lchown",
	"link",
	"mkdir",
	"rename",
	"rmdir",
	"symlink",
	"unlink",
	"eventfd",
	"epoll_create",
	"epoll_create1",
	"sleep",
	"nanosleep",
	"clock_nanosleep",
	"time",
	"clock",
	"clock_gettime",
	"clock_getres",
	"gettimeofday",
	"timespec_get",
	"_ZNSt6chrono3_V212system_clock3nowEv",
	"_ZNSt6chrono3_V212steady_clock3nowEv",
	"pipe",
	"pipe2",
	"socketpair",
	"mmap",
	"mmap64",
	"munmap",
	"posix_memalign",
	"setjmp",
	"_setjmp",
	"__sigsetjmp",
	"usleep",
	"thrd_current",
	"pthread_self",
	"__ctype_b_loc",
	"__ctype_tolower_loc",
	"__ctype_toupper_loc",
	"__ctype_get_mb_cur_max",
	"pthread_create",
	"pthread_join",
	"pthread_detach",
	"pthread_kill",
	"pthread_key_create",
	"pthread_setspecific",
	"pthread_getspecific",
	"tss_get",
	"tss_set",
	"fesetround",
	"pthread_mutex_init",
	"pthread_mutex_destroy",
	"pthread_mutex_lock",
	"pthread_mutex_trylock",
	"pthread_mutex_unlock",
	"pthread_rwlock_rdlock",
	"pthread_rwlock_wrlock",
	"pthread_rwlock_tryrdlock",
	"pthread_rwlock_trywrlock",
	"pthread_rwlock_unlock",
	"pthread_spin_lock",
	"pthread_spin_trylock",
	"pthread_spin_unlock",
	"pthread_cond_init",
	"pthread_cond_destroy",
	"pthread_cond_wait",
	"pthread_cond_timedwait",
	"pthread_cond_signal",
	"pthread_cond_broadcast",
	"pthread_barrier_init",
	"pthread_barrier_destroy",
	"pthread_barrier_wait",
	"pthread_once",
	"sem_init",
	"sem_destroy",
	"sem_wait",
	"sem_trywait",
	"sem_timedwait",
	"sem_post",
	"mtx_init",
	"mtx_lock",
	"mtx_trylock",
	"mtx_unlock",
	"cnd_init",
	"cnd_wait",
	"cnd_timedwait",
	"cnd_signal",
	"cnd_broadcast",
	"thrd_create",
	"__cxa_guard_acquire",
	"bsearch",
	"lfind",
	"lsearch",
	"strcpy",
	"strncpy",
	"strcat",
	"strncat",
	"__strcpy_chk",
	"__strncpy_chk",
	"__strcat_chk",
	"__strncat_chk",
	"strdup",
	"strndup",
	"mempcpy",
	"__memcpy_chk",
	"__memmove_chk",
	"__mempcpy_chk",
	"__memset_chk",
	"wmemcpy",
	"wmemmove",
	"wmempcpy",
	"wmemset",
	"wcscpy",
	"wcsncpy",
	"wcscat",
	"wcsncat",
	"wcsdup",
};

/* Intrinsics with pointers that the program's memory does not notice. */
static const char *const harmless_intrinsics[] = {
	"llvm.dbg.",	   "llvm.lifetime.",	  "llvm.assume",      "llvm.invariant.",
	"llvm.va_",	   "llvm.stack",	  "llvm.prefetch",    "llvm.eh.",
	"llvm.trap",	   "llvm.debugtrap",	  "llvm.donothing",   "llvm.sideeffect",
	"llvm.launder.",   "llvm.strip.",	  "llvm.var.annot",   "llvm.ptr.annot",
	"llvm.annotation", "llvm.codeview.",	  "llvm.pseudoprobe", "llvm.experimental.noalias",
	"llvm.ubsantrap",  "llvm.is.constant",	  "llvm.objectsize",  "llvm.instrprof",
	"llvm.read",	   "llvm.write_register", "llvm.flt.rounds",  "llvm.thread.pointer",
};

static enum callee_kind intrinsic_kind(LLVMValueRef function, const char *name)
{
	if (has_prefix(name, "llvm.memcpy.element") || has_prefix(name, "llvm.memmove.element") ||
	    has_prefix(name, "llvm.memset.element"))
		return CALLEE_LEFT;
	if (has_prefix(name, "llvm.memcpy.") || has_prefix(name, "llvm.memmove."))
		return CALLEE_COPY;
	if (has_prefix(name, "llvm.memset."))
		return CALLEE_FILL;
	for (size_t i = 0; i < sizeof(harmless_intrinsics) / sizeof(*harmless_intrinsics); i++)
		if (has_prefix(name, harmless_intrinsics[i]))
			return CALLEE_QUIET;
	if (module_has_attribute(function, LLVMAttributeFunctionIndex, "readnone"))
		return CALLEE_PURE;
	return CALLEE_LEFT;
}

LLVMValueRef callee_function_behind(LLVMValueRef value)
{
	for (;;) {
		if (LLVMIsAFunction(value))
			return value;
		if (LLVMIsAGlobalAlias(value))
			value = LLVMAliasGetAliasee(value);
		else if (LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMBitCast)
			value = LLVMGetOperand(value, 0);
		else
			return NULL;
	}
}

bool callee_is_call(LLVMValueRef instruction)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(instruction);
	return op == LLVMCall || op == LLVMInvoke || op == LLVMCallBr;
}

static bool is_resolver(LLVMValueRef function)
{
	LLVMModuleRef module = LLVMGetGlobalParent(function);
	for (LLVMValueRef i = LLVMGetFirstGlobalIFunc(module); i; i = LLVMGetNextGlobalIFunc(i))
		if (callee_function_behind(LLVMGetGlobalIFuncResolver(i)) == function)
			return true;
	return false;
}

bool callee_gets_hooks(LLVMValueRef function)
{
	if (LLVMIsDeclaration(function) ||
	    LLVMGetLinkage(function) == LLVMAvailableExternallyLinkage || model_is_front(function))
		return false;
	static const char *const without[] = {"naked", "disable_sanitizer_instrumentation"};
	for (size_t i = 0; i < sizeof(without) / sizeof(*without); i++)
		if (module_has_attribute(function, LLVMAttributeFunctionIndex, without[i]))
			return false;
	static const char *const strings[] = {"no_instrument_function", "no-instrument-function"};
	for (size_t i = 0; i < sizeof(strings) / sizeof(*strings); i++)
		if (LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, strings[i],
						  (unsigned)strlen(strings[i])))
			return false;
	return !is_resolver(function);
}

/* Another definition may take its place when the program is linked. */
static bool replaceable(LLVMValueRef function)
{
	LLVMLinkage linkage = LLVMGetLinkage(function);
	return linkage == LLVMWeakAnyLinkage || linkage == LLVMLinkOnceAnyLinkage ||
	       linkage == LLVMExternalWeakLinkage;
}

bool callee_is_assembly_on_memory(LLVMValueRef call)
{
	LLVMValueRef value = LLVMGetCalledValue(call);
	if (!LLVMIsAInlineAsm(value))
		return false;
	/* TYPE asm sideeffect "TEXT", "CONSTRAINTS": the C API has no other way to it */
	char *printed = LLVMPrintValueToString(value);
	const char *text = strstr(printed, " asm "), *quote = text ? strchr(text, '"') : NULL;
	bool result =
		quote && quote[1] != '"' && (strstr(quote, "~{memory}") || strstr(quote, "*m"));
	LLVMDisposeMessage(printed);
	return result;
}

/* Of all that syscall can do, the runtime knows this. */
static bool is_futex_call(LLVMValueRef call, const char *name)
{
	if (strcmp(name, "syscall") != 0 || !LLVMGetNumArgOperands(call))
		return false;
	LLVMValueRef number = LLVMGetOperand(call, 0);
	return LLVMIsAConstantInt(number) && LLVMConstIntGetZExtValue(number) == SYS_futex;
}

/* Others learn nothing by these. */
static bool is_quiet_system_call(LLVMValueRef call, const char *name)
{
	static const long quiet[] = {SYS_gettid,	  SYS_getpid,	   SYS_getppid,
				     SYS_getcpu,	  SYS_sched_yield, SYS_clock_gettime,
				     SYS_gettimeofday,	  SYS_time,	   SYS_getrandom,
				     SYS_membarrier,	  SYS_rseq,	   SYS_nanosleep,
				     SYS_clock_nanosleep, SYS_futex};
	if (strcmp(name, "syscall") != 0 || !LLVMGetNumArgOperands(call) ||
	    !LLVMIsAConstantInt(LLVMGetOperand(call, 0)))
		return false;
	for (size_t i = 0; i < sizeof(quiet) / sizeof(*quiet); i++)
		if (LLVMConstIntGetSExtValue(LLVMGetOperand(call, 0)) == quiet[i])
			return true;
	return false;
}

/* A constructor of a stream or its buffer, or what such a one calls: they take the global locale.
 */
static bool makes_stream(const char *name)
{
	static const char *const classes[] = {"8ios_baseC",
					      "9basic_iosI",
					      "13basic_filebufI",
					      "13basic_fstreamI",
					      "13basic_istreamI",
					      "13basic_ostreamI",
					      "14basic_ifstreamI",
					      "14basic_iostreamI",
					      "14basic_ofstreamI",
					      "15basic_streambufI",
					      "15basic_stringbufI",
					      "18basic_stringstreamI",
					      "19basic_istringstreamI",
					      "19basic_ostringstreamI"};
	static const char space[] = "_ZNSt", version[] = "7__cxx11";
	if (has_prefix(name, "_ZNSoC") || has_prefix(name, "_ZNSiC") || has_prefix(name, "_ZNSdC"))
		return true;
	if (!has_prefix(name, space))
		return false;
	const char *class = name + strlen(space);
	if (has_prefix(class, version))
		class += strlen(version);
	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		if (has_prefix(class, classes[i]))
			return strstr(class, "C1E") || strstr(class, "C2E") ||
			       strstr(class, "E4initE");
	return false;
}

static const char *hook_around(const char *name)
{
	if (makes_stream(name))
		return "__norn_locale_looks";
	for (size_t i = 0; i < sizeof(around) / sizeof(*around); i++)
		if (in_list(around[i].names, around[i].n, name))
			return around[i].hook;
	return NULL;
}

bool callee_orders_outside(const char *name)
{
	return hook_around(name) != NULL;
}

bool callee_is_known(const char *name)
{
	return LISTED(known_names, name);
}

bool callee_is_replaced(const char *name)
{
	return LISTED(replaced_names, name);
}

/* Functions that look at what no thread changes once it is there, and change nothing. */
static const char *const quiet_names[] = {
	"__dynamic_cast",
};

/* As is known here, or as the compiler has found out: no memory that the program can see. */
static bool touches_nothing(LLVMValueRef call, LLVMValueRef function, const char *name)
{
	if (LISTED(quiet_names, name))
		return true;
	static const char *const names[] = {"readnone", "inaccessiblememonly"};
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		unsigned kind = LLVMGetEnumAttributeKindForName(names[i], strlen(names[i]));
		if (module_has_attribute(function, LLVMAttributeFunctionIndex, names[i]) ||
		    LLVMGetCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, kind))
			return true;
	}
	return false;
}

/* Those of NORN_PURE, unless an argument or the result is in memory. */
static bool is_pure(LLVMValueRef call, const char *name)
{
	if (!LISTED(pure_names, name))
		return false;
	for (unsigned a = 0; a < LLVMGetNumArgOperands(call); a++)
		if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(call, a))) == LLVMPointerTypeKind)
			return false;
	return true;
}

bool callee_is_on_object(LLVMValueRef call)
{
	return LISTED(object_names, callee_of(call).name);
}

struct callee callee_of(LLVMValueRef call)
{
	LLVMValueRef value = LLVMGetCalledValue(call);
	struct callee callee = {.kind = CALLEE_INDIRECT, .name = "", .unseen = true};
	if (LLVMIsAInlineAsm(value)) {
		callee.kind = CALLEE_ASSEMBLY;
		callee.unseen = false;
		return callee;
	}
	callee.function = callee_function_behind(value);
	if (!callee.function)
		return callee;
	size_t length;
	callee.name = LLVMGetValueName2(callee.function, &length);
	if (callee.name[0] == '\1')
		callee.name++;
	if (LLVMGetIntrinsicID(callee.function)) {
		callee.kind = intrinsic_kind(callee.function, callee.name);
		callee.fixed_result = has_prefix(callee.name, "llvm.eh.typeid.for") ||
				      has_prefix(callee.name, "llvm.is.constant");
		callee.unseen = false;
		return callee;
	}
	if (model_is_front(callee.function)) {
		callee.kind = CALLEE_OUTSIDE;
		callee.modelled = true;
		callee.fixed_result = model_is_fixed(callee.function);
		callee.unseen = false;
		return callee;
	}
	if (callee_gets_hooks(callee.function) && !replaceable(callee.function)) {
		callee.kind = CALLEE_HOOKED;
		callee.unseen = false;
		return callee;
	}
	callee.kind = CALLEE_OUTSIDE;
	callee.unknown = true;
	if (!LLVMIsDeclaration(callee.function))
		return callee;
	unsigned n = LLVMGetNumArgOperands(call);
	if (n == 3 && (!strcmp(callee.name, "memcpy") || !strcmp(callee.name, "memmove")))
		callee.kind = CALLEE_COPY;
	else if (n == 3 && !strcmp(callee.name, "memset"))
		callee.kind = CALLEE_FILL;
	else if (is_pure(call, callee.name))
		callee.kind = CALLEE_PURE;
	callee.returns_destination = callee.kind == CALLEE_COPY || callee.kind == CALLEE_FILL;
	callee.unknown = callee.kind == CALLEE_OUTSIDE && !is_futex_call(call, callee.name);
	callee.replaced = LISTED(replaced_names, callee.name) || is_futex_call(call, callee.name);
	callee.fixed_result = LISTED(fixed_names, callee.name) ||
			      LISTED(stream_names, callee.name) ||
			      LISTED(openmp_names, callee.name);
	callee.sees = LISTED(seeing_names, callee.name);
	callee.allocates = LISTED(new_names, callee.name);
	callee.around = is_quiet_system_call(call, callee.name) ? NULL : hook_around(callee.name);
	callee.unseen = callee.kind == CALLEE_OUTSIDE && !callee.replaced &&
			!callee_is_known(callee.name) &&
			!touches_nothing(call, callee.function, callee.name);
	return callee;
}

/* LLVM 14's C interface tells tail calls, not those that must be. */
static bool must_be_last(LLVMValueRef call)
{
	char *text = LLVMPrintValueToString(call);
	bool must = strstr(text, "musttail call ") != NULL;
	LLVMDisposeMessage(text);
	return must;
}

bool callee_ends_function(LLVMValueRef call)
{
	if (!LLVMIsACallInst(call) || !LLVMIsTailCall(call))
		return false;
	LLVMValueRef next = LLVMGetNextInstruction(call);
	if (next && LLVMIsABitCastInst(next) && LLVMGetOperand(next, 0) == call)
		next = LLVMGetNextInstruction(next);
	return next && LLVMIsAReturnInst(next) && must_be_last(call);
}

LLVMValueRef callee_of_end(LLVMValueRef leave)
{
	LLVMValueRef i = LLVMGetPreviousInstruction(leave);
	if (i && LLVMIsABitCastInst(i))
		i = LLVMGetPreviousInstruction(i);
	return i && LLVMIsACallInst(i) && callee_ends_function(i) ? i : NULL;
}

bool callee_returns_twice(LLVMValueRef call)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("returns_twice", 13);
	LLVMValueRef function = callee_function_behind(LLVMGetCalledValue(call));
	return LLVMGetCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, kind) ||
	       (function &&
		module_has_attribute(function, LLVMAttributeFunctionIndex, "returns_twice"));
}

/* Tables that only code with hooks looks into, and such as are the compiler's own. */
static bool is_inner_table(LLVMValueRef global)
{
	size_t length;
	const char *name = LLVMGetValueName2(global, &length);
	return has_prefix(name, "_ZTV") || has_prefix(name, "_ZTC") || has_prefix(name, "llvm.");
}

static bool is_referred_to(LLVMValueRef function, bool (*is_left_out)(LLVMValueRef))
{
	for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (LLVMIsAInstruction(user)) {
			if (!callee_is_call(user) || LLVMGetCalledValue(user) != function)
				return true;
			for (unsigned a = 0; a < LLVMGetNumArgOperands(user); a++)
				if (LLVMGetOperand(user, a) == function)
					return true;
		} else if (LLVMIsAGlobalVariable(user)) {
			if (!is_left_out(user))
				return true;
		} else if (!LLVMIsAFunction(user) && !LLVMIsABlockAddress(user) &&
			   is_referred_to(user, is_left_out)) {
			return true;
		}
	}
	return false;
}

/* std::thread runs what it was given by a virtual function that libstdc++ calls. */
static bool is_run_by_thread(LLVMValueRef function)
{
	size_t length;
	const char *name = LLVMGetValueName2(function, &length);
	return has_prefix(name, "_ZNSt6thread11_State_impl") && strstr(name, "6_M_runEv");
}

static bool is_used_here(LLVMValueRef function)
{
	for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use))
		if (LLVMIsAInstruction(LLVMGetUser(use)))
			return true;
	return false;
}

bool callee_is_for_others(LLVMValueRef function)
{
	size_t length;
	return LLVMGetLinkage(function) == LLVMExternalLinkage && !is_used_here(function) &&
	       LLVMCountParams(function) &&
	       LLVMGetTypeKind(LLVMTypeOf(LLVMGetParam(function, 0))) == LLVMPointerTypeKind &&
	       strcmp(LLVMGetValueName2(function, &length), "main") != 0;
}

static bool has_flag(LLVMModuleRef llvm, const char *name)
{
	return LLVMGetModuleFlag(llvm, name, strlen(name)) != NULL;
}

bool callee_is_for_library(LLVMModuleRef llvm)
{
	return has_flag(llvm, "PIC Level") && !has_flag(llvm, "PIE Level");
}

bool callee_is_exported(LLVMValueRef function)
{
	return !LLVMIsDeclaration(function) && LLVMGetLinkage(function) == LLVMExternalLinkage &&
	       LLVMGetVisibility(function) != LLVMHiddenVisibility &&
	       callee_is_for_library(LLVMGetGlobalParent(function));
}

bool callee_gets_out(LLVMValueRef function)
{
	return is_run_by_thread(function) || is_referred_to(function, is_inner_table);
}

static bool is_of_compiler(LLVMValueRef global)
{
	size_t length;
	return has_prefix(LLVMGetValueName2(global, &length), "llvm.");
}

static bool is_own(LLVMValueRef function)
{
	LLVMLinkage linkage = LLVMGetLinkage(function);
	return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
}

bool callee_is_inner(LLVMValueRef function)
{
	return is_own(function) && !is_referred_to(function, is_of_compiler);
}

bool callee_is_reachable(LLVMValueRef function)
{
	bool own = is_own(function);
	/* what goes with a group that another module may have instead cannot be named here */
	if (own && LLVMGetComdat(function))
		return false;
	return !own || is_referred_to(function, is_of_compiler);
}
