/* SPDX-License-Identifier: MIT */
/*
 * Prototypes of __norn_NAME for all of NORN_REPLACED, taken from libc's own headers: so they have
 * the signature of what they stand for.
 */
#ifndef RUNTIME_LIBC_REPLACED_H
#define RUNTIME_LIBC_REPLACED_H

#include "runtime/known.h"

#include <pthread.h>
#include <aio.h>
#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <fenv.h>
#include <fnmatch.h>
#include <getopt.h>
#include <grp.h>
#include <inttypes.h>
#include <math.h>
#include <mqueue.h>
#include <net/if.h>
#include <netdb.h>
#include <poll.h>
#include <pwd.h>
#include <regex.h>
#include <search.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <syslog.h>
#include <termios.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>
#include <wchar.h>

/* What libc has but does not declare without _FORTIFY_SOURCE, or under this name. */
void __chk_fail(void) __attribute__((noreturn));
void *__memcpy_chk(void *, const void *, size_t, size_t);
void *__memmove_chk(void *, const void *, size_t, size_t);
void *__mempcpy_chk(void *, const void *, size_t, size_t);
void *__memset_chk(void *, int, size_t, size_t);
void __explicit_bzero_chk(void *, size_t, size_t);
char *__strcpy_chk(char *, const char *, size_t);
char *__stpcpy_chk(char *, const char *, size_t);
char *__strncpy_chk(char *, const char *, size_t, size_t);
char *__stpncpy_chk(char *, const char *, size_t, size_t);
char *__strcat_chk(char *, const char *, size_t);
char *__strncat_chk(char *, const char *, size_t, size_t);
int __printf_chk(int, const char *, ...);
int __fprintf_chk(FILE *, int, const char *, ...);
int __dprintf_chk(int, int, const char *, ...);
int __sprintf_chk(char *, int, size_t, const char *, ...);
int __snprintf_chk(char *, size_t, int, size_t, const char *, ...);
int __asprintf_chk(char **, int, const char *, ...);
int __vprintf_chk(int, const char *, va_list);
int __vfprintf_chk(FILE *, int, const char *, va_list);
int __vdprintf_chk(int, int, const char *, va_list);
int __vsprintf_chk(char *, int, size_t, const char *, va_list);
int __vsnprintf_chk(char *, size_t, int, size_t, const char *, va_list);
int __vasprintf_chk(char **, int, const char *, va_list);

size_t __fread_chk(void *, size_t, size_t, size_t, FILE *);
size_t __fread_unlocked_chk(void *, size_t, size_t, size_t, FILE *);
char *__fgets_chk(char *, size_t, int, FILE *);
char *__fgets_unlocked_chk(char *, size_t, int, FILE *);
int __isoc99_scanf(const char *, ...);
int __isoc99_fscanf(FILE *, const char *, ...);
int __isoc99_sscanf(const char *, const char *, ...);
int __isoc99_vscanf(const char *, va_list);
int __isoc99_vfscanf(FILE *, const char *, va_list);
int __isoc99_vsscanf(const char *, const char *, va_list);
ssize_t __read_chk(int, void *, size_t, size_t);
ssize_t __pread_chk(int, void *, size_t, off_t, size_t);
ssize_t __pread64_chk(int, void *, size_t, off_t, size_t);
ssize_t __recv_chk(int, void *, size_t, size_t, int);
ssize_t __recvfrom_chk(int, void *, size_t, size_t, int, struct sockaddr *, socklen_t *);
int __poll_chk(struct pollfd *, nfds_t, int, size_t);
int __ppoll_chk(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *, size_t);
ssize_t __readlink_chk(const char *, char *, size_t, size_t);
char *__realpath_chk(const char *, char *, size_t);
char *__getcwd_chk(char *, size_t, size_t);
int __gethostname_chk(char *, size_t, size_t);
int __open_2(const char *, int);
int __open64_2(const char *, int);
int __openat_2(int, const char *, int);
int __openat64_2(int, const char *, int);
ssize_t __readlinkat_chk(int, const char *, char *, size_t, size_t);
int __ttyname_r_chk(int, char *, size_t, size_t);
int __ptsname_r_chk(int, char *, size_t, size_t);
int __getgroups_chk(int, gid_t *, size_t);
int __xpg_strerror_r(int, char *, size_t);
char *__xpg_basename(char *);
char *dirname(char *);
/*
 * Of the runtime of C++, which programs in C do not have; they do not call them either. In a static
 * program they have to be asked for; but only programs that call them get guard.c there.
 */
#ifdef NORN_STATIC
#define NORN_IF_THERE
#else
#define NORN_IF_THERE __attribute__((weak))
#endif
int __cxa_guard_acquire(uint64_t *) NORN_IF_THERE;
void __cxa_guard_release(uint64_t *) NORN_IF_THERE;
void __cxa_guard_abort(uint64_t *) NORN_IF_THERE;
void _ZSt17current_exceptionv(void *result) NORN_IF_THERE;
void _ZNSt15__exception_ptr13exception_ptrC1EPv(void *pointer, void *exception) NORN_IF_THERE;
const void *const *_ZNSt6locale7classicEv(void) NORN_IF_THERE;
void _ZNSt6localeD1Ev(void *locale) NORN_IF_THERE;
void _ZNSt13__future_base12_Result_baseC2Ev(void *result) NORN_IF_THERE;
void _ZNSt13__future_base12_Result_baseD2Ev(void *result) NORN_IF_THERE;
void _ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(
	void *, void **, void (*)(void)) NORN_IF_THERE;
