/* SPDX-License-Identifier: MIT */
/* A server and its clients in one program. Its sockets are its own: replay leaves them to it. */
#include "server.h"

static struct sockaddr_in here = {.sin_family = AF_INET};

static void *serves(void *argument)
{
	int fd = (int)(long)argument;
	while (answers(fd))
		;
	close(fd);
	return NULL;
}

static void *asks(void *unused)
{
	char text[32];
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(fd, (struct sockaddr *)&here, sizeof here))
		exit(4);
	for (int i = 0; i < 2; i++)
		if (write(fd, "hello\n", 6) != 6 || read(fd, text, sizeof text) != 2)
			exit(5);
	close(fd);
	return unused;
}

int main(int argc, char **argv)
{
	int fd = listens(argv[1]);
	socklen_t length = sizeof here;
	pthread_t servers[2], clients[2];
	(void)argc;
	if (getsockname(fd, (struct sockaddr *)&here, &length))
		return 1;
	for (int i = 0; i < 2; i++)
		pthread_create(&clients[i], NULL, asks, NULL);
	for (int i = 0; i < 2; i++) {
		long client = accept(fd, NULL, NULL);
		pthread_create(&servers[i], NULL, serves, (void *)client);
	}
	for (int i = 0; i < 2; i++) {
		pthread_join(clients[i], NULL);
		pthread_join(servers[i], NULL);
	}
	printf("%ld requests\n", requests);
	return 0;
}
