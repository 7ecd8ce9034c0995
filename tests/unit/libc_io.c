/* SPDX-License-Identifier: MIT */
/* Descriptors, sockets, readiness: the same results as libc's, what arrives is logged as written.
 */
#include "runtime/libc/replaced.h"
#include "support/ranges_log.h"
#include "support/tap.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/un.h>

enum { SIZE = 100000 };
static char data[SIZE], ours[SIZE];

static void make_data(void)
{
	for (size_t i = 0; i < SIZE; i++)
		data[i] = (char)(i * 7 / 3);
}

static int file_with_data(void)
{
	char path[] = P_tmpdir "/norn-test-XXXXXX";
	int fd = mkstemp(path);
	make_data();
	ASSERT_TRUE(fd >= 0 && !unlink(path) && write(fd, data, SIZE) == SIZE);
	lseek(fd, 0, SEEK_SET);
	return fd;
}

static void arrived(const void *to, const void *want, size_t n)
{
	ASSERT_TRUE(!memcmp(to, want, n));
	ASSERT_TRUE(ranges_log_is(true, to, n));
}

TAP_CASE(files_are_read)
{
	static const size_t sizes[] = {0, 1, 63, 64, 65, 1024, 1025, 5000, 70000};
	int fd = file_with_data();
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		for (off_t at = 0; at < 200; at += 37) {
			ranges_log_clear();
			ASSERT_EQ(__norn_pread(fd, ours + i, sizes[i], at), sizes[i]);
			arrived(ours + i, data + at, sizes[i]);
			lseek(fd, at, SEEK_SET);
			ranges_log_clear();
			ASSERT_EQ(__norn_read(fd, ours + i, sizes[i]), sizes[i]);
			arrived(ours + i, data + at, sizes[i]);
			ASSERT_EQ(ranges_log.long_calls, 1);
		}
	}
	/* At the end there is less than was asked for. */
	ranges_log_clear();
	ASSERT_EQ(__norn_pread64(fd, ours, 500, SIZE - 100), 100);
	arrived(ours, data + SIZE - 100, 100);
	ASSERT_EQ(__norn_read(-1, ours, 10), -1);
	ASSERT_EQ(errno, EBADF);
	close(fd);
}

TAP_CASE(vectors_are_read_and_written)
{
	int fd = file_with_data();
	volatile int negative = -1;
	struct iovec v[] = {{ours, 10}, {ours + 100, 0}, {ours + 200, 3000}, {ours + 5000, 90}};
	ranges_log_clear();
	ASSERT_EQ(__norn_readv(fd, v, 4), 3100);
	ASSERT_TRUE(!memcmp(ours, data, 10) && !memcmp(ours + 200, data + 10, 3000) &&
		    !memcmp(ours + 5000, data + 3010, 90));
	ASSERT_EQ(ranges_log_bytes(true, ours, SIZE), 3100);
	ASSERT_EQ(ranges_log_bytes(false, v, sizeof v), sizeof v);
	ranges_log_clear();
	ASSERT_EQ(__norn_preadv(fd, v, 4, SIZE - 20), 20);
	ASSERT_EQ(ranges_log_bytes(true, ours, SIZE), 20);
	ASSERT_TRUE(!memcmp(ours + 200, data + SIZE - 10, 10));
	ASSERT_EQ(__norn_readv(fd, v, negative), -1);
	ASSERT_EQ(errno, EINVAL);
	ASSERT_EQ(__norn_readv(fd, v, 0), 0);
	struct iovec w[] = {{data, 100}, {data + 700, 50}};
	ranges_log_clear();
	ASSERT_EQ(__norn_pwritev(fd, w, 2, 0), 150);
	ASSERT_EQ(ranges_log_bytes(false, data, SIZE), 150);
	ASSERT_EQ(pread(fd, ours, 150, 0), 150);
	ASSERT_TRUE(!memcmp(ours, data, 100) && !memcmp(ours + 100, data + 700, 50));
	close(fd);
}

