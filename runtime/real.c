/* SPDX-License-Identifier: MIT */
#include "runtime/real.h"

#include "runtime/run.h"

#ifndef NORN_STATIC

struct norn_real norn_real_functions;

static void *find_condition(const char *name)
{
	void *found = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
	return found ? found : dlsym(RTLD_NEXT, name);
}

/*
 * Several threads may do this at once, with the same result: a lock could be waited for by a thread
 * that dlsym waits for. dlsym may call malloc: see memory.c.
 */
void norn_find_real(void)
{
	struct norn_self *me = &norn_self;
	uintptr_t busy = me->busy;
	me->busy = 1;
	me->finding = true;
#define FIND(name) norn_real_functions.name = (__typeof__(&name))dlsym(RTLD_NEXT, #name);
#define FIND_CONDITION(name) norn_real_functions.name = (__typeof__(&name))find_condition(#name);
	NORN_REAL_FUNCTIONS(FIND)
	NORN_REAL_CONDITIONS(FIND_CONDITION)
	NORN_REAL_CLOCKWAIT(FIND)
	NORN_COUNTED(FIND)
	__atomic_store_n(&norn_real_functions.known, 1, __ATOMIC_RELEASE);
	me->finding = false;
	me->busy = busy;
	if (!busy)
		norn_leave(me);
}

#endif
