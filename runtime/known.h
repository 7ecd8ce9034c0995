/* SPDX-License-Identifier: MIT */
/*
 * Functions outside the program that Norn knows. Calls from instrumented code to those of
 * NORN_REPLACED go to __norn_NAME instead, which does the same and logs what it reads
 * and writes of the caller's memory. Those of NORN_INTERPOSED are defined by the runtime
 * under their own names, for callers that are not instrumented too. Those of NORN_QUIET touch
 * no memory of the program, or (attributes of what is made later) only such as threads do not
 * share, do not call back and do not order threads. All others are listed as unknown in the trace;
 * of those that glibc has, libc.table says why.
 */
#ifndef RUNTIME_KNOWN_H
#define RUNTIME_KNOWN_H

#include "runtime/known_math.h"
#include "runtime/known_openmp.h"

/* clang-format off */
#define NORN_REPLACED(row) NORN_REPLACED_FUNCTIONS(row) NORN_REPLACED_ATOMICS(row) NORN_OPENMP(row)

/* libc/atomic.c. Compilers know these names, so that their types cannot be asked for. */
#define NORN_REPLACED_ATOMICS(row) \
	row(__atomic_load) row(__atomic_store) row(__atomic_exchange) \
	row(__atomic_compare_exchange) row(__atomic_load_16) row(__atomic_store_16) \
	row(__atomic_exchange_16) row(__atomic_compare_exchange_16) row(__atomic_fetch_add_16) \
	row(__atomic_fetch_sub_16) row(__atomic_fetch_and_16) row(__atomic_fetch_or_16) \
	row(__atomic_fetch_xor_16) row(__atomic_fetch_nand_16)

/* cxx/ostream.c: std::ostream and what it writes: an integer, a number, no more, so many bytes. */
#define NORN_STREAM_INTEGERS(row) \
	row(_ZNSolsEi) row(_ZNSolsEj) row(_ZNSolsEl) row(_ZNSolsEm) row(_ZNSolsEx) row(_ZNSolsEy) \
	row(_ZNSolsEs) row(_ZNSolsEt) row(_ZNSolsEb) row(_ZNSo9_M_insertIlEERSoT_) \
	row(_ZNSo9_M_insertImEERSoT_) row(_ZNSo9_M_insertIxEERSoT_) \
	row(_ZNSo9_M_insertIyEERSoT_) row(_ZNSo9_M_insertIbEERSoT_) row(_ZNSo3putEc) \
	row(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c)
#define NORN_STREAM_DOUBLES(row) row(_ZNSolsEd) row(_ZNSo9_M_insertIdEERSoT_)
#define NORN_STREAM_FLOATS(row) row(_ZNSolsEf)
#define NORN_STREAM_NOTHING(row) \
	row(_ZNSo5flushEv) row(_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_) \
	row(_ZSt5flushIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_)
#define NORN_STREAM_BYTES(row) \
	row(_ZNSo5writeEPKcl) \
	row(_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l)
/* Their arguments leave the program. */
#define NORN_STREAM_NUMBERS(row) \
	NORN_STREAM_INTEGERS(row) NORN_STREAM_DOUBLES(row) NORN_STREAM_FLOATS(row)
#define NORN_STREAM(row) \
	NORN_STREAM_NUMBERS(row) NORN_STREAM_NOTHING(row) NORN_STREAM_BYTES(row) \
	row(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc) \
	row(_ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_stringIS4_S5_T1_EE) \
	row(_ZNSolsEPFRSoS_E)

