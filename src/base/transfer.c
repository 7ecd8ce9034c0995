/* SPDX-License-Identifier: MIT */
#include "base/transfer.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

bool transfer_send(int fd, const void *data, size_t n)
{
	for (const char *at = data; n;) {
		ssize_t sent = send(fd, at, n, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			return false;
		at += sent;
		n -= (size_t)sent;
	}
	return true;
}

bool transfer_receive(int fd, void *data, size_t n)
{
	for (char *at = data; n;) {
		ssize_t got = read(fd, at, n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += got;
		n -= (size_t)got;
	}
	return true;
}
