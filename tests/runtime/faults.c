/* Accesses to memory that is not there, by hooks, and handlers that repair it or leave. */
#include "tests/runtime/program.h"

#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>

static sigjmp_buf out;
static char *page;
static long repaired, seen;

static void leave(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)context;
	WANT((char *)info->si_addr >= page && (char *)info->si_addr < page + 4096);
	add(&seen, 1);
	siglongjmp(out, 1);
}

/* Also on the shard whose holder faulted: nothing may be held here. */
static void repair(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)context, (void)info;
	WANT(mprotect(page, 8192, PROT_READ | PROT_WRITE) == 0);
	for (int i = 0; i < 10000; i++)
		add((long *)(page + i % 512 * 8), 1);
	add(&repaired, 1);
}

static void on_fault(void (*function)(int, siginfo_t *, void *))
{
	struct sigaction action = {.sa_sigaction = function, .sa_flags = SA_SIGINFO}, old;
	WANT(sigaction(SIGSEGV, &action, NULL) == 0);
	WANT(sigaction(SIGSEGV, NULL, &old) == 0);
	WANT(old.sa_sigaction == function && old.sa_flags & SA_SIGINFO);
}

static void access_by(int how)
{
	char mine[64] = {0};
	switch (how) {
	case 0: get((long *)page); break;
	case 1: put((long *)page, 1); break;
	case 2: __norn_rmw8(page, 1, NORN_ADD, 0, 0, 0); break;
	case 3: __norn_swap8(page, 0, 1, 0, 0, 0); break;
	case 4: __norn_write8(page + 60, 1, 0); break;
	case 5: __norn_read8(page + 60, 0); break;
	case 6: __norn_fill(page, 1, 200, 0); break;
	case 7: __norn_copy(page + 30, page, 100, 0, 0); break;
	case 8: __norn_write_range(page, mine, 64, 0); break;
	case 9: __norn_read_range(mine, page, 64, 0); break;
	}
}

static void *other(void *argument)
{
	for (int i = 0; i < 512; i++)
		add((long *)(page + i * 8), 1);
	return argument;
}

int main(void)
{
	page = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	WANT(page != MAP_FAILED);
	on_fault(leave);
	for (int how = 0; how < 10; how++)
		if (sigsetjmp(out, 1) == 0) {
			access_by(how);
			WANT(!"no fault");
		}
	WANT(get(&seen) == 10);
	on_fault(repair);
	for (int how = 0; how < 10; how++) {
		WANT(mprotect(page, 8192, how % 3 == 1 ? PROT_READ : PROT_NONE) == 0);
		access_by(how);
		WANT(mprotect(page, 8192, PROT_READ | PROT_WRITE) == 0);
		pthread_t thread;
		WANT(pthread_create(&thread, NULL, other, NULL) == 0);
		WANT(pthread_join(thread, NULL) == 0);
	}
	WANT(get(&repaired) >= 8);
	put((long *)page, 77);
	WANT(get((long *)page) == 77);
	return 0;
}
