/* SPDX-License-Identifier: MIT */
/*
 * Privileges that the program gives up, and another root directory: what is logged afterwards goes
 * to files that it may still open. Whoever gets them owns the directory from then on.
 */
#include <errno.h>
#include <sys/fsuid.h>
#include <unistd.h>

#include "runtime/files.h"
#include "runtime/libc/libc.h"
#include "runtime/pthread/locks.h"
#include "runtime/real.h"
#include "runtime/run.h"
#include "runtime/sys.h"

#define UNCHANGED ((uid_t)-1)

/* The files are opened as the effective user. */
static void before_change(uid_t to)
{
	struct norn_self *me = &norn_self;
	if (to == UNCHANGED || to == (uid_t)NORN_SYS(geteuid, 0, 0, 0, 0, 0, 0) || !norn_enter(me))
		return;
	norn_files_keep(to);
	norn_leave(me);
}

int NORN_WRAPPER(setuid)(uid_t to)
{
	before_change(to);
	return NORN_REAL(setuid)(to);
}

int NORN_WRAPPER(seteuid)(uid_t to)
{
	before_change(to);
	return NORN_REAL(seteuid)(to);
}

int NORN_WRAPPER(setreuid)(uid_t real, uid_t effective)
{
	before_change(effective);
	return NORN_REAL(setreuid)(real, effective);
}

int NORN_WRAPPER(setresuid)(uid_t real, uid_t effective, uid_t saved)
{
	before_change(effective);
	return NORN_REAL(setresuid)(real, effective, saved);
}

int NORN_WRAPPER(setfsuid)(uid_t to)
{
	before_change(to);
	return NORN_REAL(setfsuid)(to);
}

int NORN_WRAPPER(chroot)(const char *path)
{
	struct norn_self *me = &norn_self;
	if (norn_enter(me)) {
		norn_files_keep(UINT32_MAX);
		norn_leave(me);
	}
	norn_string(NORN_PC, path);
	return NORN_REAL(chroot)(path);
}
