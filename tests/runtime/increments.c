/*
 * Eight threads that increment an array without any synchronisation. Arguments: how often, and what
 * else goes on: `signals` (a handler that does the same, every 100 µs), `fork` (children that go on
 * incrementing), `forever` (until somebody kills it).
 */
#include "tests/runtime/program.h"

#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

#define THREADS 8
#define CELLS 64

static long cells[CELLS];
static long rounds;
static bool forks, forever;

static void on_signal(int signal)
{
	int saved = errno;
	add(&cells[signal % CELLS], 1);
	errno = saved;
}

static void fork_child(void)
{
	pid_t child = fork();
	if (child == 0) {
		for (int i = 0; i < 1000; i++)
			add(&cells[i % CELLS], 1);
		_exit(7);
	}
	int status;
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	WANT(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

static void *increment(void *argument)
{
	for (long i = 0; i < rounds || forever; i++) {
		add(&cells[(i * 7 + (long)argument) % CELLS], 1);
		if (forks && i % (rounds / 2 + 1) == rounds / 4)
			fork_child();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	rounds = atol(argv[1]);
	const char *more = argc > 2 ? argv[2] : "";
	forks = strcmp(more, "fork") == 0;
	forever = strcmp(more, "forever") == 0;
	if (strcmp(more, "signals") == 0) {
		struct itimerval every = {{0, 100}, {0, 100}};
		struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
		WANT(sigaction(SIGALRM, &action, NULL) == 0);
		WANT(setitimer(ITIMER_REAL, &every, NULL) == 0);
	}
	pthread_t threads[THREADS];
	for (long i = 0; i < THREADS; i++)
		WANT(pthread_create(&threads[i], NULL, increment, (void *)i) == 0);
	for (int i = 0; i < THREADS; i++)
		WANT(pthread_join(threads[i], NULL) == 0);
	return 0;
}
