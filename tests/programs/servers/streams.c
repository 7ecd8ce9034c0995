/* SPDX-License-Identifier: MIT */
/* A socket in the file system, beside the file that it is given; select waits for the clients, a thread
 * for each reads lines by a stream and answers by dprintf, what libc does where nobody sees it. */
#include "server.h"

#include <netdb.h>
#include <sys/select.h>
#include <sys/un.h>

static void *serves(void *argument)
{
	int fd = (int)(long)argument;
	FILE *in = fdopen(fd, "r");
	char line[100];
	while (fgets(line, sizeof line, in)) {
		usleep(20000);
		count();
		dprintf(fd, "%zu\n", strlen(line));
	}
	fclose(in);
	return NULL;
}

int main(int argc, char **argv)
{
	struct sockaddr_un here = {.sun_family = AF_UNIX};
	struct addrinfo *found, hints = {.ai_flags = AI_NUMERICHOST};
	int clients = argc > 2 ? atoi(argv[2]) : 4, fd = socket(AF_UNIX, SOCK_STREAM, 0);
	pthread_t threads[16];
	if (getaddrinfo("127.0.0.1", "80", &hints, &found))
		return 4;
	freeaddrinfo(found);
	snprintf(here.sun_path, sizeof here.sun_path, "%s.socket", argv[1]);
	unlink(here.sun_path);
	if (bind(fd, (struct sockaddr *)&here, sizeof here) || listen(fd, 16))
		return 1;
	FILE *told = fopen(argv[1], "w");
	fprintf(told, "0 %d\n", (int)getpid());
	fclose(told);
	for (int i = 0; i < clients; i++) {
		fd_set set;
		FD_ZERO(&set);
		FD_SET(fd, &set);
		if (select(fd + 1, &set, NULL, NULL, NULL) != 1)
			return 2;
		long client = accept(fd, NULL, NULL);
		if (client < 0)
			return 3;
		pthread_create(&threads[i], NULL, serves, (void *)client);
	}
	for (int i = 0; i < clients; i++)
		pthread_join(threads[i], NULL);
	printf("%ld requests\n", requests);
	return 0;
}