TAP_CASE(what_is_written_is_read)
{
	int fd = file_with_data();
	ranges_log_clear();
	ASSERT_EQ(__norn_write(fd, data + 3, 5000), 5000);
	ASSERT_TRUE(ranges_log_is(false, data + 3, 5000));
	ranges_log_clear();
	ASSERT_EQ(__norn_pwrite(fd, data, 100, 50), 100);
	ASSERT_TRUE(ranges_log_is(false, data, 100));
	ASSERT_EQ(ranges_log.before, 2); /* a regular file: before and behind */
	int out[2];
	off_t at = 5;
	ranges_log_clear();
	ASSERT_EQ(__norn_pipe(out), 0);
	ASSERT_TRUE(ranges_log_is(true, out, sizeof out));
	ASSERT_EQ(__norn_sendfile(out[1], fd, &at, 10), 10);
	ASSERT_EQ(at, 15);
	close(fd);
}

TAP_CASE(pipes_order_threads)
{
	int p[2];
	ASSERT_EQ(__norn_pipe2(p, O_NONBLOCK), 0);
	ranges_log_clear();
	ASSERT_EQ(__norn_read(p[0], ours, 10), -1);
	ASSERT_EQ(errno, EAGAIN);
	ASSERT_EQ(ranges_log_bytes(true, ours, SIZE), 0);
	ranges_log_clear();
	ASSERT_EQ(__norn_write(p[1], "abc", 3), 3);
	ASSERT_EQ(ranges_log.before, 2); /* its offset, too */
	ASSERT_EQ(ranges_log.after, 0);
	ASSERT_EQ(__norn_read(p[0], ours, 10), 3);
	ASSERT_EQ(ranges_log.after, 2);
	FILE *f = fdopen(p[0], "r"), *g = fdopen(p[1], "w");
	setvbuf(g, NULL, _IONBF, 0);
	ranges_log_clear();
	ASSERT_EQ(__norn_fprintf(g, "x%dy", 5), 3);
	ASSERT_EQ(__norn_putc('z', g), 'z');
	ASSERT_EQ(ranges_log.before, 2);
	ASSERT_EQ(__norn_fgetc(f), 'x');
	ASSERT_EQ(__norn_fgetc(f), '5'); /* from the buffer of the stream */
	ASSERT_EQ(ranges_log.after, 1);
	ranges_log_clear();
	ASSERT_EQ(__norn_fclose(g), 0);
	/* what is in its buffer, its end, and twice that its number is free */
	ASSERT_EQ(ranges_log.before, 4);
	fclose(f);
	int e = eventfd(0, 0);
	eventfd_t value = 0;
	ranges_log_clear();
	ASSERT_EQ(__norn_eventfd_write(e, 5), 0);
	ASSERT_EQ(__norn_eventfd_read(e, &value), 0);
	ASSERT_EQ(value, 5);
	ASSERT_EQ(ranges_log.before, 1);
	ASSERT_EQ(ranges_log.after, 1);
	ASSERT_TRUE(ranges_log_is(true, &value, sizeof value));
}

TAP_CASE(sockets)
{
	int s[2];
	make_data();
	ASSERT_EQ(__norn_socketpair(AF_UNIX, SOCK_DGRAM, 0, s), 0);
	ranges_log_clear();
	ASSERT_EQ(__norn_send(s[0], data, 3000, 0), 3000);
	ASSERT_TRUE(ranges_log_is(false, data, 3000));
	ranges_log_clear();
	ASSERT_EQ(__norn_recv(s[1], ours, 1000, MSG_PEEK | MSG_TRUNC), 3000);
	arrived(ours, data, 1000);
	ranges_log_clear();
	struct sockaddr_un from;
	socklen_t length = sizeof from;
	ASSERT_EQ(__norn_recvfrom(s[1], ours, SIZE, 0, (struct sockaddr *)&from, &length), 3000);
	ASSERT_EQ(ranges_log_bytes(true, ours, SIZE), 3000);
	ASSERT_EQ(ranges_log_bytes(true, &length, sizeof length), sizeof length);
	ASSERT_EQ(__norn_recv(s[1], ours, 10, MSG_DONTWAIT), -1);
	ASSERT_EQ(errno, EAGAIN);
	struct iovec parts[] = {{data, 10}, {data + 50, 20}},
		     places[] = {{ours, 25}, {ours + 64, 90}};
	struct msghdr out = {.msg_iov = parts, .msg_iovlen = 2};
	char control[100];
	struct msghdr in = {
		.msg_iov = places, .msg_iovlen = 2, .msg_control = control, .msg_controllen = 100};
	ranges_log_clear();
	ASSERT_EQ(__norn_sendmsg(s[0], &out, 0), 30);
	ASSERT_EQ(ranges_log_bytes(false, data, SIZE), 30);
	ASSERT_EQ(__norn_recvmsg(s[1], &in, 0), 30);
	ASSERT_TRUE(!memcmp(ours, data, 10) && !memcmp(ours + 10, data + 50, 15) &&
		    !memcmp(ours + 64, data + 65, 5));
	ASSERT_EQ(ranges_log_bytes(true, ours, SIZE), 30);
	ASSERT_EQ(in.msg_controllen, 0);
	ASSERT_EQ(ranges_log_bytes(true, &in, sizeof in), 4 + 8 + 4);
	int type = 0;
	length = sizeof type;
	ASSERT_EQ(__norn_getsockopt(s[0], SOL_SOCKET, SO_TYPE, &type, &length), 0);
	ASSERT_EQ(type, SOCK_DGRAM);
}

