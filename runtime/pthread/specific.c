/* SPDX-License-Identifier: MIT */
/* A thread's values for keys: it alone sets them, and a branch before the call says to what. */
#include "runtime/append.h"
#include "runtime/libc/libc.h"
#include "runtime/libc/replaced.h"

#include <pthread.h>
#include <threads.h>

void norn_changes_state(void)
{
	struct norn_self *me = &norn_self;
	if (!norn_enter(me))
		return;
	norn_put1(me, LOG_STATE, 0, 0);
	norn_leave(me);
}

int __norn_pthread_setspecific(pthread_key_t key, const void *value)
{
	norn_changes_state();
	return pthread_setspecific(key, value);
}

int __norn_tss_set(tss_t key, void *value)
{
	norn_changes_state();
	return tss_set(key, value);
}
