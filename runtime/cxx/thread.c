/* SPDX-License-Identifier: MIT */
/* std::thread, inside libstdc++: what it is given and its number are written there. Both are always
 * the same behind the call. */
#include "runtime/libc/ranges.h"
#include "runtime/libc/replaced.h"

void __norn__ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(
	void *thread, void **state, void (*depend)(void))
{
	_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(
		thread, state, depend);
	norn_laid(NORN_CALLER, state, sizeof *state);
}

void __norn__ZNSt6thread4joinEv(pthread_t *thread)
{
	_ZNSt6thread4joinEv(thread);
	norn_laid(NORN_CALLER, thread, sizeof *thread);
}

void __norn__ZNSt6thread6detachEv(pthread_t *thread)
{
	_ZNSt6thread6detachEv(thread);
	norn_laid(NORN_CALLER, thread, sizeof *thread);
}
