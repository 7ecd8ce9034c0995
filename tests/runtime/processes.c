/* Children by fork and _Fork, and a program that takes this one's place. Argument: nothing, or
 * `again`. */
#include "tests/runtime/program.h"

#include <sys/wait.h>

static long cells[8];

static void at_fork(void)
{
	add(&cells[1], 1);
}

static void wait_for(pid_t child, int want)
{
	int status;
	WANT(waitpid(child, &status, 0) == child);
	WANT(WIFEXITED(status) && WEXITSTATUS(status) == want);
}

static void *in_thread(void *argument)
{
	add(argument, 1);
	return NULL;
}

static void work_in_child(int status)
{
	pthread_t thread;
	add(&cells[2], 1);
	WANT(pthread_create(&thread, NULL, in_thread, &cells[3]) == 0);
	WANT(pthread_join(thread, NULL) == 0);
	WANT(get(&cells[3]) == 1);
	_exit(status);
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		add(&cells[0], 1);
		return 5;
	}
	WANT(pthread_atfork(at_fork, at_fork, at_fork) == 0);
	add(&cells[0], 1);
	pid_t child = fork();
	if (child == 0)
		work_in_child(3);
	wait_for(child, 3);
	WANT(get(&cells[2]) == 0);
	child = _Fork();
	if (child == 0)
		work_in_child(4);
	wait_for(child, 4);
	child = vfork();
	if (child == 0) {
		execl("/proc/self/exe", argv[0], "again", NULL);
		_exit(9);
	}
	wait_for(child, 5);
	add(&cells[0], 1);
	execl("/proc/self/exe", argv[0], "again", NULL);
	return 9;
}
