/* SPDX-License-Identifier: MIT */
/*
 * What a thread has that is no memory, so that no access tells of it: how it rounds. Whoever has
 * taken the way here has it; a branch that would not have come here governs all that the thread
 * computes then.
 */
#include "runtime/libc/libc.h"
#include "runtime/libc/replaced.h"

#include <fenv.h>

/* Of libm, which not every program has. */
__typeof__(fesetround) fesetround NORN_IF_THERE;
__typeof__(fesetenv) fesetenv NORN_IF_THERE;
__typeof__(feupdateenv) feupdateenv NORN_IF_THERE;

static void take(const void *pc, const fenv_t *from)
{
	norn_changes_state();
	if (from != FE_DFL_ENV)
		norn_see(pc, from, sizeof *from);
}

int __norn_fesetround(int way)
{
	norn_changes_state();
	return fesetround(way);
}

int __norn_fesetenv(const fenv_t *from)
{
	take(NORN_CALLER, from);
	return fesetenv(from);
}

int __norn_feupdateenv(const fenv_t *from)
{
	take(NORN_CALLER, from);
	return feupdateenv(from);
}