#define NORN_REPLACED_FUNCTIONS(row) \
	NORN_STREAM(row) \
	/* libc/advise.c */ \
	row(madvise) row(mprotect) \
	/* libc/copy.c */ \
	row(memcpy) row(memmove) row(mempcpy) row(bcopy) row(memset) row(bzero) \
	row(explicit_bzero) row(memccpy) row(strcpy) row(stpcpy) row(strncpy) row(stpncpy) \
	row(strcat) row(strncat) row(strdup) row(strndup) row(__memcpy_chk) row(__memmove_chk) \
	row(__mempcpy_chk) row(__memset_chk) row(__explicit_bzero_chk) row(__strcpy_chk) \
	row(__stpcpy_chk) row(__strncpy_chk) row(__stpncpy_chk) row(__strcat_chk) \
	row(__strncat_chk) \
	/* libc/compare.c */ \
	row(memcmp) row(bcmp) row(strcmp) row(strncmp) row(strcasecmp) row(strncasecmp) \
	row(strcoll) row(strverscmp) \
	/* libc/find.c */ \
	row(strlen) row(strnlen) row(memchr) row(rawmemchr) row(memrchr) row(strchr) row(index) \
	row(strchrnul) row(strrchr) row(rindex) row(strstr) row(strcasestr) row(memmem) \
	row(strspn) row(strcspn) row(strpbrk) row(strtok_r) row(strtok) row(strsep) \
	/* libc/number.c */ \
	row(strtol) row(strtoll) row(strtoul) row(strtoull) row(strtoimax) row(strtoumax) \
	row(strtof) row(strtod) row(strtold) row(atoi) row(atol) row(atoll) row(atof) \
	/* libc/wide.c */ \
	row(wcslen) row(wcsnlen) row(wmemcpy) row(wmemmove) row(wmempcpy) row(wmemset) \
	row(wmemcmp) row(wcscmp) row(wcsncmp) row(wcscpy) row(wcsncpy) row(wcscat) row(wcsncat) \
	row(wmemchr) row(wcschr) row(wcsrchr) row(wcsdup) \
	/* libc/printf.c */ \
	row(printf) row(fprintf) row(dprintf) row(sprintf) row(snprintf) row(asprintf) \
	row(vprintf) row(vfprintf) row(vdprintf) row(vsprintf) row(vsnprintf) row(vasprintf) \
	row(__printf_chk) row(__fprintf_chk) row(__dprintf_chk) row(__sprintf_chk) \
	row(__snprintf_chk) row(__asprintf_chk) row(__vprintf_chk) row(__vfprintf_chk) \
	row(__vdprintf_chk) row(__vsprintf_chk) row(__vsnprintf_chk) row(__vasprintf_chk) \
	/* libc/scanf.c */ \
	row(scanf) row(fscanf) row(sscanf) row(vscanf) row(vfscanf) row(vsscanf) \
	row(__isoc99_scanf) row(__isoc99_fscanf) row(__isoc99_sscanf) row(__isoc99_vscanf) \
	row(__isoc99_vfscanf) row(__isoc99_vsscanf) \
	/* libc/stdio.c */ \
	row(fread) row(fread_unlocked) row(__fread_chk) row(__fread_unlocked_chk) row(fwrite) \
	row(pclose) row(fwrite_unlocked) row(fgets) row(fgets_unlocked) row(__fgets_chk) \
	row(__fgets_unlocked_chk) row(fputs) row(fputs_unlocked) row(puts) row(perror) \
	row(getline) row(getdelim) row(__getdelim) row(getchar) row(getchar_unlocked) row(putchar) \
	row(putchar_unlocked) row(fflush) row(fflush_unlocked) row(fclose) row(fseek) row(fseeko) row(fseeko64) row(ftell) row(ftello) row(ftello64) row(rewind) row(fopen) row(fopen64) row(freopen) \
	row(fdopen) row(getc) row(fgetc) row(__uflow) row(__overflow) row(getc_unlocked) row(fgetc_unlocked) \
	row(putc) row(fputc) row(putc_unlocked) row(fputc_unlocked) \
	row(feof) row(feof_unlocked) row(ferror) row(ferror_unlocked) row(clearerr) \
	row(clearerr_unlocked) row(ungetc) \
	/* memstream.c, memfile.c */ \
	row(open_memstream) row(open_wmemstream) row(fmemopen) \
	/* libc/io.c */ \
	row(read) row(pread) row(pread64) row(__read_chk) row(__pread_chk) row(__pread64_chk) \
	row(write) row(pwrite) row(pwrite64) row(readv) row(preadv) \
	row(preadv64) row(writev) row(pwritev) row(pwritev64) row(sendfile) row(sendfile64) row(splice) row(copy_file_range) row(tee) \
	row(close) row(shutdown) row(eventfd_read) row(eventfd_write) \
	/* libc/socket.c */ \
	row(recv) row(recvfrom) row(__recv_chk) row(__recvfrom_chk) row(send) row(sendto) \
	row(sendmsg) row(recvmsg) row(accept) row(accept4) row(getsockname) row(getpeername) \
	row(connect) row(listen) row(bind) row(setsockopt) row(getsockopt) \
	/* libc/ready.c */ \
	row(poll) row(ppoll) row(__poll_chk) row(__ppoll_chk) row(select) row(pselect) \
	row(epoll_wait) row(epoll_pwait) row(epoll_ctl) row(pipe) row(pipe2) row(socketpair) \
	/* libc/sort.c */ \
	row(qsort) row(qsort_r) row(bsearch) row(lfind) row(lsearch) \
	/* libc/random.c */ \
	row(rand) row(random) row(drand48) row(lrand48) row(mrand48) row(srand) row(srandom) \
	row(srand48) row(arc4random) \
	row(arc4random_uniform) row(arc4random_buf) row(getrandom) row(getentropy) \
	/* libc/time.c */ \
	row(clock) row(_ZNSt6chrono3_V212system_clock3nowEv) \
	row(_ZNSt6chrono3_V212steady_clock3nowEv) \
	row(time) row(gettimeofday) row(clock_gettime) row(clock_getres) row(timespec_get) \
	row(times) row(nanosleep) row(clock_nanosleep) row(thrd_sleep) row(sleep) row(usleep) row(pause) \
	row(localtime_r) row(gmtime_r) row(localtime) row(gmtime) row(ctime) row(asctime) \
	row(ctime_r) row(asctime_r) row(mktime) row(timegm) row(strftime) \
	/* libc/file.c */ \
	row(__open_2) row(__open64_2) row(__openat_2) row(__openat64_2) row(__readlinkat_chk) \
	row(open) row(open64) row(openat) row(openat64) \
	row(creat) row(creat64) row(unlink) row(rmdir) row(remove) \
	row(shm_unlink) row(mq_unlink) row(chdir) row(opendir) row(rename) row(link) row(symlink) \
	row(renameat) row(renameat2) row(linkat) row(symlinkat) row(unlinkat) row(access) \
	row(euidaccess) row(eaccess) row(mkdir) row(chmod) row(mkfifo) \
	row(faccessat) row(mkdirat) row(mkfifoat) row(mknod) row(fchmodat) row(chown) row(lchown) \
	row(shm_open) row(memfd_create) row(fchownat) row(mknodat) row(utime) row(utimes) row(utimensat) \
	row(futimens) row(fchmod) row(readlinkat) row(canonicalize_file_name) row(truncate) row(truncate64) row(ftruncate) row(ftruncate64) \
	row(posix_fallocate) row(posix_fallocate64) row(fallocate) row(fallocate64) row(lseek) \
	row(lseek64) row(stat) row(lstat) row(stat64) row(lstat64) row(statvfs) row(statvfs64) \
	row(statfs) row(statfs64) row(fstat) row(fstat64) row(fstatvfs) row(fstatvfs64) \
	row(fstatfs) row(fstatfs64) row(tcgetattr) row(fstatat) row(fstatat64) row(statx) \
	row(readlink) row(__readlink_chk) row(realpath) row(__realpath_chk) row(getcwd) \
	row(__getcwd_chk) row(mkstemp) row(mkstemp64) row(mkostemp) row(mkstemps) row(mkdtemp) \
	row(readdir) row(readdir64) \
	/* libc/environment.c */ \
	row(setenv) row(putenv) row(unsetenv) row(clearenv) row(getenv) row(secure_getenv) \
	/* libc/exec.c */ \
	row(execv) row(execve) row(execvp) row(execvpe) row(execl) row(execle) row(execlp) \
	row(fexecve) row(posix_spawn) row(posix_spawnp) row(system) row(popen) \
	/* libc/process.c */ \
	row(uname) row(getrusage) row(getrlimit) row(getrlimit64) row(setrlimit) row(gethostname) \
	row(__gethostname_chk) row(wait) row(waitpid) row(sigemptyset) row(sigfillset) \
	row(sigaddset) row(sigdelset) row(sigismember) row(getaddrinfo) row(sched_getcpu) \
	/* libc/signal.c */ \
	row(kill) row(killpg) row(pthread_kill) row(tgkill) row(sigqueue) row(pthread_sigqueue) \
	row(alarm) row(ualarm) row(setitimer) row(sigwait) row(sigwaitinfo) row(sigtimedwait) \
	row(sigsuspend) \
	/* libc/locks.c */ \
	row(flockfile) row(ftrylockfile) row(funlockfile) row(flock) row(lockf) row(lockf64) \
	row(fcntl) row(fcntl64) row(mq_send) row(mq_timedsend) row(mq_receive) \
	row(mq_timedreceive) row(mq_getattr) row(mq_open) row(mq_notify) row(msgsnd) row(msgrcv) \
	row(semop) row(semtimedop) row(semctl) row(msgctl) row(shmctl) \
	/* libc/timers.c */ \
	row(timer_create) row(timer_settime) row(timer_gettime) row(timerfd_settime) \
	row(timerfd_gettime) row(signalfd) row(inotify_add_watch) row(inotify_rm_watch) \
	/* libc/attributes.c */ \
	row(pthread_attr_getdetachstate) row(pthread_attr_getstacksize) \
	row(pthread_attr_getguardsize) row(pthread_attr_getschedpolicy) \
	row(pthread_attr_getschedparam) row(pthread_attr_getinheritsched) \
	row(pthread_attr_getscope) row(pthread_mutexattr_gettype) \
	row(pthread_mutexattr_getrobust) row(pthread_mutexattr_getpshared) \
	row(pthread_mutexattr_getprotocol) row(pthread_mutexattr_getprioceiling) \
	row(pthread_condattr_getclock) row(pthread_condattr_getpshared) \
	row(pthread_rwlockattr_getkind_np) row(pthread_rwlockattr_getpshared) \
	row(pthread_barrierattr_getpshared) row(posix_spawnattr_getflags) \
	row(posix_spawnattr_getpgroup) row(posix_spawnattr_getschedparam) \
	row(posix_spawnattr_getschedpolicy) row(posix_spawnattr_getsigdefault) \
	row(posix_spawnattr_getsigmask) row(pthread_attr_getsigmask_np) \
	row(pthread_attr_getstack) row(pthread_attr_getaffinity_np) \
	/* libc/aio.c */ \
	row(aio_read) row(aio_write) row(aio_fsync) row(lio_listio) row(aio_error) \
	row(aio_return) row(aio_suspend) row(aio_cancel) \
	row(aio_read64) row(aio_write64) row(aio_fsync64) row(lio_listio64) row(aio_error64) \
	row(aio_return64) row(aio_suspend64) row(aio_cancel64) row(getaddrinfo_a) row(gai_suspend) \
	row(gai_error) \
	/* libc/math.c */ \
	row(frexp) row(frexpf) row(frexpl) row(modf) row(modff) row(modfl) \
	/* dl.c */ \
	row(dlsym) row(dlvsym) \
	/* libc/tell.c */ \
	row(sysinfo) row(getitimer) row(pthread_setcancelstate) row(pthread_setcanceltype) \
	row(pthread_key_create) row(tss_create) row(pthread_getcpuclockid) \
	row(clock_getcpuclockid) row(sched_getparam) row(sched_rr_get_interval) row(sigpending) \
	row(dladdr) row(pthread_getschedparam) row(pthread_getname_np) \
	row(pthread_getaffinity_np) row(sched_getaffinity) row(pthread_sigmask) row(sigprocmask) \
	row(getresuid) row(getresgid) row(getgroups) row(__getgroups_chk) row(getloadavg) row(getdomainname) \
	row(prlimit) row(prlimit64) row(setrlimit64) row(wait3) row(wait4) row(waitid) \
	row(ioctl) row(prctl) row(dup) row(dup2) row(dup3) \
	/* libc/names.c */ \
	row(getpwnam) row(getpwuid) row(getpwent) row(getgrnam) row(getgrgid) row(getgrent) \
	row(gethostbyname) row(gethostbyname2) row(gethostbyaddr) row(getservbyname) \
	row(getservbyport) row(getpwnam_r) row(getpwuid_r) row(getgrnam_r) row(getgrgid_r) \
	row(getnameinfo) \
	/* libc/address.c */ \
	row(inet_ntop) row(inet_pton) row(inet_aton) row(inet_addr) \
	row(inet_network) row(if_nametoindex) row(if_indextoname) row(ttyname) row(ptsname) \
	row(ttyname_r) row(ptsname_r) row(__ttyname_r_chk) row(__ptsname_r_chk) row(tcsetattr) \
	/* libc/text.c */ \
	row(getopt) row(getopt_long) row(getopt_long_only) row(fnmatch) row(regcomp) \
	row(regexec) row(regfree) row(regerror) row(strerror_r) row(__xpg_strerror_r) \
	row(basename) row(dirname) row(__xpg_basename) \
	/* sem.c */ \
	row(sem_getvalue) \
	/* guard.c */ \
	row(__cxa_guard_acquire) row(__cxa_guard_release) row(__cxa_guard_abort) \
	/* libc/cxx.c */ \
	row(_ZSt11_Hash_bytesPKvmm) row(_ZSt15_Fnv_hash_bytesPKvmm) \
	row(_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_) \
	row(_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_) \
	row(_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base) \
	row(_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base) \
	row(_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base) \
	row(_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base) \
	row(_ZNSt8__detail15_List_node_base7_M_hookEPS0_) \
	row(_ZNSt8__detail15_List_node_base9_M_unhookEv) \
	row(_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_) \
	row(_ZNSt8__detail15_List_node_base4swapERS0_S1_) \
	row(_ZNSt8__detail15_List_node_base10_M_reverseEv) \
	/* cxx/cast.c */ \
	row(__dynamic_cast) \
	/* cxx/futex.c */ \
	row(_ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE) \
	row(_ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until_steadyEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE) \
	/* libc/mode.c, pthread/specific.c */ \
	row(fesetround) row(fesetenv) row(feupdateenv) row(pthread_setspecific) row(tss_set) \
	/* cxx/exception.c */ \
	row(_ZSt17current_exceptionv) row(_ZNSt15__exception_ptr13exception_ptrC1EPv) \
	row(_ZNSt13__future_base12_Result_baseC2Ev) row(_ZNSt13__future_base12_Result_baseD2Ev) \
	/* cxx/locale.c */ \
	row(_ZNSt6localeD1Ev) \
	/* cxx/thread.c */ \
	row(_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE) \
	row(_ZNSt6thread4joinEv) row(_ZNSt6thread6detachEv) \
	/* cxx/hash.c */ \
	row(_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm) \
	row(_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm) \
	/* random_device.c */ \
	row(_ZNSt13random_device9_M_getvalEv)

