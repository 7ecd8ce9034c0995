/*
 * A shell reads from one thread and writes to another.
 *
 * expect: nothing
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static FILE *shell;
static int answer[2], data;

static void *ask(void *unused)
{
	data = 1;
	fputs("go\n", shell);
	fflush(shell);
	return unused;
}

int main(void)
{
	pthread_t thread;
	char command[64], c;

	if (pipe(answer))
		return 1;
	snprintf(command, sizeof command, "read x; echo $x >&%d", answer[1]);
	shell = popen(command, "w");
	pthread_create(&thread, NULL, ask, NULL);
	if (read(answer[0], &c, 1) == 1)
		printf("%d\n", data);
	pthread_join(thread, NULL);
	pclose(shell);
	return 0;
}
