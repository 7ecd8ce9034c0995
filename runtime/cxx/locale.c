/* SPDX-License-Identifier: MIT */
/*
 * The end of a std::locale, which each stream has. Others share what it stands for, and the last of
 * them calls destructors, which may be the program's. But the classic one never ends, so that who
 * lets go of it orders nobody.
 */
#include "runtime/libc/libc.h"
#include "runtime/libc/replaced.h"
#include "runtime/unseen.h"

void __norn__ZNSt6localeD1Ev(void *locale)
{
	static const void *classic;
	const void *shared;
	if (!__atomic_load_n(&classic, __ATOMIC_RELAXED))
		__atomic_store_n(&classic, *_ZNSt6locale7classicEv(), __ATOMIC_RELAXED);
	norn_gather();
	norn_decide_by(NORN_CALLER, &shared, locale, sizeof shared);
	if (shared == __atomic_load_n(&classic, __ATOMIC_RELAXED))
		_ZNSt6localeD1Ev(locale);
	else
		norn_run_unseen(NORN_CALLER, _ZNSt6localeD1Ev, locale);
}
