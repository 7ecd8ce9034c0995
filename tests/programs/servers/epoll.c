/* SPDX-License-Identifier: MIT */
/* Workers that each wait for their own connections, by epoll, which the first thread hands to them.
 * An eventfd tells them when it is over. */
#include "server.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>

#define WORKERS 2
struct connection {
	int fd;
};
static struct worker {
	pthread_t thread;
	int epoll, over;
	struct connection end;
} workers[WORKERS];
static int left;
static pthread_mutex_t left_guard = PTHREAD_MUTEX_INITIALIZER;

static void ends(void)
{
	pthread_mutex_lock(&left_guard);
	int last = --left == 0;
	pthread_mutex_unlock(&left_guard);
	for (int i = 0; last && i < WORKERS; i++)
		if (eventfd_write(workers[i].over, 1))
			exit(4);
}

static void *works(void *argument)
{
	struct worker *w = argument;
	struct epoll_event events[8];
	for (;;) {
		int n = epoll_wait(w->epoll, events, 8, -1);
		for (int i = 0; i < n; i++) {
			struct connection *c = events[i].data.ptr;
			uint64_t value;
			if (c == &w->end)
				return read(w->over, &value, sizeof value) == sizeof value ? NULL : w;
			if (answers(c->fd) || (errno == EAGAIN && !(events[i].events & EPOLLHUP) &&
					       !(events[i].events & EPOLLRDHUP)))
				continue;
			epoll_ctl(w->epoll, EPOLL_CTL_DEL, c->fd, NULL);
			close(c->fd);
			free(c);
			ends();
		}
	}
}

static void watches(struct worker *w, struct connection *c)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP, .data.ptr = c};
	if (epoll_ctl(w->epoll, EPOLL_CTL_ADD, c->fd, &event))
		exit(5);
}

int main(int argc, char **argv)
{
	int clients = argc > 2 ? atoi(argv[2]) : 4, fd = listens(argv[1]), bad = 0;
	left = clients;
	for (int i = 0; i < WORKERS; i++) {
		workers[i].epoll = epoll_create1(0);
		workers[i].over = eventfd(0, EFD_NONBLOCK);
		workers[i].end.fd = workers[i].over;
		watches(&workers[i], &workers[i].end);
		pthread_create(&workers[i].thread, NULL, works, &workers[i]);
	}
	for (int i = 0; i < clients; i++) {
		struct connection *c = malloc(sizeof *c);
		c->fd = accept4(fd, NULL, NULL, SOCK_NONBLOCK);
		if (c->fd < 0)
			return 3;
		watches(&workers[i % WORKERS], c);
	}
	for (int i = 0; i < WORKERS; i++) {
		void *result;
		pthread_join(workers[i].thread, &result);
		bad |= result != NULL;
	}
	printf("%ld requests\n", requests);
	return bad;
}
