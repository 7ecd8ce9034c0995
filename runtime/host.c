/* SPDX-License-Identifier: MIT */
#include "runtime/host.h"

#include "runtime/libc/libc.h"
#include "runtime/modules.h"
#include "runtime/run.h"
#include "runtime/tasks.h"
#include "runtime/unseen.h"
#include "runtime/weak.h"

static bool has_hooks;

void norn_host_has_hooks(void)
{
	norn_bind_weak();
	if (!__atomic_exchange_n(&has_hooks, true, __ATOMIC_ACQ_REL))
		norn_register_annotations();
}

bool norn_host_waits(void)
{
	return norn_has_hooks_alone ||
	       (norn_is_preloaded && !__atomic_load_n(&has_hooks, __ATOMIC_ACQUIRE));
}

void norn_host_begin(void)
{
	struct norn_tasks tasks;
	if (!norn_is_preloaded)
		return;
	norn_tasks_look(&tasks);
	bool alone = tasks.known && !tasks.others;
	norn_run.shared->host = alone ? LOG_HOST : LOG_HOST_THREADS;
	if (!alone)
		norn_is_not_alone();
}

void norn_host_thread(struct norn_self *me)
{
	if (norn_is_preloaded)
		norn_begins_unseen(me);
}

void norn_host_list_modules(void)
{
	if (!norn_is_preloaded)
		return;
	norn_list_modules();
	__atomic_store_n(&norn_run.shared->listed, 1, __ATOMIC_RELEASE);
}