/* Of those that are replaced: what they return is computed from their arguments and from what they
 * read of the program's memory, and __norn_seen tells what that was. */
#define NORN_SEES(row) \
	row(memcmp) row(bcmp) row(strcmp) row(strncmp) row(strcasecmp) row(strncasecmp) \
	row(strcoll) row(strverscmp) row(strlen) row(strnlen) row(memchr) row(rawmemchr) \
	row(memrchr) row(strchr) row(index) row(strchrnul) row(strrchr) row(rindex) row(strstr) \
	row(strcasestr) row(memmem) row(strspn) row(strcspn) row(strpbrk) row(strtok_r) \
	row(strtok) row(strsep) row(strtol) row(strtoll) row(strtoul) row(strtoull) \
	row(strtoimax) row(strtoumax) row(strtof) row(strtod) row(strtold) row(atoi) row(atol) \
	row(atoll) row(atof) row(wcslen) row(wcsnlen) row(wmemcmp) row(wcscmp) row(wcsncmp) \
	row(wmemchr) row(wcschr) row(wcsrchr) row(memccpy) row(stpcpy) row(stpncpy) \
	row(__stpcpy_chk) row(__stpncpy_chk) row(sprintf) row(snprintf) row(vsprintf) \
	row(vsnprintf) row(__sprintf_chk) row(__snprintf_chk) row(__vsprintf_chk) \
	row(__vsnprintf_chk) row(getenv) row(secure_getenv) row(localtime_r) row(gmtime_r) \
	row(mktime) row(timegm) row(inet_pton) row(inet_aton) row(asprintf) \
	row(vasprintf) row(__asprintf_chk) row(__vasprintf_chk) row(_ZSt11_Hash_bytesPKvmm) \
	row(_ZSt15_Fnv_hash_bytesPKvmm) \
	row(_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm) \
	row(_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm) \
	row(_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_) \
	row(_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base) \
	row(_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base) \
	row(_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base) \
	row(_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base)

