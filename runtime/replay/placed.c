/* SPDX-License-Identifier: MIT */
#include "runtime/replay/placed.h"

#include <errno.h>
#include <sys/mman.h>

#include "runtime/replay/parts.h"
#include "runtime/replay/schedule.h"
#include "runtime/run.h"
#include "runtime/shard.h"

/* Stacks: room for each maker, and in it for each thread that it makes. Others are glibc's. */

#define STACKS UINT64_C(0x200000000000)
#define MAKERS 512u
#define STACK_ROOM (UINT64_C(16) << 20)
#define STACKS_EACH 4096u
#define GUARD 4096u

static bool has_stack(const pthread_attr_t *given)
{
	void *stack;
	size_t size;
	return pthread_attr_getstack(given, &stack, &size) == 0 && (uintptr_t)stack + size != 0;
}

static size_t stack_size(const pthread_attr_t *given)
{
	pthread_attr_t standard;
	size_t size = 0;
	if (given)
		pthread_attr_getstacksize(given, &size);
	else if (pthread_getattr_default_np(&standard) == 0) {
		pthread_attr_getstacksize(&standard, &size);
		pthread_attr_destroy(&standard);
	}
	return (size + GUARD - 1) / GUARD * GUARD;
}

bool norn_place_stack(struct norn_self *me, const pthread_attr_t *given, pthread_attr_t *attributes)
{
	size_t size = stack_size(given);
	if (!norn_turn_scheduled() || (given && has_stack(given)) || !size ||
	    size + GUARD > STACK_ROOM || me->number >= MAKERS || me->turn.made >= STACKS_EACH)
		return false;
	uint64_t at = STACKS + ((uint64_t)me->number * STACKS_EACH + me->turn.made++) * STACK_ROOM;
	long map = NORN_SYS(mmap, at, size + GUARD, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK |
				    MAP_FIXED_NOREPLACE,
			    -1, 0);
	if ((uint64_t)map != at)
		return false;
	NORN_SYS(mprotect, at, GUARD, PROT_NONE, 0, 0, 0);
	/* The copy shares what the given one points to, and is not destroyed. */
	if (given)
		*attributes = *given;
	else
		pthread_attr_init(attributes);
	pthread_attr_setstack(attributes, (void *)(at + GUARD), size);
	return true;
}

/* Threads that have done their last step, and are not gone yet. */

#define LEAVING 64u
#define LOOK_SPINS 2048u /* norn_wait naps from some point on */
#define LOOKS 8u

static struct {
	struct norn_spin lock;
	uint32_t count;
	uint32_t tasks[LEAVING];
} leaving;

static bool is_gone(uint32_t task)
{
	uint32_t process = (uint32_t)NORN_SYS(getpid, 0, 0, 0, 0, 0, 0);
	return NORN_SYS(tgkill, process, task, 0, 0, 0, 0) == -ESRCH ||
	       (task == process && norn_state_of_task(task) == 'Z');
}

/* It may run destructors that wait for others: then it is not waited for. */
static void await_one(uint32_t task)
{
	uint32_t asleep = 0;
	for (uint32_t spins = 0; !is_gone(task) && asleep < LOOKS; norn_wait(&spins))
		if (spins >= LOOK_SPINS && spins % 64 == 0)
			asleep = norn_state_of_task(task) == 'S' ? asleep + 1 : 0;
	if (asleep)
		norn_replay.state->lost++;
}

void norn_is_leaving(void)
{
	uint32_t task = (uint32_t)NORN_SYS(gettid, 0, 0, 0, 0, 0, 0);
	if (!norn_turn_scheduled())
		return;
	norn_spin_lock(&leaving.lock);
	if (leaving.count < LEAVING)
		leaving.tasks[leaving.count] = task;
	__atomic_store_n(&leaving.count, leaving.count + (leaving.count < LEAVING),
			 __ATOMIC_SEQ_CST);
	norn_spin_unlock(&leaving.lock);
}

void norn_await_gone(void)
{
	while (NORN_UNLIKELY(norn_load(&leaving.count))) {
		norn_spin_lock(&leaving.lock);
		uint32_t n = leaving.count, task = n ? leaving.tasks[n - 1] : 0;
		leaving.count = n ? n - 1 : 0;
		norn_spin_unlock(&leaving.lock);
		if (task)
			await_one(task);
	}
}
