/* SPDX-License-Identifier: MIT */
/*
 * fork. The child has copies of everything, and the log of its parent mapped: before anything else
 * of it runs, it stops recording, or begins a recording of its own (NORN_FOLLOW). vfork needs
 * nothing: until it ends, the child is the parent's thread as far as memory is concerned.
 */
#include "runtime/process.h"

#include <pthread.h>
#include <string.h>

#include "runtime/exit.h"
#include "runtime/files.h"
#include "runtime/maps.h"
#include "runtime/inputs.h"
#include "runtime/late.h"
#include "runtime/libc/libc.h"
#include "runtime/modules.h"
#include "runtime/real.h"
#include "runtime/replay/replay.h"
#include "runtime/run.h"
#include "runtime/shadow.h"
#include "runtime/shard.h"
#include "runtime/sys.h"
#include "runtime/pthread/threads.h"

static uint32_t process(void)
{
	return (uint32_t)NORN_SYS(getpid, 0, 0, 0, 0, 0, 0);
}

/* The run that this process belongs to, recorded or not; or NULL. */
static struct log_run *run_of_process(void)
{
	return norn_run.state == NORN_RECORDS ? norn_run.shared : norn_run.from;
}

/* `now` in the first place that holds `before`. */
static bool put_child(struct log_run *run, uint32_t before, uint32_t now)
{
	for (uint32_t i = 0; i < LOG_CHILDREN; i++) {
		uint32_t expected = before;
		if (__atomic_compare_exchange_n(&run->children[i], &expected, now, false,
						__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			return true;
	}
	return false;
}

/* Of many children, the last ones are known: others are over, as a rule. */
static void add_child(struct log_run *run, uint32_t child)
{
	if (!put_child(run, child, child) && !put_child(run, 0, child))
		__atomic_store_n(&run->children[child % LOG_CHILDREN], child, __ATOMIC_SEQ_CST);
}

void norn_note_child(struct log_run *from, bool failed)
{
	if (!from)
		return;
	add_child(from, process());
	if (failed)
		__atomic_store_n(&from->child_failed, process(), __ATOMIC_RELAXED);
	__atomic_add_fetch(&from->born, 1, __ATOMIC_SEQ_CST);
}

void norn_note_child_threads(void)
{
	if (norn_run.from)
		__atomic_store_n(&norn_run.from->child_threads, process(), __ATOMIC_RELAXED);
}

void norn_exec_begins(bool begins)
{
	struct log_run *run = run_of_process();
	if (!run)
		return;
	if (run->pid == process())
		__atomic_store_n(&run->exec, begins, __ATOMIC_RELAXED);
	else if (norn_run.from && begins) /* else it is a child of vfork */
		put_child(run, process(), 0);
	else if (norn_run.from)
		add_child(run, process());
}

/* Before the fork, by its parent: it may be over before the child comes to run. */
static void count_fork(void)
{
	struct log_run *run = run_of_process();
	if (run)
		__atomic_add_fetch(&run->forks, 1, __ATOMIC_SEQ_CST);
	norn_children_change();
}

static void in_child(void)
{
	struct norn_self *me = &norn_self;
	uintptr_t busy = me->busy;
	me->busy = 1;
	norn_blocks_unmap(me);
	me->at = me->limit = me->room = NULL;
	norn_replay_in_child();
	norn_inputs_in_child();
	norn_files_in_child();
	norn_maps_in_child();
	norn_exit_in_child();
	norn_late_in_child(me);
	me->mode = NORN_UNKNOWN;
	/* Other threads may have held any of them; they are not here. */
	memset(norn_shards, 0, sizeof norn_shards);
	norn_run_in_child(me);
	if (norn_run.state == NORN_RECORDS) {
		norn_threads_in_child(me);
		norn_shadow_begin();
		norn_modules_in_child();
	}
	me->busy = busy;
	if (!busy)
		norn_leave(me);
}

void norn_process_begin(void)
{
	norn_channels_begin();
	pthread_atfork(count_fork, NULL, in_child);
}

/* The one that runs no handlers of pthread_atfork. */
pid_t NORN_WRAPPER(_Fork)(void)
{
	count_fork();
	pid_t child = NORN_REAL(_Fork)();
	if (child == 0)
		in_child();
	return child;
}