#define NORN_INTERPOSED(row) \
	row(exit) row(_exit) row(_Exit) row(quick_exit) row(__libc_start_main) \
	row(setuid) row(seteuid) row(setreuid) row(setresuid) row(setfsuid) row(chroot) \
	row(malloc) row(calloc) row(realloc) row(reallocarray) row(free) row(memalign) \
	row(aligned_alloc) row(posix_memalign) row(valloc) row(pvalloc) \
	row(mmap) row(mmap64) row(munmap) row(mremap) row(shmat) row(shmdt) \
	row(pthread_create) row(pthread_exit) row(pthread_cancel) row(pthread_setname_np) row(thrd_exit) row(pthread_join) row(pthread_tryjoin_np) row(pthread_timedjoin_np) \
	row(pthread_clockjoin_np) \
	row(pthread_mutex_init) row(pthread_mutex_destroy) row(pthread_mutex_lock) \
	row(pthread_mutex_trylock) row(pthread_mutex_timedlock) row(pthread_mutex_clocklock) \
	row(pthread_mutex_unlock) row(pthread_mutex_consistent) \
	row(pthread_rwlock_init) row(pthread_rwlock_destroy) row(pthread_rwlock_rdlock) \
	row(pthread_rwlock_tryrdlock) row(pthread_rwlock_timedrdlock) \
	row(pthread_rwlock_clockrdlock) row(pthread_rwlock_wrlock) row(pthread_rwlock_trywrlock) \
	row(pthread_rwlock_timedwrlock) row(pthread_rwlock_clockwrlock) row(pthread_rwlock_unlock) \
	row(pthread_spin_init) row(pthread_spin_destroy) row(pthread_spin_lock) \
	row(pthread_spin_trylock) row(pthread_spin_unlock) \
	row(pthread_barrier_init) row(pthread_barrier_destroy) row(pthread_barrier_wait) \
	row(pthread_once) \
	row(pthread_cond_init) row(pthread_cond_destroy) row(pthread_cond_wait) \
	row(pthread_cond_timedwait) row(pthread_cond_clockwait) row(pthread_cond_signal) \
	row(pthread_cond_broadcast) \
	row(sem_init) row(sem_destroy) row(sem_open) row(sem_wait) row(sem_trywait) \
	row(sem_timedwait) row(sem_clockwait) row(sem_post) \
	row(thrd_create) row(thrd_join) row(mtx_init) row(mtx_destroy) row(mtx_lock) \
	row(mtx_trylock) row(mtx_timedlock) row(mtx_unlock) row(cnd_init) row(cnd_destroy) \
	row(cnd_wait) row(cnd_timedwait) row(cnd_signal) row(cnd_broadcast) row(call_once) \
	row(sigaction) row(sigaltstack) row(signal) row(bsd_signal) row(sysv_signal) row(__sysv_signal) row(_Fork) \
	row(dlopen)

/* Of those that are replaced: libraries that call them are counted (counted.c), or execute programs
 * that are to be recorded (libc/exec.c). Not in static programs. */
#define NORN_COUNTED(row) \
	row(write) row(writev) row(pwrite64) row(close) row(read) row(readv) row(pread64) \
	row(fclose) row(fflush) row(fwrite) row(fread) row(rename) row(unlink) row(unlinkat) \
	row(remove) row(rmdir) row(mkdir) row(link) row(symlink) row(truncate) row(access) \
	row(stat) row(lstat) row(fopen) row(fopen64) row(open) row(open64) row(openat) \
	row(opendir) row(readdir) row(readdir64) row(readlink) row(realpath) row(chmod) \
	row(fchmodat) row(utimensat) row(chdir) row(getcwd) row(sendfile) \
	row(fprintf) row(printf) row(__fprintf_chk) row(__printf_chk) row(dprintf) \
	row(__dprintf_chk) row(__isoc99_fscanf) row(fwrite_unlocked) row(fputs) row(fputs_unlocked) row(puts) row(fputc) row(putc) \
	row(putchar) row(__overflow) row(vfprintf) row(vprintf) row(__vfprintf_chk) \
	row(__vprintf_chk) row(fseek) row(fseeko) row(fseeko64) row(fread_unlocked) row(fgets) \
	row(fgetc) row(getc) row(getchar) row(__uflow) row(ungetc) row(getline) row(getdelim) \
	row(__getdelim) row(__isoc99_vfscanf) row(pwrite) row(send) row(sendto) \
	row(sendmsg) row(vdprintf) row(__vdprintf_chk) row(eventfd_write) row(ftruncate) \
	row(ftruncate64) row(fallocate) row(posix_fallocate) row(fchmod) \
	row(futimens) row(shutdown) row(timerfd_settime) row(pread) row(__read_chk) row(recv) \
	row(__recv_chk) row(recvfrom) row(recvmsg) row(eventfd_read) row(accept) row(accept4) \
	row(fstat) row(fstat64) row(splice) row(copy_file_range) row(poll) row(__poll_chk) \
	row(ppoll) row(select) row(pselect) row(epoll_ctl) row(epoll_wait) row(epoll_pwait) \
	row(connect) row(bind) row(listen) row(setsockopt) row(getsockopt) row(getsockname) row(getpeername) row(clock_gettime) row(gettimeofday) row(time) row(renameat) row(creat) row(mkfifo) row(mkdirat) \
	row(mkstemp) row(mkstemp64) row(mkostemp) row(mkdtemp) row(utimes) row(chown) \
	row(faccessat) row(stat64) row(lstat64) row(fstatat) row(fstatat64) row(statx) \
	row(flock) row(lockf) row(semop) row(semtimedop) row(msgsnd) row(msgrcv) row(mq_send) \
	row(mq_receive) row(mq_timedsend) row(mq_timedreceive) row(fcntl) row(fcntl64) row(dup) \
	row(dup2) row(dup3) row(kill) row(killpg) row(pthread_kill) row(sigqueue) \
	row(sigwait) row(wait) row(waitpid) row(setrlimit) row(getrlimit) row(prctl) \
	row(execve) row(execvpe) row(execv) row(execvp) row(fexecve) row(execl) row(execlp) \
	row(execle) row(posix_spawn) row(posix_spawnp) row(system) row(popen)

