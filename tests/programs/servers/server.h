/* SPDX-License-Identifier: MIT */
/* What the servers share: each writes its port and its process to a file, and answers a line of each
 * client with how many bytes it has. RIGHT: the number of requests is guarded. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static long requests;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

static void count(void)
{
#ifdef RIGHT
	pthread_mutex_lock(&guard);
#endif
	requests++; /* @count */
#ifdef RIGHT
	pthread_mutex_unlock(&guard);
#endif
}

static int listens(const char *file)
{
	struct sockaddr_in here = {.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof here;
	int on = 1, fd = socket(AF_INET, SOCK_STREAM, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) ||
	    bind(fd, (struct sockaddr *)&here, sizeof here) || listen(fd, 16) ||
	    getsockname(fd, (struct sockaddr *)&here, &length))
		exit(1);
	FILE *told = fopen(file, "w");
	if (!told || fprintf(told, "%d %d\n", ntohs(here.sin_port), (int)getpid()) < 0 ||
	    fclose(told))
		exit(1);
	return fd;
}

/* False: the client is gone, or has nothing to say just now. */
static int answers(int fd)
{
	char line[100], text[32];
	ssize_t n = read(fd, line, sizeof line);
	if (n <= 0)
		return 0;
	usleep(20000); /* so that others get theirs before this one is answered */
	count();
	int length = snprintf(text, sizeof text, "%zd\n", n);
	if (send(fd, text, (size_t)length, MSG_NOSIGNAL) != length)
		exit(2);
	return 1;
}
