/*
 * Messages by a socket pair, an event descriptor and poll: who receives comes after who sent.
 *
 * expect: nothing
 */
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2], event;
static int question, answer, last;

static void *server(void *unused)
{
	struct pollfd wait = {ends[1], POLLIN, 0};
	char byte;

	poll(&wait, 1, -1);
	if (recv(ends[1], &byte, 1, 0) != 1)
		return unused;
	answer = question + 1;
	send(ends[1], &byte, 1, 0);
	last = 7;
	uint64_t one = 1;

	return write(event, &one, sizeof(one)) == sizeof(one) ? NULL : unused;
}

int main(void)
{
	pthread_t thread;
	char byte = 'x';
	uint64_t count = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return 1;
	event = eventfd(0, 0);
	pthread_create(&thread, NULL, server, NULL);
	question = 41;
	if (send(ends[0], &byte, 1, 0) != 1 || recv(ends[0], &byte, 1, 0) != 1)
		return 1;
	int got = answer;

	if (read(event, &count, sizeof(count)) != sizeof(count))
		return 1;
	printf("%d %d %d\n", got, last, (int)count);
	pthread_join(thread, NULL);
	return 0;
}
