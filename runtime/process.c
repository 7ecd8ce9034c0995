/*
 * fork. The child has copies of everything, and the log of its parent mapped: before anything else
 * of it runs, it stops recording, or begins a recording of its own (NORN_FOLLOW). vfork needs
 * nothing: until it ends, the child is the parent's thread as far as memory is concerned.
 */
#include "runtime/process.h"

#include <pthread.h>
#include <string.h>

#include "runtime/exit.h"
#include "runtime/inputs.h"
#include "runtime/modules.h"
#include "runtime/real.h"
#include "runtime/replay.h"
#include "runtime/run.h"
#include "runtime/shadow.h"
#include "runtime/shard.h"
#include "runtime/sys.h"
#include "runtime/threads.h"

static void in_child(void)
{
	struct norn_self *me = &norn_self;
	uintptr_t busy = me->busy;
	me->busy = 1;
	if (me->tail)
		NORN_SYS(munmap, me->tail, LOG_BLOCK, 0, 0, 0, 0);
	me->tail = NULL;
	me->at = me->limit = me->room = NULL;
	norn_replay_in_child();
	norn_inputs_in_child();
	norn_exit_in_child();
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
	pthread_atfork(NULL, NULL, in_child);
}

/* The one that runs no handlers of pthread_atfork. */
pid_t NORN_WRAPPER(_Fork)(void)
{
	pid_t child = NORN_REAL(_Fork)();
	if (child == 0)
		in_child();
	return child;
}