/* What they return depends on their arguments alone, as long as these are no pointers: data flow. */
#define NORN_PURE(row) NORN_PURE_MATH(row) \
	/* numbers */ \
	row(acos) row(acosf) row(acosl) row(asin) row(asinf) row(asinl) row(atan) row(atanf) \
	row(atanl) row(cos) row(cosf) row(cosl) row(sin) row(sinf) row(sinl) row(tan) row(tanf) \
	row(tanl) row(acosh) row(acoshf) row(acoshl) row(asinh) row(asinhf) row(asinhl) \
	row(atanh) row(atanhf) row(atanhl) row(cosh) row(coshf) row(coshl) row(sinh) row(sinhf) \
	row(sinhl) row(tanh) row(tanhf) row(tanhl) row(exp) row(expf) row(expl) row(exp2) \
	row(exp2f) row(exp2l) row(exp10) row(exp10f) row(exp10l) row(expm1) row(expm1f) \
	row(expm1l) row(log) row(logf) row(logl) row(log2) row(log2f) row(log2l) row(log10) \
	row(log10f) row(log10l) row(log1p) row(log1pf) row(log1pl) row(logb) row(logbf) \
	row(logbl) row(sqrt) row(sqrtf) row(sqrtl) row(cbrt) row(cbrtf) row(cbrtl) row(ceil) \
	row(ceilf) row(ceill) row(floor) row(floorf) row(floorl) row(trunc) row(truncf) \
	row(truncl) row(round) row(roundf) row(roundl) row(rint) row(rintf) row(rintl) \
	row(nearbyint) row(nearbyintf) row(nearbyintl) row(fabs) row(fabsf) row(fabsl) row(erf) \
	row(erff) row(erfl) row(erfc) row(erfcf) row(erfcl) row(tgamma) row(tgammaf) \
	row(tgammal) row(atan2) row(atan2f) row(atan2l) row(pow) row(powf) row(powl) row(hypot) \
	row(hypotf) row(hypotl) row(fmod) row(fmodf) row(fmodl) row(remainder) row(remainderf) \
	row(remainderl) row(fmin) row(fminf) row(fminl) row(fmax) row(fmaxf) row(fmaxl) \
	row(fdim) row(fdimf) row(fdiml) row(copysign) row(copysignf) row(copysignl) \
	row(nextafter) row(nextafterf) row(nextafterl) row(nexttoward) row(nexttowardf) \
	row(nexttowardl) row(ldexp) row(ldexpf) row(ldexpl) row(scalbn) row(scalbnf) \
	row(scalbnl) row(scalbln) row(scalblnf) row(scalblnl) row(drem) row(dremf) row(dreml) \
	row(fma) row(fmaf) row(fmal) row(ilogb) row(ilogbf) row(ilogbl) row(lround) row(lroundf) \
	row(lroundl) row(llround) row(llroundf) row(llroundl) row(lrint) row(lrintf) row(lrintl) \
	row(llrint) row(llrintf) row(llrintl) row(__isnan) row(__isinf) row(__finite) \
	row(__signbit) row(__fpclassify) row(__isnanf) row(__isinff) row(__finitef) \
	row(__signbitf) row(__fpclassifyf) row(isnan) row(isinf) row(finite) row(abs) row(labs) \
	row(llabs) row(div) row(ldiv) row(lldiv) row(imaxabs) row(difftime) \
	/* characters */ \
	row(isalnum) row(isalpha) row(isblank) row(iscntrl) row(isdigit) row(isgraph) \
	row(islower) row(isprint) row(ispunct) row(isspace) row(isupper) row(isxdigit) \
	row(tolower) row(toupper) row(isascii) row(toascii) row(iswalnum) row(iswalpha) \
	row(iswblank) row(iswcntrl) row(iswdigit) row(iswgraph) row(iswlower) row(iswprint) \
	row(iswpunct) row(iswspace) row(iswupper) row(iswxdigit) row(towlower) row(towupper) \
	row(btowc) row(wctob) \
	/* byte order */ \
	row(htonl) row(htons) row(ntohl) row(ntohs) row(ffs) row(ffsl) row(ffsll) \
	/* more of these kinds, and numbers of threads and devices */ \
	row(sched_get_priority_max) row(sched_get_priority_min) row(pthread_equal) \
	row(thrd_equal) row(__isalnum_l) row(__isalpha_l) row(__isascii_l) row(__isblank_l) \
	row(__iscntrl_l) row(__isctype) row(__isdigit_l) row(__isgraph_l) row(__isinfl) \
	row(__islower_l) row(__isnanf128) row(__isnanl) row(__isprint_l) row(__ispunct_l) \
	row(__isspace_l) row(__isupper_l) row(__iswalnum_l) row(__iswalpha_l) row(__iswblank_l) \
	row(__iswcntrl_l) row(__iswctype) row(__iswctype_l) row(__iswdigit_l) row(__iswgraph_l) \
	row(__iswlower_l) row(__iswprint_l) row(__iswpunct_l) row(__iswspace_l) \
	row(__iswupper_l) row(__iswxdigit_l) row(__isxdigit_l) row(__toascii_l) row(__tolower_l) \
	row(__toupper_l) row(__towctrans) row(__towctrans_l) row(__towlower_l) row(__towupper_l) \
	row(_tolower) row(_toupper) row(dysize) row(gnu_dev_major) row(gnu_dev_makedev) \
	row(gnu_dev_minor) row(imaxdiv) row(inet_lnaof) row(inet_makeaddr) row(inet_netof) \
	row(isalnum_l) row(isalpha_l) row(isblank_l) row(iscntrl_l) row(isctype) row(isdigit_l) \
	row(isgraph_l) row(isinff) row(isinfl) row(islower_l) row(isnanf) row(isnanl) \
	row(isprint_l) row(ispunct_l) row(isspace_l) row(isupper_l) row(iswalnum_l) \
	row(iswalpha_l) row(iswblank_l) row(iswcntrl_l) row(iswctype) row(iswctype_l) \
	row(iswdigit_l) row(iswgraph_l) row(iswlower_l) row(iswprint_l) row(iswpunct_l) \
	row(iswspace_l) row(iswupper_l) row(iswxdigit_l) row(isxdigit_l) row(tolower_l) \
	row(toupper_l) row(towctrans) row(towctrans_l) row(towlower_l) row(towupper_l) \
	row(wcwidth)

