/* SPDX-License-Identifier: MIT */
#include "replay/client.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void run(const char *command)
{
	sigset_t none;
	int nothing = open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (nothing >= 0)
		dup2(nothing, STDIN_FILENO);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

pid_t client_begin(const char *command)
{
	pid_t client = fork();

	if (!client)
		run(command);
	if (client > 0)
		setpgid(client, client);
	return client;
}

void client_end(pid_t client)
{
	if (client <= 0)
		return;
	kill(-client, SIGKILL);
	waitpid(client, NULL, 0);
}
