/* SPDX-License-Identifier: MIT */
/* Two threads take messages from one socket. It ends when so many have come. */
#include "server.h"

static int fd;
static int left;
static pthread_mutex_t left_guard = PTHREAD_MUTEX_INITIALIZER;

static int takes_one(void)
{
	pthread_mutex_lock(&left_guard);
	int more = left-- > 0;
	pthread_mutex_unlock(&left_guard);
	return more;
}

static void *serves(void *unused)
{
	while (takes_one()) {
		char line[100], text[32];
		struct sockaddr_in from;
		struct iovec part = {line, sizeof line};
		struct msghdr message = {.msg_name = &from,
					 .msg_namelen = sizeof from,
					 .msg_iov = &part,
					 .msg_iovlen = 1};
		ssize_t n = recvmsg(fd, &message, 0);
		if (n <= 0 || message.msg_namelen != sizeof from)
			exit(3);
		usleep(20000);
		count();
		int length = snprintf(text, sizeof text, "%zd\n", n);
		sendto(fd, text, (size_t)length, 0, (struct sockaddr *)&from, sizeof from);
	}
	return unused;
}

int main(int argc, char **argv)
{
	struct sockaddr_in here = {.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof here;
	pthread_t threads[2];
	left = argc > 2 ? 2 * atoi(argv[2]) : 8;
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	if (bind(fd, (struct sockaddr *)&here, sizeof here) ||
	    getsockname(fd, (struct sockaddr *)&here, &length))
		return 1;
	FILE *told = fopen(argv[1], "w");
	fprintf(told, "%d %d\n", ntohs(here.sin_port), (int)getpid());
	fclose(told);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, serves, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%ld requests\n", requests);
	return 0;
}
