/* SPDX-License-Identifier: MIT */
/*
 * dlopen: what it loads is listed. It looks for libraries on behalf of its caller's object, by the
 * address that it returns to. Called from the program itself, which we are part of, it makes no
 * difference that we stand between; other callers it returns to directly. (What they load and Norn
 * built registers itself.)
 */
#include "runtime/modules.h"
#include "runtime/real.h"

static void here(void) {}

static bool is_in_program(const void *pc)
{
	Dl_info caller, program;
	return dladdr(pc, &caller) && dladdr((void *)here, &program) &&
	       caller.dli_fbase == program.dli_fbase;
}

void *NORN_WRAPPER(dlopen)(const char *file, int mode)
{
	struct norn_self *me = &norn_self;
	if (!is_in_program(__builtin_return_address(0)))
		return NORN_REAL(dlopen)(file, mode); /* a jump */
	void *handle = NORN_REAL(dlopen)(file, mode);
	if (handle && norn_enter(me)) {
		norn_list_modules();
		norn_leave(me);
	}
	return handle;
}
