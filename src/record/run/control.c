/* SPDX-License-Identifier: MIT */
#include "record/run/control.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

int control_open(struct control *c, const char *path, struct err *err)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	*c = (struct control){.path = path, .fd = -1};
	if (strlen(path) >= sizeof(address.sun_path))
		return err_set(err, ERR_USAGE, "%s: the name of a socket has at most %zu bytes",
			       path, sizeof(address.sun_path) - 1);
	strcpy(address.sun_path, path);
	c->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	mode_t mask = umask(0177);
	int made = c->fd < 0 ? -1 : bind(c->fd, (struct sockaddr *)&address, sizeof(address));
	int error = errno;

	umask(mask);
	if (made == 0 && listen(c->fd, CONTROL_CLIENTS) == 0)
		return 0;
	if (made == 0) {
		error = errno;
		unlink(path);
	}
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	return err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(error));
}

static const char *state_of(const struct log_run *run)
{
	if (__atomic_load_n(&run->stop, __ATOMIC_ACQUIRE))
		return "stopped";
	if (run->begin == LOG_WAITS)
		return run->wanted ? "starting" : "waiting";
	return "recording";
}

static void stop(struct log_run *run)
{
	uint32_t going = LOG_GOES_ON;

	__atomic_compare_exchange_n(&run->why, &going, LOG_ASKED, false, __ATOMIC_RELAXED,
				    __ATOMIC_RELAXED);
	__atomic_store_n(&run->stop, 1, __ATOMIC_RELEASE);
}

static void answer(struct control_client *client, struct log_run *run, const char *word)
{
	char text[128];

	if (!strcmp(word, "start"))
		__atomic_store_n(&run->wanted, 1, __ATOMIC_RELEASE);
	else if (!strcmp(word, "stop"))
		stop(run);
	if (strcmp(word, "start") && strcmp(word, "stop") && strcmp(word, "status"))
		snprintf(text, sizeof(text), "unknown: use start, stop or status\n");
	else if (run->begin == LOG_WAITS)
		snprintf(text, sizeof(text), "%s\n", state_of(run));
	else
		snprintf(text, sizeof(text), "%s %" PRIu64 "\n", state_of(run),
			 __atomic_load_n(&run->records, __ATOMIC_RELAXED));
	ssize_t sent = send(client->fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);

	(void)sent; /* one that does not read its answers has none */
}

static void hang_up(struct control_client *client)
{
	close(client->fd);
	*client = (struct control_client){0};
}

static void serve(struct control_client *client, struct log_run *run)
{
	ssize_t got =
		recv(client->fd, client->text + client->n, CONTROL_LINE - client->n, MSG_DONTWAIT);

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	client->n += got > 0 ? (size_t)got : 0;
	for (char *end; (end = memchr(client->text, '\n', client->n));) {
		size_t line = (size_t)(end + 1 - client->text);

		*end = '\0';
		answer(client, run, client->text);
		memmove(client->text, end + 1, client->n -= line);
	}
	if (got <= 0 || client->n == CONTROL_LINE)
		hang_up(client);
}

static void welcome(struct control *c)
{
	for (size_t i = 0; i < CONTROL_CLIENTS; i++) {
		struct control_client *client = &c->clients[i];

		if (client->fd)
			continue;
		int fd = accept4(c->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd < 0)
			return;
		client->fd = fd;
	}
}

void control_look(struct control *c, struct log_run *run)
{
	if (c->fd < 0)
		return;
	welcome(c);
	for (size_t i = 0; i < CONTROL_CLIENTS; i++)
		if (c->clients[i].fd)
			serve(&c->clients[i], run);
}

void control_close(struct control *c)
{
	if (c->fd < 0)
		return;
	for (size_t i = 0; i < CONTROL_CLIENTS; i++)
		if (c->clients[i].fd)
			hang_up(&c->clients[i]);
	close(c->fd);
	unlink(c->path);
	c->fd = -1;
}