#define NORN_QUIET(row) NORN_PURE(row) \
	/* the state of floating point */ \
	row(fedisableexcept) row(feenableexcept) row(fegetexcept) row(fesetexcept) \
	row(feclearexcept) row(feraiseexcept) row(fetestexcept) row(fegetround) \
	/* tables of the locale */ \
	row(__ctype_b_loc) row(__ctype_tolower_loc) row(__ctype_toupper_loc) \
	row(__ctype_get_mb_cur_max) \
	/* std::allocator of characters, which has nothing in it */ \
	row(_ZNSaIcEC1Ev) row(_ZNSaIcEC2Ev) row(_ZNSaIcEC1ERKS_) row(_ZNSaIcEC2ERKS_) \
	row(_ZNSaIcED1Ev) row(_ZNSaIcED2Ev) row(_ZNSaIwEC1Ev) row(_ZNSaIwEC2Ev) \
	row(_ZNSaIwEC1ERKS_) row(_ZNSaIwEC2ERKS_) row(_ZNSaIwED1Ev) row(_ZNSaIwED2Ev) \
	/* processes and threads, by number */ \
	row(__atomic_is_lock_free) row(getpid) row(getppid) row(gettid) row(getuid) row(geteuid) row(getgid) row(getegid) \
	row(getpgrp) row(getpgid) row(setpgid) row(getsid) row(setsid) row(setgid) \
	row(setegid) row(raise) row(nice) \
	row(getpriority) row(setpriority) row(getpagesize) row(sysconf) row(getdtablesize) \
	row(sched_yield) row(pthread_self) row(pthread_getconcurrency) \
	row(pthread_setconcurrency) row(pthread_testcancel) row(thrd_current) row(thrd_yield) \
	row(umask) row(daemon) \
	/* ends */ \
	row(abort) row(__assert_fail) \
	row(__assert_perror_fail) row(__stack_chk_fail) row(__chk_fail) row(__fortify_fail) \
	row(atexit) row(at_quick_exit) row(on_exit) row(__cxa_atexit) row(__cxa_finalize) \
	row(__cxa_thread_atexit) row(longjmp) row(_longjmp) row(siglongjmp) row(__longjmp_chk) \
	row(setjmp) row(_setjmp) row(__sigsetjmp) \
	/* descriptors, by number */ \
	row(fsync) row(fdatasync) row(sync) row(syncfs) row(isatty) row(fchown) \
	row(fchdir) row(posix_fadvise) row(posix_fadvise64) \
	row(readahead) \
	row(socket) row(epoll_create) row(epoll_create1) row(eventfd) \
	row(timerfd_create) row(inotify_init) row(inotify_init1) row(dirfd) row(__fdelt_chk) \
	row(tcflush) row(tcdrain) row(tcsendbreak) \
	/* streams, but no memory of the program */ \
	row(fileno) row(fileno_unlocked) row(setlinebuf) \
	row(setbuf) row(setvbuf) row(tmpfile) row(tmpfile64) \
	row(fcloseall) row(closedir) row(rewinddir) row(telldir) row(seekdir) \
	row(__fpurge) \
	/* what libc says of itself, in memory that nobody writes */ \
	row(strerror) row(strsignal) row(gai_strerror) row(hstrerror) row(gnu_get_libc_version) \
	row(setlocale) row(localeconv) row(nl_langinfo) row(textdomain) row(bindtextdomain) \
	row(gettext) row(dgettext) row(dcgettext) row(ngettext) row(__errno_location) \
	row(__h_errno_location) row(get_nprocs) row(get_nprocs_conf) row(getauxval) \
	row(__libc_current_sigrtmin) row(__libc_current_sigrtmax) row(tzset) \
	/* attributes of what is made later, and keys */ \
	row(pthread_attr_init) row(pthread_attr_destroy) row(pthread_attr_setdetachstate) \
	row(pthread_attr_setstacksize) row(pthread_attr_setstack) row(pthread_attr_setguardsize) \
	row(pthread_attr_setschedpolicy) row(pthread_attr_setschedparam) \
	row(pthread_attr_setinheritsched) row(pthread_attr_setscope) \
	row(pthread_attr_setaffinity_np) row(pthread_getattr_np) row(pthread_mutexattr_init) \
	row(pthread_mutexattr_destroy) row(pthread_mutexattr_settype) \
	row(pthread_mutexattr_setrobust) row(pthread_mutexattr_setpshared) \
	row(pthread_mutexattr_setprotocol) row(pthread_mutexattr_setprioceiling) \
	row(pthread_condattr_init) row(pthread_condattr_destroy) row(pthread_condattr_setclock) \
	row(pthread_condattr_setpshared) row(pthread_rwlockattr_init) \
	row(pthread_rwlockattr_destroy) row(pthread_rwlockattr_setkind_np) \
	row(pthread_rwlockattr_setpshared) row(pthread_barrierattr_init) \
	row(pthread_barrierattr_destroy) row(pthread_barrierattr_setpshared) \
	row(pthread_getspecific) row(pthread_key_delete) row(tss_get) \
	row(tss_delete) row(pthread_detach) row(thrd_detach) row(pthread_atfork) \
	row(fork) row(vfork) row(sem_close) row(sem_unlink) row(dlclose) row(malloc_usable_size) \
	row(pthread_setaffinity_np) row(pthread_setschedparam) row(pthread_setschedprio) \
	row(sched_setaffinity) row(sched_setscheduler) row(sched_getscheduler) \
	row(sched_setparam) row(__sched_cpucount) row(__sched_cpualloc) row(__sched_cpufree) \
	/* C++: memory and threads, which end in the calls above */ \
	row(_Znwm) row(_Znam) row(_ZnwmRKSt9nothrow_t) row(_ZnamRKSt9nothrow_t) \
	row(_ZnwmSt11align_val_t) row(_ZnamSt11align_val_t) row(_ZdlPv) row(_ZdaPv) row(_ZdlPvm) \
	row(_ZdaPvm) row(_ZdlPvSt11align_val_t) row(_ZdaPvSt11align_val_t) \
	row(_ZdlPvmSt11align_val_t) row(_ZdaPvmSt11align_val_t) \
	row(_ZNSt6thread20hardware_concurrencyEv) row(_ZNSt6thread6_StateD2Ev) \
	row(_ZNSt18condition_variableC1Ev) row(_ZNSt18condition_variableD1Ev) \
	row(_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE) \
	row(_ZNSt18condition_variable10notify_oneEv) row(_ZNSt18condition_variable10notify_allEv) \
	row(__once_proxy) \
	/* signals, libraries, and memory as a whole */ \
	row(dlerror) \
	row(posix_madvise) row(msync) row(mlock) \
	row(munlock) row(mlockall) row(munlockall) \
	row(malloc_trim) row(mallopt) \
	row(freeaddrinfo) \
	/* more of these kinds */ \
	row(__assert) row(__cxa_at_quick_exit) row(__cxa_thread_atexit_impl) \
	row(__cyg_profile_func_enter) row(__cyg_profile_func_exit) row(__dcgettext) \
	row(__dgettext) row(__fbufsize) row(__fentry__) row(__flbf) row(__fpending) \
	row(__freadable) row(__freading) row(__fsetlocking) row(__fwritable) row(__fwriting) \
	row(__libc_allocate_rtsig) row(__pthread_cleanup_routine) \
	row(__pthread_register_cancel_defer) row(__pthread_unregister_cancel_restore) \
	row(__register_atfork) row(_mcount) row(_pthread_cleanup_pop) row(_pthread_cleanup_push) \
	row(bind_textdomain_codeset) row(catclose) row(closelog) row(dcngettext) row(dngettext) \
	row(duplocale) row(fdopendir) row(fpathconf) row(freeifaddrs) row(freelocale) row(fwide) \
	row(get_avphys_pages) row(get_phys_pages) row(gethostid) row(getpt) row(globfree) \
	row(globfree64) row(gnu_get_libc_release) row(grantpt) row(gsignal) row(iconv_close) \
	row(if_freenameindex) row(inet_ntoa) row(isfdtype) row(mallinfo) row(mallinfo2) \
	row(malloc_stats) row(mcount) row(mlock2) row(mq_close) row(msgget) row(nl_langinfo_l) \
	row(personality) row(pidfd_open) row(pkey_alloc) row(pkey_free) row(pkey_get) \
	row(pkey_mprotect) row(pkey_set) row(posix_openpt) \
	row(posix_spawn_file_actions_addchdir_np) row(posix_spawn_file_actions_addclose) \
	row(posix_spawn_file_actions_addclosefrom_np) row(posix_spawn_file_actions_adddup2) \
	row(posix_spawn_file_actions_addfchdir_np) row(posix_spawn_file_actions_addopen) \
	row(posix_spawn_file_actions_addtcsetpgrp_np) row(posix_spawn_file_actions_destroy) \
	row(posix_spawn_file_actions_init) row(posix_spawnattr_destroy) \
	row(posix_spawnattr_init) row(posix_spawnattr_setflags) row(posix_spawnattr_setpgroup) \
	row(posix_spawnattr_setschedparam) row(posix_spawnattr_setschedpolicy) \
	row(posix_spawnattr_setsigdefault) row(posix_spawnattr_setsigmask) \
	row(pthread_attr_setsigmask_np) row(pthread_attr_setstackaddr) \
	row(pthread_getattr_default_np) row(pthread_setattr_default_np) row(semget) \
	row(setfsgid) row(sethostid) row(setlogmask) row(setpgrp) row(setregid) row(setresgid) \
	row(shmget) row(sigabbrev_np) row(sigdescr_np) row(siginterrupt) row(sockatmark) \
	row(strerror_l) row(strerrordesc_np) row(strerrorname_np) row(sync_file_range) \
	row(tcflow) row(tcgetpgrp) row(tcgetsid) row(tcsetpgrp) row(timer_delete) \
	row(timer_getoverrun) row(ttyslot) row(ulimit) row(unlockpt) row(uselocale) row(vhangup) \
	row(wordfree) \
	/* norn.h */ \
	row(norn_happens_before) row(norn_happens_after) row(norn_locked) row(norn_unlocking) \
	row(norn_benign) row(norn_mark) row(norn_event) \
	/* cancellation and timers */ \
	row(__pthread_register_cancel) \
	row(__pthread_unregister_cancel) row(__pthread_unwind_next) \
	/* C++: exceptions */ \
	row(__cxa_init_primary_exception) \
	row(_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE) \
	row(_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv) \
	row(_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv) row(_ZSt20__throw_future_errori) \
	row(_ZSt15future_categoryv) row(_ZNSt3_V216generic_categoryEv) \
	row(_ZNSt3_V215system_categoryEv) \
	row(_ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj) \
	row(__cxa_allocate_exception) row(__cxa_free_exception) row(__cxa_throw) \
	row(__cxa_rethrow) row(__cxa_begin_catch) row(__cxa_end_catch) \
	row(__cxa_get_exception_ptr) row(__cxa_pure_virtual) row(__cxa_bad_cast) \
	row(__cxa_bad_typeid) row(__cxa_throw_bad_array_new_length) row(__gxx_personality_v0) \
	row(__gcc_personality_v0) row(_Unwind_Resume) row(_ZSt9terminatev) \
	row(_ZSt17__throw_bad_allocv) row(_ZSt20__throw_length_errorPKc) \
	row(_ZSt19__throw_logic_errorPKc) row(_ZSt20__throw_out_of_rangePKc) \
	row(_ZSt24__throw_out_of_range_fmtPKcz) row(_ZSt20__throw_system_errori) \
	row(_ZSt28__throw_bad_array_new_lengthv) row(_ZSt16__throw_bad_castv) \
	row(_ZSt25__throw_bad_function_callv) row(_ZNSt8ios_base4InitC1Ev) \
	row(_ZNSt8ios_base4InitD1Ev)

