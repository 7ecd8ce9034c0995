/* SPDX-License-Identifier: MIT */
/* All of some bytes to another process by a socket, or from it. */
#ifndef BASE_TRANSFER_H
#define BASE_TRANSFER_H

#include <stdbool.h>
#include <stddef.h>

/* False: the other side is gone. */
bool transfer_send(int fd, const void *data, size_t n);
bool transfer_receive(int fd, void *data, size_t n);

#endif
