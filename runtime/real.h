/* SPDX-License-Identifier: MIT */
/*
 * The functions that the runtime stands in front of. Linked dynamically, it defines them under
 * their own names, and the real ones are those that come next (dlsym); they are looked up once, all
 * together. Linked statically (NORN_STATIC), the linker's --wrap gives both new names.
 */
#ifndef RUNTIME_REAL_H
#define RUNTIME_REAL_H

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <malloc.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <mqueue.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <threads.h>
#include <unistd.h>

#include "runtime/known.h"
#include "runtime/self.h"

/* In libc, not in its headers. */
int __libc_start_main(int (*main)(int, char **, char **), int count, char **arguments,
		      void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
		      void *stack_end);

int __vfprintf_chk(FILE *f, int flag, const char *format, va_list list);
int __vprintf_chk(int flag, const char *format, va_list list);
int __vdprintf_chk(int fd, int flag, const char *format, va_list list);
int __fprintf_chk(FILE *f, int flag, const char *format, ...);
int __printf_chk(int flag, const char *format, ...);
int __dprintf_chk(int fd, int flag, const char *format, ...);
int __isoc99_vfscanf(FILE *f, const char *format, va_list list);
int __isoc99_fscanf(FILE *f, const char *format, ...);
ssize_t __getdelim(char **p, size_t *n, int end, FILE *f);
ssize_t __read_chk(int fd, void *p, size_t n, size_t room);
ssize_t __recv_chk(int fd, void *p, size_t n, size_t room, int flags);
int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room);

/* clang-format off */
#define NORN_REAL_FUNCTIONS(row) \
	row(malloc) row(calloc) row(realloc) row(free) row(memalign) \
	row(mmap) row(munmap) row(mremap) row(shmat) row(shmdt) \
	row(pthread_create) row(pthread_exit) row(pthread_cancel) row(pthread_setname_np) row(pthread_join) row(pthread_tryjoin_np) row(pthread_timedjoin_np) \
	row(pthread_clockjoin_np) \
	row(pthread_mutex_init) row(pthread_mutex_destroy) row(pthread_mutex_lock) \
	row(pthread_mutex_trylock) row(pthread_mutex_timedlock) row(pthread_mutex_clocklock) \
	row(pthread_mutex_unlock) row(pthread_mutex_consistent) \
	row(pthread_rwlock_init) row(pthread_rwlock_destroy) row(pthread_rwlock_rdlock) \
	row(pthread_rwlock_tryrdlock) row(pthread_rwlock_timedrdlock) row(pthread_rwlock_clockrdlock) \
	row(pthread_rwlock_wrlock) row(pthread_rwlock_trywrlock) row(pthread_rwlock_timedwrlock) \
	row(pthread_rwlock_clockwrlock) row(pthread_rwlock_unlock) \
	row(pthread_spin_init) row(pthread_spin_destroy) row(pthread_spin_lock) \
	row(pthread_spin_trylock) row(pthread_spin_unlock) \
	row(pthread_barrier_init) row(pthread_barrier_destroy) row(pthread_barrier_wait) \
	row(pthread_once) \
	row(sem_init) row(sem_destroy) row(sem_open) row(sem_wait) row(sem_trywait) \
	row(sem_timedwait) row(sem_clockwait) row(sem_post) \
	row(sigaction) row(sigaltstack) row(_Fork) row(dlopen) row(exit) row(_exit) row(quick_exit) row(__libc_start_main) \
	row(setuid) row(seteuid) row(setreuid) row(setresuid) row(setfsuid) row(chroot)

/* Since glibc 2.3.2 there are two of each, and dlsym may give the old one. */
#define NORN_REAL_CONDITIONS(row) \
	row(pthread_cond_init) row(pthread_cond_destroy) row(pthread_cond_wait) \
	row(pthread_cond_timedwait) row(pthread_cond_signal) row(pthread_cond_broadcast)
#define NORN_REAL_CLOCKWAIT(row) row(pthread_cond_clockwait)
/* clang-format on */

#ifdef NORN_STATIC
#define NORN_WRAPPER(name) __wrap_##name
#define NORN_REAL(name) __real_##name
#define NORN_DECLARE(name) extern __typeof__(name) __real_##name;
NORN_REAL_FUNCTIONS(NORN_DECLARE)
NORN_REAL_CONDITIONS(NORN_DECLARE)
NORN_REAL_CLOCKWAIT(NORN_DECLARE)
#undef NORN_DECLARE
sighandler_t bsd_signal(int signal, sighandler_t function); /* in libc, not in its headers */
#define NORN_DECLARE(name) extern __typeof__(name) __wrap_##name;
NORN_INTERPOSED(NORN_DECLARE)
#undef NORN_DECLARE
#else
#define NORN_WRAPPER(name) name
#define NORN_REAL(name) (norn_real()->name)

struct norn_real {
#define NORN_DECLARE(name) __typeof__(&name) name;
	NORN_REAL_FUNCTIONS(NORN_DECLARE)
	NORN_REAL_CONDITIONS(NORN_DECLARE)
	NORN_REAL_CLOCKWAIT(NORN_DECLARE)
	NORN_COUNTED(NORN_DECLARE)
#undef NORN_DECLARE
	uint32_t known;
};

extern NORN_HIDDEN struct norn_real norn_real_functions;
NORN_HIDDEN void norn_find_real(void);

NORN_INLINE const struct norn_real *norn_real(void)
{
	if (NORN_UNLIKELY(!__atomic_load_n(&norn_real_functions.known, __ATOMIC_ACQUIRE)))
		norn_find_real();
	return &norn_real_functions;
}
#endif

#endif
