/* SPDX-License-Identifier: MIT */
/*
 * What descriptors are registered for at an epoll: the word that epoll_wait gives back for each of
 * them. It may be an address, which is another one in replay, as the numbers of descriptors may be;
 * so the record says which thread has registered it, and as which of its own, and the replay looks
 * there for the word and the descriptor.
 */
#ifndef RUNTIME_REGISTERED_H
#define RUNTIME_REGISTERED_H

#include <stdbool.h>
#include <stdint.h>

struct norn_registered {
	uint64_t word;
	int fd;
	uint32_t thread, number; /* of the thread's, from 1 */
};

/* A descriptor is added, or gets another word. */
void norn_epoll_register(int epoll, int fd, uint64_t word);

/* The latest one with this word; false: there is none. */
bool norn_registered_by_word(int epoll, uint64_t word, struct norn_registered *r);
/* The one of this thread; false: it has not come so far yet. */
bool norn_registered_by_thread(uint32_t thread, uint32_t number, struct norn_registered *r);

#endif
