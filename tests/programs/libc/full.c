/*
 * Pipes and sockets that are full, or that nobody reads any more: one thread writes data and then reads or closes, and the
 * other learns of that by what it can write. That is right in each of the ways. The twin is written on both sides of it,
 * and races.
 *
 * expect: race @before @behind
 * output: varies
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "ways.h"

static int ends[2];
static FILE *stream;
static char bytes[8192];

static void behind(void)
{
	twin = 1; /* @behind */
}

static void before(void)
{
	twin = 2; /* @before */
}

static void open_pipe(void)
{
	if (pipe(ends))
		abort();
}

static void open_sockets(void)
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		abort();
}

static void fill(int flags)
{
	fcntl(ends[1], F_SETFL, O_NONBLOCK);
	while (write(ends[1], bytes, 64) > 0)
		;
	fcntl(ends[1], F_SETFL, flags);
}

static void take_some(void)
{
	(void)!read(ends[0], bytes, sizeof bytes);
}

static void take_all(void)
{
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	while (read(ends[0], bytes, sizeof bytes) > 0)
		;
}

static void write_one(void)
{
	(void)!write(ends[1], "x", 1);
}

static void print_one(void)
{
	stream = fdopen(ends[1], "w");
	fputs("x", stream);
	fflush(stream);
}

/* More than there is room for, at once. */
static void write_much(void)
{
	static char much[300000];
	(void)!write(ends[1], much, sizeof much);
}

static void take_much(void)
{
	for (int n = 0; n < 300000;)
		n += (int)read(ends[0], bytes, sizeof bytes);
}

WAY(broken, open_pipe(), close(ends[0]), POLL(write(ends[1], "x", 1) > 0))
WAY(broken_socket, open_sockets(), close(ends[0]), POLL(send(ends[1], "x", 1, 0) > 0))
WAY(tried, open_pipe(); fill(O_NONBLOCK), take_some(), POLL(write(ends[1], "x", 1) < 0))
WAY(waited, open_pipe(); fill(0), take_some(), write_one())
WAY(waited_socket, open_sockets(); fill(0), take_all(), write_one())
WAY(printed, open_pipe(); fill(0), take_some(), print_one())
WAY(much, open_pipe(), take_much(), write_much())

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	RUN(broken);
	RUN(broken_socket);
	RUN(tried);
	RUN(waited);
	RUN(waited_socket);
	RUN(printed);
	RUN(much);
	printf("%d\n", seen > 0);
	return 0;
}
