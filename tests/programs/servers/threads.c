/* SPDX-License-Identifier: MIT */
/* A thread for each connection. It ends when so many clients were served. */
#include "server.h"

static void *serves(void *argument)
{
	int fd = (int)(long)argument;
	while (answers(fd))
		;
	close(fd);
	return NULL;
}

int main(int argc, char **argv)
{
	int clients = argc > 2 ? atoi(argv[2]) : 4, fd = listens(argv[1]);
	pthread_t threads[16];
	for (int i = 0; i < clients; i++) {
		struct sockaddr_in from;
		socklen_t length = sizeof from;
		int client = accept(fd, (struct sockaddr *)&from, &length);
		if (client < 0 || from.sin_family != AF_INET)
			return 3;
		pthread_create(&threads[i], NULL, serves, (void *)(long)client);
	}
	for (int i = 0; i < clients; i++)
		pthread_join(threads[i], NULL);
	printf("%ld requests\n", requests);
	return 0;
}
