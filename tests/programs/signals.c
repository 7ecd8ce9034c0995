/*
 * Handlers that touch memory, also in the middle of what they interrupt.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t ticks;
static atomic_int handled;
static char text[64];
static long work;

static void on_tick(int number)
{
	ticks = ticks + 1;
	atomic_fetch_add(&handled, number == SIGALRM);
	memset(text, 'x', sizeof(text) - 1);
}

static void *count(void *unused)
{
	while (atomic_load(&handled) < 5)
		usleep(1000);
	return unused;
}

int main(void)
{
	const struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
	const struct itimerval timer = {{0, 2000}, {0, 2000}};
	pthread_t thread;
	sigset_t set;

	/* The thread never runs the handler: it has the signal blocked from its first moment. */
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&thread, NULL, count, NULL);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	while (atomic_load(&handled) < 5)
		work += ticks;
	pthread_join(thread, NULL);
	setitimer(ITIMER_REAL, &(const struct itimerval){0}, NULL);
	raise(SIGALRM);
	printf("%d %zu\n", ticks >= 6, strlen(text));
	return 0;
}