void _ZNSt6thread4joinEv(pthread_t *) NORN_IF_THERE;
void _ZNSt6thread6detachEv(pthread_t *) NORN_IF_THERE;
unsigned _ZNSt13random_device9_M_getvalEv(void *) NORN_IF_THERE;
bool _ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE(
	void *, unsigned *, unsigned, bool, int64_t, int64_t) NORN_IF_THERE;
bool _ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until_steadyEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE(
	void *, unsigned *, unsigned, bool, int64_t, int64_t) NORN_IF_THERE;
int64_t _ZNSt6chrono3_V212system_clock3nowEv(void);
int64_t _ZNSt6chrono3_V212steady_clock3nowEv(void);

struct norn_tree_node;
struct norn_list_node;
void _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_(_Bool,
								       struct norn_tree_node *,
								       struct norn_tree_node *,
								       struct norn_tree_node *);
struct norn_tree_node *
_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_(struct norn_tree_node *,
							     struct norn_tree_node *);
struct norn_tree_node *_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base(struct norn_tree_node *);
const struct norn_tree_node *
_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base(const struct norn_tree_node *);
struct norn_tree_node *_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base(struct norn_tree_node *);
const struct norn_tree_node *
_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base(const struct norn_tree_node *);
void _ZNSt8__detail15_List_node_base7_M_hookEPS0_(struct norn_list_node *, struct norn_list_node *);
void _ZNSt8__detail15_List_node_base9_M_unhookEv(struct norn_list_node *);
size_t _ZSt11_Hash_bytesPKvmm(const void *, size_t, size_t);
size_t _ZSt15_Fnv_hash_bytesPKvmm(const void *, size_t, size_t);
/* std::__detail::_Prime_rehash_policy; std::pair<bool, size_t> */
struct norn_rehash_policy {
	float max_load_factor;
	size_t next_resize;
};
struct norn_rehash {
	_Bool needed;
	size_t buckets;
};
struct norn_rehash
_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm(const struct norn_rehash_policy *, size_t,
							  size_t, size_t) NORN_IF_THERE;
size_t _ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm(const struct norn_rehash_policy *,
							    size_t) NORN_IF_THERE;
void _ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_(struct norn_list_node *,
							  struct norn_list_node *,
							  struct norn_list_node *);

void _ZNSt8__detail15_List_node_base4swapERS0_S1_(struct norn_list_node *, struct norn_list_node *);
void _ZNSt8__detail15_List_node_base10_M_reverseEv(struct norn_list_node *);
void *__dynamic_cast(const void *, const void *, const void *, ptrdiff_t) NORN_IF_THERE;

/* std::ostream: all of them return the stream. */
struct norn_string;
#define NORN_ROW(name) void *name(void *, long) NORN_IF_THERE;
NORN_STREAM_INTEGERS(NORN_ROW)
#undef NORN_ROW
#define NORN_ROW(name) void *name(void *, double) NORN_IF_THERE;
NORN_STREAM_DOUBLES(NORN_ROW)
#undef NORN_ROW
#define NORN_ROW(name) void *name(void *, float) NORN_IF_THERE;
NORN_STREAM_FLOATS(NORN_ROW)
#undef NORN_ROW
#define NORN_ROW(name) void *name(void *) NORN_IF_THERE;
NORN_STREAM_NOTHING(NORN_ROW)
#undef NORN_ROW
#define NORN_ROW(name) void *name(void *, const char *, long) NORN_IF_THERE;
NORN_STREAM_BYTES(NORN_ROW)
#undef NORN_ROW
void *_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc(void *, const char *) NORN_IF_THERE;
void *
_ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_stringIS4_S5_T1_EE(
	void *, const struct norn_string *) NORN_IF_THERE;
void *_ZNSolsEPFRSoS_E(void *, void *(*)(void *)) NORN_IF_THERE;

#define NORN_ROW(name) extern __typeof__(name) __norn_##name;
NORN_REPLACED_FUNCTIONS(NORN_ROW)
#undef NORN_ROW

__extension__ typedef unsigned __int128 norn_u128;
void __norn___atomic_load(size_t n, const void *p, void *to, int order);
void __norn___atomic_store(size_t n, void *p, void *from, int order);
void __norn___atomic_exchange(size_t n, void *p, void *from, void *to, int order);
bool __norn___atomic_compare_exchange(size_t n, void *p, void *expected, void *desired, int success,
				      int failure);
norn_u128 __norn___atomic_load_16(const void *p, int order);
void __norn___atomic_store_16(void *p, norn_u128 value, int order);
norn_u128 __norn___atomic_exchange_16(void *p, norn_u128 value, int order);
bool __norn___atomic_compare_exchange_16(void *p, void *expected, norn_u128 desired, int success,
					 int failure);
norn_u128 __norn___atomic_fetch_add_16(void *p, norn_u128 operand, int order);
norn_u128 __norn___atomic_fetch_sub_16(void *p, norn_u128 operand, int order);
norn_u128 __norn___atomic_fetch_and_16(void *p, norn_u128 operand, int order);
norn_u128 __norn___atomic_fetch_or_16(void *p, norn_u128 operand, int order);
norn_u128 __norn___atomic_fetch_xor_16(void *p, norn_u128 operand, int order);
norn_u128 __norn___atomic_fetch_nand_16(void *p, norn_u128 operand, int order);

#endif