TAP_CASE(connections)
{
	int server = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct sockaddr_in b = {0};
	socklen_t length = sizeof a;
	ASSERT_EQ(__norn_bind(server, (struct sockaddr *)&a, sizeof a), 0);
	ASSERT_EQ(listen(server, 1), 0);
	ASSERT_EQ(__norn_getsockname(server, (struct sockaddr *)&a, &length), 0);
	ASSERT_EQ(length, sizeof a);
	ASSERT_EQ(__norn_connect(client, (struct sockaddr *)&a, sizeof a), 0);
	length = sizeof b;
	ranges_log_clear();
	ASSERT_TRUE(__norn_accept(server, (struct sockaddr *)&b, &length) >= 0);
	ASSERT_EQ(b.sin_family, AF_INET);
	ASSERT_EQ(ranges_log_bytes(true, &b, sizeof b), sizeof b);
	ASSERT_EQ(__norn_getpeername(client, (struct sockaddr *)&b, &length), 0);
	ASSERT_EQ(b.sin_port, a.sin_port);
}

TAP_CASE(readiness)
{
	int p[2], q[2];
	ASSERT_TRUE(!pipe(p) && !pipe(q) && write(q[1], "x", 1) == 1);
	struct pollfd fds[] = {{p[0], POLLIN, 99}, {q[0], POLLIN, 99}};
	ranges_log_clear();
	ASSERT_EQ(__norn_poll(fds, 2, 0), 1);
	ASSERT_EQ(fds[0].revents, 0);
	ASSERT_EQ(fds[1].revents, POLLIN);
	ASSERT_EQ(ranges_log_bytes(true, fds, sizeof fds), 4);
	ASSERT_EQ(ranges_log.after, 2); /* also that one is not ready */
	struct timespec none = {0, 0};
	ASSERT_EQ(__norn_ppoll(fds, 1, &none, NULL), 0);
	fd_set in;
	FD_ZERO(&in);
	FD_SET(p[0], &in);
	FD_SET(q[0], &in);
	struct timeval now = {0, 0};
	ranges_log_clear();
	ASSERT_EQ(__norn_select(q[0] + 1, &in, NULL, NULL, &now), 1);
	ASSERT_TRUE(FD_ISSET(q[0], &in) && !FD_ISSET(p[0], &in));
	ASSERT_EQ(ranges_log_bytes(true, &in, sizeof in), 8);
	ASSERT_EQ(__norn_pselect(p[0] + 1, &in, NULL, NULL, &none, NULL), 0);
	int e = epoll_create1(0);
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = 77}, events[3];
	ASSERT_EQ(__norn_epoll_ctl(e, EPOLL_CTL_ADD, q[0], &event), 0);
	ranges_log_clear();
	ASSERT_EQ(__norn_epoll_wait(e, events, 3, 0), 1);
	ASSERT_EQ(events[0].data.u64, 77);
	ASSERT_TRUE(ranges_log_is(true, events, sizeof *events));
}
