/* SPDX-License-Identifier: MIT */
/*
 * What is asked of attributes goes into memory of the program. The attributes themselves belong to
 * one thread, and are not logged.
 */
#include "runtime/libc/libc.h"
#include "runtime/libc/replaced.h"

#define ASKED(name, attributes, type)                                  \
	int __norn_##name(const attributes *of, type *to)              \
	{                                                              \
		type ours;                                             \
		int r = name(of, &ours);                               \
		if (r == 0)                                            \
			norn_put(NORN_CALLER, to, &ours, sizeof ours); \
		return r;                                              \
	}
ASKED(pthread_attr_getdetachstate, pthread_attr_t, int)
ASKED(pthread_attr_getstacksize, pthread_attr_t, size_t)
ASKED(pthread_attr_getguardsize, pthread_attr_t, size_t)
ASKED(pthread_attr_getschedpolicy, pthread_attr_t, int)
ASKED(pthread_attr_getschedparam, pthread_attr_t, struct sched_param)
ASKED(pthread_attr_getinheritsched, pthread_attr_t, int)
ASKED(pthread_attr_getscope, pthread_attr_t, int)
ASKED(pthread_mutexattr_gettype, pthread_mutexattr_t, int)
ASKED(pthread_mutexattr_getrobust, pthread_mutexattr_t, int)
ASKED(pthread_mutexattr_getpshared, pthread_mutexattr_t, int)
ASKED(pthread_mutexattr_getprotocol, pthread_mutexattr_t, int)
ASKED(pthread_mutexattr_getprioceiling, pthread_mutexattr_t, int)
ASKED(pthread_condattr_getclock, pthread_condattr_t, __clockid_t)
ASKED(pthread_condattr_getpshared, pthread_condattr_t, int)
ASKED(pthread_rwlockattr_getkind_np, pthread_rwlockattr_t, int)
ASKED(pthread_rwlockattr_getpshared, pthread_rwlockattr_t, int)
ASKED(pthread_barrierattr_getpshared, pthread_barrierattr_t, int)
ASKED(posix_spawnattr_getflags, posix_spawnattr_t, short)
ASKED(posix_spawnattr_getpgroup, posix_spawnattr_t, pid_t)
ASKED(posix_spawnattr_getschedparam, posix_spawnattr_t, struct sched_param)
ASKED(posix_spawnattr_getschedpolicy, posix_spawnattr_t, int)
ASKED(posix_spawnattr_getsigdefault, posix_spawnattr_t, sigset_t)
ASKED(posix_spawnattr_getsigmask, posix_spawnattr_t, sigset_t)

/* With PTHREAD_ATTR_NO_SIGMASK_NP there is none. */
int __norn_pthread_attr_getsigmask_np(const pthread_attr_t *of, sigset_t *to)
{
	sigset_t ours;
	int r = pthread_attr_getsigmask_np(of, &ours);
	norn_put(NORN_CALLER, to, &ours, sizeof ours);
	return r;
}

int __norn_pthread_attr_getstack(const pthread_attr_t *of, void **at, size_t *size)
{
	void *our_place;
	size_t our_size;
	int r = pthread_attr_getstack(of, &our_place, &our_size);
	if (r == 0) {
		norn_put(NORN_CALLER, at, &our_place, sizeof our_place);
		norn_put(NORN_CALLER, size, &our_size, sizeof our_size);
	}
	return r;
}

int __norn_pthread_attr_getaffinity_np(const pthread_attr_t *of, size_t size, cpu_set_t *to)
{
	struct norn_inlet in;
	void *buffer = norn_inlet_begin(&in, to, size);
	int r = pthread_attr_getaffinity_np(of, size, buffer);
	norn_inlet_end(NORN_CALLER, &in, r ? 0 : size);
	return r;
}
