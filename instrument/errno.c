/* SPDX-License-Identifier: MIT */
#include "instrument/errno.h"

#include "instrument/callee.h"
#include "instrument/private.h"

#include <string.h>

/* What is looked at, at most. */
#define STEPS_MOST 500
#define BLOCKS_MOST 30
#define FAILED_MOST 4

/*
 * They set it if they fail, and leave it alone if not; both is fixed with their arguments and the
 * order of calls (doc/recording.md, "What depends on what").
 */
static const char *const system_names[] = {
	"open",	    "open64", "openat",	 "openat64",   "creat",	    "creat64",	     "close",
	"read",	    "pread",  "pread64", "readv",      "write",	    "pwrite",	     "pwrite64",
	"writev",   "send",   "sendmsg", "recv",       "socket",    "accept",	     "accept4",
	"shutdown", "listen", "access",	 "chdir",      "chmod",	    "chown",	     "fchmod",
	"lchown",   "link",   "mkdir",	 "rename",     "rmdir",	    "symlink",	     "unlink",
	"eventfd",  "pipe",   "pipe2",	 "socketpair", "nanosleep", "epoll_create",  "usleep",
	"munmap",   "fopen",  "fopen64", "opendir",    "mmap",	    "epoll_create1", "mmap64",
};

/* What they set depends on the text that they have looked at. */
static const char *const conversion_names[] = {
	"strtol",    "strtoll", "strtoul", "strtoull", "strtoimax",
	"strtoumax", "strtof",	"strtod",  "strtold",
};

/* They leave it alone, whatever happens. */
static const char *const other_names[] = {
	"__errno_location",
	"strlen",
	"strnlen",
	"strcmp",
	"strncmp",
	"memcmp",
	"bcmp",
	"memchr",
	"strchr",
	"strrchr",
	"memcpy",
	"memmove",
	"memset",
	"free",
	"pthread_mutex_lock",
	"pthread_mutex_unlock",
	"_ZdlPv",
	"_ZdlPvm",
};

#define AMONG(names, name) is_among(names, sizeof(names) / sizeof(*(names)), name)

static bool is_among(const char *const *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

bool errno_is_at(LLVMValueRef address)
{
	return LLVMIsACallInst(address) && !strcmp(callee_of(address).name, "__errno_location");
}

/* A way back through a function. */
struct search {
	LLVMValueRef failed[FAILED_MOST]; /* calls that have failed, on this way */
	unsigned failed_count;
	LLVMValueRef from;
	unsigned steps;
};

enum found { GOES_ON, FOUND, NOT_KNOWN };

static bool has_failed(const struct search *s, LLVMValueRef call)
{
	for (unsigned i = 0; i < s->failed_count; i++)
		if (s->failed[i] == call)
			return true;
	return false;
}

static enum found look_at_call(struct search *s, LLVMValueRef call)
{
	struct callee callee = callee_of(call);
	if (callee.function && LLVMGetIntrinsicID(callee.function))
		return GOES_ON;
	if (callee.kind == CALLEE_HOOKED || !callee.function || !LLVMIsDeclaration(callee.function))
		return NOT_KNOWN;
	if (AMONG(other_names, callee.name))
		return GOES_ON;
	if (AMONG(system_names, callee.name))
		return has_failed(s, call) ? FOUND : GOES_ON;
	if (!callee.sees || !AMONG(conversion_names, callee.name) || s->from)
		return NOT_KNOWN;
	s->from = call;
	return GOES_ON;
}

/* May it be to errno, by an address that was kept? No other object of the program is that. */
static enum found look_at_store(LLVMValueRef store)
{
	LLVMValueRef base = private_base(LLVMGetOperand(store, 1));
	if (errno_is_at(base))
		return LLVMIsAConstantInt(LLVMGetOperand(store, 0)) ? FOUND : NOT_KNOWN;
	if (LLVMIsAAllocaInst(base) || LLVMIsAGlobalVariable(base))
		return GOES_ON;
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(store, 0));
	return LLVMGetTypeKind(type) == LLVMPointerTypeKind ? GOES_ON : NOT_KNOWN;
}

static enum found look_at(struct search *s, LLVMValueRef i)
{
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMStore: return look_at_store(i);
	case LLVMCall: return look_at_call(s, i);
	case LLVMInvoke: return look_at_call(s, i) == GOES_ON ? GOES_ON : NOT_KNOWN;
	case LLVMCallBr:
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
	case LLVMLandingPad:
	case LLVMFence: return NOT_KNOWN;
	default: return GOES_ON;
	}
}

static bool is_number(LLVMValueRef value, long long number)
{
	return LLVMIsAConstantInt(value) && LLVMConstIntGetSExtValue(value) == number;
}

/* Does it say that a call has returned -1, or NULL, if the condition holds, or if it does not? */
static bool tells_failure(LLVMValueRef condition, bool holds)
{
	LLVMValueRef right = LLVMGetOperand(condition, 1);
	bool pointer = LLVMGetTypeKind(LLVMTypeOf(right)) == LLVMPointerTypeKind;
	bool failure = pointer ? LLVMIsAConstantPointerNull(right) != NULL : is_number(right, -1);
	switch (LLVMGetICmpPredicate(condition)) {
	case LLVMIntEQ: return holds && failure;
	case LLVMIntNE: return !holds && failure;
	case LLVMIntSLT: return holds && is_number(right, 0);
	case LLVMIntSGT: return !holds && is_number(right, -1);
	default: return false;
	}
}

/* The only block from which this one is reached, or NULL. */
static LLVMBasicBlockRef block_before(LLVMBasicBlockRef block)
{
	LLVMBasicBlockRef before = NULL;
	for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use;
	     use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (!LLVMIsAInstruction(user) || !LLVMIsATerminatorInst(user))
			return NULL;
		LLVMBasicBlockRef from = LLVMGetInstructionParent(user);
		if (before && before != from)
			return NULL;
		before = from;
	}
	return before;
}

static void note_failure(struct search *s, LLVMBasicBlockRef before, LLVMBasicBlockRef block)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(before);
	if (!LLVMIsABranchInst(end) || !LLVMIsConditional(end) ||
	    LLVMGetSuccessor(end, 0) == LLVMGetSuccessor(end, 1))
		return;
	LLVMValueRef condition = LLVMGetCondition(end);
	if (!LLVMIsAICmpInst(condition) ||
	    !tells_failure(condition, LLVMGetSuccessor(end, 0) == block))
		return;
	LLVMValueRef call = LLVMGetOperand(condition, 0);
	if (LLVMIsACallInst(call) && s->failed_count < FAILED_MOST)
		s->failed[s->failed_count++] = call;
}

bool errno_is_known(LLVMValueRef load, LLVMValueRef *from)
{
	struct search s = {0};
	LLVMBasicBlockRef block = LLVMGetInstructionParent(load);
	LLVMValueRef i = LLVMGetPreviousInstruction(load);
	enum found found = GOES_ON;
	*from = NULL;
	for (unsigned blocks = 0; found == GOES_ON && blocks < BLOCKS_MOST; blocks++) {
		for (; found == GOES_ON && i; i = LLVMGetPreviousInstruction(i))
			found = s.steps++ < STEPS_MOST ? look_at(&s, i) : NOT_KNOWN;
		LLVMBasicBlockRef before = found == GOES_ON ? block_before(block) : NULL;
		if (!before)
			break;
		note_failure(&s, before, block);
		block = before;
		i = LLVMGetLastInstruction(block);
	}
	*from = s.from;
	return found == FOUND;
}