/*
 * What the kernel, libc and libstdc++ keep for the process, where its code does not see it
 * (libc/state.c): functions that change it, that only ask for it, and that do either to a stream or
 * a descriptor, their first argument.
 */
#define NORN_PROCESS_CHANGES(row) \
	row(nice) row(setpriority) row(umask) row(setpgid) row(setsid) row(setpgrp) row(setgid) \
	row(setegid) row(setregid) row(setresgid) row(setfsgid) row(setuid) row(seteuid) \
	row(setreuid) row(setresuid) row(setfsuid) row(setgroups) row(initgroups) row(setrlimit) \
	row(setrlimit64) row(prlimit) row(prlimit64) row(ulimit) row(pthread_setname_np) \
	row(pthread_setaffinity_np) row(sched_setaffinity) row(pthread_setschedparam) \
	row(pthread_setschedprio) row(sched_setscheduler) row(sched_setparam) \
	row(pthread_setconcurrency) row(setlocale) row(textdomain) row(bindtextdomain) \
	row(bind_textdomain_codeset) row(setlogmask) row(sethostid) row(sethostname) \
	row(setdomainname) row(personality) row(sigaction) row(signal) row(bsd_signal) \
	row(sysv_signal) row(__sysv_signal) row(siginterrupt) row(prctl) row(setitimer) row(alarm) row(ualarm) \
	row(timer_settime) row(timer_delete) row(semget) row(msgget) row(shmget) row(sem_open) \
	row(sem_unlink) row(dlopen) row(dlclose) row(chdir) row(fchdir) row(chroot) row(dup) \
	row(pthread_key_create) row(pthread_key_delete) row(tss_create) row(tss_delete) \
	row(atexit) row(on_exit) row(__cxa_atexit) row(at_quick_exit) row(__cxa_at_quick_exit) \
	row(pthread_atfork) row(__register_atfork) row(shmat) row(shmdt) \
	row(_ZSt15set_new_handlerPFvvE) row(_ZSt13set_terminatePFvvE) \
	row(_ZSt14set_unexpectedPFvvE) \
	row(_ZNSt3pmr20set_default_resourceEPNS_15memory_resourceE) \
	row(_ZNSt8ios_base6xallocEv)
