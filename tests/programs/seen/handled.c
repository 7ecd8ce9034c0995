/*
 * Signals that the program deals with are no crash: it goes on behind them.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static sigjmp_buf back;

static void on_fault(int number)
{
	siglongjmp(back, number);
}

static void on_abort(int number)
{
	static const char text[] = "aborted\n";

	(void)number;
	if (write(1, text, sizeof(text) - 1) > 0)
		_exit(0);
}

int main(void)
{
	struct sigaction old;

	sigaction(SIGSEGV, NULL, &old);
	puts(old.sa_handler == SIG_DFL ? "default" : "not default");
	signal(SIGSEGV, on_fault);
	if (!sigsetjmp(back, 1))
		*(volatile int *)8 = 1;
	puts(signal(SIGSEGV, SIG_DFL) == on_fault ? "mine" : "not mine");
	puts(signal(SIGSEGV, SIG_DFL) == SIG_DFL ? "default" : "not default");
	fflush(stdout);
	signal(SIGABRT, on_abort);
	abort();
}
