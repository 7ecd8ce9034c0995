/* SPDX-License-Identifier: MIT */
/* Workers that all wait for the same listening socket and each for its connections, by poll. SIGTERM
 * ends it: the handler writes to a pipe that all look at. */
#include "server.h"

#include <poll.h>
#include <signal.h>

#define WORKERS 2
#define MOST 2 /* connections of each: three clients need both */
static int listener, over[2];

static void stops(int signal)
{
	(void)signal;
	if (write(over[1], "xx", WORKERS) != WORKERS)
		_exit(6);
}

static void *works(void *unused)
{
	struct pollfd fds[MOST + 2] = {{.fd = over[0], .events = POLLIN},
				       {.fd = listener, .events = POLLIN}};
	nfds_t n = 2;
	for (;;) {
		if (poll(fds, n, -1) < 0)
			continue;
		for (nfds_t i = n; i-- > 2;)
			if (fds[i].revents && !answers(fds[i].fd)) {
				close(fds[i].fd);
				fds[i] = fds[--n];
			}
		if (fds[1].revents && n < MOST + 2) {
			int client = accept(listener, NULL, NULL);
			if (client >= 0)
				fds[n++] = (struct pollfd){.fd = client, .events = POLLIN};
			else if (errno != EAGAIN)
				exit(3);
		}
		char end;
		if (fds[0].revents)
			return read(over[0], &end, 1) == 1 ? unused : &listener;
	}
}

int main(int argc, char **argv)
{
	(void)argc;
	struct sigaction action = {.sa_handler = stops};
	pthread_t threads[WORKERS];
	if (pipe(over))
		return 5;
	listener = listens(argv[1]);
	fcntl(listener, F_SETFL, O_NONBLOCK);
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&threads[i], NULL, works, NULL);
	sigaction(SIGTERM, &action, NULL);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	printf("%ld requests\n", requests);
	return 0;
}