#define NORN_PROCESS_LOOKS(row) \
	row(getpriority) row(getpgid) row(getpgrp) row(getsid) row(getuid) row(geteuid) \
	row(getgid) row(getegid) row(getresuid) row(getresgid) row(getgroups) \
	row(__getgroups_chk) row(getrlimit) row(getrlimit64) row(getdtablesize) \
	row(pthread_getname_np) row(pthread_getaffinity_np) row(sched_getaffinity) \
	row(pthread_getschedparam) row(sched_getscheduler) row(sched_getparam) \
	row(pthread_getconcurrency) row(localeconv) row(nl_langinfo) row(gethostname) \
	row(__gethostname_chk) row(getdomainname) row(gethostid) row(uname) row(getcwd) \
	row(__getcwd_chk) row(getitimer) row(timer_gettime) row(timer_getoverrun) row(dlsym) \
	row(dlvsym) row(shmctl) row(dladdr) row(dladdr1) row(dlinfo) row(dl_iterate_phdr) row(fork) \
	row(getwd) row(get_current_dir_name) row(__ctype_get_mb_cur_max) row(mblen) row(mbrlen) \
	row(mbtowc) row(mbrtowc) row(mbstowcs) row(mbsrtowcs) row(mbsnrtowcs) row(wctomb) \
	row(wcrtomb) row(wcstombs) row(wcsrtombs) row(wcsnrtombs) \
	row(_ZSt15get_new_handlerv) row(_ZSt13get_terminatev) row(_ZSt14get_unexpectedv) \
	row(_ZNSt3pmr20get_default_resourceEv)
/* The global locale of C++: every stream takes it where it is made (instrument/callee.c), so that it
 * has a channel of its own. */
#define NORN_LOCALE_CHANGES(row) row(_ZNSt6locale6globalERKS_)
#define NORN_LOCALE_LOOKS(row) row(_ZNSt6localeC1Ev) row(_ZNSt6localeC2Ev)
/* Which memory there is, and what is done with it. */
#define NORN_MEMORY_LOOKS(row) \
	row(msync) row(mincore) row(madvise) row(posix_madvise) row(mlock) row(mlock2) row(munlock) \
	row(mlockall) row(munlockall) row(mprotect) row(pkey_mprotect)
/* Of a stream, their first argument. */
#define NORN_STREAM_CHANGES(row) \
	row(setbuf) row(setbuffer) row(setvbuf) row(setlinebuf) row(fwide) row(__fpurge) \
	row(__fbufsize) row(__fpending) row(__flbf) row(__freadable) row(__fwritable) \
	row(__freading) row(__fwriting) row(__fsetlocking)
#define NORN_DESCRIPTOR_CHANGES(row) \
	row(fcntl) row(fcntl64) row(ioctl) row(setsockopt) row(getsockopt) row(getsockname) \
	row(getpeername) row(bind) row(listen) row(tcsetattr) row(tcgetattr) row(tcsetpgrp) \
	row(tcgetpgrp) row(tcflush) row(sockatmark) row(timerfd_settime) row(timerfd_gettime) \
	row(fchmod) row(fchown)

/* Of those that are left out: how they order threads nobody says, but the kernel may. So may the
 * child of vfork, which is there for others to wait for as soon as the call returns. */
#define NORN_ORDERS(row) \
	row(vfork) \
	row(syscall) row(sendmmsg) row(recvmmsg) row(vmsplice) row(preadv2) row(preadv64v2) \
	row(pwritev2) row(pwritev64v2) row(epoll_pwait2) row(getdents64) row(getdirentries) \
	row(getdirentries64) row(fanotify_init) row(fanotify_mark) row(getxattr) row(lgetxattr) \
	row(fgetxattr) row(setxattr) row(lsetxattr) row(fsetxattr) row(listxattr) row(llistxattr) \
	row(flistxattr) row(removexattr) row(lremovexattr) row(fremovexattr) row(futimes) \
	row(futimesat) row(lutimes) row(mq_setattr) row(pidfd_send_signal) row(pidfd_getfd) \
	row(process_vm_readv) row(process_vm_writev) row(sighold) row(sigrelse) row(sigignore) \
	row(sigpause) row(sigset) row(ssignal) row(sigblock) row(sigsetmask) row(freopen64) \
	row(_flushlbf) row(fgetpos) row(fgetpos64) row(fsetpos) \
	row(fsetpos64) row(getw) row(putw) row(mkostemp64) row(mkostemps) row(mkostemps64) \
	row(mkstemps64) row(lckpwdf) row(ulckpwdf) row(gai_cancel) row(aio_init) row(mount) \
	row(umount) row(umount2) row(pivot_root) row(setns) row(unshare) row(close_range) \
	row(closefrom) row(name_to_handle_at) row(open_by_handle_at) row(execveat) row(clone) \
	row(openpty) row(forkpty) row(login_tty) row(pathconf) row(brk) row(sbrk) \
	row(remap_file_pages) row(process_madvise) row(process_mrelease) row(dlmopen) \
	row(pthread_mutex_getprioceiling) row(pthread_mutex_setprioceiling) row(bindresvport) \
	row(rresvport) row(rresvport_af) row(rcmd) row(rcmd_af) row(rexec) row(rexec_af) \
	row(res_send) row(res_nsend) row(res_query) row(res_nquery) row(res_search) \
	row(res_nsearch) row(res_querydomain) row(res_nquerydomain) row(pututline) \
	row(pututxline) row(updwtmp) row(updwtmpx) row(login) row(logout) row(logwtmp) \
	row(getutent) row(getutent_r) row(getutid) row(getutid_r) row(getutline) \
	row(getutline_r) row(getutxent) row(getutxid) row(getutxline) \
	/* names of files, and what is in them */ \
	row(glob) row(glob64) row(wordexp) row(scandir) row(scandir64) row(scandirat) \
	row(scandirat64) row(ftw) row(ftw64) row(nftw) row(nftw64) row(fts_open) row(fts_read) \
	row(fts_children) row(fts64_open) row(fts64_read) row(fts64_children) row(readdir_r) \
	row(readdir64_r) row(mktemp) row(tmpnam) row(tmpnam_r) row(tempnam) row(setmntent) \
	row(__setmntent) row(getmntent) row(getmntent_r) row(addmntent) row(fgetpwent) \
	row(fgetpwent_r) row(fgetgrent) row(fgetgrent_r) row(fgetspent) row(fgetspent_r) \
	row(putpwent) row(putgrent) row(putspent) \
	/* streams of wide characters */ \
	row(fgetwc) row(fgetwc_unlocked) row(getwc) row(getwc_unlocked) row(getwchar) \
	row(getwchar_unlocked) row(fgetws) row(fgetws_unlocked) row(__fgetws_chk) \
	row(__fgetws_unlocked_chk) row(ungetwc) row(fputwc) row(fputwc_unlocked) row(putwc) \
	row(putwc_unlocked) row(putwchar) row(putwchar_unlocked) row(fputws) row(fputws_unlocked) \
	row(wprintf) row(fwprintf) row(vwprintf) row(vfwprintf) row(__wprintf_chk) \
	row(__fwprintf_chk) row(__vwprintf_chk) row(__vfwprintf_chk) row(wscanf) row(fwscanf) \
	row(vwscanf) row(vfwscanf) row(__isoc99_wscanf) row(__isoc99_fwscanf) \
	row(__isoc99_vwscanf) row(__isoc99_vfwscanf)
/* clang-format on */

#endif
